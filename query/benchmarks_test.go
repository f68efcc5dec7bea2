package query_test

import (
	"maps"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/model"
	"cuota/query"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

type benchmarkPrices struct {
	Data []struct {
		Date     string
		Close    float64
		Currency string
	}
	Meta map[string]any
}

func (p benchmarkPrices) closes() []float64 {
	closes := []float64{}
	for _, price := range p.Data {
		closes = append(closes, price.Close)
	}
	return closes
}

func TestBenchmarks(t *testing.T) {
	t.Parallel()
	m := newFileMarket(t)
	catalogue := fixture(t, "benchmarks.csv")
	header, _, _ := strings.Cut(catalogue, "\n")
	m.ingest(t, model.Benchmarks, "benchmarks.csv", catalogue, 0)
	m.ingest(t, model.Benchmarks, "more.csv",
		header+"\nRenta Ñandú,OLD,Viejo,,CLP,,yes\nRenta Ñandú,OUT,Fuera,,CLP,,yes\n", 0)
	m.ingest(t, model.Benchmarks, "newer.csv",
		header+"\nRenta Ñandú,NEW,Nuevo,,CLP,bond,yes\nRenta Ñandú,OUT,Fuera,,CLP,,no\n", 1)
	m.ingest(t, model.Benchmarks, "benchmark_prices.csv", fixture(t, "benchmark_prices.csv"), 0)
	m.ingest(t, model.Benchmarks, "corrected.csv", "symbol,date,close\nSPY,2026-05-28,588.5\nNEW,2026-05-28,1\n", 1)
	m.build(t)

	t.Run("the prices as a table are those of JSON", func(t *testing.T) {
		for _, target := range []string{"/api/benchmarks/Accionario%20eeuu/prices",
			"/api/benchmarks/accionario%20EEUU/prices?from_date=2026-05-29", "/api/benchmarks/Nada/prices"} {
			got := decode[benchmarkPrices](t, m.get(t, target))
			var want tableRows
			for _, price := range got.Data {
				want = append(want, map[string]any{"symbol": "SPY", "date": price.Date, "close": price.Close,
					"currency": price.Currency})
			}
			separator := "?"
			if strings.Contains(target, "?") {
				separator = "&"
			}
			if diff := cmp.Diff(want, readTable(t, "ndjson", m.get(t, target+separator+"format=ndjson").body, nil),
				cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s: %s", target, diff)
			}
		}
		if len(decode[benchmarkPrices](t, m.get(t, "/api/benchmarks/Accionario%20eeuu/prices")).Data) == 0 {
			t.Error("no prices to compare")
		}
	})

	t.Run("the catalogue has what families are held against now", func(t *testing.T) {
		got := decode[portfolio](t, m.get(t, "/api/benchmarks"))
		if diff := cmp.Diff([]any{"SPY", "^IPSA", "NEW", "OLD"}, got.each("symbol")); diff != "" {
			t.Fatal(diff)
		}
		want := []map[string]any{
			{"family_rar": "Accionario eeuu", "symbol": "SPY", "index_name": "S&P 500",
				"instrument_name": "SPDR S&P 500 ETF Trust", "native_currency": "USD", "asset_class": "equity"},
			{"family_rar": "Accionario nacional", "symbol": "^IPSA", "index_name": "S&P IPSA", "instrument_name": nil,
				"native_currency": "CLP", "asset_class": "equity"},
		}
		if diff := cmp.Diff(want, []map[string]any{got.Data[0].Attributes, got.Data[1].Attributes}); diff != "" {
			t.Error(diff)
		}
		if got.Data[0].Type != "benchmark" || got.Data[3].Attributes["asset_class"] != nil {
			t.Errorf("%+v", got)
		}
	})

	t.Run("prices ascend, corrected and in the native currency", func(t *testing.T) {
		got := decode[benchmarkPrices](t, m.get(t, "/api/benchmarks/Accionario%20eeuu/prices"))
		if diff := cmp.Diff([]float64{588.5, 589.390015}, got.closes()); diff != "" {
			t.Error(diff)
		}
		if first := got.Data[0]; first.Date != "2026-05-28" || first.Currency != "USD" {
			t.Errorf("%+v", first)
		}
		want := map[string]any{"family_rar": "Accionario eeuu", "symbol": "SPY", "index_name": "S&P 500",
			"instrument_name": "SPDR S&P 500 ETF Trust", "native_currency": "USD", "has_benchmark": true}
		if diff := cmp.Diff(want, got.Meta); diff != "" {
			t.Error(diff)
		}
	})

	t.Run("from_date is inclusive, and may lie before or after all there is", func(t *testing.T) {
		for from, want := range map[string]int{"2026-05-28": 2, "2026-05-29": 1, "0001-01-01": 2, "1970-01-01": 2,
			"2149-06-07": 0, "9999-12-31": 0} {
			got := decode[benchmarkPrices](t, m.get(t, "/api/benchmarks/accionario%20eeuu/prices?from_date="+from))
			if len(got.Data) != want || got.Meta["has_benchmark"] != true {
				t.Errorf("%s: %+v", from, got)
			}
		}
	})

	t.Run("a family answers in any case and without accents, by the benchmark stated last", func(t *testing.T) {
		for _, family := range []string{"Renta Ñandú", "RENTA ÑANDÚ", "renta nandu", "renta n\u0303andu\u0301"} {
			got := decode[benchmarkPrices](t, m.get(t, "/api/benchmarks/"+url.PathEscape(family)+"/prices"))
			if got.Meta["family_rar"] != "Renta Ñandú" || got.Meta["symbol"] != "NEW" ||
				!cmp.Equal(got.closes(), []float64{1}) {
				t.Errorf("%s: %+v", family, got)
			}
		}
	})

	t.Run("a family without benchmark, or one that no longer has it, has no data", func(t *testing.T) {
		for _, family := range []string{"Deuda > 365 dias, otra", "Deuda", "Accionario eeuu ", "%", "'", "\x00", `\N`} {
			got := decode[benchmarkPrices](t, m.get(t, "/api/benchmarks/"+url.PathEscape(family)+"/prices"))
			want := map[string]any{"family_rar": family, "symbol": nil, "index_name": nil, "instrument_name": nil,
				"native_currency": nil, "has_benchmark": false}
			if diff := cmp.Diff(want, got.Meta); diff != "" || got.Data == nil || len(got.Data) > 0 {
				t.Errorf("%q: %s %v", family, diff, got.Data)
			}
		}
	})
}

func TestBenchmarkParameters(t *testing.T) {
	t.Parallel()
	r := littleMarket(t)
	long := strings.Repeat("%C3%B1", 200)
	wantViolations(t, r, []violationCase{
		{"/api/benchmarks", nil},
		{"/api/benchmarks/x/prices?from_date=2024-02-29", nil},
		{"/api/benchmarks/" + long + "/prices", nil},
		{"/api/benchmarks/" + long + "n/prices", []string{"path.family_rar:string_too_long"}},
		{"/api/benchmarks//prices", []string{"path.family_rar:string_too_short"}},
		{"/api/benchmarks/%FF/prices", []string{"path.family_rar:string_unicode"}},
		{"/api/benchmarks/x/prices?from_date=", []string{"query.from_date:date_parsing"}},
		{"/api/benchmarks/x/prices?from_date=2023-02-29", []string{"query.from_date:date_parsing"}},
		{"/api/benchmarks/x/prices?from_date=2026-05", []string{"query.from_date:date_parsing"}},
		{"/api/benchmarks/x/prices?from_date=2026-05-28&from_date=2026-05-29", []string{"query.from_date:repeated"}},
	})
}

func TestPricesOfABenchmarkAreTheSameFromMemoryAsFromSQL(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	options := demotest.Schema(t)
	market := newRig(t, options, query.Config{HTTP: unlimited.HTTP, SnapshotBytes: 1})
	market.facts(t)
	market.publish(t, 1)
	benchmark := func(family, symbol string, more row) row {
		of := row{"family_rar": family, "symbol": symbol, "index_name": "Index of " + symbol, "native_currency": "CLP",
			"active":   true,
			"revision": "2026-08-01 10:00:00.000", "source_sha256": sha('a'), "source_line": 2}
		maps.Copy(of, more)
		return of
	}
	insert(t, market.conn, "fact_benchmark",
		benchmark("Renta Ñandú", "OLD", row{"instrument_name": "Fund"}),
		benchmark("Renta Ñandú", "NEW", row{"revision": "2026-08-02 10:00:00.000", "source_sha256": sha('b')}),
		benchmark("RENTA nandu", "LOUD", row{}), benchmark("Gone", "OUT", row{"active": false}),
		benchmark("Bare", "BARE", row{"asset_class": "bond"}))
	price := func(symbol, date, close, revision string) row {
		return row{"symbol": symbol, "date": date, "close": close, "revision": revision, "source_sha256": sha('a'),
			"source_line": 3}
	}
	insert(t, market.conn, "fact_benchmark_price", price("NEW", "2026-05-29", "1.5", "2026-08-01 10:00:00.000"),
		price("NEW", "2026-05-28", "0.000001", "2026-08-01 10:00:00.000"),
		price("NEW", "2026-06-01", "123456789012.5", "2026-08-01 10:00:00.000"),
		price("NEW", "2026-05-29", "1.75", "2026-08-02 10:00:00.000"),
		price("LOUD", "2026-05-29", "100", "2026-08-01 10:00:00.000"))
	memory, plain, _ := fromMemoryAndSQL(t, options)
	listed := decode[portfolio](t, plain.get(t, "/api/benchmarks"))
	if diff := cmp.Diff([]any{"BARE", "LOUD", "NEW", "OLD"}, listed.each("symbol")); diff != "" {
		t.Fatal(diff)
	}
	got := decode[benchmarkPrices](t, memory.get(t, "/api/benchmarks/Renta%20%C3%91and%C3%BA/prices"))
	if diff := cmp.Diff([]float64{0.000001, 1.75, 123456789012.5}, got.closes()); diff != "" ||
		got.Meta["symbol"] != "NEW" {
		t.Errorf("%v: %s", got.Meta, diff)
	}
	for _, of := range listed.Data {
		name := url.PathEscape(of.Attributes["family_rar"].(string))
		for _, from := range []string{"", "?from_date=0001-01-01", "?from_date=2026-05-29", "?from_date=2026-05-30",
			"?from_date=9999-12-31"} {
			sameReply(t, memory, plain, "/api/benchmarks/"+name+"/prices"+from)
		}
	}
	// A name that is written in another way is looked up.
	other := "/api/benchmarks/" + url.PathEscape(strings.ToUpper(listed.Data[0].Attributes["family_rar"].(string))) +
		"/prices"
	if a, b := serve(memory.Handler(), sameRequest(memory, other)),
		serve(plain.Handler(), sameRequest(plain, other)); a.status != http.StatusOK ||
		string(a.body) != string(b.body) {
		t.Errorf("%s: status %d, %.200s and %.200s", other, a.status, a.body, b.body)
	}
}
