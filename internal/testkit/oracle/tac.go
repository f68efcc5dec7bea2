package oracle

import "time"

// leastCostDays is how many daily TACs a month needs.
const leastCostDays = 15

// RealTAC returns the real cost rate (TAC) of a series in the month of a day (RULES 2): the mean
// of the month's daily TACs, as a fraction a year, and their number. ok is false if there are
// fewer than 15, or if the mean is not between 0 and 1.
//
// A daily TAC needs the row of the previous calendar day, whose equity bore the costs. If that
// row is missing or void, the day has no daily TAC. The day also has none if the quotas from
// its beginning are worth nothing, or if a reversal of costs exceeds their value.
func (m *Market) RealTAC(run int, serie string, month time.Time) (rate float64, days int, ok bool) {
	year, which, _ := month.Date()
	for _, today := range m.quotes[Series{run, SerieName(serie)}] {
		if y, m, _ := today.day.Date(); y != year || m != which {
			continue
		}
		for _, before := range m.quotes[Series{run, SerieName(serie)}] {
			if daysApart(before.day, today.day) != 1 {
				continue
			}
			if daily, ok := dailyTAC(before, today); ok {
				rate += daily
				days++
			}
		}
	}
	if days < leastCostDays {
		return 0, days, false
	}
	rate /= float64(days)
	return rate, days, rate >= 0 && rate <= 1
}

func dailyTAC(before, today quote) (float64, bool) {
	if before.void || today.void {
		return 0, false
	}
	if before.equity <= 0 {
		return 0, true
	}
	adjusted := (today.outstanding + today.redeemed - today.contributed) * today.quota
	if adjusted <= 0 || adjusted+today.costs <= 0 {
		return 0, false
	}
	year := today.day.Year()
	daysOfYear := 337 + daysInMonth(year, time.February)
	return today.costs / (adjusted + today.costs) * float64(daysOfYear), true
}
