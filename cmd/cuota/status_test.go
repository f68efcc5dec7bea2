package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"cuota/cmd/cuota/exit"
	"cuota/internal/testkit/longtest"
	"cuota/model"
)

func TestStatusForProgramsIsOneObjectWithEveryDatasetAndTheBatch(t *testing.T) {
	longtest.InTurns(t)
	dir := directoryWithTables(t)
	project := enginesOf(t, dir)
	read := func() map[string]any {
		t.Helper()
		var told map[string]any
		if err := json.Unmarshal([]byte(succeed(t, "status", "--json", "--data", dir)), &told); err != nil {
			t.Fatal(err)
		}
		return told
	}
	bad := filepath.Join("testdata", "page.html")
	if r := cuota(t, "ingest", "cartola", bad, "--data", dir); r.code != exit.Rejected {
		t.Fatalf("an HTML page ended with %d: %s", r.code, r.stderr)
	}
	if told := read(); told["batch"] != nil {
		t.Errorf("without a batch it tells %v", told["batch"])
	}
	project()
	succeed(t, "ingest", "cartola", firstYear, "--data", dir, "--wait")
	told := read()
	batch, _ := told["batch"].(map[string]any)
	if batch == nil || batch["total_records"] != 299.0 || batch["as_of_date"] != "2019-12-31" ||
		told["last_failure"] != "" || told["unprojected"] != 0.0 {
		t.Errorf("the batch is %v of %v", batch, told)
	}
	archive, _ := told["archive"].(map[string]any)
	if taken, _ := archive["bytes"].(float64); taken < 1000 || taken > 1<<20 || archive["limit"] != float64(20<<30) {
		t.Errorf("the archive is %v, want the few KB of two files and the default limit", archive)
	}
	datasets, _ := told["datasets"].([]any)
	if len(datasets) != len(model.Datasets) {
		t.Fatalf("%d datasets of %d", len(datasets), len(model.Datasets))
	}
	for _, each := range datasets {
		dataset, _ := each.(map[string]any)
		want := map[string]any{"last_date": nil, "files": 0.0, "arriving": 0.0, "rows": 0.0, "rejected": 0.0,
			"lag": 0.0}
		if dataset["dataset"] == "cartola" {
			want = map[string]any{"last_date": "2019-12-31", "files": 1.0, "arriving": 0.0, "rows": 299.0,
				"rejected": 1.0, "lag": 0.0}
		}
		for name, value := range want {
			if got, there := dataset[name]; !there || got != value {
				t.Errorf("%v: %s is %v, want %v", dataset["dataset"], name, got, value)
			}
		}
	}
}

func TestAFullArchiveIsReportedByIngestAndStatus(t *testing.T) {
	longtest.InTurns(t)
	dir := directoryWithBatch(t)
	enginesOf(t, dir)
	files := []string{firstYear, "../../demo/files/cartola/cartola_9809_9810_20240101_20241231.txt"} // it has the first
	limit := func(gib string) []string { return []string{"CUOTA_ARCHIVE_GIB=" + gib} }
	small := limit("0.00002") // 21 KB
	full := cuotaIn(t, small, "ingest", "cartola", files[1], "--data", dir)
	if full.code != exit.Failed || !strings.Contains(full.stderr, "is full") ||
		!strings.Contains(full.stderr, "CUOTA_ARCHIVE_GIB") {
		t.Fatalf("a file beyond the limit ended with %d: %s", full.code, full.stderr)
	}
	if told := cuotaIn(t, small, "status", "--data", dir); !strings.Contains(told.stdout,
		"archive: 0.00 GiB of at most 0.00") {
		t.Errorf("status tells %s%s", told.stdout, told.stderr)
	}
	// a file that it holds needs no more space; a refused file fits after the limit was raised
	for _, again := range []struct {
		env  []string
		file string
	}{{small, files[0]}, {limit("1"), files[1]}} {
		if r := cuotaIn(t, again.env, "ingest", "cartola", again.file, "--data", dir); r.code != 0 {
			t.Errorf("%s ended with %d: %s", again.file, r.code, r.stderr)
		}
	}
	if r := cuotaIn(t, limit("-1"), "status", "--data", dir); r.code == 0 ||
		!strings.Contains(r.stderr, "CUOTA_ARCHIVE_GIB is -1") {
		t.Errorf("a limit below 0 ended with %d: %s", r.code, r.stderr)
	}
}
