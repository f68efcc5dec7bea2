package model

import (
	"time"
	_ "time/tzdata" // machines without time zone files
)

// Santiago is the time zone of the market: of its days, schedules and quotas.
var Santiago = func() *time.Location {
	location, err := time.LoadLocation("America/Santiago")
	if err != nil {
		panic(err) // cannot happen: the zone is compiled in
	}
	return location
}()
