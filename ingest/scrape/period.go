package scrape

import (
	"time"

	"cuota/model"
)

// cadence is how often a source publishes a new document.
type cadence string

const (
	standing  cadence = "" // one document, replaced at its address
	daily     cadence = "daily"
	monthly   cadence = "monthly"
	quarterly cadence = "quarterly"
)

// period is the range of days that a document is about, both included. The zero period
// is that of a document which is replaced at its address.
type period struct{ first, last model.Date }

// current is the name of the document of the zero period.
const current = "current"

func (p period) name() string {
	if p.first.IsZero() {
		return current
	}
	return p.first.String()
}

// around returns the period that contains the day.
func (c cadence) around(day model.Date) period {
	year, month, _ := day.Time().Date()
	length := time.Month(1)
	switch c {
	case standing:
		return period{}
	case daily:
		return period{day, day}
	case quarterly:
		month -= (month - 1) % 3
		length = 3
	}
	return period{model.NewDate(year, month, 1), model.NewDate(year, month+length, 1).AddDays(-1)}
}

// until returns the periods, oldest first, from the one that contains the day first up
// to the last one that ended at least after days before today.
func (c cadence) until(today model.Date, first model.Date, after int) []period {
	if c == standing {
		return []period{{}}
	}
	var periods []period
	for p := c.around(first); p.last.AddDays(after).Compare(today) <= 0; p = c.around(p.last.AddDays(1)) {
		periods = append(periods, p)
	}
	return periods
}
