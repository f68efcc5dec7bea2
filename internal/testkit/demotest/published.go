package demotest

import (
	"maps"
	"sync"
	"testing"

	"github.com/ClickHouse/clickhouse-go/v2"

	"cuota/internal/embedded/clickhouse/clickhousetest"
	"cuota/projector/schema"
)

// Schema returns a database with the tables and views, and only the rows that the schema itself
// inserts.
func Schema(t testing.TB) *clickhouse.Options {
	t.Helper()
	return clickhousetest.Prepared(t, schema.Make)
}

// Shared is a market that all tests of a binary share, so it is read-only. Its zero value is ready.
type Shared struct {
	mu      sync.Mutex
	options *clickhouse.Options
}

// Of returns the database of the market. The first call makes it: fill ingests files and builds batches.
func (s *Shared) Of(t testing.TB, fill func(*Market)) *clickhouse.Options {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.options == nil {
		options := clickhousetest.Lasting(t)
		must(t, schema.Make(t.Context(), options))
		fill(over(t, options))
		s.options = options
	}
	options := *s.options
	options.Settings = maps.Clone(options.Settings)
	if options.Settings == nil {
		options.Settings = clickhouse.Settings{}
	}
	options.Settings["readonly"] = 2 // read-only, but settings may be changed
	return &options
}

var published Shared

// Published returns a database with the demo market's published batch: 2,840 series on
// 2025-07-20, with history for RUN 9809 and 9810. All tests of a binary share it.
func Published(t testing.TB) *clickhouse.Options {
	t.Helper()
	return published.Of(t, func(m *Market) {
		m.IngestDemo(t)
		m.Build(t)
	})
}
