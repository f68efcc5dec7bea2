package figures

import (
	"context"

	"cuota/internal/bench/load"
	"cuota/internal/bench/reference"
	"cuota/internal/bench/report"
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
	ranking = Figure{
		"ranking", "requests for the ranking of managers, against a bare handler",
		againstBare("ranking, latest, by equity and by shareholders", "/api/agf_stats/ranking", load.BothRankings),
	}
)

// againstBare measures requests that must not reach the engine. The reference is a bare
// handler that writes the same bytes. pattern is their route in httprouter; draw gives
// their paths.
func againstBare(name, pattern string, draw func(series []load.Series, n int) []string) func(context.Context, *bench) ([]report.Line, error) {
	return func(ctx context.Context, b *bench) ([]report.Line, error) {
		market, err := b.servedDemo(ctx)
		if err != nil {
			return nil, err
		}
		paths := draw(market.series, b.config.Queries)
		_, bare, err := market.bare(ctx, pattern, paths)
		if err != nil {
			return nil, err
		}
		found, err := b.rounds.Interleave(ctx, market.side(name, market.api, paths, 0), market.side("bare handler", bare, paths, 0))
		if err != nil {
			return nil, err
		}
		return []report.Line{
			report.Compare(name, found[0], found[1], report.Reading.PerSecond, "requests/s", reference.BareHandler),
			report.Compare("  CPU of the server", found[0], found[1], report.Reading.CPUMicros, "µs/request", reference.BareHandler),
		}, nil
	}
}
