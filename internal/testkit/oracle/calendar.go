package oracle

import "time"

// Date returns a calendar day as midnight UTC. UTC has no summer time, so two dates always differ
// by whole days of 24 hours.
func Date(year int, month time.Month, day int) time.Time {
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
}

func midnight(t time.Time) time.Time { return Date(t.Date()) }

// daysApart counts the calendar days from one day to a later one.
func daysApart(from, to time.Time) int {
	return int(to.Sub(from) / (24 * time.Hour))
}

func daysInMonth(year int, month time.Month) int {
	switch month {
	case time.April, time.June, time.September, time.November:
		return 30
	case time.February:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	}
	return 31
}

// monthsBefore goes back by whole calendar months. If the earlier month lacks the day, it returns
// that month's last day. A month end does not stay a month end otherwise: 30 April minus one
// month is 30 March.
func monthsBefore(day time.Time, months int) time.Time {
	y, m, d := day.Date()
	count := y*12 + int(m) - 1 - months // months since year 0
	y, m = count/12, time.Month(count%12+1)
	return Date(y, m, min(d, daysInMonth(y, m)))
}

// endOfMonthBefore returns the last day of the previous month.
func endOfMonthBefore(day time.Time) time.Time {
	y, m, _ := day.Date()
	return Date(y, m, 1).AddDate(0, 0, -1)
}

// lastMonthEnd returns the last month end on or before day.
func lastMonthEnd(day time.Time) time.Time {
	y, m, d := day.Date()
	if d == daysInMonth(y, m) {
		return day
	}
	return endOfMonthBefore(day)
}

// iso writes a day as YYYY-MM-DD, as the API does.
func iso(day time.Time) string { return day.Format(time.DateOnly) }
