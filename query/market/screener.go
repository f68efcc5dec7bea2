package market

import (
	"context"
	"slices"
	"strconv"

	"cuota/internal/httpapi"
	"cuota/model"
	"cuota/query/batch"
	"cuota/query/operation"
	"cuota/query/past"
	"cuota/sql"
)

// maxPage is the greatest number of series in a page (SPEC, Limits), as in the tag of Limit.
const maxPage = 200

// Screener filters, sorts and pages the series alive at the cutoff, as they are now or as
// they were at a past date.
var Screener = operation.Endpoint[ScreenerParams, Screened]{
	Path: "/api/screener", Need: batch.Complete,
	Check: checkScreener, Find: findScreened, Known: knownScreened, Table: screenerTable,
	FromMemory: screenerFromMemory, Parts: []batch.Loader{Part, past.Part},
}

// ScreenerParams are the parameters of the screener. Those with a tag match, in Filters too, are its filters:
// the tag says how a row matches, and the tag column which column of market.sql is compared;
// of several, the first one that is not null. screenerfilter.go explains the kinds of match.
type ScreenerParams struct {
	Text string `query:"q" max:"200" match:"search" column:"fund,run,serie" doc:"Part of the name of the fund or of its RUN, or words in any order: of the names of fund and series, a RUN, an id, or RUN and series as in 9278-A. Case, accents, leading zeros and dots of a RUN, and the kind of dash do not count. A word of up to three characters must be a whole word."`
	Filters

	Sort  sortParam `query:"sort" default:"first" example:"1y" doc:"What to sort by. Series without the value come last in both orders; ties go by ascending id. tac sorts rates of different kinds together, of which only synthetic ones count the costs of underlying funds: meta.tac_kinds tells the kind of each, tac_kind asks for one. tac_by_kind sorts each kind by itself, in both orders first synthetic, then stated, then computed ones."`
	Order string    `query:"order" enum:"asc,desc" default:"first" example:"desc" doc:"asc: the smallest value first; desc: the greatest first"`
	Limit int64     `query:"limit" min:"1" max:"200" default:"50" example:"1" doc:"Number of rows of the page"`
	// the greatest number that every JSON reader represents exactly
	Offset int64 `query:"offset" min:"0" max:"9007199254740991" default:"0" doc:"Number of rows to skip, after filtering and sorting"`
	operation.AsOfParams
	operation.FieldsParams
	operation.BatchParams
	operation.FormatParams
}

// Filters are the filters of the screener but the search, for every list that is chosen with them.
type Filters struct {
	Family        string                  `query:"fund_family" max:"200" match:"any case" column:"family_rar" doc:"Family of the regulator (familia_rar), case-insensitive"`
	InvestorClass string                  `query:"investor_class" max:"100" match:"any case" column:"class_dated,class_tac" doc:"Class valid at the cutoff, else the one dated with the TAC; case-insensitive"`
	Currency      operation.CurrencyParam `query:"currency" empty:"absent" match:"exact" column:"currency" example:"PESOS" doc:"PESOS or CLP, DOLAR or USD, case-insensitive. Sorting by a return requires it."`
	Category      string                  `query:"category" max:"100" match:"any case" column:"category" example:"balanced" doc:"Category, case-insensitive"`
	Manager       string                  `query:"administrator" max:"200" match:"part" column:"manager" doc:"Part of the name of the manager, ignoring case and accents"`
	SpheresMin    *int64                  `query:"cmf_spheres_min" min:"1" max:"5" match:"at least" column:"spheres" doc:"Minimum rating, a number of spheres, inclusive; leaves out series without one. Not above cmf_spheres_max."`
	SpheresMax    *int64                  `query:"cmf_spheres_max" min:"1" max:"5" match:"at most" column:"spheres" doc:"Maximum rating, a number of spheres, inclusive; leaves out series without one"`
	RatedFamily   string                  `query:"cmf_family" min:"1" max:"200" match:"exact" column:"family_rar" doc:"Family of the regulator (familia_rar), exactly as the API writes it. Sorting by cmf_spheres requires it."`
	RatedClass    string                  `query:"cmf_investor_type" min:"1" max:"200" match:"exact" column:"class_dated" doc:"Class valid at the cutoff exactly. Sorting by cmf_spheres requires it."`
	TACKind       operation.TACKindParam  `query:"tac_kind" match:"exact" column:"tac_kind" doc:"Only series whose cost rate is of this kind: synthetic counts the costs of the funds that the fund holds; stated, of the monthly sheet, and computed, from daily costs, do not. Leaves out series without a rate"`
	APV           *bool                   `query:"apv" match:"flag" column:"apv" doc:"true: only series for voluntary pension saving (APV), which the sheet of the association lists as such or whose investor class is APV; false: only the other ones. Either leaves out series of which no source states this."`
	Digital       *bool                   `query:"digital" match:"flag" column:"digital" doc:"true: only series that the comparator of the CMF marks as digital; false: only those that it marks as not digital. Either leaves out series that no comparator has."`
	Qualified     *bool                   `query:"qualified" match:"flag" column:"qualified" doc:"true: only series that the sheet of the association has in a category for qualified investors; false: only those that it has in another category. Either leaves out series without a category there."`
	Held          *bool                   `query:"held" match:"positive" column:"shareholders,equity" doc:"true: only series that somebody holds, whose newest day states shareholders and equity above zero; false: only those for which it states one of them as zero. Either leaves out series of which it is unknown."`
}

// sortParam is the value by which the rows are sorted.
type sortParam string

var sorts = slices.Concat([]string{"id", "tac", "tac_by_kind", "cmf_spheres"}, model.Windows)

// Choices implements httpapi.Choices.
func (sortParam) Choices() []string { return sorts }

// ConstantNames implements httpapi.ConstantNames.
func (sortParam) ConstantNames() []string {
	return []string{"ID", "TAC", "TAC_BY_KIND", "CMF_SPHERES", "ONE_MONTH", "THREE_MONTHS", "SIX_MONTHS", "ONE_YEAR", "YEAR_TO_DATE",
		"THREE_YEARS_ANNUALISED", "FIVE_YEARS_ANNUALISED", "LAST_CLOSED_MONTH"}
}

func checkScreener(today model.Date, params *ScreenerParams) []httpapi.Violation {
	wrong := append(operation.CheckAsOf(today, params.AsOf), params.Fields.Check(attributeNames)...)
	wrong = append(wrong, params.Filters.Check()...)
	sort := string(params.Sort)
	need := func(name, given string) {
		if given == "" {
			wrong = append(wrong, httpapi.Violation{Loc: []string{"query", name}, Type: "missing",
				Msg: "Required to sort by " + sort})
		}
	}
	switch {
	case sort == "cmf_spheres": // an ordinal within one family and investor class
		need("cmf_family", params.RatedFamily)
		need("cmf_investor_type", params.RatedClass)
	case slices.Contains(model.Windows, sort): // returns in different currencies do not compare
		need("currency", string(params.Currency))
	}
	return wrong
}

// screenerTable is the screener as a table: the same rows in the same order.
func screenerTable(ctx context.Context, r *operation.Request[ScreenerParams]) (operation.Table, error) {
	if r.Params.Fields.Given() {
		return operation.Table{}, fieldsOfTable()
	}
	params := *r.Params
	params.Limit = operation.GivenLimit(r.Call, params.Limit)
	if !params.AsOf.Given {
		args, err := marketArgs(ctx, r.Pinned, &params, nil)
		return operation.Table{Statement: "rows_screener", Args: args}, err
	}
	history, err := marketAsOf(ctx, r.Pinned, params.AsOf.Date)
	if err != nil {
		return operation.Table{}, err
	}
	page, total := history.page(&params, nil)
	series := make([]uint32, len(page))
	for i, position := range page {
		series[i] = history.rows[position].SeriesID
	}
	next := r.Call.NextPage(params.Offset, len(page), uint64(total), r.Batch.ID)
	return history.table(series, httpapi.Listing{Total: uint64(total), Next: next}), nil
}

// fieldsOfTable refuses a choice of attributes in a format other than JSON.
func fieldsOfTable() error {
	return httpapi.Invalid(operation.WrongParameter("fields", "value_error",
		"Is only for the format json: a table has all columns"))
}

// table returns the rows of some series at a past date, in this order.
func (history *pastMarket) table(series []uint32, of httpapi.Listing) operation.Table {
	return operation.Table{Statement: "rows_screener_as_of",
		Args: []any{sql.Arg("series", series), sql.Arg("date", operation.Storable(history.day).String()),
			sql.Arg("known_by", operation.Storable(history.requested).String())},
		Listing: func(context.Context) (httpapi.Listing, error) {
			return of, nil
		}}
}

// screenerFromMemory is the screener from rows that are encoded already.
func screenerFromMemory(r *operation.Request[ScreenerParams]) (httpapi.Reply, bool, error) {
	if r.Params.AsOf.Given {
		return httpapi.Reply{}, false, nil
	}
	market, rendering, err := Rendered(r.Pinned)
	if market == nil || err != nil {
		return httpapi.Reply{}, false, err
	}
	var listing httpapi.Listing
	reply := httpapi.Assembled(func(body []byte) []byte {
		body, listing, err = appendScreen(body, r, market, rendering)
		return body
	})
	if err != nil {
		reply.Release()
		return httpapi.Reply{}, false, err
	}
	reply.Listing = &listing
	return reply, true, nil
}

// appendScreen appends the reply of a screen at the cutoff, from rows that are encoded already.
func appendScreen(body []byte, r *operation.Request[ScreenerParams], market *market,
	rendering *rendering) ([]byte, httpapi.Listing, error) {
	var few [maxPage]int32
	page, total := market.page(r.Params, few[:0])
	items, err := rendering.itemsOf(page, r.Params.Fields)
	if err != nil {
		return body, httpapi.Listing{}, err
	}
	of := httpapi.Listing{Total: uint64(total),
		Next: r.Call.NextPage(r.Params.Offset, len(page), uint64(total), r.Batch.ID)}
	body = rendering.appendItems(body, page, items)
	body = append(body, `,"total":`...)
	body = strconv.AppendInt(body, int64(total), 10)
	body = append(body, `,"limit":`...)
	body = strconv.AppendInt(body, r.Params.Limit, 10)
	body = append(body, `,"offset":`...)
	body = strconv.AppendInt(body, r.Params.Offset, 10)
	body = append(body, '}')
	if of.Next != "" {
		body = append(body, `,"links":{"next":"`...) // it has no characters that JSON escapes
		body = append(body, of.Next...)
		body = append(body, `"}`...)
	}
	return append(body, "}\n"...), of, nil
}

// Screened is a page of the screener.
type Screened = httpapi.List[Resource, ScreenedMeta]

// ScreenedMeta is the meta of a page of the screener.
type ScreenedMeta struct {
	Meta
	TACKinds operation.TACKinds `json:"tac_kinds"`
	Total    uint64             `json:"total"` // after filters, before paging
	Limit    int64              `json:"limit"`
	Offset   int64              `json:"offset"`
	Past     *PastFacts         `json:"past,omitempty"` // nil at the cutoff
}

func findScreened(ctx context.Context, r *operation.Request[ScreenerParams]) (page Screened, err error) {
	if r.Params.AsOf.Given {
		history, err := marketAsOf(ctx, r.Pinned, r.Params.AsOf.Date)
		if err != nil {
			return page, err
		}
		return pastScreen(r, history), nil
	}
	found, total, err := readMarket(ctx, r.Pinned, r.Params, nil)
	if err != nil {
		return page, err
	}
	data, kinds := make([]Resource, len(found)), make(operation.TACKinds, len(found))
	for i, row := range found {
		data[i], kinds[i] = marketResource(r.Pinned, row), row.tacKind()
	}
	return screened(r, data, kinds, total, nil), nil
}

// knownScreened is a page of the screener from the rows in memory.
func knownScreened(r *operation.Request[ScreenerParams]) (Screened, bool, error) {
	if r.Params.AsOf.Given {
		history, there := knownMarketAsOf(r.Pinned, r.Params.AsOf.Date)
		if !there {
			return Screened{}, false, nil
		}
		return pastScreen(r, history), true, nil
	}
	market, rendering, err := Rendered(r.Pinned)
	if market == nil || err != nil {
		return Screened{}, false, err
	}
	page, total := market.page(r.Params, nil)
	data, kinds := make([]Resource, len(page)), make(operation.TACKinds, len(page))
	for i, row := range page {
		data[i], kinds[i] = rendering.resource(row), rendering.tacKinds[row]
	}
	return screened(r, data, kinds, uint64(total), nil), true, nil
}

// pastScreen is a page of the screener at a past date.
func pastScreen(r *operation.Request[ScreenerParams], history *pastMarket) Screened {
	page, total := history.page(r.Params, nil)
	data, kinds := make([]Resource, len(page)), make(operation.TACKinds, len(page))
	for i, position := range page {
		data[i], kinds[i] = history.resource(r.Pinned, position), history.rows[position].tacKind()
	}
	return screened(r, data, kinds, uint64(total), history)
}

// screened is a page with these rows. history is nil at the cutoff.
func screened(r *operation.Request[ScreenerParams], data []Resource, kinds operation.TACKinds, total uint64,
	history *pastMarket) Screened {
	meta := ScreenedMeta{marketMetaOf(r.Pinned), kinds, total, r.Params.Limit, r.Params.Offset, nil}
	if history != nil {
		meta.Meta, meta.Past = history.meta(r.Pinned)
	}
	page := Screened{Data: data, Meta: meta,
		Listing: httpapi.Listing{Total: total, Next: r.Call.NextPage(r.Params.Offset, len(data), total, r.Batch.ID)}}
	if r.Params.Fields.Given() {
		page.Select = r.Params.Fields.Item
	}
	return page
}
