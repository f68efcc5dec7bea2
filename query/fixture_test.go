package query_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"

	"cuota/internal/testkit/demotest"
	"cuota/model"
	"cuota/query"
	"cuota/sql"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
)

// The small market of the edge cases, with the cutoff 2026-07-31. The names of its funds
// end with the number of the batch, so that batches differ.
const (
	managerAlfa, managerBeta, managerEmpty = 11, 12, 13
	fundAlfa, fundClosed, fundNoSeries     = 101, 102, 103
	seriesOpen, seriesClosed, seriesYoung  = 201, 202, 203 // seriesYoung was first quoted after the cutoff
	seriesDolar, seriesUnrated, seriesEuro = 204, 205, 206
)

type row map[string]any

func insert(t testing.TB, conn driver.Conn, table string, rows ...row) {
	t.Helper()
	var text bytes.Buffer
	text.WriteString("INSERT INTO " + table + " FORMAT JSONEachRow\n")
	for _, r := range rows {
		must(t, json.NewEncoder(&text).Encode(r))
	}
	must(t, conn.Exec(t.Context(), text.String()))
}

// littleMarket is a rig over the edge cases with batch 1 published. It answers the given
// kinds of returns in addition to price returns in accounting currency.
func littleMarket(t testing.TB, returns ...string) *rig {
	t.Helper()
	// Its screener and its returns have different values, so that a test can tell which of
	// them was read. It has no snapshot, which would take both from the screener.
	r := newRig(t, demotest.Schema(t), query.Config{HTTP: unlimited.HTTP, SnapshotBytes: 1, Returns: returns})
	r.facts(t)
	r.publish(t, 1)
	must(t, r.Refresh(t.Context()))
	return r
}

func batchID(number int) string { return fmt.Sprintf("20260731-%d-00000000000%d", number, number) }

// facts stores the rows that all batches share.
func (r *rig) facts(t testing.TB) {
	t.Helper()
	insert(t, r.conn, "registry",
		row{"kind": "series", "id": seriesOpen, "key": "series:8011-K:A", "run": 8011, "serie": "A", "batch": 1},
		row{"kind": "series", "id": seriesClosed, "key": "series:8011-K:B", "run": 8011, "serie": "B", "batch": 1},
		row{"kind": "series", "id": seriesYoung, "key": "series:8011-K:Z", "run": 8011, "serie": "Z", "batch": 1},
		row{"kind": "series", "id": 999, "key": "series:8011-K:LATER", "run": 8011, "serie": "LATER", "batch": 7},
	)
	insert(t, r.conn, "batch_new_file",
		row{"batch": 1, "dataset": "returns-comparator", "sha256": sha('a'), "revision": "2026-04-01 00:00:00.000"},
		row{"batch": 1, "dataset": "returns-comparator", "sha256": sha('b'), "revision": "2026-07-01 00:00:00.000"},
	)
	official := func(date, file string, spheres int) row {
		return row{"run": 8011, "serie": "A", "date": date, "revision": date + " 00:00:00.000", "source_sha256": file,
			"source_line": 2,
			"family_rar":  "Accionario nacional", "investor_class": "Retail", "spheres": spheres}
	}
	insert(t, r.conn, "fact_official_return", official("2026-03-31", sha('a'), 3), official("2026-06-30", sha('b'), 4))

	var days, builds []row
	for _, d := range []struct {
		date   string
		series uint32
		quota  any
	}{
		{"2025-12-31", seriesOpen, "100"}, {"2026-06-30", seriesOpen, "110"}, {"2026-07-30", seriesOpen, nil}, // void
		{"2026-07-31", seriesOpen, "121.000001"}, {"2026-08-05", seriesYoung, "7.5"},
		{"2020-01-31", seriesClosed, "50"},
	} {
		days = append(days, row{"series_id": d.series, "date": d.date, "build": 1, "quota": d.quota,
			"currency": map[bool]string{true: "EUR", false: "PESOS"}[d.series == seriesClosed]})
		builds = append(builds, row{"date": d.date, "build": 1})
	}
	insert(t, r.conn, "series_day", days...)
	insert(t, r.conn, "series_day_version", builds...)
	r.marketFacts(t)
	r.investmentFacts(t)
}

func sha(letter rune) string { return string(bytes.Repeat([]byte{byte(letter)}, 64)) }

// publish writes all rows of a batch, and its row in table batch last.
func (r *rig) publish(t testing.TB, number int) {
	t.Helper()
	name := func(text string) string { return fmt.Sprintf("%s %d", text, number) }
	insert(t, r.conn, "manager",
		row{"batch": number, "manager_id": managerBeta, "name": "BETA ÑUÑOA AGF", "rut": rutBeta.String(),
			"mutual_funds": 0, "investment_funds": 2, "etfs": 1},
		row{"batch": number, "manager_id": managerAlfa, "name": "ALFA AGF", "rut": rutAlfa.String(), "mutual_funds": 3},
		row{"batch": number, "manager_id": managerEmpty, "name": "CERO AGF"},
	)
	insert(t, r.conn, "fund",
		row{"batch": number, "fund_id": fundNoSeries, "run": "10058-7", "manager_id": managerAlfa,
			"manager": "ALFA AGF", "vehicle": "mutual_fund", "name": name("AHORRO"), "currency": "EUR",
			"current": true},
		row{"batch": number, "fund_id": fundAlfa, "run": "8011-K", "manager_id": managerAlfa, "manager": "ALFA AGF",
			"vehicle": "mutual_fund", "name": name("RENTA"), "category": "equity", "currency": "PESOS",
			"current": true},
		row{"batch": number, "fund_id": fundClosed, "run": "8012-8", "manager_id": managerAlfa, "manager": "ALFA AGF",
			"vehicle": "mutual_fund", "name": name("CERRADO"), "currency": "DOLAR", "current": false},
		row{"batch": number, "fund_id": 104, "run": "9001-2", "manager_id": managerBeta, "manager": "BETA ÑUÑOA AGF",
			"vehicle": "investment_fund", "name": name("FI"), "current": true},
	)
	insert(t, r.conn, "series",
		row{"batch": number, "series_id": seriesClosed, "fund_id": fundAlfa, "run": "8011-K", "serie": "B",
			"first_date": "2020-01-31", "last_date": "2020-01-31", "class_tac": "APV", "current": false,
			"spheres_reason": "not_in_source"},
		row{"batch": number, "series_id": seriesOpen, "fund_id": fundAlfa, "run": "8011-K", "serie": "A",
			"currency": "PESOS", "first_date": "2025-12-31", "last_date": "2026-07-31", "class_dated": "Retail",
			"class_tac": "APV", "current": true, "spheres": 4,
			"tac": 0.0132, "tac_kind": "computed", "tac_date": "2026-06-30"},
	)
	insert(t, r.conn, "series_latest",
		row{"batch": number, "series_id": seriesOpen, "date": "2026-07-31", "quota": "121.000001",
			"equity": "1234567890123.4567", "shareholders": 12},
		row{"batch": number, "series_id": seriesClosed, "date": "2020-01-31"},
	)
	var returns, targets []row
	for _, window := range model.Windows {
		targets = append(targets, row{"batch": number, "window": window, "target_start": "2026-06-30",
			"target_end": "2026-07-31"})
		returns = append(returns, row{"batch": number, "series_id": seriesOpen, "window": window, "value": 0.1,
			"currency":     "PESOS",
			"target_start": "2026-06-30", "target_end": "2026-07-31", "effective_start": "2026-06-30",
			"effective_end": "2026-07-31"})
	}
	insert(t, r.conn, "series_return", returns...)
	insert(t, r.conn, "window_target", targets...)

	listed := func(id int, more row) row {
		out := row{"batch": number, "series_id": id, "fund_id": fundAlfa, "run": "8011-K", "serie": fmt.Sprint("S", id),
			"manager_id": managerAlfa, "manager": "ALFA AGF", "fund": name("FONDO MUTUO ACCIÓN"),
			"price_date": "2026-07-31", "price": "121.000001"}
		for _, window := range model.Windows {
			out["reason_"+window] = "missing_start_quote"
			out["end_"+window] = "2026-07-31"
		}
		for column, value := range more {
			out[column] = value
		}
		return out
	}
	rated := row{"spheres": 4, "spheres_date": "2026-06-30", "family_rar": "Accionario nacional",
		"class_dated": "Retail", "classification_date": "2026-06-30",
		"spheres_loaded_at": "2026-07-01 00:00:00.000", "spheres_sha256": sha('b'), "category": "equity"}
	with := func(base row, more row) row {
		out := row{}
		for column, value := range base {
			out[column] = value
		}
		for column, value := range more {
			out[column] = value
		}
		return out
	}
	risky := row{"volatility_monthly_12m": 0.0124, "volatility_monthly_36m": 0, "volatility_annualized_12m": 0.043,
		"volatility_annualized_36m": 0,
		"max_drawdown_36m":          -0.21, "risk_level": "low", "risk_score": 0, "risk_date": "2026-06-30",
		"risk_method_version": "risk_v1"}
	oneMonth := row{"return_1m": 0.1, "reason_1m": nil, "start_1m": "2026-06-30"}
	insert(t, r.conn, "screener",
		listed(seriesOpen, with(with(with(rated, oneMonth), risky),
			row{"serie": "A", "currency": "PESOS", "tac": 0.0132, "tac_kind": "computed", "tac_date": "2026-06-30",
				"equity": "1234567890123.4567", "shareholders": 0})),
		listed(seriesDolar, with(with(rated, oneMonth),
			row{"currency": "DOLAR", "spheres": 2, "class_dated": "APV", "manager": "BETA ÑUÑOA AGF",
				"return_1m": -0.0000001, "start_1m": "2026-06-29"})),
		listed(seriesUnrated, with(oneMonth,
			row{"currency": "PESOS", "class_tac": "APV", "spheres_reason": "not_in_source", "return_1m": 0.05, "tac": 0,
				"tac_kind": "synthetic"})),
		listed(seriesEuro, row{"spheres_reason": "not_rated_by_cmf", "reason_1m": "unknown_currency", "price": nil}),
	)
	r.publishMarket(t, number)
	r.publishInvestment(t, number)
	insert(t, r.conn, "batch", row{"batch": number, "batch_id": batchID(number), "as_of_date": "2026-07-31",
		"latest_complete_date": "2026-07-31",
		"last_quota_date":      "2026-08-05", "calculation_date": "2026-08-06",
		"calculated_at":     "2026-08-06 12:00:00.123",
		"input_fingerprint": sha('f'),
		"method_version":    "price_return_v1", "rules": sql.Rules(), "tolerance_days": 7, "series_count": 4,
		"total_records": 1000 + number})
}

// published returns a database with the small market.
func published(t *testing.T) *clickhouse.Options {
	t.Helper()
	_, options := publishedBy(t)
	return options
}

// publishedBy returns such a database, and the server that published its batch.
func publishedBy(t testing.TB) (*rig, *clickhouse.Options) {
	t.Helper()
	options := demotest.Schema(t)
	r := newRig(t, options, unlimited)
	r.facts(t)
	r.publish(t, 1)
	return r, options
}
