package traces

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	collector "go.opentelemetry.io/proto/slim/otlp/collector/trace/v1"
	"google.golang.org/protobuf/proto"
)

// Limits of a post.
const (
	connectWithin = 3 * time.Second
	keepIdle      = time.Minute
	maxHeader     = 16 << 10 // bytes of the response's header
	maxResponse   = 64 << 10 // bytes of its body
)

// form is the encoding of the bodies of posts and their responses.
const form = "application/x-protobuf"

// poster posts batches to a collector.
type poster struct {
	client   *http.Client
	endpoint string
	headers  http.Header
}

func newPoster(config Config) *poster {
	headers := config.Headers.Clone()
	if headers == nil {
		headers = http.Header{}
	}
	headers.Set("Content-Type", form)
	headers.Set("User-Agent", "cuota/"+config.Version)
	// With this key, whose empty value is not sent, net/http posts again when the collector has just closed an idle
	// connection. A span that comes twice has the same id.
	headers["Idempotency-Key"] = nil
	return &poster{endpoint: config.Endpoint, headers: headers, client: &http.Client{
		Transport: &http.Transport{
			DialContext:            (&net.Dialer{Timeout: connectWithin}).DialContext,
			TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
			TLSHandshakeTimeout:    connectWithin,
			MaxConnsPerHost:        1,
			IdleConnTimeout:        keepIdle,
			DisableCompression:     true,
			MaxResponseHeaderBytes: maxHeader,
		},
		// A redirect could carry the headers to another server.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

func (p *poster) close() { p.client.CloseIdleConnections() }

// refusedError is the status with which a collector refuses a batch for good.
type refusedError int

func (e refusedError) Error() string { return fmt.Sprintf("it answers with status %d", int(e)) }

// later are the statuses with which a collector asks for the same batch again, as OTLP names them.
var later = []int{http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable,
	http.StatusGatewayTimeout}

// post sends a batch. It returns how many of its spans the collector rejected. It fails with refusedError if the batch
// must not be sent again. No error contains the address or the headers.
func (p *poster) post(ctx context.Context, batch []sdktrace.ReadOnlySpan) (rejected int64, err error) {
	body, err := proto.Marshal(requestOf(batch))
	if err != nil {
		return 0, fmt.Errorf("encode spans: %w", err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, p.endpoint, bytes.NewReader(body))
	if err != nil {
		return 0, errors.New("the address of the collector is not valid")
	}
	request.Header = p.headers.Clone()
	response, err := p.client.Do(request)
	if err != nil {
		if wrapped := (*url.Error)(nil); errors.As(err, &wrapped) {
			err = wrapped.Err // without the address
		}
		return 0, err
	}
	defer func() { _ = response.Body.Close() }() // its beginning was read, or nothing of it counts
	switch status := response.StatusCode; {
	case slices.Contains(later, status):
		return 0, fmt.Errorf("it answers with status %d", status)
	case status < 200 || status >= 300:
		return 0, refusedError(status)
	}
	return rejectedOf(response), nil
}

// rejectedOf returns how many spans a response says were rejected. What can't be read counts as none, because the
// status says that the batch was taken.
func rejectedOf(response *http.Response) int64 {
	text, err := io.ReadAll(io.LimitReader(response.Body, maxResponse))
	if err != nil || response.Header.Get("Content-Type") != form {
		return 0
	}
	var reply collector.ExportTraceServiceResponse
	if err := proto.Unmarshal(text, &reply); err != nil {
		return 0
	}
	return reply.GetPartialSuccess().GetRejectedSpans()
}
