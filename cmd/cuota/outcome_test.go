//go:build linux

package main

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/shopspring/decimal"

	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/waittest"
)

// outcome is what a storm must leave in the tables, whatever happened.
type outcome struct {
	checksums map[string]string
	batches   uint64 // published, also those that are dropped by now
}

// calm returns the outcome of a run over the same files without faults.
func calm(t *testing.T, market sliced) outcome {
	t.Helper()
	s := newStorm(t, 0, market)
	startWhole(s, directoryWithTables(t))
	s.ingestAll()
	found := s.outcome()
	s.up.finish(t)
	return found
}

// ingestAll ingests every file and waits until a published batch holds them. Nothing is wrong any more, but what the
// last fault stopped may still be starting, and the first attempts fail then.
func (s *storm) ingestAll() {
	s.t.Helper()
	defer func() {
		if s.t.Failed() {
			for _, k := range s.kept {
				s.t.Logf("%s:\n%s", k.name, tail(k.text()))
			}
			s.t.Logf("failures: %v", s.failures)
		}
	}()
	for _, args := range s.market.whole() {
		waittest.Until(s.t, strings.Join(args, " ")+" succeeds", func() bool { return s.do(args...) })
	}
}

// tail is the end of a log.
func tail(log string) string { return log[max(0, len(log)-4000):] }

// outcome reads what is published. It compares it with the files alone: nothing may be
// lost or doubled.
func (s *storm) outcome() outcome {
	t := s.t
	t.Helper()
	conn, err := clickhouse.Open(s.open())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	var batch uint64
	if err := conn.QueryRow(t.Context(), "SELECT max(batch) FROM batch").Scan(&batch); err != nil {
		t.Fatal(err)
	}
	s.checkQuotas(conn, batch)
	for what, query := range map[string]string{
		"batches with the number of another": "SELECT count() - uniqExact(batch) FROM batch",
		"keys of the registry with two ids":  "SELECT count() - uniqExact(kind, key) FROM registry",
		"ids of the registry with two keys":  "SELECT count() - uniqExact(kind, id) FROM registry",
		"files that are not complete": "SELECT uniqExact(sha256) FROM manifest WHERE sha256 " +
			"NOT IN (SELECT sha256 FROM complete_file)",
		"files that no published batch holds": fmt.Sprintf(
			"SELECT uniqExact(sha256) FROM complete_file WHERE sha256 NOT IN (SELECT sha256 FROM batch_file(batch = "+
				"%d))", batch),
		"rejected rows": "SELECT count() FROM rejected_row",
		"files that are known beside those that were given": fmt.Sprintf(
			"SELECT uniqExact(sha256) - %d FROM complete_file", len(s.market.files)),
	} {
		var found int64
		if err := conn.QueryRow(t.Context(), "SELECT toInt64(("+query+"))").Scan(&found); err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		if found != 0 {
			t.Errorf("%s: %d, want none", what, found)
		}
	}
	found := outcome{checksums: demotest.Checksums(t, conn, batch)}
	const published = "SELECT uniqExact(batch) FROM batch_attempt WHERE batch NOT IN (SELECT batch FROM batch_failure)"
	if err := conn.QueryRow(t.Context(), published).Scan(&found.batches); err != nil {
		t.Fatal(err)
	}
	return found
}

// checkQuotas compares each published quota with the files.
func (s *storm) checkQuotas(conn driver.Conn, batch uint64) {
	t := s.t
	t.Helper()
	rows, err := conn.Query(t.Context(), fmt.Sprintf(`
		SELECT concat(splitByChar('-', known.run)[1], ';', known.serie, ';', formatDateTime(quotes.date, '%%Y%%m%%d')), toString(quotes.quota)
		FROM batch_series_day(batch = %d, series = [], all_series = true) AS quotes
		INNER JOIN series AS known ON known.series_id = quotes.series_id
		WHERE known.batch = %d`, batch, batch))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	seen := map[string]bool{}
	for rows.Next() {
		var key, quota string
		if err := rows.Scan(&key, &quota); err != nil {
			t.Fatal(err)
		}
		if seen[key] {
			t.Errorf("%s is doubled", key)
		}
		seen[key] = true
		stated, err := decimal.NewFromString(s.market.quotas[key])
		if err != nil || !stated.Equal(decimal.RequireFromString(quota)) {
			t.Errorf("%s is %s, and the files say %q", key, quota, s.market.quotas[key])
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	if lost := len(s.market.quotas) - len(seen); lost != 0 {
		t.Errorf("%d of %d quotas are lost", lost, len(s.market.quotas))
	}
}

func number(t *testing.T, text string) uint64 {
	t.Helper()
	n, err := strconv.ParseUint(text, 10, 63)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
