package main

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"cuota/internal/testkit/longtest"
)

// The files are small and independent, so that each makes one batch. The short form ingests two
// of them.
func TestIngestWaitReturnsOnceTheAPIHasTheFiles(t *testing.T) {
	longtest.InTurns(t)
	dir := directoryWithTables(t)
	r := up(t, dir, "--no-demo")
	key := strings.TrimSpace(succeed(t, "key", "create", "--email", "someone@example.org", "--data", dir))
	batch := regexp.MustCompile(`in published batch (\S+), which the API serves`)
	files := []string{"20191014_20191231", "20200101_20201231", "20210101_20211231", "20220101_20221231"}
	if testing.Short() {
		files = files[:2]
	}
	for _, file := range files {
		// People's statements may take at most 30 s; a command may wait longer than
		// that.
		out := succeed(t, "ingest", "cartola", "../../demo/files/cartola/cartola_9809_9810_"+file+".txt", "--data", dir,
			"--wait", "--timeout", "10m")
		// Every request after the command returned is answered from the batch.
		status, body := ask(t, r.api+"/api/screener?limit=1", key)
		var page struct {
			Meta struct {
				BatchID string `json:"batch_id"`
			}
		}
		if err := json.Unmarshal([]byte(body), &page); err != nil || status != http.StatusOK {
			t.Fatalf("after %s the screener gives %d: %.300s", file, status, body)
		}
		if told := batch.FindStringSubmatch(out); told == nil || told[1] != page.Meta.BatchID {
			t.Errorf("ingest of %s said %q, and the API answers from %s", file, out, page.Meta.BatchID)
		}
	}
	// Files that the API serves already need no new batch.
	if out := succeed(t, "ingest", "cartola", "../../demo/files/cartola/cartola_9809_9810_20191014_20191231.txt",
		"--data", dir, "--wait"); !batch.MatchString(out) {
		t.Errorf("the same file again said:\n%s", out)
	}
	r.interrupt(t)
}
