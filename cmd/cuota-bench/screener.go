package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/rs/zerolog"

	"cuota/query"
)

// inTheDatabase gives a server no memory for answers, so that it asks its database for
// each of them. It refuses no client.
var inTheDatabase = query.Config{SnapshotBytes: 1, CacheBytes: 1, Waiting: maxClients}

// screenerRequests measures the screener with API keys and their quota. It compares it
// with a bare handler that writes the same bytes with the same headers, and with the
// same server where ClickHouse or PostgreSQL answers each request. All of these answer
// every request once before the measurement, and must give the same bytes.
func screenerRequests(ctx context.Context, b *bench) ([]line, error) {
	market, err := b.served(ctx)
	if err != nil {
		return nil, err
	}
	paths := drawScreens(market.series, b.config.queries)
	answers, err := market.fromMemory(ctx, paths)
	if err != nil {
		return nil, err
	}
	bare, err := b.serveBare(ctx, screenerPath, answers)
	if err != nil {
		return nil, err
	}
	inClickHouse, err := market.serve(ctx, unretired{market.conn}, inTheDatabase, zerolog.New(io.Discard))
	if err != nil {
		return nil, err
	}
	if err := market.same(ctx, inClickHouse, paths, answers); err != nil {
		return nil, fmt.Errorf("from ClickHouse: %w", err)
	}
	asking := func(name, address string) side {
		return side{name, func(ctx context.Context) (reading, error) { return b.request(ctx, address, market.key, paths) }}
	}
	sides := []side{asking("screener", market.api), asking("bare handler", bare), asking("from ClickHouse", inClickHouse)}

	postgres, err := market.inPostgres(ctx)
	none := errors.Is(err, errNoPostgres)
	switch {
	case err == nil:
		if err := market.same(ctx, postgres.address, paths, answers); err != nil {
			return nil, fmt.Errorf("from PostgreSQL: %w", err)
		}
		sides = append(sides, asking("from PostgreSQL", postgres.address))
	case !none:
		return nil, err
	}
	found, err := b.interleave(ctx, sides...)
	if err != nil {
		return nil, err
	}
	name := "screener, " + market.about()
	const clickhouse = "the same server asking ClickHouse for each request through clickhouse-go; the same bytes"
	lines := []line{
		compare(name, found[0], found[1], reading.perSecond, "requests/s", bareHandler),
		compare(name, found[0], found[2], reading.perSecond, "requests/s", clickhouse),
	}
	if none {
		lines = append(lines, line{name: name, value: quantity{of(found[0], reading.perSecond), "requests/s"},
			against: "not measured against PostgreSQL: " + errNoPostgres.Error()})
	} else {
		lines = append(lines, compare(name, found[0], found[3], reading.perSecond, "requests/s",
			"the same server asking "+postgres.version+" for each request through pgx; the same bytes"))
	}
	return append(lines,
		compare("screener, p50", found[0], found[1], reading.p50Millis, "ms", bareHandler),
		compare("screener, p99", found[0], found[1], reading.p99Millis, "ms", bareHandler),
		compare("screener, p99", found[0], found[2], reading.p99Millis, "ms", clickhouse),
		compare("screener, CPU of the server", found[0], found[1], reading.cpuMicros, "µs/request", bareHandler),
		market.memory(),
	), nil
}
