package query_test

import (
	"testing"

	"cuota/internal/testkit/demotest"

	"github.com/google/go-cmp/cmp"
)

type tacChanges struct {
	Data []map[string]any
	Meta map[string]any
}

func (c tacChanges) ids() []string {
	ids := []string{}
	for _, row := range c.Data {
		ids = append(ids, row["serieId"].(string))
	}
	return ids
}

func TestTACChanges(t *testing.T) {
	t.Parallel()
	r := costlyMarket(t)
	ask := func(t *testing.T, r *rig, query string) tacChanges {
		t.Helper()
		return decode[tacChanges](t, r.get(t, "/api/reports/tac-changes"+query))
	}

	t.Run("are of the month that is asked for, the largest first, one series a fund", func(t *testing.T) {
		got := ask(t, r, "?date=2026-06-15")
		want := tacChanges{
			Data: []map[string]any{
				{"fundId": "301", "fundName": "UNO", "agf": "BETA AGF", "run": "9301-1", "serie": "S", "serieId": "301",
					"category": "equity", "investorClass": "Retail", "currency": nil,
					"patrimony": nil, "tac": 0.02, "tacPrevious": 0.0, "tacDelta": 0.02, "tacDeltaPct": nil},
				{"fundId": "101", "fundName": "RENTA 1", "agf": "ALFA AGF", "run": "8011-K", "serie": "A",
					"serieId": "201", "category": nil, "investorClass": "Retail",
					"currency": "PESOS", "patrimony": 1234567.8901234567, "tac": 0.0132, "tacPrevious": 0.0119, "tacDelta": 0.0013,
					"tacDeltaPct": 10.92},
			},
			Meta: map[string]any{"date": "2026-06-30", "previousDate": "2026-05-31", "currentMonthKey": "202606",
				"previousMonthKey": "202605", "direction": "up", "limit": 15.0,
				"tac_kinds": map[string]any{"301": "synthetic", "201": "computed"}},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})

	t.Run("fall, are cut and are filtered as asked", func(t *testing.T) {
		for query, want := range map[string][]string{
			"?date=2026-06-30&direction=down":                   {"303"},
			"?date=2026-06-30&direction=down&category=BALANCED": {"303"},
			"?date=2026-06-01&limit=1":                          {"301"},
			"?date=2026-06-01&category=Equity":                  {"301"},
			"?date=2026-06-01&category=":                        {"301", "201"},
			"?date=2026-06-01&category=%5CN":                    {},
			// closed; no rate is known for it and for the month before
			"?date=2026-07-31": {},
			"?date=2026-08-01": {"304"},
			"":                 {"304"}, // the latest month with a rate
		} {
			if got := ask(t, r, query).ids(); !cmp.Equal(got, want) {
				t.Errorf("%s: %v, want %v", query, got, want)
			}
		}
	})

	t.Run("name both months, across a year and before all data too", func(t *testing.T) {
		for query, want := range map[string][4]any{
			"":                 {"2026-08-31", "2026-07-31", "202608", "202607"},
			"?date=2026-07-31": {"2026-07-31", "2026-06-30", "202607", "202606"},
			"?date=2026-03-31": {"2026-03-31", "2026-02-28", "202603", "202602"},
			"?date=2024-01-02": {"2024-01-31", "2023-12-31", "202401", "202312"},
			"?date=1970-01-01": {"1970-01-31", "1969-12-31", "197001", "196912"},
			"?date=0001-01-01": {"0001-01-31", "0000-12-31", "000101", "000012"},
		} {
			meta := ask(t, r, query).Meta
			if got := [4]any{meta["date"], meta["previousDate"], meta["currentMonthKey"],
				meta["previousMonthKey"]}; got != want {
				t.Errorf("%s: %v, want %v", query, got, want)
			}
		}
	})

	t.Run("of a month that is not over are refused", func(t *testing.T) {
		for _, date := range []string{"2026-09-01", "2027-01-31", "9999-12-31"} {
			if got := r.get(t, "/api/reports/tac-changes?date="+date).violations(t); !cmp.Equal(got,
				[]string{"query.date:month_open"}) {
				t.Errorf("%s: %v", date, got)
			}
		}
	})

	t.Run("without any rate are none, of no month unless one is named", func(t *testing.T) {
		bare := littleMarket(t)
		got := ask(t, bare, "?direction=down&limit=3")
		want := tacChanges{[]map[string]any{}, map[string]any{"date": nil, "previousDate": nil, "currentMonthKey": nil,
			"previousMonthKey": nil, "direction": "down", "limit": 3.0, "tac_kinds": map[string]any{}}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		if named := ask(t, bare, "?date=2026-07-01"); len(named.Data) > 0 || named.Meta["date"] != "2026-07-31" {
			t.Errorf("%v", named)
		}
		if got := bare.get(t, "/api/reports/tac-changes?date=2026-08-01").violations(t); !cmp.Equal(got,
			[]string{"query.date:month_open"}) {
			t.Error(got)
		}
	})

	t.Run("of a batch without a cutoff have no closed month", func(t *testing.T) {
		bare := newRig(t, demotest.Schema(t), unlimited)
		insert(t, bare.conn, "batch", row{"batch": 1, "batch_id": "none-1-000000000001",
			"calculation_date": "2026-08-06", "calculated_at": "2026-08-06 12:00:00.123",
			"input_fingerprint": sha('f')})
		must(t, bare.Refresh(t.Context()))
		if got := ask(t, bare, ""); len(got.Data) > 0 || got.Meta["date"] != nil {
			t.Errorf("%v", got)
		}
		if got := bare.get(t, "/api/reports/tac-changes?date=2020-01-01").violations(t); !cmp.Equal(got,
			[]string{"query.date:month_open"}) {
			t.Error(got)
		}
	})
}
