package main

import (
	"fmt"

	"cuota/sql"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/rs/zerolog"
)

// openClickHouse opens a connection that logs slow statements. ran, if given, is called
// after every statement.
func (s settings) openClickHouse(options *clickhouse.Options, log zerolog.Logger, ran func(name string, how sql.Outcome)) (driver.Conn, error) {
	conn, err := clickhouse.Open(options)
	if err != nil {
		return nil, fmt.Errorf("open ClickHouse: %w", err)
	}
	return sql.Watched(conn, sql.Watch{Slow: s.SlowStatement, Log: log, Ran: ran}), nil
}
