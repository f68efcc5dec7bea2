package backtestoracle

import (
	"time"

	"cuota/internal/testkit/oracle"
)

// Result is a run of a strategy.
type Result struct {
	Curve        []Day
	Levels       []float64 // of the benchmark, by day; nil without one
	Rebalancings []Rebalancing
	Statistics   Statistics
	Months       []Month
	Ledger       []LedgerLine
}

// LedgerLine is a run of the ledger (section 7).
type LedgerLine struct {
	Run      string
	Total    *float64
	Place    Place
	Change   *float64  // of the total return against the run; nil in the run's own line
	Universe []float64 // total returns of the ranked series
}

// Place is the place of a return: the best and the worst it can have if returns that differ by
// less than 1e-9 are equal.
type Place struct{ Best, Worst, Of int }

// Run runs a strategy with its ledger.
func (p *Prepared) Run(s Strategy) Result {
	result := p.once(s)
	for _, changed := range []struct {
		name   string
		change func(*Strategy)
	}{
		{"as_stated", func(*Strategy) {}},
		{"survivors_only", func(s *Strategy) { s.Universe = "current" }},
		{"revised_data", func(s *Strategy) { s.Known = "revised" }},
		{"without_costs", func(s *Strategy) { s.Buy, s.Sell, s.RedemptionDays = 0, 0, 0 }},
	} {
		other := s
		changed.change(&other)
		run := p.once(other)
		line := LedgerLine{Run: changed.name, Total: run.Statistics.Total}
		if line.Total != nil {
			line.Universe = p.holdings(other, run)
			line.Place = Place{1, 1, len(line.Universe) + 1}
			for _, each := range line.Universe {
				if each > *line.Total+1e-9 {
					line.Place.Best++
				}
				if each > *line.Total-1e-9 {
					line.Place.Worst++
				}
			}
			if changed.name != "as_stated" {
				line.Change = maybe(*line.Total-*result.Statistics.Total, true)
			}
		}
		result.Ledger = append(result.Ledger, line)
	}
	return result
}

// once runs a strategy without its ledger.
func (p *Prepared) once(s Strategy) (result Result) {
	end := s.To
	if p.Cutoff.Before(end) {
		end = p.Cutoff
	}
	for _, signal := range p.Answering(s.signalDates(), min(s.EntryLag, s.ExitLag)) {
		r := Rebalancing{Signal: signal, Sold: plus(signal.Date, s.ExitLag),
			Bought: plus(signal.Date, max(s.EntryLag, s.ExitLag))}
		r.Chosen, r.Universe, r.Reasons = s.Select(signal, p.Candidates(signal, s.Known == "then", s.ClassifiedLater))
		result.Rebalancings = append(result.Rebalancings, r)
	}
	result.Curve = p.walk(s, result.Rebalancings, end)
	result.Levels = p.levels(s.Benchmark, s.Currency, result.Curve)
	result.Statistics, result.Months = p.statistics(s, result.Curve, result.Levels, result.Rebalancings)
	return result
}

// holdings returns the total returns of the series of the universe on the first signal date that pass
// the currency rule, each held from that date to the end by section 4.
func (p *Prepared) holdings(s Strategy, run Result) (returns []float64) {
	first, last := run.Curve[0].Date, run.Curve[len(run.Curve)-1].Date
	for _, c := range run.Rebalancings[0].Universe {
		if _, quoted := p.history(c.Series).first(plus(first, -7)); quoted && s.accepts(c.Currency) {
			returns = append(returns, p.hold(s, c.Series, first, last))
		}
	}
	return returns
}

// hold returns the return of one quota of a series from a day to another.
func (p *Prepared) hold(s Strategy, series oracle.Series, first, last time.Time) float64 {
	s.FollowExchanges = false
	f := &portfolio{market: p, strategy: s, positions: map[oracle.Series]float64{series: 1}, trades: map[int][]Trade{}}
	begin, _ := f.value(first)
	f.closings(first)
	for day := plus(first, 1); !day.After(last); day = plus(day, 1) {
		f.breaks(day)
		for held := range f.positions {
			if factor, quoted := f.history(held).factors[day]; quoted {
				f.positions[held] *= factor
			}
		}
		f.closings(day)
	}
	end, _ := f.value(last)
	return end/begin - 1
}
