package summary

import (
	"cmp"
	"context"
	"slices"
	"time"
	"unsafe"

	"cuota/model"
	"cuota/query/batch"
	"cuota/query/operation"
	"cuota/query/past"
	"cuota/sql"
)

// OfficialReturnsOfFamilies answers with the mean of the returns that the regulator states of each family's series.
// Without a date it takes the newest comparator, which may be later than the cutoff; with a date the newest one up to
// that date.
var OfficialReturnsOfFamilies = operation.Endpoint[past.MarketDayParams, OfficialReturns]{
	Path: "/pages/official-returns", ForPages: true,
	Find: func(ctx context.Context, r *operation.Request[past.MarketDayParams]) (OfficialReturns, error) {
		day, err := past.AnsweringDay(ctx, r.Pinned, r.Params.Date)
		if err != nil {
			return OfficialReturns{}, err
		}
		return officialReturnsOf(ctx, r.Pinned, day, comparatorsUpTo(r))
	},
	Known: func(r *operation.Request[past.MarketDayParams]) (OfficialReturns, bool, error) {
		if !past.AtCutoff(r.Batch, r.Params.Date) {
			return OfficialReturns{}, false, nil
		}
		known, there := officialReturnsPart.Of(r.Batch)
		if !there || !isNewestFor(r, known.Date) {
			return OfficialReturns{}, false, nil
		}
		return known, true, nil
	},
	Parts: []batch.Loader{officialReturnsPart, past.Part},
}

// officialReturnsPart keeps the returns at the cutoff in memory, by the newest comparator.
var officialReturnsPart = batch.NewOptionalPart("official_returns",
	func(ctx context.Context, s batch.Source) (OfficialReturns, int, error) {
		out, err := officialReturnsOf(ctx, operation.PinnedBy(s), past.CutoffOf(s.Batch), operation.LastDayOfAll)
		return out, len(out.Families) * 2 * int(unsafe.Sizeof(OfficialFamily{})), err // about half is behind pointers
	})

// OfficialReturns are the families of a day. Date is that of the newest comparator; it is nil if no series of a
// family is in a comparator.
type OfficialReturns struct {
	Date     *model.Date      `json:"date"`
	Families []OfficialFamily `json:"families"`
}

// Of returns the returns of a family; without values if it has none.
func (o OfficialReturns) Of(family string) [3]OfficialReturn {
	for _, f := range o.Families {
		if f.Family == family {
			return f.Returns
		}
	}
	return [3]OfficialReturn{}
}

// OfficialFamily is a family with its returns of 1, 3 and 5 years.
type OfficialFamily struct {
	Family  string            `json:"family"`
	Returns [3]OfficialReturn `json:"returns"`
}

// OfficialReturn is a mean return in pesos, a fraction, per year where it is of several years.
type OfficialReturn struct {
	Value    *float64       `json:"value"`
	Coverage FigureCoverage `json:"coverage"`
}

// OfficialReturnsOfSeries answers with the returns that the regulator states of each series, of the comparators of
// OfficialReturnsOfFamilies.
var OfficialReturnsOfSeries = operation.Endpoint[past.MarketDayParams, StatedReturns]{
	Path: "/pages/official-returns/series", ForPages: true,
	Find: func(ctx context.Context, r *operation.Request[past.MarketDayParams]) (StatedReturns, error) {
		until := comparatorsUpTo(r)
		kept, there := statedReturnsPart.Of(r.Batch)
		if !there {
			return statedReturns(ctx, r.Pinned, until)
		}
		comparator, stated := kept.comparatorAt(until)
		if !stated {
			return StatedReturns{}, nil
		}
		return past.Dated(ctx, r.Pinned, datedReturns, comparator, func(ctx context.Context) (StatedReturns, error) {
			return statedReturns(ctx, r.Pinned, comparator)
		})
	},
	Known: func(r *operation.Request[past.MarketDayParams]) (StatedReturns, bool, error) {
		kept, there := statedReturnsPart.Of(r.Batch)
		if !there || !isNewestFor(r, kept.newest.Date) {
			return StatedReturns{}, false, nil
		}
		return kept.newest, true, nil
	},
	Parts: []batch.Loader{statedReturnsPart},
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

// statedReturnsPart keeps the returns of the newest comparator in memory.
var statedReturnsPart = batch.NewOptionalPart("series_official_returns",
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

// comparatorsUpTo is the last day of the comparators that count for a request: none is later than its date, and without
// a date any counts (RULES 3).
func comparatorsUpTo(r *operation.Request[past.MarketDayParams]) model.Date {
	return operation.Storable(r.Params.Date.Or(operation.LastDayOfAll))
}

// isNewestFor reports whether the newest comparator of the batch, which is of this date, is the one that counts for a
// request. Where the date is nil, an older one may.
func isNewestFor(r *operation.Request[past.MarketDayParams], newest *model.Date) bool {
	return !r.Params.Date.Given || newest != nil && newest.Compare(comparatorsUpTo(r)) <= 0
}

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

func officialReturnsOf(ctx context.Context, p operation.Pinned, day past.MarketDay,
	knownBy model.Date) (OfficialReturns, error) {
	out := OfficialReturns{Families: []OfficialFamily{}}
	if day.Date == nil {
		return out, nil
	}
	type row struct {
		Family     string     `ch:"family"`
		Comparator time.Time  `ch:"comparator"`
		OfSeries   uint64     `ch:"of_series"`
		Returns    []*float64 `ch:"returns"`
		Series     []uint64   `ch:"series"`
		Shares     []*float64 `ch:"shares"`
	}
	found, err := operation.Rows[row](ctx, p, "family_official_returns", sql.Arg("date", day.Date.String()),
		sql.Arg("as_of", knownBy.String()))
	for _, f := range found {
		family := OfficialFamily{Family: f.Family}
		for i := range family.Returns {
			value := f.Returns[i]
			family.Returns[i] = OfficialReturn{value, coverageOf(value, f.Series[i], f.OfSeries, f.Shares[i])}
		}
		out.Families = append(out.Families, family)
		if on := model.DateOf(f.Comparator); f.Comparator.Unix() > 0 && (out.Date == nil || on.Compare(*out.Date) > 0) {
			out.Date = &on
		}
	}
	return out, err
}
