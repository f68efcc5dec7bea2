package main

import (
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"cuota/cmd/cuota/datadir"
	"cuota/internal/testkit/longtest"
)

// The address answers while the first market is ingested: it says that there is no batch yet.
// The greeting comes only when the API answers from the batch.
func TestAFirstStartAnswersBeforeItsBatchAndGreetsWithIt(t *testing.T) {
	longtest.Skip(t)
	dir, files := filepath.Join(t.TempDir(), "data"), filepath.Join(t.TempDir(), "market")
	succeed(t, "synth", "--series", "200", "--days", "400", "--out", files)
	if _, err := datadir.Make(dir); err != nil {
		t.Fatal(err)
	}
	key := strings.TrimSpace(succeed(t, "key", "create", "--email", "early@example.org", "--data", dir))
	log := &transcript{}
	server := startUp(t, nil, log, dir, "--no-demo", "--market", files)
	awaitText(t, log, "the API server is running")
	early := "http://" + regexp.MustCompile(`"address":"([0-9.:]+)"[^\n]*the API server is running`).FindStringSubmatch(
		log.String())[1]
	if status, body := ask(t, early+"/health", ""); status != http.StatusOK || !strings.Contains(body, `"starting"`) {
		t.Errorf("before the first batch /health gives %d: %s", status, body)
	}
	if status, body := ask(t, early+"/api/screener", key); status != http.StatusServiceUnavailable ||
		!strings.Contains(body, `"no_batch"`) {
		t.Errorf("before the first batch the screener gives %d: %.300s", status, body)
	}
	server.awaitGreeting(t)
	if status, body := ask(t, server.api+"/api/screener", key); status != http.StatusOK || server.api != early {
		t.Errorf("after the greeting the screener gives %d: %.300s", status, body)
	}
	if written := log.String(); strings.Index(written, "the API server is running") > strings.Index(written,
		"batch published") {
		t.Errorf("the API was served after the batch:\n%s", written)
	}
	server.interrupt(t)
}
