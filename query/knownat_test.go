package query_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"cuota/internal/santiago"
	"cuota/internal/testkit/demotest"
	"cuota/model"
	"cuota/projector"
	"cuota/query"
	"cuota/sql"

	"github.com/ClickHouse/clickhouse-go/v2"
	gocmp "github.com/google/go-cmp/cmp"
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
	c := &chronicle{fileMarket: fileMarket{newRig(t, market.Options, query.Config{HTTP: unlimited.HTTP, Returns: query.ReturnKinds}), market}}
	c.projector = projector.New(projector.Config{Keep: 2, KeepDays: 60, Now: func() time.Time { return *c.clock.Load() }}, c.conn, zerolog.Nop())
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

var numbers = regexp.MustCompile(`[0-9]+`)

// with adds a parameter to an address.
func with(target, parameter string) string {
	if strings.Contains(target, "?") {
		return target + "&" + parameter
	}
	return target + "?" + parameter
}

// firstArrival is the first of the days on which files arrive. Summer time ends on the 21st day,
// which has 25 hours.
var firstArrival = time.Date(2026, time.March, 15, 0, 0, 0, 0, santiago.Zone)

// The funds of the chronicle, each with two series. lateRun is known from the fourth day on, with
// its whole history.
const firstRun, chronicleFunds, lateRun = 70001, 8, 70099

// quotesOf gives lines of a cartola: of every series of the funds on the days from first to
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
				lines = append(lines, fmt.Sprintf("91999000;UNA AGF;%d;%s;900000000;%s;N;0;%s;10;%d;90000;%.4f;%.4f;25;0;N;100;0;0;0;0;0;;",
					run, day.Format("20060102"), moneda, serie, n%20, quota, quota*90000))
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
			lines = append(lines, fmt.Sprintf("%d,%s,,,,,,,,,%d,%s,%[4]s,%[4]s,Retail,FONDO,UNA,0,%s", run, serie, (run+shift)%5+1, family, date))
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
			c.arrive(t, model.Cartola, "correction.txt", quotesOf(runs[i%5:i%5+3], before(6), before(4), float64(i+1)/2))
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

// targets gives requests to the operations that take known_at, as a caller sends them on a
// day: about the present, and about dates before it.
func (c *chronicle) targets(t testing.TB, day time.Time) (targets []string) {
	t.Helper()
	id := func(run int, serie string) (id uint32) {
		must(t, c.conn.QueryRow(t.Context(), "SELECT max(id) FROM registry WHERE kind = 'series' AND run = $1 AND serie = $2", run, serie).Scan(&id))
		return id
	}
	a, b := id(firstRun, "A"), id(firstRun+1, "B")
	late := uint32(4242424242)
	if known := id(lateRun, "A"); known != 0 {
		late = known
	}
	past := func(days int) string { return day.AddDate(0, 0, -days).Format(time.DateOnly) }
	for _, series := range []uint32{a, b, late} {
		returns, days := fmt.Sprintf("/api/real_assets/%d/returns", series), fmt.Sprintf("/api/real_assets/%d/days", series)
		targets = append(targets, returns, returns+"?as_of_date="+past(30), returns+"?valuation=real_uf", days, days+"?from_date="+past(12)+"&to_date="+past(2))
	}
	return append(targets,
		fmt.Sprintf("/api/real_assets/%d/returns?as_of_date=%s&valuation=clp", b, past(5)), fmt.Sprintf("/api/real_assets/%d/returns?return_basis=total", a),
		fmt.Sprintf("/api/real_assets/%d/returns?as_of_date=%s", a, past(-1)), // the future, on that day
		fmt.Sprintf("/api/real_assets/%d/days?from_date=%s&limit=3", a, past(15)),
		fmt.Sprintf("/api/compare?series=%d,%d", a, b), fmt.Sprintf("/api/compare?series=%d,%d", a, late),
		fmt.Sprintf("/api/compare?series=%d,%d&as_of_date=%s", a, b, past(8)),
		"/api/all-funds", "/api/all-funds?vehicle=all&date="+past(9), "/api/all-funds?fund_family=accionario%20nacional",
		"/api/market-summary", "/api/market-summary?date="+past(10))
}

func TestKnownAtRepeatsWhatWasAnsweredOnEachDayByteForByte(t *testing.T) {
	t.Parallel()
	days := 30
	if testing.Short() {
		days = 4
	}
	c := newChronicle(t)
	type reply struct {
		target string
		answer
	}
	type evening struct {
		day, at time.Time
		batch   moment
		replies []reply
	}
	var evenings []evening
	c.live(t, days, func(day time.Time) {
		e := evening{day: day, at: *c.clock.Load(), batch: c.published[len(c.published)-1]}
		for _, target := range c.targets(t, day) {
			e.replies = append(e.replies, reply{target, c.ask(t, target)})
		}
		evenings = append(evenings, e)
	})
	c.setClock(*new(c.clock.Load().AddDate(0, 0, 3)))

	statuses, differing := map[int]int{}, map[string]map[string]bool{}
	for _, e := range evenings {
		for _, was := range e.replies {
			for _, at := range []string{e.day.Format(time.DateOnly), e.at.Format(time.RFC3339)} {
				is := c.ask(t, with(was.target, "known_at="+at))
				if is.status != was.status || string(is.body) != string(was.body) {
					t.Fatalf("%s as at %s (-then; +now):\n%d %d\n%s", was.target, at, was.status, is.status, gocmp.Diff(string(was.body), string(is.body)))
				}
				if is.status == http.StatusOK && (is.header.Get("X-Batch-Id") != e.batch.batch || is.header.Get("X-Batch-Published-At") != e.batch.at.UTC().Format("2006-01-02T15:04:05.000Z")) {
					t.Fatalf("%s as at %s: %v, want batch %v", was.target, at, is.header, e.batch)
				}
			}
			statuses[was.status]++
			if was.status == http.StatusOK {
				kind := numbers.ReplaceAllString(was.target, "N")
				if differing[kind] == nil {
					differing[kind] = map[string]bool{}
				}
				differing[kind][string(was.body)] = true
			}
		}
	}
	if statuses[http.StatusOK] < 20*days || statuses[http.StatusNotFound] == 0 || statuses[http.StatusUnprocessableEntity] == 0 {
		t.Errorf("%v: this proves too little", statuses)
	}
	for kind, bodies := range differing {
		if len(bodies) < days*2/3 {
			t.Errorf("%s had only %d different replies: this proves too little", kind, len(bodies))
		}
	}

	t.Run("only the last batch of each day is kept beyond the newest", func(t *testing.T) {
		last := map[string]string{}
		for _, m := range c.published {
			last[m.at.In(santiago.Zone).Format(time.DateOnly)] = m.batch
		}
		want := map[string]bool{}
		for _, id := range last {
			want[id] = true
		}
		for _, m := range c.published[len(c.published)-2:] {
			want[m.batch] = true
		}
		var kept, listed []string
		must(t, c.conn.QueryRow(t.Context(), "SELECT groupArray(batch_id) FROM batch").Scan(&kept))
		must(t, c.conn.QueryRow(t.Context(), "SELECT groupArray(batch_id) FROM (SELECT * FROM published_batch ORDER BY batch)").Scan(&listed))
		if len(kept) != len(want) || slices.ContainsFunc(kept, func(id string) bool { return !want[id] }) || len(want) >= len(c.published) {
			t.Errorf("%v are kept, want %v", kept, want)
		}
		var all []string
		for _, m := range c.published {
			all = append(all, m.batch)
		}
		if diff := gocmp.Diff(all, listed); diff != "" {
			t.Errorf("published batches are listed wrongly (-published; +listed):\n%s", diff)
		}
	})
	t.Run("between two kept batches the earlier one answers, and the reply tells when the next one came", func(t *testing.T) {
		next := c.published[1] // the first batch of the second day, which a correction followed
		got := c.ask(t, "/api/market-summary?known_at="+next.at.Add(time.Hour).Format(time.RFC3339))
		wantStatus(t, got, http.StatusOK)
		if got.header.Get("X-Batch-Id") != c.published[0].batch || got.header.Get("X-Batch-Superseded-At") != next.at.UTC().Format("2006-01-02T15:04:05.000Z") {
			t.Errorf("%v, want %v, superseded by %v", got.header, c.published[0], next)
		}
	})
	t.Run("before the first batch that is kept there is no answer, and the reply tells since when there is", func(t *testing.T) {
		for _, at := range []string{"1970-01-01", "0001-01-01T00:00:00Z", "2026-03-14", c.published[0].at.Add(-time.Millisecond).Format("2006-01-02T15:04:05.000Z")} {
			got := c.ask(t, "/api/all-funds?known_at="+at)
			wantCode(t, got, http.StatusGone, "known_at_gone")
			var body struct {
				Current string `json:"current_batch_id"`
				Since   string `json:"known_since"`
			}
			must(t, json.Unmarshal(got.body, &body))
			if body.Since != c.published[0].at.UTC().Format("2006-01-02T15:04:05.000Z") || body.Current != c.published[len(c.published)-1].batch {
				t.Errorf("%s: %+v", at, body)
			}
			wantStatus(t, c.ask(t, "/api/all-funds?known_at="+body.Since), http.StatusOK)
		}
	})
	t.Run("the view gives the same batch", func(t *testing.T) {
		for _, e := range evenings {
			var id string
			must(t, c.conn.QueryRow(t.Context(), "SELECT batch_id FROM batch_known_at(known_at = '"+e.at.UTC().Format("2006-01-02 15:04:05.000")+"')").Scan(&id))
			if id != e.batch.batch {
				t.Errorf("%v: %s, want %s", e.at, id, e.batch.batch)
			}
			// As an argument of a view: of the history that was loaded late, nothing is seen before.
			var late uint64
			must(t, c.conn.QueryRow(t.Context(), "SELECT uniqExact(series_id) FROM all_price_return_as_of(batch = (SELECT batch FROM batch_known_at(known_at = '"+
				e.at.UTC().Format("2006-01-02 15:04:05.000")+"')), as_of = '2026-03-01') WHERE value IS NOT NULL AND series_id IN (SELECT id FROM registry WHERE kind = 'series' AND run = 70099)").Scan(&late))
			if loaded := !e.at.Before(firstArrival.AddDate(0, 0, 3)); loaded != (late == 2) {
				t.Errorf("%v: returns of %d series of the history that was loaded on the fourth day", e.at, late)
			}
		}
	})
	t.Run("a fact was first seen when the first batch with its file was published", func(t *testing.T) {
		var seen, loaded time.Time
		must(t, c.conn.QueryRow(t.Context(), "SELECT DISTINCT seen_at FROM fact_quota INNER JOIN seen_file ON sha256 = source_sha256 WHERE run = 70099").Scan(&seen))
		for _, m := range c.published {
			if m.at.In(santiago.Zone).Hour() == 21 {
				loaded = m.at
				break
			}
		}
		if !seen.Equal(loaded) {
			t.Errorf("seen at %v, want %v", seen, loaded)
		}
		var unseen uint64
		must(t, c.conn.QueryRow(t.Context(), "SELECT count() FROM fact_quota WHERE source_sha256 NOT IN (SELECT sha256 FROM seen_file WHERE seen_at IS NOT NULL)").Scan(&unseen))
		if unseen > 0 {
			t.Errorf("%d facts have no moment", unseen)
		}
	})
	t.Run("pages after the first name the batch", func(t *testing.T) {
		target := evenings[2].replies[slices.IndexFunc(evenings[2].replies, func(r reply) bool { return strings.Contains(r.target, "limit=3") })].target
		first := decode[struct{ Links struct{ Next string } }](t, c.ask(t, with(target, "known_at="+evenings[2].day.Format(time.DateOnly))))
		if strings.Contains(first.Links.Next, "known_at") || !strings.Contains(first.Links.Next, "batch_id="+evenings[2].batch.batch) {
			t.Errorf("next page %s, want one of batch %s", first.Links.Next, evenings[2].batch.batch)
		}
		wantStatus(t, c.ask(t, first.Links.Next), http.StatusOK)
	})
	t.Run("a batch that is found damaged is passed over", func(t *testing.T) {
		damaged, before := evenings[1], evenings[0]
		must(t, c.conn.Exec(t.Context(), "INSERT INTO batch_damage (batch, found_at, table, reason) SELECT batch, now(), 'screener', 'a test' FROM batch WHERE batch_id = '"+damaged.batch.batch+"'"))
		got := c.ask(t, "/api/market-summary?known_at="+damaged.day.Format(time.DateOnly))
		wantStatus(t, got, http.StatusOK)
		if id := got.header.Get("X-Batch-Id"); id != before.batch.batch {
			t.Errorf("batch %s answers, want %s", id, before.batch.batch)
		}
	})
}

// Batch 1 was published in the last millisecond of a day of 25 hours, and batch 2 in the
// millisecond after it.
func TestAMomentIsAnInstantWithItsOffsetOrADayInSantiago(t *testing.T) {
	t.Parallel()
	r := littleMarket(t)
	r.publish(t, 2)
	for batch, at := range map[int]string{1: "2026-04-05 03:59:59.999", 2: "2026-04-05 04:00:00.000"} {
		must(t, r.conn.Exec(t.Context(), fmt.Sprintf("ALTER TABLE batch UPDATE calculated_at = '%s' WHERE batch = %d SETTINGS mutations_sync = 1", at, batch)))
	}
	must(t, r.Refresh(t.Context()))
	r.setClock(time.Date(2026, time.August, 20, 2, 0, 0, 0, time.UTC)) // the 19th in Santiago
	for known, want := range map[string]int{
		"2026-04-04": 1, "2026-04-05": 2, "2026-08-19": 2,
		"2026-04-05T03:59:59.999Z": 1, "2026-04-05T03:59:59.9999Z": 1, "2026-04-04T23:59:59.999-04:00": 1, "2026-04-05T05:59:59.999%2B02:00": 1,
		"2026-04-05T04:00:00Z": 2, "2026-04-05T00:00:00-04:00": 2, "2026-08-20T02:00:00Z": 2,
	} {
		for _, target := range []string{"/api/compare?series=201", "/api/real_assets/201/returns", "/api/real_assets/201/days", "/api/all-funds", "/api/market-summary"} {
			got := r.get(t, with(target, "known_at="+known))
			wantStatus(t, got, http.StatusOK)
			if id := got.header.Get("X-Batch-Id"); id != batchID(want) {
				t.Errorf("%s at %s: batch %s, want %s", target, known, id, batchID(want))
			}
		}
	}
	for known, want := range map[string]string{
		"2026-08-20": "query.known_at:date_future", "2026-08-20T02:00:00.001Z": "query.known_at:date_future",
		"2026-04-05T04:00:00": "query.known_at:datetime_parsing", "2026-04-05T04:00:00+02:00": "query.known_at:datetime_parsing", // + is a space
		"2026-04-05T4:00:00Z": "query.known_at:datetime_parsing", "2026-02-30": "query.known_at:datetime_parsing", "2026-04-05T24:00:00Z": "query.known_at:datetime_parsing",
		"now": "query.known_at:datetime_parsing", "": "query.known_at:datetime_parsing", "0000-01-01": "query.known_at:datetime_parsing",
		"2026-04-05&batch_id=" + batchID(1): "query.known_at:value_error",
	} {
		if diff := gocmp.Diff([]string{want}, r.get(t, "/api/compare?series=201&known_at="+known).violations(t)); diff != "" {
			t.Errorf("%s: %s", known, diff)
		}
	}
	// as_of_date is compared with the day of the moment.
	if diff := gocmp.Diff([]string{"query.as_of_date:date_future"}, r.get(t, "/api/real_assets/201/returns?as_of_date=2026-04-06&known_at=2026-04-05").violations(t)); diff != "" {
		t.Error(diff)
	}
}

func TestAReplyAboutAMomentIsValidatedByItsBatchAndItsDay(t *testing.T) {
	t.Parallel()
	r := littleMarket(t)
	must(t, r.conn.Exec(t.Context(), "ALTER TABLE batch UPDATE calculated_at = '2026-07-01 12:00:00' WHERE batch = 1 SETTINGS mutations_sync = 1"))
	r.publish(t, 2)
	must(t, r.conn.Exec(t.Context(), "ALTER TABLE batch UPDATE calculated_at = '2026-07-02 12:00:00' WHERE batch = 2 SETTINGS mutations_sync = 1"))
	r.publish(t, 3)
	must(t, r.Refresh(t.Context()))
	const target = "/api/compare?series=201&known_at=2026-07-02T13:00:00Z"
	first := r.get(t, target)
	wantStatus(t, first, http.StatusOK)
	again := r.request(http.MethodGet, target)
	again.Header.Set("If-None-Match", first.header.Get("ETag"))
	r.setClock(r.clock.Load().AddDate(0, 0, 1)) // the day of the moment counts, and not today
	got := r.do(t, again)
	wantStatus(t, got, http.StatusNotModified)
	if got.header.Get("X-Batch-Id") != batchID(2) {
		t.Errorf("%v", got.header)
	}
	// When the batch is retired, the one before answers, and the reply is another one.
	must(t, r.conn.Exec(t.Context(), "INSERT INTO publication SELECT batch, batch_id, calculated_at, as_of_date FROM batch"))
	for _, script := range sql.RetiredGarbage()[:1] {
		must(t, r.conn.Exec(clickhouse.Context(t.Context(), clickhouse.WithParameters(clickhouse.Parameters{"batch": "2"})), script.Text))
	}
	got = r.do(t, again)
	wantStatus(t, got, http.StatusOK)
	if got.header.Get("X-Batch-Id") != batchID(1) || got.header.Get("X-Batch-Superseded-At") != "2026-07-02T12:00:00.000Z" || got.header.Get("ETag") == first.header.Get("ETag") {
		t.Errorf("%v", got.header)
	}
}
