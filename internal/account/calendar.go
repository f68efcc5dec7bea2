package account

import (
	"fmt"
	"time"
	_ "time/tzdata" // Santiago's rules, for machines that have no time zone files
)

// calendar knows the days on which quotas are counted: local dates of
// America/Santiago.
type calendar struct{ santiago *time.Location }

func newCalendar() (calendar, error) {
	santiago, err := time.LoadLocation("America/Santiago")
	if err != nil {
		return calendar{}, fmt.Errorf("load the time zone America/Santiago: %w", err)
	}
	return calendar{santiago}, nil
}

// date is the local date of at, YYYY-MM-DD.
func (c calendar) date(at time.Time) string {
	return at.In(c.santiago).Format(time.DateOnly)
}

// nextDay is the first instant of the local date after that of at, in UTC. It
// is not always a midnight: when summer time starts, clocks go from 23:59:59
// to 01:00 (2026-09-06), and such a day has 23 hours; when it ends, the last
// hour of a day comes twice, and that day has 25.
func (c calendar) nextDay(at time.Time) time.Time {
	year, month, day := at.In(c.santiago).Date()
	midnight := time.Date(year, month, day+1, 0, 0, 0, 0, c.santiago)
	if midnight.Day() == day {
		// There is no such midnight, and time.Date took the hour before the
		// jump. The day begins where the clocks jumped.
		_, midnight = midnight.ZoneBounds()
	}
	return midnight.UTC()
}
