// Package metrics holds the counters and measurements of the program for Prometheus. One table
// defines all metrics. Using a name that is not in it is a programming error and panics.
package metrics

import (
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Metrics are the metrics of one process.
type Metrics struct{ registry *prometheus.Registry }

// New makes the metrics of a process, with those of the Go runtime and the process itself.
func New() *Metrics {
	m := &Metrics{prometheus.NewRegistry()}
	m.registry.MustRegister(collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// define returns the definition of a metric. It panics if there is no metric of this name and
// kind.
func define(name string, want kind) definition {
	for _, d := range definitions {
		if d.name == name && d.kind == want {
			return d
		}
	}
	panic("metrics: no " + string(want) + " " + name)
}

// Counter makes a counter of the table. The caller counts with the vector.
func (m *Metrics) Counter(name string) *prometheus.CounterVec {
	d := define(name, counter)
	vector := prometheus.NewCounterVec(prometheus.CounterOpts{Name: d.name, Help: d.help}, d.labels)
	m.registry.MustRegister(vector)
	return vector
}

// Histogram makes a histogram of the table. The caller observes values with the vector.
func (m *Metrics) Histogram(name string) *prometheus.HistogramVec {
	d := define(name, histogram)
	vector := prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: d.name, Help: d.help, Buckets: d.buckets},
		d.labels)
	m.registry.MustRegister(vector)
	return vector
}

// Sample is one value of a metric, with its labels in the order of the definition.
type Sample struct {
	Value  float64
	Labels []string
}

// Value returns the only sample of a metric without labels.
func Value[N int | int64 | uint64 | float64](value N) []Sample {
	return []Sample{{Value: float64(value)}}
}

// Truth returns 1 for true and 0 for false.
func Truth(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// Sampled registers a gauge, or a counter whose count is kept elsewhere. give is called at each
// scrape and must not block. Sampled panics for an unknown name.
func (m *Metrics) Sampled(name string, give func() []Sample) {
	d, valueType := definition{}, prometheus.GaugeValue
	for _, known := range definitions {
		if known.name == name {
			d = known
		}
	}
	switch d.kind {
	case gauge:
	case counter:
		valueType = prometheus.CounterValue
	default:
		panic("metrics: no gauge or counter " + name)
	}
	m.registry.MustRegister(&sampled{prometheus.NewDesc(d.name, d.help, d.labels, nil), valueType, give})
}

type sampled struct {
	desc *prometheus.Desc
	kind prometheus.ValueType
	give func() []Sample
}

// Describe implements prometheus.Collector.
func (s *sampled) Describe(to chan<- *prometheus.Desc) { to <- s.desc }

// Collect implements prometheus.Collector.
func (s *sampled) Collect(to chan<- prometheus.Metric) {
	for _, sample := range s.give() {
		to <- prometheus.MustNewConstMetric(s.desc, s.kind, sample.Value, sample.Labels...)
	}
}

// Limits of scrapes.
const (
	scrapesAtOnce = 3
	scrapeTimeout = 10 * time.Second
)

// Handler answers scrapes.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry,
		promhttp.HandlerOpts{MaxRequestsInFlight: scrapesAtOnce, Timeout: scrapeTimeout})
}
