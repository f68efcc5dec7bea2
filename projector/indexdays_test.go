package projector_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/google/go-cmp/cmp"

	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/internal/testkit/oracle"
	"cuota/model"
)

// void marks a row that ingest rejects, so that only its day is stored.
const void = " "

// load ingests rows, and adds the same rows to the oracle.
func load(t *testing.T, m *demotest.Market, market *oracle.Market, rows []cartolaDay, published time.Time) {
	t.Helper()
	voids := 0
	for _, row := range rows {
		voids += int(boolean(row.moneda == void))
	}
	if report := m.Ingest(t, model.Cartola, cartolaOf(t, rows), published); int(report.Rejected) != voids {
		t.Fatalf("%d rows were rejected, not %d: %+v", report.Rejected, voids, report.FirstRejects)
	}
	for _, row := range rows {
		if row.moneda == void {
			market.Void(row.run, row.serie, row.day)
			continue
		}
		market.Add(oracle.Row{Run: row.run, Serie: row.serie, Day: row.day, Moneda: row.moneda, Quota: row.quota,
			Equity: row.equity})
	}
}

// indexText writes the index of a family in pesos, from batch_family_index.
func indexText(t *testing.T, m *demotest.Market, batch uint64, family string) string {
	t.Helper()
	ctx := clickhouse.Context(context.Background(),
		clickhouse.WithParameters(clickhouse.Parameters{"batch": fmt.Sprint(batch), "family": family}))
	var points []struct {
		Date   time.Time `ch:"date"`
		Value  float64   `ch:"value"`
		Change *float64  `ch:"change"`
	}
	if err := m.Conn.Select(ctx, &points,
		`SELECT date, value, change FROM batch_family_index(batch = {batch:UInt64}, family = {family:String})
		WHERE currency = 'PESOS' ORDER BY date`); err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for _, p := range points {
		fmt.Fprintf(&text, "%s %.4f", p.Date.Format("01-02"), p.Value)
		if p.Change != nil {
			fmt.Fprintf(&text, " %+.4f", *p.Change)
		}
		text.WriteString("; ")
	}
	return text.String()
}

func TestAnIndexDateIsADayToWhichTheNextPointChains(t *testing.T) {
	t.Parallel()
	m, market := demotest.New(t), oracle.New()
	families := map[member]string{}
	var rows []cartolaDay
	// Three series of two funds do the same, because fewer have no index.
	quoted := func(family, serie string, quotas map[string]float64) {
		for _, one := range []member{{run: 60010, serie: serie}, {run: 60010, serie: serie + "2"},
			{run: 60011, serie: serie}} {
			one.moneda = "$$"
			families[one] = family
			for on, quota := range quotas {
				row := cartolaDay{run: one.run, serie: one.serie, day: date(t, "2025-"+on), moneda: "$$", quota: quota,
					equity: 1000, units: 1}
				if quota == 0 {
					row.moneda = void
				}
				rows = append(rows, row)
			}
		}
	}
	want := map[string]string{}
	expect := func(family, points string) { want[family] = points }
	const (
		voided  = "Accionario nacional"
		stray   = "Accionario eeuu"
		gap     = "Accionario emergente"
		outlier = "Accionario desarrollado"
		spike   = "Accionario america latina"
		parity  = "Balanceado moderado"
		once    = "Balanceado agresivo"
	)

	quoted(voided, "V", map[string]float64{"04-27": 123.4, "04-28": 123.5069, "04-29": 0, "04-30": 123.7491})
	expect(voided, "04-27 100.0000; 04-28 100.0866 +0.0866; 04-30 100.2829 +0.1961; ")
	quoted(stray, "S", map[string]float64{"01-10": 5, "04-28": 100, "04-29": 101, "04-30": 102.01})
	expect(stray, "04-28 100.0000; 04-29 101.0000 +1.0000; 04-30 102.0100 +1.0000; ")
	quoted(gap, "G", map[string]float64{"04-01": 100, "04-02": 110, "04-10": 50, "04-20": 200, "04-21": 202,
		"04-28": 204.02})
	expect(gap, "04-01 100.0000; 04-02 110.0000 +10.0000; 04-20 110.0000; 04-21 111.1000 +1.0000; 04-28 112.2110 "+
		"+1.0000; ")
	quoted(outlier, "O", map[string]float64{"04-25": 100, "04-26": 101, "04-27": 130, "04-28": 102.01,
		"04-30": 103.0301})
	expect(outlier, "04-25 100.0000; 04-26 101.0000 +1.0000; 04-28 102.0100 +1.0000; 04-30 103.0301 +1.0000; ")
	quoted(spike, "P", map[string]float64{"04-26": 100, "04-27": 115, "04-28": 101, "04-29": 102.01})
	expect(spike, "04-26 100.0000; 04-28 101.0000 +1.0000; 04-29 102.0100 +1.0000; ")
	quoted(parity, "ODD", map[string]float64{"04-21": 100, "04-23": 102, "04-25": 104.04, "04-27": 106.1208})
	quoted(parity, "EVEN", map[string]float64{"04-22": 100, "04-24": 110, "04-26": 121, "04-28": 133.1})
	expect(parity, "04-21 100.0000; 04-23 102.0000 +2.0000; 04-25 104.0400 +2.0000; 04-27 106.1208 +2.0000; ")
	quoted(once, "N", map[string]float64{"04-28": 100})
	expect(once, "")

	load(t, m, market, rows, demotest.Clock)
	m.Ingest(t, model.ReturnsComparator, comparator(t, "2025-01-01", families), demotest.Clock)
	classify(t, market, "2025-01-01", families)
	batch := m.Build(t)
	for family, points := range want {
		if got := indexText(t, m, batch, family); got != points {
			t.Errorf("%s:\n%s, want\n%s", family, got, points)
		}
	}
	compareMarket(t, m, market, batch)
}

func TestAnIrregularMarketEqualsTheIndependentWalk(t *testing.T) {
	longtest.Skip(t)
	t.Parallel()
	random := rand.New(rand.NewPCG(31, 10))
	const first, last = "2024-04-01", "2024-06-30"
	// Two families of six series, and one of fourteen, which is large enough to find outliers.
	var series []member
	families := map[member]string{}
	names := []string{equity, bonds}
	for i := range 26 {
		m := member{run: 60020 + i%3, serie: fmt.Sprintf("S%d", i), moneda: "$$", family: names[i%2]}
		if i >= 12 {
			m.family = abroad
		}
		if i == 13 || i == 22 {
			m.moneda = "PROM"
		}
		series = append(series, m)
		families[m] = m.family
	}
	rare := func(times float64) bool { return random.Float64() < times }
	row := func(s member, day time.Time, quota float64) cartolaDay {
		return cartolaDay{run: s.run, serie: s.serie, day: day, moneda: s.moneda, quota: math.Round(quota*1e4) / 1e4,
			equity: math.Round(1e5 * (0.5 + random.Float64())), units: 1}
	}
	var rows []cartolaDay
	for i, s := range series {
		quota, away := 1000.0, 0
		for day := date(t, first); !day.After(date(t, last)); day = day.AddDate(0, 0, 1) {
			quota *= 1 + 0.004*(random.Float64()-0.5)
			if away > 0 {
				away--
				continue
			}
			alternating := i < 12 && i%2 == 0
			switch {
			// the series of one family, half of them quoted on odd days and half on even ones
			case alternating && day.YearDay()%2 == i/2%2:
				continue
			case !alternating && rare(0.012):
				away = 6 + random.IntN(5)
				continue
			case alternating: // each half has exactly half of the equity of the family
			case i < 12 && rare(0.25), rare(0.03):
				continue
			case rare(0.02):
				quota *= 1.3
			}
			shown := quota
			if rare(0.05) {
				shown *= 0.82 + 0.36*float64(random.IntN(2))
			}
			r := row(s, day, shown)
			if alternating {
				r.equity = 1e5
			}
			switch {
			case rare(0.05):
				r.moneda = void
			case rare(0.01):
				r.equity = 0
			case i == 7 && day.Month() == time.May:
				r.moneda = "PROM"
			}
			rows = append(rows, r)
		}
	}
	for i, r := range rows { // on two days, no row of the fourteen can be read
		if day := r.day.Format("01-02"); families[member{run: r.run, serie: r.serie, moneda: r.moneda,
			family: abroad}] == abroad && (day == "06-11" || day == "06-14") {
			rows[i].moneda = void
		}
	}

	m, market := demotest.New(t), oracle.New()
	load(t, m, market, rows, demotest.Clock.AddDate(0, 0, -20))
	m.Ingest(t, model.ReturnsComparator, comparator(t, "2024-04-20", families), demotest.Clock.AddDate(0, 0, -20))
	classify(t, market, "2024-04-20", families)
	seen := compareMarket(t, m, market, m.Build(t))
	for what, least := range map[string]int{"chained over days": 30, "carried on": 1, "summaries over days": 5,
		"spike": 30, "void": 50, "cap": 10, "peers": 5, "left out of the chain": 10,
		"stands on a later day": 30, "void and stands": 30, "stands in PESOS": 100, "stands in DOLAR": 30} {
		if seen[what] < least {
			t.Errorf("only %d of %s, want %d: %v", seen[what], what, least, seen)
		}
	}
	t.Logf("compared %v", seen)

	correct := func(name string, change func() []cartolaDay) {
		t.Run(name, func(t *testing.T) {
			load(t, m, market, change(), demotest.Clock)
			compareMarket(t, m, market, m.Build(t))
		})
	}
	correct("a day moves every later index date of series that alternate", func() (moved []cartolaDay) {
		// The day on which the series that never counted are quoted together with the others.
		day := date(t, "2024-04-10")
		for day.YearDay()%2 == 1 {
			day = day.AddDate(0, 0, 1)
		}
		for i := 0; i < 12; i += 4 {
			one, other := series[i], series[i+2]
			moved = append(moved, row(one, day, 1000), row(one, day.AddDate(0, 0, -1), 1000),
				row(other, day, 1000), row(other, day.AddDate(0, 0, 2), 1001))
		}
		return moved
	})
	correct("some rows become void, and void ones are read after all", func() (corrected []cartolaDay) {
		for i := range 25 {
			r := rows[random.IntN(len(rows))]
			if r.moneda == void {
				r.moneda = "$$"
			} else if i%2 == 0 {
				r.moneda = void
			} else {
				r.quota = math.Round(r.quota*1.05*1e4) / 1e4
			}
			corrected = append(corrected, r)
		}
		// One row for each series and day, because a file must not contradict itself.
		slices.SortStableFunc(corrected, func(a, b cartolaDay) int { return a.day.Compare(b.day) })
		return slices.CompactFunc(corrected, func(a, b cartolaDay) bool {
			return a.day.Equal(b.day) && a.serie == b.serie
		})
	})
	correct("older days come late", func() (older []cartolaDay) {
		for _, s := range series[:8] {
			for n := range 9 {
				if !rare(0.3) {
					older = append(older, row(s, date(t, "2024-03-20").AddDate(0, 0, n), 1000))
				}
			}
		}
		return older
	})

	t.Run("series change family", func(t *testing.T) {
		for _, s := range series {
			if rare(0.3) {
				families[s] = series[random.IntN(len(series))].family
			}
		}
		m.Ingest(t, model.ReturnsComparator, comparator(t, "2024-05-25", families), demotest.Clock)
		classify(t, market, "2024-05-25", families)
		increment := m.Build(t)
		compareMarket(t, m, market, increment)
		want := demotest.Checksums(t, m.Conn, increment)
		if diff := cmp.Diff(want, demotest.Checksums(t, m.Conn, m.Rebuild(t))); diff != "" {
			t.Errorf("projections differ (-increments; +rebuild):\n%s", diff)
		}
	})
}
