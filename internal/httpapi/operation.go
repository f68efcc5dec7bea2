package httpapi

import (
	"context"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"time"

	"cuota/internal/account"

	"github.com/julienschmidt/httprouter"
)

// Operation is one method on one path. NewOperation makes it.
type Operation struct {
	Method     string
	Path       string // as in the document: /api/real_assets/{asset_id}/days
	Access     Access
	Scope      account.Scope // that a key needs if it has scopes; "": none
	Parameters []Parameter
	// OfPeriod is the path of the operation that answers the same for each day of a period; ""
	// if there is none.
	OfPeriod string

	contentType string      // of replies; "" is JSON
	problem     ProblemPage // of pages: makes error responses; nil: they are JSON

	// answer parses the parameters of a call and binds it to a version of the data.
	answer func(context.Context, *Call, httprouter.Params) (Answer, error)
}

// Access says which key an operation needs, and whether it counts requests.
type Access int

const (
	Open      Access = iota // no key needed
	Keyed                   // needs an API key; the request counts
	Uncounted               // needs an API key; the request does not count
	Internal                // not served; pages of the process may ask it
)

// Answer is a request that an operation has bound to a version of the data. Requests with
// the same version and the same parameters have the same reply, byte for byte.
type Answer struct {
	// Version identifies the data and everything else that the reply depends on besides the
	// parameters and the build of the program. If it is empty, the reply is not cached, and
	// comes from Make.
	Version string
	// Memory, if set, makes the reply without waiting for anything. It returns false if it
	// can't.
	Memory func() (Reply, bool, error)
	// Make makes the reply. A *Problem and an Invalid become the response that they
	// describe. An error whose method Unavailable returns true becomes 503, and any other 500.
	Make func(context.Context) (Reply, error)
	// Find, if set, returns the values of which the reply consists, for a page of this process. Its errors are those
	// of Make.
	Find func(context.Context) (any, error)
	// Stream, if set, returns the reply in place of Memory and Make, and Version must not be
	// empty. Its errors are those of Make.
	Stream func(context.Context) (Stream, error)
}

// NewOperation makes an operation whose parameters are the fields of the struct P, as
// Parameter explains. It panics if a field is not declared correctly. check, if not nil,
// finds parameters that are each valid but contradict each other. A keyed operation needs the scope to read; the caller
// may set another one. bind returns the answer for
// a call whose parameters are valid.
func NewOperation[P any](method, path string, access Access,
	check func(*P) []Violation, bind func(context.Context, *Call, *P) (Answer, error)) Operation {
	op, fields := newOperation(method, path, access, reflect.TypeFor[P]())
	op.answer = func(ctx context.Context, c *Call, segments httprouter.Params) (Answer, error) {
		params := new(P)
		if err := c.parse(fields, params, segments); err != nil {
			return Answer{}, err
		}
		if check != nil {
			if wrong := check(params); len(wrong) > 0 {
				return Answer{}, Invalid(wrong)
			}
		}
		return bind(ctx, c, params)
	}
	return op
}

// newOperation makes an operation that does not answer yet, and reads its parameters from the type of their struct.
func newOperation(method, path string, access Access, params reflect.Type) (Operation, []field) {
	fields := fieldsOfType(params, path)
	op := Operation{Method: method, Path: path, Access: access}
	if access == Keyed {
		op.Scope = account.ReadScope
	}
	for _, f := range fields {
		op.Parameters = append(op.Parameters, f.Parameter)
	}
	return op, fields
}

// Call is one admitted request.
type Call struct {
	Request *http.Request // nil if a page of this process asks
	Header  http.Header   // of the response
	Key     account.Key   // only of keyed and uncounted operations
	Usage   account.Usage
	keys    Keys      // counts the call; nil if it is not counted
	counted time.Time // when the call was counted
	cost    int64     // as how many requests the call is counted; 0 if it is not

	// Validator is the strong validator of the reply, without quotes. It is empty if the
	// reply must not be cached. An operation without a version may set it.
	Validator string
	weak      bool // Validator says only that the rows are the same

	op        *Operation
	query     url.Values // the query string as far as it is well-formed; parse removes the parameters that it knows
	malformed error      // why the query string is not well-formed; nil if it is
	values    []value    // one for each parameter of the operation
	capacity  *capacity
	dates     map[string]bool // as in Server
}

// NamedVersion is the version of the data that the caller names, and "" if it names none.
func (c *Call) NamedVersion() string {
	for i, p := range c.op.Parameters {
		if p.Name == VersionParameter {
			return c.values[i].text
		}
	}
	return ""
}

// Wait runs a read that must be made before the call is bound to a version. It counts
// against the limit of requests that wait for data, and fails with 503 if there is no place. A
// call of another operation of the process has the place of that operation.
func (c *Call) Wait(ctx context.Context, read func() error) error {
	if c.capacity == nil {
		return read()
	}
	return c.capacity.do(ctx, read)
}

// router makes the router for the operations. It answers HEAD wherever it answers GET, and
// counts it in the same way.
func (s *Server) router(operations []Operation) *httprouter.Router {
	router := httprouter.New()
	router.RedirectTrailingSlash = false // a redirect would repeat the query string in its Location header
	router.RedirectFixedPath = false
	router.NotFound = s.notFound(s.always(&Problem{Status: http.StatusNotFound, Code: "not_found",
		Detail: "There is no such path. GET /openapi.json lists those that there are."}))
	router.MethodNotAllowed = s.always(&Problem{Status: http.StatusMethodNotAllowed, Code: "method_not_allowed",
		Detail: "This path does not take that method. The Allow header lists those it takes."})
	router.GlobalOPTIONS = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNoContent)
	})
	for i := range operations {
		op := &operations[i]
		if op.Access == Internal {
			continue
		}
		pattern := strings.NewReplacer("{", ":", "}", "").Replace(op.Path)
		router.Handle(op.Method, pattern, s.serve(op))
		if op.Method == http.MethodGet {
			router.HEAD(pattern, s.serve(op))
		}
	}
	return router
}

// serve takes a request through all steps between the router and the reply.
func (s *Server) serve(op *Operation) httprouter.Handle {
	meter := s.meters.of(op.Path)
	return func(w http.ResponseWriter, r *http.Request, segments httprouter.Params) {
		record := recordOf(r.Context())
		record.route, record.meter = op.Path, meter
		c := &Call{op: op, Request: r, Header: w.Header(), capacity: s.cache.capacity, dates: s.dates}
		c.query, c.malformed = url.ParseQuery(r.URL.RawQuery)
		if op.contentType != "" {
			w.Header().Set("Content-Type", op.contentType)
		}
		out, err := s.run(r.Context(), c, segments)
		if err != nil {
			s.failCall(w, r, c, err)
			return
		}
		if out.File != nil {
			s.sendFile(w, r, c, out.File)
			return
		}
		if out.stream != nil {
			s.pass(w, r, c, out.stream)
			return
		}
		defer out.release()
		s.write(w, r, c, &out)
	}
}

// run admits a call, finds its answer, and makes the reply, unless the caller has it already.
func (s *Server) run(ctx context.Context, c *Call, segments httprouter.Params) (Reply, error) {
	if c.op.Access != Open {
		if err := s.admit(ctx, c); err != nil {
			return Reply{}, err
		}
	}
	answer, err := c.op.answer(ctx, c, segments)
	if err != nil {
		return Reply{}, err
	}
	if answer.Version == "" {
		out, err := answer.Make(ctx)
		if err == nil {
			err = s.cache.capacity.hold(&out)
		}
		return out, err
	}
	c.Validator, c.weak = s.validator(c, answer.Version), answer.Stream != nil
	if validator := sameAs(c.Request, c.Validator); validator != "" {
		return Reply{status: http.StatusNotModified}, nil
	}
	if answer.Stream != nil {
		if strings.TrimSpace(c.Request.Header.Get("If-None-Match")) == "*" {
			return Reply{status: http.StatusNotModified}, nil
		}
		return Reply{stream: answer.Stream}, nil
	}
	out, err := s.reply(ctx, c, answer)
	if err == nil {
		err = s.cache.capacity.hold(&out)
	}
	return out, err
}

// reply returns the reply of an answer that has a version.
func (s *Server) reply(ctx context.Context, c *Call, answer Answer) (Reply, error) {
	if answer.Memory != nil {
		if out, there, err := answer.Memory(); there || err != nil {
			if err == nil && out.Write != nil {
				listing := out.Listing
				out, err = written(out.Write)
				out.Listing = listing
			}
			out.source = fromMemory
			return out, err
		}
	}
	return s.cache.answer(ctx, c.Validator, answer.Make)
}
