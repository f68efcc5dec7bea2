package query_test

import (
	"cmp"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/model"
)

type everSeries struct {
	items
	Meta struct{ Total int }
}

// statedSeries reads the series of the demo's cartolas, RUN and series, with their first and last day.
func statedSeries(t testing.TB) map[string][2]string {
	t.Helper()
	paths, err := filepath.Glob("../demo/files/cartola/*.txt")
	must(t, err)
	stated := map[string][2]string{}
	for _, path := range paths {
		content, err := os.ReadFile(path)
		must(t, err)
		for i, line := range strings.Split(string(content), "\n") {
			fields := strings.Split(strings.TrimSuffix(line, "\r"), ";")
			if i == 0 || len(fields) != 25 {
				continue
			}
			if quota, err := strconv.ParseFloat(fields[12], 64); err != nil || quota <= 0 {
				continue
			}
			day, err := time.Parse("20060102", fields[3])
			must(t, err)
			date := day.Format(time.DateOnly)
			key := fields[2] + " " + cmp.Or(fields[8], model.SoleSerie)
			was, there := stated[key]
			if !there {
				was = [2]string{date, date}
			}
			stated[key] = [2]string{min(was[0], date), max(was[1], date)}
		}
	}
	if len(stated) < 2000 {
		t.Fatalf("the demo's cartolas have %d series", len(stated))
	}
	return stated
}

func TestTheTableOfAllSeriesHasEverySeriesOfTheFiles(t *testing.T) {
	t.Parallel()
	r := newRig(t, demotest.Published(t), unlimited)
	rows := readTable(t, "ndjson", r.get(t, "/api/series?format=ndjson").body, nil)
	got := map[string][2]string{}
	for _, row := range rows {
		if strings.Contains(row["asset_id"].(string), "-") { // a UUID: an investment fund, whose files are others
			continue
		}
		run, _, _ := strings.Cut(row["run"].(string), "-")
		days := [2]string{}
		for i, name := range []string{"first_date", "last_date"} {
			days[i], _ = row[name].(string)
		}
		got[run+" "+row["serie"].(string)] = days
		if days[1] >= "2025-07-13" && row["status"] != "current" ||
			days[1] != "" && days[1] < "2025-07-13" && row["status"] != "closed" {
			t.Errorf("%v is %v at the cutoff 2025-07-20", row, row["status"])
		}
		if row["fund"] == "" || row["manager"] == nil {
			t.Errorf("%v has no name", row)
		}
	}
	if diff := gocmp.Diff(statedSeries(t), got); diff != "" {
		t.Errorf("-in the files, +answered:\n%.2000s", diff)
	}

	// Pages give the same series, in the same order.
	var ids []string
	for offset := 0; ; offset += 1000 {
		page := decode[everSeries](t, r.get(t, "/api/series?limit=1000&offset="+strconv.Itoa(offset)))
		if page.Meta.Total != len(rows) {
			t.Fatalf("total is %d, of %d rows", page.Meta.Total, len(rows))
		}
		if len(page.Data) == 0 {
			break
		}
		ids = append(ids, page.ids()...)
	}
	if len(ids) != len(rows) {
		t.Fatalf("%d series on pages, %d in the table", len(ids), len(rows))
	}
	for i, id := range ids {
		if rows[i]["asset_id"] != id {
			t.Fatalf("row %d is %v, on pages %s", i, rows[i]["asset_id"], id)
		}
	}
}

func TestFiltersOfAllSeriesKeepTheSeriesThatTheyName(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	for _, kept := range []bool{true, false} { // in memory
		r := newRig(t, demotest.Published(t), unlimited)
		if !kept {
			config := unlimited
			config.SnapshotBytes = 1
			r = newRig(t, demotest.Published(t), config)
		}
		all := readTable(t, "ndjson", r.get(t, "/api/series?format=ndjson").body, nil)
		manager := strconv.FormatFloat(all[0]["manager_id"].(float64), 'f', -1, 64)
		for query, keeps := range map[string]func(map[string]any) bool{
			"run=9809": func(row map[string]any) bool { return row["run"] == "9809-4" },
			"run=9.809-4&q=apv": func(row map[string]any) bool {
				return row["run"] == "9809-4" && strings.Contains(row["serie"].(string), "APV")
			},
			"run=99999999":   func(map[string]any) bool { return false },
			"q=no+such+name": func(map[string]any) bool { return false },
			"vehicle=etf":    func(row map[string]any) bool { return row["vehicle"] == "etf" },
			"status=closed":  func(row map[string]any) bool { return row["status"] == "closed" },
			"status=current": func(row map[string]any) bool { return row["status"] == "current" },
			"status=unknown": func(row map[string]any) bool { return row["status"] == "unknown" },
			"provider_id=" + manager: func(row map[string]any) bool {
				return row["manager_id"] == all[0]["manager_id"]
			},
		} {
			want := []any{}
			for _, row := range all {
				if keeps(row) {
					want = append(want, row["asset_id"])
				}
			}
			got := []any{}
			for _, row := range readTable(t, "ndjson", r.get(t, "/api/series?format=ndjson&"+query).body, nil) {
				got = append(got, row["asset_id"])
			}
			page := decode[everSeries](t, r.get(t, "/api/series?limit=1&"+query))
			if diff := gocmp.Diff(want, got); diff != "" || page.Meta.Total != len(want) ||
				len(page.Data) != min(1, len(want)) {
				t.Errorf("%s: total %d, want %d (-want, +got):\n%.1000s", query, page.Meta.Total, len(want), diff)
			}
		}
	}
}

func TestAParameterOfAllSeriesThatCanNotBeReadIsRefused(t *testing.T) {
	t.Parallel()
	r := littleMarket(t)
	for _, query := range []string{
		"run=8011-1", "run=", "run=x", "run=123456789", "provider_id=-1", "provider_id=4294967296", "vehicle=fund",
		"status=open", "limit=0", "limit=1001",
		"offset=-1", "offset=9007199254740992", "q=" + strings.Repeat("a", 201),
	} {
		wantStatus(t, r.get(t, "/api/series?"+query), http.StatusUnprocessableEntity)
	}
}

func TestAllSeriesHaveThoseThatClosedAndThoseOfInvestmentFunds(t *testing.T) {
	t.Parallel()
	r := littleMarket(t)
	status := map[string]any{}
	for _, item := range decode[everSeries](t, r.get(t, "/api/series")).Data {
		status[item.ID] = item.Attributes["status"]
	}
	if status["201"] != "current" || status["202"] != "closed" || status[instrumentAina] == nil {
		t.Errorf("%v", status)
	}
}
