package projector_test

import (
	"context"
	"math"
	"testing"
	"time"

	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/internal/testkit/oracle"
	"cuota/model"
)

// changes of one series on its latest day.
type changes struct{ daily, monthly *float64 }

func TestTheChangesOfTheLatestDayEqualTheIndependentComputation(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	m := demotest.New(t)
	m.IngestDemo(t)
	m.Ingest(t, model.Cartola, later, demotest.Clock)
	m.IngestEnd(t, "2025-07-21", demotest.Clock) // of the series that are not in it
	batch := m.Build(t)
	market, err := oracle.Load(append(historyOf(t), later)...)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := m.Conn.Query(context.Background(), `
		SELECT run, serie, daily_change, monthly_change
		FROM (SELECT * FROM series_latest WHERE batch = $1) AS latest
		INNER JOIN registry ON registry.kind = 'series' AND registry.id = latest.series_id
		WHERE run IN (9809, 9810)`, batch)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	cutoff := time.Date(2025, 8, 31, 0, 0, 0, 0, time.UTC)
	compared := 0
	for rows.Next() {
		var run uint32
		var serie string
		var got changes
		if err := rows.Scan(&run, &serie, &got.daily, &got.monthly); err != nil {
			t.Fatal(err)
		}
		want := changes{market.DailyChange(int(run), serie, cutoff), market.MonthlyChange(int(run), serie, cutoff)}
		if !near(got.daily, want.daily) || !near(got.monthly, want.monthly) {
			t.Errorf("%d %s changed by %v and %v, want %v and %v", run, serie,
				show(got.daily), show(got.monthly), show(want.daily), show(want.monthly))
		}
		compared++
	}
	if compared != 11 {
		t.Errorf("compared %d series, want 11", compared)
	}
}

func near(a, b *float64) bool {
	if a == nil || b == nil {
		return a == b
	}
	return math.Abs(*a-*b) < 1e-10
}

func show(x *float64) any {
	if x == nil {
		return nil
	}
	return *x
}
