package history_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"cuota/backtest"
	"cuota/backtest/history"
	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/model"
)

// everything is a source that reads all values of all candidates.
type everything struct{ *history.Source }

func (e everything) Candidates(ctx context.Context, signals []backtest.Signal, sight backtest.Sight,
	_ backtest.Values) ([]*backtest.Universe, error) {
	return e.Source.Candidates(ctx, signals, sight, backtest.AllValues)
}

func TestARunThatReadsOnlyWhatItsStrategyNamesGivesTheSameResult(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	m := demotest.New(t)
	m.IngestMarket(t, inventedMarketOf(t, 24, 5*366+200), time.Time{}, marketEnd.AddDays(100).Time())
	batch := m.Build(t)
	all, followed := everything{source(m, batch)}, source(m, batch)
	signals, err := all.AnsweringDays(t.Context(), []model.Date{model.NewDate(2025, time.May, 31)})
	must(t, err)
	lists, err := all.Candidates(t.Context(), signals, backtest.Sight{}, backtest.AllValues)
	must(t, err)
	var like backtest.Candidate // one of which everything is known
	for _, c := range lists[0].Candidates() {
		if c.Family != "" && c.Category != "" && c.RatedClass != "" && c.Spheres > 1 && c.TAC > 0 &&
			c.Volatility12 > 0 && c.Currency == "PESOS" {
			like = c
			break
		}
	}
	if like.Series == 0 {
		t.Fatal("no candidate has all values")
	}
	type one struct {
		name   string
		change func(*backtest.Strategy)
	}
	var cases []one
	for _, sort := range backtest.Sorts {
		cases = append(cases, one{"sort " + sort, func(s *backtest.Strategy) { s.Sort = sort }})
	}
	for name, filter := range map[string]backtest.Filter{
		"q": {Text: like.FundName[:8]}, "fund_family": {Family: like.Family},
		"investor_class": {InvestorClass: like.InvestorClass},
		"currency":       {Currency: "PESOS"}, "category": {Category: like.Category},
		"administrator":   {Manager: like.Manager},
		"cmf_spheres_min": {SpheresMin: &like.Spheres}, "cmf_spheres_max": {SpheresMax: &like.Spheres},
		"cmf_family":        {RatedFamily: like.Family},
		"cmf_investor_type": {RatedClass: like.RatedClass}, "tac_kind": {TACKind: like.TACKind},
		"tac_max":              {TACMax: &like.TAC},
		"equity_clp_min":       {EquityMin: &like.EquityCLP},
		"volatility_12m_max":   {VolatilityMax: new(like.Volatility12 + 1e-9)},
		"max_drawdown_36m_min": {DrawdownMin: new(-1.)},
	} {
		cases = append(cases, one{"filter " + name, func(s *backtest.Strategy) { s.Filter, s.Convert = filter, true }})
	}
	for _, weights := range []string{"equity", "inverse_volatility"} {
		cases = append(cases, one{"weights " + weights, func(s *backtest.Strategy) { s.Weights = weights }})
	}
	for _, within := range []string{"family", "manager"} {
		cases = append(cases, one{"within " + within, func(s *backtest.Strategy) { s.Within, s.Top = within, 1 }})
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := backtest.Strategy{Name: c.name, From: marketEnd.AddDays(-150), To: marketEnd, Sort: "1m", Top: 5,
				Known: "then"}
			c.change(&s)
			run := func(source backtest.Source) (result *backtest.Result, text string) {
				result, err := backtest.Run(t.Context(), source, s)
				must(t, err)
				written, err := json.Marshal(result)
				must(t, err)
				return result, string(written)
			}
			result, want := run(all)
			if selected := result.Rebalancings[len(result.Rebalancings)-1].Selected; len(selected) == 0 {
				t.Fatal("nothing is selected, so nothing was put to the test")
			}
			if _, got := run(source(m, batch)); got != want {
				t.Errorf("read alone, the result is %s, want %s", got, want)
			}
			if _, got := run(followed); got != want {
				t.Errorf("after other strategies, the result is %s, want %s", got, want)
			}
		})
	}
}
