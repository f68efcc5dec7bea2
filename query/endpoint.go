package query

import (
	"context"
	"errors"
	"net/http"

	"cuota/internal/httpapi"
	"cuota/model"
	"cuota/query/batch"
	"cuota/sql"
)

// endpoint is one operation of the API that is answered from a batch. Its file declares the
// parameters as the struct P, the reply, and how to make it.
type endpoint[P any] struct {
	path string
	need batch.Need

	// ofPeriod is the path of the operation that answers the same for each day of a period, if
	// there is one. A request with the dates of a period is told so.
	ofPeriod string

	// forPages says that only the pages of this process may ask.
	forPages bool

	// check, if set, finds parameters that are each valid but contradict each other. today is
	// the day of known_at, if the request has one.
	check func(today model.Date, params *P) []httpapi.Violation

	// answer makes the reply from ClickHouse.
	answer func(context.Context, *request[P]) (httpapi.Reply, error)

	// table, if set, gives the statement of the rows of the reply, for formats other than JSON.
	// The struct P must embed formatParams.
	table func(context.Context, *request[P]) (table, error)

	// fromMemory, if set, makes the same reply from the parts of the batch that are kept in
	// memory. It returns false if it can't.
	fromMemory func(*request[P]) (httpapi.Reply, bool, error)

	// parts are what fromMemory or answer reads of the batch in memory.
	parts []batch.Loader
}

// request is one request to an endpoint. Its parameters are valid.
type request[P any] struct {
	*httpapi.Call
	pinned
	params *P
}

// pinned is a batch as one request, or the loading of a part, reads it.
type pinned struct {
	batch  *batch.Batch
	reader sql.Reader
	today  model.Date // in Santiago; the day of known_at, if the request has one
	// returns lists the ReturnKinds that the operator has enabled.
	returns []string
	cache   *batch.Cache
	// reads knows whether rows were read since the last check of the batch; nil: always check.
	reads *readLog
}

// version identifies the batch and the day, which counts because some replies have ages in days.
func (p pinned) version() string {
	return p.batch.ID + " " + p.batch.InputFingerprint + " " + p.today.String()
}

// rows runs a statement of sql/queries over the rows of the batch, as sql.Rows does. It adds
// the argument batch.
func rows[T any](ctx context.Context, p pinned, statement string, args ...any) ([]T, error) {
	defer p.reads.read()
	return sql.Rows[T](ctx, p.reader, statement, append(args, sql.Arg("batch", p.batch.Number))...)
}

// anyEndpoint is an endpoint with any parameters.
type anyEndpoint interface {
	operation(*Server) httpapi.Operation
	loaders() []batch.Loader
}

func (e endpoint[P]) loaders() []batch.Loader { return e.parts }

// operation returns the endpoint to the kernel.
func (e endpoint[P]) operation(s *Server) httpapi.Operation {
	check := func(params *P) (wrong []httpapi.Violation) {
		today := s.today()
		if at, _ := momentOf(params); at.given {
			wrong, today = checkKnownAt(s.config.HTTP.Now(), at, params), at.day()
		}
		if e.check != nil {
			wrong = append(wrong, e.check(today, params)...)
		}
		return wrong
	}
	access := httpapi.Keyed
	if e.forPages {
		access = httpapi.Internal
	}
	operation := httpapi.NewOperation(http.MethodGet, e.path, access, check, func(ctx context.Context, c *httpapi.Call, params *P) (httpapi.Answer, error) {
		p, err := s.pin(ctx, c, e.need, params)
		if err != nil {
			return httpapi.Answer{}, err
		}
		c.Header.Set(BatchHeader, p.batch.ID)
		p.reads = new(readLog)
		r := &request[P]{c, p, params}
		answer := httpapi.Answer{
			Version: p.version(),
			Make: func(ctx context.Context) (httpapi.Reply, error) {
				ctx = withRequestID(ctx)
				reply, err := e.answer(ctx, r)
				if page := pageOf(ctx); page != nil && page.pinned.batch == p.batch {
					page.read.Store(true) // the page itself checks after its last read
					return reply, err
				}
				return reply, s.stillReadable(ctx, c.NamedVersion(), p, err)
			},
		}
		if e.table != nil {
			if format := formatOf(c, any(params).(formatted).format()); format != "" {
				answer.Version += " " + format
				if !hasLimit(c) { // its default in JSON is not that of a table
					answer.Version += " all"
				}
				answer.Stream = func(ctx context.Context) (httpapi.Stream, error) {
					return s.stream(withRequestID(ctx), c, r.pinned, format, func(ctx context.Context) (table, error) { return e.table(ctx, r) })
				}
				return answer, nil
			}
		}
		// What is in memory is rendered for one day, which a request about a moment of
		// another day must not replace.
		if e.fromMemory != nil && p.batch.InMemory() && p.today == s.today() {
			answer.Memory = func() (httpapi.Reply, bool, error) { return e.fromMemory(r) }
		}
		return answer, nil
	})
	operation.OfPeriod = e.ofPeriod
	return operation
}

// serviceOperation is an operation without parameters that is not answered from a batch. Its
// reply is not cached.
func serviceOperation(path string, access httpapi.Access, answer func(*httpapi.Call) (httpapi.Reply, error)) httpapi.Operation {
	return httpapi.NewOperation(http.MethodGet, path, access, nil, func(_ context.Context, c *httpapi.Call, _ *struct{}) (httpapi.Answer, error) {
		return httpapi.Answer{Make: func(context.Context) (httpapi.Reply, error) { return answer(c) }}, nil
	})
}

// withRequestID marks the statements of a request with its id, in ClickHouse's query log and
// in the log of slow statements.
func withRequestID(ctx context.Context) context.Context {
	if id := httpapi.RequestID(ctx); id != "" {
		return sql.ForRequest(ctx, id)
	}
	return ctx
}

// pin chooses the batch of a call with these parameters. Its errors are those of Follower.Pin
// and Follower.PinKnownAt, as the caller sees them.
func (s *Server) pin(ctx context.Context, c *httpapi.Call, need batch.Need, params any) (pinned, error) {
	ctx = withRequestID(ctx)
	at, takesMoment := momentOf(params)
	var known batch.KnownAt
	var err error
	var b *batch.Batch
	if page, named := pageOf(ctx), c.NamedVersion(); page != nil && (named == "" || named == page.ID()) {
		b = page.pinned.batch // else the page shows an older batch
	}
	if b != nil && need == batch.Complete && b.AsOf == nil {
		err = batch.ErrNoCutoff
	} else if b != nil {
		known.Batch = b
	} else if at.given {
		known, err = s.follower.PinKnownAt(ctx, need, at.at, c.Wait)
	} else {
		known.Batch, err = s.follower.Pin(ctx, need, c.NamedVersion(), c.Wait)
	}
	if err != nil {
		return pinned{}, problemOf(err)
	}
	p := s.pinnedTo(known.Batch)
	if at.given {
		p.today = at.day()
	}
	if takesMoment {
		nameBatch(c.Header, known)
	}
	return p, nil
}

func (s *Server) pinnedTo(b *batch.Batch) pinned {
	return pinned{b, s.follower.Reader(b), s.today(), s.config.Returns, s.cache, nil}
}

// stillReadable checks after the last read of a reply that the batch was not retired or
// damaged meanwhile, and gives the error of the reply. If the batch was retired, rows may
// have been missing: a wrong reply would be cached, or would say that something is unknown.
// named is the batch that the caller named, or "".
func (s *Server) stillReadable(ctx context.Context, named string, p pinned, err error) error {
	if errors.As(err, new(*sql.ReadError)) {
		return err
	}
	gone := p.checkReadable(ctx)
	switch current := s.follower.Current(); {
	case gone == nil:
		return err
	case errors.Is(gone, batch.ErrRetired) && named != "" && p.batch.ID != current.ID:
		return problemOf(&batch.GoneError{Current: current}) // the caller named the batch, so asking again does not help
	}
	return problemOf(gone)
}

// problemOf returns the response for an error of package batch, and any other error as it is.
func problemOf(err error) error {
	gone, earlier := (*batch.GoneError)(nil), (*batch.EarlierError)(nil)
	unavailable := func(code, detail string) error {
		return &httpapi.Problem{Status: http.StatusServiceUnavailable, Code: code, RetryAfter: httpapi.RetrySoon, Detail: detail}
	}
	switch {
	case errors.Is(err, batch.ErrNone):
		return unavailable("no_batch", "No batch of data is published yet. Try again when data was loaded.")
	case errors.Is(err, batch.ErrNoCutoff):
		return unavailable("no_complete_cutoff", "No date of the published batch is complete yet. Try again when more data was loaded.")
	case errors.Is(err, batch.ErrDamaged):
		return unavailable("damaged_batch", "Stored data was damaged and is being restored. Nothing is answered from it. Try again later.")
	case errors.As(err, &gone):
		return &httpapi.Problem{Status: http.StatusGone, Code: "batch_gone", CurrentBatch: gone.Current.ID,
			Detail: "There is no batch of this batch_id, or it is not kept any more. Begin again from the first page, without batch_id or with the current_batch_id of this reply."}
	case errors.As(err, &earlier):
		since := earlier.Since.UTC().Format(instantForm)
		return &httpapi.Problem{Status: http.StatusGone, Code: "known_at_gone", CurrentBatch: earlier.Current.ID, KnownSince: since,
			Detail: "No batch of that moment is kept, or none was published yet. The earliest known_at that is answered is " + since + "."}
	}
	return err
}
