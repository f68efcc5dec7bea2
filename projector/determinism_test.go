package projector_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/google/go-cmp/cmp"

	"cuota/demo"
	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/model"
	"cuota/sql"
)

// extracted writes the files of the demo into a directory.
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

func TestFilesInAnyOrderGiveTheSameProjections(t *testing.T) {
	longtest.Skip(t)
	t.Parallel()
	dir, sources := extracted(t)
	want := func() map[string]string {
		m := demotest.New(t)
		m.IngestDemo(t)
		batch := m.Build(t)
		t.Run("a projection has a greater number than all that write what the engine reads for it", func(t *testing.T) {
			compareOrder(t, m.Conn, batch)
		})
		return demotest.Checksums(t, m.Conn, batch)
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

	t.Run("a batch after every fourth file, the last one by increments", func(t *testing.T) {
		m := demotest.New(t)
		var batch uint64
		for i, source := range shuffled {
			m.Ingest(t, source.Dataset, filepath.Join(dir, source.Path), source.Published)
			if i%4 == 0 || i == len(shuffled)-1 {
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

var (
	insertHead = regexp.MustCompile(`(?s)INSERT INTO (\w+)\s*\([^)]*\)`)
	readTable  = regexp.MustCompile(`ReadFromMergeTree \(\w+\.(\w+)\)`)
)

// compareOrder compares the numbers of projections with the tables that each reads according to
// the plans of the engine.
func compareOrder(t *testing.T, conn driver.Conn, batch uint64) {
	ctx := clickhouse.Context(t.Context(), clickhouse.WithParameters(clickhouse.Parameters{
		"batch": fmt.Sprint(batch), "plan": fmt.Sprint(batch), "previous": fmt.Sprint(batch), "rebuild": "true",
		"as_of": "2025-07-20", "attempt": "0", "finer": "1",
		"from": "2025-01-01", "to": "2025-06-30",
	}))
	projections, err := sql.Projections()
	if err != nil {
		t.Fatal(err)
	}
	writers := map[string][]sql.Projection{} // by table, the projections so far that write to it
	compared := 0
	for _, projection := range projections {
		rows, err := conn.Query(ctx, "EXPLAIN "+insertHead.ReplaceAllString(projection.Text, ""))
		if err != nil {
			t.Fatalf("%s: %v", projection.Name, err)
		}
		var plan strings.Builder
		for rows.Next() {
			var line string
			if err := rows.Scan(&line); err != nil {
				t.Fatal(err)
			}
			plan.WriteString(line + "\n")
		}
		if err := rows.Err(); err != nil {
			t.Fatalf("%s: %v", projection.Name, err)
		}
		table := insertHead.FindStringSubmatch(projection.Text)[1]
		touched := [][]string{{"", table}}
		touched = append(touched, readTable.FindAllStringSubmatch(plan.String(), -1)...)
		for _, found := range touched {
			for _, writer := range writers[found[1]] {
				compared++
				if writer.Number >= projection.Number {
					t.Errorf("%s touches %s and has no greater number than %s, which writes it", projection.Name,
						found[1], writer.Name)
				}
			}
		}
		writers[table] = append(writers[table], projection)
	}
	if compared < 100 {
		t.Errorf("only %d reads of earlier projections are seen in the plans", compared)
	}
}

func TestABatchHoldsOnlyCompleteFiles(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	dir, _ := extracted(t)
	m := demotest.New(t)
	file := filepath.Join(dir, "cartola", "cartola_9809_9810_20191014_20191231.txt")
	cut := m.IngestPart(t, model.Cartola, file, demotest.Clock, 100)
	m.Build(t)
	if cut == 0 {
		t.Fatal("nothing was published of the file")
	}
	var facts, projected uint64
	if err := m.Conn.QueryRow(context.Background(),
		"SELECT (SELECT count() FROM fact_quota), (SELECT count() FROM series_day)").Scan(&facts,
		&projected); err != nil {
		t.Fatal(err)
	}
	if facts != uint64(cut) || projected != 0 {
		t.Errorf("%d facts of which %d are projected, want %d and 0", facts, projected, cut)
	}

	// Then the rest arrives: the same file again, complete.
	m.Ingest(t, model.Cartola, file, demotest.Clock)
	batch := m.Build(t)
	whole := demotest.New(t)
	whole.Ingest(t, model.Cartola, file, demotest.Clock)
	want, got := demotest.Checksums(t, whole.Conn, whole.Build(t)), demotest.Checksums(t, m.Conn, batch)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("projections differ (-whole file; +interrupted and repeated):\n%s", diff)
	}
}

// sameSums checks that a batch holds projections with the wanted checksums.
func sameSums(t *testing.T, m *demotest.Market, what string, want map[string]string, batch uint64) {
	t.Helper()
	if diff := cmp.Diff(want, demotest.Checksums(t, m.Conn, batch)); diff != "" {
		t.Errorf("%s: projections differ (-want +got):\n%s", what, diff)
	}
}

// sameRebuilt checks that building everything anew gives the projections of an increment.
func sameRebuilt(t *testing.T, m *demotest.Market, what string, increment uint64) {
	t.Helper()
	want := demotest.Checksums(t, m.Conn, increment)
	sameSums(t, m, what+", rebuilt", want, m.Rebuild(t))
}
