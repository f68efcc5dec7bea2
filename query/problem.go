package query

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
)

// retrySoon is what Retry-After says, in seconds, where the cause usually
// passes by itself (the interface contract, section 1).
const retrySoon = 5

// problem is a response other than success and 422 (RULES 13).
type problem struct {
	status     int
	code       string // a stable word for programs
	detail     string // a sentence that the caller can act on
	retryAfter int    // seconds; 0: no Retry-After
	cause      error  // for the log alone

	currentBatch string // the batch to go on with, where the one asked for is gone
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

// violation is one thing wrong with a request, as 422 lists it.
type violation struct {
	Loc   []string `json:"loc"`
	Msg   string   `json:"msg"`
	Type  string   `json:"type"`
	Input string   `json:"input,omitempty"`
}

// invalid is a request that can't be answered as it was put: 422 with all that
// is wrong with it.
type invalid []violation

func (v invalid) Error() string { return "invalid request" }

// fail writes the response that err stands for.
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

// failure is the body of every error but 422.
type failure struct {
	Detail       string `json:"detail"`
	Code         string `json:"code"`
	RequestID    string `json:"request_id"`
	CurrentBatch string `json:"current_batch_id,omitempty"` // of 410 alone
}

// always answers every request with the problem.
func (s *Server) always(p *problem) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.fail(w, r, p) })
}

// writeJSON encodes first, so that a body that can't be encoded never leaves
// half of itself.
func writeJSON(w http.ResponseWriter, status int, body any) {
	text, err := encode(body)
	if err != nil {
		panic(err) // our own types; the guard answers 500
	}
	writeBody(w, status, text)
}

func writeBody(w http.ResponseWriter, status int, text []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	w.WriteHeader(status)
	_, _ = w.Write(text) // the caller went away; the access log has the bytes
}

// encoded is a body as JSON, which a []byte is already.
func encoded(body any) ([]byte, error) {
	if text, ready := body.([]byte); ready {
		return text, nil
	}
	return encode(body)
}

// encodeItem is encode for a part of a body, without the line's end.
func encodeItem(part any) ([]byte, error) {
	text, err := encode(part)
	return bytes.TrimSuffix(text, []byte("\n")), err
}

func encode(body any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false) // "Deuda < 90 dias" stays legible
	if err := encoder.Encode(body); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
