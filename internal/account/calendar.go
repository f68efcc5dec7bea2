package account

import (
	"time"

	"cuota/internal/santiago"
)

// dayOf gives the day in Santiago on which a request at an instant is counted, as YYYY-MM-DD.
func dayOf(at time.Time) string { return at.In(santiago.Zone).Format(time.DateOnly) }

// nextDay gives the first instant, in UTC, of the day in Santiago after that of at. This
// instant is not always a midnight. When summer time starts, clocks go from 23:59:59 to 01:00
// (as on 2026-09-06), and that day has 23 hours. When summer time ends, the last hour of a day
// comes twice, and that day has 25 hours.
func nextDay(at time.Time) time.Time {
	year, month, day := at.In(santiago.Zone).Date()
	midnight := time.Date(year, month, day+1, 0, 0, 0, 0, santiago.Zone)
	if midnight.Day() == day {
		// This midnight does not exist, so time.Date returned a time before the jump. The day
		// begins where the clocks jump.
		_, midnight = midnight.ZoneBounds()
	}
	return midnight.UTC()
}
