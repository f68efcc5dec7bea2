package query_test

import (
	"cmp"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"
	"testing"

	"cuota/internal/testkit/demotest"
	"cuota/model"
	"cuota/query"
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

func TestOfficialReturnsOfSeriesAreThoseOfTheFile(t *testing.T) {
	t.Parallel()
	r := newRig(t, demotest.Published(t), unlimited)
	type statedReturns struct {
		Date   *string
		Series []struct {
			ID      uint32
			Returns [3]*float64
		}
	}
	got := askPage[statedReturns](t, r, "/pages/official-returns/series", nil)
	if got.Date == nil || *got.Date != "2025-09-30" {
		t.Fatalf("the comparator is of %v", got.Date)
	}
	lines := map[string]map[string]string{}
	for _, line := range table(t, "../demo/files/comparator/cmf_rentabilidades_20250930.csv") {
		run, err := strconv.ParseUint(line["fo_run"], 10, 32)
		must(t, err)
		lines[fmt.Sprint(model.RUN(run), " ", line["fm_serie"])] = line
	}
	names := map[uint32]string{}
	var series []struct {
		ID    uint32 `ch:"series_id"`
		RUN   string `ch:"run"`
		Serie string `ch:"serie"`
	}
	must(t, r.conn.Select(t.Context(), &series, "SELECT series_id, run, serie FROM current_series"))
	for _, of := range series {
		names[of.ID] = of.RUN + " " + of.Serie
	}
	compared, values, last := 0, 0, uint32(0)
	for _, of := range got.Series {
		if of.ID <= last {
			t.Fatalf("the ids %d and %d are not in order", last, of.ID)
		}
		last = of.ID
		line, there := lines[names[of.ID]]
		if !there {
			continue
		}
		compared++
		for i, column := range []string{"rent_nominal_1a", "rent_nominal_3a_ann", "rent_nominal_5a_ann"} {
			percent, err := strconv.ParseFloat(line[column], 64)
			switch value := of.Returns[i]; {
			case (err == nil) != (value != nil):
				t.Errorf("%s: %s is %q, and the value is %v", names[of.ID], column, line[column], value)
			case err == nil && math.Abs(*value-percent/100) > 1e-9:
				t.Errorf("%s: %s is %q, and the value is %v", names[of.ID], column, line[column], *value)
			case err == nil:
				values++
			}
		}
	}
	if compared < 100 || values < 200 {
		t.Errorf("only %d series and %d values were compared", compared, values)
	}
}

// The comparator of the demo is of 2025-09-30, later than its cutoff.
func TestNoOfficialReturnIsOfALaterComparatorThanTheDateAskedFor(t *testing.T) {
	t.Parallel()
	for name, config := range map[string]query.Config{
		"in memory": unlimited, "from tables": {HTTP: unlimited.HTTP, SnapshotBytes: 1},
	} {
		r := newRig(t, demotest.Published(t), config)
		for _, date := range []string{"", "1900-01-01", "2025-03-31", "2025-07-20", "2025-09-29", "2025-09-30",
			"2026-01-31", "2200-01-01"} {
			texts, counts := url.Values{}, date == "" || date >= "2025-09-30"
			if date != "" {
				texts.Set("date", date)
			}
			series := askPage[struct {
				Date   string
				Series []struct{ ID uint32 }
			}](t, r, "/pages/official-returns/series", texts)
			families := askPage[struct {
				Date     string
				Families []struct {
					Returns [3]struct{ Value *float64 }
				}
			}](t, r, "/pages/official-returns", texts)
			values := 0
			for _, of := range families.Families {
				for _, one := range of.Returns {
					if one.Value != nil {
						values++
					}
				}
			}
			if counts && (series.Date != "2025-09-30" || len(series.Series) < 100 ||
				families.Date != "2025-09-30" || values < 30) ||
				!counts && (series.Date != "" || len(series.Series) > 0 || families.Date != "" || values > 0) {
				t.Errorf("%s, on %q: %d series of the comparator of %q, %d values of families of that of %q", name, date,
					len(series.Series), series.Date, values, families.Date)
			}
			if date >= "2025-07-20" && len(families.Families) < 20 {
				t.Errorf("%s, on %q: %d families", name, date, len(families.Families))
			}
		}
	}
}

// The demo market has own returns of nine series. In the order of these, what earned most in a year would be the best
// of nine, so the regulator's returns rank, as its file has them.
func TestWhatEarnedMostIsOfNearlyAllSeries(t *testing.T) {
	t.Parallel()
	r := newRig(t, demotest.Published(t), unlimited)
	type ranked struct {
		Data []struct {
			Attributes struct {
				RUN, Serie string
				Returns    struct {
					Periods map[string]struct{ Value *float64 }
				}
			}
		}
		Meta struct {
			Source               string
			Own, Official, Total int
		}
	}
	lines := map[string]float64{}
	for _, line := range table(t, "../demo/files/comparator/cmf_rentabilidades_20250930.csv") {
		run, err := strconv.ParseUint(line["fo_run"], 10, 32)
		must(t, err)
		if percent, err := strconv.ParseFloat(line["rent_nominal_1a"], 64); err == nil {
			lines[fmt.Sprint(model.RUN(run), " ", line["fm_serie"])] = percent
		}
	}
	var values []float64
	pages := 0
	for offset, total := 0, 1; offset < total; offset += 200 {
		page := askPage[ranked](t, r, "/pages/screener/ranking", url.Values{"currency": {"PESOS"}, "sort": {"1y"},
			"order": {"desc"}, "limit": {"200"}, "offset": {strconv.Itoa(offset)}})
		if page.Meta.Source != "official" || page.Meta.Own >= page.Meta.Official {
			t.Fatalf("%q ranks, %d are our own and %d are official", page.Meta.Source, page.Meta.Own, page.Meta.Official)
		}
		total = page.Meta.Total
		pages++
		for _, of := range page.Data {
			percent, there := lines[of.Attributes.RUN+" "+of.Attributes.Serie]
			if !there {
				continue // renamed, or without a value, which come last
			}
			values = append(values, percent)
		}
	}
	descending := slices.IsSortedFunc(values, func(a, b float64) int { return cmp.Compare(b, a) })
	if pages < 5 || len(values) < 1000 || !descending {
		t.Errorf("%d pages have %d values, which are not in descending order: %v", pages, len(values), values[:20])
	}
	own := askPage[ranked](t, r, "/pages/screener/ranking", url.Values{"currency": {"PESOS"}, "sort": {"1y"},
		"order": {"desc"}, "limit": {"200"}, "source": {"own"}})
	var previous *float64
	for i, of := range own.Data {
		value := of.Attributes.Returns.Periods["1y"].Value
		if known := i < own.Meta.Own; known != (value != nil) || known && previous != nil && *value > *previous {
			t.Errorf("place %d of our own returns: %v after %v", i, value, previous)
		}
		previous = value
	}
	if own.Meta.Own == 0 || own.Meta.Source != "own" {
		t.Errorf("%d own returns, and %q ranks", own.Meta.Own, own.Meta.Source)
	}
}
