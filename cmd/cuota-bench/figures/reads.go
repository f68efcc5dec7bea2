package figures

import (
	"context"
	"time"

	"cuota/cmd/cuota-bench/baseline"
	"cuota/cmd/cuota-bench/load"
	"cuota/cmd/cuota-bench/stats"
	"cuota/model"
)

// The requests that are answered from the snapshot of the batch. The goal of each is at
// least 0.6 of the bare handler's requests per second.
var (
	compare = Figure{
		"compare", "requests to compare, against a bare handler",
		againstBare("compare, 1 to 10 random series", "/api/compare", load.DrawCompares),
	}
	returns = Figure{
		"returns", "requests for the returns of a series, against a bare handler",
		againstBare("returns of a random series", "/api/real_assets/:id/returns", load.DrawReturns),
	}
	pastReturns = Figure{
		"past-returns", "requests for the returns of a series at past month ends, against those at the cutoff",
		measurePastReturns,
	}
	ranking = Figure{
		"ranking", "requests for the ranking of managers, against a bare handler",
		againstBare("ranking, latest, by equity and by shareholders", "/api/agf_stats/ranking", load.BothRankings),
	}
)

// againstBare measures requests that must not reach the engine. The reference is a bare
// handler that writes the same bytes. pattern is their route in httprouter; draw returns
// their paths.
func againstBare(name, pattern string,
	draw func(series []load.Series, n int) []string) func(context.Context, *bench) ([]stats.Line, error) {
	return func(ctx context.Context, b *bench) ([]stats.Line, error) {
		market, err := b.servedDemo(ctx)
		if err != nil {
			return nil, err
		}
		paths := draw(market.series, b.config.Queries)
		_, bare, err := market.bare(ctx, pattern, paths)
		if err != nil {
			return nil, err
		}
		found, err := b.rounds.Interleave(ctx, market.side(name, market.api, paths, 0),
			market.side("bare handler", bare, paths, 0))
		if err != nil {
			return nil, err
		}
		return []stats.Line{
			stats.Compare(name, found[0], found[1], stats.Reading.PerSecond, "requests/s", baseline.BareHandler),
			stats.Compare("  CPU of the server", found[0], found[1], stats.Reading.CPUMicros, "µs/request",
				baseline.BareHandler),
		}, nil
	}
}

// measurePastReturns measures returns at month ends that were requested before, of the series
// of the demo with years of quotes. The reference is returns at the cutoff, on the same
// server. The goal is at least half of their requests per second.
func measurePastReturns(ctx context.Context, b *bench) ([]stats.Line, error) {
	market, err := b.servedDemo(ctx)
	if err != nil {
		return nil, err
	}
	var quoted []struct {
		ID uint32 `ch:"series_id"`
	}
	if err := market.conn.Select(ctx, &quoted,
		"SELECT series_id FROM current_series_day GROUP BY series_id HAVING count() > 1000 ORDER BY series_id"); err != nil {
		return nil, err
	}
	ids := make([]uint32, len(quoted))
	for i, row := range quoted {
		ids[i] = row.ID
	}
	paths := load.DrawPastReturns(ids, model.NewDate(2025, time.June, 30), b.config.Queries)
	if _, err := baseline.Record(ctx, market.api, market.key, paths); err != nil { // reads the days
		return nil, err
	}
	found, err := b.rounds.Interleave(ctx, market.side("past", market.api, paths, 0),
		market.side("cutoff", market.api, load.DrawReturns(market.series, b.config.Queries), 0))
	if err != nil {
		return nil, err
	}
	const against = "returns of a random series at the cutoff, the same server"
	return []stats.Line{
		stats.Compare("returns at random month ends", found[0], found[1], stats.Reading.PerSecond, "requests/s",
			against),
		stats.Compare("  CPU of the server", found[0], found[1], stats.Reading.CPUMicros, "µs/request", against),
	}, nil
}
