package oracle

import (
	"math"
	"math/big"
	"slices"
	"time"
)

// Risk is the risk of one series at a month end (RULES 5). Figures are fractions; nil if the
// months that they need are not all known.
type Risk struct {
	Volatility12, Volatility36 *float64 // of monthly returns; sample standard deviation
	Annual12, Annual36         *float64 // volatility × √12
	Drawdown36                 *float64 // 0 or negative
	Downside36                 *float64
	VaR95                      *float64      // negative means a loss
	Beta36, TrackingError36    *float64      // against the index of its family
	Score                      *int          // 0 to 100
	Level                      string        // low, medium or high; empty without a score
	Ranked                     *RankCoverage // nil without a score
}

// RankCoverage says how many of the series with a month-end quote are ranked in a month, and which share of the
// equity of all of these they hold. The equity is that of the month-end quote in pesos; dollars are converted at
// the dólar of the month end, or the last one of the seven days before. What is not known counts as 0.
type RankCoverage struct {
	Series, Of int
	Share      *float64 // nil if they have no equity
}

// Risk returns the risk at a month end of all series whose last quote is valid and at most seven
// days old then.
func (m *Market) Risk(monthEnd time.Time) map[Series]Risk {
	monthEnd = midnight(monthEnd)
	all := map[Series]Risk{}
	var volatilities, falls []float64
	ranked, whole := new(big.Rat), new(big.Rat) // equity in pesos
	for series, quotes := range m.quotes {
		at, ok := standsFor(quotes, monthEnd)
		if !ok {
			continue
		}
		equity := m.pesosAt(quotes[at], monthEnd)
		whole.Add(whole, equity)
		var r Risk
		if returns := monthlyReturns(quotes, monthEnd, 12); returns != nil {
			r.Volatility12 = ptr(deviation(returns))
			r.Annual12 = ptr(*r.Volatility12 * math.Sqrt(12))
		}
		if returns := monthlyReturns(quotes, monthEnd, 36); returns != nil {
			r.Volatility36 = ptr(deviation(returns))
			r.Annual36 = ptr(*r.Volatility36 * math.Sqrt(12))
			r.Downside36 = ptr(downside(returns) * math.Sqrt(12))
			r.VaR95 = ptr(percentile(returns, 0.05))
			r.Drawdown36 = ptr(drawdown(quotes, monthsBeforeEnd(monthEnd, 36), monthEnd))
			volatilities = append(volatilities, *r.Volatility36)
			falls = append(falls, -*r.Drawdown36)
			ranked.Add(ranked, equity)
		}
		r.Beta36, r.TrackingError36 = m.againstFamily(series, monthEnd)
		all[series] = r
	}
	coverage := RankCoverage{Series: len(volatilities), Of: len(all)}
	if whole.Sign() > 0 {
		share, _ := new(big.Rat).Quo(ranked, whole).Float64()
		coverage.Share = &share
	}
	for series, r := range all {
		if r.Volatility36 == nil {
			continue
		}
		r.Ranked = &coverage
		score := new(big.Rat).Add(rank(volatilities, *r.Volatility36), rank(falls, -*r.Drawdown36))
		score.Mul(score, big.NewRat(100, 2))
		r.Score = ptr(roundHalfUp(score))
		switch {
		case *r.Score < 34:
			r.Level = "low"
		case *r.Score < 67:
			r.Level = "medium"
		default:
			r.Level = "high"
		}
		all[series] = r
	}
	return all
}

// pesosAt returns the equity of a quote in pesos at the dólar of a day, and 0 if it is not known.
func (m *Market) pesosAt(q quote, on time.Time) *big.Rat {
	if !finite(q.equity) {
		return new(big.Rat)
	}
	switch q.currency() {
	case "PESOS":
		return exact(q.equity)
	case "DOLAR":
		for age := range toleranceDays + 1 {
			if rate := m.dolar[on.AddDate(0, 0, -age)]; rate != nil {
				return new(big.Rat).Mul(exact(q.equity), rate)
			}
		}
	}
	return new(big.Rat)
}

// standsFor returns the quote that stands for a month end: the last one on or before it. ok is
// false if that is not valid or is more than seven days old.
func standsFor(quotes []quote, monthEnd time.Time) (index int, ok bool) {
	i := newest(quotes, monthEnd)
	return i, i >= 0 && quotes[i].valid() && daysApart(quotes[i].day, monthEnd) <= toleranceDays
}

// monthsBeforeEnd returns the month end that is the given number of months before a month end.
func monthsBeforeEnd(monthEnd time.Time, months int) time.Time {
	y, m, _ := monthEnd.Date()
	return Date(y, m+1-time.Month(months), 1).AddDate(0, 0, -1)
}

// monthlyReturns returns the returns of the last n months, oldest first, or nil if any of them is
// unknown.
func monthlyReturns(quotes []quote, monthEnd time.Time, n int) []float64 {
	returns := make([]float64, 0, n)
	for ago := n; ago > 0; ago-- {
		r, ok := monthlyReturn(quotes, monthsBeforeEnd(monthEnd, ago), monthsBeforeEnd(monthEnd, ago-1))
		if !ok {
			return nil
		}
		returns = append(returns, r)
	}
	return returns
}

// monthlyReturn returns the return from one month end to the next, as a fraction. ok is false if
// it is unknown.
func monthlyReturn(quotes []quote, from, to time.Time) (r float64, ok bool) {
	s, okStart := standsFor(quotes, from)
	e, okEnd := standsFor(quotes, to)
	if !okStart || !okEnd || !oneStory(quotes[s:e+1]) {
		return 0, false
	}
	return quotes[e].quota/quotes[s].quota*factors(quotes[s+1:e+1]) - 1, true
}

// oneStory reports whether a return can be computed across the quotes: nothing breaks the series,
// and RULES 1 accepts all factors.
func oneStory(span []quote) bool { return unbroken(span) && believed(span) }

// unbroken reports whether the quotes have one known currency, and no gap, restart or curated
// break between them.
func unbroken(span []quote) bool {
	return span[0].currency() != "" && !currencyChanges(span) && !interrupted(span) &&
		!slices.ContainsFunc(span[1:], func(q quote) bool { return q.curated })
}

// believed reports whether RULES 1 accepts the factors that are stated after the first quote.
// With a factor de ajuste the adjusted quota may move by at most 20 % from the valid quote
// before; void rows in between do not matter. A factor de reparto must be from 1 to 1.5.
func believed(span []quote) bool {
	before := span[0]
	for _, q := range span[1:] {
		if !q.valid() {
			continue
		}
		if q.adjust != 0 && q.adjust != 1 && !(before.valid() && math.Abs(q.quota*q.adjust/before.quota-1) <= 0.2) {
			return false
		}
		if q.payout != 0 && (q.payout < 1 || q.payout > 1.5) {
			return false
		}
		before = q
	}
	return true
}

// factors returns the product of all factors that the cartola states on some days.
func factors(days []quote) float64 {
	product := 1.0
	for _, q := range days {
		for _, factor := range []float64{q.adjust, q.payout} {
			if factor != 0 {
				product *= factor
			}
		}
	}
	return product
}

// deviation returns the sample standard deviation (divided by n-1).
func deviation(values []float64) float64 {
	mean := 0.0
	for _, v := range values {
		mean += v / float64(len(values))
	}
	squares := 0.0
	for _, v := range values {
		squares += (v - mean) * (v - mean)
	}
	return math.Sqrt(squares / float64(len(values)-1))
}

// downside returns the root mean square of the values, with positive values as 0.
func downside(values []float64) float64 {
	squares := 0.0
	for _, v := range values {
		squares += math.Pow(min(v, 0), 2)
	}
	return math.Sqrt(squares / float64(len(values)))
}

// percentile returns the value at position (n-1)·p of the sorted values, by linear interpolation.
func percentile(values []float64, p float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	place := float64(len(sorted)-1) * p
	below := int(place)
	return sorted[below] + (place-float64(below))*(sorted[below+1]-sorted[below])
}

// drawdown returns the deepest fall of the daily quotes, with their factors, below any earlier
// one. It covers the quotes from the one that stands for the month end from to the one that
// stands for the month end to. The result is a fraction, 0 or negative.
func drawdown(quotes []quote, from, to time.Time) float64 {
	s, _ := standsFor(quotes, from)
	e, _ := standsFor(quotes, to)
	deepest, highest, level := 0.0, 0.0, 1.0
	for i := s; i <= e; i++ {
		if i > s {
			level *= factors(quotes[i : i+1])
		}
		if !quotes[i].valid() {
			continue
		}
		price := quotes[i].quota * level
		highest = max(highest, price)
		deepest = min(deepest, price/highest-1)
	}
	return deepest
}

// rank returns the share of the values that are below one of them, plus half of those equal to
// it, including itself.
func rank(values []float64, of float64) *big.Rat {
	halves := int64(0)
	for _, v := range values {
		switch {
		case v < of:
			halves += 2
		case v == of:
			halves++
		}
	}
	return big.NewRat(halves, 2*int64(len(values)))
}

func roundHalfUp(x *big.Rat) int {
	twice := new(big.Rat).Add(x, big.NewRat(1, 2))
	return int(new(big.Int).Div(twice.Num(), twice.Denom()).Int64())
}

func ptr[T any](v T) *T { return &v }
