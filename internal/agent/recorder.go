package agent

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/http"
)

// maxReply bounds a reply of the API inside the process, in bytes. Backtests have the longest.
const maxReply = 32 << 20

// recorder is a ResponseWriter that keeps a reply.
type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

var errReplyTooLong = errors.New("the reply of the API is too long: ask for less")

// Header implements http.ResponseWriter.
func (w *recorder) Header() http.Header { return w.header }

// WriteHeader implements http.ResponseWriter.
func (w *recorder) WriteHeader(status int) { w.status = cmp.Or(w.status, status) }

// Write implements http.ResponseWriter.
func (w *recorder) Write(text []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	if w.body.Len()+len(text) > maxReply {
		return 0, errReplyTooLong
	}
	return w.body.Write(text)
}

// Flush implements http.Flusher.
func (w *recorder) Flush() {}

// of lets a handler answer. A handler that gives up in the middle of a reply panics, as net/http expects.
func (w *recorder) of(api http.Handler, r *http.Request) (err error) {
	defer func() {
		if gaveUp := recover(); gaveUp != nil {
			err = fmt.Errorf("the API gave up: %v", gaveUp)
		}
	}()
	api.ServeHTTP(w, r)
	return nil
}

func (w *recorder) response(r *http.Request) *http.Response {
	status := cmp.Or(w.status, http.StatusOK)
	return &http.Response{StatusCode: status, Status: fmt.Sprintf("%d %s", status, http.StatusText(status)),
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: w.header, Body: io.NopCloser(&w.body),
		ContentLength: int64(w.body.Len()), Request: r}
}
