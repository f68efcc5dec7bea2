package metrics

import "github.com/prometheus/client_golang/prometheus"

// Requests measures the requests of a query server. It implements query.Meter.
type Requests struct {
	requests         *prometheus.HistogramVec
	refused, lookups *prometheus.CounterVec
}

// Requests makes the metrics of requests.
func (m *Metrics) Requests() *Requests {
	return &Requests{
		m.Histogram("cuota_http_request_seconds"), m.Counter("cuota_http_refused_total"), m.Counter("cuota_reply_cache_lookups_total"),
	}
}

// Request gives what takes the seconds of each request of a route whose status is of a
// class, as in 2xx, and whose reply is of a source.
func (r *Requests) Request(route, class, source string) func(seconds float64) {
	return r.requests.WithLabelValues(route, class, source).Observe
}

// Refused gives what counts requests that have no route, by the class of their status.
func (r *Requests) Refused(class string) { r.refused.WithLabelValues(class).Inc() }

// Lookup gives what counts looks into the cache with an outcome.
func (r *Requests) Lookup(outcome string) func() { return r.lookups.WithLabelValues(outcome).Inc }

// Builds measures how batches are built. It implements projector.Meter.
type Builds struct{ builds, projections *prometheus.HistogramVec }

// Builds makes the metrics of builds.
func (m *Metrics) Builds() *Builds {
	return &Builds{m.Histogram("cuota_build_seconds"), m.Histogram("cuota_projection_seconds")}
}

// Built notes an attempt to build a batch.
func (b *Builds) Built(result string, seconds float64) {
	b.builds.WithLabelValues(result).Observe(seconds)
}

// Projected notes a part of a batch.
func (b *Builds) Projected(part string, seconds float64) {
	b.projections.WithLabelValues(part).Observe(seconds)
}

// Statements gives what counts statements by name.
func (m *Metrics) Statements() func(name string, slow bool) {
	all, slowOnes := m.Counter("cuota_clickhouse_statements_total"), m.Counter("cuota_clickhouse_slow_statements_total")
	return func(name string, slow bool) {
		all.WithLabelValues(name).Inc()
		if slow {
			slowOnes.WithLabelValues(name).Inc()
		}
	}
}
