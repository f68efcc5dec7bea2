package projector_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/internal/testkit/oracle"
	"cuota/model"
)

// outsideHole leaves out the end of May 2023.
func outsideHole(month string, day int) bool { return month != "2023-05" || day < 20 }

func TestBetaAndTrackingErrorEqualTheIndependentComputation(t *testing.T) {
	longtest.Skip(t)
	t.Parallel()
	// Forty-two months of quotes every fifth day and on the last day of each month.
	ends := monthEnds(date(t, "2021-01-31"), date(t, "2024-06-30"))
	families := map[member]string{}
	var rows []cartolaDay
	for i, c := range []struct {
		serie   string
		family  string
		moneda  string
		swing   float64 // swing of the series itself, in addition to its family's
		quoted  func(month string, day int) bool
		switch_ string // month from which the series is in dollars
	}{
		{serie: "MARKET", family: equity, moneda: "$$", swing: 0},
		{serie: "WILD", family: equity, moneda: "$$", swing: 3},
		{serie: "AGAINST", family: equity, moneda: "$$", swing: -2},
		{serie: "DOLLAR", family: equity, moneda: "PROM", swing: 1},
		{serie: "DOLLAR2", family: equity, moneda: "PROM", swing: 2},
		{serie: "SWITCHED", family: equity, moneda: "$$", swing: 1, switch_: "2022-03"}, // 28 months ago
		{serie: "SWITCHED2", family: equity, moneda: "$$", swing: 1, switch_: "2023-03"},
		// has exactly 24 returns
		{serie: "LATE", family: equity, moneda: "$$", swing: 1, quoted: func(month string, _ int) bool {
			return month >= "2022-06"
		}},
		{serie: "LATER", family: equity, moneda: "$$", swing: 1, quoted: func(month string, _ int) bool {
			return month >= "2022-07"
		}},
		{serie: "MOVED", family: bonds, moneda: "$$", swing: 1},
		{serie: "LEFT", family: bonds, moneda: "$$", swing: 2},
		{serie: "STAYED", family: bonds, moneda: "$$", swing: -1},
		{serie: "STAYED2", family: bonds, moneda: "$$", swing: 3},
		{serie: "NOBODY", family: "", moneda: "$$", swing: 1},
		{serie: "HOLE", family: abroad, moneda: "$$", swing: 1, quoted: outsideHole},
		{serie: "HOLE2", family: abroad, moneda: "$$", swing: 2, quoted: outsideHole},
		{serie: "HOLE3", family: abroad, moneda: "$$", swing: -1, quoted: outsideHole},
	} {
		run := 60002 + i%2*10 // of two funds, because a family of one has no index
		families[member{run: run, serie: c.serie, moneda: c.moneda}] = c.family
		quota := 1000.0
		for k, end := range ends {
			for j, d := 0, 1; ; j, d = j+1, d+5 {
				day := end.AddDate(0, 0, min(d, end.Day())-end.Day())
				quota *= 1 + []float64{0.002, -0.001, 0.003, -0.002, 0.001}[(k+j)%5] +
					c.swing*[]float64{0.001, 0.002, -0.003, 0.0015}[(3*k+2*j+i)%4]/2
				row := cartolaDay{run: run, serie: c.serie, day: day, moneda: c.moneda,
					quota: math.Round(quota*1e4) / 1e4, equity: 1000 * float64(1+i), units: 1}
				month := day.Format("2006-01")
				if c.switch_ != "" && month >= c.switch_ {
					row.moneda = "PROM"
				}
				if c.quoted == nil || c.quoted(month, day.Day()) {
					rows = append(rows, row)
				}
				if d >= end.Day() {
					break
				}
			}
		}
	}
	// A family whose index never moves.
	for i, serie := range []string{"FLAT", "FLAT2", "FLAT3"} {
		run := 60002 + i%2*10
		families[member{run: run, serie: serie, moneda: "$$"}] = money
		for _, end := range ends {
			for _, back := range []int{24, 18, 12, 6, 0} {
				rows = append(rows, cartolaDay{run: run, serie: serie, day: end.AddDate(0, 0, -back), equity: 1000,
					units: 1})
			}
		}
	}

	m := demotest.New(t)
	path := cartolaOf(t, rows)
	if report := m.Ingest(t, model.Cartola, path, demotest.Clock.AddDate(0, 0, -10)); report.Rejected != 0 {
		t.Fatalf("rejected: %+v", report.FirstRejects)
	}
	m.Build(t) // no series has a family yet, so there are no indices
	market, err := oracle.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	m.Ingest(t, model.ReturnsComparator, comparator(t, "2021-06-30", families), demotest.Clock)
	classify(t, market, "2021-06-30", families)
	batch := m.Build(t)

	check := func(t *testing.T, batch uint64) { // the months with at least 24 returns before them
		t.Helper()
		for n := len(ends) - 1; n >= 22; n -= 3 {
			compareRisk(t, m.Conn, market, batch, ends[n])
		}
	}
	figures := func(month string) map[string]string {
		known := map[string]string{}
		for series, risk := range market.Risk(date(t, month)) {
			known[series.Name] = fmt.Sprintf("beta %t, tracking error %t", risk.Beta36 != nil,
				risk.TrackingError36 != nil)
		}
		return known
	}
	const both, neither, flat = "beta true, tracking error true", "beta false, tracking error false",
		"beta false, tracking error true"
	check(t, batch)
	want := map[string]string{
		"MARKET": both, "WILD": both, "AGAINST": both, "DOLLAR": both, "DOLLAR2": both, "SWITCHED": both,
		"SWITCHED2": neither,
		"LATE":      both, "LATER": neither, "MOVED": both, "LEFT": both, "NOBODY": neither, "HOLE": both, "FLAT": flat,
		"STAYED": both, "STAYED2": both, "HOLE2": both, "HOLE3": both, "FLAT2": flat, "FLAT3": flat,
	}
	if diff := cmp.Diff(want, figures("2024-06-30")); diff != "" {
		t.Errorf("the cases do not show what they should (-want +got):\n%s", diff)
	}

	t.Run("against the family of the snapshot, by increments", func(t *testing.T) {
		for one := range families {
			if one.serie == "MOVED" {
				families[one] = abroad // a family whose index has a hole in 2023
			}
		}
		m.Ingest(t, model.ReturnsComparator, comparator(t, "2024-02-29", families), demotest.Clock)
		classify(t, market, "2024-02-29", families)
		check(t, m.Build(t))

		// A quote of another series moves the index, and so changes every beta.
		for i, row := range rows {
			if row.serie == "MARKET" && row.day.Equal(date(t, "2023-08-11")) {
				rows[i].quota *= 1.01
				rows[i].quota = math.Round(rows[i].quota*1e4) / 1e4
				m.Ingest(t, model.Cartola, cartolaOf(t, rows[i:i+1]), demotest.Clock)
				market.Add(oracle.Row{Run: row.run, Serie: "MARKET", Day: row.day, Moneda: row.moneda,
					Quota: rows[i].quota, Equity: row.equity})
			}
		}
		check(t, m.Build(t))
	})

	t.Run("an index that turns out to be older has another first point", func(t *testing.T) {
		// The three series have a family of their own. The data from 2022 on come first, and the
		// beginning of 2021 later.
		families, young, old := map[member]string{}, []cartolaDay{}, []cartolaDay{}
		for i, serie := range []string{"A", "B", "C"} {
			run := 60003 + i%2*10
			families[member{run: run, serie: serie, moneda: "$$"}] = flexible
			for _, end := range monthEnds(date(t, "2021-01-31"), date(t, "2024-06-30")) {
				for _, back := range []int{24, 18, 12, 6, 0} {
					row := cartolaDay{run: run, serie: serie, day: end.AddDate(0, 0, -back),
						quota: 100 + float64(end.YearDay()%(7-2*i)+back)/20, equity: 1000, units: 1}
					switch month := row.day.Format("2006-01"); {
					// the first point is the last day of January
					case month > "2022-01", month == "2022-01" && back == 0:
						young = append(young, row)
					case month < "2021-04": // so early that no snapshot of 2024 uses it
						old = append(old, row)
					}
				}
			}
		}
		for i, part := range [][]cartolaDay{young, old} {
			path := cartolaOf(t, part)
			m.Ingest(t, model.Cartola, path, demotest.Clock)
			if i == 0 {
				m.Ingest(t, model.ReturnsComparator, comparator(t, "2024-03-31", families), demotest.Clock)
				classify(t, market, "2024-03-31", families)
			}
			for _, row := range part {
				market.Add(oracle.Row{Run: row.run, Serie: row.serie, Day: row.day, Moneda: "$$", Quota: row.quota,
					Equity: row.equity})
			}
			check(t, m.Build(t))
			if got := market.Risk(date(t, "2024-06-30"))[oracle.Series{Run: 60003, Name: "A"}]; got.Beta36 == nil {
				t.Error("there is no beta to compare")
			}
		}
	})

	t.Run("an index that takes other dates has other returns for years", func(t *testing.T) {
		// Two times three series that are quoted together on only one day at the end. The first ones make
		// the index until they miss a date. Then the others take over for good.
		families, days := map[member]string{}, []cartolaDay{}
		first, latest := date(t, "2021-01-01"), ends[len(ends)-1]
		parts := []float64{10, 16, 20} // none gives a quota of more decimals than the column has
		for i, name := range []string{"ONE", "ONE2", "ONE3", "OTHER", "OTHER2", "OTHER3"} {
			row := cartolaDay{run: 60004 + i%2*10, serie: name, equity: 1000, units: 1, moneda: "$$"}
			families[member{run: row.run, serie: name, moneda: "$$"}] = "Accionario emergente"
			for n := i / 3; n < 425; n += 2 {
				row.day, row.quota = first.AddDate(0, 0, 3*n), 100+float64(n*n%(17+i/3*6))/parts[i%3]
				days = append(days, row)
			}
			row.day, row.quota = latest, 101 // otherwise the last day would not be complete
			days = append(days, row)
		}
		load(t, m, market, days, demotest.Clock)
		m.Ingest(t, model.ReturnsComparator, comparator(t, "2024-04-30", families), demotest.Clock)
		classify(t, market, "2024-04-30", families)
		m.Build(t)
		before := market.Risk(latest)[oracle.Series{Run: 60004, Name: "ONE"}]

		missed := days[10] // of ONE in March of 2021, 39 months before
		missed.moneda = void
		load(t, m, market, []cartolaDay{missed}, demotest.Clock.Add(time.Hour))
		increment := m.Build(t)
		check(t, increment)
		after := market.Risk(latest)[oracle.Series{Run: 60004, Name: "ONE"}]
		if before.Beta36 == nil || after.Beta36 == nil || *before.Beta36 == *after.Beta36 {
			t.Errorf("beta was %v and is %v: nothing moved", known(before.Beta36), known(after.Beta36))
		}
		want := demotest.Checksums(t, m.Conn, increment)
		if diff := cmp.Diff(want, demotest.Checksums(t, m.Conn, m.Rebuild(t))); diff != "" {
			t.Errorf("projections differ (-increments; +rebuild):\n%s", diff)
		}
	})
}
