package query_test

import (
	"net/http"
	"strings"
	"testing"
)

// ofAnotherVersion makes all batches those of a program with other rules.
func (r *rig) ofAnotherVersion(t testing.TB) {
	t.Helper()
	must(t, r.conn.Exec(t.Context(), "ALTER TABLE batch UPDATE rules = 'of another version' WHERE true SETTINGS mutations_sync = 1"))
}

// callsTheView tells whether statements read days of series through the view of the database.
func callsTheView(statements string) bool {
	return strings.Contains(statements, "FROM batch_series_day(batch")
}

func TestABatchOfAnotherVersionIsComputedByTheViewsOfTheDatabase(t *testing.T) {
	t.Parallel()
	const path = "/api/real_assets/201/days?from_date=2025-12-31&to_date=2026-07-31"
	r, options := publishedBy(t)
	var statements, others string
	look := func(to *string) answer {
		conn := watched{connect(t, options), func(statement string) { *to += statement }}
		return rigOver(t, conn, unlimited).get(t, path)
	}
	ours := look(&statements)
	r.ofAnotherVersion(t)
	theirs := look(&others)
	if callsTheView(statements) || !callsTheView(others) {
		t.Errorf("the view is called: %t for a batch of ours, %t for another", callsTheView(statements), callsTheView(others))
	}
	if wantStatus(t, ours, http.StatusOK); string(ours.body) != string(theirs.body) {
		t.Errorf("they differ:\n%s\n%s", ours.body, theirs.body)
	}
}

func TestANamedBatchIsComputedByItsOwnRulesWhateverTheCurrentBatchIs(t *testing.T) {
	t.Parallel()
	const path = "/api/real_assets/201/days?from_date=2025-12-31&to_date=2026-07-31&batch_id="
	r, options := publishedBy(t)
	r.ofAnotherVersion(t)
	r.publish(t, 2)
	var statements string
	asking := rigOver(t, watched{connect(t, options), func(statement string) { statements += statement }}, unlimited)
	for number, views := range map[int]bool{1: true, 2: false} {
		statements = ""
		wantStatus(t, asking.get(t, path+batchID(number)), http.StatusOK)
		if callsTheView(statements) != views {
			t.Errorf("batch %d: the view of the database is called: %t", number, !views)
		}
	}
}
