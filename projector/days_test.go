package projector_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/internal/testkit/oracle"
	"cuota/model"
)

// register writes a register of mutual funds, with the day on which each fund ended, or no
// day for an open fund.
func register(t *testing.T, ended map[int]string) string {
	t.Helper()
	lines := []string{"RUT Administradora;Raz. Social Administradora;RUN Fondo;Nombre Fondo;Nombre Corto;Fecha Res. " +
		"Aprobación del RI;" +
		"Nro. Res. Aprobación del RI;Tipo de Fondo Mutuo;Fecha Inicio Operaciones;Fecha Término Operaciones;Moneda"}
	for run, day := range ended {
		if day != "" {
			day = date(t, day).Format("02/01/2006")
		}
		lines = append(lines, fmt.Sprintf("77057272;SOYFOCUS;%d;FONDO;F;07/05/2004;236;6;31/05/2004;%s;$$", run, day))
	}
	return fileOf(t, "register.txt", lines...)
}

// enter adds rows to the independent computation, as ingest accepts them.
func enter(market *oracle.Market, rows []cartolaDay) {
	for _, row := range rows {
		moneda := row.moneda
		if moneda == "" {
			moneda = "$$"
		}
		manager := row.manager
		if manager == 0 {
			manager = 77057272
		}
		market.Add(oracle.Row{Run: row.run, Serie: row.serie, Day: row.day, Moneda: moneda, Quota: row.quota,
			Equity: row.equity, Manager: manager, Shareholders: 5})
	}
}

// patchy returns the rows of a market of three managers, eight funds and 24 series over 60
// days. A quarter of the rows are missing, some can't be read, and some series are in
// dollars.
func patchy(t *testing.T) (rows []cartolaDay, families map[member]string, days []time.Time) {
	t.Helper()
	random := rand.New(rand.NewPCG(3, 7))
	families = map[member]string{}
	for fund := range 8 {
		for place, serie := range []string{"A", "B", "C"} {
			of := member{run: 71000 + fund, serie: serie}
			families[of] = []string{equity, money, ""}[(fund+place)%3]
			quota := 1000.0
			for i := range 60 {
				row := cartolaDay{manager: 76000001 + fund%3, run: of.run, serie: serie,
					day: date(t, "2025-01-01").AddDate(0, 0, i)}
				quota *= 1 + 0.001*random.NormFloat64()
				row.quota, row.equity = math.Round(quota*1e4)/1e4, math.Round(1e6*random.Float64())
				if place == 1 && fund%2 == 0 {
					row.moneda = "PROM"
				}
				switch chance := random.Float64(); {
				case i > 0 && chance < 0.25, i >= 50 && fund == 5: // the last fund stops reporting
					continue
				case chance < 0.3:
					row.quota = -row.quota
				}
				rows = append(rows, row)
			}
		}
	}
	for i := range 60 {
		days = append(days, date(t, "2025-01-01").AddDate(0, 0, i))
	}
	return rows, families, days
}

func TestTheNewestRowOfSevenDaysStandsForASeries(t *testing.T) {
	longtest.Skip(t)
	t.Parallel()
	rows, families, days := patchy(t)
	m, market := demotest.New(t), oracle.New()
	dolar, published := oracle.Dolar{}, rates{}
	for _, on := range days[10:] {
		if on.Weekday() != time.Saturday && on.Weekday() != time.Sunday {
			dolar[on.Format(time.DateOnly)] = 900 + float64(on.YearDay())
			published[on.Format(time.DateOnly)] = fmt.Sprint(900 + on.YearDay())
		}
	}
	m.Ingest(t, model.Dolar, published.file(t, "dolar.csv"), demotest.Clock)
	m.Ingest(t, model.ReturnsComparator, comparator(t, "2025-01-10", families), demotest.Clock)
	classify(t, market, "2025-01-10", families)

	// The days are not in order, so that rows are inserted between existing rows.
	var parts [3][]cartolaDay
	for _, row := range rows {
		part := row.day.YearDay() * 7 % 3
		parts[part] = append(parts[part], row)
	}
	var known []time.Time // days with at least one row
	builds := 0
	build := func(what string) {
		t.Helper()
		batch := m.Build(t)
		if seen := compareMarket(t, m, market, batch); seen["void"] < 5 {
			t.Errorf("%s: %v", what, seen)
		}
		var asked []time.Time // every third day, beginning with another one each time
		for i := builds % 3; i < len(known); i += 3 {
			asked = append(asked, known[i])
		}
		builds++
		if compareRankings(t, m, market, dolar, batch, asked) == 0 {
			t.Errorf("%s: everything was converted", what)
		}
		if t.Failed() {
			t.Fatalf("%s", what)
		}
	}
	for i, part := range parts {
		m.Ingest(t, model.Cartola, cartolaOf(t, part), demotest.Clock)
		enter(market, part)
		for _, on := range days {
			if on.YearDay()*7%3 == i {
				known = append(known, on)
			}
		}
		if i > 0 {
			build(fmt.Sprintf("part %d", i))
		}
	}
	m.Ingest(t, model.Register, register(t, map[int]string{71000: "", 71001: "2025-02-03", 71005: "2025-02-21"}),
		demotest.Clock.AddDate(0, 0, -2))
	market.Ended(71001, date(t, "2025-02-03")) // it is quoted after its end
	market.Ended(71005, date(t, "2025-02-21")) // its last quote is of the 19th
	build("two funds ended")

	m.Ingest(t, model.Register, register(t, map[int]string{71000: "", 71001: "2025-02-10", 71005: "2025-02-21"}),
		demotest.Clock.AddDate(0, 0, -1))
	market.Ended(71001, date(t, "2025-02-10"))
	build("the end of one is corrected")

	var exchanges []string
	for i, x := range []oracle.Exchange{
		{Origin: oracle.Series{Run: 71002, Name: "A"}, Effective: date(t, "2025-01-20")},
		{Origin: oracle.Series{Run: 71002, Name: "A"}, Effective: date(t, "2025-02-14")},
		{Origin: oracle.Series{Run: 71003, Name: "B"}, Effective: date(t, "2025-01-31")},
	} {
		x.Event, x.Revision, x.Destination, x.Factor = fmt.Sprint("x", i), 1, oracle.Series{Run: 71000, Name: "A"}, "1"
		x.Valuation = x.Effective.AddDate(0, 0, -1)
		market.AddExchange(x)
		exchanges = append(exchanges, exchangeRow(x))
	}
	m.Ingest(t, model.Events, eventsOf(t, exchangeHeader, exchanges), demotest.Clock)
	build("three exchanges")

	moved := map[member]string{}
	for of, family := range families {
		moved[of] = map[string]string{equity: money, money: equity, "": equity}[family]
	}
	m.Ingest(t, model.ReturnsComparator, comparator(t, "2025-02-12", moved), demotest.Clock)
	classify(t, market, "2025-02-12", moved)
	build("families change while older rows stand")

	correction := []cartolaDay{{manager: 76000002, run: 71004, serie: "C", day: days[30], quota: 999, equity: 5e9}}
	m.Ingest(t, model.Cartola, cartolaOf(t, correction), demotest.Clock.AddDate(0, 0, 1))
	enter(market, correction)
	build("a row is corrected")

	sameRebuilt(t, m, "increments", m.Build(t))
}

// The last row of SELDOM is of the 8th, and stands until the 15th. Its first comparator is of the 10th, and a second
// one, with another family, is of the 13th and comes later.
func TestAnOlderRowStandsInTheFamilyOfEachDay(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	m, market := demotest.New(t), oracle.New()
	var rows []cartolaDay
	for n := range 25 {
		rows = append(rows, cartolaDay{manager: 76000001, run: 71001, serie: "DAILY",
			day: date(t, "2025-01-01").AddDate(0, 0, n), quota: 100, equity: 1e6})
		if n < 8 {
			rows = append(rows, cartolaDay{manager: 76000001, run: 71000, serie: "SELDOM",
				day: date(t, "2025-01-01").AddDate(0, 0, n), quota: 50, equity: 3e6})
		}
	}
	m.Ingest(t, model.Cartola, cartolaOf(t, rows), demotest.Clock)
	enter(market, rows)
	stands := func(batch uint64) (families string) {
		t.Helper()
		if err := m.Conn.QueryRow(t.Context(), fmt.Sprintf(`
			SELECT arrayStringConcat(arraySort(groupArray(concat(toString(stands_on), ' ', family_rar, ' ', toString(category), ' ', toString(classified_later)))), '\n')
			FROM batch_market_standing(batch = %d, from = '2025-01-08', to = '2025-01-20') WHERE equity = 3000000`,
			batch)).Scan(&families); err != nil {
			t.Fatal(err)
		}
		return families
	}
	line := func(day int, family string, later bool) string {
		return fmt.Sprintf("2025-01-%02d %s %s %t", day, family, categoryOf(family), later)
	}
	want := []string{line(8, equity, true), line(9, equity, true)}
	for day := 10; day <= 15; day++ {
		want = append(want, line(day, equity, false))
	}
	for _, c := range []struct {
		day    string
		family string
		from   int // place in want
	}{{"2025-01-10", equity, 8}, {"2025-01-13", money, 5}} {
		families := map[member]string{{run: 71000, serie: "SELDOM"}: c.family, {run: 71001, serie: "DAILY"}: equity}
		m.Ingest(t, model.ReturnsComparator, comparator(t, c.day, families), demotest.Clock)
		classify(t, market, c.day, families)
		for i := c.from; i < len(want); i++ {
			want[i] = line(8+i, c.family, false)
		}
		batch := m.Build(t)
		if got := stands(batch); got != strings.Join(want, "\n") {
			t.Errorf("with the comparator of %s the row of the 8th stands as\n%s\nwant\n%s", c.day, got,
				strings.Join(want, "\n"))
		}
		compareMarket(t, m, market, batch)
	}
	sameRebuilt(t, m, "increments", m.Build(t))
}

// A void row has the currency of the quote before it, which may be 31 days older, and stands on seven more days.
func TestACorrectedCurrencyReachesTheLastDayOfAVoidRowThatHasIt(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	m, market := demotest.New(t), oracle.New()
	var rows []cartolaDay
	for n := range 80 {
		rows = append(rows, cartolaDay{manager: 76000001, run: 71001, serie: "DAILY",
			day: date(t, "2025-01-01").AddDate(0, 0, n), quota: 100, equity: 1e6})
	}
	quoted := cartolaDay{manager: 76000001, run: 71000, serie: "SELDOM", day: date(t, "2025-01-31"), quota: 50,
		equity: 1e6}
	void := quoted
	void.day, void.quota = date(t, "2025-03-03"), -50
	rows = append(rows, quoted, void)
	families := map[member]string{{run: 71000, serie: "SELDOM"}: equity, {run: 71001, serie: "DAILY"}: equity}
	m.Ingest(t, model.Cartola, cartolaOf(t, rows), demotest.Clock)
	m.Ingest(t, model.ReturnsComparator, comparator(t, "2025-01-10", families), demotest.Clock)
	enter(market, rows)
	classify(t, market, "2025-01-10", families)
	if seen := compareMarket(t, m, market, m.Build(t)); seen["void and stands"] != 8 || seen["stands in DOLAR"] != 0 {
		t.Errorf("the void row stands on its day and seven more: %v", seen)
	}
	quoted.moneda = "PROM"
	m.Ingest(t, model.Cartola, cartolaOf(t, []cartolaDay{quoted}), demotest.Clock.AddDate(0, 0, 1))
	enter(market, []cartolaDay{quoted})
	increment := m.Build(t)
	if seen := compareMarket(t, m, market, increment); seen["stands in DOLAR"] != 16 { // the quote and the void row
		t.Errorf("not every day has the corrected currency: %v", seen)
	}
	sameRebuilt(t, m, "a currency is corrected", increment)
}

func TestAnEndThatComesOrGoesReachesEveryLaterRowOfItsFund(t *testing.T) {
	longtest.Skip(t)
	t.Parallel()
	m := demotest.New(t)
	var rows []cartolaDay
	for n := range 120 {
		day := date(t, "2025-01-01").AddDate(0, 0, n)
		rows = append(rows, cartolaDay{run: 71001, serie: "DAILY", day: day, quota: 100, equity: 1e6})
		if n%4 == 0 { // each row counts on four days, or after the end only on its own day
			rows = append(rows, cartolaDay{run: 71000, serie: "SELDOM", day: day, quota: 100, equity: 1e6})
		}
	}
	m.Ingest(t, model.Cartola, cartolaOf(t, rows), demotest.Clock)
	standing := func(batch uint64) uint64 {
		return count(t, m, fmt.Sprintf(
			`SELECT count() FROM batch_market_standing(batch = %d, from = '2025-01-01', to = '2025-04-30')
			WHERE series_id = (SELECT id FROM registry WHERE kind = 'series' AND serie = 'SELDOM')`, batch))
	}
	for i, c := range []struct {
		ended string
		days  uint64 // number of days on which a row of SELDOM counts
	}{
		{"", 120},
		{"2025-01-11", 10 + 27}, // the row counts on ten days before it, and all rows from the 13th on count
		{"", 120},
		{"2025-04-25", 114 + 1}, // all days before it, and the row of the 27th
	} {
		list := register(t, map[int]string{71000: c.ended, 71001 + i: ""}) // no two registers are equal
		m.Ingest(t, model.Register, list, demotest.Clock.AddDate(0, 0, i-10))
		increment := m.Build(t)
		if got := standing(increment); got != c.days {
			t.Errorf("ended %q: rows stand on %d days, want %d", c.ended, got, c.days)
		}
		if i%2 == 1 {
			sameRebuilt(t, m, "ended "+c.ended, increment)
		}
	}
}

func TestASeriesWhoseQuotasWereExchangedIsNotCurrent(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	var rows []cartolaDay
	last := date(t, "2025-02-20")
	for on := date(t, "2025-01-01"); !on.After(last); on = on.AddDate(0, 0, 1) {
		for _, serie := range []string{"GONE", "QUIET", "YET QUOTED", "INTO"} {
			if on.Before(last) || serie == "INTO" || serie == "YET QUOTED" {
				rows = append(rows, cartolaDay{run: 71000, serie: serie, day: on, quota: 100, equity: 1e6})
			}
		}
		for i := range 200 { // so many other series that the last day is complete
			rows = append(rows, cartolaDay{run: 71001, serie: fmt.Sprint("S", i), day: on, quota: 100, equity: 1e7})
		}
	}
	m := demotest.New(t)
	m.Ingest(t, model.Cartola, cartolaOf(t, rows), demotest.Clock)
	var exchanges []string
	for _, name := range []string{"GONE", "YET QUOTED"} {
		exchanges = append(exchanges,
			exchangeRow(oracle.Exchange{Event: strings.ReplaceAll(name, " ", "-"), Revision: 1,
				Origin:      oracle.Series{Run: 71000, Name: name},
				Destination: oracle.Series{Run: 71000, Name: "INTO"}, Effective: last,
				Valuation: last.AddDate(0, 0, -1),
				Factor:    "1"}))
	}
	ingestWhole(t, m, model.Events, eventsOf(t, exchangeHeader, exchanges), demotest.Clock)
	batch := m.Build(t)
	got := column(t, m, "SELECT concat(serie, ' ', toString(current)) FROM series WHERE batch = $1 AND run LIKE "+
		"'71000-%' ORDER BY serie", batch)
	if diff := cmp.Diff([]string{"GONE false", "INTO true", "QUIET true", "YET QUOTED true"}, got); diff != "" {
		t.Error(diff)
	}
	var missing uint64
	if err := m.Conn.QueryRow(t.Context(), `SELECT count() FROM batch_universe(batch = $1) AS alive
		WHERE series_id NOT IN (SELECT series_id FROM batch_market_standing(batch = $1, from = '2025-02-20', to = '2025-02-20'))`, batch).Scan(&missing); err != nil {
		t.Fatal(err)
	}
	if missing > 0 {
		t.Errorf("no row stands for %d series that are alive", missing)
	}
}
