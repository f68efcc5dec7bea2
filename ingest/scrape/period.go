package scrape

import (
	"time"

	"cuota/model"
)

// cadence is how often an address gives a new document.
type cadence string

const (
	standing  cadence = "" // one document, replaced where it stands
	daily     cadence = "daily"
	monthly   cadence = "monthly"
	quarterly cadence = "quarterly"
)

// period is the days that a document is about, both included. The zero period
// is that of a document which is replaced where it stands.
type period struct{ first, last model.Date }

// current names the document of the zero period.
const current = "current"

func (p period) name() string {
	if p.first.IsZero() {
		return current
	}
	return p.first.String()
}

// around gives the period that the day lies in.
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

// until gives the periods from that of the first day on to the last one that
// had ended so many days before today, oldest first.
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
