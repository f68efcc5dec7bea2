package httpapi_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"cuota/internal/account"
	"cuota/internal/httpapi"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
)

const traceID, callerID = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"

func TestTheLogNamesTheTraceOfARequest(t *testing.T) {
	t.Parallel()
	for header, named := range map[string]bool{
		"00-" + traceID + "-" + callerID + "-01":                  true,
		"00-" + traceID + "-" + callerID + "-00":                  true,
		"01-" + traceID + "-" + callerID + "-01-more":             true,
		"00-" + traceID + "-" + callerID + "-01-more":             false,
		"ff-" + traceID + "-" + callerID + "-01":                  false,
		"00-00000000000000000000000000000000-" + callerID + "-01": false,
		"00-" + traceID + "-0000000000000000-01":                  false,
		"00-4BF92F3577B34DA6A3CE929D0E0E4736-" + callerID + "-01": false,
		"": false,
	} {
		server, log := newServer(t, unlimited, refusing("/fails", httpapi.NotFound("none")))
		serve(server.Handler(), http.MethodGet, "/fails", "traceparent", header)
		if found := log.lines(`"trace_id":"` + traceID + `"`); found != map[bool]int{true: 1}[named] ||
			log.lines("trace_id") != found {
			t.Errorf("%q: %d lines name the trace", header, found)
		}
	}
}

// traced returns a configuration whose server makes spans, and where they go. Requests that name no trace have none.
func traced(ratio float64) (httpapi.Config, *tracetest.SpanRecorder) {
	spans := tracetest.NewSpanRecorder()
	config := unlimited
	config.Tracer = sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans),
		sdktrace.WithSampler(sdktrace.ParentBased(sdktrace.TraceIDRatioBased(ratio)))).Tracer("test")
	return config, spans
}

// attributes returns those of a span, as texts.
func attributes(span sdktrace.ReadOnlySpan) map[string]string {
	found := map[string]string{}
	for _, one := range span.Attributes() {
		found[string(one.Key)] = one.Value.String()
	}
	return found
}

// secretLinks knows no link.
type secretLinks struct{}

func (secretLinks) FollowLink(context.Context, string) (account.Key, string, error) {
	return account.Key{}, "", account.ErrNoAddressLink
}

func TestARequestHasASpanWithItsRouteAndNoPath(t *testing.T) {
	t.Parallel()
	config, spans := traced(0)
	config.Links = secretLinks{}
	of := httpapi.NewOperation(http.MethodGet, "/series/{id}", httpapi.Open, nil,
		func(context.Context, *httpapi.Call, *struct {
			ID string `path:"id" max:"10" example:"1"`
		}) (httpapi.Answer, error) {
			return httpapi.Answer{}, httpapi.NotFound("none")
		})
	server, _ := newServer(t, config, of, refusing("/fails", errors.New("a fault")))
	for _, c := range []struct {
		method, target, name string
		failed               bool
		want                 map[string]string
	}{
		{http.MethodGet, "/series/secret", "GET /series/{id}", false, map[string]string{
			"http.request.method": "GET", "http.route": "/series/{id}", "http.response.status_code": "404"}},
		{http.MethodGet, "/link/secret", "GET /link/{token}", false, map[string]string{
			"http.request.method": "GET", "http.route": "/link/{token}", "http.response.status_code": "404"}},
		{http.MethodGet, "/unknown/secret?secret=secret", "GET", false, map[string]string{
			"http.request.method": "GET", "http.response.status_code": "404"}},
		{"SECRET", "/fails", "HTTP", false, map[string]string{
			"http.request.method": "_OTHER", "http.response.status_code": "405"}},
		{http.MethodGet, "/fails", "GET /fails", true, map[string]string{"http.request.method": "GET",
			"http.route": "/fails", "http.response.status_code": "500", "error.type": "500"}},
	} {
		spans.Reset()
		serve(server.Handler(), c.method, c.target, "traceparent", "00-"+traceID+"-"+callerID+"-01")
		if len(spans.Ended()) != 1 {
			t.Fatalf("%s %s: %d spans", c.method, c.target, len(spans.Ended()))
		}
		span := spans.Ended()[0]
		if diff := cmp.Diff(c.want, attributes(span)); diff != "" || span.Name() != c.name ||
			(span.Status().Code == codes.Error) != c.failed || span.SpanKind() != trace.SpanKindServer {
			t.Errorf("%s %s: %s %v %v %s", c.method, c.target, span.Name(), span.Status(), span.SpanKind(), diff)
		}
		if span.Parent().SpanID().String() != callerID || span.SpanContext().TraceID().String() != traceID ||
			!span.Parent().IsRemote() {
			t.Errorf("the span %v has the parent %v", span.SpanContext(), span.Parent())
		}
		if strings.Contains(strings.ToLower(fmt.Sprint(span.Name(), span.Attributes())), "secret") {
			t.Errorf("%s %s: the span tells a secret: %v", c.method, c.target, span.Attributes())
		}
	}
}

func TestTheCallerOrTheRatioDecidesIfARequestHasASpan(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		ratio        float64
		header       string
		want, logged int
	}{
		{1, "00-" + traceID + "-" + callerID + "-00", 0, 1},
		{0, "00-" + traceID + "-" + callerID + "-01", 1, 1},
		{0, "", 0, 0},
		{1, "", 1, 1},
		{1, "00-" + traceID + "-0000000000000000-00", 1, 1}, // a header that is not valid names nothing
	} {
		config, spans := traced(c.ratio)
		server, log := newServer(t, config, refusing("/fails", httpapi.NotFound("none")))
		serve(server.Handler(), http.MethodGet, "/fails", "traceparent", c.header)
		if got := spans.Ended(); len(got) != c.want || log.lines("trace_id") != c.logged ||
			c.want == 1 && log.lines(got[0].SpanContext().TraceID().String()) != 1 {
			t.Errorf("ratio %v and %q: %d spans, and %d lines name a trace", c.ratio, c.header, len(got), log.lines("trace_id"))
		}
	}
}

// A reply is made once for all who ask for it, in a goroutine of its own. What it reads still belongs to the request.
func TestWhatMakesAReplyKnowsTheSpanOfTheRequest(t *testing.T) {
	t.Parallel()
	config, spans := traced(1)
	var within trace.SpanContext
	var named string
	server, _ := newServer(t, config, operation("/made", httpapi.Answer{Version: "v",
		Make: func(ctx context.Context) (httpapi.Reply, error) {
			within, named = trace.SpanContextFromContext(ctx), httpapi.TraceID(ctx)
			return httpapi.ReplyOf(map[string]int{"a": 1})
		}}))
	for _, source := range []string{"clickhouse", "cache"} {
		spans.Reset()
		serve(server.Handler(), http.MethodGet, "/made")
		span := spans.Ended()[0]
		if attributes(span)["cuota.reply.source"] != source {
			t.Errorf("the reply comes from %v, not from %s", span.Attributes(), source)
		}
		if source == "clickhouse" && (!within.Equal(span.SpanContext()) || named != within.TraceID().String()) {
			t.Errorf("the reply was made in %v of trace %s, and the span is %v", within, named, span.SpanContext())
		}
	}
}
