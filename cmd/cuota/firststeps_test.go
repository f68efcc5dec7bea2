package main

import (
	"bytes"
	"context"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"cuota/demo"
	"cuota/internal/eventlog"
	"cuota/internal/testkit/longtest"
	"cuota/model"
)

// The address answers while the first market is ingested: it says that there is no batch yet.
// The greeting comes only when the API answers from the batch.
func TestAFirstStartAnswersBeforeItsBatchAndGreetsWithIt(t *testing.T) {
	longtest.Skip(t)
	dir, files := filepath.Join(t.TempDir(), "data"), filepath.Join(t.TempDir(), "market")
	succeed(t, "synth", "--series", "200", "--days", "400", "--out", files)
	if _, err := makeDirectory(dir); err != nil {
		t.Fatal(err)
	}
	key := strings.TrimSpace(succeed(t, "key", "create", "--email", "early@example.org", "--data", dir))
	log := &transcript{}
	server := startUp(t, nil, log, dir, "--no-demo", "--market", files)
	awaitText(t, log, "the API server is running")
	early := "http://" + regexp.MustCompile(`"address":"([0-9.:]+)"[^\n]*the API server is running`).FindStringSubmatch(log.String())[1]
	if status, body := ask(t, early+"/health", ""); status != http.StatusOK || !strings.Contains(body, `"starting"`) {
		t.Errorf("before the first batch /health gives %d: %s", status, body)
	}
	if status, body := ask(t, early+"/api/screener", key); status != http.StatusServiceUnavailable || !strings.Contains(body, `"no_batch"`) {
		t.Errorf("before the first batch the screener gives %d: %.300s", status, body)
	}
	server.awaitGreeting(t)
	if status, body := ask(t, server.api+"/api/screener", key); status != http.StatusOK || server.api != early {
		t.Errorf("after the greeting the screener gives %d: %.300s", status, body)
	}
	if written := log.String(); strings.Index(written, "the API server is running") > strings.Index(written, "batch published") {
		t.Errorf("the API was served after the batch:\n%s", written)
	}
	server.interrupt(t)
}

func TestTheStepsOfAFirstStartSayHowManyFilesAndRowsAreIngested(t *testing.T) {
	brokers := logOf(t, topics())
	reading(t, brokers)
	dir, err := makeDirectory(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	market, err := firstMarket(dir, upOrder{demo: true})
	if err != nil {
		t.Fatal(err)
	}
	steps := newFirstSteps()
	for _, step := range steps.list() {
		if step.Begun || step.Done || step.Percent != -1 {
			t.Errorf("before the start: %+v", step)
		}
	}
	// Whoever looks meanwhile sees numbers that only grow.
	ctx, stop := context.WithCancel(t.Context())
	looked := make(chan []firstStep)
	go func() {
		var seen []firstStep
		for ctx.Err() == nil {
			if now := steps.list()[0]; len(seen) == 0 || now != seen[len(seen)-1] {
				seen = append(seen, now)
			}
		}
		looked <- seen
	}()
	var out bytes.Buffer
	hashes, err := market.ingest(t.Context(), settings{now: time.Now}.archiveIn(dir.archive()), dir, brokers, steps, &out, zerolog.Nop())
	stop()
	seen := <-looked
	if err != nil {
		t.Fatal(err)
	}
	for i := 1; i < len(seen); i++ {
		if a, b := seen[i-1], seen[i]; b.Files < a.Files || b.Rows < a.Rows || b.Percent < a.Percent || b.Percent > 100 {
			t.Errorf("%+v is followed by %+v", a, b)
		}
	}
	sources, err := demo.Sources()
	if err != nil {
		t.Fatal(err)
	}
	// No file of the demo is refused as a whole.
	if len(hashes) != len(sources) {
		t.Errorf("%d files, want %d", len(hashes), len(sources))
	}
	published := rowsIn(t, brokers)
	got := steps.list()[0]
	if got.Files != len(sources) || got.OfFiles != len(sources) || got.Percent != 100 || got.Done || int64(got.Rows) != published {
		t.Errorf("after the last file: %+v; the log has %d rows", got, published)
	}

	steps.storing(77)
	if list := steps.list(); !list[0].Done || list[1].Messages != 77 || list[1].Done {
		t.Errorf("while facts are stored: %+v", list)
	}
	steps.building(line{stage: "stored"})
	steps.building(line{stage: buildingStage + "1", value: 40})
	if list := steps.list(); !list[1].Done || list[1].Messages != 0 || list[2].Percent != 40 || list[3].Begun {
		t.Errorf("while the batch is built: %+v", list)
	}
	steps.end()
	if slices.ContainsFunc(steps.list(), func(step firstStep) bool { return !step.Done || step.Percent != 100 }) {
		t.Errorf("at the end: %+v", steps.list())
	}
	if none := (*firstSteps)(nil); none.list() != nil {
		t.Error("a start without a market has steps")
	}
}

// rowsIn counts the messages of all topics but those of the control topic.
func rowsIn(t *testing.T, brokers eventlog.Brokers) (rows int64) {
	t.Helper()
	lags, err := lagGroup(brokers, zerolog.Nop()).Lag(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, lag := range lags {
		if lag.Topic != model.ControlTopic {
			rows += lag.End
		}
	}
	return rows
}
