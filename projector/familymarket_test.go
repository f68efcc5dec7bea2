package projector_test

import (
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/google/go-cmp/cmp"

	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/oracle"
	"cuota/model"
	"cuota/sql"
)

// The families of the generated market.
const (
	equity   = "Accionario nacional"
	abroad   = "Accionario eeuu"
	money    = "Deuda < 90 dias nacional"
	bonds    = "Deuda < 365 dias nacional en pesos"
	flexible = "Deuda > 365 dias orig. flex"
)

// member is a series of the generated market.
type member struct {
	manager, run int
	serie        string
	moneda       string
	family       string // empty if no comparator names the series
}

func (m member) String() string { return fmt.Sprint(m.run, m.serie) }

// members gives twelve series in pesos, which are enough to find outliers among them, three
// of the same family in dollars, two money-market series, three of bonds, one without a
// family, and one in euros.
func members() (list []member) {
	add := func(manager, run int, series, moneda, family string) {
		for _, serie := range strings.Split(series, "") {
			list = append(list, member{manager, run, serie, moneda, family})
		}
	}
	add(0, 70001, "ABCD", "$$", equity)
	add(0, 70002, "ABCD", "$$", equity)
	add(0, 70003, "ABCD", "$$", equity)
	add(76000001, 70004, "ABC", "PROM", equity)
	add(76000001, 70005, "AB", "$$", money)
	add(76000002, 70006, "ABC", "$$", bonds)
	add(76000002, 70007, "A", "$$", "")
	add(76000002, 70008, "A", "EUR", equity)
	return list
}

// First and last day of the generated market.
const firstQuoted, lastQuoted = "2025-01-01", "2025-03-20"

// eventful gives the rows of the generated market. Quotas change by less than 0.3 % a day,
// except for the events below.
func eventful(t *testing.T) (rows []cartolaDay) {
	t.Helper()
	random := rand.New(rand.NewPCG(7, 7))
	for i, m := range members() {
		quota := 1000 + 10*float64(i)
		for day := date(t, firstQuoted); !day.After(date(t, lastQuoted)); day = day.AddDate(0, 0, 1) {
			drift := 1 + 0.002*math.Sin(float64(day.YearDay())) + 0.0004*(random.Float64()-0.5)
			if m.family == money {
				drift = 1 + (drift-1)/10
			}
			row := cartolaDay{manager: m.manager, run: m.run, serie: m.serie, moneda: m.moneda, day: day, units: 1}
			shown := 1.0 // factor of the quota, for an error of a single day
			missing := false
			on := func(days ...string) bool {
				for _, d := range days {
					if day.Format("01-02") == d {
						return true
					}
				}
				return false
			}
			between := func(from, to string) bool { return day.Format("01-02") >= from && day.Format("01-02") <= to }
			still := m.moneda == "$$" && m.family == equity && on("03-10") // the median change is 0
			if still {
				drift = 1
			}
			switch m.String() {
			case "70001B": // a spike, which its peers make visible
				if on("02-12") {
					shown = 1.15
				}
			case "70001C": // a distribution of five percent
				if on("02-14") {
					drift, row.payout = 0.951, "1.05"
				}
			case "70001D": // begins
				missing = between("01-01", "01-31")
			case "70002A":
				if still {
					drift = 1.006 // above the least distance of an outlier
				}
			case "70002B": // each quota becomes two
				if on("02-17") {
					drift, row.adjust = 0.5005, "2"
				}
			case "70002C": // a factor that does not explain the change
				if on("02-18") {
					row.adjust = "1.3"
				}
			case "70002D": // ends
				missing = between("02-21", "12-31")
			case "70003A": // a jump that stays
				if on("02-05") {
					drift = 1.04
				}
				if still {
					drift = 1.004 // below the least distance of an outlier
				}
			case "70003B": // a jump that is not accepted
				if on("02-10") {
					drift = 1.25
				}
			case "70003C": // a distribution that is not accepted
				if on("02-19") {
					row.payout = "1.6"
				}
			case "70003D": // seven days between two quotes
				missing = between("02-03", "02-08")
			case "70004A":
				missing = between("02-22", "02-23")
				if on("02-27") {
					row.moneda = "XYZ" // rejected
				}
			case "70004B": // a spike with too few peers to find it
				missing = between("02-22", "02-23")
				if on("02-12") {
					shown = 1.12
				}
			case "70004C": // like B and A: the family has no quotes for two days
				missing = between("02-22", "02-23")
			case "70005A": // the only quote on the 25th, and none on the 26th
				missing = on("02-26")
				if on("02-03") {
					drift = 1.011 // beyond the cap of its category
				}
			case "70005B": // no quote on the 25th and on the ten days before it
				missing = on("02-25") || between("01-20", "01-29")
			case "70006B": // no equity for a day
				if on("03-03") {
					row.equity = -1
				}
			case "70006C":
				if between("03-01", "12-31") {
					row.moneda = "PROM"
				}
			}
			quota *= drift
			row.quota = math.Round(quota*shown*1e4) / 1e4
			switch row.equity {
			case 0:
				row.equity = math.Round(1e5 * (1 + 0.1*float64(i)) * (1 + 0.2*random.Float64()))
			default:
				row.equity = 0
			}
			if !missing {
				rows = append(rows, row)
			}
		}
	}
	return rows
}

// comparator writes the regulator's return comparator with the family of each series.
func comparator(t *testing.T, day string, families map[member]string) string {
	t.Helper()
	lines := []string{"fo_run,fm_serie,rent_nominal_1a,rent_real_1a,rent_nominal_3a_ann,rent_real_3a_ann,rent_nominal_5a_ann,rent_real_5a_ann," +
		"rent_nominal_10a_ann,rent_real_10a_ann,ind_rar_pond,familia_estudios,familia_visualizador,familia_rar,clase_inversionista,nombre_fondo," +
		"nombre_agf,serie_digital,fm_fecha"}
	for m, family := range families {
		if family != "" {
			lines = append(lines, fmt.Sprintf("%d,%s,,,,,,,,,,%s,%[3]s,%[3]s,Retail,FONDO,ADMINISTRADORA,0,%s", m.run, m.serie, family, strings.ReplaceAll(day, "-", "")))
		}
	}
	path := filepath.Join(t.TempDir(), "comparator_"+day+".csv")
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// classify adds the same classifications to the oracle.
func classify(t *testing.T, market *oracle.Market, day string, families map[member]string) {
	t.Helper()
	for m, family := range families {
		if family != "" {
			market.Classify(oracle.Classification{Run: m.run, Serie: m.serie, Day: date(t, day), Family: family, Category: categoryOf(family)})
		}
	}
}

// categoryOf gives the category of a family by the words in its name (RULES 6).
func categoryOf(family string) string {
	for _, c := range []struct{ words, category string }{
		{"Deuda < 90", "money_market"}, {"Deuda", "fixed_income"}, {"Balanceado", "balanced"}, {"Accionario", "equity"}, {"Estructurado", "structured"},
	} {
		if strings.HasPrefix(family, c.words) {
			return c.category
		}
	}
	return "other"
}

func TestTheDailyMarketEqualsTheIndependentComputationDayByDay(t *testing.T) {
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
	dolar, lines := oracle.Dolar{}, []string{"fecha,valor"}
	for day := date(t, "2025-01-06"); !day.After(date(t, "2025-03-05")); day = day.AddDate(0, 0, 1) {
		if day.Weekday() != time.Saturday && day.Weekday() != time.Sunday {
			rate := 900 + float64(day.YearDay())/4
			dolar[day.Format(time.DateOnly)] = rate
			lines = append(lines, fmt.Sprintf("%s,%v", day.Format(time.DateOnly), rate))
		}
	}
	file := filepath.Join(t.TempDir(), "dolar.csv")
	if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	m.Ingest(t, model.Dolar, file, demotest.Clock)

	one := m.Build(t)
	seen := compareMarket(t, m, market, one)
	for what, least := range map[string]int{
		"cap": 2, "peers": 4, "monthly peers": 20, "spike": 4, "void": 1, "later": 500, "no daily change": 100, "index points": 300, "left out of the chain": 2,
	} {
		if seen[what] < least {
			t.Errorf("only %d of %s, want %d: %v", seen[what], what, least, seen)
		}
	}
	t.Logf("compared %v", seen)
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
			market.Add(oracle.Row{Run: row.run, Serie: row.serie, Day: row.day, Moneda: row.moneda, Quota: row.quota, Equity: row.equity, Payout: 1.04 * boolean(row.payout != "")})
		}
		increment := m.Build(t)
		compareMarket(t, m, market, increment)
		want := demotest.Checksums(t, m.Conn, increment)
		if diff := cmp.Diff(want, demotest.Checksums(t, m.Conn, m.Rebuild(t))); diff != "" {
			t.Errorf("projections differ (-increments; +rebuild):\n%s", diff)
		}
	})

	if diff := cmp.Diff(before, demotest.Checksums(t, m.Conn, one)); diff != "" {
		t.Errorf("the first batch answers differently now:\n%s", diff)
	}
}

func boolean(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// near12 tells whether two numbers differ by less than 1e-12 relative to their size, or are
// both unknown.
func near12(a, b *float64) bool {
	if a == nil || b == nil {
		return a == b
	}
	return abs(*a-*b) <= 1e-12*max(1, abs(*b))
}

// compareMarket compares batch_market_day, batch_family_day and batch_family_index with the oracle,
// in every day and column. It counts what it compared.
func compareMarket(t *testing.T, m *demotest.Market, market *oracle.Market, batch uint64) (seen map[string]int) {
	t.Helper()
	ctx := clickhouse.Context(context.Background(), clickhouse.WithParameters(clickhouse.Parameters{"batch": fmt.Sprint(batch)}))
	seen = map[string]int{}

	var rows []struct {
		Run            uint32     `ch:"run"`
		Serie          string     `ch:"serie"`
		Date           time.Time  `ch:"date"`
		Currency       string     `ch:"currency"`
		Price          *float64   `ch:"price"`
		Previous       *time.Time `ch:"previous_date"`
		PreviousEquity *float64   `ch:"previous_equity"`
		Daily          *float64   `ch:"daily_change"`
		Month          *time.Time `ch:"month_date"`
		MonthEquity    *float64   `ch:"month_equity"`
		Monthly        *float64   `ch:"monthly_change"`
		Family         *string    `ch:"family_rar"`
		Category       *string    `ch:"category"`
		Later          bool       `ch:"classified_later"`
		DailyOutlier   string     `ch:"daily_outlier"`
		MonthlyOutlier string     `ch:"monthly_outlier"`
		Spike          bool       `ch:"spike"`
	}
	if err := m.Conn.Select(ctx, &rows, `
		SELECT run, serie, date, currency, toFloat64(price) AS price, previous_date, toFloat64(market.previous_equity) AS previous_equity, daily_change,
		       month_date, toFloat64(market.month_equity) AS month_equity, monthly_change, family_rar, category, classified_later, daily_outlier, monthly_outlier, spike
		FROM batch_market_day(batch = {batch:UInt64}, from = '1971-01-01', to = '2149-06-06') AS market
		INNER JOIN (SELECT id, run, serie FROM registry WHERE kind = 'series') AS registered ON registered.id = market.series_id
		ORDER BY date`); err != nil {
		t.Fatal(err)
	}
	want := map[time.Time]map[oracle.Series]oracle.MarketDay{}
	for _, row := range rows {
		if want[row.Date] == nil {
			want[row.Date] = market.Day(row.Date)
		}
		key := oracle.Series{Run: int(row.Run), Name: row.Serie}
		expected, found := want[row.Date][key]
		if !found {
			t.Errorf("%v on %s: a row without a quote", key, day(&row.Date))
			continue
		}
		delete(want[row.Date], key)
		got := oracle.MarketDay{
			Void: row.Price == nil, Currency: row.Currency, Previous: day(row.Previous), PreviousEquity: row.PreviousEquity, Daily: row.Daily,
			Month: day(row.Month), MonthEquity: row.MonthEquity, Monthly: row.Monthly, Family: text(row.Family), Category: text(row.Category), Later: row.Later,
			DailyOutlier: row.DailyOutlier, MonthlyOutlier: row.MonthlyOutlier, Spike: row.Spike,
		}
		if got.Currency == "EUR" {
			got.Currency = ""
		}
		if diff := cmp.Diff(expected, got, cmp.Comparer(near12)); diff != "" {
			t.Errorf("%v on %s (-want +got):\n%s", key, day(&row.Date), diff)
		}
		seen[got.DailyOutlier]++
		seen["monthly "+got.MonthlyOutlier]++
		for what, is := range map[string]bool{"spike": got.Spike, "void": got.Void, "later": got.Later, "no daily change": got.Daily == nil} {
			if is {
				seen[what]++
			}
		}
	}
	for on, left := range want {
		for key := range left {
			t.Errorf("%v on %s is missing", key, day(&on))
		}
	}
	if len(want) == 0 {
		t.Error("nothing was compared")
	}

	var families []struct {
		Date     time.Time  `ch:"date"`
		Family   string     `ch:"family_rar"`
		Currency string     `ch:"currency"`
		Previous *time.Time `ch:"previous_date"`
		Daily    *float64   `ch:"daily_return"`
		Chained  *float64   `ch:"chained_return"`
		Eligible uint32     `ch:"eligible_series"`
		Monthly  *float64   `ch:"monthly_return"`
		Equity   float64    `ch:"equity"`
		Series   uint32     `ch:"series"`
		Funds    uint32     `ch:"funds"`
	}
	if err := m.Conn.Select(ctx, &families, `
		SELECT date, family_rar, currency, previous_date, daily_return, chained_return, eligible_series, monthly_return, toFloat64(days.equity) AS equity, series, funds
		FROM batch_family_day(batch = {batch:UInt64}, from = '1971-01-01', to = '2149-06-06') AS days`); err != nil {
		t.Fatal(err)
	}
	wanted := map[time.Time]map[[2]string]oracle.FamilyDay{}
	for on := range want {
		wanted[on] = market.FamilyDays(on)
	}
	indices := map[[2]string]bool{}
	for _, f := range families {
		key := [2]string{f.Family, f.Currency}
		indices[key] = true
		expected, found := wanted[f.Date][key]
		delete(wanted[f.Date], key)
		got := oracle.FamilyDay{
			Previous: day(f.Previous), Daily: f.Daily, Chained: f.Chained, Eligible: int(f.Eligible), Monthly: f.Monthly, Equity: f.Equity,
			Series: int(f.Series), Funds: int(f.Funds),
		}
		if diff := cmp.Diff(expected, got, cmp.Comparer(near12)); diff != "" || !found {
			t.Errorf("%v on %s (-want +got):\n%s", key, day(&f.Date), diff)
		}
		if f.Daily != nil && (f.Chained == nil || *f.Chained != *f.Daily) {
			seen["left out of the chain"]++
		}
	}
	for on, left := range wanted {
		for key := range left {
			t.Errorf("%v on %s is missing", key, day(&on))
		}
	}

	compareSummaries(t, m, market, batch, slices.Collect(maps.Keys(wanted)), seen)
	for key := range indices {
		var points []struct {
			Date     time.Time  `ch:"date"`
			Previous *time.Time `ch:"previous_date"`
			Value    float64    `ch:"value"`
			Change   *float64   `ch:"change"`
		}
		query := fmt.Sprintf(`SELECT date, previous_date, index.value AS value, index.change AS change FROM batch_family_index(batch = {batch:UInt64}, family = '%s') AS index
			INNER JOIN (SELECT * FROM index_day WHERE batch = {batch:UInt64}) AS days USING (family_rar, currency, date) WHERE currency = '%s' ORDER BY date`, key[0], key[1])
		if err := m.Conn.Select(ctx, &points, query); err != nil {
			t.Fatal(err)
		}
		expected := market.FamilyIndex(key[0], key[1])
		if len(points) != len(expected) {
			t.Errorf("%v: %d points, want %d", key, len(points), len(expected))
			continue
		}
		for i, p := range points {
			e := expected[i]
			since := ""
			if !e.Previous.IsZero() {
				since = day(&e.Previous)
				if e.Previous.Before(e.Day.AddDate(0, 0, -1)) {
					seen["chained over days"]++
				}
			} else if i > 0 {
				seen["carried on"]++
			}
			if !p.Date.Equal(e.Day) || day(p.Previous) != since || !near12(&p.Value, &e.Value) || !near12(p.Change, e.Change) {
				t.Errorf("%v on %s: %v (%v since %s), want %v (%v since %s) on %s", key, day(&p.Date), p.Value, known(p.Change), day(p.Previous), e.Value, known(e.Change), since, day(&e.Day))
			}
			seen["index points"]++
		}
		seen["indices"]++
	}
	return seen
}

// compareSummaries compares the families in market-summary with the oracle, on every third
// of some days.
func compareSummaries(t *testing.T, m *demotest.Market, market *oracle.Market, batch uint64, days []time.Time, seen map[string]int) {
	t.Helper()
	parameters := clickhouse.Parameters{"batch": fmt.Sprint(batch)}
	ctx := clickhouse.Context(context.Background(), clickhouse.WithParameters(parameters))
	var alive []struct {
		Run   uint32 `ch:"run"`
		Serie string `ch:"serie"`
	}
	if err := m.Conn.Select(ctx, &alive, `SELECT run, serie FROM registry
		WHERE kind = 'series' AND id IN (SELECT series_id FROM batch_universe(batch = {batch:UInt64}))`); err != nil {
		t.Fatal(err)
	}
	universe := map[oracle.Series]bool{}
	for _, s := range alive {
		universe[oracle.Series{Run: int(s.Run), Name: s.Serie}] = true
	}
	for _, on := range days {
		if on.YearDay()%3 != 0 {
			continue
		}
		var families []struct {
			Family   string     `ch:"family_rar"`
			Currency string     `ch:"currency"`
			Previous *time.Time `ch:"previous_date"`
			Daily    *float64   `ch:"daily_return"`
		}
		parameters["date"] = on.Format(time.DateOnly)
		ctx := clickhouse.Context(context.Background(), clickhouse.WithParameters(parameters))
		if err := m.Conn.Select(ctx, &families, `SELECT family_rar, currency, previous_date, daily_return
			FROM batch_family_summary(batch = {batch:UInt64}, from = {date:Date}, to = {date:Date})`); err != nil {
			t.Fatal(err)
		}
		for _, f := range families {
			previous, change := market.FamilyChange(f.Family, f.Currency, on, universe)
			if day(f.Previous) != previous || !near12(f.Daily, change) {
				t.Errorf("summary of %s, %s %s: %v since %s, want %v since %s", day(&on), f.Family, f.Currency, known(f.Daily), day(f.Previous), known(change), previous)
			}
			seen["summaries"]++
			if f.Previous != nil && f.Previous.Before(on.AddDate(0, 0, -1)) {
				seen["summaries over days"]++
			}
		}
	}
}

// compareManagers compares batch_manager_day, the ranking and the evolution of managers with
// the oracle.
func compareManagers(t *testing.T, m *demotest.Market, market *oracle.Market, dolar oracle.Dolar, batch uint64) {
	t.Helper()
	ctx := func(parameters ...string) context.Context {
		values := clickhouse.Parameters{"batch": fmt.Sprint(batch)}
		for i := 0; i < len(parameters); i += 2 {
			values[parameters[i]] = parameters[i+1]
		}
		return clickhouse.Context(context.Background(), clickhouse.WithParameters(values))
	}
	var named []struct {
		ID   uint32 `ch:"manager_id"`
		RUT  uint32 `ch:"rut"`
		Name string `ch:"name"`
	}
	if err := m.Conn.Select(ctx(), &named, `
		SELECT manager_id, registered.run AS rut, name FROM (SELECT * FROM manager WHERE batch = {batch:UInt64}) AS managers
		INNER JOIN (SELECT id, run FROM registry WHERE kind = 'manager') AS registered ON registered.id = managers.manager_id`); err != nil {
		t.Fatal(err)
	}
	names, ids, ruts := map[int]string{}, []string{}, map[uint32]int{}
	for _, n := range named {
		names[int(n.RUT)], ruts[n.ID] = n.Name, int(n.RUT)
		ids = append(ids, fmt.Sprint(n.ID))
	}

	rated, unconverted, days := 0, 0, 0
	for on := date(t, firstQuoted); !on.After(date(t, lastQuoted)); on = on.AddDate(0, 0, 1) {
		days++
		for _, metric := range []string{"patrimony", "shareholders"} {
			if metric == "shareholders" && on.Weekday() != time.Monday {
				continue
			}
			var rows []struct {
				Metric       string   `ch:"metric"`
				ID           uint32   `ch:"manager_id"`
				Name         string   `ch:"name"`
				Patrimony    *float64 `ch:"total_patrimony"`
				Shareholders uint64   `ch:"total_shareholders"`
				Funds        uint64   `ch:"fund_count"`
				Rank         uint64   `ch:"rank"`
				Unconverted  uint64   `ch:"unconverted_series"`
			}
			if err := m.Conn.Select(ctx("date", on.Format(time.DateOnly), "metrics", "['"+metric+"']"), &rows, sql.Query("agf_ranking")); err != nil {
				t.Fatal(err)
			}
			var got []oracle.ManagerDay
			for _, r := range rows {
				got = append(got, oracle.ManagerDay{Manager: ruts[r.ID], Patrimony: r.Patrimony, Shareholders: int(r.Shareholders), Funds: int(r.Funds), Rank: int(r.Rank), Unconverted: int(r.Unconverted)})
				rated++
				unconverted += int(r.Unconverted)
			}
			if diff := cmp.Diff(market.RankManagers(on, dolar, metric == "shareholders", names), got, cmp.Comparer(near12)); diff != "" {
				t.Errorf("by %s on %s (-want +got):\n%s", metric, day(&on), diff)
			}
		}
	}
	if days != 79 || rated != (79+11)*3 || unconverted < 79 {
		t.Errorf("%d days, %d ranks, %d series without a rate", days, rated, unconverted)
	}

	var months []struct {
		Month       string   `ch:"month"`
		Name        string   `ch:"name"`
		Value       *float64 `ch:"value"`
		Unconverted uint64   `ch:"unconverted_series"`
	}
	if err := m.Conn.Select(ctx("managers", "["+strings.Join(ids, ",")+"]", "metric", "patrimony", "from", firstQuoted, "to", lastQuoted), &months, sql.Query("agf_evolution")); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, row := range months {
		got[row.Month+" "+row.Name] = fmt.Sprintf("%.3f %d", *row.Value, row.Unconverted)
	}
	want := map[string]string{}
	for _, on := range market.LastCompleteDays(dolar) {
		for rut, of := range market.Managers(on, dolar) {
			want[on.Format("2006-01")+" "+names[rut]] = fmt.Sprintf("%.3f %d", *of.Patrimony, of.Unconverted)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" || len(want) != 9 {
		t.Errorf("evolution (-want +got):\n%s", diff)
	}
}
