package backtestoracle

import (
	"fmt"
	"math"
	"testing"

	"cuota/internal/testkit/oracle"
)

// Each candidate but the first two fails at one rule, in the order of the reasons.
func TestEachExcludedSeriesHasTheFirstReason(t *testing.T) {
	signal := Signal{Date: on(t, "2025-01-31"), Day: on(t, "2025-01-31")}
	var all []Candidate
	for id := range uint32(11) {
		all = append(all, Candidate{ID: id, Series: oracle.Series{Run: int(id)}, Currency: "PESOS",
			FirstQuote: on(t, "2024-01-31"), Family: "F", Spheres: 3, TAC: .01,
			EquityCLP: 1, Volatility12: .1, Alive: true, Returns: map[string]float64{"1m": float64(20 - id)}})
	}
	all[1].Returns["1m"] = 20 // a tie, so that the lower id comes first
	all[2].NotKnownThen, all[2].Currency = true, "DOLAR"
	all[3].Currency, all[3].FirstQuote = "DOLAR", on(t, "2025-01-30")
	all[4].FirstQuote, all[4].Spheres = on(t, "2025-01-30"), 0
	all[5].Spheres, all[5].TAC = 0, math.NaN()
	all[6].TAC, all[6].Returns["1m"] = math.NaN(), math.NaN()
	all[7].Returns["1m"], all[7].Family = math.NaN(), ""
	all[8].Family, all[8].Volatility12 = "", 0
	all[9].Volatility12 = math.NaN()
	all[10].Series.Run = 1
	s := Strategy{Known: "then", Universe: "then", Currency: "PESOS", MinAgeDays: 2, Sort: "1m", Descending: true,
		Top: 1, Within: "family",
		Weights: "inverse_volatility", OnePerFund: true,
		Filters: []Filter{{Name: "tac_max", Number: .01}, {Name: "cmf_spheres_min", Number: 3}}}
	chosen, _, reasons := s.Select(signal, all)
	if len(chosen) != 1 || chosen[0].ID != 0 || chosen[0].Weight != 1 {
		t.Errorf("%+v", chosen)
	}
	for id, want := range []string{"", "not_in_top", "not_known_then", "other_currency", "too_young",
		"filter:cmf_spheres_min", "filter:tac_max",
		"no_value", "no_family", "no_weight", "same_fund"} {
		if reasons[uint32(id)] != want {
			t.Errorf("%d: %q, want %q", id, reasons[uint32(id)], want)
		}
	}
}

// The weights are as 1/0.1 to 1/0.2 to 1/0.5, which are 10, 5 and 2 of 17.
func TestWeightsAreInProportion(t *testing.T) {
	var all []Candidate
	for id, volatility := range []float64{.1, .2, .5} {
		all = append(all, Candidate{ID: uint32(id), Currency: "PESOS", Volatility12: volatility,
			EquityCLP: float64(id + 1), Returns: map[string]float64{}})
	}
	for weights, want := range map[string]string{"inverse_volatility": "0.588 0.294 0.118",
		"equity": "0.167 0.333 0.500", "equal": "0.333 0.333 0.333"} {
		s := Strategy{Universe: "then", Currency: "PESOS", Sort: "id", Top: 3, Weights: weights}
		c, _, _ := s.Select(Signal{}, all)
		if got := fmt.Sprintf("%.3f %.3f %.3f", c[0].Weight, c[1].Weight, c[2].Weight); got != want {
			t.Errorf("%s: %s, want %s", weights, got, want)
		}
	}
}

func TestAQuantileIsRoundedUp(t *testing.T) {
	for _, c := range []struct {
		q    string
		n, k int
	}{{"0.1", 10, 1}, {"0.1", 11, 2}, {"0.07", 100, 7}, {"1", 7, 7}, {"0.001", 3, 1}, {"0.5", 0, 0}} {
		if got := (Strategy{Quantile: c.q}).first(c.n); got != c.k {
			t.Errorf("%s of %d: %d, want %d", c.q, c.n, got, c.k)
		}
	}
}

func TestQuarterlySignalsAreTheLastDaysOfQuarters(t *testing.T) {
	s := Strategy{From: on(t, "2024-03-31"), To: on(t, "2024-12-30"), Rebalance: "quarterly"}
	if got := s.signalDates(); len(got) != 3 || !got[2].Equal(on(t, "2024-09-30")) {
		t.Errorf("%v", got)
	}
	s.Rebalance = "monthly"
	if got := s.signalDates(); len(got) != 9 || !got[8].Equal(on(t, "2024-11-30")) {
		t.Errorf("%v", got)
	}
}

func TestTwoManagersOfOneNameAreTwoGroups(t *testing.T) {
	var all []Candidate
	for id, rut := range []int{1, 1, 2, 2} {
		all = append(all, Candidate{ID: uint32(id), Series: oracle.Series{Run: id}, Currency: "PESOS", Manager: "ALFA",
			ManagerID: rut})
	}
	s := Strategy{Known: "revised", Universe: "then", Currency: "PESOS", Sort: "id", Top: 1, Within: "manager",
		Weights: "equal"}
	chosen, _, reasons := s.Select(Signal{}, all)
	if len(chosen) != 2 || chosen[0].ID != 0 || chosen[1].ID != 2 || reasons[1] != "not_in_top" ||
		reasons[3] != "not_in_top" {
		t.Errorf("%+v %v", chosen, reasons)
	}
}
