package query_test

import (
	"fmt"
	"math"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"cuota/internal/testkit/oracle"
	"cuota/model"
)

func (d demoMarket) allFundsAreTheScreeners(t *testing.T) {
	rows := map[string]map[string]any{}
	got := decode[allFunds](t, d.get(t, "/api/all-funds"))
	for i, row := range got.Data {
		rows[row["serieId"].(string)] = row
		if i > 0 && got.Data[i-1]["fundName"].(string) > row["fundName"].(string) {
			t.Errorf("%s after %s", row["fundName"], got.Data[i-1]["fundName"])
		}
	}
	seen := 0
	for offset := 0; offset < 2840; offset += 200 {
		for _, item := range decode[items](t, d.get(t, fmt.Sprintf("/api/screener?limit=200&offset=%d", offset))).Data {
			row := rows[item.ID]
			for key, value := range row {
				if shown, shared := item.Attributes[key]; shared && !cmp.Equal(value, shown) {
					t.Fatalf("%s of %s: %v, the screener has %v", key, item.ID, value, shown)
				}
			}
			if row == nil {
				t.Fatalf("%s is missing", item.ID)
			}
			seen++
		}
	}
	if seen != 2840 || len(got.Data) != seen || got.Meta.Date != lastDay {
		t.Errorf("%d rows for %d series; %v", len(got.Data), seen, got.Meta)
	}
}

func (d demoMarket) allFundsOfAPastDate(t *testing.T) {
	const past = "2024-02-29"
	want := map[string][]any{}
	for _, q := range d.quotes {
		if q.date == past {
			want[fmt.Sprint(model.RUN(q.run), "|", q.serie)] = []any{q.price, math.Round(q.equity) / 1e6,
				100 * (q.price/q.previous.price - 1)}
		}
	}
	got := decode[allFunds](t, d.get(t, "/api/all-funds?date="+past))
	if len(got.Data) != len(want) || len(want) != 9 {
		t.Fatalf("%d rows, want %d", len(got.Data), len(want))
	}
	// The comparator's rates are newer, so the rates on that day are those computed
	// from costs.
	paths, err := filepath.Glob(filepath.Join(d.dir, "cartola", "cartola_9809_9810_*.txt"))
	must(t, err)
	market, err := oracle.Load(paths...)
	must(t, err)
	known := 0
	for _, row := range got.Data {
		of := want[fmt.Sprint(row["run"], "|", row["serie"])]
		if row["price"] != of[0] || !almost(row["patrimony"].(float64), of[1].(float64)) ||
			!almost(row["dailyChange"].(float64), of[2].(float64)) ||
			row["risk_as_of_date"] != past {
			t.Errorf("%v, want %v", row, of)
		}
		run, err := model.ParseRUN(row["run"].(string))
		must(t, err)
		rate, ok := 0.0, false
		month := oracle.Date(2024, time.February, 29)
		for month.Year() > 2018 {
			if rate, _, ok = market.RealTAC(int(run), row["serie"].(string), month); ok {
				break
			}
			month = oracle.Date(month.Year(), month.Month(), 0) // the month end before
		}
		if !ok {
			if row["tac"] != nil {
				t.Errorf("%v: a TAC, and no costs", row)
			}
			continue
		}
		known++
		if tac, given := row["tac"].(float64); !given || !almost(tac, rate) ||
			row["tac_as_of_date"] != month.Format(time.DateOnly) {
			t.Errorf("TAC %v of %v, want %v of %s", row["tac"], row["tac_as_of_date"], rate,
				month.Format(time.DateOnly))
		}
	}
	if known < 5 {
		t.Errorf("only %d rates were known", known)
	}
}
