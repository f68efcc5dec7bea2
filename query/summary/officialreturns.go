package summary

import (
	"context"
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

// StatedReturns are the returns of all series in a comparator, under the name by which pages know them.
type StatedReturns = past.StatedReturns

// OfficialReturnsOfSeries answers with the returns that the regulator states of each series, of the comparators of
// OfficialReturnsOfFamilies.
var OfficialReturnsOfSeries = operation.Endpoint[past.MarketDayParams, StatedReturns]{
	Path: "/pages/official-returns/series", ForPages: true,
	Find: func(ctx context.Context, r *operation.Request[past.MarketDayParams]) (StatedReturns, error) {
		return past.StatedReturnsUpTo(ctx, r.Pinned, comparatorsUpTo(r))
	},
	Known: func(r *operation.Request[past.MarketDayParams]) (StatedReturns, bool, error) {
		newest, there := past.NewestStatedReturns(r.Pinned)
		if !there || !isNewestFor(r, newest.Date) {
			return StatedReturns{}, false, nil
		}
		return newest, true, nil
	},
	Parts: []batch.Loader{past.StatedReturnsPart},
}

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
