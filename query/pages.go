package query

import (
	"context"
	"net/url"

	"cuota/internal/httpapi"
	"cuota/model"
	"cuota/query/batch"
)

// Pages are served beside the API.
type Pages struct {
	Operations []httpapi.Operation
	NotFound   httpapi.ProblemPage
}

// pageEndpoints are what pages show beside the replies of the API. Only pages can ask them.
var pageEndpoints = []anyEndpoint{
	screenerChoices,
	pageSeries,
	pageEvents,
	pageOfficial,
	pageSources,
	pageReal,
	familyPages,
	dataPage,
	pageFund,
	pageQuotas,
}

func (s *Server) pageOperations() []httpapi.Operation {
	var list []httpapi.Operation
	for _, e := range pageEndpoints {
		list = append(list, e.operation(s))
	}
	return list
}

// PageBatch is the published batch as one page reads it: every operation that the page asks
// answers from this batch, even if another one is published meanwhile, unless the page names
// another one with batch_id.
type PageBatch struct {
	server *Server
	pinned pinned
}

// PageBatch gives the published batch, and nil if there is none or it is damaged.
func (s *Server) PageBatch() *PageBatch {
	b := s.follower.Current()
	if b == nil || b.Damaged {
		return nil
	}
	return &PageBatch{s, s.pinnedTo(b)}
}

// Version identifies everything that the operations' replies depend on besides the parameters
// and the build of the program.
func (b *PageBatch) Version() string { return b.pinned.version() }

// ID is the id of the batch, as in meta.batch_id.
func (b *PageBatch) ID() string { return b.pinned.batch.ID }

// Cutoff is the last complete day of the batch, and nil if it has none.
func (b *PageBatch) Cutoff() *model.Date { return dateOf(b.pinned.batch.AsOf) }

// Ask gives the body of the reply of an operation about the batch, as httpapi.Server.Ask does.
func (b *PageBatch) Ask(ctx context.Context, path string, texts url.Values) ([]byte, error) {
	return b.server.Server.Ask(context.WithValue(ctx, pageBatchKey{}, b.pinned.batch), path, texts)
}

// Parameters gives the parameters of an operation.
func (b *PageBatch) Parameters(path string) []httpapi.Parameter { return b.server.ParametersOf(path) }

type pageBatchKey struct{}

// batchOfPage gives the batch of the page for which an operation is asked, and nil if it is
// asked for no page.
func batchOfPage(ctx context.Context) *batch.Batch {
	b, _ := ctx.Value(pageBatchKey{}).(*batch.Batch)
	return b
}
