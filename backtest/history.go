package backtest

import (
	"slices"

	"cuota/model"
)

// at returns the quote of a day; 0 if there is none.
func (h *History) at(day model.Date) float64 {
	if i := day.DaysSince(h.First); i >= 0 && i < len(h.Quotas) {
		return h.Quotas[i]
	}
	return 0
}

// newest returns the newest quote on or before a day, and its day. The quote is 0 if there is none.
func (h *History) newest(day model.Date) (quote float64, on model.Date) {
	for i := min(day.DaysSince(h.First), len(h.Quotas)-1); i >= 0; i-- {
		if h.Quotas[i] > 0 {
			return h.Quotas[i], h.First.AddDays(i)
		}
	}
	return 0, model.Date{}
}

// next returns the day of the first quote on or after a day, if it comes within quoteWait days.
func (h *History) next(day model.Date) (on model.Date, found bool) {
	for n := range quoteWait + 1 {
		if on := day.AddDays(n); h.at(on) > 0 {
			return on, true
		}
	}
	return model.Date{}, false
}

// last returns the day of the newest quote, and the zero day if there is none.
func (h *History) last() model.Date {
	_, on := h.newest(h.First.AddDays(len(h.Quotas)))
	return on
}

// factor is what the number of quotas is multiplied with on a day.
func (h *History) factor(day model.Date) float64 {
	if factor, there := h.Factor[day]; there {
		return factor
	}
	return 1
}

// breaksBetween reports whether the series breaks after a day and on or before another.
func (h *History) breaksBetween(after, upTo model.Date) bool {
	return slices.ContainsFunc(h.Breaks, func(day model.Date) bool {
		return day.Compare(after) > 0 && day.Compare(upTo) <= 0
	})
}
