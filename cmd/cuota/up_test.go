package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"cuota/cmd/cuota/datadir"
	"cuota/cmd/cuota/exit"
	"cuota/internal/testkit/longtest"
)

// keyOfFirstStart returns the key that the first start wrote to a file for its owner.
func keyOfFirstStart(t *testing.T, dir string) string {
	t.Helper()
	file := (&datadir.Directory{Path: dir}).FirstKey()
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("the file of the key has the mode %v: %v", info, err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(text))
}

var printedKey = regexp.MustCompile(`cuota_[0-9A-Za-z]+`)

func TestTheSecondStartIsReadyAtOnceAndIngestsNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	first := up(t, dir)
	if printedKey.MatchString(first.greeting) {
		t.Error("the key stands in an output that is no terminal and may be a log")
	}
	key := keyOfFirstStart(t, dir)
	if key == "" {
		t.Fatalf("no key in the greeting:\n%s", first.greeting)
	}
	pasted := 0
	for _, line := range strings.Split(first.greeting, "\n") {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "curl ") {
			out, err := exec.CommandContext(t.Context(), "bash", "-c",
				strings.Replace(line, "curl ", "curl -sSf ", 1)).CombinedOutput()
			if err != nil || len(out) < 100 {
				t.Errorf("%s\nfailed with %v:\n%s", line, err, out)
			}
			pasted++
		}
	}
	if pasted != 3 {
		t.Errorf("%d curl lines in the greeting, want 3", pasted)
	}
	files := sqlOver(t, first, "SELECT count() FROM complete_file FINAL")
	batches := sqlOver(t, first, "SELECT count() FROM batch")
	if files != "15" || batches != "1" {
		t.Errorf("%s files in %s batches, want 15 in 1", files, batches)
	}
	first.interrupt(t)

	second := up(t, dir)
	if printedKey.MatchString(second.greeting) {
		t.Error("the second start printed a key")
	}
	if got := sqlOver(t, second,
		"SELECT (SELECT count() FROM batch_attempt), (SELECT count() FROM complete_file FINAL)"); got != "1\t15" {
		t.Errorf("attempts and files after the second start: %s, want 1 and 15", got)
	}
	status, body := ask(t, second.api+"/api/screener?limit=1", key)
	var page struct{ Meta struct{ Total int } }
	if err := json.Unmarshal([]byte(body), &page); err != nil || status != http.StatusOK || page.Meta.Total != 2840 {
		t.Errorf("the key of the first start gives %d: %.200s", status, body)
	}
	for query, want := range map[string]int{"valuation=real_uf": http.StatusOK,
		"return_basis=total": http.StatusServiceUnavailable} {
		if status, body := ask(t, second.api+"/api/real_assets/1161378270/returns?"+query, key); status != want {
			t.Errorf("%s gives %d, want %d: %.200s", query, status, want, body)
		}
	}
	t.Logf("the second start greeted after %s", second.startup)
	second.interrupt(t)
}

func TestCommandsWorkOnADirectoryWhetherOrNotUpRuns(t *testing.T) {
	longtest.InTurns(t)
	dir := filepath.Join(t.TempDir(), "data")
	file := "../../demo/files/cartola/cartola_9809_9810_20191014_20191231.txt"
	next := "../../demo/files/cartola/cartola_9809_9810_20200101_20201231.txt"

	out := succeed(t, "ingest", "cartola", file, "--data", dir, "--wait")
	if !strings.Contains(out, "read 299, published 299, rejected 0") ||
		!strings.Contains(out, "in published batch 20191231-1-") {
		t.Errorf("ingest without up said:\n%s", out)
	}
	if out := succeed(t, "status", "--data",
		dir); !regexp.MustCompile(`cartola +2019-12-31 +late: 2020-01-05 +1 +0 +299 +0 +0 +0`).MatchString(out) {
		t.Errorf("status without up said:\n%s", out)
	}
	key := strings.TrimSpace(succeed(t, "key", "create", "--email", "Someone@Example.org", "--data", dir))
	if out := succeed(t, "project", "--now", "--data", dir); !strings.Contains(out, "published batch 2") {
		t.Errorf("project --now without up said:\n%s", out)
	}

	r := up(t, dir, "--no-demo")
	if status, body := ask(t, r.api+"/api/key/info", key); status != http.StatusOK {
		t.Errorf("the key gives %d: %s", status, body)
	}
	out = succeed(t, "ingest", "cartola", next, "--data", dir, "--wait")
	if !strings.Contains(out, "in published batch 20201231-3-") {
		t.Errorf("ingest beside up said:\n%s", out)
	}
	if out := succeed(t, "status", "--data",
		dir); !regexp.MustCompile(`cartola +2020-12-31 +late: 2021-01-05 +2 +0 +1815 +0 +0 +0`).MatchString(out) {
		t.Errorf("status beside up said:\n%s", out)
	}
	if out := succeed(t, "rebuild", "--data", dir); !strings.Contains(out, "published batch 4") {
		t.Errorf("rebuild beside up said:\n%s", out)
	}
	again := strings.TrimSpace(succeed(t, "key", "create", "--email", "someone@example.org", "--data", dir))
	if status, _ := ask(t, r.api+"/api/key/info", key); status != http.StatusUnauthorized {
		t.Errorf("the earlier key of the same address gives %d, want 401", status)
	}
	if status, _ := ask(t, r.api+"/api/key/info", again); status != http.StatusOK {
		t.Errorf("the later key gives %d", status)
	}
	registersAndWatches(t, r, filepath.Join(dir, "mail"))
	if refused := cuota(t, "up", "--data", dir); refused.code != exit.Failed ||
		!strings.Contains(refused.stderr, "another cuota process works on this data directory") {
		t.Errorf("a second up on the directory ended with %d: %s", refused.code, refused.stderr)
	}
	r.interrupt(t)
}

func TestIngestTellsWhatItRejectedAndEndsWithStatus2(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	good, err := os.ReadFile("../../demo/files/cartola/cartola_9809_9810_20191014_20191231.txt")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(good), "\n")
	write := func(name, content string) string {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	bad := write("bad.txt", lines[0]+lines[1]+"77057272;X;9809;20191015;1;$$\n"+lines[2])
	r := cuota(t, "ingest", "cartola", bad, "--data", dir)
	if r.code != exit.Rejected || !strings.Contains(r.stdout, "read 3, published 2, rejected 1") ||
		!strings.Contains(r.stdout, "bad.txt:3: ") {
		t.Errorf("a file with a bad row ended with %d:\n%s%s", r.code, r.stdout, r.stderr)
	}
	page := write("page.txt", "<!DOCTYPE html>\n<html><body>Error 503</body></html>\n")
	if r := cuota(t, "ingest", "cartola", page, "--data", dir, "--wait"); r.code != exit.Rejected ||
		!strings.Contains(r.stdout, "page.txt:1: ") {
		t.Errorf("an HTML page ended with %d:\n%s%s", r.code, r.stdout, r.stderr)
	}
	for _, args := range [][]string{
		{"ingest", "cartolas", bad, "--data", dir},
		{"ingest", "cartola", "/does/not/exist", "--data", dir},
		{"ingest", "cartola", bad, "--data", dir, "--published", "yesterday"},
		{"ingest", "cartola", bad, "--data", dir, "--published", "2020-01-01"}, // archived before as published today
		{"key", "create", "--email", "nobody", "--data", dir},
		{"key", "create", "--email", "a@example.org", "--tier", "gold", "--data", dir},
	} {
		if r := cuota(t, args...); r.code != exit.Failed || r.stderr == "" || strings.Contains(r.stderr, "panic") {
			t.Errorf("cuota %s ended with %d: %s", strings.Join(args, " "), r.code, r.stderr)
		}
	}
}

func TestKilledAtAnyMomentAndRepeatedTheProjectionsAreTheSame(t *testing.T) {
	longtest.Skip(t)
	files := "../../demo/files/cartola"
	published := []string{"--published", "2025-09-01"}
	ingestInto := func(dir string, more ...string) []string {
		return append(append([]string{"ingest", "cartola", files, "--data", dir}, published...), more...)
	}

	calm := filepath.Join(t.TempDir(), "calm")
	succeed(t, ingestInto(calm, "--wait")...)
	undisturbed := up(t, calm, "--no-demo")
	want := checksums(t, undisturbed)
	undisturbed.interrupt(t)

	// Each round starts the server, begins to ingest, and kills the server or the ingest
	// when so many facts have arrived.
	stormy := filepath.Join(t.TempDir(), "stormy")
	for round, kill := range []struct {
		server bool
		after  int
	}{{true, 1}, {false, 200}, {true, 5000}, {false, 9000}, {true, 15000}} {
		server := up(t, stormy, "--no-demo")
		ingesting := program(t.Context(), nil, ingestInto(stormy)...)
		if err := ingesting.Start(); err != nil {
			t.Fatal(err)
		}
		deadline := time.Now().Add(patience)
		for arrived := 0; arrived < kill.after && time.Now().Before(deadline); {
			if _, err := fmt.Sscan(sqlOver(t, server, "SELECT count() FROM fact_quota"), &arrived); err != nil {
				t.Fatal(err)
			}
		}
		if kill.server {
			server.kill()
			_ = ingesting.Process.Kill()
		} else {
			_ = ingesting.Process.Kill()
			server.kill()
		}
		_ = ingesting.Wait()
		t.Logf("round %d: killed after %d facts", round, kill.after)
	}

	server := up(t, stormy, "--no-demo")
	succeed(t, ingestInto(stormy, "--wait")...)
	if got := checksums(t, server); got != want {
		t.Errorf("projections after kills:\n%s\nwithout:\n%s", got, want)
	}
	server.interrupt(t)
}

// A first start makes the tables, ingests the demo and builds a batch. If it is killed
// at any moment, the next start must continue without help.
func TestAFirstStartThatIsKilledIsTakenUpByTheNext(t *testing.T) {
	longtest.Skip(t)
	calm := up(t, filepath.Join(t.TempDir(), "calm"))
	want := checksums(t, calm)
	calm.interrupt(t)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 12))
	for kill := range kills(t, 2) {
		dir := filepath.Join(t.TempDir(), "data")
		first := program(context.Background(), nil, "up", "--data", dir, "--listen", "127.0.0.1:0",
			"--clickhouse-listen", "127.0.0.1:0",
			"--clickhouse-native-listen", "127.0.0.1:0", "--kafka-listen", "127.0.0.1:0")
		if err := first.Start(); err != nil {
			t.Fatal(err)
		}
		within := calm.startup
		if kill%2 == 0 {
			within /= 3 // the tables are created in the first third
		}
		pause := time.Duration(random.Int64N(int64(within)))
		select {
		case <-t.Context().Done():
		case <-time.After(pause):
		}
		_ = first.Process.Kill()
		_ = first.Wait()
		next := up(t, dir)
		if got := checksums(t, next); got != want {
			t.Errorf("killed after %s:\n%s\nwithout:\n%s", pause, got, want)
		}
		next.interrupt(t)
	}
}
