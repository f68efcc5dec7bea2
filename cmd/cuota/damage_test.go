package main

import (
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"cuota/cmd/cuota/exit"
	"cuota/internal/testkit/longtest"
)

// askedOfDamage are requests of every kind: answered from memory, about a past date, and
// about facts.
var askedOfDamage = []string{
	"/api/screener?limit=20&currency=PESOS&sort=1y", "/api/real_assets/1161378270/returns?as_of_date=2024-02-29",
	"/api/market-summary?date=2024-02-29",
	"/api/real_assets/1161378270/days?from_date=2024-02-01&limit=5", "/api/agf_stats/ranking?date=2023-06-30",
	"/api/all-funds?q=9809", "/api/fi/instruments?status=unknown&limit=3",
}

// ofBatch matches what changes from one batch to the next although the results are
// equal: facts about the batch, and the address in links after a restart.
var ofBatch = regexp.MustCompile(
	`"(?:batch_id|calculated_at|loaded_at|calculation_date)":"[^"]*"|batch_id=[^"&]*|http://127\.0\.0\.1:\d+`)

func withoutBatch(body string) string { return ofBatch.ReplaceAllString(body, "") }

// firstDifference shows two texts from the first difference on.
func firstDifference(got, want string) string {
	at := 0
	for at < min(len(got), len(want)) && got[at] == want[at] {
		at++
	}
	return fmt.Sprintf("%.300s\nwant %.300s", got[max(0, at-100):], want[max(0, at-100):])
}

// answersAll sends every request, one after the other, until all of them were answered
// right. Until then each may be refused with 503; any other answer is an error.
func answersAll(t *testing.T, r *running, key string, want map[string]string) {
	t.Helper()
	slowly := time.NewTicker(time.Second / 8) // the limit is ten requests a second for an address
	defer slowly.Stop()
	late := time.After(patience)
	for right := 0; right < len(askedOfDamage); {
		select {
		case <-slowly.C:
		case <-late:
			t.Fatalf("not every question is answered:\n%s", r.stderr)
		}
		path := askedOfDamage[right]
		status, body := ask(t, r.api+path, key)
		switch {
		case status == http.StatusServiceUnavailable:
			right = 0
		case status != http.StatusOK || withoutBatch(body) != want[path]:
			t.Fatalf("%s: %d %s\n%s", path, status, firstDifference(withoutBatch(body), want[path]), r.stderr)
		default:
			right++
		}
	}
}

// tablesAt returns the directory of each table.
func tablesAt(t *testing.T, r *running) map[string]string {
	t.Helper()
	folders := map[string]string{}
	for line := range strings.Lines(sqlOver(t, r,
		"SELECT table, any(path) FROM system.parts WHERE active AND database = 'cuota' GROUP BY table FORMAT TSV")) {
		table, part, _ := strings.Cut(strings.TrimSpace(line), "\t")
		folders[table] = filepath.Dir(strings.TrimSuffix(part, "/"))
	}
	return folders
}

// damageParts applies harm to every part of a table.
func damageParts(t *testing.T, folder string, harm func(part string) error) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	parts := 0
	for _, entry := range entries {
		if !entry.IsDir() || entry.Name() == "detached" {
			continue
		}
		parts++
		if err := harm(filepath.Join(folder, entry.Name())); err != nil {
			t.Fatal(err)
		}
	}
	if parts == 0 {
		t.Fatalf("%s has no part", folder)
	}
}

// largest returns the largest file below a directory whose name ends so.
func largest(folder, ending string) (path string, size int64, err error) {
	err = filepath.WalkDir(folder, func(at string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(at, ending) {
			return err
		}
		info, err := entry.Info()
		if err == nil && info.Size() > size {
			path, size = at, info.Size()
		}
		return err
	})
	return path, size, err
}

func cutOff(part string) error {
	path, size, err := largest(part, "")
	if err != nil {
		return err
	}
	return os.Truncate(path, size/2)
}

func flipByte(part string) error {
	path, _, err := largest(part, "")
	if err != nil {
		return err
	}
	return flip(path)
}

// flipIndex changes a byte of a part's primary key.
func flipIndex(part string) error { return flip(filepath.Join(part, "primary.cidx")) }

// flip inverts the byte in the middle of a file.
func flip(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	text[len(text)/2] ^= 0xff
	return os.WriteFile(path, text, 0o600)
}

// The test damages a market between two starts, again and again. Each start must find
// and repair the damage by itself, and the API must never give an answer that differs
// from the first ones.
func TestDamagedFilesAreMendedByTheNextStart(t *testing.T) {
	longtest.Skip(t)
	dir := filepath.Join(t.TempDir(), "data")
	whole := t // the server outlives the subtest that starts it
	server := up(t, dir)
	key := strings.TrimSpace(succeed(t, "key", "create", "--email", "someone@example.org", "--tier", "internal",
		"--data", dir))
	wantSums := checksums(t, server)
	want := map[string]string{}
	for _, path := range askedOfDamage {
		status, body := ask(t, server.api+path, key)
		if status != http.StatusOK {
			t.Fatalf("%s: %d %s", path, status, body)
		}
		want[path] = withoutBatch(body)
	}
	registry := sqlOver(t, server,
		"SELECT sum(cityHash64(kind, id, key)) FROM (SELECT DISTINCT kind, id, key FROM registry)")

	tables := func(harm func(string) error, names ...string) func(map[string]string) {
		return func(at map[string]string) {
			for _, name := range names {
				if at[name] == "" {
					t.Fatalf("%s has no part", name)
				}
				damageParts(t, at[name], harm)
			}
		}
	}
	rounds := []struct {
		name   string
		damage func(at map[string]string)
		tells  string // expected in the log
	}{
		{"parts cut off", tables(cutOff, "market_day", "series_day", "family_day", "screener", "series_day_version",
			"registry", "rejected_row", "schema_version"), `"table":"market_day"`},
		{"bytes changed", func(at map[string]string) {
			tables(flipByte, "manager_day", "fact_quota", "fact_indicator", "series_return", "fund",
				"registry_copy")(at)
			tables(flipIndex, "batch_table")(at) // a start reads it before the inspection does
		}, `"table":"fact_quota"`},
		{"parts deleted", tables(os.RemoveAll, "series", "fact_official_return", "fact_aafm_daily", "fact_tac",
			"series_month_version", "series_month", "index_day",
			"batch_new_file", "complete_file", "manifest", "schema_version", "batch_table"), `"table":"batch_table"`},
		{"the list of batches deleted", tables(os.RemoveAll, "batch", "batch_attempt"), "batch published"},
		{"the log cut off", func(map[string]string) {
			segments, err := filepath.Glob(filepath.Join(dir, "kafka", "partitions", "*", "*.dat"))
			if err != nil || len(segments) == 0 {
				t.Fatalf("the log has %d segments (%v)", len(segments), err)
			}
			for _, segment := range segments {
				if err := os.Truncate(segment, 7); err != nil {
					t.Fatal(err)
				}
			}
		}, "moved aside"},
	}
	if os.Getenv(tortureVariable) == "" {
		rounds = rounds[1:2] // each round takes about twenty seconds
	}
	for _, round := range rounds {
		if t.Failed() {
			return
		}
		t.Run(round.name, func(t *testing.T) {
			at := tablesAt(t, server)
			server.interrupt(t)
			round.damage(at)
			server = up(whole, dir)
			answersAll(t, server, key, want)
			if log := server.stderr.(*transcript).String(); !strings.Contains(log, round.tells) {
				t.Errorf("the log does not tell of %s:\n%s", round.tells, log)
			}
			if got := checksums(t, server); got != wantSums {
				t.Errorf("projections after the damage:\n%s\nbefore:\n%s", got, wantSums)
			}
			if got := sqlOver(t, server,
				"SELECT sum(cityHash64(kind, id, key)) FROM (SELECT DISTINCT kind, id, key FROM registry)"); got != registry {
				t.Errorf("ids are others than before")
			}
			if told := cuota(t, "verify", "--data", dir); told.code != 0 {
				t.Errorf("verify ended with %d:\n%s%s", told.code, told.stdout, told.stderr)
			}
		})
	}

	if t.Failed() {
		return
	}
	t.Run("facts whose file the archive lacks are not answered from until it comes again", func(t *testing.T) {
		file := "../../demo/files/cartola/cartola_9809_9810_20240101_20241231.txt"
		sha := sqlOver(t, server,
			"SELECT sha256 FROM complete_file WHERE file = 'cartola_9809_9810_20240101_20241231.txt'")
		published := sqlOver(t, server,
			"SELECT formatDateTime(revision, '%Y-%m-%dT%H:%i:%SZ') FROM complete_file WHERE sha256 = '"+sha+"'")
		at := tablesAt(t, server)
		server.interrupt(t)
		damageParts(t, at["fact_quota"], cutOff)
		if err := os.Truncate(filepath.Join(dir, "archive", sha[:2], sha+".zst"), 100); err != nil {
			t.Fatal(err)
		}
		server = up(whole, dir)
		if status, body := ask(t, server.api+askedOfDamage[0], key); status != http.StatusServiceUnavailable ||
			!strings.Contains(body, "damaged_batch") {
			t.Errorf("%d %s", status, body)
		}
		if told := cuota(t, "status", "--data", dir); told.code != exit.Failed ||
			!strings.Contains(told.stdout, "damaged: fact_quota: ") {
			t.Errorf("status ended with %d:\n%s%s", told.code, told.stdout, told.stderr)
		}
		for _, command := range []string{"verify", "repair"} {
			if told := cuota(t, command, "--data", dir); told.code != exit.Failed ||
				!strings.Contains(told.stdout, sha) {
				t.Errorf("%s ended with %d:\n%s%s", command, told.code, told.stdout, told.stderr)
			}
		}
		if told := cuota(t, "ingest", "cartola", file, "--published", published, "--data", dir); told.code != 0 {
			t.Fatalf("ingest ended with %d:\n%s%s", told.code, told.stdout, told.stderr)
		}
		succeed(t, "repair", "--data", dir)
		answersAll(t, server, key, want)
		if told := succeed(t, "verify", "--data", dir, "--recompute"); !strings.Contains(told, "nothing is damaged") {
			t.Errorf("verify tells\n%s", told)
		}
	})
	server.interrupt(t)
}
