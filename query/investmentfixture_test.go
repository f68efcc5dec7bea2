package query_test

import (
	"fmt"
	"testing"

	"cuota/model"
)

// The investment fund of the small market: RUN 9278-9. Its series A has values on three
// days, one of them void. The fund's own id is no longer listed.
const (
	instrumentAina = "ddf92f33-386c-55e2-9b10-9d87948dc8cf"
	fundAina       = "71e1e4f2-a341-5e2a-a01d-61a92a60b9a8"
	fundIDAina     = 108
	seriesAina     = 301 // number of series A, which is not an id of the API
)

// investmentFacts stores the rows that all batches share.
func (r *rig) investmentFacts(t testing.TB) {
	t.Helper()
	insert(t, r.conn, "registry", row{"kind": "fi_series", "id": seriesAina, "key": "fi:9278-9:A", "run": 9278, "serie": "A", "batch": 1})
	var days, builds []row
	for _, d := range []row{
		{"date": "2026-06-30", "book_value": "1000.5", "economic_value": "1001", "equity": "1234567890123.4567", "total_assets": "2", "contributors": 12, "institutional": 3, "agency": "SUR"},
		{"date": "2026-07-15", "currency": ""},
		{"date": "2026-07-31", "book_value": "1010.123456", "equity": "5"},
	} {
		day := row{"series_id": seriesAina, "build": 1, "currency": "PESOS"}
		for column, value := range d {
			day[column] = value
		}
		days, builds = append(days, day), append(builds, row{"date": d["date"], "build": 1})
	}
	insert(t, r.conn, "fi_day", days...)
	insert(t, r.conn, "fi_day_version", builds...)
}

// publishInvestment writes the rows of one batch.
func (r *rig) publishInvestment(t testing.TB, number int) {
	t.Helper()
	name := fmt.Sprintf("AÍNA FONDO DE INVERSIÓN %d", number)
	insert(t, r.conn, "fund", row{"batch": number, "fund_id": fundIDAina, "run": "9278-9", "manager_id": managerBeta, "manager": "BETA ÑUÑOA AGF",
		"vehicle": "investment_fund", "kind": "FINRE", "name": name, "current": true})
	instrument := func(id string, more row) row {
		out := row{"batch": number, "instrument_id": id, "fund_id": fundIDAina, "run": "9278-9", "fund": name, "manager_id": managerBeta, "manager": "BETA ÑUÑOA AGF",
			"vehicle": "investment_fund", "regulatory_type": "FINRE", "status": "unknown"}
		for column, value := range more {
			out[column] = value
		}
		return out
	}
	insert(t, r.conn, "fi_instrument", instrument(fundAina, nil),
		instrument(instrumentAina, row{"series_id": seriesAina, "serie": "A", "listed": true, "status": "active", "current": true, "is_etf": false,
			"etf_source_url": "https://example.org/v", "etf_source_sha256": sha('c'), "first_date": "2026-06-30", "last_date": "2026-07-31",
			"currency": "PESOS", "book_value": "1010.123456", "equity": "5"}))
	var returns []row
	for _, window := range model.Windows {
		returns = append(returns, row{"batch": number, "series_id": seriesAina, "window": window, "reason": "missing_start_quote",
			"target_start": "2026-06-30", "target_end": "2026-07-31", "effective_end": "2026-07-31"})
	}
	insert(t, r.conn, "series_return", returns...)
}
