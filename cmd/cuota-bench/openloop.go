package main

import (
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// onSchedule makes requests due at equal distances, whoever is free to send
// them. One that finds every client busy waits, and its latency with it: a slow
// server can't slow down what it is asked.
func (o order) onSchedule(began time.Time) turn {
	every := time.Duration(float64(time.Second) / o.PerSecond)
	n := min(int(o.Length/max(every, 1)), maxRequests)
	due := make(chan time.Time, n) // has room for all of them: nobody holds up the clock
	go func() {
		runtime.LockOSThread()
		defer close(due)
		for i := range n {
			at := began.Add(time.Duration(float64(i) / o.PerSecond * float64(time.Second)))
			sleepUntil(at)
			due <- at
		}
	}()
	return func() (time.Time, bool) {
		at, more := <-due
		return at, more
	}
}

// sleepUntil is exact to some ten microseconds. The runtime's timers wait whole
// milliseconds when nothing else is to do, which would be most of a latency.
func sleepUntil(at time.Time) {
	for left := time.Until(at); left > 0; left = time.Until(at) {
		wait := unix.NsecToTimeval(int64(max(left, time.Microsecond)))
		_, _ = unix.Select(0, nil, nil, nil, &wait) // interrupted, it is called again
	}
}
