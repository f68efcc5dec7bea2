package scrape

import (
	"time"

	"cuota/internal/santiago"
)

// schedule says when a source is looked at: at a time of day in Santiago, or at a fixed
// interval that is counted from midnight UTC of a fixed day. Its moments follow from the
// clock alone, so they need not be stored.
type schedule struct {
	hour, minute int
	every        time.Duration // zero: at the time of day instead
}

// latest is the last moment that is not after now.
func (s schedule) latest(now time.Time) time.Time {
	if s.every > 0 {
		return now.Truncate(s.every)
	}
	// A time that is skipped when clocks go forward may fall on the day before.
	for day := 1; ; day-- {
		if moment := s.on(now, day); !moment.After(now) {
			return moment
		}
	}
}

// next is the first moment after now.
func (s schedule) next(now time.Time) time.Time {
	if s.every > 0 {
		return now.Truncate(s.every).Add(s.every)
	}
	for day := 0; ; day++ {
		if moment := s.on(now, day); moment.After(now) {
			return moment
		}
	}
}

// on returns the schedule's moment on the day that is so many days from now.
func (s schedule) on(now time.Time, days int) time.Time {
	year, month, day := now.In(santiago.Zone).Date()
	return time.Date(year, month, day+days, s.hour, s.minute, 0, 0, santiago.Zone)
}
