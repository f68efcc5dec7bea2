package query

import (
	"context"
	"net/url"
	"sync/atomic"

	"cuota/internal/httpapi"
	"cuota/model"
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
	pageSearch,
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
	read   atomic.Bool // from ClickHouse, since the page began
}

// PageBatch returns the published batch, and nil if there is none or it is damaged.
func (s *Server) PageBatch() *PageBatch {
	b := s.follower.Current()
	if b == nil || b.Damaged {
		return nil
	}
	return &PageBatch{server: s, pinned: s.pinnedTo(b)}
}

// Version identifies everything that the operations' replies depend on besides the parameters
// and the build of the program.
func (b *PageBatch) Version() string { return b.pinned.version() }

// ID is the id of the batch, as in meta.batch_id.
func (b *PageBatch) ID() string { return b.pinned.batch.ID }

// Cutoff is the last complete day of the batch, and nil if it has none.
func (b *PageBatch) Cutoff() *model.Date { return dateOf(b.pinned.batch.AsOf) }

// Ask returns the body of the reply of an operation about the batch, as httpapi.Server.Ask does. The
// page must call Check after its last Ask.
func (b *PageBatch) Ask(ctx context.Context, path string, texts url.Values) ([]byte, error) {
	return b.server.Server.Ask(context.WithValue(ctx, pageBatchKey{}, b), path, texts)
}

// Check returns the error of a page after its last Ask. If the batch was retired or found damaged
// while the page read from ClickHouse, it gives another error, because rows may have been missing.
func (b *PageBatch) Check(ctx context.Context, err error) error {
	if !b.read.Load() {
		return err
	}
	return b.server.stillReadable(withRequestID(ctx), "", b.pinned, err)
}

// Parameters returns the parameters of an operation.
func (b *PageBatch) Parameters(path string) []httpapi.Parameter { return b.server.ParametersOf(path) }

type pageBatchKey struct{}

// pageOf returns the batch of the page for which an operation is asked, and nil if it is asked for no
// page.
func pageOf(ctx context.Context) *PageBatch {
	b, _ := ctx.Value(pageBatchKey{}).(*PageBatch)
	return b
}
