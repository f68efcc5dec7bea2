package daily

import (
	"context"
	"slices"
	"time"

	"cuota/internal/httpapi"
	"cuota/model"
	"cuota/query/operation"
	"cuota/query/series"
	"cuota/sql"
)

// maxManySeries is how many series one request for returns names.
const maxManySeries = 500

// manySeries are unique decimal ids, written with commas between them.
type manySeries []uint32

// Read implements httpapi.Value.
func (ids *manySeries) Read(text string) (wrong *httpapi.Violation) {
	*ids, wrong = operation.ReadIDs(text, maxManySeries)
	return wrong
}

// String implements httpapi.Value.
func (ids *manySeries) String() string { return operation.IDsText(*ids) }

// Schema implements httpapi.Value.
func (manySeries) Schema() httpapi.Schema {
	return httpapi.Schema{"type": "string", "pattern": operation.IDsPattern(maxManySeries)}
}

// current returns the ids that the series have now, each once.
func (ids manySeries) current(p operation.Pinned) (now manySeries) {
	for _, id := range ids {
		if renamed := p.Batch.Renamed(id); renamed != nil {
			id = renamed.SeriesID
		}
		if !slices.Contains(now, id) {
			now = append(now, id)
		}
	}
	return now
}

// periodReturn is the price return of a series between two days, in a valuation.
type periodReturn struct {
	SerieID   string      `json:"serieId"`
	RUN       string      `json:"run"`
	Serie     string      `json:"serie"` // at the cutoff
	FundName  string      `json:"fundName"`
	From      model.Date  `json:"from"`
	To        model.Date  `json:"to"`
	Valuation string      `json:"valuation"`
	Currency  *string     `json:"currency"` // of the valuation; nil: unknown
	Value     *float64    `json:"value"`    // a fraction, of the whole period
	Reason    *string     `json:"reason"`   // why there is no value
	Start     *model.Date `json:"effective_start"`
	End       *model.Date `json:"effective_end"`
}

// ContentType returns the media type of replies about a period, whose schema is not that of windows.
func (p *returnsByDayParams) ContentType() string {
	if p.Begin.Given {
		return "application/vnd.cuota.period+json"
	}
	return ""
}

// checkBetween refuses a period that is not two days in their order.
func (p *returnsByDayParams) checkBetween() []httpapi.Violation {
	switch {
	case p.Date.Given || p.From.Given || p.To.Given:
		return operation.WrongParameter("from", "value_error",
			"Must not be given together with date, from_date or to_date")
	case !p.Begin.Given:
		return operation.WrongParameter("from", "missing", "Required with to")
	case !p.End.Given:
		return operation.WrongParameter("to", "missing", "Required with from")
	case p.Begin.Compare(p.End.Date) >= 0:
		return operation.WrongParameter("from", "value_error", "Must be before to")
	}
	return nil
}

// between returns the arguments of returns_between.sql.
func (p *returnsByDayParams) between(limit, offset int64) []any {
	return append(p.chosen(), sql.Arg("from", operation.Storable(p.Begin.Date).String()),
		sql.Arg("to", operation.Storable(p.End.Date).String()), sql.Arg("valuation", p.Valuation),
		sql.Arg("limit", limit), sql.Arg("offset", offset))
}

// returnsBetweenTable is findReturnsBetween as a table. Named series are all in it, and an unknown one is an error too.
func returnsBetweenTable(ctx context.Context, r *operation.Request[returnsByDayParams]) (operation.Table, error) {
	if named := int64(len(r.Params.Series)); named > 0 {
		_, err := findReturnsBetween(ctx, r)
		return operation.Table{Statement: "returns_between", Args: r.Params.between(named, 0)}, err
	}
	err := series.Enabled(r.Returns, r.Params.Valuation, "price")
	return operation.Table{Statement: "returns_between",
		Args: r.Params.between(operation.GivenLimit(r.Call, r.Params.Limit), r.Params.Offset)}, err
}

// findReturnsBetween returns the price returns of series between two days (RULES 1), by the quotes that stand on them.
// Named series are all on one page.
func findReturnsBetween(ctx context.Context, r *operation.Request[returnsByDayParams],
) (page httpapi.List[httpapi.Resource[any], returnsByDayMeta], err error) {
	if err := series.Enabled(r.Returns, r.Params.Valuation, "price"); err != nil {
		return page, err
	}
	limit, offset := r.Params.Limit, r.Params.Offset
	if named := int64(len(r.Params.Series)); named > 0 {
		limit, offset = named, 0
	}
	args := r.Params.between(limit+1, offset) // one row more than the page has
	found, err := operation.Rows[struct {
		SeriesID uint32     `ch:"series_id"`
		RUN      string     `ch:"run"`
		Serie    string     `ch:"serie"`
		Fund     string     `ch:"fund"`
		End      *time.Time `ch:"effective_end"`
		Start    *time.Time `ch:"effective_start"`
		Valued   string     `ch:"valuation"`
		Currency *string    `ch:"currency"`
		Value    *float64   `ch:"value"`
		Reason   *string    `ch:"reason"`
	}](ctx, r.Pinned, "returns_between", args...)
	if err != nil {
		return page, err
	}
	if found, page.Listing, err = operation.CutPage(ctx, r, found, "returns_between", args); err != nil {
		return page, err
	}
	unknown := slices.Clone(r.Params.Series)
	page.Data = make([]httpapi.Resource[any], len(found))
	for i, row := range found {
		unknown = slices.DeleteFunc(unknown, func(id uint32) bool { return id == row.SeriesID })
		page.Data[i] = httpapi.NewResource[any](operation.IDText(row.SeriesID), "series_period_return", periodReturn{
			SerieID: operation.IDText(row.SeriesID), RUN: row.RUN, Serie: row.Serie, FundName: row.Fund,
			From: r.Params.Begin.Date, To: r.Params.End.Date, Valuation: row.Valued, Currency: row.Currency,
			Value: row.Value, Reason: row.Reason, Start: operation.DateOf(row.Start), End: operation.DateOf(row.End)})
	}
	if len(unknown) > 0 {
		return page, httpapi.NotFound("There are no series with these ids: " + unknown.String() + ".")
	}
	page.Meta = returnsByDayMeta{"decimal", "price", limit, offset}
	return page, nil
}
