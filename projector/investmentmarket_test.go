package projector_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/oracle"
	"cuota/model"
)

// fiNamespace is the name space of the public ids of investment funds' series.
var fiNamespace = uuid.MustParse("6fd62e7b-a48f-4dc7-a12e-0a1ee6d39c07")

// fiDay is a row of a generated file of book values. An empty book value can't be read, so
// the day is void.
type fiDay struct {
	run         int
	serie       string
	day         time.Time
	moneda      string
	book        string // with a decimal point
	equity      int
	shareholder int
}

func (d fiDay) String() string {
	book := strings.Replace(d.book, ".", ",", 1)
	if book == "" {
		book = "s/i"
	}
	return fmt.Sprintf("%d;%s;%s;%s;%s;;%d;;%d;;", d.run, d.day.Format("02/01/2006"), d.serie, d.moneda, book, d.equity,
		d.shareholder)
}

// fiFile writes a file of book values.
func fiFile(t *testing.T, rows []fiDay) string {
	t.Helper()
	lines := []string{"RUN;Fecha;Serie;Moneda;Valor Libro;Valor Economico;Patrimonio Neto;Activo Total;N " +
		"Aportantes;N Aportantes Institucionales;Agencia"}
	for _, row := range rows {
		lines = append(lines, row.String())
	}
	return fileOf(t, "values.csv", lines...)
}

// add adds the rows to the independent computation, in the currencies of the cartola: what
// the regulator's page calls CLP or PESOS is $$ there.
func add(t *testing.T, market *oracle.Market, rows []fiDay) {
	t.Helper()
	for _, row := range rows {
		if row.book == "" {
			market.Void(row.run, row.serie, row.day)
			continue
		}
		added := oracle.Row{Run: row.run, Serie: row.serie, Day: row.day, Equity: float64(row.equity),
			Moneda: row.moneda}
		switch row.moneda {
		case "$$", "CLP", "PESOS":
			added.Moneda = "$$"
		case "PROM", "USD", "DOLAR":
			added.Moneda = "PROM"
		}
		if _, err := fmt.Sscan(row.book, &added.Quota); err != nil {
			t.Fatal(err)
		}
		market.Add(added)
	}
}

// fiCutoff is the last day of the generated market.
var fiCutoff = oracle.Date(2025, time.July, 20)

// fiMarket is a generated history. Its series differ in what RULES 1 depends on.
func fiMarket() (rows []fiDay) {
	random := rand.New(rand.NewPCG(9278, 9))
	series := func(run int, serie, moneda string, from, to time.Time,
		step func(time.Time) time.Time, change func(*fiDay)) {
		value := 100 + 100*random.Float64()
		for day := from; !day.After(to); day = step(day) {
			value *= 1 + .01*random.NormFloat64()
			row := fiDay{run, serie, day, moneda, fmt.Sprintf("%.4f", value), 500, 3}
			if change != nil {
				change(&row)
			}
			rows = append(rows, row)
		}
	}
	daily := func(day time.Time) time.Time { return day.AddDate(0, 0, 1) }
	quarterly := func(day time.Time) time.Time { return oracle.Date(day.Year(), day.Month()+4, 0) }
	start := oracle.Date(2021, time.January, 1)
	on := func(y int, m time.Month, d int) func(fiDay) bool {
		return func(row fiDay) bool { return row.day.Equal(oracle.Date(y, m, d)) }
	}

	series(9278, "A", "$$", start, fiCutoff, daily, nil)
	series(9278, "B", "USD", start, fiCutoff, daily, nil)
	series(9278, "Ñ/C 1", "DOLAR", start, fiCutoff, func(day time.Time) time.Time {
		if day.Equal(oracle.Date(2024, time.May, 1)) {
			return day.AddDate(0, 0, 40) // a gap
		}
		return daily(day)
	}, nil)
	series(10842, "", "PESOS", start, fiCutoff, daily, func(row *fiDay) {
		if on(2025, time.June, 20)(*row) {
			row.book = "" // void
		}
	})
	series(10654, "Q", "CLP", oracle.Date(2021, time.March, 31), oracle.Date(2025, time.June, 30), quarterly, nil)
	series(10654, "E", "EUR", oracle.Date(2025, time.May, 1), fiCutoff, daily, nil)
	series(10798, "X", "CLP", start, fiCutoff, daily, func(row *fiDay) {
		if !row.day.Before(oracle.Date(2025, time.January, 15)) {
			row.moneda = "PROM" // another currency
		}
	})
	series(10798, "R", "CLP", start, fiCutoff, daily, func(row *fiDay) {
		if row.day.Month() == time.March && row.day.Year() == 2025 {
			row.equity = 0 // starts again in April
		}
	})
	// after the cutoff
	series(10798, "N", "CLP", oracle.Date(2025, time.July, 21), oracle.Date(2025, time.July, 25), daily, nil)
	series(10835, "S95", "CLP", oracle.Date(2025, time.April, 1), fiCutoff.AddDate(0, 0, -95), daily, nil)
	series(10835, "S96", "CLP", oracle.Date(2025, time.April, 1), fiCutoff.AddDate(0, 0, -96), daily, nil)
	return rows
}

// quotedUpTo returns a mutual fund with a quote on each day up to the cutoff, because only
// mutual funds decide the cutoff.
func quotedUpTo(t *testing.T) string {
	t.Helper()
	var rows []cartolaDay
	for day := oracle.Date(2021, time.January, 1); !day.After(fiCutoff); day = day.AddDate(0, 0, 1) {
		rows = append(rows, cartolaDay{run: 60001, serie: "A", day: day, equity: 100})
	}
	return cartolaOf(t, rows)
}

const fiRegister = `run,nombre,administradora,tipo,estado
9278,AINA FONDO DE INVERSION,BICE INVERSIONES ADMINISTRADORA GENERAL DE FONDOS S.A.,FINRE,vigente
10654,ALZA DEDALO FONDO DE INVERSION,ALZA ADMINISTRADORA GENERAL DE FONDOS S.A.,FINRE,no vigente
10798,ALZA DEUDA PRIVADA V FONDO DE INVERSIÓN,ALZA ADMINISTRADORA GENERAL DE FONDOS S.A.,FIRES,vigente
10842,BTG PACTUAL ETF LATAM EQUITIES FONDO DE INVERSIÓN,BTG PACTUAL CHILE S.A. ADMINISTRADORA GENERAL DE FONDOS,FIRES,vigente
9999,SIN SERIES FONDO DE INVERSION,ALZA ADMINISTRADORA GENERAL DE FONDOS S.A.,FIRES,vigente`

// fiRegisterFile writes the register, without fund 10835.
func fiRegisterFile(t *testing.T) string {
	t.Helper()
	return fileOf(t, "fi.csv", fiRegister)
}

// ingestInvestmentFunds publishes the files of the generated market.
func ingestInvestmentFunds(t *testing.T, m *demotest.Market, rows []fiDay) {
	t.Helper()
	m.Ingest(t, model.Cartola, quotedUpTo(t), published)
	m.Ingest(t, model.FIRegister, fiRegisterFile(t), published)
	m.Ingest(t, model.Vehicles, fixtures+"vehicles.csv", published)
	if report := m.Ingest(t, model.FIValues, fiFile(t, rows), published); report.Rejected != 1 {
		t.Fatalf("%d rows are rejected, want the void one: %+v", report.Rejected, report.FirstRejects)
	}
}
