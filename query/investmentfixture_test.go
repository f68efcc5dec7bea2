package query_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"cuota/internal/testkit/oracle"
	"cuota/model"

	"github.com/google/uuid"
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
	insert(t, r.conn, "registry", row{"kind": "fi_series", "id": seriesAina, "key": "fi:9278-9:A", "run": 9278,
		"serie": "A", "batch": 1})
	var days, builds []row
	for _, d := range []row{
		{"date": "2026-06-30", "book_value": "1000.5", "economic_value": "1001", "equity": "1234567890123.4567",
			"total_assets": "2", "contributors": 12, "institutional": 3, "agency": "SUR"},
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
	insert(t, r.conn, "fund", row{"batch": number, "fund_id": fundIDAina, "run": "9278-9", "manager_id": managerBeta,
		"manager": "BETA ÑUÑOA AGF",
		"vehicle": "investment_fund", "kind": "FINRE", "name": name, "current": true})
	instrument := func(id string, more row) row {
		out := row{"batch": number, "instrument_id": id, "fund_id": fundIDAina, "run": "9278-9", "fund": name,
			"manager_id": managerBeta, "manager": "BETA ÑUÑOA AGF",
			"vehicle": "investment_fund", "regulatory_type": "FINRE", "status": "unknown"}
		for column, value := range more {
			out[column] = value
		}
		return out
	}
	insert(t, r.conn, "fi_instrument", instrument(fundAina, nil),
		instrument(instrumentAina, row{"series_id": seriesAina, "serie": "A", "listed": true, "status": "active",
			"current": true, "is_etf": false,
			"etf_source_url": "https://example.org/v", "etf_source_sha256": sha('c'), "first_date": "2026-06-30",
			"last_date": "2026-07-31",
			"currency":  "PESOS", "book_value": "1010.123456", "equity": "5"}))
	var returns []row
	for _, window := range model.Windows {
		returns = append(returns, row{"batch": number, "series_id": seriesAina, "window": window,
			"reason":       "missing_start_quote",
			"target_start": "2026-06-30", "target_end": "2026-07-31", "effective_end": "2026-07-31"})
	}
	insert(t, r.conn, "series_return", returns...)
}

// instrumentID computes the public id of a series independently of the program.
func instrumentID(name string) string {
	return uuid.NewSHA1(uuid.MustParse("6fd62e7b-a48f-4dc7-a12e-0a1ee6d39c07"), []byte(name)).String()
}

// bookDays writes the values of a series, one row per day, and adds them to the independent
// computation. Values rise and fall in turn.
func bookDays(market *oracle.Market, run int, serie, moneda string, from, to time.Time) string {
	var text strings.Builder
	value := 500.0
	for day, i := from, 0; !day.After(to); day, i = day.AddDate(0, 0, 1), i+1 {
		value += []float64{3.25, -1.5, 0.0625}[i%3]
		equity := 900 + i%90
		fmt.Fprintf(&text, "%d;%s;%s;%s;%s;;%d;;%d;;\n", run, day.Format("02/01/2006"), serie, moneda,
			strings.Replace(fmt.Sprintf("%.4f", value), ".", ",", 1), equity, i)
		market.Add(oracle.Row{Run: run, Serie: serie, Day: day,
			Moneda: map[string]string{"CLP": "$$", "USD": "PROM"}[moneda], Quota: value, Equity: float64(equity)})
	}
	return text.String()
}

const bookHeader = "RUN;Fecha;Serie;Moneda;Valor Libro;Valor Economico;Patrimonio Neto;Activo Total;N Aportantes;N " +
	"Aportantes Institucionales;Agencia\n"

// investmentMarket has four investment funds at the cutoff 2025-06-30: 9278
// with two series of two days, the ETF 10842 and the redeemable 10798 with more
// than three years, and 10654 without values.
type investmentMarket struct {
	fileMarket
	computed              *oracle.Market // the independent computation of its book values
	aina, etf, redeemable string         // the ids of series of 9278, 10842 and 10798
}

func newInvestmentMarket(t *testing.T) investmentMarket {
	t.Helper()
	market := oracle.New()
	m := newFileMarket(t)
	header, line, _ := strings.Cut(fixture(t, "cartola.txt"), "\n")
	line, _, _ = strings.Cut(line, "\n")
	lines := ""
	for _, month := range monthEnds(oracle.Date(2022, time.January, 31), oracle.Date(2025, time.June, 30)) {
		lines += strings.Replace(line, "20260201", month.Format("20060102"), 1) + "\n"
	}
	m.ingest(t, model.Cartola, "cartola.txt", header+"\n"+lines, 0)
	m.ingest(t, model.FIRegister, "fi.csv",
		fixture(t, "fi.csv", "ALZA DEUDA PRIVADA V FONDO DE INVERSIÓN,ALZA ADMINISTRADORA GENERAL DE FONDOS S.A.,FINRE",
			"ALZA DEUDA PRIVADA V FONDO DE INVERSIÓN,ALZA ADMINISTRADORA GENERAL DE FONDOS S.A.,FIRES"), 0)
	m.ingest(t, model.Vehicles, "vehicles.csv", fixture(t, "vehicles.csv"), 0)
	m.ingest(t, model.FIValues, "fi_9278_202506.csv", fixture(t, "fi_9278_202506.csv"), 0)
	start, cutoff := oracle.Date(2022, time.January, 1), oracle.Date(2025, time.June, 30)
	m.ingest(t, model.FIValues, "values.csv", bookHeader+bookDays(market, 10842, "UNICA", "CLP", start, cutoff)+
		bookDays(market, 10798, "B", "USD", start, cutoff), 0)
	m.ingest(t, model.Holdings, "portfolio_202506.csv", fixture(t, "portfolio_202506.csv"), 0)
	m.build(t)
	return investmentMarket{m, market, instrumentID("fi:9278-9:A"), instrumentID("fi:10842-1:UNICA"),
		instrumentID("fi:10798-0:B")}
}

func monthEnds(first, last time.Time) (ends []time.Time) {
	for end := first; !end.After(last); end = end.AddDate(0, 0, 1).AddDate(0, 1, -1) {
		ends = append(ends, end)
	}
	return ends
}
