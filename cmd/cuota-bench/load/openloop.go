package load

import (
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// onSchedule makes requests due at equal intervals, whether or not a client is free to
// send them. A request that finds every client busy waits, and the wait is part of its
// latency. So a slow server does not reduce the rate of requests.
func (o Order) onSchedule(began time.Time) turn {
	every := time.Duration(float64(time.Second) / o.PerSecond)
	n := min(int(o.Length/max(every, 1)), maxRequests)
	due := make(chan time.Time, n) // has room for all, so that sending to it never blocks the clock
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

// sleepUntil is exact to about ten microseconds. The runtime's timers wait whole
// milliseconds when the process is idle, which would be most of a latency.
func sleepUntil(at time.Time) {
	for left := time.Until(at); left > 0; left = time.Until(at) {
		wait := unix.NsecToTimeval(int64(max(left, time.Microsecond)))
		_, _ = unix.Select(0, nil, nil, nil, &wait) // if interrupted, it is called again
	}
}
