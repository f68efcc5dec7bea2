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

// operation is one method on one path, with all that the server needs to route a request,
// admit the caller, check the parameters, and answer.
type operation struct {
	method string
	path   string // as in the document: /api/real_assets/{asset_id}/days
	access access
	reads  reads
	params []param

	// check, if set, finds parameters that are each valid but contradict each other.
	check func(values) []violation

	// answer makes the reply. A *problem and an invalid become the response that they
	// describe. A *readError becomes 503, and any other error 500.
	answer func(context.Context, *call) (reply, error)

	// hot, if set, makes the same reply from the snapshot. It returns false if it can't.
	hot func(*call, *snapshot, *rendering) (reply, bool)
}

// access says which key an operation needs, and whether it counts requests.
type access int

const (
	open      access = iota // no key needed
	keyed                   // needs an API key; the request counts
	uncounted               // needs an API key; the request does not count
)

// reads says what an operation needs from the published batch.
type reads int

const (
	noBatch       reads = iota // works without a batch
	anyBatch                   // a published batch
	completeBatch              // a published batch that has a cutoff
)

// call is one admitted request. Its parameters are valid.
type call struct {
	values
	op        *operation
	request   *http.Request
	given     url.Values  // the query string as far as it is well-formed; parse removes the parameters that it knows
	malformed error       // why the query string is not well-formed; nil if it is
	header    http.Header // of the response
	key       account.Key // only of keyed and uncounted operations
	usage     account.Usage
	batch     *batch // the batch to answer from; nil only if the operation works without one and none is published
	validity  string // strong validator without quotes; empty if the reply must not be cached
}

// reply is the response of an operation that succeeded.
type reply struct {
	status  int
	body    any    // encoded as JSON; a []byte is already JSON
	source  source // where body came from
	release func() // if not nil, called when the reply was sent or can't be

	// write, if set, makes the body piece by piece; body is nil then.
	write func(io.Writer) error
	// making, if set, is the body of a reply that is sent while it is made; body is nil
	// then.
	making *production
}

func ok(body any) (reply, error) { return reply{status: http.StatusOK, body: body}, nil }

// operations is the table of everything that the server answers.
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

// routes makes the router for the table. It answers HEAD wherever it answers GET, and
// counts it in the same way.
func (s *Server) routes(table []operation) *httprouter.Router {
	router := httprouter.New()
	router.RedirectTrailingSlash = false // a redirect would repeat the query string in its Location header
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

// serve takes a request through all steps between the router and the reply.
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
