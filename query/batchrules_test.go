package query_test

import (
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/ClickHouse/clickhouse-go/v2"

	"cuota/internal/testkit/longtest"
	"cuota/sql"
)

// ofAnotherVersion makes all batches those of a program with other rules.
func (r *rig) ofAnotherVersion(t testing.TB) {
	t.Helper()
	must(t, r.conn.Exec(t.Context(), "ALTER TABLE batch UPDATE rules = 'of another version' WHERE true SETTINGS mutations_sync = 1"))
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

// viewOf is a view of the database that the statements of each request call as they are written.
var viewOf = map[string]string{
	"/api/all-funds?date=2026-06-30":                     "FROM batch_market_standing(batch",
	"/api/market-summary?date=2026-06-30":                "FROM batch_family_summary(batch",
	"/api/market-summary?date=2020-01-31":                "FROM batch_family_summary(batch", // on this day, only a series that has closed is quoted
	"/api/screener?as_of_date=2026-06-30":                "FROM batch_return_day(batch",
	"/api/real_assets/201/returns?as_of_date=2026-06-30": "FROM batch_return_day(batch",
}

func TestABatchOfAnotherVersionIsComputedByTheViewsOfTheDatabase(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	r, options := publishedBy(t)
	insert(t, r.conn, "market_day_version", row{"date": "2020-01-31", "build": 1})
	insert(t, r.conn, "market_day", row{"date": "2020-01-31", "series_id": seriesClosed, "build": 1, "manager_rut": rutAlfa, "currency": "PESOS", "price": "1", "equity": "5"})
	insert(t, r.conn, "market_completeness", row{"batch": 1, "date": "2020-01-31", "rows": 1, "series": 1, "has_data": true, "complete": true})
	r.summariseDays(t, 1)
	look := func() (replies map[string]string, views map[string]bool) {
		var statements strings.Builder
		var recording sync.Mutex // statements of a request run side by side
		conn := watched{connect(t, options), func(statement string) {
			recording.Lock()
			defer recording.Unlock()
			statements.WriteString(statement)
		}}
		server := rigOver(t, conn, unlimited)
		replies, views = map[string]string{}, map[string]bool{}
		for path, view := range viewOf {
			statements.Reset()
			got := server.get(t, path)
			wantStatus(t, got, http.StatusOK)
			replies[path], views[path] = string(got.body), strings.Contains(statements.String(), view)
		}
		return replies, views
	}
	ours, oursByViews := look()
	r.ofAnotherVersion(t)
	// Tables that are newer than a batch have no rows of it, and are not missed (sql/queries/damage.sql).
	for _, table := range []string{"summary_day_version", "summary_family", "summary_mover", "flow_day", "later_row", "series_step", "candidate_day"} {
		must(t, r.conn.Exec(t.Context(), "TRUNCATE TABLE "+table))
	}
	theirs, theirsByViews := look()
	for path, view := range viewOf {
		if oursByViews[path] || !theirsByViews[path] {
			t.Errorf("%s: %s is called: %t for a batch of ours, %t for another", path, view, oursByViews[path], theirsByViews[path])
		}
		if ours[path] != theirs[path] {
			t.Errorf("%s: they differ:\n%s\n%s", path, ours[path], theirs[path])
		}
	}
}

func TestANamedBatchIsComputedByItsOwnRulesWhateverTheCurrentBatchIs(t *testing.T) {
	t.Parallel()
	const path = "/api/real_assets/201/returns?as_of_date=2026-06-30"
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
