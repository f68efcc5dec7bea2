package account

import (
	"time"

	"cuota/internal/santiago"
)

// dayOf returns the day in Santiago on which a request at an instant is counted, as YYYY-MM-DD.
func dayOf(at time.Time) string { return at.In(santiago.Zone).Format(time.DateOnly) }
