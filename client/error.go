package client

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// maxShown bounds a text of the service in an error, in bytes.
const maxShown = 1000

// Error is a reply other than 200, with the API's own explanation.
type Error struct {
	Method, Path string
	Status       int
	Code         string // stable word for programs, such as quota_exhausted; "" of 422
	Detail       string // sentence for the caller
	RequestID    string
	CurrentBatch string        // of 410: the batch to begin again with
	RetryAfter   time.Duration // 0: the reply names none
	Violations   []Violation   // of 422: what is wrong with the request
}

// Violation is one thing that is wrong with a request.
type Violation struct {
	Loc  []string `json:"loc"` // where it is, as in query, sort
	Msg  string   `json:"msg"`
	Type string   `json:"type"`
}

// Field is the name of the parameter or of the member of the body that is wrong; "" if it is the body as a whole.
func (v Violation) Field() string {
	if len(v.Loc) < 2 {
		return ""
	}
	return strings.Join(v.Loc[1:], ".")
}

func (e *Error) Error() string {
	text := fmt.Sprintf("%s %s: %d", e.Method, e.Path, e.Status)
	if e.Code != "" {
		text += " " + e.Code
	}
	return text + ": " + e.Explanation()
}

// Explanation is what the API says about the request.
func (e *Error) Explanation() string {
	if len(e.Violations) == 0 {
		return e.Detail
	}
	var parts []string
	for _, v := range e.Violations {
		part := v.Msg
		if field := v.Field(); field != "" {
			part = field + ": " + part
		}
		parts = append(parts, part)
	}
	return shown(strings.Join(parts, "; "))
}

// Temporary reports whether the same request may succeed later.
func (e *Error) Temporary() bool {
	return e.Status == http.StatusTooManyRequests || e.Status == http.StatusServiceUnavailable
}

// newError reads the body of a reply that is not 200. What it cannot read it replaces by the text of the status.
func newError(method, path string, response *http.Response, body []byte) *Error {
	e := &Error{Method: method, Path: path, Status: response.StatusCode, RetryAfter: retryAfter(response.Header)}
	var reply struct {
		Detail       json.RawMessage `json:"detail"`
		Code         string          `json:"code"`
		RequestID    string          `json:"request_id"`
		CurrentBatch string          `json:"current_batch_id"`
	}
	if json.Unmarshal(body, &reply) == nil {
		e.Code, e.RequestID, e.CurrentBatch = shown(reply.Code), shown(reply.RequestID), shown(reply.CurrentBatch)
		if json.Unmarshal(reply.Detail, &e.Detail) != nil {
			_ = json.Unmarshal(reply.Detail, &e.Violations) // then the text of the status says what is known
		}
	}
	if e.RequestID == "" { // as in the body of a 422
		e.RequestID = shown(response.Header.Get("X-Request-Id"))
	}
	if e.Detail = shown(e.Detail); e.Detail == "" && len(e.Violations) == 0 {
		e.Detail = fmt.Sprintf("%s; is this the address of cuota's API?", http.StatusText(e.Status))
	}
	return e
}

// shown bounds a text.
func shown(text string) string {
	if len(text) > maxShown {
		return strings.ToValidUTF8(text[:maxShown], "") + "…"
	}
	return text
}
