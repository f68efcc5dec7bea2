package backtest

import (
	"context"
	"math"

	"golang.org/x/sync/errgroup"
)

// ledger runs the strategy as stated, which fills the result, and then with one thing changed at
// a time (section 7).
func (out *Result) ledger(ctx context.Context, source Source, limits Limits) error {
	stated, err := begin(ctx, source, out.Strategy, out.Batch, limits)
	if err != nil {
		return err
	}
	reads, readCtx := errgroup.WithContext(ctx)
	reads.Go(func() error { return stated.selectSeries(readCtx, source, limits, true) })
	if len(stated.signals) > 0 && limits == (Limits{}) { // else a run may be refused for what it selects
		reads.Go(func() error { // for the rank; the source keeps it
			_, err := source.Held(readCtx, stated.signals[0].Date, stated.end)
			return err
		})
	}
	if err := reads.Wait(); err != nil {
		return err
	}
	if err := stated.trade(ctx, source, out.Batch); err != nil {
		return err
	}
	if err := out.fill(ctx, source, stated); err != nil {
		return err
	}
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
		run, err := stated.changed(ctx, source, s, out.Batch, limits)
		if err != nil {
			return err
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

// changed runs a strategy that differs from the one of the run in its universe, in what is known or in its
// costs. It does again only what is different then.
func (run *performance) changed(ctx context.Context, source Source, s Strategy, batch Batch,
	limits Limits) (*performance, error) {
	trades := s.Costs == run.strategy.Costs && *s.RedemptionDays == *run.strategy.RedemptionDays
	selects := s.Universe == run.strategy.Universe && s.Known == run.strategy.Known
	switch {
	case trades && selects:
		return run, nil
	case selects:
		other := &performance{strategy: s, end: run.end, signals: run.signals, universes: run.universes,
			selections: run.selections, market: run.market}
		return other, other.trade(ctx, source, batch)
	}
	other, err := begin(ctx, source, s, batch, limits)
	if err != nil {
		return nil, err
	}
	if err := other.selectSeries(ctx, source, limits, false); err != nil {
		return nil, err
	}
	if other.selectsAs(run) {
		other.market, other.curve = run.market, run.curve
		return other, nil
	}
	return other, other.trade(ctx, source, batch)
}

// fill writes what the run as stated found into the result.
func (out *Result) fill(ctx context.Context, source Source, run *performance) error {
	out.Curve, out.Rebalancings, out.Months = []Day{}, []Rebalancing{}, []Month{}
	out.Notes = append([]Note{}, run.notes(out.Batch)...)
	out.Vintage = vintageOf(run)
	if len(run.curve) == 0 {
		out.Statistics = Statistics{First: out.Strategy.From, Last: out.Strategy.To, Rolling12: []Month{},
			Rolling36: []Month{}}
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

// levels returns the levels of a reference that the strategy names, or nil and a note.
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
		out.Notes = append(out.Notes, note("no_reference",
			"%s = \"%s\" has no value on %s, so nothing is compared with it", field, text, run.market.first.String()))
	}
	return levels, err
}

// vintageOf counts what the values that the strategy reads were known from. A candidate can be of several
// kinds.
func vintageOf(run *performance) (out Vintage) {
	values := run.strategy.chooser().reads
	for _, u := range run.universes {
		of := u.vintage(values)
		out.Candidates += of.Candidates
		out.LaterHistory += of.LaterHistory
		out.Corrected += of.Corrected
		out.NotKnownThen += of.NotKnownThen
	}
	return out
}

// rank returns the place of the run among the series of the universe on the first signal date,
// each held from that date to the end; 1 is the best. of counts them and the run.
func (run *performance) rank(ctx context.Context, source Source) (rank, of int, err error) {
	s := run.strategy
	series, err := source.Held(ctx, run.market.first, run.market.end)
	if err != nil {
		return 0, 0, err
	}
	portfolio := &portfolio{strategy: &s, market: run.market}
	strategy := run.curve[len(run.curve)-1].Value / run.curve[0].Value
	rank, of = 1, 1
	first := run.universes[0]
	for i := range int32(first.size()) {
		c, currency := first.listed(i), first.currency(i)
		held, there := series[c.Series]
		if !there || s.Universe == "current" && !c.Alive || !s.holds(currency) {
			continue
		}
		if grown, valued := portfolio.growth(held, currency); valued {
			of++
			if grown > strategy {
				rank++
			}
		}
	}
	return rank, of, nil
}

// growth returns what becomes of 1 that is held in a series from the first to the last day of the
// run, by section 4: until the last quote before a break, and as cash after that. It is not valued without a
// dollar to compare with.
func (p *portfolio) growth(held Held, currency string) (grown float64, valued bool) {
	// What is held until the end is converted at its rate, and what became cash at that of its day.
	day := held.LastOn
	if end := p.market.end; !held.Broken &&
		(held.Newest.Compare(end) > 0 || p.market.cutoff.DaysSince(held.Newest) <= quoteWait) {
		day = end
	}
	grown = p.convert(held.Quotas*held.Last, currency, day) / p.convert(held.First, currency, p.market.first)
	return grown, !math.IsNaN(grown) && !math.IsInf(grown, 0)
}
