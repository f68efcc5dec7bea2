package synth

import (
	"time"

	"cuota/model"
)

// day is one day of the market.
type day struct {
	date    model.Date
	compact [8]byte // YYYYMMDD
	working bool    // shares are traded and the dólar observado is published
	// open and due are for funds in pesos and in dollars: it is a business day, and the next day is one.
	open, due [2]bool
	yearDays  float64 // number of days in its calendar year
	month     int     // number of the month, counted from the market's first
}

// calendar returns the given number of days from the first day on.
func calendar(first model.Date, days int) []day {
	list := make([]day, days)
	origin := first.Time()
	for i := range list {
		at := origin.AddDate(0, 0, i)
		list[i] = day{
			date: model.DateOf(at), working: working(at), yearDays: 365,
			month: 12*(at.Year()-origin.Year()) + int(at.Month()-origin.Month()),
		}
		copy(list[i].compact[:], at.Format("20060102"))
		tomorrow := at.AddDate(0, 0, 1)
		list[i].open = [2]bool{working(at), working(at) && openAbroad(at)}
		list[i].due = [2]bool{working(tomorrow), working(tomorrow) && openAbroad(tomorrow)}
		if time.Date(at.Year(), time.December, 31, 0, 0, 0, 0, time.UTC).YearDay() == 366 {
			list[i].yearDays = 366
		}
	}
	return list
}

// working reports whether a day is a working day. It knows weekends and the holidays with a fixed
// date.
func working(at time.Time) bool {
	switch at.Weekday() {
	case time.Saturday, time.Sunday:
		return false
	}
	switch at.Format("01-02") {
	case "01-01", "05-01", "05-21", "07-16", "08-15", "09-18", "09-19", "11-01", "12-08", "12-25":
		return false
	}
	return true
}

// openAbroad reports whether a day is none of the holidays of the United States, which funds in
// dollars follow.
func openAbroad(at time.Time) bool {
	switch at.Format("01-02") {
	case "01-01", "06-19", "07-04", "12-25":
		return false
	}
	week := (at.Day() + 6) / 7 // which Monday or Thursday of its month
	last := at.AddDate(0, 0, 7).Month() != at.Month()
	switch {
	case at.Weekday() == time.Monday:
		switch at.Month() {
		case time.January, time.February:
			return week != 3
		case time.May:
			return !last
		case time.September:
			return week != 1
		}
	case at.Weekday() == time.Thursday && at.Month() == time.November:
		return week != 4
	}
	return true
}

// monthsBefore goes back by whole calendar months. If the earlier month lacks the day, it returns
// that month's last day.
func monthsBefore(date model.Date, months int) model.Date {
	t := date.Time()
	first := time.Date(t.Year(), t.Month(), 1, 0, 0, 0, 0, time.UTC).AddDate(0, -months, 0)
	last := first.AddDate(0, 1, -1).Day()
	return model.NewDate(first.Year(), first.Month(), min(t.Day(), last))
}

// monthEnd returns the last month end on or before the date.
func monthEnd(date model.Date) model.Date {
	if next := date.AddDays(1); next.Time().Day() == 1 {
		return date
	}
	return date.AddDays(-date.Time().Day())
}

// between counts the days from one date to a later one.
func between(from, to model.Date) int { return int(to.Time().Sub(from.Time()) / (24 * time.Hour)) }
