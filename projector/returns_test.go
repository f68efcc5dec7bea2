package projector_test

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/oracle"
	"cuota/model"
)

// period is one series and window as the SQL returns it, with dates as text, and null as
// empty text, like in the oracle.
type period struct {
	value                                                                  float64
	known                                                                  bool
	currency, reason, targetStart, targetEnd, effectiveStart, effectiveEnd string
}

// later is the history of RUN 9809 and 9810 after the demo's cutoff.
const later = "../testdata/later/cartola/cartola_9809_9810_20250721_20250831.txt"

// historyOf returns the history of RUN 9809 and 9810 that comes with the program.
func historyOf(t *testing.T) []string {
	t.Helper()
	paths, err := filepath.Glob("../demo/files/cartola/cartola_9809_9810_*.txt")
	if err != nil || len(paths) != 7 {
		t.Fatalf("found %d history files (%v), want 7", len(paths), err)
	}
	return paths
}

func TestEveryWindowOfEverySeriesEqualsTheIndependentComputation(t *testing.T) {
	t.Parallel()
	m := demotest.New(t)
	m.IngestDemo(t)
	market, err := oracle.Load(historyOf(t)...)
	if err != nil {
		t.Fatal(err)
	}
	batch := m.Build(t)
	for _, asOf := range []string{"2025-07-20", "2025-06-30", "2024-02-29"} {
		t.Run("demo at "+asOf, func(t *testing.T) { compareWindows(t, m.Conn, market, batch, asOf) })
	}
	t.Run("the batch holds the windows at its cutoff", func(t *testing.T) {
		compareStored(t, m.Conn, market, batch, "2025-07-20")
	})

	m.Ingest(t, model.Cartola, later, demotest.Clock)
	m.IngestEnd(t, "2025-07-21", demotest.Clock) // of the series that are not in it
	market, err = oracle.Load(append(historyOf(t), later)...)
	if err != nil {
		t.Fatal(err)
	}
	batch = m.Build(t)
	for _, asOf := range []string{"2025-08-31", "2025-07-31", "2024-02-29"} {
		t.Run("whole history at "+asOf, func(t *testing.T) { compareWindows(t, m.Conn, market, batch, asOf) })
	}
	t.Run("the next batch holds the windows at its cutoff", func(t *testing.T) {
		compareStored(t, m.Conn, market, batch, "2025-08-31")
	})
}

// compareWindows compares the view for any date with the oracle.
func compareWindows(t *testing.T, conn driver.Conn, market *oracle.Market, batch uint64, asOf string) {
	t.Helper()
	got := periods(t, conn, `
		SELECT run, serie, window, value, currency, reason, target_start, target_end, effective_start, effective_end
		FROM batch_price_return(batch = {batch:UInt64}, as_of = {as_of:Date}, series = [], all_series = true) AS returns
		INNER JOIN registry ON registry.kind = 'series' AND registry.id = returns.series_id
		WHERE run IN (9809, 9810)`, batch, asOf)
	compare(t, got, market, asOf)
}

// compareStored compares the projection with the oracle.
func compareStored(t *testing.T, conn driver.Conn, market *oracle.Market, batch uint64, asOf string) {
	t.Helper()
	got := periods(t, conn, `
		SELECT run, serie, window, value, currency, reason, target_start, target_end, effective_start, effective_end
		FROM (SELECT * FROM series_return WHERE batch = {batch:UInt64}) AS returns
		INNER JOIN registry ON registry.kind = 'series' AND registry.id = returns.series_id
		WHERE run IN (9809, 9810)`, batch, asOf)
	compare(t, got, market, asOf)
}

// compare checks that got has every series with a quote by the date, with all eight
// windows, and nothing else.
func compare(t *testing.T, got map[string]period, market *oracle.Market, asOf string) {
	t.Helper()
	day, err := time.Parse(time.DateOnly, asOf)
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	reasons := map[string]int{}
	for _, series := range market.Series() {
		if _, quoted := market.LatestDay(series.Run, series.Name, day); !quoted {
			continue // the view has no row for it
		}
		for _, window := range model.Windows {
			key := fmt.Sprintf("%d:%s:%s", series.Run, series.Name, window)
			actual, found := got[key]
			if !found {
				t.Errorf("%s is missing", key)
				continue
			}
			samePeriod(t, key, actual, market.Period(series.Run, series.Name, day, window))
			reasons[actual.reason]++
			compared++
		}
	}
	if compared != len(got) || compared < 8*8 {
		t.Errorf("compared %d windows of %d", compared, len(got))
	}
	t.Logf("%d windows by reason: %v", compared, reasons)
}

func samePeriod(t *testing.T, key string, got period, want oracle.Period) {
	t.Helper()
	if got.known != (want.Value != nil) {
		t.Errorf("%s: has a value: %t, want %t (reason %q, want %q)", key, got.known, want.Value != nil, got.reason,
			want.Reason)
		return
	}
	if want.Value != nil && math.Abs(got.value-*want.Value) > 1e-12 {
		t.Errorf("%s: %v, want %v", key, got.value, *want.Value)
	}
	for _, field := range []struct{ name, got, want string }{
		{"currency", got.currency, want.Currency}, {"reason", got.reason, want.Reason},
		{"target start", got.targetStart, want.TargetStart}, {"target end", got.targetEnd, want.TargetEnd},
		{"effective start", got.effectiveStart, want.EffectiveStart},
		{"effective end", got.effectiveEnd, want.EffectiveEnd},
	} {
		if field.got != field.want {
			t.Errorf("%s: %s %q, want %q", key, field.name, field.got, field.want)
		}
	}
}

func periods(t *testing.T, conn driver.Conn, query string, batch uint64, asOf string) map[string]period {
	t.Helper()
	ctx := clickhouse.Context(context.Background(), clickhouse.WithParameters(clickhouse.Parameters{
		"batch": fmt.Sprint(batch), "as_of": asOf,
	}))
	rows, err := conn.Query(ctx, query)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	found := map[string]period{}
	for rows.Next() {
		var run uint32
		var serie, window string
		var value *float64
		var currency, reason *string
		var targetStart, targetEnd time.Time
		var effectiveStart, effectiveEnd *time.Time
		if err := rows.Scan(&run, &serie, &window, &value, &currency, &reason, &targetStart, &targetEnd,
			&effectiveStart, &effectiveEnd); err != nil {
			t.Fatal(err)
		}
		p := period{
			currency: text(currency), reason: text(reason), targetStart: targetStart.Format(time.DateOnly),
			targetEnd: targetEnd.Format(time.DateOnly), effectiveStart: day(effectiveStart),
			effectiveEnd: day(effectiveEnd),
		}
		if value != nil {
			p.value, p.known = *value, true
		}
		found[fmt.Sprintf("%d:%s:%s", run, serie, window)] = p
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return found
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func day(t *time.Time) string {
	if t == nil {
		return ""
	}
	return t.Format(time.DateOnly)
}
