package query_test

import (
	"testing"
	"time"

	"cuota/model"
)

// Series of the valued market, in addition to those of the small one.
const (
	seriesDollars   = 210 // rises from 10 to 11 dollars in the half-year to 2026-06-30
	seriesPaying    = 211 // 100 pesos on each day of June 2026, with factors
	seriesExchanged = 212 // 200 pesos until 2026-06-14, then exchanged for two quotas of seriesPaying
)

// valuedMarket is the small market with rates, factors and an exchange, chosen so that the
// returns are obvious.
func valuedMarket(t testing.TB, returns ...string) *rig {
	t.Helper()
	r := littleMarket(t, returns...)
	for id, serie := range map[int]string{seriesDollars: "USD", seriesPaying: "PAGA", seriesExchanged: "CANJE"} {
		insert(t, r.conn, "registry", row{"kind": "series", "id": id, "key": "series:8011-K:" + serie, "run": 8011,
			"serie": serie, "batch": 1})
	}
	insert(t, r.conn, "batch_new_file",
		row{"batch": 1, "dataset": "events", "sha256": sha('e'), "revision": "2026-07-02 00:00:00.000"})
	published := func(file rune, date, value string) row {
		return row{"date": date, "value": value, "sha256": sha(file), "revision": "2026-07-02 12:00:00.000"}
	}
	insert(t, r.conn, "fx_uf_rate",
		row{"batch": 1, "date": "2025-12-31", "fx": published('c', "2025-12-24", "800"),
			"uf": published('d', "2025-12-31", "40000")},
		row{"batch": 1, "date": "2026-05-30", "fx": published('c', "2025-12-24", "800"),
			"uf": published('d', "2026-05-30", "40000")},
		row{"batch": 1, "date": "2026-06-30", "fx": published('c', "2026-06-30", "1000.5"),
			"uf": published('d', "2026-06-30", "42000.00")})

	quote := func(series int, date, currency, quota string) row {
		return row{"series_id": series, "date": date, "build": 1, "currency": currency, "quota": quota,
			"equity": "1000"}
	}
	days := []row{quote(seriesDollars, "2025-12-31", "DOLAR", "10"), quote(seriesDollars, "2026-06-30", "DOLAR", "11")}
	var builds, factors, joined []row
	for d := model.NewDate(2026, time.May, 30); d.Compare(model.NewDate(2026, time.June,
		30)) <= 0; d = model.DateOf(d.Time().AddDate(0, 0, 1)) {
		factor := func(serie, quota string) row {
			f := row{"run": 8011, "serie": serie, "date": d.String(), "revision": "2026-07-02 12:00:00.000",
				"source_sha256": sha('e'), "source_line": len(factors) + 2,
				"distribution_factor": "1", "adjustment_factor": "1", "quota": quota, "currency": "PESOS",
				"evidence_url": "https://example.org/" + serie, "evidence_sha256": sha('1')}
			if serie == "PAGA" && d.String() == "2026-06-20" {
				f["distribution_factor"] = "1.05"
			}
			return f
		}
		builds = append(builds, row{"date": d.String(), "build": 1})
		days = append(days, quote(seriesPaying, d.String(), "PESOS", "100"))
		factors = append(factors, factor("PAGA", "100"))
		if d.String() < "2026-06-15" {
			days = append(days, quote(seriesExchanged, d.String(), "PESOS", "200"))
			factors = append(factors, factor("CANJE", "200"))
			joined = append(joined, row{"part": 0, "date": d.String(), "quota": "200", "currency": "PESOS"})
			continue
		}
		joined = append(joined, row{"part": 1, "date": d.String(), "quota": "100", "currency": "PESOS"})
	}
	insert(t, r.conn, "series_day", days...)
	insert(t, r.conn, "series_day_version", builds...)
	insert(t, r.conn, "fact_factor", factors...)
	insert(t, r.conn, "continuation", row{"batch": 1, "series_id": seriesExchanged, "hop": 1,
		"origin_id": seriesExchanged, "destination_id": seriesPaying,
		"effective_date": "2026-06-15", "event_id": "canje-1", "event_revision": 3, "origin_run": "8011-K",
		"origin_serie":    "CANJE",
		"destination_run": "8011-K", "destination_serie": "PAGA", "valuation_date": "2026-06-14", "factor": "2",
		"evidence_url": "https://example.org/canje", "evidence_sha256": sha('2')})
	insert(t, r.conn, "continued_history",
		row{"batch": 1, "series_id": seriesExchanged, "breaks": []row{}, "quotes": joined})
	return r
}

type valuedBody struct {
	Data struct {
		ID, Type   string
		Attributes struct {
			Currency        *string
			Requested       *string `json:"requested_as_of_date"`
			AsOf            *string `json:"as_of_date"`
			Valuation       string
			MethodVersion   string `json:"method_version"`
			ReturnBasis     string `json:"return_basis"`
			Adjustments     []string
			CalculationMode string `json:"calculation_mode"`
			Periods         map[string]valuedPeriod
			Spheres         struct{ Value *int } `json:"cmf_spheres"`
		}
	}
}

type valuedPeriod struct {
	period
	Inputs struct {
		Start, End *endpoint
	}
	Coverage []struct {
		RUN, Serie   string
		Start        string   `json:"start_date"`
		End          string   `json:"end_date"`
		CalendarDays int      `json:"calendar_days"`
		Documents    []string `json:"source_sha256"`
	} `json:"factor_coverage"`
	Distributions []struct {
		RUN, Serie, Date, Factor string
		URL                      string `json:"source_url"`
		SHA256                   string `json:"source_sha256"`
	} `json:"applied_distributions"`
	Exchanges []struct {
		Event            string `json:"event_id"`
		Revision         int
		OriginSerie      string `json:"origin_serie"`
		DestinationRUN   string `json:"destination_run"`
		DestinationSerie string `json:"destination_serie"`
		Effective        string `json:"effective_date"`
		Valuation        string `json:"valuation_date"`
		Factor           string
	} `json:"applied_exchanges"`
	Distributed *string `json:"distribution_multiplier"`
	Exchanged   *string `json:"exchange_multiplier"`
}

type endpoint struct {
	Date     string  `json:"quota_date"`
	Quota    float64 `json:"quota_value"`
	Currency string  `json:"quota_currency"`
	FX, UF   *indicator
}

type indicator struct {
	Code, Date, Value, Provider, Unit string
	Downloaded                        string `json:"downloaded_at"`
	SHA256                            string `json:"source_sha256"`
}
