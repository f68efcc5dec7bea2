package operation

import (
	"context"
	"errors"
	"net/http"

	"cuota/internal/httpapi"
	"cuota/model"
	"cuota/query/batch"
	"cuota/sql"
)

// Endpoint is one operation that is answered from a batch. Its file declares the parameters as the struct P, and how to
// find the values of its reply, of the type R. A reply is R as JSON, or a httpapi.List. Pages of this process take R
// itself.
type Endpoint[P, R any] struct {
	Path string
	Need batch.Need

	// OfPeriod is the path of the operation that answers the same for each day of a period, if
	// there is one. A request with the dates of a period is told so.
	OfPeriod string

	// ForPages says that only the pages of this process may ask. The JSON of R is then for tests.
	ForPages bool

	// Check, if set, finds parameters that are each valid but contradict each other. today is
	// the day of known_at, if the request has one.
	Check func(today model.Date, params *P) []httpapi.Violation

	// Answers, if set, returns how many answers a request asks for, which count as CostOf says.
	Answers func(*P) int

	// Find returns the values. It may wait for ClickHouse.
	Find func(context.Context, *Request[P]) (R, error)

	// Known, if set, has the same values from the parts of the batch that are kept in memory. It
	// returns false if it can't.
	Known func(*Request[P]) (R, bool, error)

	// FromMemory, if set, makes the reply of the API from JSON that is kept in memory, before Known is asked. It
	// returns false if it can't.
	FromMemory func(*Request[P]) (httpapi.Reply, bool, error)

	// Table, if set, returns the statement of the rows of the reply, for formats other than JSON.
	// The struct P must embed FormatParams.
	Table func(context.Context, *Request[P]) (Table, error)

	// Parts are what the functions read of the batch in memory.
	Parts []batch.Loader
}

// Request is one request to an endpoint. Its parameters are valid.
type Request[P any] struct {
	Call *httpapi.Call
	Pinned
	Params *P
}

// Pinned is a batch as one request, or the loading of a part, reads it.
type Pinned struct {
	Batch  *batch.Batch
	Reader sql.Reader
	Today  model.Date // in Santiago; the day of known_at, if the request has one
	// Returns lists the ReturnKinds that the operator has enabled.
	Returns []string
	Cache   *batch.Cache
	// reads knows whether rows were read since the last check of the batch; nil: always check.
	reads *readLog
}

// Version identifies the batch and the day, which counts because some replies have ages in days.
func (p Pinned) Version() string {
	return p.Batch.ID + " " + p.Batch.InputFingerprint + " " + p.Today.String()
}

// Rows runs a statement of sql/queries over the rows of the batch, as sql.Rows does. It adds
// the argument batch.
func Rows[T any](ctx context.Context, p Pinned, statement string, args ...any) ([]T, error) {
	defer p.reads.read()
	return sql.Rows[T](ctx, p.Reader, statement, append(args, sql.Arg("batch", p.Batch.Number))...)
}

// AnyEndpoint is an endpoint with any parameters.
type AnyEndpoint interface {
	Operation(*Host) httpapi.Operation
	Loaders() []batch.Loader
}

// Loaders implements AnyEndpoint.
func (e Endpoint[P, R]) Loaders() []batch.Loader { return e.Parts }

// Operation returns the endpoint to the kernel.
func (e Endpoint[P, R]) Operation(h *Host) httpapi.Operation {
	access := httpapi.Keyed
	if e.ForPages {
		access = httpapi.Internal
	}
	served := answering{host: h, of: &e, need: e.Need, counts: e.Answers != nil, hasTable: e.Table != nil,
		hasMemory: e.FromMemory != nil || e.Known != nil}
	operation := httpapi.NewOperation(http.MethodGet, e.Path, access,
		func(params *P) []httpapi.Violation { return served.check(params) },
		func(ctx context.Context, c *httpapi.Call, params *P) (httpapi.Answer, error) {
			return served.answer(ctx, c, params)
		})
	operation.OfPeriod = e.OfPeriod
	return operation
}

// untyped is an Endpoint without its types. What all endpoints do alike is compiled once for all of them with it, and
// not once for each (docs/decisions/0081). params is a *P, and request a *Request[P].
type untyped interface {
	check(today model.Date, params any) []httpapi.Violation
	answers(params any) int
	request(c *httpapi.Call, p Pinned, params any) any
	find(ctx context.Context, request any) (any, error)
	known(request any) (found any, there bool, err error)
	fromMemory(request any) (reply httpapi.Reply, there bool, err error)
	table(ctx context.Context, request any) (Table, error)
}

func (e *Endpoint[P, R]) check(today model.Date, params any) []httpapi.Violation {
	if e.Check == nil {
		return nil
	}
	return e.Check(today, params.(*P))
}

func (e *Endpoint[P, R]) answers(params any) int { return e.Answers(params.(*P)) }

func (e *Endpoint[P, R]) request(c *httpapi.Call, p Pinned, params any) any {
	return &Request[P]{c, p, params.(*P)}
}

func (e *Endpoint[P, R]) find(ctx context.Context, request any) (any, error) {
	return e.Find(ctx, request.(*Request[P]))
}

func (e *Endpoint[P, R]) known(request any) (found any, there bool, err error) {
	if e.Known == nil {
		return nil, false, nil
	}
	return e.Known(request.(*Request[P]))
}

func (e *Endpoint[P, R]) fromMemory(request any) (reply httpapi.Reply, there bool, err error) {
	if e.FromMemory == nil {
		return reply, false, nil
	}
	return e.FromMemory(request.(*Request[P]))
}

func (e *Endpoint[P, R]) table(ctx context.Context, request any) (Table, error) {
	return e.Table(ctx, request.(*Request[P]))
}

// answering answers the requests to one endpoint.
type answering struct {
	host *Host
	of   untyped
	need batch.Need
	// whether the endpoint has the functions Answers, Table, and one of FromMemory and Known
	counts, hasTable, hasMemory bool
}

// check finds parameters that are each valid but contradict each other.
func (a *answering) check(params any) (wrong []httpapi.Violation) {
	today := a.host.Today()
	if at, _ := momentOf(params); at.given {
		wrong, today = checkKnownAt(a.host.Now(), at, params), at.day()
	}
	return append(wrong, a.of.check(today, params)...)
}

// answer binds a call with valid parameters to a batch, and says how its reply is made.
func (a *answering) answer(ctx context.Context, c *httpapi.Call, params any) (httpapi.Answer, error) {
	h := a.host
	if a.counts {
		if err := c.Charge(ctx, CostOf(a.of.answers(params))); err != nil {
			return httpapi.Answer{}, err
		}
	}
	p, err := h.Pin(ctx, c, a.need, params)
	if err != nil {
		return httpapi.Answer{}, err
	}
	c.Header.Set(BatchHeader, p.Batch.ID)
	NameContent(c.Header, params)
	p = p.Logged()
	r := a.of.request(c, p, params)
	answer := httpapi.Answer{
		Version: p.Version(),
		Make: func(ctx context.Context) (reply httpapi.Reply, err error) {
			ctx = WithRequestID(ctx)
			found, err := a.of.find(ctx, r)
			if err == nil {
				reply, err = httpapi.ReplyOf(found)
			}
			return reply, h.StillReadable(ctx, c.NamedVersion(), p, err)
		},
		Find: func(ctx context.Context) (any, error) { return a.forPage(ctx, c, p, r) },
	}
	if a.hasTable && pageOf(ctx) == nil { // a page takes the values
		if format := formatOf(c, params.(formatted).format()); format != "" {
			answer.Version += " " + format
			if !hasLimit(c) { // its default in JSON is not that of a table
				answer.Version += " all"
			}
			answer.Stream = func(ctx context.Context) (httpapi.Stream, error) {
				return h.stream(WithRequestID(ctx), c, p, format,
					func(ctx context.Context) (Table, error) { return a.of.table(ctx, r) })
			}
			return answer, nil
		}
	}
	if a.hasMemory && h.holds(p) {
		answer.Memory = func() (httpapi.Reply, bool, error) { return a.remembered(r) }
	}
	return answer, nil
}

// remembered makes the reply from memory. It returns false if it can't.
func (a *answering) remembered(r any) (reply httpapi.Reply, there bool, err error) {
	if reply, there, err = a.of.fromMemory(r); there || err != nil {
		return reply, there, err
	}
	found, there, err := a.of.known(r)
	if there && err == nil {
		reply, err = httpapi.ReplyOf(found)
	}
	return reply, there, err
}

// forPage returns what a page shows of the endpoint. The page itself checks after its last read that the batch is
// still kept.
func (a *answering) forPage(ctx context.Context, c *httpapi.Call, p Pinned, r any) (any, error) {
	if a.hasMemory && a.host.holds(p) {
		if found, there, err := a.of.known(r); there || err != nil {
			return found, err
		}
	}
	ctx = WithRequestID(ctx)
	found, err := a.of.find(ctx, r)
	if page := pageOf(ctx); page != nil && page.Batch == p.Batch {
		page.Read.Store(true)
		return found, err
	}
	return found, a.host.StillReadable(ctx, c.NamedVersion(), p, err)
}

// holds reports whether a request may be answered from memory. What is in memory is rendered for one day, which a
// request about a moment of another day must not replace.
func (h *Host) holds(p Pinned) bool { return p.Batch.InMemory() && p.Today == h.Today() }

// Part returns the values of a request that is a part of another one: from memory, or when there is a place for it to
// wait. The whole request checks afterwards that the batch is still kept.
func (e Endpoint[P, R]) Part(ctx context.Context, r *Request[P]) (found R, err error) {
	if e.Known != nil {
		var there bool
		if found, there, err = e.Known(r); there || err != nil {
			return found, err
		}
	}
	err = r.Call.Wait(ctx, func() (err error) {
		found, err = e.Find(ctx, r)
		return err
	})
	return found, err
}

// ServiceOperation is an operation without parameters that is not answered from a batch. Its
// reply is not cached.
func ServiceOperation(path string, access httpapi.Access,
	answer func(*httpapi.Call) (httpapi.Reply, error)) httpapi.Operation {
	return httpapi.NewOperation(http.MethodGet, path, access, nil,
		func(_ context.Context, c *httpapi.Call, _ *struct{}) (httpapi.Answer, error) {
			return httpapi.Answer{Make: func(context.Context) (httpapi.Reply, error) { return answer(c) }}, nil
		})
}

// WithRequestID marks the statements of a request with its id, in ClickHouse's query log and
// in the log of slow statements. The latter has the id of its trace too.
func WithRequestID(ctx context.Context) context.Context {
	if id := httpapi.RequestID(ctx); id != "" {
		return sql.ForRequest(ctx, id, httpapi.TraceID(ctx))
	}
	return ctx
}

// ProblemOf returns the response for an error of package batch, and any other error as it is.
func ProblemOf(err error) error {
	gone, earlier := (*batch.GoneError)(nil), (*batch.EarlierError)(nil)
	unavailable := func(code, detail string) error {
		return &httpapi.Problem{Status: http.StatusServiceUnavailable, Code: code, RetryAfter: httpapi.RetrySoon,
			Detail: detail}
	}
	switch {
	case errors.Is(err, batch.ErrNone):
		return unavailable("no_batch", "No batch of data is published yet, or this server has just started and has "+
			"not read it. Try again in a few seconds.")
	case errors.Is(err, batch.ErrNoCutoff):
		return unavailable("no_complete_cutoff",
			"No date of the published batch is complete yet. Try again when more data was loaded.")
	case errors.Is(err, batch.ErrBehind):
		return unavailable("copy_behind", "This server may not have the newest data yet. Ask again: another server may "+
			"answer at once, and this one answers when it has caught up.")
	case errors.Is(err, batch.ErrDamaged):
		return unavailable("damaged_batch",
			"Stored data was damaged and is being restored. Nothing is answered from it. Try again later.")
	case errors.As(err, &gone):
		return &httpapi.Problem{Status: http.StatusGone, Code: "batch_gone", CurrentBatch: gone.Current.ID,
			Detail: "There is no batch of this batch_id, or it is not kept any more. Begin again from the first " +
				"page, without batch_id or with the current_batch_id of this reply."}
	case errors.As(err, &earlier):
		since := earlier.Since.UTC().Format(instantForm)
		return &httpapi.Problem{Status: http.StatusGone, Code: "known_at_gone", CurrentBatch: earlier.Current.ID,
			KnownSince: since,
			Detail: "No batch of that moment is kept, or none was published yet. The earliest known_at that is " +
				"answered is " + since + "."}
	}
	return err
}
