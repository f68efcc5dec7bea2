package scrape

import "time"

// schedule tells when a source is looked at: at a time of day in Santiago, or
// every so often, counted from midnight UTC of a fixed day. Its moments follow
// from the clock alone, so that a process which was stopped needs no memory of
// them.
type schedule struct {
	hour, minute int
	every        time.Duration // zero: at the time of day
	zone         *time.Location
}

// latest is the last moment that is not after now.
func (s schedule) latest(now time.Time) time.Time {
	if s.every > 0 {
		return now.Truncate(s.every)
	}
	// A time that a day skips may stand for one of the day before.
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

// on is the moment of the day that lies so many days from now's.
func (s schedule) on(now time.Time, days int) time.Time {
	year, month, day := now.In(s.zone).Date()
	return time.Date(year, month, day+days, s.hour, s.minute, 0, 0, s.zone)
}
