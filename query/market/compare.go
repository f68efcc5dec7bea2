package market

import (
	"context"
	"fmt"
	"strings"

	"cuota/internal/httpapi"
	"cuota/model"
	"cuota/query/batch"
	"cuota/query/operation"
	"cuota/query/past"
)

// Limits of the parameter series (the interface contract, section 3): ten ids of up to ten
// digits, with commas between them.
const (
	maxCompared   = 10
	maxSeriesText = 109
)

// Compare compares one to ten series, in the requested order, at the cutoff or at a past date. Several ids of one
// renamed series give one row, under its current id, in the place of the first of them.
var Compare = operation.Endpoint[compareParams, Compared]{
	Path: "/api/compare", Need: batch.Complete,
	Check: func(today model.Date, params *compareParams) []httpapi.Violation {
		return append(operation.CheckAsOf(today, params.AsOf), params.Fields.Check(attributeNames)...)
	},
	Find: findCompared, Known: knownCompared, Table: compareTable, FromMemory: compareFromMemory,
	Parts: []batch.Loader{Part, past.Part},
}

type compareParams struct {
	Series SeriesIDs `query:"series" required:"true" example:"1161378270,2322559342" doc:"One to ten different decimal ids of series, separated by commas; leading zeros say nothing. Those not alive at the cutoff give 404. Ids of one renamed series give one row, under its current id, at the place of the first."`
	operation.AsOfParams
	operation.FieldsParams
	operation.BatchParams
	operation.KnownAtParams
	operation.FormatParams
}

// SeriesIDs are unique decimal ids, written with commas between them (RULES 4).
type SeriesIDs []uint32

// Read implements httpapi.Value.
func (ids *SeriesIDs) Read(text string) (wrong *httpapi.Violation) {
	if len(text) > maxSeriesText {
		return &httpapi.Violation{Type: "string_too_long",
			Msg: fmt.Sprintf("Must have at most %d characters", maxSeriesText)}
	}
	*ids, wrong = operation.ReadIDs(text, maxCompared)
	return wrong
}

// String implements httpapi.Value.
func (ids *SeriesIDs) String() string { return operation.IDsText(*ids) }

// Schema implements httpapi.Value.
func (SeriesIDs) Schema() httpapi.Schema {
	return httpapi.Schema{"type": "string", "minLength": 1, "maxLength": maxSeriesText,
		"pattern": operation.IDsPattern(maxCompared)}
}

func findCompared(ctx context.Context, r *operation.Request[compareParams]) (out Compared, err error) {
	if r.Params.AsOf.Given {
		history, err := marketAsOf(ctx, r.Pinned, r.Params.AsOf.Date)
		if err != nil {
			return out, err
		}
		return comparePast(r, history)
	}
	found, positions, err := readCompared(ctx, r)
	if err != nil {
		return out, err
	}
	chosen, err := choose(r.Params.Series, positions, nil)
	if err != nil {
		return out, err
	}
	data, kinds := make([]Resource, len(chosen)), make(operation.TACKinds, len(chosen))
	for i, position := range chosen {
		data[i], kinds[i] = marketResource(r.Pinned, found[position]), found[position].tacKind()
	}
	return comparedWith(r, data, kinds, nil), nil
}

// readCompared reads the series asked for at the cutoff, and their positions by every id that they
// ever had.
func readCompared(ctx context.Context, r *operation.Request[compareParams]) ([]marketRow, map[uint32]int32, error) {
	found, _, err := readMarket(ctx, r.Pinned, &ScreenerParams{Sort: "id", Order: "asc",
		Limit: int64(len(r.Params.Series))}, r.Params.Series)
	positions := make(map[uint32]int32, len(found))
	for i, row := range found {
		positions[row.SeriesID] = int32(i)
		for _, alias := range row.AliasIDs {
			positions[alias] = int32(i)
		}
	}
	return found, positions, err
}

// compareTable is compare as a table, with the columns of the screener.
func compareTable(ctx context.Context, r *operation.Request[compareParams]) (operation.Table, error) {
	if r.Params.Fields.Given() {
		return operation.Table{}, fieldsOfTable()
	}
	var history *pastMarket
	var found []marketRow
	var positions map[uint32]int32
	var err error
	if r.Params.AsOf.Given {
		if history, err = marketAsOf(ctx, r.Pinned, r.Params.AsOf.Date); err == nil {
			found, positions = history.rows, history.positions
		}
	} else {
		found, positions, err = readCompared(ctx, r)
	}
	if err != nil {
		return operation.Table{}, err
	}
	chosen, err := choose(r.Params.Series, positions, history)
	if err != nil {
		return operation.Table{}, err
	}
	series := make([]uint32, len(chosen))
	for i, position := range chosen {
		series[i] = found[position].SeriesID
	}
	if history != nil {
		return history.table(series, httpapi.Listing{Total: uint64(len(series))}), nil
	}
	args, err := marketArgs(ctx, r.Pinned, &ScreenerParams{Sort: "given", Order: "asc", Limit: maxCompared}, series)
	return operation.Table{Statement: "rows_screener", Args: args}, err
}

// choose returns the positions of the series with these ids, each once. It fails with 404 if an id
// has none.
func choose(ids []uint32, positions map[uint32]int32, history *pastMarket) (chosen []int32, err error) {
	var unknown []string
	shown := make(map[int32]bool, len(ids))
	for _, id := range ids {
		position, known := positions[id]
		switch {
		case !known:
			unknown = append(unknown, operation.IDText(id))
		case !shown[position]:
			shown[position] = true
			chosen = append(chosen, position)
		}
	}
	if len(unknown) > 0 {
		alive := "those alive at the cutoff"
		if history != nil {
			alive += " that had a quota on " + history.day.String() + " or in the seven days before"
		}
		return nil, httpapi.NotFound("Not among the series that can be compared, " + alive + ": " +
			strings.Join(unknown, ", ") + ".")
	}
	return chosen, nil
}

// comparePast is compare at a past date.
func comparePast(r *operation.Request[compareParams], history *pastMarket) (Compared, error) {
	chosen, err := choose(r.Params.Series, history.positions, history)
	if err != nil {
		return Compared{}, err
	}
	data, kinds := make([]Resource, len(chosen)), make(operation.TACKinds, len(chosen))
	for i, position := range chosen {
		data[i], kinds[i] = history.resource(r.Pinned, position), history.rows[position].tacKind()
	}
	return comparedWith(r, data, kinds, history), nil
}

// Compared is the reply of compare: the series in the order in which they were asked for.
type Compared = httpapi.List[Resource, ComparedMeta]

// ComparedMeta is the meta of compare.
type ComparedMeta struct {
	Meta
	TACKinds operation.TACKinds `json:"tac_kinds"`
	Verdicts
	Past *PastFacts `json:"past,omitempty"` // nil at the cutoff
}

// comparedWith is the reply with these rows. history is nil at the cutoff.
func comparedWith(r *operation.Request[compareParams], data []Resource, kinds operation.TACKinds,
	history *pastMarket) Compared {
	attributes := make([]*Attributes, len(data))
	for i := range data {
		attributes[i] = &data[i].Attributes
	}
	meta := ComparedMeta{marketMetaOf(r.Pinned), kinds, comparabilities(attributes), nil}
	if history != nil {
		meta.Meta, meta.Past = history.meta(r.Pinned)
	}
	compared := httpapi.ListOf(data, meta)
	if r.Params.Fields.Given() {
		compared.Select = r.Params.Fields.Item
	}
	return compared
}

// knownCompared is compare from the rows in memory. It returns false if an id is not in memory.
func knownCompared(r *operation.Request[compareParams]) (out Compared, there bool, err error) {
	if r.Params.AsOf.Given {
		history, there := knownMarketAsOf(r.Pinned, r.Params.AsOf.Date)
		if !there {
			return out, false, nil
		}
		out, err = comparePast(r, history)
		return out, err == nil, err
	}
	rendering, page, err := comparedInMemory(r)
	if page == nil || err != nil {
		return out, false, err
	}
	data, kinds := make([]Resource, len(page)), make(operation.TACKinds, len(page))
	for i, row := range page {
		data[i], kinds[i] = rendering.resource(row), rendering.tacKinds[row]
	}
	return comparedWith(r, data, kinds, nil), true, nil
}

// comparedInMemory returns the rows asked for, and nil if an id is not in memory.
func comparedInMemory(r *operation.Request[compareParams]) (*rendering, []int32, error) {
	market, rendering, err := Rendered(r.Pinned)
	if market == nil || err != nil {
		return nil, nil, err
	}
	page := make([]int32, len(r.Params.Series))
	for i, id := range r.Params.Series {
		row, there := market.Positions[id]
		if !there {
			return nil, nil, nil
		}
		page[i] = row
	}
	return rendering, page, nil
}

// compareFromMemory is compare from rows that are encoded already.
func compareFromMemory(r *operation.Request[compareParams]) (httpapi.Reply, bool, error) {
	if r.Params.AsOf.Given {
		return httpapi.Reply{}, false, nil
	}
	rendering, page, err := comparedInMemory(r)
	if page == nil || err != nil {
		return httpapi.Reply{}, false, err
	}
	items, err := rendering.itemsOf(page, r.Params.Fields)
	if err != nil {
		return httpapi.Reply{}, false, err
	}
	attributes := make([]*Attributes, len(page))
	for i, row := range page {
		attributes[i] = &rendering.attributes[row]
	}
	verdicts, err := httpapi.Encode(comparabilities(attributes))
	if err != nil {
		return httpapi.Reply{}, false, err
	}
	reply := httpapi.Assembled(func(body []byte) []byte {
		body = rendering.appendItems(body, page, items)
		body = append(body, ',')
		body = append(body, verdicts[1:len(verdicts)-1]...) // the members of the object and its closing brace
		return append(body, "}\n"...)
	})
	reply.Listing = &httpapi.Listing{Total: uint64(len(page))}
	return reply, true, nil
}
