package batch

import (
	"context"

	"cuota/internal/bounded"
	"cuota/model"
)

// Cache keeps what requests have read of batches besides the parts that are kept in memory, as the rows of
// a past date. It counts bytes. If it is full, it drops what is used least. Values of whole batches, which are under
// the zero date, have three eighths of the limit to themselves, because they are large, and values of dates are read
// with their help.
type Cache struct {
	dates, whole bounded.Cache[cacheKey, cached]
}

type cacheKey struct {
	batch string // its id
	kind  string
	date  model.Date
}

type cached struct {
	value any
	bytes int
}

// NewCache makes a cache for at most limit bytes.
func NewCache(limit uint64) *Cache {
	size := func(_ cacheKey, of cached) int { return of.bytes }
	return &Cache{dates: bounded.OfBytes(limit/8*5, size), whole: bounded.OfBytes(limit/8*3, size)}
}

// of returns where the values of a date are.
func (c *Cache) of(date model.Date) bounded.Cache[cacheKey, cached] {
	if date.IsZero() {
		return c.whole
	}
	return c.dates
}

// Cached is one kind of values in a Cache, at most one for each date of a batch.
type Cached[T any] struct {
	name string
	size func(T) int // bytes, roughly
}

// NewCached makes a kind of values. No other kind may have its name.
func NewCached[T any](name string, size func(T) int) Cached[T] { return Cached[T]{name, size} }

func (of Cached[T]) key(b *Batch, date model.Date) cacheKey { return cacheKey{b.ID, of.name, date} }

// Known returns the value of a date, and false if it is not kept.
func (of Cached[T]) Known(c *Cache, b *Batch, date model.Date) (value T, there bool) {
	kept, there := c.of(date).Known(of.key(b, date))
	if !there {
		return value, false
	}
	return kept.value.(T), true
}

// Keep adds the value of a date. It returns false if one was kept already, which it replaces.
func (of Cached[T]) Keep(c *Cache, b *Batch, date model.Date, value T) (first bool) {
	return c.of(date).Keep(of.key(b, date), cached{value, of.size(value)})
}

// Get returns the value of a date, which it reads if it is not kept. Requests for a value that is being read wait
// for it. If the request that reads it is given up, one of the others reads it.
func (of Cached[T]) Get(ctx context.Context, c *Cache, b *Batch, date model.Date,
	read func(context.Context) (T, error)) (value T, err error) {
	kept, err := c.of(date).Get(ctx, of.key(b, date), func(ctx context.Context) (cached, error) {
		value, err := read(ctx)
		if err != nil {
			return cached{}, err
		}
		return cached{value, of.size(value)}, nil
	})
	if err != nil {
		return value, err
	}
	return kept.value.(T), nil
}
