package main

import (
	"os"
	"path/filepath"
	"testing"

	"cuota/internal/testkit/longtest"
)

// A disk that gets full while a view is replaced can cut off the definition of the view, at
// its beginning or after some blocks. ClickHouse does not start with such a definition.
func TestAViewWhoseDefinitionAFullDiskHasCutOffIsMadeAgain(t *testing.T) {
	longtest.Skip(t)
	dir := filepath.Join(t.TempDir(), "data")
	succeed(t, "ingest", "cartola", "testdata/cartola_two_series.txt", "--published", "2019-12-01", "--data", dir,
		"--wait")
	for view, kept := range map[string]int64{"batch_alert": 0, "current_screener": 0, "batch_total_return": 8192} {
		paths, err := filepath.Glob(filepath.Join(dir, "clickhouse", "data", "store", "*", "*", view+".sql"))
		if err != nil || len(paths) != 1 {
			t.Fatalf("the definition of %s is at %v (%v)", view, paths, err)
		}
		if err := os.Truncate(paths[0], kept); err != nil {
			t.Fatal(err)
		}
	}
	// A table has the name of this view of people.
	if err := os.Truncate(filepath.Join(dir, "clickhouse", "data", "metadata", "funds", "screener.sql"),
		4096); err != nil {
		t.Fatal(err)
	}
	r := up(t, dir, "--no-demo")
	if got := peopleOver(t, r, "SELECT count() FROM screener"); got != "2" {
		t.Errorf("%s series in the screener for people, want 2", got)
	}
	if got := sqlOver(t, r, "SELECT count() FROM current_screener"); got != "2" {
		t.Errorf("%s series in the screener, want 2", got)
	}
	if got := sqlOver(t, r, "SELECT count() FROM batch_total_return(batch = 1, as_of = '2025-07-20', series = [], "+
		"all_series = true, valuation = 'clp')"); got != "16" {
		t.Errorf("%s windows of total returns, want 8 for each of 2 series", got)
	}
	r.interrupt(t)
}
