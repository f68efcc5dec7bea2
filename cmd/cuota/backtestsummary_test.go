package main

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cuota/cmd/cuota/exit"
	"cuota/internal/testkit/longtest"
)

func TestABacktestSummaryIsWrittenAsThreeFilesOrNotAtAll(t *testing.T) {
	longtest.InTurns(t)
	dir := directoryWithBatch(t)
	out := filepath.Join(t.TempDir(), "summary.csv")
	summarise := func(more ...string) result {
		t.Helper()
		return cuota(t, append([]string{"backtest", "summary", "--data", dir, "--from", "2019-11-01", "--to",
			"2019-12-31", "--out", out}, more...)...)
	}
	served := up(t, dir, "--no-demo") // so that no command starts engines of its own
	defer served.interrupt(t)
	succeed(t, "ingest", "returns-comparator", oneFamily(t), "--data", dir, "--wait")
	told := summarise("--step", "month").stdout
	if !strings.HasPrefix(told, "2 dates from 2019-11-30 to 2019-12-31 of batch ") {
		t.Errorf("it tells %s", told)
	}
	// The series A have no equity on the last days of November, so two series are too few for a point of the index.
	for name, want := range map[string]struct {
		rows  int
		first string
	}{"families": {2, "2019-11-30"}, "indices": {1, "2019-12-31"}, "movers": {2, "2019-11-30"}} {
		path := strings.TrimSuffix(out, ".csv") + "-" + name + ".csv"
		file, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		records, err := csv.NewReader(file).ReadAll()
		if err != nil || len(records)-1 < want.rows || records[0][0] != "asked_date" ||
			records[1][1] != want.first {
			t.Errorf("%s: %v, %v", name, records, err)
		}
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(told, path+": ") {
			t.Errorf("%s is missing in:\n%s", path, told)
		}
	}
	for _, again := range []struct {
		args []string
		code int
		want string
	}{
		{nil, exit.Failed, "--force"},
		{[]string{"--force"}, 0, ""},
		{[]string{"--force", "--step", "year"}, exit.Failed, `unknown step "year": give day, week or month`},
		{[]string{"--force", "--universe", "all"}, exit.Failed, "--universe all: give then or current"},
		{[]string{"--force", "--from", "2020-02-30"}, exit.Failed, "--from: "},
		{[]string{"--force", "--from", "2020-02-01"}, exit.Failed,
			"the first date 2020-02-01 is after the last date 2019-12-31"},
		{[]string{"--force", "--from", "2018-01-01", "--to", "2018-12-31"}, exit.Failed,
			"which goes from 2019-10-14 to 2019-12-31"},
		{[]string{"--force", "--tables", "families,fees"}, exit.Failed,
			`--tables "fees": give one or more of families, indices, movers`},
		{[]string{"--force", "--tables="}, exit.Failed, "--tables is empty"},
		{[]string{"--force", "--known-at", "publication"}, 0, ""},
		{[]string{"--force", "--known-at", "2100-01-01"}, exit.Failed, "is in the future"},
		{[]string{"--force", "--known-at", "yesterday"}, exit.Failed, "--known-at: give a day"},
		{[]string{"--force", "--known-at", "2020-01-01"}, exit.Failed, "no batch is kept that was published by"},
		{[]string{"--out", filepath.Join(t.TempDir(), "summary.xlsx")}, exit.Failed, ".parquet, .csv and .ndjson"},
		{[]string{"--out", filepath.Join(t.TempDir(), "no", "such", "summary.csv")}, exit.Failed,
			"no such file or directory"},
	} {
		if r := summarise(again.args...); r.code != again.code || !strings.Contains(r.stderr, again.want) {
			t.Errorf("%v ended with %d: %s", again.args, r.code, r.stderr)
		}
	}
	files, err := os.ReadDir(filepath.Dir(out))
	if err != nil || len(files) != 3 {
		t.Errorf("%v: %v", files, err)
	}
	if r := summarise("--force"); r.code != 0 {
		t.Fatal(r.stderr)
	}
	alone := filepath.Join(t.TempDir(), "alone.csv")
	if r := summarise("--tables", "families", "--out", alone); r.code != 0 || strings.Count(r.stdout, ".csv: ") != 1 {
		t.Errorf("one table alone ended with %d: %s%s", r.code, r.stdout, r.stderr)
	}
	whole, err := os.ReadFile(strings.TrimSuffix(out, ".csv") + "-families.csv")
	if err != nil {
		t.Fatal(err)
	}
	one, err := os.ReadFile(strings.TrimSuffix(alone, ".csv") + "-families.csv")
	if files, _ := os.ReadDir(filepath.Dir(alone)); err != nil || len(files) != 1 || string(one) != string(whole) {
		t.Errorf("one table alone: %v, %v", files, err)
	}
}

func TestABacktestSummaryNeedsAPeriodAFileAndABatch(t *testing.T) {
	longtest.InTurns(t)
	for _, line := range []string{"backtest", "backtest summary",
		"backtest summary --from 2025-01-01 --to 2025-02-01"} {
		if r := cuota(t, strings.Fields(line)...); r.code != exit.Incomplete || !strings.Contains(r.stderr, "Usage:") {
			t.Errorf("cuota %s ended with %d: %s", line, r.code, r.stderr)
		}
	}
	dir := directoryWithTables(t)
	if r := cuota(t, "ingest", "cartola", filepath.Join("testdata", "page.html"), "--data",
		dir); r.code != exit.Rejected {
		t.Fatal(r.stderr)
	}
	out := filepath.Join(t.TempDir(), "summary.csv")
	if r := cuota(t, "backtest", "summary", "--data", dir, "--from", "2025-01-01", "--to", "2025-02-01", "--out",
		out); r.code != exit.Failed || !strings.Contains(r.stderr, "no batch is published yet") {
		t.Errorf("without a batch it ended with %d: %s", r.code, r.stderr)
	}
}

// oneFamily returns the comparator of the demo with all its series, and the series A of the first years, in one family,
// so that two funds give it an index (RULES 7, coverage).
func oneFamily(t *testing.T) string {
	t.Helper()
	const name = "cmf_rentabilidades_20250930.csv"
	text, err := os.ReadFile("../../demo/files/comparator/" + name)
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.ReplaceAll(string(text), "Balanceado conservador", "Balanceado moderado")
	for line := range strings.Lines(changed) {
		if fields := strings.Split(line, ","); fields[1] == "B" {
			fields[1] = "A"
			changed += strings.Join(fields, ",")
		}
	}
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(changed), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
