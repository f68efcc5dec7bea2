package query_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"cuota/internal/testkit/longtest"
	"cuota/sql"

	gocmp "github.com/google/go-cmp/cmp"
)

// replica has rows of the tables for people, by table and by key. It is written only by the
// feed of changes.
type replica map[string]map[string]map[string]any

// line is a line of the feed.
type line struct {
	Table    string
	Key      map[string]any
	Was      map[string]any
	Is       map[string]any
	Progress *struct {
		Table *string
		Rows  int
	}
	End *struct {
		Since   string
		BatchID string `json:"batch_id"`
		Rows    int
	}
}

// keyOf returns a text that identifies a row.
func keyOf(t testing.TB, key map[string]any) string {
	t.Helper()
	text, err := json.Marshal(key) // sorted by column
	must(t, err)
	return string(text)
}

// apply writes a line into the replica, and checks that the replica had the row that the line
// says was there, unless the line was applied before.
func (r replica) apply(t testing.TB, l line, again bool) {
	t.Helper()
	rows := r[l.Table]
	if rows == nil {
		t.Fatalf("a line is about the table %q", l.Table)
	}
	key := keyOf(t, l.Key)
	if had := rows[key]; !again && !gocmp.Equal(had, l.Was) {
		t.Fatalf("%s %s was %v, and the feed says %v", l.Table, key, had, l.Was)
	}
	if l.Is == nil {
		delete(rows, key)
	} else {
		rows[key] = l.Is
	}
}

// readTables reads the tables of the database for people as they are now.
func (c *chronicle) readTables(t testing.TB) replica {
	t.Helper()
	all := replica{}
	for _, table := range sql.ComparedTables() {
		all[table.Name] = map[string]map[string]any{}
		rows, err := c.conn.Query(t.Context(), "SELECT formatRowNoNewline('JSONEachRow', *) FROM "+
			sql.PeoplesDatabase(c.market.Options.Auth.Database)+"."+table.Name)
		must(t, err)
		for rows.Next() {
			var text string
			must(t, rows.Scan(&text))
			row, key := map[string]any{}, map[string]any{}
			must(t, json.Unmarshal([]byte(text), &row))
			for _, column := range table.Key {
				key[column] = row[column]
			}
			all[table.Name][keyOf(t, key)] = row
		}
		must(t, rows.Err())
	}
	return all
}

// feed reads the lines from one batch to the newest. It fails if the last one is not the end.
func (c *chronicle) feed(t testing.TB, since string) (lines []line, batch string) {
	t.Helper()
	got := serve(c.Handler(), c.request(http.MethodGet, "/api/changes?since="+since))
	wantStatus(t, got, http.StatusOK)
	if kind := got.header.Get("Content-Type"); kind != "application/octet-stream" {
		t.Fatalf("content type %q", kind)
	}
	rows := 0
	scanner := bufio.NewScanner(bytes.NewReader(got.body))
	scanner.Buffer(nil, 1<<20)
	for scanner.Scan() {
		var l line
		must(t, json.Unmarshal(scanner.Bytes(), &l))
		switch {
		case l.Progress == nil:
			lines = append(lines, l)
		case l.Progress.Rows != len(lines), (l.Progress.Table == nil) != (rows == 0):
			t.Fatalf("line %d is %s, after %d rows", rows, scanner.Bytes(), len(lines))
		}
		rows++
	}
	must(t, scanner.Err())
	last := lines[len(lines)-1]
	if compared := len(sql.ComparedTables()); rows != 1 && rows != len(lines)+1+compared {
		t.Fatalf("%d lines, of %d rows and %d tables", rows, len(lines)-1, compared)
	}
	if last.End == nil || last.End.Since != since || last.End.Rows != len(lines)-1 {
		t.Fatalf("the last of %d lines is %+v", len(lines), last)
	}
	return lines[:len(lines)-1], last.End.BatchID
}

func TestAReplicaThatIsFedByChangesAloneHasTheRowsOfEveryBatch(t *testing.T) {
	longtest.Skip(t)
	t.Parallel()
	const days = 30
	c := newChronicle(t)
	var copied replica
	var has string // batch_id of the replica
	changed, gone := map[string]int{}, 0
	c.live(t, days, func(day time.Time) {
		newest := c.published[len(c.published)-1].batch
		if copied == nil {
			copied, has = c.readTables(t), newest
			return
		}
		lines, batch := c.feed(t, has)
		if batch != newest {
			t.Fatalf("%s: the feed leads to %s, the newest batch is %s", day.Format(time.DateOnly), batch, newest)
		}
		// The replica is killed when it has written half of the lines, on every third day. It
		// begins again with the batch that it had.
		killed := day.Day()%3 == 0
		if killed {
			for _, l := range lines[:len(lines)/2] {
				copied.apply(t, l, false)
			}
			lines, _ = c.feed(t, has)
		}
		for _, l := range lines {
			copied.apply(t, l, killed)
			changed[l.Table]++
			if l.Is == nil {
				gone++
			}
		}
		has = batch
	})
	want := c.readTables(t)
	for _, table := range sql.ComparedTables() {
		if diff := gocmp.Diff(want[table.Name], copied[table.Name]); diff != "" {
			t.Errorf("%s (-database +replica):\n%.3000s", table.Name, diff)
		}
	}
	for _, table := range []string{"screener", "daily", "returns_daily", "cartola_daily", "family_index", "monthly",
		"rates", "series"} {
		if changed[table] == 0 {
			t.Errorf("no row of %s changed: nothing was put to the test", table)
		}
	}
	t.Logf("%d batches, %v lines, %d rows gone", len(c.published), changed, gone)

	t.Run("without a change there is only the end", func(t *testing.T) {
		if lines, batch := c.feed(t, has); len(lines) != 0 || batch != has {
			t.Errorf("%d lines to %s", len(lines), batch)
		}
	})
	t.Run("only the tables that are asked for", func(t *testing.T) {
		older := c.published[len(c.published)-2].batch
		got := serve(c.Handler(), c.request(http.MethodGet, "/api/changes?tables=screener,rates&since="+older))
		wantStatus(t, got, http.StatusOK)
		for text := range strings.Lines(string(got.body)) {
			var l line
			must(t, json.Unmarshal([]byte(text), &l))
			if l.End == nil && l.Progress == nil && l.Table != "screener" && l.Table != "rates" {
				t.Fatalf("a line of %s", l.Table)
			}
		}
	})
	t.Run("what can't be compared is refused", func(t *testing.T) {
		for target, status := range map[string]int{
			"": http.StatusUnprocessableEntity, "?since=": http.StatusUnprocessableEntity,
			"?since=20250720-1-0123456789ab": http.StatusGone,
			"?tables=batch&since=" + has:     http.StatusUnprocessableEntity,
			"?tables=screener,screener&since=" +
				has: http.StatusUnprocessableEntity,
			fmt.Sprintf("?since=%s&batch_id=%s", has,
				c.published[len(c.published)-2].batch): http.StatusUnprocessableEntity,
		} {
			if got := c.get(t, "/api/changes"+target); got.status != status {
				t.Errorf("%s: status %d, want %d: %.300s", target, got.status, status, got.body)
			}
		}
	})
}
