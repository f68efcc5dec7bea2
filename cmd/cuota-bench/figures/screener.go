package figures

import (
	"context"
	"fmt"
	"io"

	"github.com/rs/zerolog"

	"cuota/cmd/cuota-bench/baseline"
	"cuota/cmd/cuota-bench/load"
	"cuota/cmd/cuota-bench/stats"
	"cuota/internal/httpapi"
	"cuota/query"
)

// screener is requests to the screener with API keys and their quota. It is compared with a
// bare handler that writes the same bytes with the same headers, and with the same server
// where ClickHouse answers each request. All of these answer every request once before the
// measurement, and must give the same bytes. The goals are at least 0.75 of the bare handler's
// requests per second, and 50 times those from ClickHouse.
var screener = Figure{
	"screener", "requests to the screener, against a bare handler, and ClickHouse for each request",
	measureScreener,
}

// inTheDatabase gives a server no memory for answers, so that it asks its database for
// each of them. It refuses no client.
var inTheDatabase = query.Config{SnapshotBytes: 1, HTTP: httpapi.Config{CacheBytes: 1, Waiting: MaxClients}}

func measureScreener(ctx context.Context, b *bench) ([]stats.Line, error) {
	market, err := b.servedDemo(ctx)
	if err != nil {
		return nil, err
	}
	paths := load.DrawScreens(market.series, b.config.Queries)
	answers, bare, err := market.bare(ctx, load.ScreenerPath, paths)
	if err != nil {
		return nil, err
	}
	inClickHouse, err := market.serve(ctx, baseline.Unretired{Conn: market.conn}, inTheDatabase,
		zerolog.New(io.Discard))
	if err != nil {
		return nil, err
	}
	if err := market.same(ctx, inClickHouse, paths, answers); err != nil {
		return nil, fmt.Errorf("from ClickHouse: %w", err)
	}
	side := func(name, address string) load.Side { return market.side(name, address, paths, 0) }
	sides := []load.Side{side("screener", market.api), side("bare handler", bare),
		side("from ClickHouse", inClickHouse)}

	found, err := b.rounds.Interleave(ctx, sides...)
	if err != nil {
		return nil, err
	}
	name := "screener, " + market.about()
	const clickhouse = "the same server asking ClickHouse for each request through clickhouse-go; the same bytes"
	lines := []stats.Line{
		stats.Compare(name, found[0], found[1], stats.Reading.PerSecond, "requests/s", baseline.BareHandler),
		stats.Compare(name, found[0], found[2], stats.Reading.PerSecond, "requests/s", clickhouse),
	}
	return append(lines,
		stats.Compare("screener, p50", found[0], found[1], stats.Reading.P50Millis, "ms", baseline.BareHandler),
		stats.Compare("screener, p99", found[0], found[1], stats.Reading.P99Millis, "ms", baseline.BareHandler),
		stats.Compare("screener, p99", found[0], found[2], stats.Reading.P99Millis, "ms", clickhouse),
		stats.Compare("screener, CPU of the server", found[0], found[1], stats.Reading.CPUMicros, "µs/request",
			baseline.BareHandler),
		market.memory(),
	), nil
}

// same fails unless the server at an address answers from its database with exactly the
// recorded bytes.
func (s *served) same(ctx context.Context, address string, paths []string, want baseline.Answers) error {
	got, err := baseline.Record(ctx, address, s.key, paths)
	if err != nil {
		return err
	}
	return got.SameFromDatabase(want)
}
