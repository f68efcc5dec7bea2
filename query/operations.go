package query

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"

	"cuota/internal/account"

	"github.com/julienschmidt/httprouter"
)

// operation is one method on one path: all that the server needs to route it,
// to admit a caller, to check what it was given, and to answer.
type operation struct {
	method string
	path   string // as in the document: /api/real_assets/{asset_id}/days
	access access
	reads  reads
	params []param

	// check, when set, judges parameters that are each valid but do not fit
	// together.
	check func(values) []violation

	// answer gives the reply. A *problem or an invalid becomes the response
	// that it describes; any other error is a 503 when reading failed, and an
	// internal error otherwise.
	answer func(context.Context, *call) (reply, error)

	// hot, when set, gives the same reply from memory, or false where it can't.
	hot func(*call, *snapshot, *rendering) (reply, bool)
}

// access says who may call an operation.
type access int

const (
	open      access = iota // no key
	keyed                   // an API key; the request counts
	uncounted               // an API key; the request does not count
)

// reads says what an operation needs of the published batch.
type reads int

const (
	noBatch       reads = iota // nothing, or it copes with there being none
	anyBatch                   // a published batch
	completeBatch              // a published batch that has a cutoff
)

// call is one admitted request with valid parameters.
type call struct {
	values
	op        *operation
	request   *http.Request
	given     url.Values  // of the query string, as far as it is well-formed; parse takes out what it knows
	malformed error       // what is not
	header    http.Header // of the response
	key       account.Key // of keyed and uncounted operations
	usage     account.Usage
	batch     *batch // pinned; nil where the operation reads none and none is published
	validity  string // strong validator, without quotes; empty for replies that are never the same
}

// reply is the response of an operation that succeeded.
type reply struct {
	status  int
	body    any    // encoded as JSON; a []byte is JSON already
	source  source // of the body
	release func() // called once the reply is sent, or can't be; may be nil

	// write, in place of body, writes it as it is made.
	write func(io.Writer) error
	// making, in place of body, is sent while it is made.
	making *production
}

func ok(body any) (reply, error) { return reply{status: http.StatusOK, body: body}, nil }

// operations is the one table of what the server answers.
func (s *Server) operations() []operation {
	return []operation{
		s.healthOperation(),
		s.liveOperation(),
		s.readyOperation(),
		s.documentOperation(),
		s.keyInfoOperation(),
		s.assetProvidersOperation(),
		s.conceptualAssetsOperation(),
		s.realAssetsOperation(),
		s.daysOperation(),
		s.returnsOperation(),
		s.expenseRatioOperation(),
		s.expenseRatioHistoryOperation(),
		s.riskMetricsOperation(),
		s.compareOperation(),
		s.screenerOperation(),
		s.tacChangesOperation(),
		s.allFundsOperation(),
		s.marketSummaryOperation(),
		s.familyIndexOperation(),
		s.rankingOperation(),
		s.evolutionOperation(),
		s.portfolioSummaryOperation(),
		s.portfolioHoldingsOperation(),
		s.benchmarksOperation(),
		s.benchmarkPricesOperation(),
		s.article107Operation(),
		s.fiInstrumentsOperation(),
		s.fiInstrumentOperation(),
		s.fiPricesOperation(),
		s.fiHoldingsOperation(),
		s.fiSummaryOperation(),
	}
}

// routes makes the router of the table. HEAD is answered wherever GET is, and
// counts like it.
func (s *Server) routes(table []operation) *httprouter.Router {
	router := httprouter.New()
	router.RedirectTrailingSlash = false // a redirect would repeat the query string
	router.RedirectFixedPath = false
	router.NotFound = s.always(&problem{status: http.StatusNotFound, code: "not_found",
		detail: "There is no such path. GET /openapi.json lists those that there are."})
	router.MethodNotAllowed = s.always(&problem{status: http.StatusMethodNotAllowed, code: "method_not_allowed",
		detail: "This path does not take that method. The Allow header lists those it takes."})
	router.GlobalOPTIONS = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNoContent)
	})
	for i := range table {
		op := &table[i]
		if op.reads != noBatch {
			op.answer = s.whole(op.answer)
		}
		pattern := strings.NewReplacer("{", ":", "}", "").Replace(op.path)
		router.Handle(op.method, pattern, s.serve(op))
		if op.method == http.MethodGet {
			router.HEAD(pattern, s.serve(op))
		}
	}
	return router
}

// serve takes a request through everything between the router and the answer.
func (s *Server) serve(op *operation) httprouter.Handle {
	meter := s.meters.of(op.path)
	return func(w http.ResponseWriter, r *http.Request, path httprouter.Params) {
		record := recordOf(r.Context())
		record.route, record.meter = op.path, meter
		c := &call{op: op, request: r, header: w.Header()}
		c.given, c.malformed = url.ParseQuery(r.URL.RawQuery)
		out, err := s.run(r.Context(), op, c, path)
		if err != nil {
			s.fail(w, r, err)
			return
		}
		if out.release != nil {
			defer out.release()
		}
		s.write(w, r, c, out)
	}
}

func (s *Server) run(ctx context.Context, op *operation, c *call, path httprouter.Params) (reply, error) {
	if op.access != open {
		if err := s.admit(ctx, op, c); err != nil {
			return reply{}, err
		}
	}
	parsed, ignored, err := op.parse(c, path)
	if len(ignored) > 0 {
		c.header.Set("X-Ignored-Parameters", ignored)
	}
	if err != nil {
		return reply{}, err
	}
	c.values = parsed
	if c.batch, err = s.pin(ctx, op, c.text("batch_id")); err != nil {
		return reply{}, err
	}
	if op.reads == noBatch {
		return op.answer(ctx, c)
	}
	c.validity = s.validity(op, c)
	if validator := sameAs(c.request, c.validity); validator != "" {
		c.header.Set("ETag", validator)
		return reply{status: http.StatusNotModified}, nil
	}
	if op.hot != nil && c.batch.snapshot != nil {
		drawn, err := c.batch.snapshot.on(s.today(), s)
		if err != nil {
			return reply{}, err
		}
		if out, there := op.hot(c, c.batch.snapshot, drawn); there {
			out.source = fromSnapshot
			return out, nil
		}
	}
	return s.replies.answer(ctx, op, c)
}
