package query_test

import (
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/google/go-cmp/cmp"

	"cuota/sql"
)

// ofAnotherVersion makes all batches those of a program with other rules.
func (r *rig) ofAnotherVersion(t testing.TB) {
	t.Helper()
	must(t, r.conn.Exec(t.Context(),
		"ALTER TABLE batch UPDATE rules = 'of another version' WHERE true SETTINGS mutations_sync = 1"))
}

// summariseDays stores the market summary of every day of a batch that a test has made row by row.
func (r *rig) summariseDays(t testing.TB, batch int) {
	t.Helper()
	ctx := clickhouse.Context(t.Context(), clickhouse.WithParameters(clickhouse.Parameters{
		"batch": strconv.Itoa(batch), "previous": "0", "rebuild": "true", "from": "1971-01-01", "to": "2149-06-06",
	}))
	list, err := sql.Projections()
	must(t, err)
	for _, projection := range list {
		switch projection.Name {
		case "flow_day", "summary_day_version", "summary_family", "summary_mover":
			must(t, r.conn.Exec(ctx, projection.Text))
		}
	}
}

// Past dates are put together from what a batch has stored of its days, by whatever rules it was built.
func TestPastDatesOfABatchOfAnotherVersionAreWhatItHasStored(t *testing.T) {
	t.Parallel()
	r, options := publishedBy(t)
	insert(t, r.conn, "market_day_version", row{"date": "2020-01-31", "build": 1})
	insert(t, r.conn, "market_day", row{"date": "2020-01-31", "series_id": seriesClosed, "build": 1,
		"manager_rut": rutAlfa, "currency": "PESOS", "price": "1", "equity": "5"})
	insert(t, r.conn, "market_completeness",
		row{"batch": 1, "date": "2020-01-31", "rows": 1, "series": 1, "has_data": true, "complete": true})
	r.summariseDays(t, 1)
	look := func() map[string]string {
		server, replies := rigOver(t, connect(t, options), unlimited), map[string]string{}
		for _, path := range []string{
			"/api/all-funds?date=2026-06-30", "/api/market-summary?date=2026-06-30",
			"/api/screener?as_of_date=2026-06-30",
			"/api/market-summary?date=2020-01-31", // on this day, only a series that has closed is quoted
			"/api/real_assets/201/returns?as_of_date=2026-06-30",
		} {
			got := server.get(t, path)
			wantStatus(t, got, http.StatusOK)
			replies[path] = string(got.body)
		}
		return replies
	}
	ours := look()
	r.ofAnotherVersion(t)
	if diff := cmp.Diff(ours, look()); diff != "" {
		t.Error(diff)
	}
}

func TestANamedBatchIsComputedByItsOwnRules(t *testing.T) {
	t.Parallel()
	const path = "/api/real_assets/201/returns?as_of_date=2026-06-15" // a day without stored windows
	r, options := publishedBy(t)
	r.ofAnotherVersion(t)
	r.publish(t, 2)
	var mu sync.Mutex // parts of a batch are read side by side
	var statements string
	asking := rigOver(t, watched{connect(t, options), func(statement string) {
		mu.Lock()
		defer mu.Unlock()
		statements += statement
	}}, unlimited)
	seen := func() string {
		mu.Lock()
		defer mu.Unlock()
		found := statements
		statements = ""
		return found
	}
	seen() // what was read when the server began
	for number, views := range map[int]bool{1: true, 2: false} {
		wantStatus(t, asking.get(t, path+"&batch_id="+batchID(number)), http.StatusOK)
		if strings.Contains(seen(), "FROM batch_price_return(batch") != views {
			t.Errorf("batch %d: the view of the database is called: %t", number, !views)
		}
	}
}
