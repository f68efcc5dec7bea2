package projector_test

import (
	"context"
	"fmt"
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

// total reads all series of the given funds from batch_total_return.
func total(t *testing.T, conn driver.Conn, batch uint64, asOf, valuation string) map[string]valuedReturn {
	t.Helper()
	return valuedReturns(t, conn, `SELECT `+commonColumns+
		`, toJSONString(factor_coverage), toJSONString(applied_distributions),
			toJSONString(arrayMap(e -> e.event_id, applied_exchanges)), ifNull(distribution_multiplier, ''), ifNull(exchange_multiplier, '')
		FROM batch_total_return(batch = {batch:UInt64}, as_of = {as_of:Date}, series = [], all_series = true, valuation = {valuation:String}) AS returns
		INNER JOIN (SELECT id, run, serie FROM registry WHERE kind = 'series') AS registered ON registered.id = returns.series_id
		WHERE run IN (9809, 9810)`, batch, asOf, valuation)
}

// compareTotal compares batch_total_return with the oracle, and counts the reasons.
func compareTotal(t *testing.T, conn driver.Conn, market *oracle.Market, batch uint64, asOf, valuation string,
	reasons map[string]int) {
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

func TestEveryReasonOfTotalReturnsEqualsTheOracle(t *testing.T) {
	longtest.InTurns(t)
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
	w.series("NO-QUOTE", onDay(inside, func(row *cartolaDay, f *oracle.Factor) {
		f.Quota, row.day = "1000", time.Time{}
	}))
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
	// The rows of a split say nothing of it, and only some have a factor line that does.
	for name, stated := range map[string]string{"SPLIT-STATED": "10", "SPLIT-SILENT": "1", "SPLIT-MISSTATED": "3"} {
		w.series(name, func(day string, row *cartolaDay, f *oracle.Factor) {
			if day >= inside {
				row.quota /= 10
			}
			if day == inside {
				f.Adjustment = stated
			}
		})
	}
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
		Quota: strconv.FormatFloat(1000+float64(date(t, inside).YearDay())/8, 'f', -1, 64), Currency: "PESOS",
		Document: evidence(1),
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
	w.series("HOLDER-STATED", until("2025-06-07"))
	w.exchange("into a stated split", "HOLDER-STATED", "SPLIT-STATED", "2025-06-08", nil)
	w.series("HOLDER-SILENT", until("2025-06-07"))
	w.exchange("into a silent split", "HOLDER-SILENT", "SPLIT-SILENT", "2025-06-08", nil)
	for i := range 7 {
		w.series(fmt.Sprintf("HOP%d", i), nil)
		if i > 0 {
			w.exchange(fmt.Sprintf("hop %d", i), fmt.Sprintf("HOP%d", i-1), fmt.Sprintf("HOP%d", i),
				fmt.Sprintf("2025-06-%02d", 10+i), nil)
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
	w.exchange("into a hole", "BEFORE", "HOLED", "2025-06-05", func(x *oracle.Exchange) {
		x.Valuation = date(t, "2025-05-19")
	})
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
	for _, asOf := range []string{"2025-06-30", "2025-06-12", "2025-06-10", "2025-06-09", "2025-05-29", "2025-07-05",
		"2025-07-12"} {
		valuations := []string{"accounting"}
		if asOf == "2025-06-30" {
			valuations = append(valuations, "clp", "real_uf")
		}
		for _, valuation := range valuations {
			t.Run(asOf+" "+valuation, func(t *testing.T) {
				compareTotal(t, m.Conn, market, batch, asOf, valuation, reasons)
			})
		}
	}
	t.Logf("windows by reason: %v", reasons)
	for _, reason := range []string{
		"", "currency_change", "known_discontinuity", "missing_factor_coverage", "factor_quote_mismatch",
		"factor_currency_mismatch",
		"invalid_distribution_factor", "unsupported_adjustment", "duplicate_factor_date", "ambiguous_continuation",
		"continuation_cycle",
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
