package account

import (
	"fmt"
	"time"
	_ "time/tzdata" // Santiago's rules, for machines that have no time zone files
)

// calendar finds the days on which quotas are counted. They are local dates of
// America/Santiago.
type calendar struct{ santiago *time.Location }

func newCalendar() (calendar, error) {
	santiago, err := time.LoadLocation("America/Santiago")
	if err != nil {
		return calendar{}, fmt.Errorf("load the time zone America/Santiago: %w", err)
	}
	return calendar{santiago}, nil
}

// date gives the local date of at, as YYYY-MM-DD.
func (c calendar) date(at time.Time) string {
	return at.In(c.santiago).Format(time.DateOnly)
}

// nextDay gives the first instant, in UTC, of the local date that follows the date of at. This
// instant is not always a midnight. When summer time starts, clocks go from 23:59:59 to 01:00
// (as on 2026-09-06), and that day has 23 hours. When summer time ends, the last hour of a day
// comes twice, and that day has 25 hours.
func (c calendar) nextDay(at time.Time) time.Time {
	year, month, day := at.In(c.santiago).Date()
	midnight := time.Date(year, month, day+1, 0, 0, 0, 0, c.santiago)
	if midnight.Day() == day {
		// This midnight does not exist, so time.Date returned a time before the jump. The day
		// begins where the clocks jump.
		_, midnight = midnight.ZoneBounds()
	}
	return midnight.UTC()
}
