package projector_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/internal/testkit/oracle"
	"cuota/model"
)

// The day on which quotas of redenominated funds count in another unit, and its fund.
const (
	otherUnit     = "2025-01-15"
	redenominated = 9809
)

// redenominatedRows returns series whose quota changes its unit on one day, or seems to. They have quotes
// on the 10th and the last day of 36 months, and then on each day.
func redenominatedRows(t *testing.T) (rows []cartolaDay) {
	t.Helper()
	day := date(t, otherUnit)
	for place, c := range []struct {
		serie        string
		quota, units float64 // factors from the day on
		adjust       string  // factors that are stated with the day
		payout       string
		void         bool    // the row of the day before is rejected
		equity       float64 // factor of the equity of the day itself; 0: 1
	}{
		{"ORDINARY", 1, 1, "", "", false, 0},
		{"THOUSANDTH", 0.001, 1000, "", "", false, 0},
		{"TENFOLD", 10, 0.1, "", "", false, 0},
		{"HALF", 0.5, 2, "", "", false, 0},
		{"BEHINDVOID", 0.001, 1000, "", "", true, 0},
		{"BEHINDFLOW", 0.001, 1800, "", "", true, 0}, // the flows of the void day are unknown
		{"SPLIT", 0.5, 2, "2", "", false, 0},
		{"SPLITVOID", 0.5, 2, "2", "", true, 0},
		{"PAID", 0.001 / 1.1, 1000, "", "1.1", false, 0},
		{"HALFPAID", 0.5 / 1.05, 2, "", "1.05", false, 0},
		{"PAYMENT", 1 / 1.4, 1, "", "1.4", false, 0},
		{"CRASH", 0.5, 1, "", "", false, 0},
		{"TENTH", 0.1, 1, "", "", false, 0},
		{"UNFIT", 0.5, 2, "", "", false, 1.01},
	} {
		quota := 1000 + 100*float64(place)
		for at := date(t, "2021-12-31"); !at.After(date(t, "2025-03-31")); at = at.AddDate(0, 0, 1) {
			if at.Before(date(t, "2024-12-31")) && at.Day() != 10 && at.AddDate(0, 0, 1).Day() != 1 {
				continue
			}
			quota *= 1 + 0.003*math.Sin(float64(at.YearDay()+place))
			row := cartolaDay{run: redenominated, serie: c.serie, day: at, quota: quota, units: 50 + float64(place)}
			if !at.Before(day) {
				row.quota, row.units = quota*c.quota, row.units*c.units
			}
			row.quota = math.Round(row.quota*1e4) / 1e4
			row.equity = math.Round(row.quota * row.units)
			if at.Equal(day) {
				row.adjust, row.payout = c.adjust, c.payout
				if c.equity != 0 {
					row.equity = math.Round(row.equity * c.equity)
				}
			}
			if c.void && at.Equal(day.AddDate(0, 0, -1)) {
				row.quota = -1
			}
			rows = append(rows, row)
		}
	}
	return rows
}

// redenominatedMarket builds these series, and returns an oracle with the same rows.
func redenominatedMarket(t *testing.T) (*demotest.Market, *oracle.Market, uint64) {
	t.Helper()
	path := cartolaOf(t, redenominatedRows(t))
	m := demotest.New(t)
	if report := m.Ingest(t, model.Cartola, path, demotest.Clock); report.Rejected != 3 {
		t.Fatalf("rejected %d: %+v", report.Rejected, report.FirstRejects)
	}
	market, err := oracle.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	families := map[member]string{}
	for _, s := range market.Series() {
		families[member{run: s.Run, serie: s.Name}] = equity
	}
	m.Ingest(t, model.ReturnsComparator, comparator(t, "2024-12-31", families), demotest.Clock)
	for one, family := range families {
		market.Classify(oracle.Classification{Run: one.run, Serie: one.serie, Day: date(t, "2024-12-31"),
			Family: family, Category: categoryOf(family)})
	}
	return m, market, m.Build(t)
}

func TestNothingCrossesAChangeOfUnitThatTheRowsThemselvesShow(t *testing.T) {
	t.Parallel()
	m, market, batch := redenominatedMarket(t)
	for _, asOf := range []string{"2025-01-14", otherUnit, "2025-03-31"} {
		compareWindows(t, m.Conn, market, batch, asOf)
	}
	compareMarket(t, m, market, batch)
	for _, month := range []string{"2024-12-31", "2025-01-31", "2025-03-31"} {
		compareRisk(t, m.Conn, market, batch, date(t, month))
	}

	var rows []struct {
		Serie    string    `ch:"serie"`
		Date     time.Time `ch:"date"`
		Kind     string    `ch:"kind"`
		Evidence string    `ch:"evidence"`
	}
	if err := m.Conn.Select(context.Background(), &rows, `
		SELECT serie, date, kind, evidence FROM discontinuity
		INNER JOIN (SELECT id, serie FROM registry WHERE kind = 'series') AS registered ON registered.id = series_id
		WHERE batch = $1 AND kind = 'unit_change' ORDER BY serie`, batch); err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, row := range rows {
		if day(&row.Date) != otherUnit {
			t.Errorf("%+v", row)
		}
		found[row.Serie] = row.Evidence
	}
	for _, serie := range []string{"THOUSANDTH", "TENFOLD", "HALF", "BEHINDVOID", "BEHINDFLOW", "PAID", "HALFPAID"} {
		if !strings.Contains(found[serie], "VALOR_CUOTA") || !strings.Contains(found[serie], "PATRIMONIO_NETO") {
			t.Errorf("%s: evidence %q", serie, found[serie])
		}
		delete(found, serie)
	}
	if len(found) != 0 {
		t.Errorf("further changes of unit: %v", found)
	}
	if steps := stepsOn(t, m, batch, otherUnit); !cmp.Equal(steps, map[string]string{
		"THOUSANDTH": "broken", "TENFOLD": "broken", "HALF": "broken", "BEHINDVOID": "broken", "BEHINDFLOW": "broken",
		"PAID": "broken", "HALFPAID": "broken", "PAYMENT": "1.4", "SPLIT": "2", "SPLITVOID": "2",
	}) {
		t.Errorf("steps of backtests: %v", steps)
	}
}

// stepsOn returns what happens to each series before the quote of a day: its factor, or that it breaks.
func stepsOn(t *testing.T, m *demotest.Market, batch uint64, on string) map[string]string {
	t.Helper()
	var rows []struct {
		Serie  string  `ch:"serie"`
		Broken bool    `ch:"broken"`
		Factor float64 `ch:"factor"`
	}
	if err := m.Conn.Select(context.Background(), &rows, `
		SELECT serie, broken, factor FROM series_step
		INNER JOIN (SELECT id, serie FROM registry WHERE kind = 'series') AS registered ON registered.id = series_id
		WHERE batch = $1 AND date = $2`, batch, on); err != nil {
		t.Fatal(err)
	}
	steps := map[string]string{}
	for _, row := range rows {
		steps[row.Serie] = fmt.Sprint(row.Factor)
		if row.Broken {
			steps[row.Serie] = "broken"
		}
	}
	return steps
}

func TestASplitBehindAVoidRowIsBelievedEverywhere(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	m, market, batch := redenominatedMarket(t)
	months := date(t, "2025-01-31")
	for _, serie := range []string{"SPLIT", "SPLITVOID"} {
		key := oracle.Series{Run: redenominated, Name: serie}
		if r := market.Risk(months)[key]; r.Volatility12 == nil || r.Volatility36 == nil || r.Drawdown36 == nil {
			t.Fatalf("%s: the oracle has %+v", serie, r)
		}
		if d := market.Day(date(t, otherUnit))[key]; d.Daily == nil || d.Monthly == nil {
			t.Fatalf("%s: the oracle has %+v", serie, d)
		}
	}
	compareRisk(t, m.Conn, market, batch, months)
	compareMarket(t, m, market, batch)
	if steps := stepsOn(t, m, batch, otherUnit); steps["SPLIT"] != "2" || steps["SPLITVOID"] != "2" {
		t.Errorf("steps of backtests: %v", steps)
	}
}

func TestACorrectedRowMakesAndUnmakesAChangeOfUnit(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	m, market, _ := redenominatedMarket(t)
	rows := redenominatedRows(t)
	// Of one series only one day keeps another unit, and a series without one gets such a day.
	var corrected []cartolaDay
	for _, row := range rows {
		at := row.day.Format(time.DateOnly)
		if row.serie == "THOUSANDTH" && at >= otherUnit && at != "2025-01-20" ||
			row.serie == "ORDINARY" && at == "2025-02-10" {
			row.quota, row.units = math.Round(row.quota*1e7)/1e4, row.units/1000
			row.equity = math.Round(row.quota * row.units)
			corrected = append(corrected, row)
		}
	}
	path := cartolaOf(t, corrected)
	if report := m.Ingest(t, model.Cartola, path, demotest.Clock.AddDate(0, 0, 1)); report.Rejected != 0 {
		t.Fatalf("rejected: %+v", report.FirstRejects)
	}
	for _, row := range corrected {
		market.Add(oracle.Row{Run: row.run, Serie: row.serie, Day: row.day, Moneda: "$$", Quota: row.quota,
			Equity: row.equity, Outstanding: row.units})
	}
	batch := m.Build(t)
	compareDays(t, m, market, batch)
	compareMarket(t, m, market, batch)
	compareRisk(t, m.Conn, market, batch, date(t, "2025-02-28"))
	if n := count(t, m, "SELECT count() FROM discontinuity WHERE batch = $1 AND kind = 'unit_change'", batch); n != 10 {
		t.Errorf("%d changes of unit, want 2 of each of the two corrected series and 6 of others", n)
	}
}
