package query_test

import (
	"bytes"
	"fmt"
	"net/http"
	"sync"
	"testing"

	"cuota/internal/testkit/longtest"
	"cuota/model"
)

// Whoever walks from day to day gets summaries of many days that were read at once. They must
// be those that another server, which keeps nothing in memory, reads day by day.
func TestSummariesThatAreReadAheadAreThoseOfEachDay(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	memory, plain, statements := fromMemoryAndSQL(t, publishedInvention(t))
	first, err := model.ParseDate("2025-03-20")
	must(t, err)
	days := make([]model.Date, 100) // over the cutoff of 2025-07-20 and beyond
	for i := range days {
		days[i] = first.AddDays(i + 30)
	}
	walks := map[string][]model.Date{"forwards": days}
	for i := range 40 {
		walks["backwards"] = append(walks["backwards"], first.AddDays(-i))
	}
	for name, walk := range walks {
		before, snapshots := statements.Load(), 0
		for i, date := range walk {
			target := "/api/market-summary?date=" + date.String()
			got := serve(memory.Handler(), sameRequest(memory, target))
			if got.status != http.StatusOK {
				t.Fatalf("%s: %d %s", target, got.status, got.body)
			}
			if got.source() == "snapshot" {
				snapshots++
			}
			if i%7 != 0 && i != 1 {
				continue
			}
			if want := serve(plain.Handler(), sameRequest(plain, target)); !bytes.Equal(got.body, want.body) {
				t.Fatalf("%s, %s:\nread ahead: %s\nalone:      %s", name, target, got.body, want.body)
			}
		}
		// Day by day, each would need three statements.
		if ran := statements.Load() - before; snapshots < len(walk)*8/10 || ran > int64(len(walk)) {
			t.Errorf("%s: %d of %d days came from memory, %d statements ran", name, snapshots, len(walk), ran)
		}
	}

	// Many at once, in the same order.
	var callers sync.WaitGroup
	failed := make(chan string, 8)
	for worker := range cap(failed) {
		callers.Go(func() {
			for i := range 40 {
				target := fmt.Sprintf("/api/market-summary?date=%s", first.AddDays(-200+i))
				if got := serve(memory.Handler(), sameRequest(memory, target)); got.status != http.StatusOK {
					failed <- fmt.Sprintf("caller %d, %s: %d %s", worker, target, got.status, got.body)
					return
				}
			}
		})
	}
	callers.Wait()
	close(failed)
	for problem := range failed {
		t.Error(problem)
	}
}

func TestDaysInARowOfABatchWithoutACutoffAreSummedUp(t *testing.T) {
	t.Parallel()
	r := littleMarket(t)
	must(t, r.conn.Exec(t.Context(),
		"ALTER TABLE batch UPDATE as_of_date = NULL WHERE true SETTINGS mutations_sync = 1"))
	other := rigOver(t, r.conn, unlimited)
	for _, date := range []string{"2026-06-29", "2026-06-30", "2026-07-01"} {
		wantStatus(t, other.get(t, "/api/market-summary?date="+date), http.StatusOK)
	}
}
