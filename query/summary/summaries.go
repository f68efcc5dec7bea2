package summary

import (
	"context"

	"cuota/internal/httpapi"
	"cuota/model"
	"cuota/query/batch"
	"cuota/query/operation"
	"cuota/query/past"
	"cuota/sql"
)

// OfPeriod answers with the market summary of each day of a period that has data, up to the cutoff:
// what marketSummary answers for the day. All days are read at once. The operation has a path of its own,
// because the public interface says what the reply of marketSummary is.
var OfPeriod = operation.Endpoint[summariesParams, httpapi.List[*Summary, periodMeta]]{
	Path: "/api/market-summaries", Check: checkSummaries,
	Find: findSummaries, Table: summariesTable,
	Parts: []batch.Loader{past.Part},
}

type summariesParams struct {
	From operation.DateParam `query:"from_date" null:"false" required:"true" example:"2025-07-18" doc:"First day of the period, inclusive, YYYY-MM-DD"`
	To   operation.DateParam `query:"to_date" null:"false" required:"true" example:"2025-07-19" doc:"Last day of the period, inclusive, YYYY-MM-DD; at most 30 days after from_date"`
	operation.KnownAtParams
	operation.FormatParams
}

// maxSummaryDays is the greatest number of days in one request. A summary takes about 30 kB.
const maxSummaryDays = 31

func checkSummaries(_ model.Date, params *summariesParams) []httpapi.Violation {
	return operation.CheckPeriod(params.From, params.To, maxSummaryDays)
}

// period returns the first and the last day that a reply may have. The days after the cutoff are left out,
// because the cutoff stands for them.
func (params *summariesParams) period(p operation.Pinned) (first, last model.Date) {
	first, last = operation.Storable(params.From.Date), operation.Storable(params.To.Date)
	if cutoff := operation.DateOf(p.Batch.AsOf); cutoff != nil && last.Compare(*cutoff) > 0 {
		last = *cutoff
	}
	return first, last
}

// periodMeta is the meta of the summaries of a period.
type periodMeta struct {
	From  model.Date  `json:"from_date"`
	To    model.Date  `json:"to_date"`
	AsOf  *model.Date `json:"as_of_date"`
	Count int         `json:"count"`
}

func findSummaries(ctx context.Context,
	r *operation.Request[summariesParams]) (listed httpapi.List[*Summary, periodMeta], err error) {
	first, last := r.Params.period(r.Pinned)
	history, err := past.Of(ctx, r.Pinned)
	if err != nil {
		return listed, err
	}
	days := history.WithData(first, last)
	data := make([]*Summary, 0, len(days))
	if len(days) > 0 {
		found, err := summarise(ctx, r.Pinned, days, livingSeries)
		if err != nil {
			return listed, err
		}
		for _, day := range days {
			data = append(data, found[*day.Date])
		}
	}
	return httpapi.ListOf(data, periodMeta{r.Params.From.Date, r.Params.To.Date, operation.DateOf(r.Batch.AsOf),
		len(data)}), nil
}

func summariesTable(_ context.Context, r *operation.Request[summariesParams]) (operation.Table, error) {
	first, last := r.Params.period(r.Pinned)
	return summaryTable(first, last), nil
}

// summaryTable is the families of the days with data of a period.
func summaryTable(first, last model.Date) operation.Table {
	return operation.Table{Statement: "rows_market_summary",
		Args: []any{sql.Arg("from", first.String()), sql.Arg("to", last.String())}}
}
