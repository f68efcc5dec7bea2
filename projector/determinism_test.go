package projector_test

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"cuota/demo"
	"cuota/internal/demotest"
	"cuota/model"
)

// extracted gives the demo's files in a directory.
func extracted(t *testing.T) (dir string, sources []demo.Source) {
	t.Helper()
	dir = t.TempDir()
	if err := demo.Extract(dir); err != nil {
		t.Fatal(err)
	}
	sources, err := demo.Sources()
	if err != nil {
		t.Fatal(err)
	}
	return dir, sources
}

func TestTheSameFilesInAnyOrderAnyNumberOfTimesGiveTheSameProjections(t *testing.T) {
	dir, sources := extracted(t)
	want := func() map[string]string {
		m := demotest.New(t)
		m.IngestDemo(t)
		return demotest.Checksums(t, m.Conn, m.Build(t))
	}()

	random := rand.New(rand.NewPCG(1, 2))
	shuffled := append([]demo.Source(nil), sources...)
	random.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })

	t.Run("in another order and each file twice", func(t *testing.T) {
		m := demotest.New(t)
		for _, source := range append(shuffled, sources...) {
			m.Ingest(t, source.Dataset, filepath.Join(dir, source.Path), source.Published)
		}
		got := demotest.Checksums(t, m.Conn, m.Build(t))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("projections differ (-once, in order; +shuffled, twice):\n%s", diff)
		}
	})

	t.Run("a batch after every other file, the last one by increments", func(t *testing.T) {
		m := demotest.New(t)
		var batch uint64
		for i, source := range shuffled {
			m.Ingest(t, source.Dataset, filepath.Join(dir, source.Path), source.Published)
			if i%2 == 0 || i == len(shuffled)-1 {
				batch = m.Build(t)
			}
		}
		got := demotest.Checksums(t, m.Conn, batch)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("projections differ (-one full batch; +increments):\n%s", diff)
		}
		t.Run("and a rebuild changes nothing", func(t *testing.T) {
			got := demotest.Checksums(t, m.Conn, m.Rebuild(t))
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("projections differ (-one full batch; +rebuild):\n%s", diff)
			}
		})
	})
}

func TestABatchHoldsOnlyCompleteFiles(t *testing.T) {
	dir, _ := extracted(t)
	m := demotest.New(t)
	file := filepath.Join(dir, "cartola", "cartola_9809_9810_20191014_20191231.txt")
	cut := m.IngestPart(t, model.Cartola, file, demotest.Clock, 100)
	m.Build(t)
	if cut == 0 {
		t.Fatal("nothing was published of the file")
	}
	var facts, projected uint64
	if err := m.Conn.QueryRow(context.Background(), "SELECT (SELECT count() FROM fact_quota), (SELECT count() FROM series_day)").Scan(&facts, &projected); err != nil {
		t.Fatal(err)
	}
	if facts != uint64(cut) || projected != 0 {
		t.Errorf("%d facts of which %d are projected, want %d and 0", facts, projected, cut)
	}

	// The rest comes: the same file again, whole.
	m.Ingest(t, model.Cartola, file, demotest.Clock)
	batch := m.Build(t)
	whole := demotest.New(t)
	whole.Ingest(t, model.Cartola, file, demotest.Clock)
	want, got := demotest.Checksums(t, whole.Conn, whole.Build(t)), demotest.Checksums(t, m.Conn, batch)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("projections differ (-whole file; +interrupted and repeated):\n%s", diff)
	}
}
