package synth

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"cuota/backtest"
	"cuota/backtest/history"
	"cuota/internal/embedded/clickhouse/clickhousetest"
	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/model"
	"cuota/sql"
)

func TestMain(m *testing.M) { os.Exit(clickhousetest.Main(m)) }

func TestTheProjectionsComeToWhatIsExpected(t *testing.T) {
	longtest.InTurns(t)
	config := small(1)
	config.Bad = .003
	dir, e := written(t, config)
	m := demotest.New(t)
	for _, file := range listed(t, dir) {
		m.Ingest(t, file.dataset, filepath.Join(dir, filepath.FromSlash(file.file)), file.published.Time())
	}
	batch := m.Build(t)

	for _, count := range []struct {
		what, query string
		want        int
	}{
		{"managers", "SELECT count() FROM manager WHERE batch = {batch:UInt64}", e.Managers},
		{"mutual and investment funds", "SELECT count() FROM fund WHERE batch = {batch:UInt64}",
			e.Registered + e.Investment},
		{"series with a quote", "SELECT uniqExact(series_id) FROM batch_series_day(batch = {batch:UInt64}, series = " +
			"[], all_series = true)", e.Series},
		{"renames that are applied", "SELECT countIf(reason = '') FROM series_rename WHERE batch = {batch:UInt64}",
			len(e.Renames)},
		{"renames that are not", "SELECT countIf(reason != '') FROM series_rename WHERE batch = {batch:UInt64}", 0},
		{"rejected rows", "SELECT uniqExact(source_sha256, source_line) FROM rejected_row", int(e.RejectedRows)},
		{"days", "SELECT count() FROM market_completeness WHERE batch = {batch:UInt64}", config.Days},
	} {
		if got := ask[uint64](t, m.Conn, count.query, batch); int(got) != count.want {
			t.Errorf("%d %s, want %d", got, count.what, count.want)
		}
	}
	if cutoff := ask[time.Time](t, m.Conn, "SELECT as_of_date FROM batch WHERE batch = {batch:UInt64}",
		batch); cutoff.Format(time.DateOnly) != e.Last.String() {
		t.Errorf("the cutoff is %s, want %s", cutoff.Format(time.DateOnly), e.Last)
	}

	t.Run("returns", func(t *testing.T) { compareReturns(t, m.Conn, batch, e) })
	t.Run("strategies", func(t *testing.T) {
		source := history.NewSource(sql.NewReader(m.Conn, "test", 3*time.Minute, false, nil), batch)
		for _, want := range e.Strategies {
			stated, err := backtest.ParseTOML(bytes.NewReader(read(t, dir, want.File)))
			if err != nil {
				t.Fatalf("%s: %v", want.File, err)
			}
			s, err := stated.Complete()
			if err != nil {
				t.Fatalf("%s: %v", want.File, err)
			}
			got, err := backtest.Run(t.Context(), source, s)
			if err != nil {
				t.Fatalf("%s: %v", want.File, err)
			}
			if total := got.Statistics.TotalReturn; total == nil || math.Abs(*total-want.TotalReturn) > 1e-9 {
				t.Errorf("%s: %+v, want %v", want.File, got.Statistics, want.TotalReturn)
			}
		}
		if len(e.Strategies) < 3 {
			t.Errorf("the market has %d strategies", len(e.Strategies))
		}
	})
	t.Run("benchmarks", func(t *testing.T) {
		const query = `SELECT toFloat64(any(listed.active)), toFloat64(count()), toFloat64(max(price.close * (price.date = {date:Date})))
			FROM batch_benchmark(batch = {batch:UInt64}) AS listed
			INNER JOIN batch_benchmark_price(batch = {batch:UInt64}, symbols = [], all_symbols = true) AS price ON price.symbol = listed.symbol
			WHERE listed.family_rar = {family:String} AND listed.symbol = {symbol:String}`
		for _, b := range e.Benchmarks {
			var active, prices, last float64
			row := m.Conn.QueryRow(bound(batch, "family", b.Family, "symbol", b.Symbol, "date", b.Date.String()), query)
			if err := row.Scan(&active, &prices, &last); err != nil {
				t.Fatal(err)
			}
			if (active == 1) != b.Active || int(prices) != b.Prices || math.Abs(last-b.Close) > 1e-9 {
				t.Errorf("%+v: active %v, %v prices, the last %v", b, active, prices, last)
			}
		}
		if len(e.Benchmarks) < 20 {
			t.Errorf("the market has %d benchmarks", len(e.Benchmarks))
		}
	})
	t.Run("article 107", func(t *testing.T) {
		statuses := map[string]int{}
		for _, a := range e.Articles {
			const query = `SELECT concat(toString(status), '/', if(has_evidence, toString(evidence_section), ''), '/', toString(has_evidence AND series_exception))
				FROM batch_article107(batch = {batch:UInt64}) WHERE run = {run:UInt32}`
			want := fmt.Sprintf("%s/%s/%t", a.Status, a.Section, a.SeriesException)
			if got := ask[string](t, m.Conn, query, batch, "run", fmt.Sprint(uint32(a.Run))); got != want {
				t.Errorf("%s: %s, want %s", a.Run, got, want)
			}
			statuses[a.Status]++
		}
		const count = "SELECT count() FROM batch_article107(batch = {batch:UInt64})"
		if got := ask[uint64](t, m.Conn, count, batch); int(got) != len(e.Articles) || len(statuses) < 2 {
			t.Errorf("%d assessments, want %d: %v", got, len(e.Articles), statuses)
		}
	})
	t.Run("investment funds", func(t *testing.T) {
		for status, want := range map[string]int{"inactive": e.Closed, "unknown": e.Silent} {
			const query = "SELECT count() FROM fi_instrument WHERE batch = {batch:UInt64} AND listed AND status = " +
				"{status:String}"
			if got := ask[uint64](t, m.Conn, query, batch, "status", status); int(got) != want || want == 0 {
				t.Errorf("%d instruments are %s, want %d", got, status, want)
			}
		}
		for _, run := range e.ETFs {
			const query = "SELECT uniqExact(run) FROM fi_instrument WHERE batch = {batch:UInt64} AND is_etf AND " +
				"vehicle = 'etf' AND run = cuota_rol({run:UInt32})"
			if got := ask[uint64](t, m.Conn, query, batch, "run", fmt.Sprint(uint32(run))); got != 1 {
				t.Errorf("%s is not traded on an exchange", run)
			}
		}
		const etfs = "SELECT uniqExact(run) FROM fi_instrument WHERE batch = {batch:UInt64} AND is_etf"
		if got := ask[uint64](t, m.Conn, etfs, batch); int(got) != len(e.ETFs) || got == 0 {
			t.Errorf("%d funds are traded on an exchange, want %d", got, len(e.ETFs))
		}
		for _, p := range e.Portfolios {
			const query = `SELECT concat(toString(count()), '/', toString(toInt64(sum(valuation_thousands))))
				FROM batch_holding(batch = {batch:UInt64}, runs = [], all_runs = true) WHERE run = {run:UInt32} AND month = {month:Date}`
			want := fmt.Sprintf("%d/%d", p.Positions, p.Thousands)
			if got := ask[string](t, m.Conn, query, batch, "run", fmt.Sprint(uint32(p.Run)), "month",
				p.Month.String()); got != want {
				t.Errorf("the portfolio of %s at %s is %s, want %s", p.Run, p.Month, got, want)
			}
		}
		if len(e.Portfolios) == 0 {
			t.Error("no investment fund has a portfolio")
		}
	})
	t.Run("discontinuities", func(t *testing.T) {
		const query = `SELECT count() FROM discontinuity AS broken INNER JOIN registry ON registry.kind = 'series' AND registry.id = broken.series_id
			WHERE broken.batch = {batch:UInt64} AND run = {run:UInt32} AND serie = {serie:String} AND date = {date:Date} AND broken.kind = {kind:String}`
		for _, d := range e.Discontinuities {
			if got := ask[uint64](t, m.Conn, query, batch, "run", fmt.Sprint(uint32(d.Run)), "serie", d.Serie, "date",
				d.Date.String(), "kind", d.Kind); got != 1 {
				t.Errorf("%+v stands %d times in the projection", d, got)
			}
		}
	})
	t.Run("corrections", func(t *testing.T) {
		const query = `SELECT toString(any(quota)) FROM batch_series_day(batch = {batch:UInt64}, series = [], all_series = true) AS days
			INNER JOIN registry ON registry.kind = 'series' AND registry.id = days.series_id
			WHERE run = {run:UInt32} AND serie = {serie:String} AND date = {date:Date}`
		for _, c := range e.Corrections {
			if got := ask[string](t, m.Conn, query, batch, "run", fmt.Sprint(uint32(c.Run)), "serie", c.Serie, "date",
				c.Date.String()); atof(t, got) != atof(t, c.New) {
				t.Errorf("%+v: the projection has %s", c, got)
			}
		}
	})
}

// compareReturns compares the view for each examined date, and the projection for the last
// date, with the expected returns. A renamed series is one identity.
func compareReturns(t *testing.T, conn driver.Conn, batch uint64, e Expected) {
	t.Helper()
	const fields = `SELECT run, serie, window, value, currency, reason, target_start, target_end, effective_start, effective_end FROM `
	const named = ` AS returns INNER JOIN registry ON registry.kind = 'series' AND registry.id = returns.series_id`
	found := map[string]map[string]Return{}
	asked := func(asOf, name, table string) {
		found[name] = returnsOf(t, conn, fields+table+named, batch, asOf)
	}
	asked(e.Last.String(), "projection", "(SELECT * FROM series_return WHERE batch = {batch:UInt64})")
	compared := 0
	for _, s := range e.Sample {
		for _, want := range s.Returns {
			asOf := want.AsOf.String()
			if found[asOf] == nil {
				asked(asOf, asOf, "batch_price_return(batch = {batch:UInt64}, as_of = {as_of:Date}, series = [], "+
					"all_series = true)")
			}
			key := fmt.Sprintf("%s:%s:%s", s.Run, s.Serie, want.Window)
			sameReturn(t, key+" at "+asOf, found[asOf][key], want)
			if want.AsOf == e.Last {
				sameReturn(t, key+" of the projection", found["projection"][key], want)
			}
			compared++
		}
	}
	if compared < 1000 {
		t.Errorf("compared %d windows", compared)
	}
}

func sameReturn(t *testing.T, key string, got, want Return) {
	t.Helper()
	same := got.Currency == want.Currency && got.Reason == want.Reason && got.TargetStart == want.TargetStart &&
		got.TargetEnd == want.TargetEnd &&
		got.EffectiveStart == want.EffectiveStart && got.EffectiveEnd == want.EffectiveEnd &&
		(got.Value == nil) == (want.Value == nil)
	if !same || want.Value != nil && math.Abs(*got.Value-*want.Value) > 1e-12 {
		t.Errorf("%s: %+v, want %+v", key, got, want)
	}
}

func returnsOf(t *testing.T, conn driver.Conn, query string, batch uint64, asOf string) map[string]Return {
	t.Helper()
	rows, err := conn.Query(bound(batch, "as_of", asOf), query)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	found := map[string]Return{}
	for rows.Next() {
		var run uint32
		var serie string
		var currency, reason *string
		var targetStart, targetEnd time.Time
		var start, end *time.Time
		var r Return
		if err := rows.Scan(&run, &serie, &r.Window, &r.Value, &currency, &reason, &targetStart, &targetEnd, &start,
			&end); err != nil {
			t.Fatal(err)
		}
		r.TargetStart, r.TargetEnd = model.DateOf(targetStart), model.DateOf(targetEnd)
		if currency != nil {
			r.Currency = *currency
		}
		if reason != nil {
			r.Reason = *reason
		}
		if start != nil {
			r.EffectiveStart = model.DateOf(*start)
		}
		if end != nil {
			r.EffectiveEnd = model.DateOf(*end)
		}
		found[fmt.Sprintf("%s:%s:%s", model.RUN(run), serie, r.Window)] = r
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return found
}

// ask runs a query and returns its single value.
func ask[T any](t *testing.T, conn driver.Conn, query string, batch uint64, parameters ...string) (value T) {
	t.Helper()
	if err := conn.QueryRow(bound(batch, parameters...), query).Scan(&value); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return value
}

func bound(batch uint64, parameters ...string) context.Context {
	values := clickhouse.Parameters{"batch": fmt.Sprint(batch)}
	for i := 0; i < len(parameters); i += 2 {
		values[parameters[i]] = parameters[i+1]
	}
	return clickhouse.Context(context.Background(), clickhouse.WithParameters(values))
}
