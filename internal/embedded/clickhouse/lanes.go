package clickhouse

import (
	"context"
	"sync/atomic"
	"time"
)

// lane admits a bounded number of requests of one kind to the engine. Each
// kind has its own, so that neither people nor the building of projections
// ever keeps a quick read of the product waiting for a place.
type lane struct {
	places  chan struct{}
	waiting atomic.Int64
	// maxWaiting and maxWait bound the queue; 0 means that only the request's
	// own context does.
	maxWaiting int64
	maxWait    time.Duration
}

// lanes are sized for the engine, not for the callers: more statements at once
// than a few per core only wait for each other.
type lanes struct {
	quick  *lane // the owner's reads and definitions
	write  *lane // the owner's inserts of data
	long   *lane // the owner's statements that compute for long
	people *lane
}

const (
	quickPlaces  = 4
	writePlaces  = 2
	longPlaces   = 2
	peoplePlaces = 2

	maxPeopleWaiting = 32
	maxPeopleWait    = 10 * time.Second
)

func newLanes() lanes {
	return lanes{
		quick:  &lane{places: make(chan struct{}, quickPlaces)},
		write:  &lane{places: make(chan struct{}, writePlaces)},
		long:   &lane{places: make(chan struct{}, longPlaces)},
		people: &lane{places: make(chan struct{}, peoplePlaces), maxWaiting: maxPeopleWaiting, maxWait: maxPeopleWait},
	}
}

// enter waits for a place and answers the function that gives it back.
func (l *lane) enter(ctx context.Context) (leave func(), err error) {
	leave = func() { <-l.places }
	select {
	case l.places <- struct{}{}:
		return leave, nil
	default:
	}
	if l.waiting.Add(1) > l.maxWaiting && l.maxWaiting > 0 {
		l.waiting.Add(-1)
		return nil, newException(codeTooManyQueries, "Too many queries wait already; try again later")
	}
	defer l.waiting.Add(-1)
	if l.maxWait > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, l.maxWait,
			newException(codeTooManyQueries, "Other queries took all the time this one could wait; try again later"))
		defer cancel()
	}
	select {
	case l.places <- struct{}{}:
		return leave, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}
