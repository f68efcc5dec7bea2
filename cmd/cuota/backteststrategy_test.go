package main

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cuota/cmd/cuota/exit"
	"cuota/internal/testkit/longtest"
)

func TestABacktestStrategyIsReadFromAFileAndFlagsAndWritten(t *testing.T) {
	longtest.InTurns(t)
	dir, out := directoryWithTables(t), t.TempDir()
	served := up(t, dir, "--no-demo") // so that no command starts engines of its own
	defer served.interrupt(t)
	succeed(t, "ingest", "cartola", "../../demo/files/cartola/cartola_9809_9810_20240101_20241231.txt", "--data", dir,
		"--wait")
	file := filepath.Join(t.TempDir(), "Best three.toml")
	text := "from = 2024-04-30\nto = 2024-12-31\nsort = \"3m\"\ntop = 3\none_per_fund = false\n[costs]\nbuy = 0.002\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(more ...string) result {
		t.Helper()
		return cuota(t, append([]string{"backtest", "strategy", "--data", dir, "--file", file}, more...)...)
	}
	told := run("--out", out)
	if told.code != 0 {
		t.Fatal(told.stderr)
	}
	for _, want := range []string{"Best three: 2024-04-30 to 2024-12-31, 9 rebalancings", "total return", "as_stated",
		"survivors_only", "revised_data", "without_costs"} {
		if !strings.Contains(told.stdout, want) {
			t.Errorf("%q is not in\n%s", want, told.stdout)
		}
	}
	strategy := func(path string) (s struct {
		Strategy struct {
			Name, Sort, To string
			Top            int
			Costs          struct{ Buy, Sell float64 }
			Filter         struct{ Currency string }
		}
		Curve []struct{ Value float64 }
	}) {
		t.Helper()
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(content, &s); err != nil {
			t.Fatal(err)
		}
		return s
	}
	if s := strategy(filepath.Join(out, "best-three.json")); s.Strategy.Name != "Best three" || s.Strategy.Top != 3 ||
		s.Strategy.Costs.Buy != 0.002 || len(s.Curve) != 246 {
		t.Errorf("%+v", s.Strategy)
	}
	for _, name := range []string{"best-three.html", "best-three.parquet", "best-three-trades.parquet"} {
		if info, err := os.Stat(filepath.Join(out, name)); err != nil || info.Size() < 500 {
			t.Errorf("%s: %v", name, err)
		}
	}
	// A flag replaces a field of the file, and leaves the others.
	other := filepath.Join(out, "other.json")
	if r := run("--out", other, "--sort", "1m", "--quantile", "0.5", "--sell", "0.01", "--name", "Other"); r.code != 0 {
		t.Fatal(r.stderr)
	}
	if s := strategy(other); s.Strategy.Name != "Other" || s.Strategy.Sort != "1m" || s.Strategy.Top != 0 ||
		s.Strategy.Costs.Buy != 0.002 || s.Strategy.Costs.Sell != 0.01 {
		t.Errorf("%+v", s.Strategy)
	}
	for _, wrong := range []struct {
		args []string
		want string
	}{
		{[]string{"--out", other}, "other.json exists already"},
		{[]string{"--out", filepath.Join(out, "x.xlsx")}, ".json, .csv, .parquet or .html"},
		{[]string{"--out", filepath.Join(out, "no", "x.json")}, "no such file or directory"},
		{[]string{"--out", other, "--force", "--language", "fr"}, "--language"},
		{[]string{"--sort", "luck"}, "Best three.toml: the strategy's sort must be one of"},
		{[]string{"--from", "2024-12-31", "--to", "2024-01-01"}, "the strategy's to must not be before from"},
		{[]string{"--random", "3"}, "--random needs --out"},
		{[]string{"--random", "-1"}, "--random -1"},
		{[]string{"--random", "3", "--out", "x.html"}, ".parquet, .csv and .ndjson"},
	} {
		if r := run(wrong.args...); r.code != exit.Failed || !strings.Contains(r.stderr, wrong.want) {
			t.Errorf("%v ended with %d: %s", wrong.args, r.code, r.stderr)
		}
	}
	if r := cuota(t, "backtest", "strategy"); r.code != exit.Incomplete ||
		!strings.Contains(r.stderr, "--file or --sort is missing") {
		t.Errorf("without a strategy it ended with %d: %s", r.code, r.stderr)
	}
	if err := os.WriteFile(file, []byte(text+"speed = 3\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := run(); r.code != exit.Failed || !strings.Contains(r.stderr, "costs.speed is no field of a strategy") {
		t.Errorf("an unknown field ended with %d: %s", r.code, r.stderr)
	}

	// Random strategies of one seed are the same each time, and each has a row.
	var tables [][][]string
	for _, name := range []string{"one.csv", "two.csv"} {
		path := filepath.Join(out, name)
		succeed(t, "backtest", "strategy", "--data", dir, "--from", "2024-04-30", "--to", "2024-12-31", "--random", "6",
			"--seed", "3", "--out", path)
		content, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		records, err := csv.NewReader(content).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		if err := content.Close(); err != nil {
			t.Fatal(err)
		}
		tables = append(tables, records)
	}
	if !slices.EqualFunc(tables[0], tables[1], slices.Equal) || len(tables[0]) != 7 || tables[0][6][0] != "6" ||
		tables[0][0][0] != "number" {
		t.Errorf("%v\n%v", tables[0], tables[1])
	}
}
