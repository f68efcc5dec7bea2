package query

import (
	"context"
	"fmt"
	"math"

	"github.com/maypok86/otter/v2"

	"cuota/model"
)

// dayCache keeps in memory what was read of past dates of one batch. If it is full, it drops
// the dates that are used least.
type dayCache[T any] struct {
	days *otter.Cache[model.Date, T]
}

// newDayCache makes a cache for at most limit bytes. size estimates the bytes of one date.
func newDayCache[T any](limit uint64, size func(T) uint64) (dayCache[T], error) {
	days, err := otter.New(&otter.Options[model.Date, T]{
		MaximumWeight: limit,
		Weigher:       func(_ model.Date, day T) uint32 { return uint32(min(size(day), math.MaxUint32)) },
	})
	if err != nil {
		return dayCache[T]{}, fmt.Errorf("create the cache of past dates: %w", err)
	}
	return dayCache[T]{days}, nil
}

// known returns what was read of a date before, and false if nothing is kept of it.
func (c dayCache[T]) known(date model.Date) (T, bool) { return c.days.GetIfPresent(date) }

// keep adds what was read of a date.
func (c dayCache[T]) keep(date model.Date, day T) { c.days.Set(date, day) }

// get returns what was read of a date before, or reads it. Requests for a date that is being
// read wait for it.
func (c dayCache[T]) get(ctx context.Context, p pinned, date model.Date, read func(context.Context, model.Date) (T, error)) (T, error) {
	return c.days.Get(ctx, date, otter.LoaderFunc[model.Date, T](func(ctx context.Context, date model.Date) (T, error) {
		day, err := read(ctx, date)
		if err == nil {
			// A day of a batch that was dropped or damaged meanwhile must not be kept.
			err = p.checkReadable(ctx)
		}
		return day, err
	}))
}
