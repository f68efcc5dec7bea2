package query_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

type familyIndex struct {
	Data []struct {
		Date   string
		Value  float64
		Change *float64
	}
	Meta struct {
		Family      string
		Currency    *string
		Currencies  []string `json:"availableCurrencies"`
		Base        float64
		Methodology string
		Available   bool
	}
}

func TestFamilyIndex(t *testing.T) {
	t.Parallel()
	r := littleMarket(t)
	ask := func(t *testing.T, target string) familyIndex {
		t.Helper()
		return decode[familyIndex](t, r.get(t, "/api/families/"+target))
	}

	t.Run("it is chained from 100, keeps its levels, has no change after a gap, and ends at the cutoff",
		func(t *testing.T) {
			type point struct {
				date   string
				value  float64
				change *float64
			}
			all := []point{{"2026-06-30", 100, nil}, {"2026-07-29", 100, nil}, {"2026-07-30", 110, p(10.0)},
				{"2026-07-31", 55, p(-50.0)}}
			for query, want := range map[string][]point{
				"?currency=clp": all, "?currency=Pesos&from_date=2026-06-30": all,
				"?currency=CLP&from_date=2026-07-01": all[1:], "?currency=PESOS&from_date=2026-07-31": all[3:],
				"?currency=CLP&from_date=0001-01-01": all, "?currency=CLP&from_date=2026-08-01": nil,
				"?currency=CLP&from_date=9999-12-31": nil,
			} {
				got := ask(t, "RENTA%20%C3%B1andu/index"+query)
				if len(got.Data) != len(want) || got.Meta.Available != (len(want) > 0) ||
					got.Meta.Family != "Renta Ñandú" || *got.Meta.Currency != "PESOS" {
					t.Errorf("%s: %+v", query, got)
					continue
				}
				for i, w := range want {
					g := got.Data[i]
					if g.Date != w.date || math.Abs(g.Value-w.value) > 1e-9 || (g.Change == nil) != (w.change == nil) ||
						w.change != nil && math.Abs(*g.Change-*w.change) > 1e-9 {
						t.Errorf("%s: %+v, want %+v", query, g, w)
					}
				}
			}
		})
	t.Run("the default currency is the one with most equity in pesos", func(t *testing.T) {
		got := ask(t, "renta%20nandu/index")
		if *got.Meta.Currency != "DOLAR" || !cmp.Equal(got.Meta.Currencies, []string{"DOLAR", "PESOS"}) ||
			len(got.Data) != 0 || got.Meta.Available {
			t.Errorf("%+v", got)
		}
	})
	t.Run("a currency that the family has left is not its default, however much it held", func(t *testing.T) {
		left := func(date, currency, equity string) row {
			return row{"date": date, "family_rar": "Dejada", "currency": currency, "build": 1, "equity": equity}
		}
		insert(t, r.conn, "family_day", left("2026-07-30", "DOLAR", "9000"), left("2026-07-30", "PESOS", "1"),
			left("2026-07-31", "PESOS", "2"))
		got := ask(t, "dejada/index")
		if *got.Meta.Currency != "PESOS" || !cmp.Equal(got.Meta.Currencies, []string{"PESOS", "DOLAR"}) {
			t.Errorf("%+v", got)
		}
	})
	t.Run("of two families that differ in accents, the one that is written like the request counts",
		func(t *testing.T) {
			named := func(family, equity string) row {
				return row{"date": "2026-07-31", "family_rar": family, "currency": "PESOS", "build": 1,
					"equity": equity}
			}
			insert(t, r.conn, "family_day", named("Mixta Asia", "1"), named("Mixta Ásia", "9000"))
			for asked, want := range map[string]string{"Mixta%20Asia": "Mixta Asia", "Mixta%20%C3%81sia": "Mixta Ásia",
				"mixta%20asia": "Mixta Ásia"} {
				if got := ask(t, asked+"/index"); got.Meta.Family != want {
					t.Errorf("%s is answered as %q", asked, got.Meta.Family)
				}
			}
		})
	t.Run("an unknown family has no data", func(t *testing.T) {
		got := ask(t, "Ning%C3%BAn%20%3C%2090%20x/index?currency=usd")
		if got.Meta.Available || got.Data == nil || len(got.Data) > 0 || got.Meta.Family != "Ningún < 90 x" ||
			*got.Meta.Currency != "DOLAR" ||
			got.Meta.Currencies == nil || len(got.Meta.Currencies) > 0 || got.Meta.Base != 100 ||
			got.Meta.Methodology != "family_index_v1" {
			t.Errorf("%+v", got)
		}
		if got := ask(t, "x/index"); got.Meta.Currency != nil {
			t.Errorf("%+v", got)
		}
	})
}
