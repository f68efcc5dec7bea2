package query_test

import (
	"math"
	"testing"

	"cuota/internal/testkit/demotest"
)

// A line of the newest comparator, and the series of the screener that it is about.
type officialLine struct {
	Family string     `ch:"family"`
	Run    uint32     `ch:"run"`
	Equity float64    `ch:"pesos"`
	Years  []*float64 `ch:"years"` // percent, of 1, 3 and 5 years; empty without a line
}

func TestOfficialReturnsOfFamiliesAreMeansOfTheComparator(t *testing.T) {
	t.Parallel()
	r := newRig(t, demotest.Published(t), unlimited)
	type stated struct {
		Value    *float64
		Coverage struct {
			Series      int
			OfSeries    int      `json:"of_series"`
			EquityShare *float64 `json:"equity_share"`
			Reason      *string
		}
	}
	got := askPage[struct {
		Date     string
		Families []struct {
			Family  string
			Returns [3]stated
		}
	}](t, r, "/pages/official-returns", nil)
	if got.Date != "2025-09-30" || len(got.Families) < 20 {
		t.Fatalf("%s, %d families", got.Date, len(got.Families))
	}
	var lines []officialLine
	// The demo has one dólar for the day of all rows in dollars.
	must(t, r.conn.Select(t.Context(), &lines, `
		SELECT assumeNotNull(screener.family_rar) AS family, registered.run AS run,
			toFloat64(ifNull(equity, 0)) * if(currency = 'DOLAR', toFloat64((SELECT argMax(value, date) FROM fact_indicator WHERE code = 'dolar' AND date <= '2025-07-20')), 1) AS pesos,
			if(official.date = toDate(0), [], arrayMap(p -> toNullable(toFloat64(p)), [nominal_1y, nominal_3y, nominal_5y])) AS years
		FROM screener
		INNER JOIN registry AS registered ON registered.id = screener.series_id AND registered.kind = 'series'
		LEFT JOIN (SELECT * FROM fact_official_return WHERE date = '2025-09-30') AS official ON official.run = registered.run AND official.serie = registered.serie
		WHERE screener.batch = (SELECT max(batch) FROM batch) AND screener.family_rar IS NOT NULL
		SETTINGS join_use_nulls = 0`))
	shown, hidden := 0, 0
	for _, f := range got.Families {
		for i, of := range f.Returns {
			var weights, sum, whole float64
			funds, series, all := map[uint32]bool{}, 0, 0
			for _, line := range lines {
				if line.Family != f.Family {
					continue
				}
				all++
				whole += line.Equity
				if len(line.Years) == 3 && line.Years[i] != nil && line.Equity > 0 {
					series++
					funds[line.Run] = true
					weights += line.Equity
					sum += line.Equity * *line.Years[i] / 100
				}
			}
			enough := series >= 3 && len(funds) >= 2 && weights >= whole/2
			switch c := of.Coverage; {
			case c.Series != series || c.OfSeries != all || math.Abs(*c.EquityShare-weights/whole) > 1e-9:
				t.Errorf("%s, %d: %+v, share %v, want %d of %d, %v", f.Family, i, c, *c.EquityShare, series, all, weights/whole)
			case (of.Value != nil) != enough || (c.Reason == nil) != enough:
				t.Errorf("%s, %d: %+v", f.Family, i, of)
			case enough && math.Abs(*of.Value-sum/weights) > 1e-9:
				t.Errorf("%s, %d: %v, want %v", f.Family, i, *of.Value, sum/weights)
			case enough:
				shown++
			default:
				hidden++
			}
		}
	}
	if shown < 30 || hidden == 0 {
		t.Errorf("%d means are shown, and %d are not", shown, hidden)
	}
}
