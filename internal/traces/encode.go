package traces

import (
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	collector "go.opentelemetry.io/proto/slim/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/slim/otlp/common/v1"
	resource "go.opentelemetry.io/proto/slim/otlp/resource/v1"
	otlp "go.opentelemetry.io/proto/slim/otlp/trace/v1"
)

// requestOf returns the request that exports spans. All spans are of one process and one tracer.
func requestOf(spans []sdktrace.ReadOnlySpan) *collector.ExportTraceServiceRequest {
	list := make([]*otlp.Span, len(spans))
	for i, span := range spans {
		list[i] = spanOf(span)
	}
	return &collector.ExportTraceServiceRequest{ResourceSpans: []*otlp.ResourceSpans{{
		Resource: &resource.Resource{Attributes: attributesOf(spans[0].Resource().Attributes())},
		ScopeSpans: []*otlp.ScopeSpans{{
			Scope: &common.InstrumentationScope{Name: spans[0].InstrumentationScope().Name},
			Spans: list,
		}},
	}}}
}

// kinds are those of OTLP for the kinds of spans that are made.
var kinds = map[trace.SpanKind]otlp.Span_SpanKind{
	trace.SpanKindInternal: otlp.Span_SPAN_KIND_INTERNAL,
	trace.SpanKindServer:   otlp.Span_SPAN_KIND_SERVER,
	trace.SpanKindClient:   otlp.Span_SPAN_KIND_CLIENT,
}

// spanOf returns a span as OTLP has it. Spans have no events and links: limits allows none.
func spanOf(span sdktrace.ReadOnlySpan) *otlp.Span {
	of, parent := span.SpanContext(), span.Parent()
	traceID, spanID, parentID := of.TraceID(), of.SpanID(), parent.SpanID()
	s := &otlp.Span{
		TraceId: traceID[:], SpanId: spanID[:], Name: span.Name(), Kind: kinds[span.SpanKind()],
		StartTimeUnixNano: uint64(max(span.StartTime().UnixNano(), 0)),
		EndTimeUnixNano:   uint64(max(span.EndTime().UnixNano(), 0)),
		Attributes:        attributesOf(span.Attributes()),
		Status:            &otlp.Status{},
		Flags:             uint32(of.TraceFlags()) | uint32(otlp.SpanFlags_SPAN_FLAGS_CONTEXT_HAS_IS_REMOTE_MASK),
	}
	if parent.IsRemote() {
		s.Flags |= uint32(otlp.SpanFlags_SPAN_FLAGS_CONTEXT_IS_REMOTE_MASK)
	}
	if parentID.IsValid() {
		s.ParentSpanId = parentID[:]
	}
	if span.Status().Code == codes.Error {
		s.Status.Code = otlp.Status_STATUS_CODE_ERROR
	}
	return s
}

func attributesOf(list []attribute.KeyValue) []*common.KeyValue {
	out := make([]*common.KeyValue, len(list))
	for i, one := range list {
		value := &common.AnyValue{Value: &common.AnyValue_StringValue{StringValue: one.Value.String()}}
		if one.Value.Type() == attribute.INT64 {
			value.Value = &common.AnyValue_IntValue{IntValue: one.Value.AsInt64()}
		}
		out[i] = &common.KeyValue{Key: string(one.Key), Value: value}
	}
	return out
}
