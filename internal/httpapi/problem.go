package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
)

// RetrySoon is the Retry-After, in seconds, for causes that usually pass by themselves (the
// interface contract, section 1).
const RetrySoon = 5

// Problem is an error response other than 422 (RULES 13).
type Problem struct {
	Status     int
	Code       string // stable word for programs
	Detail     string // sentence that tells the caller what to do
	RetryAfter int    // seconds; 0 for no Retry-After
	Cause      error  // only for the log

	CurrentBatch string // batch_id to continue with if the requested batch is gone
	KnownSince   string // the earliest known_at that is answered, if the requested one is not
	// Worked says that the work of the request was done, so that the request is charged although
	// the reply tells to wait.
	Worked bool
}

func (p *Problem) Error() string {
	if p.Cause != nil {
		return p.Code + ": " + p.Cause.Error()
	}
	return p.Code
}

func (p *Problem) Unwrap() error { return p.Cause }

// NotFound is the 404 with a detail for the caller.
func NotFound(detail string) error {
	return &Problem{Status: http.StatusNotFound, Code: "not_found", Detail: detail}
}

// unavailable is an error of which the operation says that the same request may succeed
// later, such as a database that does not answer. Callers get 503.
type unavailable interface {
	error
	Unavailable() bool
}

// isUnavailable reports whether err is or wraps an unavailable one.
func isUnavailable(err error) bool {
	var later unavailable
	return errors.As(err, &later) && later.Unavailable()
}

// Violation is one thing that is wrong with a request, as 422 lists it.
type Violation struct {
	Loc   []string `json:"loc"`
	Msg   string   `json:"msg"`
	Type  string   `json:"type"`
	Input string   `json:"input,omitempty"`
}

// Invalid is a request with wrong parameters. It becomes a 422 that lists everything wrong
// with them.
type Invalid []Violation

func (v Invalid) Error() string { return "invalid request" }

// fail writes the response for err.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	w.Header().Del("Content-Type")
	w.Header().Set("Cache-Control", "no-store")
	out := failure{RequestID: recordOf(r.Context()).id}
	status, violations := http.StatusUnprocessableEntity, (Invalid)(nil)
	if !errors.As(err, &violations) {
		p := problemOf(w, r, err)
		status = p.Status
		out.Detail, out.Code, out.CurrentBatch, out.KnownSince = p.Detail, p.Code, p.CurrentBatch, p.KnownSince
	}
	switch {
	case takesProblems(r.Header):
		if violations != nil {
			out.Detail, out.Code = "Some of the request is wrong: errors lists all of it.", "invalid"
		}
		w.Header().Set("Content-Type", problemType)
		writeJSON(w, status, problemDetails{"about:blank", http.StatusText(status), status, violations, out})
	case violations != nil:
		writeJSON(w, status, map[string]any{"detail": violations})
	default:
		writeJSON(w, status, out)
	}
}

// problemType is the media type of errors of RFC 9457, for clients that name it in Accept.
const problemType = "application/problem+json"

// takesProblems reports whether a client names the media type of RFC 9457. Whoever names it can read it, whatever else
// they like better for other replies.
func takesProblems(header http.Header) bool {
	for name, weight := range accepted(header) {
		if name == problemType && weight > 0 {
			return true
		}
	}
	return false
}

// problemDetails is an error in the form of RFC 9457, with the members of the usual form.
type problemDetails struct {
	Type   string  `json:"type"`
	Title  string  `json:"title"`
	Status int     `json:"status"`
	Errors Invalid `json:"errors,omitempty"` // what is wrong with the request
	failure
}

// failCall writes the response for err in the form of the operation: JSON or a page.
func (s *Server) failCall(w http.ResponseWriter, r *http.Request, c *Call, err error) {
	if r.Context().Err() == nil && tellsToWait(err) {
		s.refund(r.Context(), c)
	}
	if c.op.problem == nil {
		s.fail(w, r, err)
		return
	}
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Type", htmlType)
	w.Header().Del("Content-Disposition") // of a file that could not be made
	shown := PageProblem{Status: http.StatusUnprocessableEntity, Code: "invalid", RequestID: recordOf(r.Context()).id}
	if violations := (Invalid)(nil); errors.As(err, &violations) {
		shown.Violations = violations
	} else {
		p := problemOf(w, r, err)
		shown.Status, shown.Code, shown.Detail = p.Status, p.Code, p.Detail
	}
	writeBody(w, shown.Status, c.op.problem(r, w.Header(), shown))
}

// tellsToWait reports whether the response of an error is 503 with Retry-After, and nothing was
// computed for it. If a statement ran into its limits, its work was done.
func tellsToWait(err error) bool {
	if p := (*Problem)(nil); errors.As(err, &p) {
		return p.Status == http.StatusServiceUnavailable && p.RetryAfter > 0 && !p.Worked
	}
	if worked := (interface{ Worked() bool })(nil); errors.As(err, &worked) && worked.Worked() {
		return false
	}
	return isUnavailable(err)
}

// problemOf returns the problem of an error other than Invalid. It logs its cause and sets
// Retry-After.
func problemOf(w http.ResponseWriter, r *http.Request, err error) *Problem {
	record := recordOf(r.Context())
	var p *Problem
	if !errors.As(err, &p) {
		p = &Problem{Status: http.StatusInternalServerError, Code: "internal", Cause: err,
			Detail: "Something went wrong on our side. Report it with the request_id."}
		if isUnavailable(err) {
			p = &Problem{Status: http.StatusServiceUnavailable, Code: "data_unavailable", Cause: err,
				RetryAfter: RetrySoon,
				Detail:     "The data can't be read right now. Try again in a few seconds."}
		}
	}
	if p.Cause != nil && !errors.Is(p.Cause, context.Canceled) {
		record.log.Error().Err(p.Cause).Str("code", p.Code).Msg("request failed")
	}
	if p.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(p.RetryAfter))
	}
	return p
}

// failure is the body of every error response other than 422.
type failure struct {
	Detail       string `json:"detail"`
	Code         string `json:"code"`
	RequestID    string `json:"request_id"`
	CurrentBatch string `json:"current_batch_id,omitempty"` // only in 410
	KnownSince   string `json:"known_since,omitempty"`      // only in 410
}

// always answers every request with the same problem.
func (s *Server) always(p *Problem) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.fail(w, r, p) })
}

// writeJSON encodes before it writes, so that no half body is ever sent.
func writeJSON(w http.ResponseWriter, status int, body any) {
	text, err := Encode(body)
	if err != nil {
		panic(err) // only our own types come here; observe answers 500
	}
	writeBody(w, status, text)
}

func writeBody(w http.ResponseWriter, status int, text []byte) {
	jsonByDefault(w.Header())
	w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	w.WriteHeader(status)
	_, _ = w.Write(text) // an error means that the caller went away; the access log has the number of bytes sent
}

// jsonByDefault sets the content type of a reply, unless the operation has set another one.
func jsonByDefault(header http.Header) {
	if header.Get("Content-Type") == "" {
		header.Set("Content-Type", "application/json")
	}
}

// EncodePart is Encode for a part of a body, without the line feed at the end.
func EncodePart(part any) ([]byte, error) {
	text, err := Encode(part)
	return bytes.TrimSuffix(text, []byte("\n")), err
}

// Encode returns a body as JSON, with a line feed at the end.
func Encode(body any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false) // keeps "Deuda < 90 dias" readable
	if err := encoder.Encode(body); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
