package sql

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
)

// recordSpan makes the span of a statement that has ended. It has the name of the statement and not its text, its
// parameters or the message of an error, which may quote values.
func recordSpan(ctx context.Context, tracer trace.Tracer, name string, began time.Time, took time.Duration,
	err error) {
	_, span := tracer.Start(ctx, name, trace.WithSpanKind(trace.SpanKindClient), trace.WithTimestamp(began),
		trace.WithAttributes(attribute.String("db.system.name", "clickhouse"),
			attribute.String("db.query.summary", name)))
	if err != nil {
		span.SetStatus(codes.Error, "")
		kind, code := kindOf(err)
		span.SetAttributes(attribute.String("error.type", kind))
		if code != "" {
			span.SetAttributes(attribute.String("db.response.status_code", code))
		}
	}
	span.End(trace.WithTimestamp(began.Add(took)))
}

// kindOf says in a word what an error is. code is the number that ClickHouse gave it, and "" if it gave none.
func kindOf(err error) (kind, code string) {
	exception := (*clickhouse.Exception)(nil)
	switch {
	case errors.As(err, &exception):
		code = strconv.Itoa(int(exception.Code))
		return code, code
	case errors.Is(err, context.Canceled):
		return "canceled", ""
	case errors.Is(err, context.DeadlineExceeded):
		return "timeout", ""
	}
	return "_OTHER", ""
}
