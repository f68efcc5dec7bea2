package oracle

import "math"

// Bounds of a change of unit (RULES 8).
const (
	leastUnit     = 1.5  // a change of the quotas outstanding by less is none
	mostMove      = 0.2  // what a quota may move by itself in a day, as with a stated factor
	unitPrecision = 1e-4 // of the equity, and of a quota of 1 in currency
)

// ChangesUnit reports whether, of two rows of a series that follow each other, the later one
// counts in another unit.
func ChangesUnit(before, after Row) bool { return changesUnit(before.quote(), after.quote()) }

// changesUnit reports whether the quota of a row counts in another unit than the valid quote
// before it, although no factor says so (RULES 8): the quota is divided by a power of ten, or by
// what the quotas outstanding are multiplied by, and the equity is what it was, but for the flows
// that the row states. If there are days between the rows, their flows are unknown: then a quota that is
// divided or multiplied by at least 100 is enough, whatever the equity is. What a factor de reparto says was paid is
// added to the quota and the equity.
func changesUnit(before, q quote) bool {
	if !before.valid() || !q.valid() || !(before.equity > 0) || !(q.equity > 0) || q.adjust != 0 && q.adjust != 1 {
		return false
	}
	paid := 1.0
	if q.payout != 0 {
		paid = q.payout
	}
	ratio := q.quota * paid / before.quota
	net := q.contributed - q.redeemed
	equity := (q.equity - net*q.quota) * paid / before.equity
	power := math.Pow(10, math.Round(-math.Log10(ratio)))
	if power != 1 && math.Abs(ratio*power-1) <= mostMove {
		if math.Abs(equity-1) <= mostMove {
			return true
		}
		// The flows of the days between are unknown, so the equities can't be compared.
		if daysApart(before.day, q.day) > 1 && math.Abs(math.Log10(power)) >= 2 {
			return true
		}
	}
	k := (q.outstanding - net) / before.outstanding
	if !finite(k) || k <= 0 || k < leastUnit && k > 1/leastUnit {
		return false
	}
	// Quotas have four decimals, so that a small one says less of the equity.
	precision := unitPrecision * (1 + 1/math.Min(q.quota, before.quota))
	return math.Abs(ratio*k-1) <= mostMove && math.Abs(equity-ratio*k) <= precision
}
