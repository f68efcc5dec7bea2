package projector_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"

	"cuota/demo/synth"
	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/model"
	"cuota/projector"
	"cuota/sql"
)

// The market is too short for risk, whose chunks this does not prove.
func TestChunksOfAnySizeGiveTheSameProjections(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "market")
	config := synth.Config{Series: 20, Days: 75, Seed: 11, End: model.NewDate(2025, time.July, 20), Bad: 0.02}
	if _, err := synth.Write(t.Context(), dir, config, nil); err != nil {
		t.Fatal(err)
	}
	m := demotest.New(t)
	m.IngestMarket(t, dir, time.Time{}, demotest.Clock)
	want := demotest.Checksums(t, m.Conn, m.Build(t))

	const finer = 10_000 // a chunk of days has 200 rows of series_day
	fine := projector.New(projector.Config{FinerChunks: finer, Now: func() time.Time {
		return demotest.Clock
	}}, m.Conn, zerolog.Nop())
	batch, err := fine.Build(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"quota_chunks", "return_chunks", "market_chunks", "series_chunks"} {
		if n := len(chunks(t, m, name, batch, finer)); n < 3 {
			t.Errorf("%s gives %d chunks, so their edges are not tested", name, n)
		}
	}
	if diff := cmp.Diff(want, demotest.Checksums(t, m.Conn, batch)); diff != "" {
		t.Errorf("projections differ (-large chunks; +small ones):\n%s", diff)
	}
}

func TestAChunkSpansFewDaysAlsoIfTheDaysToBuildAreFarApart(t *testing.T) {
	t.Parallel()
	m := demotest.New(t)
	const batch = 7
	insert := func(query string) {
		t.Helper()
		if err := m.Conn.Exec(t.Context(), query); err != nil {
			t.Fatal(err)
		}
	}
	// Two days ten years apart are built again; those between were built before.
	insert(`INSERT INTO registry (kind, key, id, run, serie, batch) SELECT 'series', toString(number), number + 1, number, 'A', 1 FROM numbers(1000)`)
	insert(`INSERT INTO series_day_version (date, build) SELECT toDate('2015-01-01') + number, 1 FROM numbers(3653)`)
	insert(`INSERT INTO series_day_version (date, build) VALUES ('2015-01-02', 7), ('2024-12-30', 7)`)
	got := chunks(t, m, "quota_chunks", batch, 1)
	if diff := cmp.Diff([]chunk{{"2015-01-02", "2015-01-02"}, {"2024-12-30", "2024-12-30"}}, got); diff != "" {
		t.Error(diff)
	}
}

type chunk struct {
	First string `ch:"first"`
	Last  string `ch:"last"`
}

// chunks runs a query that lists chunks of a batch.
func chunks(t *testing.T, m *demotest.Market, name string, batch uint64, finer uint32) (list []chunk) {
	t.Helper()
	ctx := clickhouse.Context(t.Context(),
		clickhouse.WithParameters(clickhouse.Parameters{"batch": fmt.Sprint(batch), "finer": fmt.Sprint(finer)}))
	if err := m.Conn.Select(ctx, &list, sql.Query(name)); err != nil {
		t.Fatal(err)
	}
	return list
}
