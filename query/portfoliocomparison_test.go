package query_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/model"
	saved "cuota/query/portfolio"
)

// writeComparator writes a cost comparator for February 2025. rates are synthetic rates in percent, by RUN and name.
func writeComparator(t testing.TB, rates map[string]float64) string {
	t.Helper()
	text := "fo_run,fm_serie,pat_total,fm_fecha_num,moneda_funcional,clase_inversionista,nombre_fondo,nombre_agf,serie_digital,tac_sintetica\n"
	for series, percent := range rates {
		text += fmt.Sprintf("%s,1,20250228,PROM,Retail,FONDO,ADMINISTRADORA,0,%.2f\n", series, percent)
	}
	path := filepath.Join(t.TempDir(), "tac.csv")
	must(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// comparisonsMarket is a market of dollars up to 2025-04-30, of one family and class:
//   - 60050 VOID stands at 10; its row of the last day is void;
//   - 60050 ENDS is the same up to the 20th, and has closed: the last of its rows is void;
//   - 60050 TURNS is the same, and in pesos from the 20th on;
//   - 60051 CHEAP rises from 10 to 15 on the 10th. It states the lowest rate in March, and a higher one on 12 April;
//   - 60052 LATE does the same, and has a still lower rate, which is only stated on 12 April.
func comparisonsMarket(t testing.TB) fileMarket {
	t.Helper()
	var rows []cartolaRow
	last := time.Date(2025, time.April, 30, 0, 0, 0, 0, time.UTC)
	for day := last.AddDate(0, 0, -29); !day.After(last); day = day.AddDate(0, 0, 1) {
		add := func(run int, serie, moneda string, quota float64) {
			rows = append(rows, cartolaRow{run, serie, day, moneda, quota, 1e9})
		}
		add(60050, "VOID", map[bool]string{true: " ", false: "PROM"}[day.Equal(last)], 10)
		if day.Day() <= 20 {
			add(60050, "ENDS", map[bool]string{true: " ", false: "PROM"}[day.Day() == 20], 10)
		}
		add(60050, "TURNS", map[bool]string{true: "$$", false: "PROM"}[day.Day() >= 20], 10)
		rising := map[bool]float64{true: 15, false: 10}[day.Day() >= 10]
		add(60051, "CHEAP", "PROM", rising)
		add(60052, "LATE", "PROM", rising)
		for i := range 20 {
			add(60053, fmt.Sprintf("S%03d", i), "$$", 1000)
		}
	}
	m := demotest.New(t)
	m.Ingest(t, model.Cartola, writeRows(t, rows), demotest.Clock)
	families, rates, later := map[string]string{}, map[string]float64{}, map[string]float64{}
	for _, series := range []string{"60050,VOID", "60050,ENDS", "60050,TURNS", "60051,CHEAP", "60052,LATE"} {
		families[series], rates[series] = "Accionario nacional", 2
	}
	rates["60051,CHEAP"], later["60051,CHEAP"], later["60052,LATE"] = 1, 3, .5
	delete(rates, "60052,LATE")
	m.Ingest(t, model.ReturnsComparator, writeFamilies(t, families), demotest.Clock)
	m.Ingest(t, model.TACComparator, writeComparator(t, rates), time.Date(2025, time.March, 10, 9, 0, 0, 0, time.UTC))
	m.Ingest(t, model.TACComparator, writeComparator(t, later), time.Date(2025, time.April, 12, 9, 0, 0, 0, time.UTC))
	path := filepath.Join(t.TempDir(), "dolar.csv")
	dolar := "fecha,valor\n"
	for day := 1; day <= 30; day++ {
		dolar += fmt.Sprintf("2025-04-%02d,%d\n", day, 920+day)
	}
	must(t, os.WriteFile(path, []byte(dolar), 0o600))
	m.Ingest(t, model.Dolar, path, demotest.Clock)
	m.Build(t)
	return fileMarket{newRig(t, m.Options, unlimited), m}
}

func TestPortfolioComparisons(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	m := comparisonsMarket(t)
	holding := func(t *testing.T, series, bought, sold string) saved.Holding {
		t.Helper()
		body := fmt.Sprintf(`{"as_of_date": "2025-04-30", "movements": [
			{"series": %[1]q, "date": "2025-04-%[2]s", "kind": "buy", "amount": 1000},
			{"series": %[1]q, "date": "2025-04-%[3]s", "kind": "sell", "all": true}]}`, series, bought, sold)
		got := m.sendPortfolio(t, "application/json", body)
		wantStatus(t, got, http.StatusOK)
		reply := decode[saved.Reply](t, got)
		if reply.Meta.Refused > 0 || len(reply.Data.Holdings) != 1 {
			t.Fatalf("%s: %s", series, got.body)
		}
		return reply.Data.Holdings[0]
	}
	t.Run("what is left is in the currency of the amounts, whatever row the last day has", func(t *testing.T) {
		for _, serie := range []string{"VOID", "ENDS", "TURNS"} {
			h := holding(t, "60050 "+serie, "05", "15")
			if got := h.Cheapest.EndValue; got.Value == nil || !almost(*got.Value, 500*950) {
				t.Errorf("%s: the cheapest leaves %v, want 500 dollars at 950", serie, valueOrReason(got.Value, got.Reason))
			}
		}
	})
	t.Run("the cheapest is that of the rates that were stated by the day", func(t *testing.T) {
		for bought, want := range map[string]struct {
			serie string
			rate  float64
		}{"05": {"CHEAP", .01}, "11": {"CHEAP", .01}, "12": {"LATE", .005}} {
			got := holding(t, "60050 VOID", bought, "15").Compared
			if got.Serie == nil || *got.Serie != want.serie || !almost(*got.CheapestTAC, want.rate) {
				t.Errorf("on %s: %v at %v, want %+v", bought, valueOrReason(got.Serie, nil), valueOrReason(got.CheapestTAC, nil), want)
			}
		}
		if got := holding(t, "60051 CHEAP", "11", "15").Compared.TAC; got == nil || !almost(*got, .01) {
			t.Errorf("the rate of CHEAP on the 11th is %v, which is not what it stated then", valueOrReason(got, nil))
		}
		if got := holding(t, "60051 CHEAP", "12", "15").Compared.TAC; got == nil || !almost(*got, .03) {
			t.Errorf("the rate of CHEAP on the 12th is %v, which was corrected", valueOrReason(got, nil))
		}
	})
}

// valueOrReason is a value, or else a reason.
func valueOrReason[T any](value *T, reason *string) any {
	switch {
	case value != nil:
		return *value
	case reason != nil:
		return *reason
	}
	return nil
}
