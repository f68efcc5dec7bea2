package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"cuota/cmd/cuota/exit"
	"cuota/internal/testkit/longtest"
)

// oneSource writes a configuration with one source of cartolas.
func oneSource(t *testing.T, address string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "sources.toml")
	text := fmt.Sprintf("user_agent = \"cuota-test (+mailto:tests@example.org)\"\nretries = 0\n"+
		"[[source]]\nname = \"cartola\"\ndataset = \"cartola\"\nurl = %q\nat = \"07:00\"\n", address)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestScrapeMakesABatchOfWhatChangedWithAndWithoutUp(t *testing.T) {
	longtest.InTurns(t)
	whole, err := os.ReadFile("../../demo/files/cartola/cartola_9809_9810_20210101_20211231.txt")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(whole), "\n")
	first := strings.Join(lines[:21], "")
	const was, is = ";APV;0;0;422827.3953;996.7866;", ";APV;0;0;422827.3953;996.7877;"
	corrected := strings.Replace(first, was, is, 1)
	if corrected == first {
		t.Fatal("the demo has no such row")
	}

	var body atomic.Value
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, body.Load())
	}))
	defer server.Close()
	config := oneSource(t, server.URL+"/cartola.txt")
	dir := directoryWithTables(t)
	scrapeNow := func() result { return cuota(t, "scrape", "--config", config, "--once", "--now", "--data", dir) }

	body.Store(first)
	if r := scrapeNow(); r.code != 0 ||
		!strings.Contains(r.stdout, "cartola: fetched 1, unchanged 0, published 1 (20 rows, 0 rejected)") {
		t.Fatalf("the first scrape ended with %d:\n%s%s", r.code, r.stdout, r.stderr)
	}
	if out := succeed(t, "status", "--data", dir); !regexp.MustCompile(`published batch \d+-1-`).MatchString(out) {
		t.Errorf("no batch was made of it:\n%s", out)
	}

	r := up(t, dir, "--no-demo")
	const quotas = "SELECT DISTINCT toString(quota) FROM batch_series_day(batch = (SELECT max(batch) FROM batch), " +
		"series = [], all_series = true) WHERE date = '2021-01-01' AND toString(quota) LIKE '996.78%'"
	if got := sqlOver(t, r, quotas); got != "996.7866" {
		t.Fatalf("the first batch has the quota %s", got)
	}
	if again := scrapeNow(); again.code != 0 || !strings.Contains(again.stdout, "unchanged 1, published 0") {
		t.Errorf("the same payload ended with %d:\n%s%s", again.code, again.stdout, again.stderr)
	}
	body.Store("<html><body>Service unavailable</body></html>\n")
	if refused := scrapeNow(); refused.code != exit.Failed || !strings.Contains(refused.stdout, "refused 1") ||
		!strings.Contains(refused.stderr, "1 of 1 sources failed: cartola") {
		t.Errorf("an error page ended with %d:\n%s%s", refused.code, refused.stdout, refused.stderr)
	}
	body.Store(corrected)
	if changed := scrapeNow(); changed.code != 0 || !strings.Contains(changed.stdout, "published 1 (20 rows") {
		t.Errorf("a corrected payload ended with %d:\n%s%s", changed.code, changed.stdout, changed.stderr)
	}
	pause := time.NewTicker(200 * time.Millisecond)
	defer pause.Stop()
	for deadline := time.Now().Add(patience); sqlOver(t, r, quotas) != "996.7877"; <-pause.C {
		if time.Now().After(deadline) {
			t.Fatalf("the correction is in no batch; quotas: %s", sqlOver(t, r, quotas))
		}
	}
	if got := sqlOver(t, r, "SELECT (SELECT count() FROM complete_file FINAL), (SELECT count() FROM rejected_row)"); got != "2\t0" {
		t.Errorf("files and rejected rows %q, want the two good payloads and nothing of the error page", got)
	}
	r.interrupt(t)
}
