package projector_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/internal/testkit/oracle"
	"cuota/model"
)

func TestTheDailyMarketEqualsTheIndependentComputationDayByDay(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	m := demotest.New(t)
	rows := eventful(t)
	path := cartolaOf(t, rows)
	if report := m.Ingest(t, model.Cartola, path, demotest.Clock.AddDate(0, 0, -10)); report.Rejected != 1 {
		t.Fatalf("rejected %d: %+v", report.Rejected, report.FirstRejects)
	}
	market, err := oracle.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	market.Void(70004, "A", date(t, "2025-02-27"))

	first := map[member]string{}
	for _, one := range members() {
		first[one] = one.family
	}
	m.Ingest(t, model.ReturnsComparator, comparator(t, "2025-01-31", first), demotest.Clock)
	classify(t, market, "2025-01-31", first)
	// Dólar from the 6th of January to the 5th of March, except on weekends.
	dolar, published := oracle.Dolar{}, rates{}
	for day := date(t, "2025-01-06"); !day.After(date(t, "2025-03-05")); day = day.AddDate(0, 0, 1) {
		if day.Weekday() != time.Saturday && day.Weekday() != time.Sunday {
			rate := 900 + float64(day.YearDay())/4
			dolar[day.Format(time.DateOnly)] = rate
			published[day.Format(time.DateOnly)] = fmt.Sprint(rate)
		}
	}
	m.Ingest(t, model.Dolar, published.file(t, "dolar.csv"), demotest.Clock)

	one := m.Build(t)
	seen := compareMarket(t, m, market, one)
	for what, least := range map[string]int{"stands in ": 50,
		"cap": 2, "peers": 4, "monthly peers": 20, "spike": 4, "void": 1, "later": 500, "no daily change": 100,
		"index points": 300, "left out of the chain": 2,
	} {
		if seen[what] < least {
			t.Errorf("only %d of %s, want %d: %v", seen[what], what, least, seen)
		}
	}
	t.Logf("compared %v", seen)
	peoplesIndices(t, asPeople(t, m), market)
	before := demotest.Checksums(t, m.Conn, one)

	t.Run("managers count in pesos, with a dólar at most seven days old", func(t *testing.T) {
		compareManagers(t, m, market, dolar, one)
	})

	t.Run("a second comparator counts from its date on", func(t *testing.T) {
		second := map[member]string{}
		for _, one := range members() {
			second[one] = one.family
			switch one.String() {
			case "70001A", "70001B":
				second[one] = abroad // no series was in this family before
			case "70006A":
				second[one] = equity
			case "70006B":
				second[one] = flexible
			case "70003D":
				second[one] = "" // not in the file, so the earlier classification stays
			}
		}
		m.Ingest(t, model.ReturnsComparator, comparator(t, "2025-02-28", second), demotest.Clock)
		classify(t, market, "2025-02-28", second)
		seen := compareMarket(t, m, market, m.Build(t))
		if seen["indices"] != 7 { // two more
			t.Errorf("%d indices: %v", seen["indices"], seen)
		}
	})

	t.Run("an older comparator that comes late was known all along", func(t *testing.T) {
		m.Ingest(t, model.ReturnsComparator, comparator(t, "2025-01-15", first), demotest.Clock)
		classify(t, market, "2025-01-15", first)
		compareMarket(t, m, market, m.Build(t))
	})

	t.Run("a correction reaches every change across it, and a rebuild changes nothing", func(t *testing.T) {
		var corrected []cartolaDay
		for _, row := range rows {
			switch day := row.day.Format("01-02"); {
			case row.run == 70001 && row.serie == "C" && day == "02-14":
				row.payout = "1.04"
			case row.run == 70006 && row.serie == "A" && day == "02-10":
				row.equity = 0 // restarts on the 11th
			case row.run == 70004 && row.serie == "B" && day == "02-12":
				row.quota = math.Round(row.quota/1.12*1e4) / 1e4
			default:
				continue
			}
			corrected = append(corrected, row)
		}
		path := cartolaOf(t, corrected)
		if report := m.Ingest(t, model.Cartola, path, demotest.Clock); report.Published != 3 {
			t.Fatalf("published %d corrections: %+v", report.Published, report.FirstRejects)
		}
		for _, row := range corrected {
			market.Add(oracle.Row{Run: row.run, Serie: row.serie, Day: row.day, Moneda: row.moneda, Quota: row.quota,
				Equity: row.equity, Payout: 1.04 * boolean(row.payout != "")})
		}
		increment := m.Build(t)
		compareMarket(t, m, market, increment)
		sameRebuilt(t, m, "increments", increment)
	})

	sameSums(t, m, "the first batch, in the end", before, one)
}

func boolean(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// peoplesIndices compares how many series give each step of an index, as people see it, with the oracle.
func peoplesIndices(t *testing.T, people *demotest.Market, market *oracle.Market) {
	t.Helper()
	var points []struct {
		Family   string    `ch:"family"`
		Currency string    `ch:"currency"`
		Date     time.Time `ch:"date"`
		Eligible uint32    `ch:"eligible_series"`
		Series   uint32    `ch:"series"`
	}
	if err := people.Conn.Select(t.Context(), &points,
		"SELECT family, currency, date, eligible_series, series FROM family_index"); err != nil {
		t.Fatal(err)
	}
	type point struct {
		family, currency string
		day              time.Time
	}
	want, indices, fewer := map[point]int{}, map[[2]string]bool{}, 0
	for _, p := range points {
		if key := [2]string{p.Family, p.Currency}; !indices[key] {
			indices[key] = true
			for _, e := range market.FamilyIndex(p.Family, p.Currency) {
				want[point{p.Family, p.Currency, e.Day}] = e.Series
			}
		}
		if p.Eligible < p.Series {
			fewer++
		}
		if series := want[point{p.Family, p.Currency, p.Date}]; int(p.Eligible) != series {
			t.Errorf("people see %d series that give the step of %s in %s on %s, want %d", p.Eligible, p.Family, p.Currency,
				day(&p.Date), series)
		}
	}
	if len(points) < 300 || fewer < 10 {
		t.Errorf("%d points, of which %d have series without a change: this proves little", len(points), fewer)
	}
}
