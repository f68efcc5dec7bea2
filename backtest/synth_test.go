package backtest_test

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"cuota/backtest"
	"cuota/internal/synth"
	"cuota/internal/testkit/oracle"
	"cuota/internal/testkit/oracle/backtestoracle"
	"cuota/model"
)

// synthetic writes a synthetic market and reads what a backtest needs of it.
func synthetic(t *testing.T, config synth.Config) (dir string, expected synth.Expected, m oracleSource) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "market")
	if _, err := synth.Write(t.Context(), dir, config, nil); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(read(t, dir, "expected.json")), &expected); err != nil {
		t.Fatal(err)
	}
	broken := map[string]map[int]synth.Reject{}
	for _, r := range expected.Rejects {
		if broken[r.File] == nil {
			broken[r.File] = map[int]synth.Reject{}
		}
		broken[r.File][r.Line] = r
	}
	market := &invented{}
	market.Dollar, market.UF = map[time.Time]float64{}, map[time.Time]float64{}
	for _, source := range records(t, dir, "sources.csv") {
		published, err := time.Parse(time.RFC3339, source[2])
		if err != nil {
			t.Fatal(err)
		}
		switch model.Dataset(source[0]) {
		case model.Cartola:
			for i, line := range strings.Split(strings.TrimSpace(read(t, dir, source[1])), "\n")[1:] {
				row, err := oracle.Parse(line)
				if reject, is := broken[source[1]][i+2]; is {
					row, err = oracle.Row{Run: int(reject.Run), Serie: reject.Serie, Day: reject.Date.Time()}, nil
					if reject.Fault == "impossible_date" {
						continue
					}
				}
				if err != nil {
					continue // broken, in a series that is not in the sample
				}
				market.Statements = append(market.Statements, backtestoracle.Statement{Row: row, Published: published})
			}
		case model.UF, model.Dolar:
			for _, line := range records(t, dir, source[1]) {
				day, err := time.Parse(time.DateOnly, line[0])
				if err != nil {
					t.Fatal(err)
				}
				value, err := strconv.ParseFloat(line[1], 64)
				if err != nil {
					t.Fatal(err)
				}
				if model.Dataset(source[0]) == model.UF {
					market.UF[day] = value
				} else {
					market.Dollar[day] = value
				}
			}
		}
	}
	for _, r := range expected.Renames {
		market.Renames = append(market.Renames, oracle.Rename{Run: int(r.Run), Previous: r.Previous, Current: r.Current, From: r.FirstCurrent.Time()})
	}
	for i, x := range expected.Exchanges {
		market.Exchanges = append(market.Exchanges, oracle.Exchange{Event: strconv.Itoa(i), Revision: 1,
			Origin: oracle.Series{Run: int(x.OriginRun), Name: x.OriginSerie}, Destination: oracle.Series{Run: int(x.DestinationRun), Name: x.DestinationSerie},
			Effective: x.Effective.Time(), Valuation: x.Effective.AddDays(-1).Time(), Factor: x.Factor})
	}
	known := market.Prepare()
	market.rows = known.Rows()
	return dir, expected, oracleSource{market, known}
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
	for seed := range uint64(8) {
		dir, expected, m := synthetic(t, synth.Config{Series: 50, Days: 500, Seed: seed, End: model.NewDate(2025, time.July, 20), Bad: synth.DefaultBad})
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
			if got.Statistics.TotalReturn == nil || !agree(*got.Statistics.TotalReturn, want.TotalReturn) {
				t.Errorf("seed %d, %s: %s, want %v: %+v", seed, want.File, shown(got.Statistics.TotalReturn), want.TotalReturn, got.Rebalancings)
			}
			if want.BenchmarkTotal != nil && (got.Statistics.BenchmarkTotal == nil || !agree(*got.Statistics.BenchmarkTotal, *want.BenchmarkTotal)) {
				t.Errorf("seed %d, %s: the benchmark is %s, want %v", seed, want.File, shown(got.Statistics.BenchmarkTotal), *want.BenchmarkTotal)
			}
			compareTrades(t, want, got, m)
		}
	}
	for _, name := range []string{"ordinary", "distributing", "closing", "exchanged", "restarting", "switch"} {
		if written["strategies/"+name+".toml"] == 0 {
			t.Errorf("no market has the strategy %s: %v", name, written)
		}
	}
	t.Log(written)
}

func compareTrades(t *testing.T, want synth.Strategy, got *backtest.Result, m oracleSource) {
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
		id := m.known.IDs()[oracle.Series{Run: int(w.Run), Name: w.Serie}]
		if g := made[i]; g.Date != w.Date || g.Kind != w.Kind || g.Reason != w.Reason || g.Series != id || !agree(g.Amount, w.Amount) {
			t.Errorf("%s: %+v, want %+v", want.File, g, w)
		}
	}
}
