package sql_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"cuota/sql"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
)

// failing is a connection on which every statement ends with an error, or nil.
type failing struct {
	driver.Conn
	err error
}

func (f failing) Exec(context.Context, string, ...any) error { return f.err }

func TestAStatementOfATracedRequestHasASpanWithoutValues(t *testing.T) {
	secret := &clickhouse.Exception{Code: 241, Message: "secret"}
	for err, want := range map[error]map[string]string{
		nil:    {},
		secret: {"error.type": "241", "db.response.status_code": "241"},
		fmt.Errorf("secret: %w", context.Canceled):         {"error.type": "canceled"},
		fmt.Errorf("secret: %w", context.DeadlineExceeded): {"error.type": "timeout"},
		fmt.Errorf("secret"):                               {"error.type": "_OTHER"},
	} {
		spans := tracetest.NewSpanRecorder()
		tracer := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans)).Tracer("test")
		conn := sql.Named(sql.Watched(failing{err: err}, sql.Watch{Tracer: tracer}), "query")
		ctx, request := tracer.Start(t.Context(), "request")
		_ = conn.Exec(ctx, sql.Query("risk"), clickhouse.Named("id", "secret"))
		if len(spans.Ended()) != 1 {
			t.Fatalf("%v: %d spans", err, len(spans.Ended()))
		}
		span := spans.Ended()[0]
		got := map[string]string{}
		for _, one := range span.Attributes() {
			got[string(one.Key)] = one.Value.String()
		}
		want["db.system.name"], want["db.query.summary"] = "clickhouse", "query/risk"
		if diff := cmp.Diff(want, got); diff != "" || span.Name() != "query/risk" ||
			(span.Status().Code == codes.Error) != (err != nil) || span.SpanKind() != trace.SpanKindClient ||
			span.Parent().SpanID() != request.SpanContext().SpanID() || !span.EndTime().After(span.StartTime()) {
			t.Errorf("%v: %s %v %v of %v from %v to %v %s", err, span.Name(), span.Status(), span.SpanKind(), span.Parent(),
				span.StartTime(), span.EndTime(), diff)
		}
		if strings.Contains(fmt.Sprint(span.Name(), span.Attributes(), span.Status(), span.Events()), "secret") {
			t.Errorf("the span tells a value: %v %v", span.Attributes(), span.Status())
		}
	}
}

func TestOtherStatementsHaveNoSpan(t *testing.T) {
	spans := tracetest.NewSpanRecorder()
	tracer := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans)).Tracer("test")
	conn := sql.Named(sql.Watched(failing{}, sql.Watch{Tracer: tracer}), "query")
	unsampled := trace.ContextWithRemoteSpanContext(t.Context(), trace.NewSpanContext(
		trace.SpanContextConfig{TraceID: trace.TraceID{1}, SpanID: trace.SpanID{1}}))
	for _, ctx := range []context.Context{t.Context(), unsampled} {
		if err := conn.Exec(ctx, "SELECT 1"); err != nil || len(spans.Ended()) > 0 {
			t.Errorf("%v, %d spans", err, len(spans.Ended()))
		}
	}
}
