package metrics

import (
	"context"
	"errors"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"cuota/internal/testkit/waittest"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/rs/zerolog"
)

// scrape returns the text of a scrape, after checking that it has Prometheus' format.
func scrape(t *testing.T, m *Metrics) string {
	t.Helper()
	reply := httptest.NewRecorder()
	m.Handler().ServeHTTP(reply, httptest.NewRequest("GET", "/metrics", nil))
	text := reply.Body.String()
	parser := expfmt.NewTextParser(model.UTF8Validation)
	if _, err := parser.TextToMetricFamilies(strings.NewReader(text)); err != nil {
		t.Fatalf("a scrape can't be read: %v", err)
	}
	return text
}

func TestASourceThatFailsKeepsItsLastValuesAndIsReportedAsDown(t *testing.T) {
	var failing atomic.Bool
	var looks atomic.Int64
	m := New()
	poll := m.Poll(1, zerolog.Nop(), Source{Name: "kafka", Names: []string{"cuota_kafka_lag_messages"},
		Read: func(context.Context) (map[string][]Sample, error) {
			looks.Add(1)
			if failing.Load() {
				return nil, errors.New("no broker")
			}
			return map[string][]Sample{"cuota_kafka_lag_messages": {{7, []string{"a", "0"}}}}, nil
		}})
	poll.Start()
	const lag, up = `cuota_kafka_lag_messages{partition="0",topic="a"} 7`, `cuota_source_up{source="kafka"} `
	waittest.Until(t, "the source is read", func() bool { return strings.Contains(scrape(t, m), up+"1") })
	failing.Store(true)
	waittest.Until(t, "the source is told as down", func() bool { return strings.Contains(scrape(t, m), up+"0") })
	if !strings.Contains(scrape(t, m), lag) {
		t.Error("what the source told last is gone")
	}
	failing.Store(false)
	waittest.Until(t, "the source is told as up", func() bool { return strings.Contains(scrape(t, m), up+"1") })
	if err := poll.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	ended := looks.Load()
	scrape(t, m)
	if looks.Load() != ended {
		t.Error("a scrape asks a source")
	}
}

func TestRequestsAreMeasuredByRouteStatusAndSource(t *testing.T) {
	m := New()
	requests := m.Requests()
	requests.Request("/api/screener", "2xx", "snapshot")(0.0002)
	requests.Refused("4xx")
	requests.Lookup("hit")()
	text := scrape(t, m)
	for _, want := range []string{
		`cuota_http_request_seconds_count{route="/api/screener",source="snapshot",status="2xx"} 1`,
		`cuota_http_request_seconds_bucket{route="/api/screener",source="snapshot",status="2xx",le="0.0001"} 0`,
		`cuota_http_request_seconds_bucket{route="/api/screener",source="snapshot",status="2xx",le="0.00025"} 1`,
		`cuota_http_refused_total{status="4xx"} 1`, `cuota_reply_cache_lookups_total{outcome="hit"} 1`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("a scrape lacks %s", want)
		}
	}
}
