package query_test

import (
	"net/http"
	"testing"

	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"

	"github.com/google/go-cmp/cmp"
)

// Each manager, fund and series by its id is what the list that has it says.
func TestOneManagerFundAndSeriesIsThatOfItsList(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	r := newRig(t, demotest.Published(t), unlimited)
	data := func(target string) any {
		got := r.get(t, target)
		wantStatus(t, got, http.StatusOK)
		return decode[map[string]any](t, got)["data"]
	}
	funds := map[string]any{}
	for _, fund := range data("/api/conceptual_assets").([]any) {
		funds[pick(fund, "id").(string)] = fund
	}
	listed := 0
	for _, manager := range data("/api/asset_providers").([]any) {
		id := pick(manager, "id").(string)
		if diff := cmp.Diff(manager, data("/api/asset_providers/"+id)); diff != "" {
			t.Errorf("manager %s: %s", id, diff)
		}
		for _, fund := range data("/api/asset_providers/" + id + "/conceptual_assets").([]any) {
			id := pick(fund, "id").(string)
			listed++
			if diff := cmp.Diff(fund, data("/api/conceptual_assets/"+id)) + cmp.Diff(fund, funds[id]); diff != "" {
				t.Errorf("fund %s: %s", id, diff)
			}
			if listed%25 != 1 { // the series of some funds
				continue
			}
			for _, series := range data("/api/conceptual_assets/" + id + "/real_assets").([]any) {
				of := pick(series, "id").(string)
				one := data("/api/real_assets/" + of).(map[string]any)
				attributes := one["attributes"].(map[string]any)
				days := data("/api/real_assets/" + of + "/days").([]any)
				if attributes["conceptual_asset_id"] != id ||
					attributes["start_date"] != pick(days[0], "attributes.date") ||
					attributes["end_date"] != nil &&
						attributes["end_date"] != pick(series, "attributes.last_day.date") {
					t.Errorf("series %s of fund %s: %v, its days begin with %v", of, id, attributes, days[0])
				}
				for _, name := range []string{"start_date", "end_date", "previous_asset_id", "conceptual_asset_id"} {
					delete(attributes, name)
				}
				if diff := cmp.Diff(series, any(one)); diff != "" {
					t.Errorf("series %s: %s", of, diff)
				}
			}
		}
	}
	if listed == 0 || listed != len(funds) {
		t.Errorf("managers have %d funds, the list of all %d", listed, len(funds))
	}
	for _, target := range []string{"/api/asset_providers/1", "/api/conceptual_assets/1", "/api/real_assets/1",
		"/api/real_assets/0f0e0d0c-0b0a-4908-8706-050403020100"} {
		wantStatus(t, r.get(t, target), http.StatusNotFound)
	}
	for _, target := range []string{"/api/asset_providers/x", "/api/conceptual_assets/-1", "/api/real_assets/%27",
		"/api/conceptual_assets?date=2025-01-01"} {
		wantStatus(t, r.get(t, target), http.StatusUnprocessableEntity)
	}
}

// date gives the same day as a period of one day.
func TestADateOfDaysIsAPeriodOfOneDay(t *testing.T) {
	t.Parallel()
	r := newRig(t, demotest.Published(t), unlimited)
	const path = "/api/real_assets/1161378270/days"
	days := decode[map[string]any](t, r.get(t, path+"?from_date=2025-07-01"))["data"].([]any)
	for _, day := range days {
		date := pick(day, "attributes.date").(string)
		if diff := cmp.Diff([]any{day}, decode[map[string]any](t, r.get(t, path+"?date="+date))["data"]); diff != "" {
			t.Errorf("%s: %s", date, diff)
		}
		if rows := readTable(t, "ndjson", r.get(t, path+"?format=ndjson&date="+date).body, nil); len(rows) != 1 ||
			rows[0]["date"] != date {
			t.Errorf("%s as a table: %v", date, rows)
		}
	}
	if len(days) == 0 {
		t.Error("no days")
	}
	for _, query := range []string{"?date=1950-01-01", "?date=9999-12-31"} {
		if got := decode[map[string]any](t, r.get(t, path+query))["data"]; !cmp.Equal(got, []any{}) {
			t.Errorf("%s: %v", query, got)
		}
	}
	for _, query := range []string{"?date=2025/07/01", "?date=2025-02-30", "?date=2025-07-01&from_date=2025-07-01",
		"?date=2025-07-01&to_date=2025-07-01", "?date="} {
		wantStatus(t, r.get(t, path+query), http.StatusUnprocessableEntity)
	}
}
