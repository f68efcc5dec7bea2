package past

import (
	"cmp"
	"context"
	"slices"
	"time"
	"unsafe"

	"cuota/model"
	"cuota/query/batch"
	"cuota/query/operation"
	"cuota/sql"
)

// StatedReturns are the series of the newest comparator, by id. Date is nil if there is no comparator.
type StatedReturns struct {
	Date   *model.Date     `json:"date"`
	Series []SeriesReturns `json:"series"`
}

// SeriesReturns are the nominal returns of a series over 1, 3 and 5 years, in pesos: fractions, per year where they are
// of several years, and nil if the comparator states none.
type SeriesReturns struct {
	ID      uint32      `json:"id"`
	Returns [3]*float64 `json:"returns"`
}

// Of returns the returns of a series, and false if the comparator does not have it.
func (s StatedReturns) Of(id uint32) (returns [3]*float64, there bool) {
	i, there := slices.BinarySearchFunc(s.Series, id, func(of SeriesReturns, id uint32) int {
		return cmp.Compare(of.ID, id)
	})
	if there {
		returns = s.Series[i].Returns
	}
	return returns, there
}

// StatedReturnsUpTo returns what the newest comparator up to a day states, from memory if it is there.
func StatedReturnsUpTo(ctx context.Context, p operation.Pinned, until model.Date) (StatedReturns, error) {
	kept, there := StatedReturnsPart.Of(p.Batch)
	if !there {
		return statedReturns(ctx, p, until)
	}
	comparator, stated := kept.comparatorAt(until)
	switch {
	case !stated:
		return StatedReturns{}, nil
	case kept.newest.Date != nil && comparator == *kept.newest.Date:
		return kept.newest, nil
	}
	return Dated(ctx, p, datedReturns, comparator, func(ctx context.Context) (StatedReturns, error) {
		return statedReturns(ctx, p, comparator)
	})
}

// NewestStatedReturns returns what the newest comparator of the batch states, and false if it is not in memory.
func NewestStatedReturns(p operation.Pinned) (StatedReturns, bool) {
	kept, there := StatedReturnsPart.Of(p.Batch)
	return kept.newest, there
}

func statedReturns(ctx context.Context, p operation.Pinned, until model.Date) (StatedReturns, error) {
	found, err := operation.Rows[struct {
		ID         uint32     `ch:"series_id"`
		Comparator time.Time  `ch:"comparator"`
		Returns    []*float64 `ch:"returns"`
	}](ctx, p, "series_official_returns", sql.Arg("as_of", until.String()))
	out := StatedReturns{Series: make([]SeriesReturns, len(found))}
	for i, of := range found {
		out.Series[i] = SeriesReturns{ID: of.ID, Returns: [3]*float64(of.Returns)}
		on := model.DateOf(of.Comparator) // that of all
		out.Date = &on
	}
	return out, err
}

// keptReturns are the returns of the newest comparator, and the dates of all comparators in ascending order.
type keptReturns struct {
	newest StatedReturns
	dates  []model.Date
}

// comparatorAt returns the date of the newest comparator up to a day, and false if there is none.
func (k keptReturns) comparatorAt(day model.Date) (model.Date, bool) {
	later, exact := slices.BinarySearchFunc(k.dates, day, model.Date.Compare)
	if exact {
		return day, true
	}
	if later == 0 {
		return model.Date{}, false
	}
	return k.dates[later-1], true
}

// StatedReturnsPart keeps the returns of the newest comparator in memory.
var StatedReturnsPart = batch.NewOptionalPart("series_official_returns",
	func(ctx context.Context, s batch.Source) (kept keptReturns, size int, err error) {
		p := operation.PinnedBy(s)
		if kept.newest, err = statedReturns(ctx, p, operation.LastDayOfAll); err != nil {
			return kept, 0, err
		}
		dates, err := operation.Rows[struct {
			Date time.Time `ch:"date"`
		}](ctx, p, "comparator_dates")
		for _, row := range dates {
			kept.dates = append(kept.dates, model.DateOf(row.Date))
		}
		return kept, kept.newest.bytes(), err
	})

// datedReturns are the returns of an older comparator that somebody asked for, by the comparator's date.
var datedReturns = batch.NewCached("stated_returns", StatedReturns.bytes)

// bytes is roughly how much memory the returns take: about half is behind pointers.
func (s StatedReturns) bytes() int { return 200 + len(s.Series)*2*int(unsafe.Sizeof(SeriesReturns{})) }
