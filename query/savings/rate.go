package savings

import (
	"math"
	"slices"
)

// flow is an amount on a day: below 0 is paid in, above 0 is taken out.
type flow struct {
	day    int
	amount float64
}

// The range of yearly rates that are looked for, as logarithms of 1 + rate: from -99.99 % to 1,000,000 %.
var lowestLog, highestLog = math.Log(1e-4), math.Log(1e4)

const (
	// leastDays is the shortest time of which a yearly rate says something.
	leastDays = 30
	// rateTolerance is how exactly log(1 + rate) is found.
	rateTolerance = 1e-13
	// gridSteps is in how many parts the range is searched if there may be several rates.
	gridSteps = 600
)

// moneyWeighted returns the yearly rate r for which the sum of amount × (1+r)^((T−day)/365) is 0, T being the day
// of the last flow. It is found by bisection. If the flows change their sign only once, there is one rate at most (by
// the rule of Descartes). If they change it more often, the range is searched in steps, and there must be one. Two
// rates that differ by less than about 3 % of 1 + r may not be told apart.
func moneyWeighted(flows []flow) (rate float64, reason string) {
	slices.SortStableFunc(flows, func(a, b flow) int { return a.day - b.day })
	if len(flows) == 0 {
		return 0, NothingBought
	}
	last := flows[len(flows)-1].day
	if last-flows[0].day < leastDays {
		return 0, Under30Days
	}
	var days []flow // one for each day
	for _, f := range flows {
		if n := len(days); n > 0 && days[n-1].day == f.day {
			days[n-1].amount += f.amount
		} else {
			days = append(days, f)
		}
	}
	withoutDust(days)
	sum := func(log float64) (total float64) {
		for _, f := range days {
			total += f.amount * math.Exp(log*float64(last-f.day)/365)
		}
		return total
	}
	brackets := [][2]float64{{lowestLog, highestLog}}
	switch changes := signChanges(days); {
	case changes == 0:
		return 0, NoSignChange
	case changes > 1:
		brackets = nil
		step := (highestLog - lowestLog) / gridSteps
		before := sum(lowestLog)
		for i := 1; i <= gridSteps; i++ {
			log := lowestLog + step*float64(i)
			after := sum(log)
			if (before < 0) != (after < 0) {
				brackets = append(brackets, [2]float64{log - step, log})
			}
			before = after
		}
	}
	switch {
	case len(brackets) > 1:
		return 0, SeveralRates
	case len(brackets) == 0 || (sum(brackets[0][0]) < 0) == (sum(brackets[0][1]) < 0):
		return 0, NoRateFound
	}
	low, high := brackets[0][0], brackets[0][1]
	negative := sum(low) < 0
	for high-low > rateTolerance {
		middle := low + (high-low)/2
		if middle == low || middle == high {
			break
		}
		if (sum(middle) < 0) == negative {
			low = middle
		} else {
			high = middle
		}
	}
	return math.Expm1(low + (high-low)/2), ""
}

// withoutDust sets amounts to 0 that are only errors of rounding, so that they change no sign.
func withoutDust(flows []flow) {
	largest := 0.
	for _, f := range flows {
		largest = max(largest, math.Abs(f.amount))
	}
	for i := range flows {
		if math.Abs(flows[i].amount) < dust*largest {
			flows[i].amount = 0
		}
	}
}

// signChanges counts how often the amounts change their sign, in order of their days.
func signChanges(flows []flow) (changes int) {
	before := 0.
	for _, f := range flows {
		if f.amount == 0 {
			continue
		}
		if before != 0 && (before < 0) != (f.amount < 0) {
			changes++
		}
		before = f.amount
	}
	return changes
}

// annual returns growth over some days as a yearly rate.
func annual(growth float64, days int) float64 { return math.Pow(growth, 365/float64(days)) - 1 }
