package projector_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"
	"github.com/segmentio/kafka-go"

	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/internal/testkit/waittest"
	"cuota/model"
	"cuota/projector"
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
	longtest.InTurns(t)
	t.Parallel()
	copies := demotest.Copies(t, time.Millisecond, "a", "b", "late")
	dir, sources := extracted(t)
	for _, m := range copies[:2] {
		start(t, m) // both see the same files, and both plan
	}
	files := 0
	for i, source := range sources {
		// Which copy sends a file does not matter.
		copies[i%2].Ingest(t, source.Dataset, filepath.Join(dir, source.Path), source.Published)
		if files++; files == len(sources)/2 {
			holdsFiles(t, copies[0], files)
		}
	}
	start(t, copies[2]) // has facts, and builds every batch that the log plans
	if waits := count(t, copies[2], "SELECT toUInt64(max(valid_ms)) FROM copy_progress"); waits == 0 {
		t.Error("servers of the late copy would answer as if there were no other")
	}
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
	if batches := len(publications(t, copies[0])); batches < 2 {
		t.Errorf("only %d batches: this proves little", batches)
	}
	if compared := count(t, copies[0], "SELECT count() FROM plan_built WHERE length(checksums) > 30"); compared < 6 {
		t.Errorf("only %d batches were summed up", compared)
	}
	ids := "SELECT toString(groupArray((kind, key, id))) FROM (SELECT kind, key, id FROM registry ORDER BY kind, key)"
	if first, late := column(t, copies[0], ids)[0], column(t, copies[2], ids)[0]; first != late {
		t.Error("two copies gave different ids")
	}
}

func TestACopyFromABackupJoinsTheOthers(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	copies, history := demotest.Copies(t, time.Millisecond, "a", "b"), historyOf(t)
	for _, m := range copies {
		start(t, m)
	}
	for i, path := range history[:2] {
		copies[0].Ingest(t, model.Cartola, path, demotest.Clock)
		for _, m := range copies {
			holdsFiles(t, m, i+1)
		}
	}
	if err := copies[0].Projector().Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	restored := copies[0].Restored(t, time.Millisecond, "restored")
	start(t, copies[0])
	copies[1].Ingest(t, model.Cartola, history[2], demotest.Clock)
	for _, m := range copies {
		holdsFiles(t, m, 3)
	}
	start(t, restored)
	holdsFiles(t, restored, 3)
	copies[1].Ingest(t, model.Cartola, history[3], demotest.Clock)
	var want map[string]string
	for _, m := range []*demotest.Market{copies[1], copies[0], restored} {
		holdsFiles(t, m, 4)
		newest := count(t, m, "SELECT max(batch) FROM batch")
		waittest.Until(t, "the publication is listed", func() bool {
			return count(t, m, "SELECT count() FROM publication WHERE batch = $1", newest) > 0
		})
		found := demotest.Checksums(t, m.Conn, newest)
		if want == nil {
			want = found
		}
		if diff := cmp.Diff(want, found); diff != "" {
			t.Errorf("rows of a copy (-first, +other):\n%s", diff)
		}
		if diff := cmp.Diff(publications(t, copies[1]), publications(t, m)); diff != "" {
			t.Errorf("batches of a copy (-first, +other):\n%s", diff)
		}
	}
	if built := column(t, copies[1], "SELECT toString(plan) FROM plan_built FINAL WHERE copy = 'restored' ORDER BY plan"); !slices.
		Equal(built, []string{"3", "4"}) {
		t.Errorf("the restored copy built the plans %q, want those after the backup", built)
	}
}

func TestACopyWithOtherRowsPublishesNothing(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	copies := demotest.Copies(t, time.Millisecond, "right", "wrong")
	history := historyOf(t)
	right, wrong := copies[0], copies[1]
	for _, path := range history[:2] {
		right.Ingest(t, model.Cartola, path, demotest.Clock)
	}
	start(t, right)
	holdsFiles(t, right, 2)
	// The same files came to another quota here.
	wrong.Settle(t)
	changed := column(t, wrong, "SELECT toString(max(date)) FROM fact_quota")[0]
	wrong.Change(t, "ALTER TABLE fact_quota UPDATE quota = quota + 1 WHERE date = $1 SETTINGS mutations_sync = 2", changed)
	start(t, wrong)
	const refused = "SELECT count() FROM batch_failure WHERE refused AND reason LIKE '%copy right built other rows of %screener%'"
	waittest.Until(t, "the batch is refused, and the one that this copy plans to mend itself", func() bool {
		return count(t, wrong, refused) == 2
	})
	if batches := count(t, wrong, "SELECT count() FROM batch"); batches != 0 {
		t.Errorf("%d batches are published of rows that differ", batches)
	}
	waittest.Until(t, "the copy says that it is not ready, and why", func() bool {
		err := wrong.Projector().Ready()
		return err != nil && strings.Contains(err.Error(), "other rows")
	})
	right.Ingest(t, model.Cartola, history[2], demotest.Clock)
	holdsFiles(t, right, 3)
	waittest.Until(t, "the next batch is refused too", func() bool {
		return count(t, wrong, "SELECT uniqExact(plan) FROM plan_batch WHERE failure != ''") == 3
	})
	// Once the facts are right, every day is built anew, in both copies.
	wrong.Change(t, "ALTER TABLE fact_quota UPDATE quota = quota - 1 WHERE date = $1 SETTINGS mutations_sync = 2", changed)
	command, err := json.Marshal(model.Control{Project: &model.ProjectCommand{ID: "again", Rebuild: true}})
	if err != nil {
		t.Fatal(err)
	}
	right.Send(t, model.ControlTopic, kafka.Message{Value: command})
	for _, m := range copies {
		waittest.Until(t, "the command is carried out", func() bool {
			return count(t, m, "SELECT count() FROM command_done WHERE id = 'again' AND failure = ''") == 1
		})
		holdsFiles(t, m, 3)
		if plans := column(t, m, "SELECT format('{}: {} files, {} commands, by {}', toString(plan), toString(length(files)), "+
			"toString(length(commands)), copy) FROM batch_plan FINAL ORDER BY plan"); len(plans) != 4 {
			t.Errorf("plans %q, want two of files, one that mends and one of the command", plans)
		}
	}
	if diff := cmp.Diff(demotest.Checksums(t, right.Conn, count(t, right, "SELECT max(batch) FROM batch")),
		demotest.Checksums(t, wrong.Conn, count(t, wrong, "SELECT max(batch) FROM batch"))); diff != "" {
		t.Errorf("rows after the rebuild (-right, +repaired):\n%s", diff)
	}
	if err := wrong.Projector().Ready(); err != nil {
		t.Errorf("its readiness says: %v", err)
	}
}

func TestMoreFilesThanAPlanTakesAreAllPublished(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	m := demotest.New(t)
	history := historyOf(t)
	for _, path := range history[:5] {
		m.Ingest(t, model.Cartola, path, demotest.Clock)
	}
	command, err := json.Marshal(model.Control{Project: &model.ProjectCommand{ID: "now"}})
	if err != nil {
		t.Fatal(err)
	}
	m.Send(t, model.ControlTopic, kafka.Message{Value: command})
	m.Settle(t)
	p := projector.New(projector.Config{PlanFiles: 2, Quiet: time.Millisecond, Now: func() time.Time {
		return demotest.Clock
	}}, m.Conn, zerolog.Nop())
	p.Lead(true)
	if err := p.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Stop(context.Background()) })
	waittest.Until(t, "the command is carried out", func() bool {
		return count(t, m, "SELECT count() FROM command_done WHERE id = 'now' AND failure = ''") == 1
	})
	holdsFiles(t, m, 5)
	if got := column(t, m, "SELECT toString(groupArray(length(files))) FROM (SELECT * FROM batch_plan FINAL ORDER BY plan)")[0]; got != "[2,2,1]" {
		t.Errorf("files of the plans: %s, want [2,2,1]", got)
	}
	if last := count(t, m, "SELECT batch FROM command_done WHERE id = 'now'"); last != count(t, m, "SELECT max(batch) FROM batch") {
		t.Errorf("the command ended with batch %d, which has not all files", last)
	}
}

func TestALostListOfBatchesIsFollowedByOneBatch(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	m := demotest.New(t)
	history := historyOf(t)
	var before uint64
	for _, path := range history[:3] {
		m.Ingest(t, model.Cartola, path, demotest.Clock)
		before = m.Build(t)
	}
	want := demotest.Checksums(t, m.Conn, before)
	m.Change(t, "ALTER TABLE batch DELETE WHERE true SETTINGS mutations_sync = 2")
	after := m.Build(t)
	if after != before+1 {
		t.Errorf("batch %d is followed by %d: plans that were done are built again", before, after)
	}
	if diff := cmp.Diff(want, demotest.Checksums(t, m.Conn, after)); diff != "" {
		t.Errorf("rows (-before, +after the loss):\n%s", diff)
	}
	if names := count(t, m, "SELECT toUInt64(count() - uniqExact(batch_id)) FROM publication FINAL"); names != 0 {
		t.Errorf("%d batches have the name of another one", names)
	}
}

func TestTheCommandOfAPlanThatWasPassedOverEnds(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	m := demotest.New(t)
	m.Ingest(t, model.Cartola, historyOf(t)[0], demotest.Clock)
	m.Build(t)
	// An earlier version of the program planned this, and was replaced while it built it.
	other := strings.Repeat("0", 64)
	for _, message := range []kafka.Message{
		{Topic: model.ControlTopic, Value: []byte(`{"project":{"id":"before","rebuild":true}}`)},
		record(t, model.BatchRecord{Plan: &model.BatchPlan{Number: 2, Previous: 1, ID: "old",
			PlannedAt: demotest.Clock.UnixMilli(), Rebuild: true, Rules: other, Commands: []string{"before"}}}, 0),
	} {
		if err := m.Projector().Consume(t.Context(), []kafka.Message{message}); err != nil {
			t.Fatal(err)
		}
	}
	m.Projector().Lead(true)
	start(t, m)
	waittest.Until(t, "the command is carried out", func() bool {
		return count(t, m, "SELECT count() FROM command_done WHERE id = 'before' AND failure = '' AND batch = (SELECT max(batch) FROM batch)") == 1
	})
	if plans := count(t, m, "SELECT uniqExact(plan) FROM batch_plan"); plans != 3 {
		t.Errorf("%d plans, want one more for the rules of this program", plans)
	}
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
			plan(10, 10, "g"), plan(1<<60, 9, "h"), {Topic: model.BatchesTopic, Value: []byte("{")},
			{Topic: model.BatchesTopic,
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
	if got := column(t, m, "SELECT toString(groupArray(n)) FROM (SELECT count() AS n FROM batch_new_file GROUP BY batch ORDER BY batch)")[0]; got != "[2]" {
		t.Errorf("files new in each batch: %s, want both in one: the newest plan has those of the plan before", got)
	}
}
