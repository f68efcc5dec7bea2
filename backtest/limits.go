package backtest

import (
	"context"
	"fmt"
)

// Limits bound a run for somebody who waits for it. A zero means no limit.
type Limits struct {
	Days     int // between the first and the last day
	Signals  int // signal dates
	Selected int // series on one date
}

// LimitError says which limit a run would exceed.
type LimitError struct {
	Field     string // of the strategy: to, rebalance, or top
	What      string // what is limited: days, signal dates, selected series
	Got, Most int
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("the strategy has %d %s, and at most %d are allowed here; cuota backtest strategy has no such "+
		"limit", e.Got, e.What, e.Most)
}

func checkLimit(field, what string, got, most int) error {
	if most > 0 && got > most {
		return &LimitError{field, what, got, most}
	}
	return nil
}

// Run is the function Run within the limits. It fails with a *LimitError before it computes
// anything that exceeds one.
func (l Limits) Run(ctx context.Context, source Source, s Strategy) (*Result, error) {
	s, err := s.Complete()
	if err != nil {
		return nil, err
	}
	if err := checkLimit("to", "days", s.To.DaysSince(s.From), l.Days); err != nil {
		return nil, err
	}
	batch, err := source.Batch(ctx)
	if err != nil {
		return nil, err
	}
	out := &Result{Strategy: s, Method: Method, Batch: batch, Fingerprint: fingerprint(s, batch)}
	if err := out.ledger(ctx, source, l); err != nil {
		return nil, err
	}
	return out, nil
}
