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
