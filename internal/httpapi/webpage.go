package httpapi

import (
	"context"
	"errors"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/julienschmidt/httprouter"
)

// WebPage is a path that people open in a browser. It is an operation like any other: its replies
// have a version, are cached, compressed and shared, unless it answers a form. It needs no key, and
// differs in two things: its replies need not be JSON, and its parameters are texts, which it passes on to the
// operations that it asks (Server.Ask). They check the texts.
type WebPage struct {
	Path string   // as in /series/{id}
	Type string   // Content-Type of the replies
	Keys []string // names of the parameters that it reads from the query string
	// More, if set, returns names of further ones, such as those of an operation that the page
	// asks. It is called for each request.
	More func() []string
	// Answer binds a call to a version of the data. The texts are the parameters of the path and
	// of the query string. Each is valid UTF-8 of at most maxPageText bytes, and not empty.
	Answer func(ctx context.Context, c *Call, texts url.Values) (Answer, error)
	// Problem makes the page for an error.
	Problem ProblemPage
	// Fields, if set, are the names of the fields of a form that the page answers, sent with POST. Such a reply is not
	// stored or cached, and the fields of the form are never logged.
	Fields []string
}

// ProblemPage makes an HTML page about an error, and sets its headers.
type ProblemPage func(r *http.Request, header http.Header, p PageProblem) []byte

const htmlType = "text/html; charset=utf-8"

// PageProblem is an error response as a page shows it.
type PageProblem struct {
	Status     int
	Code       string      // as in Problem; "invalid" if parameters are wrong
	Detail     string      // as in Problem
	RequestID  string      // of the access log
	Violations []Violation // what is wrong with the parameters
}

// These limits are those of the parameters of a page. A text is as long as the longest one that
// an operation takes.
const (
	maxPageText   = 200
	maxPageRepeat = 20
)

// NewWebPage makes the operation of a page.
func NewWebPage(page WebPage) Operation {
	op := Operation{Method: http.MethodGet, Path: page.Path, Access: Open, contentType: page.Type,
		problem: page.Problem}
	if len(page.Fields) > 0 {
		op.Method = http.MethodPost
	}
	var segments []string
	for _, segment := range strings.Split(page.Path, "/") {
		if name, is := strings.CutPrefix(segment, "{"); is {
			segments = append(segments, strings.TrimSuffix(name, "}"))
		}
	}
	op.answer = func(ctx context.Context, c *Call, params httprouter.Params) (Answer, error) {
		texts, err := page.texts(c, segments, params)
		if err != nil {
			return Answer{}, err
		}
		if len(page.Fields) == 0 {
			return page.Answer(ctx, c, texts)
		}
		if err := page.form(c, texts); err != nil {
			return Answer{}, err
		}
		answer, err := page.Answer(ctx, c, texts)
		answer.Version = "" // so that nothing keeps the reply
		return answer, err
	}
	return op
}

// form adds the fields of the form in the body to the texts. A field may be as long as a body.
func (page WebPage) form(c *Call, texts url.Values) error {
	kind, _, err := mime.ParseMediaType(c.Request.Header.Get("Content-Type"))
	if err != nil || kind != "application/x-www-form-urlencoded" {
		return Invalid{{Loc: []string{"header", "Content-Type"}, Type: "value_error",
			Msg: "Must be application/x-www-form-urlencoded: the body is that of a form"}}
	}
	body, err := BodyOf(c.Request)
	if err != nil {
		return err
	}
	fields, err := url.ParseQuery(string(body))
	if err != nil {
		return Invalid{{Loc: []string{"body"}, Type: "value_error", Msg: "Is not well-formed"}}
	}
	for _, name := range page.Fields {
		switch text := fields.Get(name); {
		case !utf8.ValidString(text):
			return Invalid{{Loc: []string{"body", name}, Type: "string_unicode", Msg: "Must be UTF-8 text"}}
		case text != "":
			texts.Set(name, text)
		}
	}
	return nil
}

// texts reads the parameters of a call, and makes them part of its validator.
func (page WebPage) texts(c *Call, segments []string, params httprouter.Params) (url.Values, error) {
	if c.malformed != nil {
		return nil, malformedQuery()
	}
	texts := url.Values{}
	var wrong Invalid
	for _, name := range segments {
		texts[name] = []string{unescaped(params.ByName(name))}
	}
	keys := slices.Clone(page.Keys)
	if page.More != nil {
		keys = append(keys, page.More()...)
	}
	for _, name := range keys {
		given := slices.DeleteFunc(slices.Clone(c.query[name]), func(text string) bool { return text == "" })
		if len(given) > maxPageRepeat {
			wrong = append(wrong, Violation{Loc: []string{"query", name}, Type: "too_long",
				Msg: "Must be given at most 20 times"})
		} else if len(given) > 0 {
			texts[name] = given
		}
	}
	for _, name := range append(slices.Clone(segments), keys...) {
		for _, text := range texts[name] {
			if len(text) > maxPageText || !utf8.ValidString(text) {
				wrong = append(wrong, Violation{Loc: []string{"query", name}, Type: "string_too_long",
					Input: Echo(text), Msg: "Must be UTF-8 text of at most 200 bytes"})
			}
		}
	}
	if len(wrong) > 0 {
		return nil, wrong
	}
	c.values = []value{{given: true, text: texts.Encode()}}
	return texts, nil
}

// maxAsked is how many operations are asked at once by all pages together. Without the limit,
// pages that ask many operations each would use up the connections of the database driver.
const maxAsked = 8

// Ask returns what an operation finds, for a page that makes its own reply of it. It needs no key, counts no request
// and caches nothing, because the reply that is made from it is cached. texts are the parameters of the path and of
// the query string. Its errors are those of the operation: *Problem and Invalid among others.
func (s *Server) Ask(ctx context.Context, path string, texts url.Values) (any, error) {
	op, known := s.operations[path]
	if !known {
		return nil, NotFound("There is no such operation: " + path)
	}
	// The caller holds a turn already. Its call must not wait for another one: if every turn were
	// held by such callers, none would ever end.
	select {
	case s.asking <- struct{}{}:
		defer func() { <-s.asking }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	c := &Call{op: op, Header: http.Header{}, query: url.Values{}}
	var params httprouter.Params
	for name, given := range texts {
		if strings.Contains(path, "{"+name+"}") {
			params = append(params, httprouter.Param{Key: name, Value: url.PathEscape(given[0])})
		} else {
			c.query[name] = given
		}
	}
	answer, err := op.answer(ctx, c, params)
	if err != nil {
		return nil, err
	}
	if answer.Find == nil {
		return nil, errors.New("pages can't ask " + path)
	}
	return answer.Find(ctx)
}

// ParametersOf returns the parameters of an operation, and nil if there is none with this path.
func (s *Server) ParametersOf(path string) []Parameter {
	if op := s.operations[path]; op != nil {
		return op.Parameters
	}
	return nil
}

// notFound answers a path that no operation has: browsers with a page, if there is one, and
// all others with next.
func (s *Server) notFound(next http.Handler) http.Handler {
	page := s.config.NotFoundPage
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if page == nil || strings.HasPrefix(r.URL.Path, "/api/") ||
			!strings.Contains(r.Header.Get("Accept"), "text/html") {
			next.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("Content-Type", htmlType)
		writeBody(w, http.StatusNotFound, page(r, w.Header(), PageProblem{
			Status: http.StatusNotFound, Code: "not_found", RequestID: recordOf(r.Context()).id,
		}))
	})
}
