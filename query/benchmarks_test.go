package query_test

import (
	"net/url"
	"strings"
	"testing"

	"cuota/model"

	"github.com/google/go-cmp/cmp"
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
	m.ingest(t, model.Benchmarks, "more.csv", header+"\nRenta Ñandú,OLD,Viejo,,CLP,,yes\nRenta Ñandú,OUT,Fuera,,CLP,,yes\n", 0)
	m.ingest(t, model.Benchmarks, "newer.csv", header+"\nRenta Ñandú,NEW,Nuevo,,CLP,bond,yes\nRenta Ñandú,OUT,Fuera,,CLP,,no\n", 1)
	m.ingest(t, model.Benchmarks, "benchmark_prices.csv", fixture(t, "benchmark_prices.csv"), 0)
	m.ingest(t, model.Benchmarks, "corrected.csv", "symbol,date,close\nSPY,2026-05-28,588.5\nNEW,2026-05-28,1\n", 1)
	m.build(t)

	t.Run("the catalogue has what families are held against now", func(t *testing.T) {
		got := decode[portfolio](t, m.get(t, "/api/benchmarks"))
		if diff := cmp.Diff([]any{"SPY", "^IPSA", "NEW", "OLD"}, got.each("symbol")); diff != "" {
			t.Fatal(diff)
		}
		want := []map[string]any{
			{"family_rar": "Accionario eeuu", "symbol": "SPY", "index_name": "S&P 500", "instrument_name": "SPDR S&P 500 ETF Trust", "native_currency": "USD", "asset_class": "equity"},
			{"family_rar": "Accionario nacional", "symbol": "^IPSA", "index_name": "S&P IPSA", "instrument_name": nil, "native_currency": "CLP", "asset_class": "equity"},
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
		for from, want := range map[string]int{"2026-05-28": 2, "2026-05-29": 1, "0001-01-01": 2, "1970-01-01": 2, "2149-06-07": 0, "9999-12-31": 0} {
			got := decode[benchmarkPrices](t, m.get(t, "/api/benchmarks/accionario%20eeuu/prices?from_date="+from))
			if len(got.Data) != want || got.Meta["has_benchmark"] != true {
				t.Errorf("%s: %+v", from, got)
			}
		}
	})

	t.Run("a family answers in any case and without accents, by the benchmark stated last", func(t *testing.T) {
		for _, family := range []string{"Renta Ñandú", "RENTA ÑANDÚ", "renta nandu", "renta n\u0303andu\u0301"} {
			got := decode[benchmarkPrices](t, m.get(t, "/api/benchmarks/"+url.PathEscape(family)+"/prices"))
			if got.Meta["family_rar"] != "Renta Ñandú" || got.Meta["symbol"] != "NEW" || !cmp.Equal(got.closes(), []float64{1}) {
				t.Errorf("%s: %+v", family, got)
			}
		}
	})

	t.Run("a family without benchmark, or one that no longer has it, has no data", func(t *testing.T) {
		for _, family := range []string{"Deuda > 365 dias, otra", "Deuda", "Accionario eeuu ", "%", "'", "\x00", `\N`} {
			got := decode[benchmarkPrices](t, m.get(t, "/api/benchmarks/"+url.PathEscape(family)+"/prices"))
			want := map[string]any{"family_rar": family, "symbol": nil, "index_name": nil, "instrument_name": nil, "native_currency": nil, "has_benchmark": false}
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
