package backtest_test

import (
	"flag"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"cuota/backtest"
	"cuota/backtest/backtesttest"
)

// The engine and an independent implementation of docs/backtests.md agree on everything, over
// markets and strategies at random.
func TestRunsEqualTheIndependentComputation(t *testing.T) {
	if checks := flag.Lookup("rapid.checks"); testing.Short() && checks.Value.String() == checks.DefValue {
		if err := checks.Value.Set("20"); err != nil {
			t.Fatal(err)
		}
	}
	seen := map[string]int{}
	rapid.Check(t, func(rt *rapid.T) {
		market := backtesttest.Invent(rapid.Uint64().Draw(rt, "market"))
		m := backtesttest.Source{Market: market, Known: market.Prepare()}
		if m.Known.Cutoff.IsZero() {
			rt.Skip("no complete day")
		}
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "strategy"), 2))
		for range 3 {
			s := backtesttest.DrawStrategy(rng, m)
			got, err := backtest.Run(rt.Context(), m, s)
			if err != nil {
				rt.Fatalf("%+v: %v", s, err)
			}
			if differences := backtesttest.Compare(m, s, got, seen); len(differences) > 0 {
				rt.Fatalf("strategy %s\n%s", backtesttest.Describe(s),
					strings.Join(differences[:min(len(differences), 12)], "\n"))
			}
		}
	})
	t.Log(seen)
}
