package demotest

import (
	"maps"
	"sync"
	"testing"

	"github.com/ClickHouse/clickhouse-go/v2"

	"cuota/internal/embedded/clickhouse/clickhousetest"
	"cuota/projector"
)

// Schema gives a database with the tables and views, and only the rows that the schema itself
// inserts.
func Schema(t testing.TB) *clickhouse.Options {
	t.Helper()
	return clickhousetest.Prepared(t, projector.Migrate)
}

var published struct {
	sync.Mutex
	options *clickhouse.Options
}

// Published gives a database with the demo market's published batch: 2,840 series on
// 2025-07-20, with history for RUN 9809 and 9810. All tests of a binary share it, so it is
// read-only.
func Published(t testing.TB) *clickhouse.Options {
	t.Helper()
	published.Lock()
	defer published.Unlock()
	if published.options == nil {
		options := clickhousetest.Lasting(t)
		must(t, projector.Migrate(t.Context(), options))
		m := over(t, options)
		m.IngestDemo(t)
		m.Build(t)
		published.options = options
	}
	options := *published.options
	options.Settings = maps.Clone(options.Settings)
	if options.Settings == nil {
		options.Settings = clickhouse.Settings{}
	}
	options.Settings["readonly"] = 2 // read-only, but settings may be changed
	return &options
}
