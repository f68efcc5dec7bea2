package projector_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/internal/testkit/oracle"
	"cuota/model"
)

// evidence is the hash of a document that proves an event. number tells documents apart.
func evidence(number int) string { return fmt.Sprintf("%064x", number) }

const factorHeader = "kind,run,serie,date,distribution_factor,adjustment_factor,quota,currency,source_url,source_sha256"

func factorRow(f oracle.Factor) string {
	return fmt.Sprintf("factor,%d,%s,%s,%s,%s,%s,%s,https://example.org/factor,%s", f.Run, f.Serie, f.Day.Format(time.DateOnly),
		f.Distribution, f.Adjustment, f.Quota, f.Currency, f.Document)
}

const exchangeHeader = "kind,event_id,revision,origin_run,origin_serie,destination_run,destination_serie,effective_date,valuation_date,factor,source_url,source_sha256"

func exchangeRow(x oracle.Exchange) string {
	return fmt.Sprintf("exchange,%s,%d,%d,%s,%d,%s,%s,%s,%s,https://example.org/exchange,%s", x.Event, x.Revision, x.Origin.Run, x.Origin.Name,
		x.Destination.Run, x.Destination.Name, x.Effective.Format(time.DateOnly), x.Valuation.Format(time.DateOnly), x.Factor, evidence(x.Revision))
}

// eventsOf writes a file of the dataset events.
func eventsOf(t *testing.T, header string, rows []string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "events.csv")
	if err := os.WriteFile(path, []byte(header+"\n"+strings.Join(rows, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// ingestWhole publishes a file, and fails if any row is rejected.
func ingestWhole(t *testing.T, m *demotest.Market, dataset model.Dataset, path string, published time.Time) {
	t.Helper()
	if report := m.Ingest(t, dataset, path, published); report.Rejected > 0 || report.Published == 0 {
		t.Fatalf("ingest %s: %+v", path, report)
	}
}

// realFactors generates factors for every day of the real series since 2024: a distribution
// of half a percent on the 15th of each month, and none on other days.
func realFactors(t *testing.T) (factors []oracle.Factor) {
	t.Helper()
	for _, path := range append(historyOf(t)[5:], later) {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		reader := csv.NewReader(bytes.NewReader(content))
		reader.Comma = ';'
		lines, err := reader.ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range lines[1:] {
			run, err := strconv.Atoi(line[2])
			if err != nil {
				t.Fatal(err)
			}
			day, err := time.Parse("20060102", line[3])
			if err != nil {
				t.Fatal(err)
			}
			quota := line[12]
			if strings.HasPrefix(quota, ".") {
				quota = "0" + quota
			}
			f := oracle.Factor{
				Run: run, Serie: oracle.SerieName(line[8]), Day: day, Distribution: "1", Adjustment: "1", Quota: quota, Currency: "PESOS",
				Document: evidence(day.Year()*12 + int(day.Month())),
			}
			if day.Day() == 15 {
				f.Distribution = "1.005000001"
			}
			factors = append(factors, f)
		}
	}
	return factors
}

// total reads all series of the given funds from total_return_as_of.
func total(t *testing.T, conn driver.Conn, batch uint64, asOf, valuation string) map[string]valuedReturn {
	t.Helper()
	return valuedReturns(t, conn, `SELECT `+commonColumns+`, toJSONString(factor_coverage), toJSONString(applied_distributions),
			toJSONString(arrayMap(e -> e.event_id, applied_exchanges)), ifNull(distribution_multiplier, ''), ifNull(exchange_multiplier, '')
		FROM batch_total_return(batch = {batch:UInt64}, as_of = {as_of:Date}, series = [], all_series = true, valuation = {valuation:String}) AS returns
		INNER JOIN (SELECT id, run, serie FROM registry WHERE kind = 'series') AS registered ON registered.id = returns.series_id
		WHERE run IN (9809, 9810)`, batch, asOf, valuation)
}

// compareTotal compares total_return_as_of with the oracle, and counts the reasons.
func compareTotal(t *testing.T, conn driver.Conn, market *oracle.Market, batch uint64, asOf, valuation string, reasons map[string]int) {
	t.Helper()
	got := total(t, conn, batch, asOf, valuation)
	compareValued(t, got, market, asOf, reasons, func(s oracle.Series, window string) oracle.Total {
		return market.TotalPeriod(s.Run, s.Name, date(t, asOf), window, valuation)
	})
}

func TestRealTotalReturnsEqualTheIndependentComputation(t *testing.T) {
	longtest.Skip(t)
	t.Parallel()
	m, market := wholeHistory(t)
	batch := m.Build(t)
	if rows := total(t, m.Conn, batch, "2025-08-31", "euros"); len(rows) > 0 {
		t.Errorf("total returns in euros: %d", len(rows))
	}
	t.Run("without factors nothing that needs any has a value", func(t *testing.T) {
		reasons := map[string]int{}
		compareTotal(t, m.Conn, market, batch, "2025-08-31", "accounting", reasons)
		if reasons[""] != 0 || reasons["missing_factor_coverage"] < 20 {
			t.Errorf("windows by reason: %v", reasons)
		}
	})

	var rows []string
	for _, f := range realFactors(t) {
		market.AddFactor(f)
		rows = append(rows, factorRow(f))
	}
	ingestWhole(t, m, model.Events, eventsOf(t, factorHeader, rows), demotest.Clock)
	batch = m.Build(t)
	for _, asOf := range realDates {
		for _, valuation := range []string{"accounting", "clp", "real_uf"} {
			t.Run(asOf+" "+valuation, func(t *testing.T) {
				reasons := map[string]int{}
				compareTotal(t, m.Conn, market, batch, asOf, valuation, reasons)
				t.Logf("windows by reason: %v", reasons)
				if reasons[""] < 5 || reasons["missing_factor_coverage"] < 5 {
					t.Errorf("windows by reason: %v", reasons)
				}
			})
		}
	}
}

// madeMarket is a generated market: series of RUN 9809 with a quote on every day from
// September 2024 to June 2025, and events. The oracle and the files have the same data.
type madeMarket struct {
	t         *testing.T
	rows      []cartolaDay
	factors   []oracle.Factor
	exchanges []oracle.Exchange
	breaks    []string
}

const madeFirst, madeLast = "2024-09-01", "2025-06-30"

// series adds a series with a valid factor on each day. edit may change the quote and the
// factor of a day, or remove one of them by setting its day to the zero time.
func (w *madeMarket) series(name string, edit func(day string, row *cartolaDay, f *oracle.Factor)) {
	w.t.Helper()
	for d := date(w.t, madeFirst); !d.After(date(w.t, madeLast)); d = d.AddDate(0, 0, 1) {
		row := cartolaDay{run: 9809, serie: name, day: d, moneda: "$$", quota: 1000 + float64(d.YearDay())/8, equity: 1000, units: 1}
		f := oracle.Factor{Run: 9809, Serie: name, Day: d, Distribution: "1", Adjustment: "1", Currency: "PESOS", Document: evidence(int(d.Month()))}
		if edit != nil {
			edit(d.Format(time.DateOnly), &row, &f)
		}
		if f.Quota == "" {
			f.Quota = strconv.FormatFloat(row.quota, 'f', -1, 64)
		}
		if !row.day.IsZero() {
			w.rows = append(w.rows, row)
		}
		if !f.Day.IsZero() {
			w.factors = append(w.factors, f)
		}
	}
}

// exchange adds an exchange that was valued on the previous day.
func (w *madeMarket) exchange(event, from, to, effective string, change func(*oracle.Exchange)) {
	w.t.Helper()
	x := oracle.Exchange{
		Event: event, Revision: 1, Origin: oracle.Series{Run: 9809, Name: from}, Destination: oracle.Series{Run: 9809, Name: to},
		Effective: date(w.t, effective), Valuation: date(w.t, effective).AddDate(0, 0, -1), Factor: "0.75",
	}
	if change != nil {
		change(&x)
	}
	w.exchanges = append(w.exchanges, x)
}

// build ingests the market. Rows with a negative quota become void. It returns the batch, and an oracle with the same data.
func (w *madeMarket) build(m *demotest.Market) (*oracle.Market, uint64) {
	w.t.Helper()
	market, void := oracle.New(), 0
	for _, r := range w.rows {
		if r.quota < 0 {
			void++ // ingest rejects the row
		}
		adjust := 0.0
		if r.adjust != "" {
			adjust, _ = strconv.ParseFloat(r.adjust, 64)
		}
		market.Add(oracle.Row{Run: r.run, Serie: r.serie, Day: r.day, Moneda: r.moneda, Quota: r.quota, Equity: r.equity, Adjust: adjust})
	}
	if err := market.LoadRates(dolarFile, ufFile); err != nil {
		w.t.Fatal(err)
	}
	var factors, exchanges, breaks []string
	for _, f := range w.factors {
		market.AddFactor(f)
		factors = append(factors, factorRow(f))
	}
	for _, x := range w.exchanges {
		market.AddExchange(x)
		exchanges = append(exchanges, exchangeRow(x))
	}
	for _, b := range w.breaks {
		serie, day, _ := strings.Cut(b, " ")
		market.Break(9809, serie, date(w.t, day))
		breaks = append(breaks, "discontinuity,9809,"+serie+","+day+",made,https://example.org/break,"+evidence(1))
	}
	if report := m.Ingest(w.t, model.Cartola, cartolaOf(w.t, w.rows), demotest.Clock); int(report.Rejected) != void {
		w.t.Fatalf("%d rows were rejected, not %d: %+v", report.Rejected, void, report.FirstRejects)
	}
	ingestWhole(w.t, m, model.Dolar, dolarFile, demotest.Clock)
	ingestWhole(w.t, m, model.UF, ufFile, demotest.Clock)
	ingestWhole(w.t, m, model.Events, eventsOf(w.t, factorHeader, factors), demotest.Clock)
	ingestWhole(w.t, m, model.Events, eventsOf(w.t, exchangeHeader, exchanges), demotest.Clock)
	ingestWhole(w.t, m, model.Events, eventsOf(w.t, "kind,run,serie,date,note,source_url,source_sha256", breaks), demotest.Clock)
	return market, m.Build(w.t)
}

// onDay changes one day of a series.
func onDay(wanted string, change func(row *cartolaDay, f *oracle.Factor)) func(string, *cartolaDay, *oracle.Factor) {
	return func(day string, row *cartolaDay, f *oracle.Factor) {
		if day == wanted {
			change(row, f)
		}
	}
}

// until lets a series and its factors end.
func until(last string) func(string, *cartolaDay, *oracle.Factor) {
	return func(day string, row *cartolaDay, f *oracle.Factor) {
		if day > last {
			row.day, f.Day = time.Time{}, time.Time{}
		}
	}
}

func TestEveryReasonOfTotalReturnsEqualsTheIndependentComputation(t *testing.T) {
	t.Parallel()
	w := &madeMarket{t: t}
	const inside = "2025-06-10"
	factor := func(change func(*oracle.Factor)) func(string, *cartolaDay, *oracle.Factor) {
		return onDay(inside, func(_ *cartolaDay, f *oracle.Factor) { change(f) })
	}
	w.series("SOUND", nil)
	w.series("PAYS", func(day string, _ *cartolaDay, f *oracle.Factor) {
		if strings.HasSuffix(day, "-07") || strings.HasSuffix(day, "-30") {
			f.Distribution = "1.012345679"
		}
	})
	w.series("DOLLARS", func(day string, row *cartolaDay, f *oracle.Factor) {
		row.moneda, f.Currency = "PROM", "DOLAR"
		if day == inside {
			f.Distribution = "1.25"
		}
	})
	w.series("HOLE", factor(func(f *oracle.Factor) { f.Day = time.Time{} }))
	w.series("NO-QUOTE", onDay(inside, func(row *cartolaDay, f *oracle.Factor) { f.Quota, row.day = "1000", time.Time{} }))
	w.series("OFF", factor(func(f *oracle.Factor) { f.Quota = "1000" }))
	w.series("OTHER", factor(func(f *oracle.Factor) { f.Currency = "DOLAR" }))
	w.series("LOW", factor(func(f *oracle.Factor) { f.Distribution = "0.999999999" }))
	w.series("HIGH", factor(func(f *oracle.Factor) { f.Distribution = "1.500000001" }))
	w.series("MOST", factor(func(f *oracle.Factor) { f.Distribution = "1.5" }))
	w.series("SPLIT", func(day string, row *cartolaDay, f *oracle.Factor) {
		if day >= inside {
			row.quota /= 10
		}
		if day == inside {
			row.adjust, f.Adjustment, f.Distribution = "10", "10", "1.01"
		}
	})
	w.series("UNSUPPORTED", factor(func(f *oracle.Factor) { f.Adjustment = "1.3" }))
	w.series("ABSURD", factor(func(f *oracle.Factor) { f.Adjustment, f.Distribution = "999999999", "999999999" }))
	w.series("BROKEN", nil)
	w.breaks = append(w.breaks, "BROKEN "+inside)
	w.series("TURNED", func(day string, row *cartolaDay, f *oracle.Factor) {
		if day >= inside {
			row.moneda, f.Currency = "PROM", "DOLAR"
		}
	})
	w.series("TWICE", nil)
	w.factors = append(w.factors, oracle.Factor{
		Run: 9809, Serie: "TWICE", Day: date(t, inside), Distribution: "1", Adjustment: "1",
		Quota: strconv.FormatFloat(1000+float64(date(t, inside).YearDay())/8, 'f', -1, 64), Currency: "PESOS", Document: evidence(1),
	})

	w.series("FROM", until("2025-06-09"))
	w.series("INTO", onDay("2025-06-20", func(_ *cartolaDay, f *oracle.Factor) { f.Distribution = "1.02" }))
	w.exchange("canje", "FROM", "INTO", inside, func(x *oracle.Exchange) { x.Factor = "0.123456789" })
	w.exchange("canje", "FROM", "INTO", inside, func(x *oracle.Exchange) { x.Revision, x.Factor = 2, "0.987654321" })
	w.series("GAP", until("2025-04-30"))
	w.series("LATE", func(day string, row *cartolaDay, f *oracle.Factor) {
		if day > "2025-04-30" && day < "2025-06-05" {
			row.day, f.Day = time.Time{}, time.Time{}
		}
	})
	w.exchange("late", "GAP", "LATE", "2025-05-01", nil)
	w.series("RESTART", until("2025-06-09"))
	w.series("EMPTY", func(day string, row *cartolaDay, _ *oracle.Factor) {
		if day < "2025-06-10" {
			row.equity, row.units = 0, 0
		}
	})
	w.exchange("filled", "RESTART", "EMPTY", inside, nil)
	w.series("PESOS-TO", until("2025-06-09"))
	w.exchange("currency", "PESOS-TO", "DOLLARS", inside, nil)
	w.series("BREAK-TO", until("2025-06-09"))
	w.exchange("break", "BREAK-TO", "BROKEN", inside, nil)
	w.series("ADJUSTED", until("2025-06-07"))
	w.exchange("into a split", "ADJUSTED", "SPLIT", "2025-06-08", nil)
	for i := range 7 {
		w.series(fmt.Sprintf("HOP%d", i), nil)
		if i > 0 {
			w.exchange(fmt.Sprintf("hop %d", i), fmt.Sprintf("HOP%d", i-1), fmt.Sprintf("HOP%d", i), fmt.Sprintf("2025-06-%02d", 10+i), nil)
		}
	}
	w.series("ROUND", nil)
	w.series("TRIP", nil)
	w.exchange("there", "ROUND", "TRIP", "2025-06-05", nil)
	w.exchange("back", "TRIP", "ROUND", "2025-06-15", nil)
	w.series("FORK", nil)
	w.exchange("left", "FORK", "SOUND", "2025-05-20", nil)
	w.exchange("right", "FORK", "PAYS", "2025-06-20", nil)
	w.series("TO-FORK", until("2025-05-09"))
	w.exchange("to fork", "TO-FORK", "FORK", "2025-05-10", nil)
	w.series("NOWHERE", nil)
	w.exchange("nowhere", "NOWHERE", "UNKNOWN", inside, nil)
	w.series("UNVALUED", nil)
	w.exchange("unvalued", "UNVALUED", "NO-QUOTE", "2025-06-11", nil)
	w.series("LATER", nil)
	w.exchange("later", "LATER", "SOUND", inside, func(x *oracle.Exchange) { x.Valuation = date(t, "2025-06-11") })
	w.series("GONE", nil)
	w.exchange("gone", "GONE", "FORK", "2025-05-25", nil)
	w.series("PAID", nil)
	w.exchange("paid", "PAID", "INTO", "2025-06-20", nil)
	w.series("PAYING", onDay(inside, func(_ *cartolaDay, f *oracle.Factor) { f.Distribution = "1.1" }))
	w.exchange("paying", "PAYING", "SOUND", inside, nil)
	// A break of the destination before the exchange does not affect the holder, even if
	// the destination has no quote between the break and the exchange.
	w.series("BEFORE", until("2025-06-04"))
	w.series("HOLED", func(day string, row *cartolaDay, f *oracle.Factor) {
		if day > "2025-05-19" && day < "2025-06-12" {
			row.day, f.Day = time.Time{}, time.Time{}
		}
	})
	w.breaks = append(w.breaks, "HOLED 2025-05-15")
	w.exchange("into a hole", "BEFORE", "HOLED", "2025-06-05", func(x *oracle.Exchange) { x.Valuation = date(t, "2025-05-19") })
	// While its quotas were those of UNREAD, the holder has only void rows. They have no
	// currency, which is no change of currency.
	w.series("HELD", until("2025-06-09"))
	w.series("UNREAD", func(day string, row *cartolaDay, f *oracle.Factor) {
		if day > "2025-06-09" && day < "2025-06-13" {
			f.Quota, row.quota = strconv.FormatFloat(row.quota, 'f', -1, 64), -1
		}
	})
	w.exchange("into void days", "HELD", "UNREAD", inside, nil)
	w.exchange("out of void days", "UNREAD", "SOUND", "2025-06-13", nil)
	w.series("ZERO", nil)
	w.exchange("zero", "ZERO", "SOUND", inside, nil)
	w.series("SAME-DAY", nil)
	w.exchange("same day", "SAME-DAY", "FROM", inside, nil)

	m := demotest.New(t)
	market, _ := w.build(m)
	// Ingest rejects a factor that isn't above 0. So this one is inserted as if an ingest
	// had accepted it.
	if err := m.Conn.Exec(context.Background(), `INSERT INTO fact_exchange
		SELECT * REPLACE (2 AS event_revision, -1 AS factor) FROM fact_exchange WHERE event_id = 'zero'`); err != nil {
		t.Fatal(err)
	}
	zero := w.exchanges[len(w.exchanges)-2]
	zero.Revision, zero.Factor = 2, "-1"
	market.AddExchange(zero)
	batch := m.Rebuild(t)

	reasons := map[string]int{}
	for _, asOf := range []string{"2025-06-30", "2025-06-12", "2025-06-10", "2025-06-09", "2025-05-29", "2025-07-05", "2025-07-12"} {
		valuations := []string{"accounting"}
		if asOf == "2025-06-30" {
			valuations = append(valuations, "clp", "real_uf")
		}
		for _, valuation := range valuations {
			t.Run(asOf+" "+valuation, func(t *testing.T) { compareTotal(t, m.Conn, market, batch, asOf, valuation, reasons) })
		}
	}
	t.Logf("windows by reason: %v", reasons)
	for _, reason := range []string{
		"", "currency_change", "known_discontinuity", "missing_factor_coverage", "factor_quote_mismatch", "factor_currency_mismatch",
		"invalid_distribution_factor", "unsupported_adjustment", "duplicate_factor_date", "ambiguous_continuation", "continuation_cycle",
		"continuation_limit", "invalid_continuation", "origin_not_active_at_start", "ambiguous_exchange_distribution",
	} {
		if reasons[reason] == 0 {
			t.Errorf("no window has reason %q", reason)
		}
	}
	t.Run("one series alone gives the same as among all", func(t *testing.T) {
		for _, serie := range []string{"HOP1", "SOUND"} {
			var same, all uint64
			if err := m.Conn.QueryRow(context.Background(), fmt.Sprintf(`
				SELECT countIf(times = 2), count() FROM
				(
					SELECT row, count() AS times FROM
					(
						SELECT toString(tuple(*)) AS row FROM batch_total_return(batch = %[1]d, as_of = '2025-06-30', series = [%[2]d], all_series = false, valuation = 'real_uf')
						UNION ALL
						SELECT toString(tuple(*)) FROM batch_total_return(batch = %[1]d, as_of = '2025-06-30', series = [], all_series = true, valuation = 'real_uf')
						WHERE series_id = %[2]d
					)
					GROUP BY row
				)`, batch, oracle.ID(oracle.SeriesKey(9809, serie)))).Scan(&same, &all); err != nil {
				t.Fatal(err)
			}
			if same != 8 || all != 8 {
				t.Errorf("%s: %d of %d windows are the same alone and among all, want 8 of 8", serie, same, all)
			}
		}
	})
}

func TestANewerFileOfFactorsReplacesItsDaysAsAWhole(t *testing.T) {
	t.Parallel()
	w := &madeMarket{t: t}
	w.series("A", onDay("2025-06-10", func(_ *cartolaDay, f *oracle.Factor) { f.Distribution = "1.1" }))
	w.factors = append(w.factors, w.factors[len(w.factors)-1]) // the last day is stated twice
	w.series("B", nil)
	w.exchange("x", "B", "A", "2025-06-15", nil)
	w.breaks = append(w.breaks, "B 2024-09-02")
	m := demotest.New(t)
	_, batch := w.build(m)
	june := func(batch uint64) valuedReturn {
		return total(t, m.Conn, batch, "2025-06-30", "accounting")["9809:A:1m"]
	}
	if got := june(batch); got.reason != "duplicate_factor_date" {
		t.Errorf("a day stated twice: %+v", got)
	}
	corrected := w.factors[len(w.factors)-1]
	for _, f := range w.factors {
		if f.Serie == "A" {
			corrected = f
		}
	}
	corrected.Distribution = "1.2"
	ingestWhole(t, m, model.Events, eventsOf(t, factorHeader, []string{factorRow(corrected)}), demotest.Clock.AddDate(0, 0, 1))
	second := m.Build(t)
	if got := june(second); got.reason != "" || got.total.distributed != "1.32" {
		t.Errorf("corrected: %+v", got)
	}
	if got := june(batch); got.reason != "duplicate_factor_date" {
		t.Errorf("the batch before answers differently: %+v", got)
	}
}

func TestACuratedDiscontinuityBreaksPriceReturnsToo(t *testing.T) {
	t.Parallel()
	w := &madeMarket{t: t}
	for _, serie := range []string{"A", "B", "C", "D", "E", "F", "G", "H"} {
		w.series(serie, nil)
	}
	w.exchange("x", "B", "A", "2025-06-15", nil)
	w.breaks = append(w.breaks, "A 2025-06-10")
	m := demotest.New(t)
	market, batch := w.build(m)
	for _, asOf := range []string{"2025-06-30", "2025-06-10", "2025-06-09"} {
		compareWindows(t, m.Conn, market, batch, asOf)
	}
	if p := market.Period(9809, "A", date(t, "2025-06-30"), "1m"); p.Reason != "known_discontinuity" {
		t.Errorf("the oracle has %+v", p)
	}
}
