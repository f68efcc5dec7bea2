package query_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cuota/internal/santiago"
	"cuota/internal/testkit/demotest"
	"cuota/model"
	"cuota/projector"
	"cuota/query"
	"cuota/query/series"

	"github.com/rs/zerolog"
)

// chronicle is a market whose files arrive over weeks, with a clock that the projector and the
// server share. It keeps the two newest batches and the last one of each day.
type chronicle struct {
	fileMarket
	projector *projector.Projector
	published []moment // of each batch
}

type moment struct {
	batch string // batch_id
	at    time.Time
}

func newChronicle(t testing.TB) *chronicle {
	t.Helper()
	market := demotest.New(t)
	c := &chronicle{fileMarket: fileMarket{newRig(t, market.Options,
		query.Config{HTTP: unlimited.HTTP, Returns: series.ReturnKinds}), market}}
	c.projector = projector.New(projector.Config{Keep: 2, KeepDays: 60, Now: func() time.Time {
		return *c.clock.Load()
	}}, c.conn, zerolog.Nop())
	return c
}

// arrive ingests a file as published now.
func (c *chronicle) arrive(t testing.TB, dataset model.Dataset, name string, lines []string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	must(t, os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600))
	if report := c.market.Ingest(t, dataset, path, *c.clock.Load()); report.Refused || report.Rejected > 0 {
		t.Fatalf("%s: %+v", name, report)
	}
}

// publish builds and publishes a batch now.
func (c *chronicle) publish(t testing.TB) {
	t.Helper()
	c.market.Settle(t)
	_, err := c.projector.Build(t.Context(), false)
	must(t, err)
	must(t, c.Refresh(t.Context()))
	var id string
	must(t, c.conn.QueryRow(t.Context(), "SELECT argMax(batch_id, batch) FROM batch").Scan(&id))
	c.published = append(c.published, moment{id, *c.clock.Load()})
}

// ask sends a request with a fixed id, which replies about failures repeat.
func (c *chronicle) ask(t testing.TB, target string) answer {
	t.Helper()
	request := c.request(http.MethodGet, target)
	request.Header.Set("X-Request-Id", "same")
	return c.do(t, request)
}

// firstArrival is the first of the days on which files arrive. Summer time ends on the 21st day,
// which has 25 hours.
var firstArrival = time.Date(2026, time.March, 15, 0, 0, 0, 0, santiago.Zone)

// The funds of the chronicle, each with two series. lateRun is known from the fourth day on, with
// its whole history.
const firstRun, chronicleFunds, lateRun = 70001, 8, 70099

// quotesOf returns lines of a cartola: of every series of the funds on the days from first to
// last. change is added to each quota.
func quotesOf(runs []int, first, last time.Time, change float64) []string {
	lines := []string{"RUN_ADM;NOM_ADM;RUN_FM;FECHA_INF;ACTIVO_TOT;MONEDA;PARTICIPES_INST;INVERSION_EN_FONDOS;SERIE;" +
		"CUOTAS_APORTADAS;CUOTAS_RESCATADAS;CUOTAS_EN_CIRCULACION;VALOR_CUOTA;PATRIMONIO_NETO;NUM_PARTICIPES;" +
		"NUM_PARTICIPES_INST;FONDO_PEN;REM_FIJA;REM_VARIABLE;GASTOS_AFECTOS;GASTOS_NO_AFECTOS;COMISION_INVERSION;" +
		"COMISION_RESCATE;FACTOR DE AJUSTE;FACTOR DE REPARTO"}
	for day := first; !day.After(last); day = day.AddDate(0, 0, 1) {
		n := day.YearDay() + 365*(day.Year()-2024)
		for _, run := range runs {
			for i, serie := range []string{"A", "B"} {
				moneda := []string{"$$", "PROM"}[run%2]
				quota := 1000 + float64(n)*(0.1+float64(run%7)/10) + float64((n*n*(run%13+i+1))%17)/4 + change
				lines = append(lines, fmt.Sprintf(
					"91999000;UNA AGF;%d;%s;900000000;%s;N;0;%s;10;%d;90000;%.4f;%.4f;25;0;N;100;0;0;0;0;0;;",
					run, day.Format("20060102"), moneda, serie, (n%20+20)%20, quota, quota*90000))
			}
		}
	}
	return lines
}

func chronicleRuns() (runs []int) {
	for i := range chronicleFunds {
		runs = append(runs, firstRun+i)
	}
	return runs
}

func familiesOf(runs []int, date string, shift int) []string {
	lines := []string{"fo_run,fm_serie,rent_nominal_1a,rent_real_1a,rent_nominal_3a_ann,rent_real_3a_ann,rent_nominal_5a_ann,rent_real_5a_ann," +
		"rent_nominal_10a_ann,rent_real_10a_ann,ind_rar_pond,familia_estudios,familia_visualizador,familia_rar,clase_inversionista,nombre_fondo," +
		"nombre_agf,serie_digital,fm_fecha"}
	for _, run := range runs {
		for _, serie := range []string{"A", "B"} {
			family := []string{"Accionario nacional", "Deuda < 90 dias"}[(run+shift)/3%2]
			lines = append(lines, fmt.Sprintf("%d,%s,,,,,,,,,%d,%s,%[4]s,%[4]s,Retail,FONDO,UNA,0,%s", run, serie,
				(run+shift)%5+1, family, date))
		}
	}
	return lines
}

// live lets files arrive for so many days, and batches be published. It calls evening at the end
// of each day.
func (c *chronicle) live(t testing.TB, days int, evening func(day time.Time)) {
	t.Helper()
	runs := chronicleRuns()
	rates := func(header string, value float64, until time.Time) (lines []string) {
		lines = []string{header}
		for day := firstArrival.AddDate(0, -14, 0); !day.After(until); day = day.AddDate(0, 0, 1) {
			lines = append(lines, fmt.Sprintf("%s,%.2f", day.Format(time.DateOnly), value+float64(day.YearDay())/10))
		}
		return lines
	}
	for i := range days {
		day := firstArrival.AddDate(0, 0, i)
		at := func(hour, minute int) {
			c.setClock(time.Date(day.Year(), day.Month(), day.Day(), hour, minute, 0, 0, santiago.Zone).UTC())
		}
		before := func(days int) time.Time { return day.AddDate(0, 0, -days) }
		if i == 0 {
			at(9, 0)
			c.arrive(t, model.Cartola, "history.txt", quotesOf(runs, before(400), before(2), 0))
			c.arrive(t, model.ReturnsComparator, "first.csv", familiesOf(runs, before(40).Format("20060102"), 0))
			c.arrive(t, model.UF, "uf.csv", rates("fecha,valor", 39000, day.AddDate(0, 0, 20)))
			c.arrive(t, model.Dolar, "dolar.csv", rates("fecha,valor", 950, before(1)))
		}
		if i%10 == 8 { // nothing arrives, so the batch of the day before still answers
			at(23, 59)
			evening(day)
			continue
		}
		at(10, 0)
		c.arrive(t, model.Cartola, "day.txt", quotesOf(runs, before(1), before(1), 0))
		c.publish(t)
		if i%3 == 1 { // a correction on the same day, after the first batch
			at(15, 30)
			c.arrive(t, model.Cartola, "correction.txt",
				quotesOf(runs[i%5:i%5+3], before(6), before(4), float64(i+1)/2))
			c.publish(t)
		}
		if i == 4 {
			at(20, 0)
			c.arrive(t, model.ReturnsComparator, "second.csv", familiesOf(runs, before(10).Format("20060102"), 1))
			c.arrive(t, model.Dolar, "dolar-corrected.csv", rates("fecha,valor", 951, day))
			c.publish(t)
		}
		if i == 3 { // a history that ends where the others do, and begins before them
			at(21, 0)
			c.arrive(t, model.Cartola, "late.txt", quotesOf([]int{lateRun}, before(500), before(1), 0))
			c.publish(t)
			runs = append(runs, lateRun) // it goes on, or the market would wait for it
		}
		if i == 20 { // the hour that comes twice
			c.setClock(santiago.NextDay(*c.clock.Load()).Add(-10 * time.Minute))
			c.arrive(t, model.Cartola, "night.txt", quotesOf(runs[:1], before(3), before(3), 7))
			c.publish(t)
		}
		if now := santiago.NextDay(*c.clock.Load()).Add(-time.Minute); now.After(*c.clock.Load()) {
			c.setClock(now)
		}
		evening(day)
	}
}

// targets returns requests to the operations that take known_at, as a caller sends them on a
// day: about the present, and about dates before it.
func (c *chronicle) targets(t testing.TB, day time.Time) (targets []string) {
	t.Helper()
	id := func(run int, serie string) (id uint32) {
		must(t, c.conn.QueryRow(t.Context(),
			"SELECT max(id) FROM registry WHERE kind = 'series' AND run = $1 AND serie = $2", run, serie).Scan(&id))
		return id
	}
	a, b := id(firstRun, "A"), id(firstRun+1, "B")
	late := uint32(4242424242)
	if known := id(lateRun, "A"); known != 0 {
		late = known
	}
	past := func(days int) string { return day.AddDate(0, 0, -days).Format(time.DateOnly) }
	for _, series := range []uint32{a, b, late} {
		returns, days := fmt.Sprintf("/api/real_assets/%d/returns", series),
			fmt.Sprintf("/api/real_assets/%d/days", series)
		targets = append(targets, returns, returns+"?as_of_date="+past(30), returns+"?valuation=real_uf", days,
			days+"?from_date="+past(12)+"&to_date="+past(2))
	}
	return append(targets,
		fmt.Sprintf("/api/real_assets/%d/returns?as_of_date=%s&valuation=clp", b, past(5)),
		fmt.Sprintf("/api/real_assets/%d/returns?return_basis=total", a),
		fmt.Sprintf("/api/real_assets/%d/returns?as_of_date=%s", a, past(-1)), // the future, on that day
		fmt.Sprintf("/api/real_assets/%d/days?from_date=%s&limit=3", a, past(15)),
		fmt.Sprintf("/api/compare?series=%d,%d", a, b), fmt.Sprintf("/api/compare?series=%d,%d", a, late),
		fmt.Sprintf("/api/compare?series=%d,%d&as_of_date=%s", a, b, past(8)),
		"/api/all-funds", "/api/all-funds?vehicle=all&date="+past(9),
		"/api/all-funds?fund_family=accionario%20nacional",
		"/api/market-summary", "/api/market-summary?date="+past(10),
		fmt.Sprintf("/api/market-summaries?from_date=%s&to_date=%s", past(12), past(-1)))
}
