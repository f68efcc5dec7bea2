package scrape

import (
	"context"
	"time"

	"cuota/internal/loop"
)

// Clock is the source of time for schedules, pauses and first sights.
type Clock interface {
	Now() time.Time
	// Wait returns at that time or earlier, so the caller checks the time again. It
	// fails with the context's error if the context ends first.
	Wait(ctx context.Context, until time.Time) error
}

// System is the clock of the machine.
type System struct{}

// Now implements Clock.
func (System) Now() time.Time { return time.Now() }

// Wait implements Clock. It waits at most a minute at a time, because timers stop while
// a machine sleeps and its clock does not.
func (System) Wait(ctx context.Context, until time.Time) error {
	return loop.Pause(ctx, min(time.Until(until), time.Minute))
}

// pace keeps a minimum interval between requests to the same host.
type pace struct {
	clock Clock
	last  map[string]time.Time
}

// ready returns when the host may be asked again.
func (p *pace) ready(host string, interval time.Duration) time.Time {
	if last, asked := p.last[host]; asked {
		return last.Add(interval)
	}
	return time.Time{}
}

// ask waits until the host may be asked, and records the request.
func (p *pace) ask(ctx context.Context, host string, interval time.Duration) error {
	for ready := p.ready(host, interval); p.clock.Now().Before(ready); {
		if err := p.clock.Wait(ctx, ready); err != nil {
			return err
		}
	}
	p.last[host] = p.clock.Now()
	return nil
}
