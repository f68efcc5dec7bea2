package query_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"cuota/internal/santiago"
	"cuota/internal/testkit/longtest"
	"cuota/sql"

	"github.com/ClickHouse/clickhouse-go/v2"
	gocmp "github.com/google/go-cmp/cmp"
)

var numbers = regexp.MustCompile(`[0-9]+`)

// with adds a parameter to an address.
func with(target, parameter string) string {
	if strings.Contains(target, "?") {
		return target + "&" + parameter
	}
	return target + "?" + parameter
}

func TestKnownAtRepeatsWhatWasAnsweredOnEachDayByteForByte(t *testing.T) {
	longtest.Skip(t)
	t.Parallel()
	const days = 30
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
					t.Fatalf("%s as at %s (-then; +now):\n%d %d\n%s", was.target, at, was.status, is.status,
						gocmp.Diff(string(was.body), string(is.body)))
				}
				if is.status == http.StatusOK && (is.header.Get("X-Batch-Id") != e.batch.batch ||
					is.header.Get("X-Batch-Published-At") != e.batch.at.UTC().Format("2006-01-02T15:04:05.000Z")) {
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
	if statuses[http.StatusOK] < 20*days || statuses[http.StatusNotFound] == 0 ||
		statuses[http.StatusUnprocessableEntity] == 0 {
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
		must(t, c.conn.QueryRow(t.Context(),
			"SELECT groupArray(batch_id) FROM (SELECT * FROM published_batch ORDER BY batch)").Scan(&listed))
		if len(kept) != len(want) || slices.ContainsFunc(kept, func(id string) bool {
			return !want[id]
		}) || len(want) >= len(c.published) {
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
	t.Run("between two kept batches the earlier one answers, and the reply tells when the next one came",
		func(t *testing.T) {
			next := c.published[1] // the first batch of the second day, which a correction followed
			got := c.ask(t, "/api/market-summary?known_at="+next.at.Add(time.Hour).Format(time.RFC3339))
			wantStatus(t, got, http.StatusOK)
			if got.header.Get("X-Batch-Id") != c.published[0].batch ||
				got.header.Get("X-Batch-Superseded-At") != next.at.UTC().Format("2006-01-02T15:04:05.000Z") {
				t.Errorf("%v, want %v, superseded by %v", got.header, c.published[0], next)
			}
		})
	t.Run("before the first batch that is kept there is no answer, and the reply tells since when there is",
		func(t *testing.T) {
			for _, at := range []string{"1970-01-01", "0001-01-01T00:00:00Z", "2026-03-14",
				c.published[0].at.Add(-time.Millisecond).Format("2006-01-02T15:04:05.000Z")} {
				got := c.ask(t, "/api/all-funds?known_at="+at)
				wantCode(t, got, http.StatusGone, "known_at_gone")
				var body struct {
					Current string `json:"current_batch_id"`
					Since   string `json:"known_since"`
				}
				must(t, json.Unmarshal(got.body, &body))
				if body.Since != c.published[0].at.UTC().Format("2006-01-02T15:04:05.000Z") ||
					body.Current != c.published[len(c.published)-1].batch {
					t.Errorf("%s: %+v", at, body)
				}
				wantStatus(t, c.ask(t, "/api/all-funds?known_at="+body.Since), http.StatusOK)
			}
		})
	t.Run("the view gives the same batch", func(t *testing.T) {
		for _, e := range evenings {
			var id string
			must(t, c.conn.QueryRow(t.Context(), "SELECT batch_id FROM batch_known_at(known_at = '"+
				e.at.UTC().Format("2006-01-02 15:04:05.000")+"')").Scan(&id))
			if id != e.batch.batch {
				t.Errorf("%v: %s, want %s", e.at, id, e.batch.batch)
			}
			// As an argument of a view: of the history that was loaded late, nothing is seen before.
			var late uint64
			must(t, c.conn.QueryRow(t.Context(),
				"SELECT uniqExact(series_id) FROM all_price_return_as_of(batch = (SELECT batch FROM "+
					"batch_known_at(known_at = '"+
					e.at.UTC().Format("2006-01-02 15:04:05.000")+
					"')), as_of = '2026-03-01') WHERE value IS NOT NULL AND series_id IN (SELECT id FROM registry "+
					"WHERE kind = 'series' AND run = 70099)").Scan(&late))
			if loaded := !e.at.Before(firstArrival.AddDate(0, 0, 3)); loaded != (late == 2) {
				t.Errorf("%v: returns of %d series of the history that was loaded on the fourth day", e.at, late)
			}
		}
	})
	t.Run("a fact was first seen when the first batch with its file was published", func(t *testing.T) {
		var seen, loaded time.Time
		must(t, c.conn.QueryRow(t.Context(),
			"SELECT min(seen_at) FROM fact_quota INNER JOIN seen_file ON sha256 = source_sha256 WHERE run = 70099").Scan(&seen))
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
		must(t, c.conn.QueryRow(t.Context(),
			"SELECT count() FROM fact_quota WHERE source_sha256 NOT IN (SELECT sha256 FROM seen_file WHERE seen_at "+
				"IS NOT NULL)").Scan(&unseen))
		if unseen > 0 {
			t.Errorf("%d facts have no moment", unseen)
		}
	})
	t.Run("pages after the first name the batch", func(t *testing.T) {
		target := evenings[2].replies[slices.IndexFunc(evenings[2].replies, func(r reply) bool {
			return strings.Contains(r.target, "limit=3")
		})].target
		first := decode[struct{ Links struct{ Next string } }](t,
			c.ask(t, with(target, "known_at="+evenings[2].day.Format(time.DateOnly))))
		if strings.Contains(first.Links.Next, "known_at") ||
			!strings.Contains(first.Links.Next, "batch_id="+evenings[2].batch.batch) {
			t.Errorf("next page %s, want one of batch %s", first.Links.Next, evenings[2].batch.batch)
		}
		wantStatus(t, c.ask(t, first.Links.Next), http.StatusOK)
	})
	t.Run("a batch that is found damaged is passed over", func(t *testing.T) {
		damaged, before := evenings[1], evenings[0]
		must(t, c.conn.Exec(t.Context(),
			"INSERT INTO batch_damage (batch, found_at, table, reason) SELECT batch, now(), 'screener', 'a test' "+
				"FROM batch WHERE batch_id = '"+damaged.batch.batch+"'"))
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
	longtest.InTurns(t)
	t.Parallel()
	r := littleMarket(t)
	r.publish(t, 2)
	for batch, at := range map[int]string{1: "2026-04-05 03:59:59.999", 2: "2026-04-05 04:00:00.000"} {
		must(t, r.conn.Exec(t.Context(),
			fmt.Sprintf("ALTER TABLE batch UPDATE calculated_at = '%s' WHERE batch = %d SETTINGS mutations_sync = 1",
				at, batch)))
	}
	must(t, r.Refresh(t.Context()))
	r.setClock(time.Date(2026, time.August, 20, 2, 0, 0, 0, time.UTC)) // the 19th in Santiago
	for known, want := range map[string]int{
		"2026-04-04": 1, "2026-04-05": 2, "2026-08-19": 2,
		"2026-04-05T03:59:59.999Z": 1, "2026-04-05T03:59:59.9999Z": 1, "2026-04-04T23:59:59.999-04:00": 1,
		"2026-04-05T05:59:59.999%2B02:00": 1,
		"2026-04-05T04:00:00Z":            2, "2026-04-05T00:00:00-04:00": 2, "2026-08-20T02:00:00Z": 2,
	} {
		for _, target := range []string{"/api/compare?series=201", "/api/real_assets/201/returns",
			"/api/real_assets/201/days", "/api/all-funds", "/api/market-summary"} {
			got := r.get(t, with(target, "known_at="+known))
			wantStatus(t, got, http.StatusOK)
			if id := got.header.Get("X-Batch-Id"); id != batchID(want) {
				t.Errorf("%s at %s: batch %s, want %s", target, known, id, batchID(want))
			}
		}
	}
	for known, want := range map[string]string{
		"2026-08-20": "query.known_at:date_future", "2026-08-20T02:00:00.001Z": "query.known_at:date_future",
		// + is a space
		"2026-04-05T04:00:00":       "query.known_at:datetime_parsing",
		"2026-04-05T04:00:00+02:00": "query.known_at:datetime_parsing",
		"2026-04-05T4:00:00Z":       "query.known_at:datetime_parsing", "2026-02-30": "query.known_at:datetime_parsing",
		"2026-04-05T24:00:00Z": "query.known_at:datetime_parsing",
		"now":                  "query.known_at:datetime_parsing", "": "query.known_at:datetime_parsing",
		"0000-01-01":                        "query.known_at:datetime_parsing",
		"2026-04-05&batch_id=" + batchID(1): "query.known_at:value_error",
	} {
		if diff := gocmp.Diff([]string{want},
			r.get(t, "/api/compare?series=201&known_at="+known).violations(t)); diff != "" {
			t.Errorf("%s: %s", known, diff)
		}
	}
	// as_of_date is compared with the day of the moment.
	if diff := gocmp.Diff([]string{"query.as_of_date:date_future"},
		r.get(t, "/api/real_assets/201/returns?as_of_date=2026-04-06&known_at=2026-04-05").violations(t)); diff != "" {
		t.Error(diff)
	}
}

func TestAReplyAboutAMomentIsValidatedByItsBatchAndItsDay(t *testing.T) {
	t.Parallel()
	r := littleMarket(t)
	must(t, r.conn.Exec(t.Context(),
		"ALTER TABLE batch UPDATE calculated_at = '2026-07-01 12:00:00' WHERE batch = 1 SETTINGS mutations_sync = 1"))
	r.publish(t, 2)
	must(t, r.conn.Exec(t.Context(),
		"ALTER TABLE batch UPDATE calculated_at = '2026-07-02 12:00:00' WHERE batch = 2 SETTINGS mutations_sync = 1"))
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
	must(t, r.conn.Exec(t.Context(),
		"INSERT INTO publication SELECT batch, batch_id, calculated_at, as_of_date FROM batch"))
	for _, script := range sql.RetiredGarbage()[:1] {
		must(t, r.conn.Exec(clickhouse.Context(t.Context(),
			clickhouse.WithParameters(clickhouse.Parameters{"batch": "2"})), script.Text))
	}
	got = r.do(t, again)
	wantStatus(t, got, http.StatusOK)
	if got.header.Get("X-Batch-Id") != batchID(1) ||
		got.header.Get("X-Batch-Superseded-At") != "2026-07-02T12:00:00.000Z" ||
		got.header.Get("ETag") == first.header.Get("ETag") {
		t.Errorf("%v", got.header)
	}
}
