package httpapi

import (
	"context"
	"encoding/hex"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
)

// traceparent is the form of the header that says of which trace a request is a part (W3C Trace Context): version,
// trace, parent and flags. Later versions may have more behind them.
var traceparent = regexp.MustCompile(`^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.{0,256})?$`)

// callerOf returns the span of the caller that the header names. It is not valid if the header names none.
func callerOf(header string) trace.SpanContext {
	parts := traceparent.FindStringSubmatch(header)
	if parts == nil || parts[1] == "ff" || parts[1] == "00" && parts[5] != "" {
		return trace.SpanContext{}
	}
	caller := trace.SpanContextConfig{Remote: true}
	flags := make([]byte, 1)
	for part, into := range [][]byte{caller.TraceID[:], caller.SpanID[:], flags} {
		_, _ = hex.Decode(into, []byte(parts[2+part])) // the form has only digits
	}
	caller.TraceFlags = trace.TraceFlags(flags[0]) & trace.FlagsSampled
	return trace.NewSpanContext(caller)
}

// TraceID returns the id of the trace that the request of a context is a part of. It is "" if the caller names none
// and the request has no span.
func TraceID(ctx context.Context) string {
	if record, within := ctx.Value(recordKey{}).(*record); within {
		return record.trace
	}
	return ""
}

// beginSpan begins the span of a request, as a child of that of the caller.
func (rec *record) beginSpan(ctx context.Context, tracer trace.Tracer, caller trace.SpanContext,
	method string) context.Context {
	if caller.IsValid() {
		ctx = trace.ContextWithRemoteSpanContext(ctx, caller)
	}
	ctx, rec.span = tracer.Start(ctx, spanName(method, ""), trace.WithSpanKind(trace.SpanKindServer),
		trace.WithTimestamp(rec.began))
	if rec.span.IsRecording() {
		rec.trace = rec.span.SpanContext().TraceID().String()
	}
	return ctx
}

// endSpan ends the span of a request. The path of the request is not in it, only the pattern of its route, because a
// path may hold a secret, such as the token of a link.
func (rec *record) endSpan(method string, status int, took time.Duration) {
	if !rec.span.IsRecording() {
		return
	}
	if method = knownMethod(method); rec.route != "" {
		rec.span.SetAttributes(attribute.String("http.route", rec.route))
	}
	rec.span.SetName(spanName(method, rec.route))
	rec.span.SetAttributes(attribute.String("http.request.method", method),
		attribute.Int("http.response.status_code", status))
	if rec.source != "" {
		rec.span.SetAttributes(attribute.String("cuota.reply.source", string(rec.source)))
	}
	if status >= http.StatusInternalServerError {
		rec.span.SetAttributes(attribute.String("error.type", strconv.Itoa(status)))
		rec.span.SetStatus(codes.Error, "")
	}
	rec.span.End(trace.WithTimestamp(rec.began.Add(took)))
}

// otherMethod stands for every method that HTTP does not define, because a caller can send any.
const otherMethod = "_OTHER"

var knownMethods = []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch,
	http.MethodDelete, http.MethodOptions, http.MethodConnect, http.MethodTrace}

func knownMethod(method string) string {
	if slices.Contains(knownMethods, method) {
		return method
	}
	return otherMethod
}

// spanName names the span of a request as OpenTelemetry does: by method and route.
func spanName(method, route string) string {
	if method = knownMethod(method); method == otherMethod {
		method = "HTTP"
	}
	if route == "" {
		return method
	}
	return method + " " + route
}
