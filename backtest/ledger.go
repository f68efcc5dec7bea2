package backtest

import (
	"context"
	"maps"
	"math"
	"slices"

	"cuota/model"
)

// ledger runs the strategy as stated, which fills the result, and then with one thing changed at
// a time (section 7).
func (out *Result) ledger(ctx context.Context, source Source, limits Limits) error {
	for _, variant := range []struct {
		name   string
		change func(*Strategy)
	}{
		{"as_stated", func(*Strategy) {}},
		{"survivors_only", func(s *Strategy) { s.Universe = "current" }},
		{"revised_data", func(s *Strategy) { s.Known = "revised" }},
		{"without_costs", func(s *Strategy) { s.Costs, s.RedemptionDays = Costs{}, new(int) }},
	} {
		s := out.Strategy
		variant.change(&s)
		run, err := perform(ctx, source, s, out.Batch, limits)
		if err != nil {
			return err
		}
		if variant.name == "as_stated" {
			if err := out.fill(ctx, source, run); err != nil {
				return err
			}
		}
		line := LedgerLine{Run: variant.name}
		if n := len(run.curve); n > 0 {
			line.TotalReturn = finiteOrNil(run.curve[n-1].Value/run.curve[0].Value - 1)
			if line.Rank, line.Of, err = run.rank(ctx, source); err != nil {
				return err
			}
		}
		if len(out.Ledger) > 0 && line.TotalReturn != nil {
			stated := out.Ledger[0]
			line.ReturnDifference = finiteOrNil(*line.TotalReturn - *stated.TotalReturn)
			line.RankDifference = line.Rank - stated.Rank
		}
		out.Ledger = append(out.Ledger, line)
	}
	return nil
}

// fill writes what the run as stated found into the result.
func (out *Result) fill(ctx context.Context, source Source, run *performance) error {
	out.Curve, out.Rebalancings, out.Months = []Day{}, []Rebalancing{}, []Month{}
	out.Notes = append([]Note{}, run.notes...)
	out.Vintage = vintageOf(run)
	if len(run.curve) == 0 {
		out.Statistics = Statistics{First: out.Strategy.From, Last: out.Strategy.To, Rolling12: []Month{}, Rolling36: []Month{}}
		return nil
	}
	benchmark, err := out.levels(ctx, source, run, out.Strategy.Benchmark, "benchmark")
	if err != nil {
		return err
	}
	for i := range benchmark {
		run.curve[i].Benchmark = &benchmark[i]
	}
	riskFree, err := out.levels(ctx, source, run, out.Strategy.RiskFree, "risk_free")
	if err != nil {
		return err
	}
	out.Curve, out.Rebalancings = run.curve, run.rebalancings
	out.Statistics, out.Months = statisticsOf(run, riskFree)
	return nil
}

// levels gives the levels of a reference that the strategy names, or nil and a note.
func (out *Result) levels(ctx context.Context, source Source, run *performance, text, field string) ([]float64, error) {
	if text == "" {
		return nil, nil
	}
	ref, err := parseReference(text, field == "benchmark")
	if err != nil {
		return nil, err
	}
	levels, err := ref.levels(ctx, source, out.Strategy.Currency, run.market.first, run.market.end)
	if err == nil && levels == nil {
		out.Notes = append(out.Notes, note("no_reference", "%s = \"%s\" has no value on %s, so nothing is compared with it", field, text, run.market.first.String()))
	}
	return levels, err
}

// vintageOf counts what the values of the candidates were known from. A candidate can be of several
// kinds.
func vintageOf(run *performance) (out Vintage) {
	for _, list := range run.candidates {
		out.Candidates += len(list)
		for i := range list {
			if list[i].NotKnownThen {
				out.NotKnownThen++
			}
			if list[i].Corrected {
				out.Corrected++
			}
			if list[i].LaterHistory {
				out.LaterHistory++
			}
		}
	}
	return out
}

// rank gives the place of the run among the series of the universe on the first signal date,
// each held from that date to the end; 1 is the best. of counts them and the run.
func (run *performance) rank(ctx context.Context, source Source) (rank, of int, err error) {
	s := run.strategy
	var ids []uint32
	currency := map[uint32]string{}
	for i := range run.candidates[0] {
		c := &run.candidates[0][i]
		if s.Universe == "current" && !c.Alive || !s.holds(c.Currency) {
			continue
		}
		ids = append(ids, c.Series)
		currency[c.Series] = c.Currency
	}
	histories, err := source.Histories(ctx, ids, run.market.first)
	if err != nil {
		return 0, 0, err
	}
	held := &portfolio{strategy: &s, market: run.market}
	strategy := run.curve[len(run.curve)-1].Value / run.curve[0].Value
	rank, of = 1, 1
	if err := ctx.Err(); err != nil {
		return 0, 0, err
	}
	for _, series := range ids {
		if history := histories[series]; history != nil {
			grown, there := held.growth(history, currency[series])
			if !there {
				continue
			}
			of++
			if grown > strategy {
				rank++
			}
		}
	}
	return rank, of, nil
}

// growth gives what becomes of 1 that is held in a series from the first to the last day of the
// run, by section 4: until the last quote before a break, and as cash after that.
func (p *portfolio) growth(history *History, currency string) (grown float64, there bool) {
	first, end := p.market.first, p.market.end
	quote, on := history.newest(first)
	if quote == 0 || first.DaysSince(on) > quoteWait {
		return 0, false
	}
	until := end
	for _, at := range history.Breaks {
		if at.Compare(first) > 0 && at.Compare(until) <= 0 {
			until = at.AddDays(-1)
			break
		}
	}
	quotas := 1.0
	for _, day := range slices.SortedFunc(maps.Keys(history.Factor), model.Date.Compare) { // always the same product
		if day.Compare(first) > 0 && day.Compare(until) <= 0 {
			quotas *= history.Factor[day]
		}
	}
	last, lastOn := history.newest(until)
	// What is held until the end is converted at its rate, and what became cash at that of its day.
	day := lastOn
	if until == end && (history.last().Compare(end) > 0 || p.market.cutoff.DaysSince(history.last()) <= quoteWait) {
		day = end
	}
	grown = p.convert(quotas*last, currency, day) / p.convert(quote, currency, first)
	return grown, !math.IsNaN(grown) && !math.IsInf(grown, 0) // without a dollar there is nothing to compare
}
