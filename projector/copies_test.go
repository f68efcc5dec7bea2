package projector_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/segmentio/kafka-go"

	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/waittest"
	"cuota/model"
	"cuota/sql"
)

// start starts the projector of a copy, which ends with the test.
func start(t *testing.T, m *demotest.Market) {
	t.Helper()
	if err := m.Projector().Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.Projector().Stop(context.Background()) })
}

// holdsFiles waits until a copy has published a batch of so many files.
func holdsFiles(t *testing.T, m *demotest.Market, files int) {
	t.Helper()
	waittest.Until(t, fmt.Sprintf("a batch of %d files", files), func() bool {
		return count(t, m, "SELECT uniqExact(sha256) FROM batch_file(batch = (SELECT max(batch) FROM batch))") ==
			uint64(files)
	})
}

// publications lists what clients see of each batch of a copy: its public name and when it was published.
func publications(t *testing.T, m *demotest.Market) []string {
	t.Helper()
	return column(t, m, "SELECT concat(batch_id, ' ', toString(published_at)) FROM publication FINAL ORDER BY batch_id")
}

func TestCopiesOfOneLogPublishTheSameBatches(t *testing.T) {
	t.Parallel()
	copies := demotest.Copies(t, "a", "b", "late")
	dir, sources := extracted(t)
	for _, m := range copies[:2] {
		start(t, m) // both see the same files, and both plan
	}
	files := 0
	for i, source := range sources {
		// Which copy sends a file does not matter.
		copies[i%2].Ingest(t, source.Dataset, filepath.Join(dir, source.Path), source.Published)
		if files++; i%6 == 5 {
			holdsFiles(t, copies[0], files)
		}
	}
	start(t, copies[2]) // has facts, and builds every batch that the log plans
	var sums map[string]string
	for i, m := range copies {
		holdsFiles(t, m, files)
		newest := count(t, m, "SELECT max(batch) FROM batch")
		waittest.Until(t, "the publication is listed", func() bool {
			return count(t, m, "SELECT count() FROM publication WHERE batch = $1", newest) > 0
		})
		found := demotest.Checksums(t, m.Conn, newest)
		if i == 0 {
			sums = found
			continue
		}
		if diff := cmp.Diff(sums, found); diff != "" {
			t.Errorf("rows of a copy (-first, +other):\n%s", diff)
		}
		if diff := cmp.Diff(publications(t, copies[0]), publications(t, m)); diff != "" {
			t.Errorf("batches of a copy (-first, +other):\n%s", diff)
		}
	}
	if batches := len(publications(t, copies[0])); batches < 3 {
		t.Errorf("only %d batches: this proves little", batches)
	}
	if compared := count(t, copies[0], "SELECT count() FROM plan_built WHERE length(checksums) > 30"); compared < 9 {
		t.Errorf("only %d batches were summed up", compared)
	}
	ids := "SELECT toString(groupArray((kind, key, id))) FROM (SELECT kind, key, id FROM registry ORDER BY kind, key)"
	if first, late := column(t, copies[0], ids)[0], column(t, copies[2], ids)[0]; first != late {
		t.Error("two copies gave different ids")
	}
}

func TestACopyWithOtherRowsPublishesNothing(t *testing.T) {
	t.Parallel()
	copies := demotest.Copies(t, "right", "wrong")
	history := historyOf(t)
	right, wrong := copies[0], copies[1]
	for _, path := range history[:2] {
		right.Ingest(t, model.Cartola, path, demotest.Clock)
	}
	start(t, right)
	holdsFiles(t, right, 2)
	// The same files came to another quota here.
	wrong.Settle(t)
	wrong.Change(t, "ALTER TABLE fact_quota UPDATE quota = quota + 1 "+
		"WHERE date = (SELECT max(date) FROM fact_quota) SETTINGS mutations_sync = 2")
	start(t, wrong)
	const refused = "SELECT count() FROM batch_failure WHERE refused AND reason LIKE '%copy right built other rows of %screener%'"
	waittest.Until(t, "the batch is refused", func() bool { return count(t, wrong, refused) == 1 })
	if batches := count(t, wrong, "SELECT count() FROM batch"); batches != 0 {
		t.Errorf("%d batches are published of rows that differ", batches)
	}
	waittest.Until(t, "the copy says that it is not ready, and why", func() bool {
		err := wrong.Projector().Ready()
		return err != nil && strings.Contains(err.Error(), "copy right")
	})
	right.Ingest(t, model.Cartola, history[2], demotest.Clock)
	holdsFiles(t, right, 3)
}

// record is a message of the topic of batches.
func record(t *testing.T, r model.BatchRecord, place int64) kafka.Message {
	t.Helper()
	value, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return kafka.Message{Topic: model.BatchesTopic, Offset: place, Value: value}
}

func TestOfPlansMadeAtTheSameTimeTheFirstCounts(t *testing.T) {
	t.Parallel()
	m := demotest.New(t)
	plan := func(number, previous uint64, id string) kafka.Message {
		return record(t, model.BatchRecord{Plan: &model.BatchPlan{
			Number: number, Previous: previous, ID: id, PlannedAt: 1, Rules: sql.Rules(), Copy: "a",
		}}, 0)
	}
	stored := func(messages ...kafka.Message) string {
		t.Helper()
		if err := m.Projector().Consume(t.Context(), messages); err != nil {
			t.Fatal(err)
		}
		return strings.Join(column(t, m, "SELECT concat(toString(plan), id) FROM batch_plan FINAL ORDER BY plan"), " ")
	}
	for _, step := range []struct {
		name     string
		messages []kafka.Message
		want     string
	}{
		{"the second author did not know the first plan", []kafka.Message{plan(1, 0, "a"), plan(1, 0, "b")}, "1a"},
		{"a redelivery adds nothing", []kafka.Message{plan(1, 0, "a"), plan(1, 0, "b"), plan(2, 1, "c")}, "1a 2c"},
		{"a higher number alone does not help", []kafka.Message{plan(7, 1, "d"), plan(3, 2, "e")}, "1a 2c 3e"},
		{"after a gap the plans go on", []kafka.Message{plan(9, 8, "f")}, "1a 2c 3e 9f"},
		{"what is no plan is kept as rejected", []kafka.Message{
			plan(10, 10, "g"), plan(1<<60, 9, "h"), {Topic: model.BatchesTopic, Value: []byte("{")}, {Topic: model.BatchesTopic,
				Value: []byte("{}")},
		}, "1a 2c 3e 9f"},
	} {
		if got := stored(step.messages...); got != step.want {
			t.Errorf("%s: plans %s, want %s", step.name, got, step.want)
		}
	}
	if kept := count(t, m, "SELECT uniqExact(source_sha256) FROM rejected_row WHERE dataset = 'kafka'"); kept != 4 {
		t.Errorf("%d messages are kept as rejected, want 4", kept)
	}
}

func TestAPlanThatWasNotBuiltIsBuiltNext(t *testing.T) {
	t.Parallel()
	m := demotest.New(t)
	history := historyOf(t)
	m.Ingest(t, model.Cartola, history[0], demotest.Clock)
	m.Settle(t)
	files := column(t, m, "SELECT sha256 FROM complete_file")
	// The projector was killed after it had planned.
	if err := m.Projector().Consume(t.Context(), []kafka.Message{record(t, model.BatchRecord{Plan: &model.BatchPlan{
		Number: 1, ID: "before", PlannedAt: demotest.Clock.UnixMilli(), Files: files, Rules: sql.Rules(),
	}}, 0)}); err != nil {
		t.Fatal(err)
	}
	m.Ingest(t, model.Cartola, history[1], demotest.Clock)
	m.Build(t)
	if got := column(t, m, "SELECT toString(groupArray((plan, length(files)))) FROM (SELECT * FROM batch_plan FINAL ORDER BY plan)")[0]; got != "[(1,1),(2,1)]" {
		t.Errorf("plans and their files: %s, want each file once", got)
	}
	if got := column(t, m, "SELECT toString(groupArray(n)) FROM (SELECT count() AS n FROM batch_new_file GROUP BY batch ORDER BY batch)")[0]; got != "[1,1]" {
		t.Errorf("files new in each batch: %s, want one in each", got)
	}
}
