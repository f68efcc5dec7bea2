package environment

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"
)

func TestTracesAreOffUnlessACollectorIsNamed(t *testing.T) {
	// Variables of other programs may stand in the same environment.
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "no header")
	t.Setenv("OTEL_TRACES_SAMPLER_ARG", "many")
	s, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	if made, err := s.Traces("", zerolog.Nop()); made != nil || err != nil {
		t.Errorf("%v, %v", made, err)
	}
}

func TestSpansGoToTheAddressThatOpenTelemetryDefines(t *testing.T) {
	for _, c := range []struct{ base, traces, want string }{
		{"http://collector:4318", "", "http://collector:4318/v1/traces"},
		{"https://collector/otlp/", "", "https://collector/otlp/v1/traces"},
		{"", "https://collector/mine", "https://collector/mine"},
		{"http://other", "http://collector:4318/v1/traces", "http://collector:4318/v1/traces"},
		{"http://same", "http://same", "http://same"},
	} {
		t.Setenv("OTEL_TRACES_SAMPLER_ARG", "") // counts as unset
		t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", c.base)
		t.Setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", c.traces)
		s, err := Load()
		if err != nil {
			t.Fatal(err)
		}
		if got, err := s.tracesEndpoint(); got != c.want || err != nil {
			t.Errorf("%q and %q: %q, %v", c.base, c.traces, got, err)
		}
		if made, err := s.Traces("", zerolog.Nop()); made == nil || err != nil {
			t.Errorf("%q and %q: %v", c.base, c.traces, err)
		}
	}
}

func TestAnUnusableSettingOfTracesNamesItsVariable(t *testing.T) {
	for _, c := range []struct{ name, value string }{
		{"OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4317"},
		{"OTEL_EXPORTER_OTLP_ENDPOINT", "grpc://collector:4317"},
		{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://user:sesame@collector"},
		{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://collector?key=sesame"},
		{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http:///v1/traces"},
		{"OTEL_EXPORTER_OTLP_HEADERS", "sesame"},
		{"OTEL_EXPORTER_OTLP_HEADERS", "a=sesame%"},
		{"OTEL_EXPORTER_OTLP_HEADERS", "a=sesame%0d%0ab:c"},
		{"OTEL_EXPORTER_OTLP_HEADERS", "a b=sesame"},
		{"OTEL_EXPORTER_OTLP_HEADERS", "host=sesame"},
		{"OTEL_EXPORTER_OTLP_HEADERS", "a=" + strings.Repeat("sesame", 2000)},
		{"OTEL_TRACES_SAMPLER_ARG", "1.1"},
		{"OTEL_TRACES_SAMPLER_ARG", "NaN"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://collector:4318")
			t.Setenv(c.name, c.value)
			s, err := Load()
			if err != nil {
				t.Fatal(err)
			}
			if _, err := s.Traces("", zerolog.Nop()); err == nil || !strings.HasPrefix(err.Error(), c.name) ||
				strings.Contains(err.Error(), "sesame") {
				t.Errorf("%s gives %v", c.value, err)
			}
		})
	}
}

func FuzzHeaders(f *testing.F) {
	f.Add("Authorization=Bearer%20sesame, x-team = funds,,x-empty=")
	f.Add("a=b=c")
	f.Add("host=x")
	f.Fuzz(func(t *testing.T, text string) {
		headers, err := headersOf(text)
		if err != nil {
			return
		}
		var sent strings.Builder
		if err := headers.Write(&sent); err != nil || strings.Count(sent.String(), "\n") != len(headers) {
			t.Errorf("%q writes %q: %v", text, sent.String(), err)
		}
	})
}

func TestHeadersAreReadAsOpenTelemetryWritesThem(t *testing.T) {
	got, err := headersOf("Authorization=Bearer%20sesame, x-team = funds,,x-sum=a=b")
	want := http.Header{"Authorization": {"Bearer sesame"}, "X-Team": {"funds"}, "X-Sum": {"a=b"}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Error(err, diff)
	}
}
