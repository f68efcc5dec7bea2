package backtest_test

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cuota/backtest"
	"cuota/backtest/backtesttest"
	"cuota/demo/synth"
	"cuota/internal/testkit/oracle"
	"cuota/internal/testkit/oracle/backtestoracle"
	"cuota/model"
)

// synthetic writes a synthetic market and reads what a backtest needs of it.
func synthetic(t *testing.T, config synth.Config) (dir string, expected synth.Expected, m backtesttest.Source) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "market")
	if _, err := synth.Write(t.Context(), dir, config, nil); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(read(t, dir, "expected.json")), &expected); err != nil {
		t.Fatal(err)
	}
	var files []backtestoracle.File
	for _, source := range records(t, dir, "sources.csv") {
		published, err := time.Parse(time.RFC3339, source[2])
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, backtestoracle.File{Dataset: source[0],
			Path: filepath.Join(dir, filepath.FromSlash(source[1])), Published: published})
	}
	return dir, expected, loaded(t, files)
}

// loaded returns a market in files as a source.
func loaded(t *testing.T, files []backtestoracle.File) backtesttest.Source {
	t.Helper()
	market, err := backtestoracle.Load(files...)
	if err != nil {
		t.Fatal(err)
	}
	known := market.Prepare()
	return backtesttest.Source{Market: &backtesttest.Market{Market: market, Rows: known.Rows()}, Known: known}
}

func read(t *testing.T, dir, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func records(t *testing.T, dir, name string) [][]string {
	t.Helper()
	lines, err := csv.NewReader(strings.NewReader(read(t, dir, name))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return lines[1:]
}

// The strategies that cuota synth writes have the results that follow from the quotas from which
// the market was written.
func TestStrategiesOfASyntheticMarketHaveTheirExactResults(t *testing.T) {
	written := map[string]int{}
	seeds := uint64(8)
	if testing.Short() {
		seeds = 2
	}
	for seed := range seeds {
		dir, expected, m := synthetic(t, synth.Config{Series: 50, Days: 500, Seed: seed,
			End: model.NewDate(2025, time.July, 20), Bad: synth.DefaultBad})
		for _, want := range expected.Strategies {
			written[want.File]++
			s, err := backtest.ParseTOML(strings.NewReader(read(t, dir, want.File)))
			if err != nil {
				t.Fatalf("%s: %v", want.File, err)
			}
			got, err := backtest.Run(t.Context(), m, s)
			if err != nil {
				t.Fatalf("%s: %v", want.File, err)
			}
			if got.Statistics.TotalReturn == nil || !backtesttest.Agree(*got.Statistics.TotalReturn, want.TotalReturn) {
				t.Errorf("seed %d, %s: %s, want %v: %+v", seed, want.File,
					backtesttest.Shown(got.Statistics.TotalReturn), want.TotalReturn, got.Rebalancings)
			}
			if want.BenchmarkTotal != nil &&
				(got.Statistics.BenchmarkTotal == nil ||
					!backtesttest.Agree(*got.Statistics.BenchmarkTotal, *want.BenchmarkTotal)) {
				t.Errorf("seed %d, %s: the benchmark is %s, want %v", seed, want.File,
					backtesttest.Shown(got.Statistics.BenchmarkTotal), *want.BenchmarkTotal)
			}
			compareTrades(t, want, got, m)
		}
	}
	if testing.Short() {
		return
	}
	for _, name := range []string{"ordinary", "distributing", "closing", "exchanged", "restarting", "switch"} {
		if written["strategies/"+name+".toml"] == 0 {
			t.Errorf("no market has the strategy %s: %v", name, written)
		}
	}
	t.Log(written)
}

func compareTrades(t *testing.T, want synth.Strategy, got *backtest.Result, m backtesttest.Source) {
	t.Helper()
	var made []backtest.Trade
	for _, r := range got.Rebalancings {
		made = append(made, r.Trades...)
	}
	if len(made) != len(want.Trades) {
		t.Errorf("%s: %+v, want %+v", want.File, made, want.Trades)
		return
	}
	for i, w := range want.Trades {
		id := m.Known.IDs()[oracle.Series{Run: int(w.Run), Name: w.Serie}]
		if g := made[i]; g.Date != w.Date || g.Kind != w.Kind || g.Reason != w.Reason || g.Series != id ||
			!backtesttest.Agree(g.Amount, w.Amount) {
			t.Errorf("%s: %+v, want %+v", want.File, g, w)
		}
	}
}
