// Package bounded keeps values in memory up to a limit: replies of the API, what requests have read of past dates, and
// what a backtest has read. It is otter, a kept library, behind functions that take any key and any value.
//
// The compiler makes all of a generic type anew for each pair of key and value, in every package that sees it. Otter
// has about 900 functions, and ten pairs in twelve packages were a tenth of the time of a first build. So there is one
// pair here, and it is not part of any other package's types.
package bounded

import (
	"context"
	"math"

	"github.com/maypok86/otter/v2"
)

// Cache keeps values by key. If it is full, it drops what is used least. All its methods may be called side by side.
type Cache[K comparable, V any] struct {
	kept store
}

// store hides the library from packages that have a Cache in a struct.
type store interface {
	GetIfPresent(key any) (any, bool)
	Set(key, value any) (any, bool)
	SetIfAbsent(key, value any) (any, bool)
	Invalidate(key any) (any, bool)
	get(ctx context.Context, key any, read func(context.Context) (any, error)) (any, error)
	WeightedSize() uint64
}

// OfBytes makes a cache for at most so many bytes, more than 0. size returns how many a value takes with its key,
// roughly.
func OfBytes[K comparable, V any](most uint64, size func(K, V) int) Cache[K, V] {
	return Cache[K, V]{ofBytes(most, func(key, value any) int { return size(key.(K), value.(V)) })}
}

// OfEntries makes a cache for at most so many values, more than 0.
func OfEntries[K comparable, V any](most int) Cache[K, V] { return Cache[K, V]{ofEntries(most)} }

// ofBytes and ofEntries have no types of their callers, so that the library is compiled here alone.
func ofBytes(most uint64, size func(key, value any) int) store {
	if most == 0 {
		panic("bounded: a cache without a bound")
	}
	return library{otter.Must(&otter.Options[any, any]{
		MaximumWeight: most,
		Weigher:       func(key, value any) uint32 { return uint32(min(size(key, value), math.MaxUint32)) },
	})}
}

func ofEntries(most int) store {
	if most <= 0 {
		panic("bounded: a cache without a bound")
	}

	return library{otter.Must(&otter.Options[any, any]{MaximumSize: most})}
}

// library is a cache of otter as a store.
type library struct{ *otter.Cache[any, any] }

func (l library) get(ctx context.Context, key any, read func(context.Context) (any, error)) (any, error) {
	load := func(ctx context.Context, _ any) (any, error) { return read(ctx) }
	return l.Get(ctx, key, otter.LoaderFunc[any, any](load))
}

// Known returns the value of a key, and false if it is not kept.
func (c Cache[K, V]) Known(key K) (value V, there bool) {
	if kept, there := c.kept.GetIfPresent(key); there {
		return kept.(V), true
	}
	return value, false
}

// Keep adds a value. It returns false if one was kept already, which it replaces.
func (c Cache[K, V]) Keep(key K, value V) (first bool) {
	_, first = c.kept.Set(key, value)
	return first
}

// KeepFirst adds a value if none is kept for its key. It returns the one that is kept then.
func (c Cache[K, V]) KeepFirst(key K, value V) V {
	kept, _ := c.kept.SetIfAbsent(key, value)
	return kept.(V)
}

// Drop forgets the value of a key.
func (c Cache[K, V]) Drop(key K) { c.kept.Invalidate(key) }

// Get returns the value of a key, which it reads if it is not kept. Callers for a value that is being read wait for it.
// If the caller that reads it gives up, one of the others reads it. An error is not kept.
func (c Cache[K, V]) Get(ctx context.Context, key K, read func(context.Context) (V, error)) (value V, err error) {
	kept, err := c.kept.get(ctx, key, func(ctx context.Context) (any, error) { return read(ctx) })
	if err != nil {
		return value, err
	}
	return kept.(V), nil
}

// Size returns how many bytes all values take, if the cache has a limit of bytes.
func (c Cache[K, V]) Size() uint64 { return c.kept.WeightedSize() }
