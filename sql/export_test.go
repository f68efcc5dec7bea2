package sql

import "github.com/ClickHouse/clickhouse-go/v2/lib/driver"

// ReadAll is readAll for tests.
func ReadAll[T any](rows driver.Rows) ([]T, error) { return readAll[T](rows) }

// Statement is the text of a comparison, for tests.
func (t ComparedTable) Statement() string { return t.text }
