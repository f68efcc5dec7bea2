package query_test

import (
	"bytes"
	"net/http"
	"testing"

	"cuota/internal/testkit/longtest"
	"cuota/query"
	"cuota/query/series"

	"github.com/google/go-cmp/cmp"
)

func TestReturnsInOtherValuations(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	r := valuedMarket(t, series.ReturnKinds...)
	ask := func(t *testing.T, target string) valuedBody {
		t.Helper()
		return decode[valuedBody](t, r.get(t, "/api/real_assets/"+target))
	}
	near := func(t *testing.T, got valuedPeriod, want float64, currency string) {
		t.Helper()
		if got.Value == nil || *got.Value-want > 1e-14 || want-*got.Value > 1e-14 || got.Reason != nil ||
			got.Status != "available" || *got.Currency != currency {
			t.Errorf("%+v, want %v %s", got, want, currency)
		}
	}
	uf := func(date, value string) *indicator {
		return &indicator{"uf", date, value, "Banco Central de Chile", "CLP/UF", "2026-07-02T12:00:00Z", sha('d')}
	}
	dolar := func(date, value string) *indicator {
		return &indicator{"dolar", date, value, "Banco Central de Chile", "CLP/USD", "2026-07-02T12:00:00Z", sha('c')}
	}

	t.Run("dollars become pesos at the dólar before the quote", func(t *testing.T) {
		body := ask(t, "0210/returns?valuation=clp&as_of_date=2026-06-30").Data
		a := body.Attributes
		if body.ID != "210" || body.Type != "real_asset_returns" || a.MethodVersion != "price_return_clp_v1" ||
			a.ReturnBasis != "price" ||
			*a.Currency != "PESOS" || *a.AsOf != "2026-06-30" || *a.Requested != "2026-06-30" ||
			a.CalculationMode != "direct" ||
			!cmp.Equal(a.Adjustments, []string{"fx_to_clp"}) {
			t.Errorf("%+v", body)
		}
		got := a.Periods["ytd"]
		near(t, got, 11*1000.5/(10*800)-1, "PESOS")
		if diff := cmp.Diff(&endpoint{"2025-12-31", 10, "DOLAR", dolar("2025-12-24", "800"), nil},
			got.Inputs.Start); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff(&endpoint{"2026-06-30", 11, "DOLAR", dolar("2026-06-30", "1000.5"), nil},
			got.Inputs.End); diff != "" {
			t.Error(diff)
		}
	})

	t.Run("and pesos are deflated by the UF of the very days", func(t *testing.T) {
		a := ask(t, "210/returns?valuation=real_uf&as_of_date=2026-06-30").Data.Attributes
		got := a.Periods["ytd"]
		near(t, got, 11*1000.5/(10*800)/1.05-1, "UF")
		if *a.Currency != "UF" || a.MethodVersion != "price_return_real_uf_v1" ||
			!cmp.Equal(a.Adjustments, []string{"fx_to_clp", "uf_deflation"}) {
			t.Errorf("%+v", a)
		}
		if diff := cmp.Diff(&endpoint{"2026-06-30", 11, "DOLAR", dolar("2026-06-30", "1000.5"),
			uf("2026-06-30", "42000")}, got.Inputs.End); diff != "" {
			t.Error(diff)
		}
	})

	t.Run("a rate that is missing is named, and what was found is shown", func(t *testing.T) {
		got := ask(t, "201/returns?valuation=real_uf&as_of_date=2026-07-31").Data.Attributes.Periods["1m"]
		if *got.Reason != "missing_end_uf" || got.Value != nil || got.Currency != nil || got.Inputs.End.UF != nil ||
			got.Inputs.Start.UF.Value != "42000" {
			t.Errorf("%+v", got)
		}
		void := ask(t, "201/returns?valuation=clp&as_of_date=2026-07-30").Data.Attributes.Periods["1m"]
		if *void.Reason != "invalid_end_quote" || void.Inputs.End != nil || void.Inputs.Start.Quota != 110 ||
			*void.EffectiveEnd != "2026-07-30" {
			t.Errorf("%+v", void)
		}
	})

	t.Run("without a date they end at the cutoff of the batch", func(t *testing.T) {
		for _, query := range []string{"valuation=clp", "return_basis=total"} {
			a := ask(t, "201/returns?"+query).Data.Attributes
			if a.Requested != nil || *a.AsOf != "2026-07-31" || *a.Periods["1m"].TargetEnd != "2026-07-31" ||
				*a.Spheres.Value != 4 || a.CalculationMode != "direct" {
				t.Errorf("%s: %+v", query, a)
			}
		}
	})

	t.Run("a distribution that was verified is reinvested", func(t *testing.T) {
		a := ask(t, "211/returns?return_basis=total&as_of_date=2026-06-30").Data.Attributes
		got := a.Periods["1m"]
		near(t, got, 0.05, "PESOS")
		if *a.Currency != "PESOS" || a.Valuation != "accounting" || a.MethodVersion != "total_return_v1" ||
			a.ReturnBasis != "total" ||
			!cmp.Equal(a.Adjustments, []string{"distributions", "exchanges"}) {
			t.Errorf("%+v", a)
		}
		if len(got.Coverage) != 1 || got.Coverage[0].RUN != "8011-K" || got.Coverage[0].Start != "2026-05-31" ||
			got.Coverage[0].End != "2026-06-30" ||
			got.Coverage[0].CalendarDays != 31 || !cmp.Equal(got.Coverage[0].Documents, []string{sha('1')}) {
			t.Errorf("%+v", got.Coverage)
		}
		if len(got.Distributions) != 1 || got.Distributions[0].Date != "2026-06-20" ||
			got.Distributions[0].Factor != "1.05" ||
			got.Distributions[0].URL != "https://example.org/PAGA" || got.Distributions[0].SHA256 != sha('1') {
			t.Errorf("%+v", got.Distributions)
		}
		if *got.Distributed != "1.05" || *got.Exchanged != "1" || len(got.Exchanges) != 0 {
			t.Errorf("%+v", got)
		}
		for _, window := range []string{"3m", "1y", "5y_ann"} {
			if none := a.Periods[window]; *none.Reason != "missing_start_quote" || none.Coverage == nil ||
				none.Distributed != nil {
				t.Errorf("%s: %+v", window, none)
			}
		}
	})

	t.Run("an exchange is followed into the series that it leads to", func(t *testing.T) {
		got := ask(t, "212/returns?return_basis=total&valuation=real_uf&as_of_date=2026-06-30").Data.Attributes.Periods["1m"]
		near(t, got, 0, "UF") // a distribution of five percent while the UF rises by five percent
		if len(got.Coverage) != 2 || got.Coverage[0].Serie != "CANJE" || got.Coverage[0].CalendarDays != 15 ||
			got.Coverage[1].Serie != "PAGA" || got.Coverage[1].CalendarDays != 16 {
			t.Errorf("%+v", got.Coverage)
		}
		if len(got.Exchanges) != 1 {
			t.Fatalf("%+v", got.Exchanges)
		}
		x := got.Exchanges[0]
		if x.Event != "canje-1" || x.Revision != 3 || x.OriginSerie != "CANJE" || x.DestinationRUN != "8011-K" ||
			x.DestinationSerie != "PAGA" ||
			x.Effective != "2026-06-15" || x.Valuation != "2026-06-14" || x.Factor != "2" || *got.Exchanged != "2" {
			t.Errorf("%+v", x)
		}
		if got.Inputs.Start.Quota != 200 || got.Inputs.End.Quota != 100 || got.Inputs.End.UF.Value != "42000" {
			t.Errorf("%+v", got.Inputs)
		}
	})

	t.Run("a window without its factors has no value, whatever its quotes", func(t *testing.T) {
		got := ask(t, "201/returns?return_basis=total&as_of_date=2026-06-30").Data.Attributes.Periods["ytd"]
		if *got.Reason != "missing_factor_coverage" || got.Value != nil || got.Distributed != nil ||
			got.Inputs.End.Quota != 110 {
			t.Errorf("%+v", got)
		}
	})

	t.Run("a series without a quote by then misses its end quote in every window", func(t *testing.T) {
		for _, query := range []string{"valuation=real_uf", "return_basis=total"} {
			for window, got := range ask(t, "203/returns?"+query).Data.Attributes.Periods {
				if *got.Reason != "missing_end_quote" || got.Inputs.Start != nil || got.Inputs.End != nil ||
					got.TargetStart == nil {
					t.Errorf("%s %s: %+v", query, window, got)
				}
			}
		}
	})

	t.Run("unknown series are not found, UUIDs among them", func(t *testing.T) {
		for _, id := range []string{"77", "0f0e0d0c-0b0a-4908-8706-050403020100"} {
			wantCode(t, r.get(t, "/api/real_assets/"+id+"/returns?valuation=clp"), http.StatusNotFound, "not_found")
		}
	})

	t.Run("the same question has the same answer and validator, another has another", func(t *testing.T) {
		first := r.get(t, "/api/real_assets/211/returns?return_basis=total&as_of_date=2026-06-30")
		again := r.get(t, "/api/real_assets/211/returns?as_of_date=2026-06-30&return_basis=total&valuation=accounting")
		other := r.get(t, "/api/real_assets/211/returns?as_of_date=2026-06-30")
		if first.header.Get("ETag") != again.header.Get("ETag") || !bytes.Equal(first.body, again.body) ||
			first.header.Get("ETag") == other.header.Get("ETag") {
			t.Errorf("%v, %v, %v", first.header, again.header, other.header)
		}
	})
}

func TestEachKindOfReturnsIsEnabledByItself(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	options := published(t)
	for _, kind := range series.ReturnKinds {
		r := newRig(t, options, query.Config{HTTP: unlimited.HTTP, Returns: []string{kind}})
		for target, needs := range map[string][]string{
			"valuation=accounting&return_basis=price": {}, "valuation=clp": {"clp"}, "valuation=real_uf": {"real_uf"},
			"return_basis=total": {"total"}, "valuation=clp&return_basis=total": {"clp", "total"},
		} {
			got := r.get(t, "/api/real_assets/201/returns?as_of_date=2026-06-30&"+target)
			if len(needs) == 0 || len(needs) == 1 && needs[0] == kind {
				wantStatus(t, got, http.StatusOK)
				continue
			}
			wantCode(t, got, http.StatusServiceUnavailable, "valuation_not_enabled")
			if got.header.Get("Retry-After") != "" || got.header.Get("Cache-Control") != "no-store" {
				t.Errorf("%s, %s: %v", kind, target, got.header)
			}
		}
	}
}
