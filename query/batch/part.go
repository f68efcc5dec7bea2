package batch

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"cuota/model"
	"cuota/sql"
)

// Source is what a part is read from.
type Source struct {
	Reader sql.Reader
	Batch  *Batch
	Today  model.Date
	Cache  *Cache
}

// Part is one thing that is read from each new batch and kept in memory while the batch is
// current, such as the rows of the screener. It is the same for all requests.
type Part[T any] struct {
	name     string
	read     func(context.Context, Source) (value T, bytes int, err error)
	optional bool
}

// NewPart makes a part. read reads it from a batch that has a cutoff, and also returns its
// size in bytes, roughly, which counts against the limit of memory and is logged under name.
func NewPart[T any](name string, read func(context.Context, Source) (value T, bytes int, err error)) *Part[T] {
	return &Part[T]{name: name, read: read}
}

// NewOptionalPart makes a part without which the others are kept in memory: while it can't be read, or
// if it would exceed the limit of memory, Of returns false and ClickHouse answers what needs it.
func NewOptionalPart[T any](name string, read func(context.Context, Source) (value T, bytes int, err error)) *Part[T] {
	return &Part[T]{name: name, read: read, optional: true}
}

// Of returns the part of a batch, and false if the batch is not in memory.
func (p *Part[T]) Of(b *Batch) (T, bool) {
	value, there := b.parts[p].(T)
	return value, there
}

// Loader is a Part of any type.
type Loader interface {
	load(ctx context.Context, s Source) (value any, bytes int, err error)
	label() string
	isOptional() bool
}

func (p *Part[T]) load(ctx context.Context, s Source) (any, int, error) { return p.read(ctx, s) }
func (p *Part[T]) label() string                                        { return p.name }
func (p *Part[T]) isOptional() bool                                     { return p.optional }

// partsAtOnce is how many parts are read side by side. ClickHouse plans a statement on one processor, and
// planning takes most of its time.
const partsAtOnce = 2

// readPart is what reading a part gave.
type readPart struct {
	value any
	bytes int
	err   error
}

// read reads parts side by side. The results have the order of the parts.
func (f *Follower) read(ctx context.Context, b *Batch, parts []Loader) []readPart {
	source := Source{f.Reader(b), b, f.config.Today(), f.config.Cache}
	read := make([]readPart, len(parts))
	var reading sync.WaitGroup
	for i, part := range parts {
		reading.Go(func() { read[i].value, read[i].bytes, read[i].err = part.load(ctx, source) })
	}
	reading.Wait()
	return read
}

// load reads all parts of a batch, the optional ones last. It returns nil if the batch has no cutoff, is
// damaged, or would exceed the limit of memory without optional parts: ClickHouse answers then. If only
// optional parts can't be read, it returns the others with the error.
func (f *Follower) load(ctx context.Context, b *Batch) (map[Loader]any, error) {
	if b.AsOf == nil || b.Damaged {
		return nil, nil
	}
	began, total := time.Now(), 0
	event := f.log.Info().Uint64("batch", b.Number).Uint32("series", b.SeriesCount)
	parts := make(map[Loader]any, len(f.parts))
	var unread error // of optional parts
	var left []string
	ordered := inOrder(f.parts)
	var ahead []readPart
	for i, part := range ordered {
		if len(ahead) == 0 {
			ahead = f.read(ctx, b, ordered[i:min(i+partsAtOnce, len(ordered))])
		}
		value, bytes, err := ahead[0].value, ahead[0].bytes, ahead[0].err
		ahead = ahead[1:]
		switch {
		case err != nil && part.isOptional() && ctx.Err() == nil:
			unread = errors.Join(unread, fmt.Errorf("read %s of batch %d: %w", part.label(), b.Number, err))
			left = append(left, part.label())
			continue
		case err != nil:
			return nil, fmt.Errorf("read %s of batch %d: %w", part.label(), b.Number, err)
		case total+bytes > f.config.MaxBytes && part.isOptional():
			f.log.Warn().Str("part", part.label()).Int("bytes", bytes).Int("with_the_others",
				total+bytes).Int("allowed", f.config.MaxBytes).
				Msg("the snapshot has no room for a part of the published batch; ClickHouse answers what needs it")
			left = append(left, part.label())
			continue
		}
		parts[part] = value
		event.Int(part.label()+"_bytes", bytes)
		if total += bytes; total > f.config.MaxBytes {
			f.log.Warn().Int("bytes", total).Int("allowed", f.config.MaxBytes).
				Msg("the published batch exceeds the memory limit of the snapshot; every request is answered by " +
					"ClickHouse")
			return nil, nil
		}
	}
	if err := CheckReadable(ctx, f.reader, b); err != nil {
		return nil, err
	}
	// Reading and encoding leave several times as much garbage. It is returned to the
	// operating system now, because batches come only a few times a day.
	debug.FreeOSMemory()
	event.Int("bytes", total).Strs("without", left).Dur("took_ms",
		time.Since(began)).Msg("the published batch is in memory")
	return parts, unread
}

// inOrder returns the parts with the optional ones last.
func inOrder(parts []Loader) []Loader {
	return slices.SortedStableFunc(slices.Values(parts), func(a, b Loader) int {
		switch {
		case a.isOptional() == b.isOptional():
			return 0
		case b.isOptional():
			return -1
		}
		return 1
	})
}
