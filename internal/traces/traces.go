// Package traces sends the spans of requests and of their statements to a collector, as OTLP over HTTP.
package traces

import (
	"context"
	"fmt"
	"net/http"
	"sync/atomic"

	"github.com/rs/zerolog"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// Config says where spans go, and of which requests there are spans.
type Config struct {
	// Endpoint is the address that spans are posted to, http or https, with its path.
	Endpoint string
	// Headers are those of each post. They may be secret.
	Headers http.Header
	// Service and Version describe the process to the collector.
	Service, Version string
	// Ratio is the part of requests with spans, from 0 to 1, of those that name no trace. A request that names a trace
	// has spans if its caller's span has.
	Ratio float64
}

// Traces makes spans and sends them. Without traces it is nil, and its methods then do nothing.
type Traces struct {
	provider *sdktrace.TracerProvider
	sender   *sender
}

// New makes traces. Nothing is sent before Start.
func New(config Config, log zerolog.Logger) (*Traces, error) {
	described, err := resource.New(context.Background(), resource.WithTelemetrySDK(), resource.WithAttributes(
		attribute.String("service.name", config.Service), attribute.String("service.version", config.Version)))
	if err != nil {
		return nil, fmt.Errorf("describe this process to the collector of traces: %w", err)
	}
	sender := newSender(config, log)
	return &Traces{sender: sender, provider: sdktrace.NewTracerProvider(
		sdktrace.WithResource(described),
		sdktrace.WithSampler(sdktrace.ParentBased(sdktrace.TraceIDRatioBased(config.Ratio))),
		sdktrace.WithRawSpanLimits(limits),
		sdktrace.WithSpanProcessor(sender),
	)}, nil
}

// limits bound a span in memory. They also replace those that the library reads from the environment.
var limits = sdktrace.SpanLimits{AttributeCountLimit: 16, AttributeValueLengthLimit: 256, AttributeValueDepthLimit: 1}

// Tracer returns what makes spans; nil without traces.
func (t *Traces) Tracer() trace.Tracer {
	if t == nil {
		return nil
	}
	return t.provider.Tracer("cuota")
}

// Start begins to send spans in the background. It fails if it was already started.
func (t *Traces) Start() error {
	if t == nil {
		return nil
	}
	return t.sender.start()
}

// Stop sends the spans that wait, for at most a few seconds, and drops those that the collector does not take. It
// returns ctx's error if ctx ends first.
func (t *Traces) Stop(ctx context.Context) error {
	if t == nil {
		return nil
	}
	return t.provider.Shutdown(ctx)
}

// Counts are numbers of spans since the start.
type Counts struct {
	Sent    int64 // taken by the collector
	Dropped int64 // without having been sent: too many waited, because the collector was slow or away
	Refused int64 // by the collector
}

// Counts returns how many spans were sent, dropped and refused.
func (t *Traces) Counts() Counts {
	if t == nil {
		return Counts{}
	}
	return Counts{t.sender.sent.Load(), t.sender.dropped.Load(), t.sender.refused.Load()}
}

// counters are Counts that change.
type counters struct{ sent, dropped, refused atomic.Int64 }
