package query_test

import (
	"net/http"
	"testing"
	"time"

	"cuota/model"

	"github.com/google/go-cmp/cmp"
)

type returnsBody struct {
	Data struct {
		ID         string
		Attributes struct {
			RUN         string
			Serie       string
			Currency    *string
			Requested   *string `json:"requested_as_of_date"`
			AsOf        *string `json:"as_of_date"`
			Mode        string  `json:"calculation_mode"`
			BatchID     string  `json:"batch_id"`
			AgeDays     *int    `json:"cutoff_age_days"`
			LagDays     *int    `json:"snapshot_lag_days"`
			Fingerprint string  `json:"input_fingerprint"`
			Periods     map[string]period
			Spheres     struct {
				Value  *int
				Status string
				Reason *string
				AsOf   *string `json:"as_of_date"`
				Family *string
				Class  *string `json:"investor_type"`
				SHA256 *string `json:"source_sha256"`
			} `json:"cmf_spheres"`
		}
	}
}

type period struct {
	Value          *float64
	Currency       *string
	Status         string
	Reason         *string
	TargetStart    *string `json:"target_start_date"`
	TargetEnd      *string `json:"target_end_date"`
	EffectiveStart *string `json:"effective_start_date"`
	EffectiveEnd   *string `json:"effective_end_date"`
}

func p[T any](value T) *T { return &value }

func TestReturns(t *testing.T) {
	t.Parallel()
	r := littleMarket(t)
	ask := func(t *testing.T, target string) returnsBody {
		t.Helper()
		return decode[returnsBody](t, r.get(t, "/api/real_assets/"+target))
	}

	t.Run("without a date they are those of the batch", func(t *testing.T) {
		got := ask(t, "0000201/returns")
		a := got.Data.Attributes
		if got.Data.ID != "201" || a.RUN != "8011-K" || a.Serie != "A" || *a.Currency != "PESOS" ||
			a.Mode != "snapshot" ||
			a.Requested != nil || *a.AsOf != "2026-07-31" || a.BatchID != batchID(1) || a.Fingerprint != sha('f') ||
			*a.AgeDays != 20 || *a.LagDays != 0 {
			t.Errorf("%+v", a)
		}
		want := period{p(0.1), p("PESOS"), "available", nil, p("2026-06-30"), p("2026-07-31"), p("2026-06-30"),
			p("2026-07-31")}
		for _, window := range model.Windows {
			if diff := cmp.Diff(want, a.Periods[window]); diff != "" {
				t.Error(window, diff)
			}
		}
	})

	t.Run("with a date they are computed from the quotes of the batch", func(t *testing.T) {
		a := ask(t, "201/returns?as_of_date=2026-06-30").Data.Attributes
		if a.Mode != "direct" || *a.Requested != "2026-06-30" || *a.AsOf != "2026-06-30" || a.LagDays != nil ||
			a.BatchID != batchID(1) {
			t.Errorf("%+v", a)
		}
		ytd, end, start := a.Periods["ytd"], 110.0, 100.0
		if diff := cmp.Diff(&period{p(end/start - 1), p("PESOS"), "available", nil, p("2025-12-31"), p("2026-06-30"),
			p("2025-12-31"), p("2026-06-30")}, &ytd); diff != "" {
			t.Error(diff)
		}
		if year := a.Periods["1y"]; *year.Reason != "missing_start_quote" || year.Value != nil ||
			year.Currency != nil || *year.EffectiveEnd != "2026-06-30" {
			t.Errorf("%+v", year)
		}
	})

	t.Run("a void quote at the end makes every window that ends there invalid", func(t *testing.T) {
		if got := ask(t, "201/returns?as_of_date=2026-07-30").Data.Attributes.Periods["1m"]; *got.Reason != "invalid_end_quote" {
			t.Errorf("%+v", got)
		}
	})

	t.Run("a series without a quote by then misses its end quote in every window", func(t *testing.T) {
		for target, end := range map[string]string{
			"203/returns":                       "2026-07-31", // first quoted after the cutoff
			"203/returns?as_of_date=2026-08-04": "2026-08-04",
			"201/returns?as_of_date=1976-01-01": "1976-01-01",
		} {
			a := ask(t, target).Data.Attributes
			if a.Currency != nil {
				t.Errorf("%s: currency %s", target, *a.Currency)
			}
			for _, window := range model.Windows {
				got := a.Periods[window]
				if got.Status != "unavailable" || *got.Reason != "missing_end_quote" || got.EffectiveEnd != nil ||
					got.TargetStart == nil ||
					window != "last_closed_month" && *got.TargetEnd != end {
					t.Errorf("%s %s: %+v", target, window, got)
				}
			}
		}
		if got := ask(t, "201/returns?as_of_date=1976-01-01").Data.Attributes.Periods["5y_ann"]; *got.TargetStart != "1971-01-01" {
			t.Errorf("five years before 1976-01-01 is %s", *got.TargetStart)
		}
	})

	t.Run("a currency that is neither pesos nor dollars is null", func(t *testing.T) {
		a := ask(t, "202/returns?as_of_date=2020-02-01").Data.Attributes
		if a.Currency != nil || *a.Periods["1m"].Reason != "missing_start_quote" {
			t.Errorf("%+v", a)
		}
	})

	t.Run("spheres never come from a file dated after the date that was asked for", func(t *testing.T) {
		type rating struct {
			value  *int
			reason *string
			asOf   *string
			family *string
		}
		for target, want := range map[string]rating{
			"201/returns":                       {p(4), nil, p("2026-06-30"), p("Accionario nacional")},
			"201/returns?as_of_date=2026-06-30": {p(4), nil, p("2026-06-30"), p("Accionario nacional")},
			"201/returns?as_of_date=2026-06-29": {p(3), nil, p("2026-03-31"), p("Accionario nacional")},
			"201/returns?as_of_date=2026-03-30": {nil, p("source_after_requested_date"), nil, nil},
			"202/returns":                       {nil, p("not_in_source"), p("2026-06-30"), nil},
		} {
			s := ask(t, target).Data.Attributes.Spheres
			got := rating{s.Value, s.Reason, s.AsOf, s.Family}
			if diff := cmp.Diff(want, got, cmp.AllowUnexported(rating{})); diff != "" {
				t.Errorf("%s: %s", target, diff)
			}
			if (s.Status == "available") != (want.value != nil) || (s.SHA256 != nil) != (want.asOf != nil) {
				t.Errorf("%s: %+v", target, s)
			}
		}
	})

	t.Run("today is the last date that may be asked for, the day being Santiago's", func(t *testing.T) {
		r.setClock(time.Date(2026, 8, 20, 3, 59, 0, 0, time.UTC)) // still the 19th in Santiago
		ask(t, "201/returns?as_of_date=2026-08-19")
		if got := r.get(t, "/api/real_assets/201/returns?as_of_date=2026-08-20").violations(t); !cmp.Equal(got,
			[]string{"query.as_of_date:date_future"}) {
			t.Error(got)
		}
		r.setClock(time.Date(2026, 8, 20, 4, 0, 0, 0, time.UTC))
		ask(t, "201/returns?as_of_date=2026-08-20")
	})

	t.Run("other valuations and bases are not enabled, and coming again does not help", func(t *testing.T) {
		for _, query := range []string{"valuation=clp", "valuation=real_uf", "return_basis=total",
			"valuation=clp&return_basis=total"} {
			got := r.get(t, "/api/real_assets/201/returns?"+query)
			wantCode(t, got, http.StatusServiceUnavailable, "valuation_not_enabled")
			if got.header.Get("Retry-After") != "" {
				t.Error("Retry-After", got.header.Get("Retry-After"))
			}
		}
	})

	t.Run("without a comparator there is no source of spheres", func(t *testing.T) {
		r = littleMarket(t) // a batch never changes, so that what was asked before is kept
		must(t, r.conn.Exec(t.Context(), "TRUNCATE TABLE fact_official_return"))
		if s := ask(t, "201/returns?as_of_date=2026-08-01").Data.Attributes.Spheres; *s.Reason != "source_unavailable" || s.AsOf != nil || s.SHA256 != nil {
			t.Errorf("%+v", s)
		}
	})
}
