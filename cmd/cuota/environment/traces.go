package environment

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/rs/zerolog"
	"golang.org/x/net/http/httpguts"

	"cuota/internal/traces"
)

// Traces returns what sends spans to the collector that the environment names; nil if it names none. program is the
// version of the program. Errors never quote the headers, because these may be secret.
func (s Settings) Traces(program string, log zerolog.Logger) (*traces.Traces, error) {
	endpoint, err := s.tracesEndpoint()
	if err != nil || endpoint == "" {
		return nil, err
	}
	ratio, err := strconv.ParseFloat(s.TracesRatio, 64)
	if err != nil || !(ratio >= 0 && ratio <= 1) {
		return nil, fmt.Errorf("OTEL_TRACES_SAMPLER_ARG is %q: give the part of requests with spans, from 0 to 1",
			s.TracesRatio)
	}
	headers, err := headersOf(s.OTLPHeaders)
	if err != nil {
		return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_HEADERS: %w", err)
	}
	return traces.New(traces.Config{Endpoint: endpoint, Headers: headers, Service: s.Service, Version: program,
		Ratio: ratio}, log)
}

// tracesEndpoint returns the address that spans are posted to; "" if the environment names none.
func (s Settings) tracesEndpoint() (string, error) {
	variable, address := "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", s.TracesEndpoint
	if address == "" {
		variable, address = "OTEL_EXPORTER_OTLP_ENDPOINT", s.OTLPEndpoint
	}
	if address == "" {
		return "", nil
	}
	named, err := url.Parse(address)
	if err != nil || named.Scheme != "http" && named.Scheme != "https" || named.Hostname() == "" ||
		named.User != nil || named.RawQuery != "" || named.Fragment != "" {
		return "", fmt.Errorf("%s is not an address like http://host:4318, without user, password and query; put a "+
			"password into OTEL_EXPORTER_OTLP_HEADERS", variable)
	}
	if s.TracesEndpoint == "" {
		named = named.JoinPath("v1/traces") // as OpenTelemetry defines this variable
	}
	return named.String(), nil
}

// Limits of the headers.
const (
	maxHeaders     = 32
	maxHeaderBytes = 8 << 10 // of all together
)

// errHeaders has no part of the text, which may be secret.
var errHeaders = errors.New("write it like name=value,name=value, with percent-encoded values")

// headersOf reads headers as OpenTelemetry writes them: name=value, separated by commas, with percent-encoded values.
func headersOf(text string) (http.Header, error) {
	headers := http.Header{}
	if len(text) > maxHeaderBytes {
		return nil, fmt.Errorf("it is longer than %d bytes", maxHeaderBytes)
	}
	for i, part := range strings.Split(text, ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		name, value, given := strings.Cut(part, "=")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		value, err := url.PathUnescape(value)
		switch {
		case !given || err != nil || !httpguts.ValidHeaderFieldName(name) || !httpguts.ValidHeaderFieldValue(value):
			return nil, fmt.Errorf("header %d can't be read: %w", i+1, errHeaders)
		case i >= maxHeaders:
			return nil, fmt.Errorf("there are more than %d headers", maxHeaders)
		}
		headers.Set(name, value)
	}
	for _, ours := range []string{"Content-Type", "Content-Length", "Host", "Transfer-Encoding", "Connection"} {
		if _, set := headers[ours]; set {
			return nil, fmt.Errorf("%s can't be set: it belongs to the request", ours)
		}
	}
	return headers, nil
}
