package query

import (
	"context"
	"net/url"

	"cuota/internal/httpapi"
	"cuota/model"
	"cuota/query/funds"
	"cuota/query/market"
	"cuota/query/operation"
	"cuota/query/origin"
	"cuota/query/portfolio"
	"cuota/query/series"
	"cuota/query/summary"
)

// Pages are served beside the API.
type Pages struct {
	Operations []httpapi.Operation
	NotFound   httpapi.ProblemPage
}

// pageEndpoints are what pages show beside the replies of the API. Only pages can ask them.
var pageEndpoints = []operation.AnyEndpoint{
	market.ScreenerChoices,
	market.Correlations,
	market.ScreenerRanking,
	series.Profile,
	series.Events,
	series.OfficialReturns,
	series.Sources,
	series.ValuedGrowth,
	series.ChartQuotas,
	series.YearsAndFalls,
	series.RollingReturns,
	series.CostDifference,
	series.RateLevels,
	summary.FlowsOfDay,
	summary.ManagerChanges,
	summary.OfficialReturnsOfFamilies,
	summary.OfficialReturnsOfSeries,
	summary.OfDayThen,
	summary.HistoryOfMarket,
	origin.OfBatch,
	funds.FundProfile,
	funds.Search,
	portfolio.OfText,
	funds.Closed,
}

func (s *Server) pageOperations() []httpapi.Operation {
	var list []httpapi.Operation
	for _, e := range pageEndpoints {
		list = append(list, e.Operation(s.host))
	}
	return list
}

// PageBatch is the published batch as one page reads it: every operation that the page asks
// answers from this batch, even if another one is published meanwhile, unless the page names
// another one with batch_id.
type PageBatch struct {
	server *Server
	page   operation.AskedPage
}

// PageBatch returns the batch that is answered from, and nil if there is none, it is damaged, or another server may
// answer from a newer one.
func (s *Server) PageBatch() *PageBatch {
	b, err := s.host.Follower.Answering(context.Background()) // it waits for 200 ms at the most
	if err != nil || b.Damaged {
		return nil
	}
	return &PageBatch{server: s, page: operation.AskedPage{Pinned: s.host.PinnedTo(b)}}
}

// Version identifies everything that the operations' replies depend on besides the parameters
// and the build of the program.
func (b *PageBatch) Version() string { return b.page.Version() }

// ID is the id of the batch, as in meta.batch_id.
func (b *PageBatch) ID() string { return b.page.Batch.ID }

// Cutoff is the last complete day of the batch, and nil if it has none.
func (b *PageBatch) Cutoff() *model.Date { return operation.DateOf(b.page.Batch.AsOf) }

// Ask returns what an operation finds in the batch, as httpapi.Server.Ask does. The
// page must call Check after its last Ask.
func (b *PageBatch) Ask(ctx context.Context, path string, texts url.Values) (any, error) {
	return b.server.Server.Ask(operation.ForPage(ctx, &b.page), path, texts)
}

// Check returns the error of a page after its last Ask. If the batch was retired or found damaged
// while the page read from ClickHouse, it returns another error, because rows may have been missing.
func (b *PageBatch) Check(ctx context.Context, err error) error {
	if !b.page.Read.Load() {
		return err
	}
	return b.server.host.StillReadable(operation.WithRequestID(ctx), "", b.page.Pinned, err)
}

// Parameters returns the parameters of an operation.
func (b *PageBatch) Parameters(path string) []httpapi.Parameter { return b.server.ParametersOf(path) }
