package main

import (
	"os"
	"path/filepath"
	"testing"
)

// A disk that gets full while a view is replaced can leave the definition of the view
// empty. ClickHouse does not start with such a definition.
func TestAViewWhoseDefinitionAFullDiskLeftEmptyIsMadeAgain(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	succeed(t, "ingest", "cartola", earlierFile, "--published", earlierPublished, "--data", dir, "--wait")
	for _, view := range []string{"alert_of", "current_screener"} {
		paths, err := filepath.Glob(filepath.Join(dir, "clickhouse", "data", "store", "*", "*", view+".sql"))
		if err != nil || len(paths) != 1 {
			t.Fatalf("the definition of %s is at %v (%v)", view, paths, err)
		}
		if err := os.Truncate(paths[0], 0); err != nil {
			t.Fatal(err)
		}
	}
	r := up(t, dir, "--no-demo")
	if got := sqlOver(t, r, "SELECT count() FROM current_screener"); got != "2" {
		t.Errorf("%s series in the screener, want 2", got)
	}
	r.interrupt(t)
}
