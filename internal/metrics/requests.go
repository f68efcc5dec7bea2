package metrics

import (
	"github.com/prometheus/client_golang/prometheus"

	"cuota/sql"
)

// Requests measures the requests of a query server. It implements httpapi.Meter.
type Requests struct {
	requests         *prometheus.HistogramVec
	refused, lookups *prometheus.CounterVec
}

// Requests makes the metrics of requests. It may be called once.
func (m *Metrics) Requests() *Requests {
	return &Requests{
		m.Histogram("cuota_http_request_seconds"), m.Counter("cuota_http_refused_total"),
		m.Counter("cuota_reply_cache_lookups_total"),
	}
}

// Request returns the function that records the duration in seconds of a request, for a route, a
// class of status such as 2xx, and the source of the response.
func (r *Requests) Request(route, class, source string) func(seconds float64) {
	return r.requests.WithLabelValues(route, class, source).Observe
}

// Refused counts a request without a route, by the class of its status.
func (r *Requests) Refused(class string) { r.refused.WithLabelValues(class).Inc() }

// Lookup returns the function that counts a cache lookup with this outcome.
func (r *Requests) Lookup(outcome string) func() { return r.lookups.WithLabelValues(outcome).Inc }

// Builds measures builds of batches. It implements build.Meter of the projector.
type Builds struct{ builds, projections *prometheus.HistogramVec }

// Builds makes the metrics of builds. It may be called once.
func (m *Metrics) Builds() *Builds {
	return &Builds{m.Histogram("cuota_build_seconds"), m.Histogram("cuota_projection_seconds")}
}

// Built records an attempt to build a batch: its result and its duration in seconds.
func (b *Builds) Built(result string, seconds float64) {
	b.builds.WithLabelValues(result).Observe(seconds)
}

// Projected records the duration in seconds of one projection of a batch, or of its checks.
func (b *Builds) Projected(part string, seconds float64) {
	b.projections.WithLabelValues(part).Observe(seconds)
}

// Statements returns the function that counts a statement by its name, and whether it was slow or
// killed.
func (m *Metrics) Statements() func(name string, how sql.Outcome) {
	all, slow := m.Counter("cuota_clickhouse_statements_total"), m.Counter("cuota_clickhouse_slow_statements_total")
	killed := m.Counter("cuota_clickhouse_killed_statements_total").WithLabelValues()
	return func(name string, how sql.Outcome) {
		all.WithLabelValues(name).Inc()
		if how.Slow {
			slow.WithLabelValues(name).Inc()
		}
		if how.Killed {
			killed.Inc()
		}
	}
}
