package query_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/google/go-cmp/cmp"

	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/model"
	"cuota/sql"
)

var invention demotest.Shared

// publishedInvention returns a published batch of inventedMarket, which tests share and only read.
func publishedInvention(t *testing.T) *clickhouse.Options {
	t.Helper()
	return invention.Of(t, func(m *demotest.Market) {
		for _, file := range inventedMarket(t) {
			m.Ingest(t, file.dataset, file.path, file.published)
		}
		m.Build(t)
	})
}

// computedWindow is a window as the view of the rule has it.
type computedWindow struct {
	Window   string     `ch:"window"`
	Value    *float64   `ch:"value"`
	Currency *string    `ch:"currency"`
	Reason   *string    `ch:"reason"`
	From     time.Time  `ch:"target_start"`
	To       time.Time  `ch:"target_end"`
	Start    *time.Time `ch:"effective_start"`
	End      *time.Time `ch:"effective_end"`
}

// sameAsComputed compares the returns of a series at a date with those that the view computes from its quotes, to the
// last bit.
func sameAsComputed(t *testing.T, r *rig, series uint32, date string) answer {
	t.Helper()
	target := fmt.Sprintf("/api/real_assets/%d/returns?as_of_date=%s", series, date)
	got := serve(r.Handler(), sameRequest(r, target))
	wantStatus(t, got, http.StatusOK)
	type period struct {
		Value    *float64
		Currency *string
		Reason   *string
		From     string  `json:"target_start_date"`
		To       string  `json:"target_end_date"`
		Start    *string `json:"effective_start_date"`
		End      *string `json:"effective_end_date"`
	}
	shown := decode[struct {
		Data struct {
			Attributes struct{ Periods map[string]period }
		}
	}](t, got).Data.Attributes.Periods
	found, err := sql.Select[computedWindow](t.Context(), r.conn, "returns_as_of",
		clickhouse.Parameters{"batch": "1", "series_id": fmt.Sprint(series), "as_of": date}, "compute returns")
	must(t, err)
	text := func(day *time.Time) *string {
		if day == nil {
			return nil
		}
		return new(day.Format(time.DateOnly))
	}
	want := map[string]period{}
	for _, of := range found {
		want[of.Window] = period{of.Value, of.Currency, of.Reason, *text(&of.From), *text(&of.To), text(of.Start),
			text(of.End)}
	}
	if diff := cmp.Diff(want, shown); diff != "" || len(want) != len(model.Windows) {
		t.Fatalf("%s (-computed +reply):\n%s", target, diff)
	}
	return got
}

// At a past date, a server reads the stored windows of one series, and of all when the date is requested again.
func TestReturnsAtPastDatesAreTheSameStoredAndComputed(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	for name, market := range map[string]struct {
		options     *clickhouse.Options
		first, last string
	}{
		"demo":     {demotest.Published(t), "2019-12-01", "2025-07-20"},
		"invented": {publishedInvention(t), "2024-05-01", "2025-07-20"},
	} {
		t.Run(name, func(t *testing.T) {
			statements := &atomic.Int64{}
			r := rigOver(t, watched{connect(t, market.options), func(string) { statements.Add(1) }}, unlimited)
			plain := connect(t, market.options)
			var ids []uint32
			must(t, plain.QueryRow(t.Context(), `
				SELECT groupArray(series_id) FROM
				(
				    SELECT series_id FROM current_series_day GROUP BY series_id HAVING count() > 60 ORDER BY series_id
				)`).Scan(&ids))
			first, err := time.Parse(time.DateOnly, market.first)
			must(t, err)
			last, err := time.Parse(time.DateOnly, market.last)
			must(t, err)
			random := rand.New(rand.NewPCG(14, 3))
			snapshots, dates := 0, 25
			if testing.Short() {
				dates = 10
			}
			for range dates {
				date := first.AddDate(0, 0, random.IntN(int(last.Sub(first).Hours()/24))).Format(time.DateOnly)
				for range 4 {
					before := statements.Load()
					got := sameAsComputed(t, r, ids[random.IntN(len(ids))], date)
					if got.source() != "snapshot" {
						continue
					}
					snapshots++
					if ran := statements.Load() - before; ran != 1 { // that of the comparison
						t.Errorf("%s: %d statements reached ClickHouse", date, ran-1)
					}
				}
			}
			if snapshots < dates {
				t.Errorf("only %d of %d replies came from memory", snapshots, 4*dates)
			}
		})
	}
}

// On the days before its first quote, and from the 39th day after its last one, return_day has no row of a series.
func TestReturnsOfAClosedSeriesAreThoseOfStandingQuotes(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	options := publishedInvention(t)
	var standing, computing atomic.Int64
	r := rigOver(t, watched{connect(t, options), func(statement string) {
		switch statement {
		case sql.Query("returns_of_standing_quotes"):
			standing.Add(1)
		case sql.Query("returns_as_of"):
			computing.Add(1)
		}
	}}, unlimited)
	type life struct {
		Series uint32    `ch:"series_id"`
		First  time.Time `ch:"first"`
		Last   time.Time `ch:"last"`
	}
	var lives []life
	must(t, r.conn.Select(t.Context(), &lives,
		`SELECT series_id, min(date) AS first, max(date) AS last FROM current_series_day GROUP BY series_id
		HAVING first > '2024-06-10' OR last < '2025-06-01' ORDER BY series_id`))
	var begin time.Time
	must(t, r.conn.QueryRow(t.Context(), "SELECT min(date) FROM current_series_day").Scan(&begin))
	random := rand.New(rand.NewPCG(16, 5))
	closed, unborn, asked, before := 0, 0, int64(0), int64(0)
	for _, of := range lives {
		for range 3 {
			date := of.First.AddDate(0, 0, -1-random.IntN(10))
			if of.Last.Before(time.Date(2025, time.June, 1, 0, 0, 0, 0, time.UTC)) && random.IntN(3) > 0 {
				date = of.Last.AddDate(0, 0, 39+random.IntN(11))
				closed++
			} else {
				unborn++
			}
			if date.Before(begin) {
				before++
			}
			// one series, then all of the date, then from memory
			for _, series := range []uint32{of.Series, lives[0].Series, lives[len(lives)-1].Series} {
				asked++
				sameAsComputed(t, r, series, date.Format(time.DateOnly))
			}
		}
	}
	if closed < 5 || unborn < 5 || standing.Load() == 0 {
		t.Errorf("%d closed, %d not begun, %d statements: nothing was put to the test", closed, unborn, standing.Load())
	}
	// Only before the first day of the market is there no day whose quotes could stand.
	if computed := computing.Load() - asked; computed > 3*before {
		t.Errorf("%d replies were computed, %d are of days before the market", computed, 3*before)
	}
}

// Names of files that were replaced, and keys of a batch that failed, are registered and have no quote.
func TestASeriesWithoutAnyQuoteIsUnknownOnEveryDate(t *testing.T) {
	t.Parallel()
	r := littleMarket(t)
	insert(t, r.conn, "registry", row{"kind": "series", "id": 888, "key": "series:8011-K:NEVER", "run": 8011,
		"serie": "NEVER", "batch": 1})
	for _, day := range []string{"2026-06-29", "2026-06-30", "2026-07-31"} {
		insert(t, r.conn, "return_day_version", row{"date": day, "build": 1})
		insert(t, r.conn, "standing_quote", row{"date": day, "series_id": seriesOpen, "build": 1, "quote_date": day,
			"quota": "110", "currency": "PESOS", "stated_currency": "PESOS"})
	}
	for _, query := range []string{"", "?as_of_date=2026-06-30", "?as_of_date=2026-06-30", "?as_of_date=2026-06-15"} {
		got := serve(r.Handler(), r.request(http.MethodGet, "/api/real_assets/888/returns"+query))
		if got.status != http.StatusNotFound {
			t.Errorf("%s: %d %s", query, got.status, got.body)
		}
	}
	wantStatus(t, r.get(t, "/api/real_assets/201/returns?as_of_date=2026-06-30"), http.StatusOK)
}

// sameRequest is a request whose reply does not depend on when it is sent.
func sameRequest(r *rig, target string) *http.Request {
	request := r.request(http.MethodGet, target)
	request.Header.Set("X-Request-Id", "the-same")
	return request
}
