package projector_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"

	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/model"
	"cuota/projector"
	"cuota/sql"

	"github.com/ClickHouse/clickhouse-go/v2"
)

// Batches are published on five days, some of them several times, with new days and with
// corrections of days that earlier batches built.
func TestTheLastBatchOfEachDayIsKeptWithItsRows(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	m := demotest.New(t)
	var now time.Time
	p := projector.New(projector.Config{Keep: 1, KeepDays: 4, Now: func() time.Time {
		return now
	}}, m.Conn, zerolog.Nop())
	quotas := func(from, to string, change float64) string {
		var rows []cartolaDay
		for day := date(t, from); !day.After(date(t, to)); day = day.AddDate(0, 0, 1) {
			for _, serie := range []string{"A", "B"} {
				rows = append(rows, cartolaDay{run: 60001, serie: serie, day: day, equity: 1e4, units: 10,
					quota: 1000 + float64(day.YearDay()) + change})
			}
		}
		return cartolaOf(t, rows)
	}
	type published struct {
		batch uint64
		day   string
		sums  map[string]string // of a batch that is kept
	}
	var all []published
	publish := func(at, file string, isKept bool) {
		t.Helper()
		var err error
		if now, err = time.Parse(time.RFC3339, at); err != nil {
			t.Fatal(err)
		}
		m.Ingest(t, model.Cartola, file, now)
		m.Settle(t)
		batch, err := p.Build(t.Context(), false)
		if err != nil {
			t.Fatal(err)
		}
		// Santiago is four hours behind UTC in July.
		one := published{batch: batch, day: now.Add(-4 * time.Hour).UTC().Format(time.DateOnly)}
		if isKept {
			one.sums = demotest.Checksums(t, m.Conn, batch)
		}
		all = append(all, one)
	}
	publish("2025-07-16T14:00:00Z", quotas("2025-05-01", "2025-07-15", 0), false)
	publish("2025-07-17T14:00:00Z", quotas("2025-07-16", "2025-07-16", 0), false)
	// half past eleven on the 17th in Santiago
	publish("2025-07-18T03:30:00Z", quotas("2025-07-11", "2025-07-11", 2), true)
	publish("2025-07-18T14:00:00Z", quotas("2025-07-17", "2025-07-17", 0), false)
	publish("2025-07-18T15:00:00Z", quotas("2025-07-10", "2025-07-14", 3), true)
	publish("2025-07-20T14:00:00Z", quotas("2025-07-19", "2025-07-19", 0), false)
	publish("2025-07-20T15:00:00Z", quotas("2025-07-11", "2025-07-11", 4), true)

	// The 16th is more than four days before the 20th, and nothing was published on the 19th.
	kept := map[uint64]map[string]string{}
	for i, one := range all {
		if one.day > "2025-07-16" && (i == len(all)-1 || all[i+1].day != one.day) {
			kept[one.batch] = one.sums
			if len(one.sums) == 0 {
				t.Fatalf("the batch %d should be kept, so its checksums are needed", one.batch)
			}
		}
	}
	numbers := func() (list []uint64) {
		for _, text := range column(t, m, "SELECT toString(batch) FROM batch ORDER BY batch") {
			var n uint64
			if _, err := fmt.Sscan(text, &n); err != nil {
				t.Fatal(err)
			}
			list = append(list, n)
		}
		return list
	}
	check := func(t *testing.T, want []uint64) {
		t.Helper()
		if diff := cmp.Diff(want, numbers()); diff != "" {
			t.Fatalf("kept batches (-want; +got):\n%s", diff)
		}
		for _, batch := range want {
			if diff := cmp.Diff(kept[batch], demotest.Checksums(t, m.Conn, batch)); diff != "" {
				t.Errorf("batch %d (-as published; +now):\n%s", batch, diff)
			}
		}
		// Every build that is left is the one that a kept batch reads of the day.
		for _, list := range column(t, m, "SELECT table FROM built_table WHERE kind = 'list'") {
			read := map[string]bool{}
			for _, batch := range want {
				for _, build := range column(t, m,
					fmt.Sprintf("SELECT concat(toString(date), ' ', toString(max(build))) FROM %s WHERE build <= %d "+
						"GROUP BY date", list, batch)) {
					read[build] = true
				}
			}
			for _, build := range column(t, m, "SELECT concat(toString(date), ' ', toString(build)) FROM "+list) {
				if !read[build] {
					t.Errorf("%s has the build %s, which no kept batch reads", list, build)
				}
			}
		}
		for table, name := range tablesOfBatches(t, m) {
			if name == "batch" {
				if left := count(t, m, "SELECT count() FROM "+table+
					" WHERE batch NOT IN (SELECT batch FROM batch)"); left > 0 {
					t.Errorf("%s has %d rows of batches that are not kept", table, left)
				}
			}
		}
	}
	var want []uint64
	for batch := range kept {
		want = append(want, batch)
	}
	slices.Sort(want)
	if len(want) != 3 {
		t.Fatalf("%d batches should be kept: this proves too little", len(want))
	}
	check(t, want)

	t.Run("a batch between kept ones whose retirement was interrupted goes with the next sweep", func(t *testing.T) {
		values := clickhouse.Context(context.Background(),
			clickhouse.WithParameters(clickhouse.Parameters{"batch": fmt.Sprint(want[1])}))
		if err := m.Conn.Exec(values, sql.RetiredGarbage()[0].Text); err != nil {
			t.Fatal(err)
		}
		if err := p.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		check(t, slices.Delete(slices.Clone(want), 1, 2))
	})
	t.Run("of the batches whose rows are lost, and of no others, damage is found", func(t *testing.T) {
		if err := m.Conn.Exec(t.Context(), fmt.Sprintf("ALTER TABLE screener DROP PARTITION %d", want[0])); err != nil {
			t.Fatal(err)
		}
		found, err := p.Inspect(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if !found.None() {
			t.Errorf("damage in the newest batch: %s", found)
		}
		damage := []string{fmt.Sprintf("%d screener has 0 rows instead of 2", want[0])}
		if diff := cmp.Diff(damage,
			column(t, m, "SELECT concat(toString(batch), ' ', table, ' ', reason) FROM batch_damage")); diff != "" {
			t.Errorf("damage (-want; +found):\n%s", diff)
		}
	})
	t.Run("the moments at which they were published stay known", func(t *testing.T) {
		if n := count(t, m, "SELECT countIf(NOT kept) FROM published_batch"); n != uint64(len(all)-2) {
			t.Errorf("%d batches are listed that are not kept, want %d", n, len(all)-2)
		}
	})
}

func TestOfADayWhoseLastBatchIsDamagedTheOneBeforeIsKept(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	m := demotest.New(t)
	now := demotest.Clock
	p := projector.New(projector.Config{Keep: 1, KeepDays: 4, Now: func() time.Time {
		return now
	}}, m.Conn, zerolog.Nop())
	m.Ingest(t, model.Cartola, historyOf(t)[0], demotest.Clock)
	m.Settle(t)
	build := func() uint64 {
		batch, err := p.Build(t.Context(), false)
		if err != nil {
			t.Fatal(err)
		}
		return batch
	}
	first := build()
	// The second batch would retire the first, which is of the same day.
	if err := m.Conn.Exec(t.Context(),
		"INSERT INTO batch_damage (batch, found_at, table, reason) VALUES ($1, now(), 'screener', 'a test')",
		first+1); err != nil {
		t.Fatal(err)
	}
	build()
	if diff := cmp.Diff([]string{"1", "2"},
		column(t, m, "SELECT toString(batch) FROM batch ORDER BY batch")); diff != "" {
		t.Errorf("kept batches (-want; +got):\n%s", diff)
	}
	now = now.AddDate(0, 0, 1)
	build()
	if diff := cmp.Diff([]string{"1", "3"},
		column(t, m, "SELECT toString(batch) FROM batch ORDER BY batch")); diff != "" {
		t.Errorf("kept batches on the next day (-want; +got):\n%s", diff)
	}
}
