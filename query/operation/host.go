package operation

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"cuota/internal/httpapi"
	"cuota/internal/santiago"
	"cuota/model"
	"cuota/query/batch"
	"cuota/sql"
)

// Host answers endpoints: it knows the batches, with what is kept of their past dates, and ClickHouse's HTTP interface.
type Host struct {
	Follower *batch.Follower
	Now      func() time.Time
	// Returns lists the kinds of returns that the operator has enabled.
	Returns []string
	// ClickHouse streams rows in formats of ClickHouse; nil: none can be.
	ClickHouse *sql.HTTP
}

// Today returns the current day in Santiago.
func (h *Host) Today() model.Date { return model.DateOf(h.Now().In(santiago.Zone)) }

// AskedPage is the batch that all operations which one page asks are answered from, unless the page names another one.
type AskedPage struct {
	Pinned
	Read atomic.Bool // rows from ClickHouse, since the page began
}

type pageBatchKey struct{}

// ForPage returns the context in which the operations of a page are asked.
func ForPage(ctx context.Context, page *AskedPage) context.Context {
	return context.WithValue(ctx, pageBatchKey{}, page)
}

// pageOf returns the batch of the page for which an operation is asked, and nil if it is asked for no page.
func pageOf(ctx context.Context) *AskedPage {
	page, _ := ctx.Value(pageBatchKey{}).(*AskedPage)
	return page
}

// Pin chooses the batch of a call with these parameters. Its errors are those of Follower.Pin
// and Follower.PinKnownAt, as the caller sees them.
func (h *Host) Pin(ctx context.Context, c *httpapi.Call, need batch.Need, params any) (Pinned, error) {
	ctx = WithRequestID(ctx)
	at, takesMoment := momentOf(params)
	var known batch.KnownAt
	var err error
	var b *batch.Batch
	if page, named := pageOf(ctx), c.NamedVersion(); page != nil && (named == "" || named == page.Batch.ID) {
		b = page.Batch // else the page shows an older batch
	}
	if b != nil && need == batch.Complete && b.AsOf == nil {
		err = batch.ErrNoCutoff
	} else if b != nil {
		known.Batch = b
	} else if at.given {
		known, err = h.Follower.PinKnownAt(ctx, need, at.at, c.Wait)
	} else {
		known.Batch, err = h.Follower.Pin(ctx, need, c.NamedVersion(), c.Wait)
	}
	if err != nil {
		return Pinned{}, ProblemOf(err)
	}
	p := h.PinnedTo(known.Batch)
	if at.given {
		p.Today = at.day()
	}
	if takesMoment {
		nameBatch(c.Header, known)
	}
	return p, nil
}

// PinnedTo returns a batch as a request of today reads it.
func (h *Host) PinnedTo(b *batch.Batch) Pinned {
	return Pinned{b, h.Follower.Reader(b), h.Today(), h.Returns, h.Follower.Cache(), nil}
}

// StillReadable checks after the last read of a reply that the batch was not retired or
// damaged meanwhile, and returns the error of the reply. If the batch was retired, rows may
// have been missing: a wrong reply would be cached, or would say that something is unknown.
// named is the batch that the caller named, or "".
func (h *Host) StillReadable(ctx context.Context, named string, p Pinned, err error) error {
	if errors.As(err, new(*sql.ReadError)) {
		return err
	}
	gone := p.CheckReadable(ctx)
	switch current := h.Follower.Current(); {
	case gone == nil:
		return err
	case errors.Is(gone, batch.ErrRetired) && named != "" && p.Batch.ID != current.ID:
		// the caller named the batch, so asking again does not help
		return ProblemOf(&batch.GoneError{Current: current})
	}
	return ProblemOf(gone)
}
