package projector_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/oracle"
	"cuota/model"
)

// madeMarket is a generated market: series of RUN 9809 with a quote on every day from
// September 2024 to June 2025, and events. The oracle and the files have the same data.
type madeMarket struct {
	t         *testing.T
	rows      []cartolaDay
	factors   []oracle.Factor
	exchanges []oracle.Exchange
	breaks    []string
}

const madeFirst, madeLast = "2024-09-01", "2025-06-30"

// series adds a series with a valid factor on each day. edit may change the quote and the
// factor of a day, or remove one of them by setting its day to the zero time.
func (w *madeMarket) series(name string, edit func(day string, row *cartolaDay, f *oracle.Factor)) {
	w.t.Helper()
	for d := date(w.t, madeFirst); !d.After(date(w.t, madeLast)); d = d.AddDate(0, 0, 1) {
		row := cartolaDay{run: 9809, serie: name, day: d, moneda: "$$", quota: 1000 + float64(d.YearDay())/8,
			equity: 1000, units: 1}
		f := oracle.Factor{Run: 9809, Serie: name, Day: d, Distribution: "1", Adjustment: "1", Currency: "PESOS",
			Document: evidence(int(d.Month()))}
		if edit != nil {
			edit(d.Format(time.DateOnly), &row, &f)
		}
		if f.Quota == "" {
			f.Quota = strconv.FormatFloat(row.quota, 'f', -1, 64)
		}
		if !row.day.IsZero() {
			w.rows = append(w.rows, row)
		}
		if !f.Day.IsZero() {
			w.factors = append(w.factors, f)
		}
	}
}

// exchange adds an exchange that was valued on the previous day.
func (w *madeMarket) exchange(event, from, to, effective string, change func(*oracle.Exchange)) {
	w.t.Helper()
	x := oracle.Exchange{
		Event: event, Revision: 1, Origin: oracle.Series{Run: 9809, Name: from},
		Destination: oracle.Series{Run: 9809, Name: to},
		Effective:   date(w.t, effective), Valuation: date(w.t, effective).AddDate(0, 0, -1), Factor: "0.75",
	}
	if change != nil {
		change(&x)
	}
	w.exchanges = append(w.exchanges, x)
}

// build ingests the market. Rows with a negative quota become void. It returns the batch, and an oracle with the same
// data.
func (w *madeMarket) build(m *demotest.Market) (*oracle.Market, uint64) {
	w.t.Helper()
	market, void := oracle.New(), 0
	for _, r := range w.rows {
		if r.quota < 0 {
			void++ // ingest rejects the row
		}
		adjust := 0.0
		if r.adjust != "" {
			adjust, _ = strconv.ParseFloat(r.adjust, 64)
		}
		market.Add(oracle.Row{Run: r.run, Serie: r.serie, Day: r.day, Moneda: r.moneda, Quota: r.quota,
			Equity: r.equity, Adjust: adjust})
	}
	if err := market.LoadRates(dolarFile, ufFile); err != nil {
		w.t.Fatal(err)
	}
	var factors, exchanges, breaks []string
	for _, f := range w.factors {
		market.AddFactor(f)
		factors = append(factors, factorRow(f))
	}
	for _, x := range w.exchanges {
		market.AddExchange(x)
		exchanges = append(exchanges, exchangeRow(x))
	}
	for _, b := range w.breaks {
		serie, day, _ := strings.Cut(b, " ")
		market.Break(9809, serie, date(w.t, day))
		breaks = append(breaks, "discontinuity,9809,"+serie+","+day+",made,https://example.org/break,"+evidence(1))
	}
	if report := m.Ingest(w.t, model.Cartola, cartolaOf(w.t, w.rows), demotest.Clock); int(report.Rejected) != void {
		w.t.Fatalf("%d rows were rejected, not %d: %+v", report.Rejected, void, report.FirstRejects)
	}
	ingestWhole(w.t, m, model.Dolar, dolarFile, demotest.Clock)
	ingestWhole(w.t, m, model.UF, ufFile, demotest.Clock)
	ingestWhole(w.t, m, model.Events, eventsOf(w.t, factorHeader, factors), demotest.Clock)
	ingestWhole(w.t, m, model.Events, eventsOf(w.t, exchangeHeader, exchanges), demotest.Clock)
	ingestWhole(w.t, m, model.Events, eventsOf(w.t, "kind,run,serie,date,note,source_url,source_sha256", breaks),
		demotest.Clock)
	return market, m.Build(w.t)
}

// onDay changes one day of a series.
func onDay(wanted string, change func(row *cartolaDay, f *oracle.Factor)) func(string, *cartolaDay, *oracle.Factor) {
	return func(day string, row *cartolaDay, f *oracle.Factor) {
		if day == wanted {
			change(row, f)
		}
	}
}

// until lets a series and its factors end.
func until(last string) func(string, *cartolaDay, *oracle.Factor) {
	return func(day string, row *cartolaDay, f *oracle.Factor) {
		if day > last {
			row.day, f.Day = time.Time{}, time.Time{}
		}
	}
}
