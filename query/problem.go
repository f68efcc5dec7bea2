package query

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
)

// retrySoon is the Retry-After, in seconds, for causes that usually pass by themselves (the
// interface contract, section 1).
const retrySoon = 5

// problem is an error response other than 422 (RULES 13).
type problem struct {
	status     int
	code       string // stable word for programs
	detail     string // sentence that tells the caller what to do
	retryAfter int    // seconds; 0 for no Retry-After
	cause      error  // only for the log

	currentBatch string // batch_id to continue with if the requested batch is gone
}

func (p *problem) Error() string {
	if p.cause != nil {
		return p.code + ": " + p.cause.Error()
	}
	return p.code
}

func (p *problem) Unwrap() error { return p.cause }

func notFound(detail string) error {
	return &problem{status: http.StatusNotFound, code: "not_found", detail: detail}
}

// violation is one thing that is wrong with a request, as 422 lists it.
type violation struct {
	Loc   []string `json:"loc"`
	Msg   string   `json:"msg"`
	Type  string   `json:"type"`
	Input string   `json:"input,omitempty"`
}

// invalid is a request with wrong parameters. It becomes a 422 that lists everything wrong
// with them.
type invalid []violation

func (v invalid) Error() string { return "invalid request" }

// fail writes the response for err.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	record := recordOf(r.Context())
	w.Header().Set("Cache-Control", "no-store")

	if violations := (invalid)(nil); errors.As(err, &violations) {
		writeJSON(w, http.StatusUnprocessableEntity, map[string]any{"detail": violations})
		return
	}
	var p *problem
	if !errors.As(err, &p) {
		p = &problem{status: http.StatusInternalServerError, code: "internal", cause: err,
			detail: "Something went wrong on our side. Report it with the request_id."}
		if unavailable := (*readError)(nil); errors.As(err, &unavailable) {
			p = &problem{status: http.StatusServiceUnavailable, code: "data_unavailable", cause: err, retryAfter: retrySoon,
				detail: "The data can't be read right now. Try again in a few seconds."}
		}
	}
	if p.cause != nil && !errors.Is(p.cause, context.Canceled) {
		record.log.Error().Err(p.cause).Str("code", p.code).Msg("request failed")
	}
	if p.retryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(p.retryAfter))
	}
	writeJSON(w, p.status, failure{p.detail, p.code, record.id, p.currentBatch})
}

// failure is the body of every error response other than 422.
type failure struct {
	Detail       string `json:"detail"`
	Code         string `json:"code"`
	RequestID    string `json:"request_id"`
	CurrentBatch string `json:"current_batch_id,omitempty"` // only in 410
}

// always answers every request with the same problem.
func (s *Server) always(p *problem) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.fail(w, r, p) })
}

// writeJSON encodes before it writes, so that no half body is ever sent.
func writeJSON(w http.ResponseWriter, status int, body any) {
	text, err := encode(body)
	if err != nil {
		panic(err) // only our own types come here; observe answers 500
	}
	writeBody(w, status, text)
}

func writeBody(w http.ResponseWriter, status int, text []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	w.WriteHeader(status)
	_, _ = w.Write(text) // an error means that the caller went away; the access log has the number of bytes sent
}

// encoded gives a body as JSON. A []byte is already JSON.
func encoded(body any) ([]byte, error) {
	if text, ready := body.([]byte); ready {
		return text, nil
	}
	return encode(body)
}

// encodeItem is encode for a part of a body, without the line feed at the end.
func encodeItem(part any) ([]byte, error) {
	text, err := encode(part)
	return bytes.TrimSuffix(text, []byte("\n")), err
}

func encode(body any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false) // keeps "Deuda < 90 dias" readable
	if err := encoder.Encode(body); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
