package demotest

import (
	"testing"

	"github.com/ClickHouse/clickhouse-go/v2"
)

// Published gives a database that holds the demo market's published batch: 2,840
// series on 2025-07-20, with history for RUN 9809 and 9810.
func Published(t testing.TB) *clickhouse.Options {
	t.Helper()
	m := New(t)
	m.IngestDemo(t)
	m.Build(t)
	return m.Options
}
