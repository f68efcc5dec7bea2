package httpapi

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"regexp"
	"runtime/debug"
	"strings"
	"time"

	"github.com/rs/zerolog"
	"go.opentelemetry.io/otel/trace"
)

// record collects what the access log says about a request. It has neither the query string
// nor the headers, because both may hold secrets.
type record struct {
	id       string
	trace    string     // id of the trace; empty if there is none
	span     trace.Span // nil without a tracer
	began    time.Time
	route    string // pattern of the operation; empty when none matched
	meter    *routeMeter
	source   source // of the reply
	keyID    string
	keyLast4 string
	status   int
	cut      bool // the client did not get the whole reply
	bytes    int64
	log      *zerolog.Logger
}

type recordKey struct{}

func recordOf(ctx context.Context) *record { return ctx.Value(recordKey{}).(*record) }

// RequestID returns the id of the request of a context, which the access log and the reply
// have too. It is "" outside a request.
func RequestID(ctx context.Context) string {
	if record, within := ctx.Value(recordKey{}).(*record); within {
		return record.id
	}
	return ""
}

// requestID is the form that the X-Request-Id of a caller must have to be kept. Any other
// value is replaced by a random one.
var requestID = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

// observe names each request, writes the access log, counts the request, and answers
// a panic with an internal error. If a part of the reply was sent before the panic, it cuts
// the connection off, so that the client does not take that part for the whole reply.
func (s *Server) observe(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rec := &record{id: r.Header.Get("X-Request-Id"), began: time.Now()}
		if !requestID.MatchString(rec.id) {
			rec.id = rand.Text()
		}
		ctx := r.Context()
		caller := callerOf(r.Header.Get("traceparent"))
		if caller.IsValid() {
			rec.trace = caller.TraceID().String()
		}
		if s.config.Tracer != nil {
			ctx = rec.beginSpan(ctx, s.config.Tracer, caller, r.Method)
		}
		named := s.log.With().Str("request_id", rec.id)
		if rec.trace != "" {
			named = named.Str("trace_id", rec.trace)
		}
		log := named.Logger()
		rec.log = &log
		s.commonHeaders(w.Header(), rec.id)
		r.Body = http.MaxBytesReader(w, r.Body, maxBodyBytes)
		r = r.WithContext(context.WithValue(ctx, recordKey{}, rec))
		counted := &countingWriter{ResponseWriter: w, record: rec, head: r.Method == http.MethodHead}

		defer func() {
			cause := recover()
			cut := cause == http.ErrAbortHandler
			if cause != nil && !cut {
				log.Error().Interface("panic", cause).Bytes("stack", debug.Stack()).Msg("a request panicked")
				if cut = rec.status != 0; !cut {
					s.fail(counted, r, fmt.Errorf("panic: %v", cause))
				}
			}
			if cut {
				rec.cut = true
				defer panic(http.ErrAbortHandler) // net/http cuts the connection off
			}
			took := time.Since(rec.began)
			if rec.meter == nil {
				rec.meter = s.meters.of(rec.route)
			}
			status := rec.outcome(r.Context())
			rec.meter.observe(status, rec.source, took.Seconds())
			if rec.span != nil {
				rec.endSpan(r.Method, status, took)
			}
			event := log.Info()
			if status >= http.StatusInternalServerError {
				event = log.Warn()
			}
			if rec.cut {
				event = event.Bool("cut", true)
			}
			event.Str("method", r.Method).Str("route", rec.route).Int("status", status).
				Int64("bytes", rec.bytes).Dur("took_ms", took).
				Str("key", rec.keyID).Str("key_last4", rec.keyLast4).Msg("request")
		}()
		next.ServeHTTP(counted, r)
	})
}

// statusClientGone stands for a reply that was cut because the client went away. No response has
// it: it is for the log and for metrics, where the status that was sent would tell that all is well.
const statusClientGone = 499

// outcome returns the status of a request for the log and for metrics.
func (rec *record) outcome(ctx context.Context) int {
	switch {
	case !rec.cut:
		return rec.status
	case ctx.Err() != nil:
		return statusClientGone
	}
	return http.StatusInternalServerError
}

// commonHeaders sets the headers that every reply has.
func (s *Server) commonHeaders(header http.Header, requestID string) {
	header.Set("X-Request-Id", requestID)
	header.Set("X-Content-Type-Options", "nosniff")
	if strings.HasPrefix(s.config.BaseURL, "https://") {
		header.Set("Strict-Transport-Security", strictTransport)
	}
}

// strictTransport makes browsers use only HTTPS for one year, in seconds.
const strictTransport = "max-age=31536000"

// countingWriter records the status and the number of body bytes that were sent.
type countingWriter struct {
	http.ResponseWriter
	record *record
	head   bool // net/http sends no body
}

func (w *countingWriter) WriteHeader(status int) {
	if w.record.status == 0 {
		w.record.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *countingWriter) Write(p []byte) (int, error) {
	if w.record.status == 0 {
		w.record.status = http.StatusOK
	}
	n, err := w.ResponseWriter.Write(p)
	w.record.cut = w.record.cut || err != nil
	if !w.head {
		w.record.bytes += int64(n)
	}
	return n, err
}

// Unwrap lets http.ResponseController reach the connection.
func (w *countingWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
