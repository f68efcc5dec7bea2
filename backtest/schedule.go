package backtest

import (
	"context"
	"time"

	"cuota/model"
)

// quoteWait is how many days an order waits for a quote (section 1).
const quoteWait = 7

// dates returns the signal dates of the strategy up to a last day, ascending.
func (s *Strategy) dates(last model.Date) []model.Date {
	if s.To.Compare(last) < 0 {
		last = s.To
	}
	var list []model.Date
	if s.Rebalance == onDates {
		for _, date := range s.Dates {
			if date.Compare(last) <= 0 {
				list = append(list, date)
			}
		}
		return list
	}
	step := time.Month(1)
	if s.Rebalance == quarterly {
		step = 3
	}
	year, month, _ := s.From.Time().Date()
	month += (step - month%step) % step // the first month, or the last one of its quarter
	for ; ; month += step {
		end := model.NewDate(year, month+1, 0)
		if end.Compare(last) > 0 {
			return list
		}
		if end.Compare(s.From) >= 0 {
			list = append(list, end)
		}
	}
}

// signals returns the signals of the strategy: of dates that the same day answers for, the first
// one. Order is the earlier order day: what is known later must not decide what is sold on it.
func (s *Strategy) signals(ctx context.Context, source Source, last model.Date) ([]Signal, error) {
	dates := s.dates(last)
	if len(dates) == 0 {
		return nil, nil
	}
	found, err := source.AnsweringDays(ctx, dates)
	if err != nil {
		return nil, err
	}
	var list []Signal
	for _, signal := range found {
		if n := len(list); n > 0 && list[n-1].Day == signal.Day {
			continue
		}
		signal.Order = signal.Date.AddDays(min(*s.EntryLag, *s.ExitLag))
		list = append(list, signal)
	}
	return list, nil
}
