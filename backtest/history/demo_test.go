package history_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"cuota/backtest"
	"cuota/backtest/backtesttest"
	"cuota/backtest/history"
	"cuota/demo"
	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/internal/testkit/oracle/backtestoracle"
	"cuota/model"
)

// demoFiles returns the files of the demo market that backtests read.
func demoFiles(t *testing.T) (files []backtestoracle.File) {
	t.Helper()
	dir := t.TempDir()
	must(t, demo.Extract(dir))
	sources, err := demo.SourcesIn(dir)
	must(t, err)
	read := []model.Dataset{model.Cartola, model.UF, model.Dolar, model.Register, model.ReturnsComparator,
		model.TACComparator}
	for _, s := range sources {
		if slices.Contains(read, s.Dataset) {
			files = append(files, backtestoracle.File{Dataset: string(s.Dataset), Path: filepath.Join(dir, s.Path),
				Published: s.Published})
		}
	}
	return files
}

// demoMonths is a strategy over twelve month ends, on which the demo market has nine series of two
// funds. What is selected on the last one is traded before the end of the run.
func demoMonths(sort string) backtest.Strategy {
	return backtest.Strategy{
		Name: "demo", From: model.NewDate(2024, 7, 31), To: model.NewDate(2025, 7, 20), Sort: sort, Top: 3,
		OnePerFund: new(false), Benchmark: "uf",
	}
}

// demoMarket is the demo market as published, and the independent computation from its files.
type demoMarket struct {
	published *history.Source
	oracle    backtesttest.Source
	seen      map[string]int // how often something was compared
}

func openDemo(t *testing.T, files []backtestoracle.File) demoMarket {
	t.Helper()
	market := demotest.New(t)
	for _, f := range files {
		market.Ingest(t, model.Dataset(f.Dataset), f.Path, f.Published)
	}
	stated, err := backtestoracle.Load(files...)
	must(t, err)
	return demoMarket{source(market, market.Build(t)), backtesttest.Source{Known: stated.Prepare()}, map[string]int{}}
}

// run runs a strategy, and fails the test where the result differs from the independent one.
func (m demoMarket) run(t *testing.T, s backtest.Strategy) *backtest.Result {
	t.Helper()
	s, err := s.Complete()
	must(t, err)
	got, err := backtest.Run(t.Context(), m.published, s)
	must(t, err)
	if differences := backtesttest.Compare(m.oracle, s, got, m.seen); len(differences) > 0 {
		t.Fatalf("strategy %s\n%s", backtesttest.Describe(s),
			strings.Join(differences[:min(len(differences), 12)], "\n"))
	}
	return got
}

// wasCompared fails the test if something of a result was never there to compare.
func (m demoMarket) wasCompared(t *testing.T, what ...string) {
	t.Helper()
	for _, each := range what {
		if m.seen[each] == 0 {
			t.Errorf("%s was never compared: %v", each, m.seen)
		}
	}
}

// datesWithSelection counts the dates on which a run selected something.
func datesWithSelection(run *backtest.Result) (dates int) {
	for _, r := range run.Rebalancings {
		dates += min(1, len(r.Selected))
	}
	return dates
}

// demoStrategies returns strategies over the twelve month ends: every sort, with other rules for each.
func demoStrategies() (list []backtest.Strategy) {
	for i, sort := range backtest.Sorts {
		s := demoMonths(sort)
		s.Order = []string{"desc", "asc"}[i%2]
		s.Weights = []string{"equal", "equity", "inverse_volatility"}[i%3]
		s.Within = []string{"", "", "manager"}[(i/2)%3]
		s.OnePerFund = new(i%4 == 3)
		s.Universe = []string{"then", "then", "current"}[(i/3)%3]
		if i%5 == 2 {
			s.Top, s.Quantile = 0, .35
		}
		if i%2 == 0 {
			s.Costs = backtest.Costs{Buy: .002, Sell: .01}
		}
		s.RiskFree = []string{"", "rate:0.04", "uf"}[(i/2)%3]
		list = append(list, s)
	}
	s := demoMonths("1y")
	s.Benchmark, s.Filter.TACMax, s.Filter.Text = "family:Balanceado moderado:PESOS", new(.03), "9809"
	list = append(list, s)
	s = demoMonths("equity_clp")
	s.Currency, s.Convert, s.Benchmark = "DOLAR", true, "rate:0.05" // the series are in pesos
	list = append(list, s)
	s = demoMonths("3m")
	s.Rebalance, s.EntryLag, s.ExitLag, s.RedemptionDays, s.MinAgeDays = "quarterly", new(5), new(2), new(0), 400
	return append(list, s)
}

// Results for twelve month ends on the real files of the demo equal those that an independent
// computation takes from the same files.
func TestRunsOnTheDemoMarketEqualTheOracle(t *testing.T) {
	longtest.InTurns(t)
	m := openDemo(t, demoFiles(t))
	for _, s := range demoStrategies() {
		for _, s.Known = range []string{"then", "revised"} {
			t.Run(fmt.Sprintf("%s %s %s", s.Sort, s.Rebalance, s.Known), func(t *testing.T) {
				got := m.run(t, s)
				dates, least := 12, 12
				switch {
				case s.Rebalance == "quarterly":
					dates, least = 4, 4
				case s.Sort == "5y_ann":
					least = 9 // from the date on which the funds are five years old
				case s.Sort == "cmf_spheres":
					least = 0 // the only comparator is of September 2025
				}
				if len(got.Rebalancings) != dates || got.Rebalancings[dates-1].Date != model.NewDate(2025, 6, 30) {
					t.Errorf("%d rebalancings, want %d until 2025-06-30", len(got.Rebalancings), dates)
				}
				if selected := datesWithSelection(got); selected != least {
					t.Errorf("series were selected on %d dates, want %d", selected, least)
				}
			})
		}
	}

	t.Run("three years", func(t *testing.T) {
		s := demoMonths("6m")
		s.From, s.Known, s.RiskFree = model.NewDate(2022, 6, 30), "then", "uf"
		if got := m.run(t, s); datesWithSelection(got) != 37 {
			t.Errorf("series were selected on %d dates, want 37", datesWithSelection(got))
		}
	})

	// On its last day the demo has the whole market: 2,840 series.
	t.Run("the whole market", func(t *testing.T) {
		s := demoMonths("equity_clp")
		s.Rebalance, s.Dates = "dates", []model.Date{model.NewDate(2025, 5, 31), s.To}
		s.Top, s.Quantile, s.Weights, s.Convert, s.OnePerFund = 0, .1, "equity", true, new(true)
		for _, s.Known = range []string{"then", "revised"} {
			got := m.run(t, s)
			last := got.Rebalancings[len(got.Rebalancings)-1]
			if last.Universe != 2840 || len(last.Selected) < 40 || last.Excluded["not_in_top"] < 400 ||
				last.Excluded["same_fund"] < 1000 {
				t.Errorf("%s: %d series, %d selected, excluded %v", s.Known, last.Universe, len(last.Selected),
					last.Excluded)
			}
		}
	})
	m.wasCompared(t, "selected", "buy selected", "sell not_selected", "sell above_goal", "volatility", "turnover",
		"costs", "tracking error", "up capture",
		"cagr", "sharpe", "sortino",
		"filter:q", "as_stated total", "survivors_only difference", "revised_data difference",
		"without_costs difference")
	t.Log(m.seen)
}

// monthlyFiles divides the cartolas of 2024 and 2025 into files of a month that are published five
// days after its end. That of November 2024 is published 40 days after it.
func monthlyFiles(t *testing.T, files []backtestoracle.File) (monthly []backtestoracle.File) {
	t.Helper()
	dir := t.TempDir()
	for _, f := range files {
		if name := filepath.Base(f.Path); f.Dataset != string(model.Cartola) ||
			!strings.Contains(name, "_2024") && !strings.Contains(name, "_20250101") {
			monthly = append(monthly, f)
			continue
		}
		all, months := lines(t, f.Path), map[string]string{}
		for _, line := range all[1:] {
			months[dayOf(t, line).String()[:len("2024-01")]] += line
		}
		for month, text := range months {
			begin, err := time.Parse("2006-01", month)
			must(t, err)
			delay := 5
			if month == "2024-11" {
				delay = 40
			}
			path := filepath.Join(dir, month+".txt")
			write(t, path, all[0]+text)
			monthly = append(monthly, backtestoracle.File{Dataset: f.Dataset, Path: path,
				Published: begin.AddDate(0, 1, delay-1)})
		}
	}
	return monthly
}

// If the real files had been published month by month, what was known on twelve month ends is less
// than what is known today, and the independent computation finds the same.
func TestRunsOnAMarketPublishedByMonthEqualTheOracle(t *testing.T) {
	longtest.InTurns(t)
	m := openDemo(t, monthlyFiles(t, demoFiles(t)))
	// On 2024-11-30 no series is known by the order day. On 2024-12-31 nothing is known that needs a
	// quote of November.
	for sort, dates := range map[string]int{
		"1m": 10, "1y": 11, "last_closed_month": 10, "tac": 10, "volatility_12m": 10, "max_drawdown_36m": 10,
		"equity_clp": 11,
	} {
		s := demoMonths(sort)
		s.EntryLag, s.ExitLag, s.RedemptionDays = new(6), new(5), new(3)
		selected := map[string]int{}
		for _, s.Known = range []string{"then", "revised"} {
			got := m.run(t, s)
			selected[s.Known] = datesWithSelection(got)
			if unknown := got.Vintage.NotKnownThen; (unknown > 0) != (s.Known == "then") {
				t.Errorf("%s, %s: %d series were not known", sort, s.Known, unknown)
			}
		}
		if selected["revised"] != 12 || selected["then"] != dates {
			t.Errorf("%s: series were selected on %v dates, want %d of 12", sort, selected, dates)
		}
	}
	m.wasCompared(t, "selected", "not_known_then", "no_value", "buy selected", "revised_data difference")
	t.Log(m.seen)
}
