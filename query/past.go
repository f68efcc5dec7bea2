package query

import (
	"cmp"
	"context"
	"slices"
	"unsafe"

	"cuota/model"
	"cuota/query/batch"
	"cuota/query/operation"

	"golang.org/x/sync/errgroup"
)

// past is what every past date of a batch is put together from: the days of the batch, the series that are alive at
// the cutoff, and the histories of costs, risk and ratings. The rows of a day are read when the day is requested.
type past struct {
	history
	listed    []listedSeries              // in the order of all-funds
	ascending []int32                     // positions in listed, by id of the series
	positions map[uint32]int32            // in listed, by id of the series
	series    map[uint32]registeredSeries // every series of mutual funds that ever was
	ratings   map[uint32][]datedRating    // by series, in order of their days
	costs     map[uint32][]costInForce    // the same
	risks     map[uint32][]riskAt         // the same
	bytes     int                         // roughly
}

// pastBytes limits what is kept of past dates of all batches. The windows of a day of 3,000 series take about 0.7 MB, its rows
// 0.4 MB, its market with indices for the screener 7 MB, and its summary 30 kB.
const pastBytes = 192 << 20

// pastPart keeps the past of the current batch in memory.
var pastPart = batch.NewOptionalPart("past", func(ctx context.Context, s batch.Source) (*past, int, error) {
	of, err := cachedPast(ctx, operation.PinnedBy(s))
	if err != nil {
		return nil, 0, err
	}
	return of, of.bytes, nil
})

// pasts are the pasts of batches, under the zero date.
var pasts = batch.NewCached("past", func(of *past) int { return of.bytes })

// pastOf returns the past of a batch, current or not. It reads it if it is not in memory.
func pastOf(ctx context.Context, p operation.Pinned) (*past, error) {
	if of, there := pastPart.Of(p.Batch); there {
		return of, nil
	}
	return cachedPast(ctx, p)
}

// cachedPast returns the past of a batch from the cache, and reads it into the cache if it is not there.
func cachedPast(ctx context.Context, p operation.Pinned) (*past, error) {
	return dated(ctx, p, pasts, model.Date{}, func(ctx context.Context) (*past, error) { return readPast(ctx, p) })
}

// knownPast returns the past of a batch if it is in memory.
func knownPast(p operation.Pinned) (*past, bool) {
	if of, there := pastPart.Of(p.Batch); there {
		return of, true
	}
	return pasts.Known(p.Cache, p.Batch, model.Date{})
}

// dated returns a value of a date of the batch that was read before, or reads it. It is kept, unless the batch was dropped or
// found damaged meanwhile.
func dated[T any](ctx context.Context, p operation.Pinned, kind batch.Cached[T], date model.Date, read func(context.Context) (T, error)) (T, error) {
	return kind.Get(ctx, p.Cache, p.Batch, date, func(ctx context.Context) (T, error) {
		value, err := read(ctx)
		if err == nil {
			err = p.CheckReadable(ctx)
		}
		return value, err
	})
}

// readPast reads the past of a batch, two statements at a time, because ClickHouse plans a statement on one processor.
func readPast(ctx context.Context, p operation.Pinned) (*past, error) {
	of := &past{}
	var sizes [6]int
	reading, ctx := errgroup.WithContext(ctx)
	reading.SetLimit(2)
	for i, read := range []func() (int, error){
		func() (size int, err error) { of.history, size, err = readDaysOfBatch(ctx, p); return },
		func() (size int, err error) { of.costs, size, err = readCosts(ctx, p); return },
		func() (size int, err error) { of.risks, size, err = readRisks(ctx, p); return },
		func() (size int, err error) { of.ratings, size, err = readRatings(ctx, p); return },
		func() (size int, err error) { of.series, size, err = readRegistered(ctx, p); return },
		func() (size int, err error) { of.listed, size, err = readListed(ctx, p); return },
	} {
		reading.Go(func() (err error) {
			sizes[i], err = read()
			return err
		})
	}
	if err := reading.Wait(); err != nil {
		return nil, err
	}
	of.positions, of.ascending = make(map[uint32]int32, len(of.listed)), make([]int32, len(of.listed))
	for i := range of.listed {
		of.positions[of.listed[i].SeriesID], of.ascending[i] = int32(i), int32(i)
	}
	slices.SortFunc(of.ascending, func(a, b int32) int { return cmp.Compare(of.listed[a].SeriesID, of.listed[b].SeriesID) })
	of.bytes = int(unsafe.Sizeof(past{})) + len(of.listed)*16
	for _, size := range sizes {
		of.bytes += size
	}
	return of, nil
}
