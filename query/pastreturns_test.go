package query_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"

	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/query"
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

// At a past date, a server reads the stored windows of one series, and of all when the date is requested
// again. Another server, without room for a snapshot, computes them from the quotes. Both must give the
// same bytes.
func TestReturnsAtPastDatesAreTheSameStoredAndComputed(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	for name, market := range map[string]struct {
		options     *clickhouse.Options
		first, last string
	}{
		"demo":     {demotest.Published(t), "2019-12-01", "2025-08-05"},
		"invented": {publishedInvention(t), "2024-05-01", "2025-08-01"},
	} {
		t.Run(name, func(t *testing.T) {
			memory, plain, statements := fromMemoryAndSQL(t, market.options)
			var ids []uint32
			must(t, plain.conn.QueryRow(t.Context(), `
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
				date := first.AddDate(0, 0, random.IntN(int(last.Sub(first).Hours()/24)))
				for range 4 {
					target := fmt.Sprintf("/api/real_assets/%d/returns?as_of_date=%s", ids[random.IntN(len(ids))], date.Format(time.DateOnly))
					before := statements.Load()
					stored, computed := serve(memory.Handler(), sameRequest(memory, target)), serve(plain.Handler(), sameRequest(plain, target))
					if stored.status != http.StatusOK || !bytes.Equal(stored.body, computed.body) {
						t.Fatalf("%s: status %d\nstored:   %s\ncomputed: %s", target, stored.status, stored.body, computed.body)
					}
					if stored.source() != "snapshot" {
						continue
					}
					snapshots++
					if ran := statements.Load() - before; ran != 0 {
						t.Errorf("%s: %d statements reached ClickHouse", target, ran)
					}
				}
			}
			if snapshots < dates*4/5 {
				t.Errorf("only %d of %d replies came from memory", snapshots, 4*dates)
			}
		})
	}
}

// A day has no windows of a series that closed long before, or that has no quote yet.
func TestReturnsOfASeriesWithoutWindowsAreTheSameFromStandingQuotesAndComputed(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	options := publishedInvention(t)
	var standing, computing atomic.Int64
	memory := rigOver(t, watched{connect(t, options), func(statement string) {
		switch statement {
		case sql.Query("returns_of_standing_quotes"):
			standing.Add(1)
		case sql.Query("returns_as_of"):
			computing.Add(1)
		}
	}}, unlimited)
	plain := newRig(t, options, query.Config{HTTP: unlimited.HTTP, SnapshotBytes: 1})
	type life struct {
		Series uint32    `ch:"series_id"`
		First  time.Time `ch:"first"`
		Last   time.Time `ch:"last"`
	}
	var lives []life
	must(t, plain.conn.Select(t.Context(), &lives, `SELECT series_id, min(date) AS first, max(date) AS last FROM current_series_day GROUP BY series_id
		HAVING first > '2024-06-10' OR last < '2025-06-01' ORDER BY series_id`))
	var begin time.Time
	must(t, plain.conn.QueryRow(t.Context(), "SELECT min(date) FROM current_series_day").Scan(&begin))
	random := rand.New(rand.NewPCG(16, 5))
	closed, unborn, ofMarket, before := 0, 0, 0, 0
	for _, of := range lives {
		for range 3 {
			date := of.First.AddDate(0, 0, -1-random.IntN(10))
			if of.Last.Before(time.Date(2025, time.June, 1, 0, 0, 0, 0, time.UTC)) && random.IntN(3) > 0 {
				date = of.Last.AddDate(0, 0, 39+random.IntN(11))
				closed++
			} else {
				unborn++
			}
			target := fmt.Sprintf("/api/real_assets/%d/returns?as_of_date=%s", of.Series, date.Format(time.DateOnly))
			got, want := serve(memory.Handler(), sameRequest(memory, target)), serve(plain.Handler(), sameRequest(plain, target))
			if got.status != http.StatusOK || !bytes.Equal(got.body, want.body) {
				t.Fatalf("%s: status %d\nfrom standing quotes: %s\ncomputed:             %s", target, got.status, got.body, want.body)
			}
			switch {
			case got.source() == "cache": // the date was drawn before
			case date.Before(begin):
				before++
			default:
				ofMarket++
			}
		}
	}
	if closed < 5 || unborn < 5 {
		t.Errorf("%d closed and %d not begun: nothing was put to the test", closed, unborn)
	}
	// Only before the first day of the market is there no day whose quotes could stand.
	if s, c := int(standing.Load()), int(computing.Load()); s != ofMarket || c != before || ofMarket < 2*before {
		t.Errorf("of %d replies on days of the market, %d came from standing quotes; of %d before it, %d were computed", ofMarket, s, before, c)
	}
}

// sameRequest is a request whose reply does not depend on when it is sent.
func sameRequest(r *rig, target string) *http.Request {
	request := r.request(http.MethodGet, target)
	request.Header.Set("X-Request-Id", "the-same")
	return request
}
