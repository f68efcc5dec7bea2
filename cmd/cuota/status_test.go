package main

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"cuota/model"
)

func TestStatusForProgramsIsOneObjectWithEveryDatasetAndTheBatch(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	read := func() map[string]any {
		t.Helper()
		var told map[string]any
		if err := json.Unmarshal([]byte(succeed(t, "status", "--json", "--data", dir)), &told); err != nil {
			t.Fatal(err)
		}
		return told
	}
	bad := filepath.Join("testdata", "page.html")
	if r := cuota(t, "ingest", "cartola", bad, "--data", dir); r.code != exitRejected {
		t.Fatalf("an HTML page ended with %d: %s", r.code, r.stderr)
	}
	if told := read(); told["batch"] != nil {
		t.Errorf("without a batch it tells %v", told["batch"])
	}
	succeed(t, "ingest", "cartola", "../../demo/files/cartola/cartola_9809_9810_20191014_20191231.txt", "--data", dir, "--wait")
	told := read()
	batch, _ := told["batch"].(map[string]any)
	if batch == nil || batch["total_records"] != 299.0 || batch["as_of_date"] != "2019-12-31" || told["last_failure"] != "" || told["unprojected"] != 0.0 {
		t.Errorf("the batch is %v of %v", batch, told)
	}
	datasets, _ := told["datasets"].([]any)
	if len(datasets) != len(model.Datasets) {
		t.Fatalf("%d datasets of %d", len(datasets), len(model.Datasets))
	}
	for _, each := range datasets {
		dataset, _ := each.(map[string]any)
		want := map[string]any{"last_date": nil, "files": 0.0, "arriving": 0.0, "rows": 0.0, "rejected": 0.0, "lag": 0.0}
		if dataset["dataset"] == "cartola" {
			want = map[string]any{"last_date": "2019-12-31", "files": 1.0, "arriving": 0.0, "rows": 299.0, "rejected": 1.0, "lag": 0.0}
		}
		for name, value := range want {
			if got, there := dataset[name]; !there || got != value {
				t.Errorf("%v: %s is %v, want %v", dataset["dataset"], name, got, value)
			}
		}
	}
}
