package past

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

// Past is what every past date of a batch is put together from: the days of the batch, the series that are alive at
// the cutoff, and the histories of costs, risk, ratings and eligibility. The rows of a day are read when the day is
// requested.
type Past struct {
	history
	Listed    []ListedSeries              // in the order of all-funds
	Ascending []int32                     // positions in listed, by id of the series
	Positions map[uint32]int32            // in listed, by id of the series
	Series    map[uint32]registeredSeries // every series of mutual funds that ever was
	ratings   map[uint32][]datedRating    // by series, in order of their days
	Costs     map[uint32][]costInForce    // the same
	risks     map[uint32][]riskAt         // the same
	eligible  map[uint32][]eligibleFrom   // the same
	bytes     int                         // roughly
}

// CacheBytes limits what is kept of past dates of all batches. Of 3,000 series and ten years, the past of a batch
// takes 36 MB; the windows of a day about 0.7 MB, its rows 0.4 MB, its market with indices for the screener 7 MB, and
// its summary 30 kB.
const CacheBytes = 256 << 20

// Part keeps the past of the current batch in memory.
var Part = batch.NewOptionalPart("past", func(ctx context.Context, s batch.Source) (*Past, int, error) {
	of, err := cachedPast(ctx, operation.PinnedBy(s))
	if err != nil {
		return nil, 0, err
	}
	return of, of.bytes, nil
})

// pasts are the pasts of batches, under the zero date.
var pasts = batch.NewCached("past", func(of *Past) int { return of.bytes })

// Of returns the past of a batch, current or not. It reads it if it is not in memory.
func Of(ctx context.Context, p operation.Pinned) (*Past, error) {
	if of, there := Part.Of(p.Batch); there {
		return of, nil
	}
	return cachedPast(ctx, p)
}

// cachedPast returns the past of a batch from the cache, and reads it into the cache if it is not there.
func cachedPast(ctx context.Context, p operation.Pinned) (*Past, error) {
	return Dated(ctx, p, pasts, model.Date{}, func(ctx context.Context) (*Past, error) { return readPast(ctx, p) })
}

// Known returns the past of a batch if it is in memory.
func Known(p operation.Pinned) (*Past, bool) {
	if of, there := Part.Of(p.Batch); there {
		return of, true
	}
	return pasts.Known(p.Cache, p.Batch, model.Date{})
}

// Dated returns a value of a date of the batch that was read before, or reads it. It is kept, unless the batch was
// dropped or found damaged meanwhile.
func Dated[T any](ctx context.Context, p operation.Pinned, kind batch.Cached[T], date model.Date,
	read func(context.Context) (T, error)) (T, error) {
	return kind.Get(ctx, p.Cache, p.Batch, date, func(ctx context.Context) (T, error) {
		value, err := read(ctx)
		if err == nil {
			err = p.CheckReadable(ctx)
		}
		return value, err
	})
}

// readPast reads the past of a batch, two statements at a time, because ClickHouse plans a statement on one processor.
func readPast(ctx context.Context, p operation.Pinned) (*Past, error) {
	of := &Past{}
	var sizes [7]int
	reading, ctx := errgroup.WithContext(ctx)
	reading.SetLimit(2)
	for i, read := range []func() (int, error){
		func() (size int, err error) { of.history, size, err = readDaysOfBatch(ctx, p); return },
		func() (size int, err error) { of.Costs, size, err = readCosts(ctx, p); return },
		func() (size int, err error) { of.risks, size, err = readRisks(ctx, p); return },
		func() (size int, err error) { of.ratings, size, err = readRatings(ctx, p); return },
		func() (size int, err error) { of.eligible, size, err = readEligibility(ctx, p); return },
		func() (size int, err error) { of.Series, size, err = readRegistered(ctx, p); return },
		func() (size int, err error) { of.Listed, size, err = readListed(ctx, p); return },
	} {
		reading.Go(func() (err error) {
			sizes[i], err = read()
			return err
		})
	}
	if err := reading.Wait(); err != nil {
		return nil, err
	}
	of.Positions, of.Ascending = make(map[uint32]int32, len(of.Listed)), make([]int32, len(of.Listed))
	for i := range of.Listed {
		of.Positions[of.Listed[i].SeriesID], of.Ascending[i] = int32(i), int32(i)
	}
	slices.SortFunc(of.Ascending, func(a, b int32) int {
		return cmp.Compare(of.Listed[a].SeriesID, of.Listed[b].SeriesID)
	})
	of.bytes = int(unsafe.Sizeof(Past{})) + len(of.Listed)*16
	for _, size := range sizes {
		of.bytes += size
	}
	return of, nil
}
