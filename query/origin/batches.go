package origin

import (
	"context"
	"net/http"
	"time"

	"cuota/internal/httpapi"
	"cuota/model"
	"cuota/query/batch"
	"cuota/query/operation"
	"cuota/sql"
)

// BatchesPath is the list of batches.
const BatchesPath = "/api/batches"

type batchesParams struct {
	Limit  int64 `query:"limit" min:"1" max:"1000" default:"100" example:"2" doc:"Rows of the page"`
	Offset int64 `query:"offset" min:"0" max:"9007199254740991" default:"0" doc:"Rows to skip"`
	operation.BatchParams
}

// Publication is a batch that was published. Moments are UTC.
type Publication struct {
	ID           string      `json:"batch_id"`
	PublishedAt  time.Time   `json:"published_at"`
	SupersededAt *time.Time  `json:"superseded_at"` // when the next one was published; nil for the newest
	AsOf         *model.Date `json:"as_of_date"`    // the cutoff; nil while no date was complete
	Readable     bool        `json:"readable"`      // it is kept and not damaged, so that batch_id may name it
}

type batchesMeta struct {
	Limit  int64 `json:"limit"`
	Offset int64 `json:"offset"`
}

// Publications is a page of the list.
type Publications = httpapi.List[httpapi.Resource[Publication], batchesMeta]

// Batches lists the batches that were published, the newest first, retired ones too. The reply is not cached, because a
// batch is retired, or found damaged, without another one being published.
func Batches(h *operation.Host) httpapi.Operation {
	return httpapi.NewOperation(http.MethodGet, BatchesPath, httpapi.Keyed, nil,
		func(ctx context.Context, c *httpapi.Call, params *batchesParams) (httpapi.Answer, error) {
			p, err := h.Pin(ctx, c, batch.Any, params)
			if err != nil {
				return httpapi.Answer{}, err
			}
			c.Header.Set(operation.BatchHeader, p.Batch.ID)
			r := &operation.Request[batchesParams]{Call: c, Pinned: p.Logged(), Params: params}
			find := func(ctx context.Context) (page Publications, err error) {
				ctx = operation.WithRequestID(ctx)
				err = c.Wait(ctx, func() error {
					page, err = findBatches(ctx, r)
					return err
				})
				return page, h.StillReadable(ctx, c.NamedVersion(), r.Pinned, err)
			}
			return httpapi.Answer{
				Make: func(ctx context.Context) (httpapi.Reply, error) {
					page, err := find(ctx)
					if err != nil {
						return httpapi.Reply{}, err
					}
					body, err := httpapi.TextOf(page.Reply())
					return httpapi.Reply{Body: body, Listing: &page.Listing}, err
				},
				Find: func(ctx context.Context) (any, error) { return find(ctx) },
			}, nil
		})
}

func findBatches(ctx context.Context, r *operation.Request[batchesParams]) (page Publications, err error) {
	args := []any{sql.Arg("limit", r.Params.Limit+1), sql.Arg("offset", r.Params.Offset)} // one row more than the page has
	found, err := publications(ctx, r.Pinned, args...)
	if err != nil {
		return page, err
	}
	if found, page.Listing, err = operation.CutPage(ctx, r, found, "publications", args); err != nil {
		return page, err
	}
	page.Data = make([]httpapi.Resource[Publication], len(found))
	for i, of := range found {
		page.Data[i] = httpapi.NewResource(of.ID, "batch", of)
	}
	page.Meta = batchesMeta{r.Params.Limit, r.Params.Offset}
	return page, nil
}

// publications reads the batches that were published. args are the limit and the offset.
func publications(ctx context.Context, p operation.Pinned, args ...any) ([]Publication, error) {
	found, err := operation.Rows[struct {
		ID           string     `ch:"batch_id"`
		PublishedAt  time.Time  `ch:"published_at"`
		SupersededAt *time.Time `ch:"superseded_at"`
		AsOf         *time.Time `ch:"as_of_date"`
		Readable     bool       `ch:"readable"`
	}](ctx, p, "publications", args...)
	list := make([]Publication, len(found))
	for i, of := range found {
		if of.SupersededAt != nil {
			*of.SupersededAt = of.SupersededAt.UTC()
		}
		list[i] = Publication{of.ID, of.PublishedAt.UTC(), of.SupersededAt, operation.DateOf(of.AsOf), of.Readable}
	}
	return list, err
}
