package query_test

import (
	"net/http"
	"slices"
	"testing"

	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
)

// One request about a fund or a manager gives the days that requests about its series give, in pages and as a table.
func TestTheDaysOfAFundOrAManagerAreThoseOfItsSeries(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	r := newRig(t, demotest.Published(t), unlimited)
	data := func(target string) []any {
		got := r.get(t, target)
		wantStatus(t, got, http.StatusOK)
		return decode[map[string]any](t, got)["data"].([]any)
	}
	const period = "&from_date=2025-07-01&to_date=2025-07-20"
	type day struct {
		id, serie string
		price     any
	}
	compare := func(filter string, want []day) {
		t.Helper()
		var got []day
		for next := "/api/days?limit=7&" + filter + period; next != ""; {
			reply := decode[map[string]any](t, r.get(t, next))
			for _, item := range reply["data"].([]any) {
				got = append(got, day{pick(item, "id").(string), pick(item, "attributes.serie").(string),
					pick(item, "attributes.price")})
			}
			next, _ = pick(reply, "links.next").(string)
		}
		var table []day
		for _, row := range readTable(t, "ndjson", r.get(t, "/api/days?format=ndjson&"+filter+period).body, nil) {
			table = append(table, day{row["asset_id"].(string) + "_" + row["date"].(string), row["serie"].(string),
				row["quota"]})
		}
		if !slices.Equal(got, table) {
			t.Errorf("%s: JSON has %v, a table %v", filter, got, table)
		}
		byID := func(a, b day) int {
			if a.id < b.id {
				return -1
			}
			return 1
		}
		slices.SortFunc(got, byID)
		slices.SortFunc(want, byID)
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, its series have %v", filter, got, want)
		}
	}
	some := 0
	const withHistory = "1208161246" // the manager of the funds whose history the demo has
	for i, manager := range data("/api/asset_providers") {
		id := pick(manager, "id").(string)
		if i >= 2 && id != withHistory {
			continue
		}
		var whole []day
		for _, fund := range data("/api/asset_providers/" + id + "/conceptual_assets") {
			var days []day
			for _, series := range data("/api/conceptual_assets/" + pick(fund, "id").(string) + "/real_assets") {
				for _, item := range data("/api/real_assets/" + pick(series, "id").(string) + "/days?" + period[1:]) {
					days = append(days, day{pick(item, "id").(string), pick(series, "attributes.serie").(string),
						pick(item, "attributes.price")})
				}
			}
			compare("run="+pick(fund, "attributes.run").(string), days)
			whole = append(whole, days...)
		}
		some += len(whole)
		// A manager may also have funds that are not current, or of other vehicles.
		if got := data("/api/days?limit=5000&provider_id=" + id + period); len(got) < len(whole) {
			t.Errorf("manager %s: %d days, its current funds have %d", id, len(got), len(whole))
		}
	}
	if some == 0 {
		t.Error("no days")
	}
	for _, none := range []string{"run=99999999", "provider_id=1"} {
		compare(none, nil)
	}
	for _, hostile := range []string{
		"run=9809", "run=9809&from_date=2025-07-01", "from_date=2025-07-01&to_date=2025-07-02",
		"run=9809&provider_id=1" + period, "run=9809-1" + period,
		"run=9809&from_date=2025-07-02&to_date=2025-07-01", "run=9809&from_date=2024-07-01&to_date=2025-07-02",
		"run=9809&limit=5001" + period, "run=%27" + period,
	} {
		wantStatus(t, r.get(t, "/api/days?"+hostile), http.StatusUnprocessableEntity)
	}
}
