package summarytable_test

import (
	"encoding/csv"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/oracle"
	"cuota/model"
)

// The families of the made market, with their categories (RULES 6).
const (
	stocks = "Accionario nacional"
	money  = "Deuda < 90 dias nacional"
	bonds  = "Deuda < 365 dias nacional en pesos" // both of its series close
)

var categories = map[string]string{stocks: "equity", money: "money_market", bonds: "fixed_income"}

// The days of the made market. The last one is complete.
const firstDay, lastDay = "2025-01-01", "2025-04-10"

// passedOver is a day on which the stocks in dollars have only outliers, so that their index has no point.
const passedOver = "2025-03-20"

// silent are days without any row: a Sunday and a month end.
var silent = map[string]bool{"2025-02-23": true, "2025-02-28": true}

// member is a series of the made market.
type member struct {
	run    int
	serie  string
	moneda string
	family string
	last   string // day of its last row
	equity float64
}

func (m member) series() oracle.Series { return oracle.Series{Run: m.run, Name: m.serie} }

// members returns series of ten funds: in pesos and in dollars, some with little equity, some that
// close, among them a whole family.
func members() (list []member) {
	add := func(run int, series, moneda, family, last string, equity float64) {
		for i, serie := range strings.Split(series, "") {
			list = append(list, member{run, serie, moneda, family, last, equity * float64(1+i)})
		}
	}
	add(81001, "ABC", "$$", stocks, lastDay, 40e6) // A and B have less than 100 million, or little more
	add(81002, "AB", "$$", stocks, lastDay, 900e6)
	add(81003, "A", "$$", stocks, "2025-03-03", 700e6)
	add(81003, "B", "$$", stocks, lastDay, 300e6)
	add(81004, "AB", "PROM", stocks, lastDay, 300e3)
	add(81005, "A", "PROM", stocks, "2025-02-20", 500e3)
	add(81006, "AB", "$$", money, lastDay, 2e9)
	add(81007, "AB", "$$", bonds, "2025-02-25", 400e6)
	add(81008, "A", "$$", "", lastDay, 5e9) // in no family
	// With these, stocks in dollars and the money market have three series of two funds to the end (RULES 7, coverage).
	// Those that close never have them.
	add(81009, "AB", "PROM", stocks, lastDay, 400e3)
	add(81010, "A", "$$", money, lastDay, 1e9)
	return list
}

// market is the made market in a database and in the oracle.
type market struct {
	*demotest.Market
	oracle *oracle.Market
	equity map[string]float64 // by series and day, in units of its currency
	dolar  oracle.Dolar
}

func (m member) key(day string) string { return fmt.Sprint(m.run, m.serie, day) }

// made publishes the market.
func made(t *testing.T) *market {
	t.Helper()
	dir := t.TempDir()
	m := &market{Market: demotest.New(t), equity: map[string]float64{}, dolar: oracle.Dolar{}}
	random := rand.New(rand.NewPCG(11, 11))
	rows := []string{"RUN_ADM;NOM_ADM;RUN_FM;FECHA_INF;ACTIVO_TOT;MONEDA;PARTICIPES_INST;INVERSION_EN_FONDOS;SERIE;CUOTAS_APORTADAS;CUOTAS_RESCATADAS;" +
		"CUOTAS_EN_CIRCULACION;VALOR_CUOTA;PATRIMONIO_NETO;NUM_PARTICIPES;NUM_PARTICIPES_INST;FONDO_PEN;REM_FIJA;REM_VARIABLE;GASTOS_AFECTOS;" +
		"GASTOS_NO_AFECTOS;COMISION_INVERSION;COMISION_RESCATE;FACTOR DE AJUSTE;FACTOR DE REPARTO"}
	compared := []string{"fo_run,fm_serie,rent_nominal_1a,rent_real_1a,rent_nominal_3a_ann,rent_real_3a_ann,rent_nominal_5a_ann,rent_real_5a_ann," +
		"rent_nominal_10a_ann,rent_real_10a_ann,ind_rar_pond,familia_estudios,familia_visualizador,familia_rar,clase_inversionista,nombre_fondo," +
		"nombre_agf,serie_digital,fm_fecha"}
	for _, of := range members() {
		if of.family != "" {
			compared = append(compared,
				fmt.Sprintf("%d,%s,,,,,,,,,,%s,%[3]s,%[3]s,Retail,FONDO,ADMINISTRADORA,0,20250131", of.run, of.serie,
					of.family))
		}
		quota := 1000.0
		for day := date(t, firstDay); !day.After(date(t, of.last)); day = day.AddDate(0, 0, 1) {
			drift := 0.01 * (random.Float64() - 0.5)
			if of.family == money {
				drift /= 50
			}
			quota = math.Round(quota*(1+drift)*1e4) / 1e4
			equity := math.Round(of.equity * (1 + 0.1*random.Float64()))
			iso := day.Format(time.DateOnly)
			if silent[iso] {
				continue
			}
			m.equity[of.key(iso)] = equity
			shown := quota
			if of.run == 81002 && of.serie == "A" && iso == "2025-03-12" {
				shown = math.Round(quota*1.3*1e4) / 1e4 // an outlier by its cap
			}
			if of.moneda == "PROM" && iso == passedOver {
				shown = math.Round(quota*1.3*1e4) / 1e4 // all series of the family in dollars
			}
			rows = append(rows, fmt.Sprintf(
				"77057272;SOYFOCUS ADMINISTRADORA GENERAL DE FONDOS "+
					"S.A.;%d;%s;100000;%s;N;0;%s;0;0;1;%s;%s;5;0;N;0;0;0;0;0;0;;",
				of.run, day.Format("20060102"), of.moneda, of.serie, number(shown), number(equity)))
		}
	}
	cartola := fileOf(t, dir, "cartola.txt", rows)
	var err error
	m.oracle, err = oracle.Load(cartola)
	must(t, err)
	for _, of := range members() {
		if of.family != "" {
			m.oracle.Classify(oracle.Classification{Run: of.run, Serie: of.serie, Day: date(t, "2025-01-31"),
				Family: of.family, Category: categories[of.family]})
		}
	}
	ends := []string{"kind,run,serie,ended_on,note,source_url,source_sha256"}
	for _, of := range members() {
		if of.last == lastDay {
			continue
		}
		// Until its end is stated, a series that is silent keeps days incomplete.
		end := date(t, of.last).AddDate(0, 0, 8)
		ends = append(ends, fmt.Sprintf("end,%d-%s,%s,%s,It closed,https://example.org/end,%s",
			of.run, oracle.CheckDigit(of.run), of.serie, end.Format(time.DateOnly), strings.Repeat("0", 64)))
		m.oracle.End(of.run, of.serie, end)
	}
	const dolar = "../../demo/files/macro/dolar_observado.csv"
	m.readDolar(t, dolar)
	m.Ingest(t, model.Cartola, cartola, demotest.Clock)
	m.Ingest(t, model.ReturnsComparator, fileOf(t, dir, "cmf_rentabilidades_20250131.csv", compared), demotest.Clock)
	m.Ingest(t, model.Dolar, dolar, demotest.Clock)
	if report := m.Ingest(t, model.Events, fileOf(t, dir, "ends.csv", ends), demotest.Clock); report.Rejected > 0 ||
		report.Refused {
		t.Fatalf("the ends were not taken: %+v", report)
	}
	m.Build(t)
	return m
}

func (m *market) readDolar(t *testing.T, path string) {
	t.Helper()
	file, err := os.Open(path)
	must(t, err)
	lines, err := csv.NewReader(file).ReadAll()
	must(t, err)
	must(t, file.Close())
	for _, line := range lines[1:] {
		m.dolar[line[0]], err = strconv.ParseFloat(line[1], 64)
		must(t, err)
	}
}

// pesos converts an amount on a day, at the dollar of the day or of at most seven days before.
func (m *market) pesos(currency string, amount float64, on time.Time) float64 {
	if currency == "PESOS" {
		return amount
	}
	for age := range 8 {
		if rate, known := m.dolar[on.AddDate(0, 0, -age).Format(time.DateOnly)]; known {
			return amount * rate
		}
	}
	return math.NaN()
}

func number(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

func fileOf(t *testing.T, dir, name string, lines []string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	must(t, os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600))
	return path
}

func date(t *testing.T, day string) time.Time {
	t.Helper()
	d, err := time.Parse(time.DateOnly, day)
	must(t, err)
	return d
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
