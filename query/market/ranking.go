package market

import (
	"cmp"
	"context"
	"math"
	"slices"

	"cuota/internal/httpapi"
	"cuota/model"
	"cuota/query/operation"
	"cuota/query/past"
)

// ScreenerRanking is the screener sorted by the returns of 1, 3 or 5 years, either our own or those that the regulator
// states. Both in one order would mix dates and methods. Without a source, it ranks by whose returns more of the found
// series have: our own if at least half of the series with any return have one (as RULES 7 asks half of a family), else
// those of the regulator.
var ScreenerRanking = operation.Endpoint[RankingParams, Ranked]{
	Path: "/pages/screener/ranking", ForPages: true,
	Need: Screener.Need, Check: checkRanking, Find: findRanking,
	Parts: append(slices.Clone(Screener.Parts), past.StatedReturnsPart),
}

// RankingParams are those of the screener, and whose returns count.
type RankingParams struct {
	ScreenerParams
	Source string `query:"source" enum:"most,own,official" default:"first" doc:"Whose returns sort; most: as the share of series with own returns decides"`
}

// The sources of returns.
const (
	MostReturns     = "most" // whose are enough, see ScreenerRanking
	OwnReturns      = "own"
	OfficialReturns = "official"
)

// OfficialWindows are the windows of the regulator's returns, in the order of its years.
var OfficialWindows = []string{"1y", "3y_ann", "5y_ann"}

// Ranked is a page of the screener with whose returns sort it.
type Ranked = httpapi.List[Resource, RankedMeta]

// RankedMeta is the meta of a ranking. Own and Official are of how many of the found series each source has the return,
// before paging.
type RankedMeta struct {
	ScreenedMeta
	Source   string             `json:"source"`
	Own      uint64             `json:"own"`
	Official uint64             `json:"official"`
	Stated   past.StatedReturns `json:"stated"` // of the same batch as the rows
}

func checkRanking(today model.Date, params *RankingParams) []httpapi.Violation {
	wrong := checkScreener(today, &params.ScreenerParams)
	if !slices.Contains(OfficialWindows, string(params.Sort)) {
		wrong = append(wrong, operation.WrongParameter("sort", "enum", "Must be 1y, 3y_ann or 5y_ann")...)
	}
	return wrong
}

// matched are the series that pass the filters, in the order that was asked for.
type matched struct {
	rows     []*marketRow
	resource func(index int) Resource
	history  *pastMarket // nil at the cutoff
}

// matchingSeries returns all series that pass the filters, sorted as the screener sorts them.
func matchingSeries(ctx context.Context, p operation.Pinned, of ScreenerParams) (matched, error) {
	of.Limit, of.Offset = math.MaxInt32, 0
	if of.AsOf.Given {
		history, err := marketAsOf(ctx, p, of.AsOf.Date)
		if err != nil {
			return matched{}, err
		}
		positions, _ := history.page(&of, nil)
		return matched{rowsAt(history.rows, positions),
			func(i int) Resource { return history.resource(p, positions[i]) }, history}, nil
	}
	kept, rendering, err := Rendered(p)
	if err != nil {
		return matched{}, err
	}
	if kept != nil {
		positions, _ := kept.page(&of, nil)
		return matched{rowsAt(kept.Rows, positions),
			func(i int) Resource { return rendering.resource(positions[i]) }, nil}, nil
	}
	found, _, err := readMarket(ctx, p, &of, nil)
	rows := make([]*marketRow, len(found))
	for i := range found {
		rows[i] = &found[i]
	}
	return matched{rows, func(i int) Resource { return marketResource(p, found[i]) }, nil}, err
}

func rowsAt(rows []marketRow, positions []int32) []*marketRow {
	at := make([]*marketRow, len(positions))
	for i, position := range positions {
		at[i] = &rows[position]
	}
	return at
}

func findRanking(ctx context.Context, r *operation.Request[RankingParams]) (Ranked, error) {
	params := &r.Params.ScreenerParams
	byID := *params
	byID.Sort, byID.Order = "id", "asc"
	found, err := matchingSeries(ctx, r.Pinned, byID)
	if err != nil {
		return Ranked{}, err
	}
	// No comparator is later than the date (RULES 3).
	stated, err := past.StatedReturnsUpTo(ctx, r.Pinned, operation.Storable(params.AsOf.Or(operation.LastDayOfAll)))
	if err != nil {
		return Ranked{}, err
	}
	meta, either := RankedMeta{Source: r.Params.Source, Stated: stated}, uint64(0)
	window := slices.Index(model.Windows, string(params.Sort))
	years := slices.Index(OfficialWindows, string(params.Sort))
	own, official := make([]*float64, len(found.rows)), make([]*float64, len(found.rows))
	for i, row := range found.rows {
		returns, _ := stated.Of(row.SeriesID)
		own[i], official[i] = row.Returns[window], returns[years]
		if own[i] != nil {
			meta.Own++
		}
		if official[i] != nil {
			meta.Official++
		}
		if own[i] != nil || official[i] != nil {
			either++
		}
	}
	if meta.Source == MostReturns {
		if meta.Source = OwnReturns; 2*meta.Own < either {
			meta.Source = OfficialReturns
		}
	}
	by := own
	if meta.Source == OfficialReturns {
		by = official
	}
	ranked := rank(by, params.Order == "desc")
	from := min(params.Offset, int64(len(ranked)))
	page := ranked[from:min(from+params.Limit, int64(len(ranked)))]
	data, kinds := make([]Resource, len(page)), make(operation.TACKinds, len(page))
	for i, index := range page {
		data[i], kinds[i] = found.resource(index), found.rows[index].tacKind()
	}
	asked := &operation.Request[ScreenerParams]{Call: r.Call, Pinned: r.Pinned, Params: params}
	of := screened(asked, data, kinds, uint64(len(ranked)), found.history)
	meta.ScreenedMeta = of.Meta
	return Ranked{Data: of.Data, Meta: meta, Listing: of.Listing, Select: of.Select}, nil
}

// rank returns the indexes of values in their order. Those of missing values come last in both orders, and equal values
// keep their order.
func rank(values []*float64, descending bool) []int {
	indexes := make([]int, len(values))
	for i := range indexes {
		indexes[i] = i
	}
	slices.SortStableFunc(indexes, func(a, b int) int {
		switch x, y := values[a], values[b]; {
		case x == nil && y == nil:
			return 0
		case x == nil:
			return 1
		case y == nil:
			return -1
		case descending:
			return cmp.Compare(*y, *x)
		default:
			return cmp.Compare(*x, *y)
		}
	})
	return indexes
}
