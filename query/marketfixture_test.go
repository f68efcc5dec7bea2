package query_test

import (
	"fmt"
	"testing"

	"cuota/model"
)

// The daily market of the small market. The RUTs are those of managerAlfa and managerBeta.
// A dollar is worth 900 pesos on 2026-07-31. 2026-08-05 is not complete.
const (
	rutAlfa, rutBeta                   = model.RUT(76036521), model.RUT(96639280)
	fundETF, fundRedeemable, fundFixed = 105, 106, 107 // of seriesDolar, seriesEuro and seriesUnrated
)

// marketFacts stores the rows that all batches share: complete days, built by batch 1.
func (r *rig) marketFacts(t testing.TB) {
	t.Helper()
	var builds []row
	for _, date := range []string{"2026-05-31", "2026-06-28", "2026-06-30", "2026-07-01", "2026-07-25", "2026-07-30",
		"2026-07-31", "2026-08-05"} {
		builds = append(builds, row{"date": date, "build": 1})
	}
	insert(t, r.conn, "market_day_version", builds...)

	quote := func(date string, series int, more row) row {
		out := row{"date": date, "series_id": series, "build": 1, "manager_rut": rutAlfa, "currency": "PESOS",
			"price": "1"}
		for column, value := range more {
			out[column] = value
		}
		return out
	}
	insert(t, r.conn, "market_day",
		quote("2026-06-30", seriesOpen, row{"stands_until": "2026-07-07", "price": "110", "family_rar": "Renta Ñandú",
			"category": "balanced", "classified_later": true}),
		quote("2026-07-30", seriesOpen, row{"price": nil, "manager_rut": 0}), // void
		quote("2026-07-31", seriesOpen, row{"stands_until": "2026-08-07", "price": "121.000001",
			"equity": "1234567890123.4567", "previous_date": "2026-07-30", "previous_equity": "0",
			"daily_change": -1.5, "month_date": "2026-06-30", "month_equity": "1000000", "monthly_change": 10.000001,
			"shareholders": 0, "flow": 3.5,
			"family_rar": "Accionario nacional", "category": "equity"}),
		quote("2026-06-28", seriesDolar, row{"stands_until": "2026-07-05", "currency": "DOLAR", "price": "9"}),
		quote("2026-07-25", seriesDolar, row{"stands_until": "2026-08-01", "currency": "DOLAR", "price": "10"}),
		// A series that was classified later, and that is in no family of a reply.
		quote("2026-07-31", seriesEuro, row{"currency": "EUR", "equity": "77", "family_rar": "Nueva",
			"classified_later": true}),
		quote("2026-07-31", seriesUnrated, row{"equity": "5"}),
		quote("2026-07-31", seriesClosed, row{"equity": "5"}), // outside the universe
	)

	managed := func(date string, rut model.RUT, currency, equity string, shareholders, series int, runs ...int) row {
		return row{"date": date, "manager_rut": rut, "currency": currency, "build": 1, "equity": equity,
			"shareholders": shareholders, "series": series, "runs": runs}
	}
	insert(t, r.conn, "manager_day",
		managed("2026-05-31", rutBeta, "PESOS", "1", 1, 1, 9001), // a day that is not complete
		managed("2026-06-30", rutAlfa, "EUR", "77", 9, 2, 8012),
		managed("2026-06-30", rutBeta, "PESOS", "40", 3, 1, 9001),
		managed("2026-07-25", rutAlfa, "PESOS", "7", 7, 1, 8011), // also not complete, but it has data
		managed("2026-07-30", rutAlfa, "PESOS", "8", 8, 1, 8011),
		managed("2026-07-31", rutAlfa, "PESOS", "1000000.5", 5, 2, 8011),
		managed("2026-07-31", rutAlfa, "DOLAR", "10", 1, 1, 8011, 9001),
		managed("2026-07-31", rutAlfa, "EUR", "77", 2, 1, 8012),
		managed("2026-07-31", rutBeta, "PESOS", "1009000.5", 2, 1, 9001), // the same total as the other manager
		managed("2026-08-05", rutBeta, "PESOS", "999999999", 1, 1, 9001),
	)

	family := func(date, currency, equity string, chained any) row {
		return row{"date": date, "family_rar": "Renta Ñandú", "currency": currency, "build": 1,
			"chained_return": chained, "daily_return": chained, "equity": equity}
	}
	insert(t, r.conn, "family_day",
		family("2026-06-30", "PESOS", "900000", nil),
		family("2026-07-01", "PESOS", "900000", nil),
		family("2026-07-30", "PESOS", "900000", 0.1),
		family("2026-07-31", "PESOS", "900000", -0.5),
		family("2026-08-05", "PESOS", "900000", 9), // after the cutoff
		family("2026-07-31", "DOLAR", "1001", nil), // worth 900,900 pesos, the most
	)

	insert(t, r.conn, "batch_new_file",
		row{"batch": 1, "dataset": "dolar", "sha256": sha('d'), "revision": "2026-08-01 00:00:00.000"},
		row{"batch": 1, "dataset": "article107", "sha256": sha('e'), "revision": "2026-08-01 00:00:00.000"},
	)
	insert(t, r.conn, "fact_indicator",
		row{"code": "dolar", "date": "2026-07-28", "revision": "2026-08-01 00:00:00.000", "source_sha256": sha('d'),
			"source_line": 2, "value": "900"})
	declared := func(revision string, file rune, status string) row {
		return row{"run": 8011, "revision": revision + " 00:00:00.000", "source_sha256": sha(file), "source_line": 2,
			"status": status}
	}
	insert(t, r.conn, "fact_article107",
		declared("2026-01-01", 'e', "declares_eligible"), declared("2026-02-01", 'e', "declares_not_eligible"),
		declared("2026-03-01", 'c', "declares_eligible")) // from a file that no batch includes
}

// publishMarket writes the rows of one batch.
func (r *rig) publishMarket(t testing.TB, number int) {
	t.Helper()
	complete := func(date string, complete bool) row {
		return row{"batch": number, "date": date, "rows": 1, "series": 1, "complete": complete}
	}
	insert(t, r.conn, "market_completeness",
		complete("2026-05-31", false), complete("2026-06-28", false), complete("2026-06-30", true),
		complete("2026-07-30", true),
		complete("2026-07-31", true), complete("2026-08-05", false),
		row{"batch": number, "date": "2026-07-25", "rows": 1, "series": 1, "has_data": true},
		row{"batch": number, "date": "2026-08-04", "rows": 1, "series": 1, "has_data": true}) // after the cutoff
	fund := func(id int, name, vehicle string, kind any) row {
		return row{"batch": number, "fund_id": id, "run": "8012-8", "manager_id": managerBeta,
			"manager": "BETA ÑUÑOA AGF", "vehicle": vehicle, "kind": kind,
			"name": fmt.Sprintf("%s %d", name, number), "currency": "PESOS", "current": false}
	}
	point := func(date string, previous, step, value any) row {
		return row{"batch": number, "family_rar": "Renta Ñandú", "currency": "PESOS", "date": date,
			"opening_date": previous, "previous_date": previous, "step": step, "value": value}
	}
	insert(t, r.conn, "index_day",
		point("2026-06-30", nil, nil, 100),
		point("2026-07-01", nil, nil, nil), // a date without a level of the index
		point("2026-07-29", nil, nil, 100), // after a gap
		point("2026-07-30", "2026-07-29", 0.1, 110),
		point("2026-07-31", "2026-07-30", -0.5, 55),
		point("2026-08-05", "2026-07-31", 9, 550)) // after the cutoff
	insert(t, r.conn, "fund", fund(fundETF, "ÍNDICE", "etf", nil),
		fund(fundRedeemable, "RESCATABLE", "investment_fund", "FIRES"),
		fund(fundFixed, "FIJO", "investment_fund", "FINRE"))
	series := func(id, fund int, more row) row {
		out := row{"batch": number, "series_id": id, "fund_id": fund, "run": "8012-8", "serie": "A", "current": true}
		for column, value := range more {
			out[column] = value
		}
		return out
	}
	insert(t, r.conn, "series",
		series(seriesDolar, fundETF, row{"tac": 0.02, "tac_kind": "stated", "tac_date": "2026-06-30",
			"class_tac": "Retail"}),
		series(seriesEuro, fundRedeemable, row{"category": "other", "family_rar": "Nueva"}),
		series(seriesUnrated, fundFixed, nil))
}
