package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cuota/cmd/cuota/exit"
	"cuota/internal/testkit/longtest"
)

// openOf returns the number of open rejected rows of each file, by file name.
func openOf(t *testing.T, env installation, args ...string) map[string]uint64 {
	t.Helper()
	var files []struct {
		File string `json:"file"`
		Open uint64 `json:"open"`
	}
	out := env.finish(t, append([]string{"rejected", "list", "--all", "--json"}, args...))
	if err := json.Unmarshal([]byte(out), &files); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	open := map[string]uint64{}
	for _, f := range files {
		open[f.File] += f.Open
	}
	return open
}

// brokenCartola writes a cartola of three days of two series and applies breaks to the
// row on line 3.
func brokenCartola(t *testing.T, dir, name string, breaks func(fields []string)) string {
	t.Helper()
	text, err := os.ReadFile(firstYear)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")[:7]
	fields := strings.Split(lines[2], ";")
	breaks(fields)
	lines[2] = strings.Join(fields, ";")
	if err := os.MkdirAll(dir, 0o750); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestARejectedRowIsOpenUntilAFixedFileIsIngested(t *testing.T) {
	longtest.Skip(t)
	dir := filepath.Join(t.TempDir(), "data")
	const quota = 12
	negative := func(fields []string) { fields[quota] = "-1" + "\x1b[2J" }
	noSeries := func(fields []string) { fields[2] = "what" }
	none := func([]string) {}
	at := t.TempDir()
	ingest := func(code int, path string, more ...string) {
		t.Helper()
		if r := cuota(t, append([]string{"ingest", "cartola", path, "--data", dir}, more...)...); r.code != code {
			t.Fatalf("ingest of %s ended with %d: %s%s", path, r.code, r.stdout, r.stderr)
		}
	}
	page := filepath.Join(at, "whole.txt")
	if err := os.WriteFile(page, []byte("<html>503</html>\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	ingest(exit.Rejected, page)
	// the row's day can be read
	ingest(exit.Rejected, brokenCartola(t, at, "day.txt", negative), "--published", "2020-01-02", "--wait")
	// it cannot
	ingest(exit.Rejected, brokenCartola(t, at, "unknown.txt", noSeries), "--published", "2020-01-01", "--wait")
	want := func(what string, want map[string]uint64) {
		t.Helper()
		if got := openOf(t, nil, "--data", dir); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: open rows %v, want %v", what, got, want)
		}
	}
	want("at first", map[string]uint64{"day.txt": 1, "unknown.txt": 1, "whole.txt": 1})

	if out := succeed(t, "rejected", "list", "--data", dir); !strings.Contains(out, "whole.txt") ||
		!strings.Contains(out, "line 3: ") {
		t.Errorf("the list says:\n%s", out)
	}
	shown := succeed(t, "rejected", "show", "day.txt", "--data", dir)
	if !strings.Contains(shown, "line 3: ") || !strings.Contains(shown, `-1\x1b[2J`) ||
		strings.Contains(shown, "\x1b") {
		t.Errorf("the row is shown as:\n%q", shown)
	}
	for _, args := range [][]string{{"show", "nosuch.txt"}, {"retry", "nosuch.txt"}, {"retry"},
		{"list", "--limit", "0"}} {
		if r := cuota(t, append(append([]string{"rejected"}, args...), "--data", dir)...); r.code != exit.Failed ||
			r.stderr == "" {
			t.Errorf("rejected %v ended with %d: %s", args, r.code, r.stderr)
		}
	}

	// An older file does not resolve the row. A newer file of another name resolves only
	// the row whose day is known.
	valid := brokenCartola(t, filepath.Join(at, "older"), "older.txt", none)
	ingest(0, valid, "--published", "2019-12-31", "--wait")
	want("after an older file", map[string]uint64{"day.txt": 1, "unknown.txt": 1, "whole.txt": 1})
	r := cuota(t, "rejected", "retry", "day.txt", "--data", dir)
	if r.code != exit.Rejected || !strings.Contains(r.stdout, "nothing has changed") {
		t.Errorf("a retry that changes nothing ended with %d: %s%s", r.code, r.stdout, r.stderr)
	}
	newer := brokenCartola(t, filepath.Join(at, "newer"), "newer.txt", func(fields []string) {
		fields[quota] = "1000.5"
	})
	ingest(0, newer, "--published", "2020-02-01", "--wait")
	want("after a newer file of another name", map[string]uint64{"day.txt": 0, "unknown.txt": 1, "whole.txt": 1})

	// A name alone does not identify a file, because some sources give every day's file
	// the same name.
	text, err := os.ReadFile(secondYear)
	if err != nil {
		t.Fatal(err)
	}
	same := filepath.Join(at, "same", "unknown.txt")
	if err := errors.Join(os.MkdirAll(filepath.Dir(same), 0o750), os.WriteFile(same, text, 0o600)); err != nil {
		t.Fatal(err)
	}
	ingest(0, same, "--published", "2021-01-02", "--wait")
	want("after a newer file of the same name about other days",
		map[string]uint64{"day.txt": 0, "unknown.txt": 1, "whole.txt": 1})

	// Retry with a corrected file, beside a running cuota up.
	server := up(t, dir, "--no-demo")
	fixed := brokenCartola(t, filepath.Join(at, "fixed"), "any-name.txt", func(fields []string) {
		fields[quota] = "1001.5"
	})
	if out := succeed(t, "rejected", "retry", "unknown.txt", fixed, "--data", dir); !strings.Contains(out,
		"0 of 1 rejected rows are open") {
		t.Errorf("the retry with a fixed file said:\n%s", out)
	}
	want("after a fixed file", map[string]uint64{"day.txt": 0, "unknown.txt": 0, "whole.txt": 1})
	whole := brokenCartola(t, filepath.Join(at, "whole"), "page.txt", func(fields []string) {
		fields[quota] = "1002.5"
	})
	succeed(t, "rejected", "retry", "whole.txt", whole, "--data", dir)
	want("after a file in the place of one that was refused",
		map[string]uint64{"day.txt": 0, "unknown.txt": 0, "whole.txt": 0})
	if out := succeed(t, "rejected", "list", "--data", dir); !strings.Contains(out, "there are no open rejected rows") {
		t.Errorf("the list says:\n%s", out)
	}
	server.interrupt(t)
}

func TestARetryTakesRowsThatAnEarlierVersionRejected(t *testing.T) {
	longtest.Skip(t)
	env, conn := onServers(t)
	projecting := env.serve(t, "project")
	awaitText(t, projecting, `"message":"projecting"`)
	file := brokenCartola(t, t.TempDir(), "day.txt", func([]string) {})
	env.finish(t, []string{"ingest", "cartola", file, "--wait"})
	scan := func(query string, into ...any) {
		t.Helper()
		if err := conn.QueryRow(t.Context(), query).Scan(into...); err != nil {
			t.Fatalf("%s: %v", query, err)
		}
	}
	var right string
	const quota = "SELECT toString(sum(quota)) FROM batch_series_day(batch = (SELECT max(batch) FROM batch), series " +
		"= [], all_series = true)"
	scan(quota, &right)
	// Change the stored rows to those of an earlier version that rejected line 3.
	for _, statement := range []string{
		`INSERT INTO fact_quota (run, serie, date, revision, source_sha256, void, source_line, manager_rut, manager, moneda)
		 SELECT run, serie, date, revision, source_sha256, true, source_line, 0, '', '' FROM fact_quota WHERE source_line = 3`,
		"ALTER TABLE fact_quota DELETE WHERE source_line = 3 AND NOT void SETTINGS mutations_sync = 2",
		`INSERT INTO rejected_row (dataset, source_sha256, source_line, revision, file, reason, raw, arrived_at)
		 SELECT dataset, sha256, 3, revision, file, 'an earlier version did not know it', '', revision FROM manifest`,
		"ALTER TABLE manifest UPDATE rejected = 1, keys = keys - 1 WHERE 1 SETTINGS mutations_sync = 2",
	} {
		if err := conn.Exec(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	env.finish(t, []string{"rebuild"})
	var wrong string
	if scan(quota, &wrong); wrong == right {
		t.Fatal("the void day changes nothing: this proves nothing")
	}
	if open := openOf(t, env); open["day.txt"] != 1 {
		t.Errorf("open rows %v", open)
	}
	if out := env.finish(t, []string{"rejected", "retry", "day.txt"}); !strings.Contains(out,
		"0 of 1 rejected rows are open") {
		t.Errorf("the retry said:\n%s", out)
	}
	var now string
	if scan(quota, &now); now != right {
		t.Errorf("the quotas sum up to %s, want %s", now, right)
	}
}
