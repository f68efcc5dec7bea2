package notaries_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"cuota/cmd/cuota/notaries"
	"cuota/demo"
	"cuota/internal/embedded/clickhouse/clickhousetest"
	"cuota/internal/notary"
	"cuota/internal/testkit/demotest"
	"cuota/model"
	"cuota/projector/inspect"
)

func TestMain(m *testing.M) { os.Exit(clickhousetest.Main(m)) }

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// someFiles are files of the demo: a cartola of 79 days, the UF and the dólar.
func someFiles(t *testing.T) (dir string, sources []demo.Source) {
	t.Helper()
	dir = t.TempDir()
	must(t, demo.Extract(dir))
	all, err := demo.Sources()
	must(t, err)
	for _, source := range all {
		rates := source.Dataset == model.UF || source.Dataset == model.Dolar
		if rates || strings.Contains(source.Path, "9810_2019") {
			sources = append(sources, source)
		}
	}
	if len(sources) < 3 {
		t.Fatalf("the demo has only %d such files", len(sources))
	}
	return dir, sources
}

// of makes a notary of a market.
func of(m *demotest.Market, dir string) *notary.Notary {
	return notary.New(dir, notaries.NewSource(m.Conn, m.Projector().Inspected), zerolog.Nop())
}

// look lets a notary look once, as a process that begins and ends.
func look(t *testing.T, m *demotest.Market, dir string) *notary.Notary {
	t.Helper()
	n := of(m, dir)
	must(t, n.Look(t.Context()))
	must(t, n.Stop(t.Context()))
	return n
}

// examined returns what another process finds wrong with a log, such as cuota status.
func examined(t *testing.T, m *demotest.Market, dir string) error {
	t.Helper()
	_, err := notary.Examine(t.Context(), dir, notaries.NewSource(m.Conn, nil))
	return err
}

// lastLeaf returns the last leaf of a log as it is stored.
func lastLeaf(t *testing.T, dir string) (leaf notary.Leaf, line string) {
	t.Helper()
	l, err := notary.Open(dir)
	must(t, err)
	proof, err := l.Prove(l.Last())
	must(t, err)
	must(t, json.Unmarshal([]byte(proof.Leaf), &leaf))
	return leaf, proof.Leaf
}

func TestEqualBatchesHaveEqualLeaves(t *testing.T) {
	folder, sources := someFiles(t)
	ingest := func(m *demotest.Market, source demo.Source) {
		m.Ingest(t, source.Dataset, filepath.Join(folder, source.Path), source.Published)
	}
	var leaves []notary.Leaf
	var lines []string
	for _, fill := range []func(*demotest.Market) uint64{
		func(m *demotest.Market) uint64 {
			for _, source := range sources {
				ingest(m, source)
			}
			return m.Build(t)
		},
		func(m *demotest.Market) uint64 {
			for i := range sources {
				ingest(m, sources[len(sources)-1-i])
			}
			return m.Build(t)
		},
		func(m *demotest.Market) uint64 { // the same files in several batches
			for i := range sources {
				ingest(m, sources[len(sources)-1-i])
				if i == 0 {
					m.Build(t)
				}
			}
			return m.Build(t)
		},
	} {
		m, dir := demotest.New(t), filepath.Join(t.TempDir(), "log")
		batch := fill(m)
		look(t, m, dir)
		leaf, line := lastLeaf(t, dir)
		leaves, lines = append(leaves, leaf), append(lines, line)

		// Another way to what the leaf says.
		var id string
		must(t, m.Conn.QueryRow(t.Context(), "SELECT batch_id FROM batch ORDER BY batch DESC LIMIT 1").Scan(&id))
		sums, err := inspect.Sums(t.Context(), m.Conn, batch)
		must(t, err)
		withRows := 0
		for _, sum := range sums {
			if sum.Rows > 0 {
				withRows++
			}
		}
		files := int64(len(sources))
		if leaf.BatchID != id || leaf.Files.Count != files || len(leaf.Tables) != withRows || withRows < 10 {
			t.Errorf("the leaf of batch %s with %d tables is %s", id, withRows, line)
		}
	}
	if lines[0] != lines[1] {
		t.Errorf("the same batch has two leaves:\n%s\n%s", lines[0], lines[1])
	}
	leaves[2].BatchID, leaves[2].Number = leaves[0].BatchID, leaves[0].Number
	again, err := leaves[2].Encode()
	must(t, err)
	if string(again) != lines[0] {
		t.Errorf("but for its name, the batch after others has another leaf:\n%s\n%s", again, lines[0])
	}
}

func TestALogThatWasCutForkedOrLostIsNoticed(t *testing.T) {
	folder, sources := someFiles(t)
	m, dir := demotest.New(t), filepath.Join(t.TempDir(), "log")
	ingest := func(i int) {
		m.Ingest(t, sources[i].Dataset, filepath.Join(folder, sources[i].Path), sources[i].Published)
		m.Build(t)
	}
	copied := func(from string) string {
		to := filepath.Join(t.TempDir(), "copy")
		must(t, os.CopyFS(to, os.DirFS(from)))
		return to
	}
	refused := func(what, dir, says string) {
		t.Helper()
		before, _ := notary.Open(dir)
		n := look(t, m, dir)
		if n.Fault() == nil || !strings.Contains(n.Fault().Error(), says) {
			t.Errorf("a log that %s gives %v, want %q", what, n.Fault(), says)
		}
		if err := examined(t, m, dir); !errors.As(err, new(notary.FaultError)) || !strings.Contains(err.Error(), says) {
			t.Errorf("of a log that %s, another process finds %v, want %q", what, err, says)
		}
		after, err := notary.Open(dir)
		if before != nil && (err != nil || after.Head != before.Head) {
			t.Errorf("a log that %s was changed: %+v (%v)", what, after, err)
		}
	}

	ingest(0)
	ingest(1)
	look(t, m, dir)
	early := copied(dir)
	ingest(2)
	n := look(t, m, dir)
	whole, err := notary.Open(dir)
	must(t, err)
	if n.Fault() != nil || n.Leaves() != 3 || whole.Head.Size != 3 {
		t.Fatalf("three batches have %d leaves: %v", n.Leaves(), n.Fault())
	}
	if n := look(t, m, dir); n.Fault() != nil || n.Leaves() != 3 {
		t.Errorf("a second look leaves %d leaves: %v", n.Leaves(), n.Fault())
	}

	lost := copied(dir)
	must(t, os.Remove(filepath.Join(lost, "key")))
	refused("has lost its secret key", lost, "the secret key is missing")

	// What was signed before comes again, so a log that was set back is no fork.
	back := copied(early)
	n = look(t, m, back)
	again, err := notary.Open(back)
	must(t, err)
	if n.Fault() != nil || again.Head != whole.Head {
		t.Errorf("a log that was set back is %+v (%v), want %+v", again.Head, n.Fault(), whole.Head)
	}

	other := copied(early)
	forked, err := notary.Open(other)
	must(t, err)
	leaf, _ := lastLeaf(t, dir)
	leaf.Tables["screener"] = strings.Repeat("0", 16)
	must(t, forked.Append(leaf))
	refused("was forked", other, "was forked")

	gone := filepath.Join(t.TempDir(), "gone")
	refused("is gone", gone, "is gone from")
	must(t, os.WriteFile(filepath.Join(gone, "begin"), nil, 0o600))
	if n := look(t, m, gone); n.Fault() != nil || n.Leaves() != 3 {
		t.Errorf("a log that was begun anew has %d leaves: %v", n.Leaves(), n.Fault())
	}
	if begun, err := notary.Open(gone); err != nil || begun.Head.Origin == whole.Head.Origin {
		t.Errorf("a log that was begun anew has the old name (%v)", err)
	}
	must(t, os.WriteFile(filepath.Join(gone, "begin"), nil, 0o600)) // once more, when it is not needed
	look(t, m, gone)
	if _, err := os.Stat(filepath.Join(gone, "begin")); err == nil {
		t.Error("a later loss of the log would begin another log")
	}
	must(t, examined(t, m, gone))

	// Another process appends to the directory.
	first, second := of(m, dir), of(m, dir)
	must(t, first.Look(t.Context()))
	if err := second.Look(t.Context()); err == nil || !strings.Contains(err.Error(), "another process") {
		t.Errorf("two notaries of one directory: %v", err)
	}
	must(t, errors.Join(first.Stop(t.Context()), second.Stop(t.Context())))

	m.Rebuild(t)
	look(t, m, dir)
	m.Lose(t, "batch", "batch = (SELECT max(batch) FROM batch WHERE batch < (SELECT max(batch) FROM batch))")
	refused("was cut before a batch that is not kept", copied(early), "was cut")

	m.Lose(t, "batch_new_file", "sha256 = (SELECT min(sha256) FROM batch_new_file)")
	uncertain := &losing{Source: notaries.NewSource(m.Conn, m.Projector().Inspected), whole: 1}
	n = notary.New(dir, uncertain, zerolog.Nop())
	if err := n.Look(t.Context()); n.Fault() != nil || err == nil || !strings.Contains(err.Error(), "may have been lost") {
		t.Errorf("rows that are lost during the comparison give %v and the fault %v", err, n.Fault())
	}
	must(t, n.Stop(t.Context()))
	refused("has other files than the tables", dir, "says something else than the tables")
}

// losing is a source whose tables are whole only so many times.
type losing struct {
	*notaries.Source
	whole int
}

func (l *losing) Whole(ctx context.Context) (bool, error) {
	l.whole--
	return l.whole >= 0, nil
}

// noting is a source that looks which checkpoint is public when another is noted.
type noting struct {
	*notaries.Source
	t      *testing.T
	dir    string
	before []int64 // leaves
}

func (n *noting) Note(ctx context.Context, head notary.Checkpoint) error {
	opened, err := notary.Open(n.dir)
	must(n.t, err)
	n.before = append(n.before, opened.Head.Size)
	return n.Source.Note(ctx, head)
}

// If a process ends in between, no later one can sign another root for the size.
func TestACheckpointIsNotedBeforeItIsPublic(t *testing.T) {
	folder, sources := someFiles(t)
	m, dir := demotest.New(t), filepath.Join(t.TempDir(), "log")
	m.Ingest(t, sources[0].Dataset, filepath.Join(folder, sources[0].Path), sources[0].Published)
	m.Build(t)
	source := &noting{Source: notaries.NewSource(m.Conn, m.Projector().Inspected), t: t, dir: dir}
	n := notary.New(dir, source, zerolog.Nop())
	must(t, n.Look(t.Context()))
	if want := []int64{0, 0}; !slices.Equal(source.before, want) || n.Leaves() != 1 {
		t.Errorf("checkpoints of 0 and 1 leaves are noted when those of %v are public, want %v", source.before, want)
	}
	must(t, n.Stop(t.Context()))

	must(t, m.Conn.Exec(t.Context(), "INSERT INTO notary_head SELECT 'log', 9223372036854775808, root, now() "+
		"FROM notary_head LIMIT 1"))
	if _, err := source.Heads(t.Context()); err == nil || !strings.Contains(err.Error(), "which no checkpoint has") {
		t.Errorf("a checkpoint of 2^63 leaves is read with %v", err)
	}
}

// A notary that waited for an inspection could not be stopped during one.
func TestANotaryDoesNotWaitForAnInspection(t *testing.T) {
	m := demotest.New(t)
	var inspector *inspect.Inspector
	asked := 0
	inspector = inspect.New(inspect.Config{Now: time.Now, Inspecting: func() func() {
		asked++
		if inspected, err := inspector.Inspected(t.Context()); inspected || err != nil {
			t.Errorf("during an inspection the tables are inspected: %t (%v)", inspected, err)
		}
		return func() {}
	}}, m.Conn, zerolog.Nop())
	_, err := inspector.Inspect(t.Context())
	must(t, err)
	if inspected, err := inspector.Inspected(t.Context()); asked != 1 || !inspected || err != nil {
		t.Errorf("after %d inspections the tables are inspected: %t (%v)", asked, inspected, err)
	}
}

// A batch whose rows may be lost must not enter the log.
func TestNothingIsAppendedBeforeTheTablesAreInspected(t *testing.T) {
	folder, sources := someFiles(t)
	m, dir := demotest.New(t), filepath.Join(t.TempDir(), "log")
	m.Ingest(t, sources[0].Dataset, filepath.Join(folder, sources[0].Path), sources[0].Published)
	m.Build(t)
	m.Projector().Suspect()
	n := look(t, m, dir)
	if _, err := notary.Open(dir); !errors.Is(err, notary.ErrNoLog) || n.Leaves() != 0 {
		t.Errorf("before the inspection the log has %d leaves (%v)", n.Leaves(), err)
	}
	_, err := m.Projector().Inspect(t.Context())
	must(t, err)
	if n := look(t, m, dir); n.Leaves() != 1 {
		t.Errorf("after the inspection the log has %d leaves", n.Leaves())
	}
}
