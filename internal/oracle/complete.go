package oracle

import (
	"maps"
	"math/big"
	"slices"
	"strconv"
	"time"
)

// Dolar is the dólar observado in pesos, by its date as YYYY-MM-DD.
type Dolar map[string]float64

// on returns the rate of a day, or the last one at most seven days before it.
func (d Dolar) on(day time.Time) (rate float64, ok bool) {
	for age := 0; age <= toleranceDays; age++ {
		if rate, ok := d[iso(day.AddDate(0, 0, -age))]; ok {
			return rate, rate > 0 && finite(rate)
		}
	}
	return 0, false
}

// LatestComplete is the newest complete date of the market: where every window
// ends when no date is asked for. Without one, ok is false.
func (m *Market) LatestComplete(dolar Dolar) (day time.Time, ok bool) {
	seen := map[time.Time]bool{}
	for _, quotes := range m.quotes {
		for _, q := range quotes {
			seen[q.day] = true
		}
	}
	days := slices.SortedFunc(maps.Keys(seen), time.Time.Compare)
	for _, day := range slices.Backward(days) {
		if m.Complete(day, dolar) {
			return day, true
		}
	}
	return time.Time{}, false
}

// Complete tells whether a day is complete (RULES 1). Of the series with a row
// in the seven days before it, at least 98 % must have a quote on it, and they
// must hold at least 99 % of the equity of them all, in pesos, each taken at
// its last row of those seven days. A series whose currency, equity or exchange
// rate is unknown there is left out of the equity test, not of the count.
//
// Where nobody has a row in the seven days before, the seven days that end with
// the last day of any row stand for them. The first day of all is complete.
func (m *Market) Complete(day time.Time, dolar Dolar) bool {
	day = midnight(day)
	published, earlier := false, time.Time{} // any row on the day, void ones too; the last day of rows before it
	for _, quotes := range m.quotes {
		for _, q := range quotes {
			published = published || q.day.Equal(day)
			if q.day.Before(day) && q.day.After(earlier) {
				earlier = q.day
			}
		}
	}
	if !published || earlier.IsZero() {
		return published
	}
	from, to := day.AddDate(0, 0, -7), day.AddDate(0, 0, -1)
	if earlier.Before(from) {
		from, to = earlier.AddDate(0, 0, -6), earlier
	}

	series, quoted := 0, 0
	equity, present := new(big.Rat), new(big.Rat)
	for _, quotes := range m.quotes {
		var last *quote
		onDay := false
		for i, q := range quotes {
			if !q.day.Before(from) && !q.day.After(to) {
				last = &quotes[i]
			}
			if q.day.Equal(day) {
				onDay = !q.void
			}
		}
		if last == nil {
			continue
		}
		series++
		if onDay {
			quoted++
		}
		if pesos, ok := last.pesos(dolar); ok {
			equity.Add(equity, pesos)
			if onDay {
				present.Add(present, pesos)
			}
		}
	}
	return 100*quoted >= 98*series && times(100, present).Cmp(times(99, equity)) >= 0
}

// pesos is the equity of a quote in pesos, exactly as published.
func (q quote) pesos(dolar Dolar) (*big.Rat, bool) {
	if q.void || !finite(q.equity) {
		return nil, false
	}
	switch q.currency() {
	case "PESOS":
		return exact(q.equity), true
	case "DOLAR":
		rate, ok := dolar.on(q.day)
		if !ok {
			return nil, false
		}
		return new(big.Rat).Mul(exact(q.equity), exact(rate)), true
	}
	return nil, false
}

// exact takes a finite number as the shortest decimal that reads back as it,
// which is the published text for up to 15 digits.
func exact(x float64) *big.Rat {
	r, _ := new(big.Rat).SetString(strconv.FormatFloat(x, 'f', -1, 64))
	return r
}

func times(n int64, x *big.Rat) *big.Rat {
	return new(big.Rat).Mul(big.NewRat(n, 1), x)
}
