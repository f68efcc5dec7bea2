package oracle

import (
	"math"
	"time"
)

// Floors of stage b of the outlier rules, in percent points (RULES 7).
const (
	dailyFloor   = 0.5
	monthlyFloor = 2
)

// MarketDay describes a series on one day of the market (RULES 7). Changes are percent points.
// Dates are YYYY-MM-DD, or empty.
type MarketDay struct {
	Void           bool     // the row is void; then there are no changes
	Currency       string   // for a void row, the currency of the quote before if that is at most 31 days older
	Previous       string   // day of the quote before, at most seven days older
	PreviousEquity *float64 // nil if that quote has another currency
	Daily, Monthly *float64
	Month          string // day of the quote that stands for the date one month earlier
	MonthEquity    *float64

	Family, Category string
	Later            bool // classified only after the day

	DailyOutlier, MonthlyOutlier string // "cap", "peers" or ""
	Spike                        bool
}

// Day returns all series with a row on a day.
func (m *Market) Day(on time.Time) map[Series]MarketDay {
	on = midnight(on)
	all := map[Series]MarketDay{}
	daily, monthly := map[Series]candidate{}, map[Series]candidate{}
	for series, quotes := range m.quotes {
		e := newest(quotes, on)
		if e < 0 || !quotes[e].day.Equal(on) {
			continue
		}
		q := quotes[e]
		c, later := m.classified(series, on)
		d := MarketDay{
			Void: q.void, Currency: q.currency(), Family: c.Family, Category: c.Category, Later: later,
			Daily:   m.DailyChange(series.Run, series.Name, on),
			Monthly: m.MonthlyChange(series.Run, series.Name, on),
			Spike:   !q.void && spike(quotes, e),
		}
		p := quoteBefore(quotes, e)
		if q.void && p >= 0 && daysApart(quotes[p].day, on) <= maxGapDays {
			d.Currency = quotes[p].currency()
		}
		if p >= 0 && daysApart(quotes[p].day, on) <= toleranceDays {
			d.Previous, d.PreviousEquity = iso(quotes[p].day), equityIn(d.Currency, quotes[p])
		}
		target := monthsBefore(on, 1)
		if s := quoteBy(quotes, target); s >= 0 && daysApart(quotes[s].day, target) <= toleranceDays {
			d.Month, d.MonthEquity = iso(quotes[s].day), equityIn(d.Currency, quotes[s])
		}
		limits := capOf(c.Category)
		of, grouped := m.groupOf(series, q)
		if d.Daily != nil {
			daily[series] = candidate{*d.Daily, limits[0], of, grouped}
		}
		if d.Monthly != nil {
			monthly[series] = candidate{*d.Monthly, limits[1], of, grouped}
		}
		all[series] = d
	}
	dailyReasons, monthlyReasons := outliers(daily, dailyFloor), outliers(monthly, monthlyFloor)
	for series, d := range all {
		d.DailyOutlier, d.MonthlyOutlier = dailyReasons[series], monthlyReasons[series]
		all[series] = d
	}
	return all
}

// equityIn returns the equity of a quote if it is in the currency, else nil.
func equityIn(currency string, q quote) *float64 {
	if q.currency() != currency {
		return nil
	}
	return ptr(q.equity)
}

// spike reports whether a quote is an error of one day, or the return from one.
func spike(quotes []quote, at int) bool {
	return leaps(quotes, at) || leaps(quotes, quoteBefore(quotes, at))
}

// leaps reports whether a quote changes by more than ten percent and the next one reverses at
// least four fifths of that. The levels are relative to 1 before the leap.
func leaps(quotes []quote, at int) bool {
	if at < 0 {
		return false
	}
	before, after := quoteBefore(quotes, at), quoteAfter(quotes, at)
	leap, back := change(quotes, before, at, toleranceDays), change(quotes, at, after, toleranceDays)
	if leap == nil || back == nil || math.Abs(*leap) <= 10 {
		return false
	}
	high := 1 + *leap/100
	low := high * (1 + *back/100)
	return (high-low)/(high-1) >= 0.8
}
