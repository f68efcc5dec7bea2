package backtesttest

import (
	"slices"

	"cuota/backtest"
	"cuota/model"
)

// HeldOf follows each history from its quote at the beginning to its last one before the end or a break.
func HeldOf(histories map[uint32]*backtest.History, first, last model.Date) map[uint32]backtest.Held {
	all := map[uint32]backtest.Held{}
	for id, history := range histories {
		held := backtest.Held{Quotas: 1}
		for i, quote := range history.Quotas {
			day := history.First.AddDays(i)
			if quote == 0 {
				continue
			}
			held.Newest = day
			if day.Compare(first) <= 0 {
				if first.DaysSince(day) <= 7 {
					held.First, held.Last, held.LastOn = quote, quote, day
				}
				continue
			}
			held.Broken = held.Broken || day.Compare(last) <= 0 && slices.Contains(history.Breaks, day)
			if held.Broken || day.Compare(last) > 0 {
				continue
			}
			held.Last, held.LastOn = quote, day
			if factor, there := history.Factor[day]; there {
				held.Quotas *= factor
			}
		}
		if held.First > 0 {
			all[id] = held
		}
	}
	return all
}
