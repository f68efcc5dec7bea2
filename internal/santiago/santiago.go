// Package santiago has the time zone of the market, compiled into the program.
package santiago

import (
	"time"
	_ "time/tzdata" // machines without time zone files
)

// Zone is the time zone of the market's days, schedules and quotas.
var Zone = func() *time.Location {
	location, err := time.LoadLocation("America/Santiago")
	if err != nil {
		panic(err) // cannot happen: the zone is compiled in
	}
	return location
}()

// NextDay returns the first instant, in UTC, of the day in Santiago after that of at. This
// instant is not always a midnight. When summer time starts, clocks go from 23:59:59 to 01:00
// (as on 2026-09-06), and that day has 23 hours. When summer time ends, the last hour of a day
// comes twice, and that day has 25 hours.
func NextDay(at time.Time) time.Time {
	year, month, day := at.In(Zone).Date()
	midnight := time.Date(year, month, day+1, 0, 0, 0, 0, Zone)
	if midnight.Day() == day {
		// This midnight does not exist, so time.Date returned a time before the jump. The day
		// begins where the clocks jump.
		_, midnight = midnight.ZoneBounds()
	}
	return midnight.UTC()
}
