package figures

import (
	"context"
	"fmt"
	"runtime"

	"cuota/cmd/cuota-bench/load"
	"cuota/cmd/cuota-bench/stats"
)

// halfRate is latencies of the screener at half of the highest rate that it can answer, and
// of the bare handler at the same rate. The goal for p99 is at most twice the bare
// handler's.
var halfRate = Figure{
	"half-rate", "the screener's latencies at half of its top rate, against a bare handler at the same",
	measureHalfRate,
}

func measureHalfRate(ctx context.Context, b *bench) ([]stats.Line, error) {
	market, err := b.servedDemo(ctx)
	if err != nil {
		return nil, err
	}
	paths := load.DrawScreens(market.series, b.config.Queries)
	_, bare, err := market.bare(ctx, load.ScreenerPath, paths)
	if err != nil {
		return nil, err
	}
	fast := market.side("screener", market.api, paths, 0)
	var top []float64
	for round := range b.config.Rounds + 1 { // one round to warm up
		r, err := fast.Once(ctx)
		if err != nil {
			return nil, err
		}
		if round > 0 {
			top = append(top, r.PerSecond())
		}
	}
	half := stats.NewStat(top).Median / 2
	found, err := b.rounds.Interleave(ctx, market.side("screener", market.api, paths, half),
		market.side("bare handler", bare, paths, half))
	if err != nil {
		return nil, err
	}
	name := fmt.Sprintf("screener at %s requests/s, half of its top rate", stats.Thousands(half))
	against := fmt.Sprintf("a bare httprouter handler at the same rate; counted from when a request was due; clients "+
		"and server share %d cores with the machine", runtime.NumCPU())
	return []stats.Line{
		stats.Compare(name+", p50", found[0], found[1], stats.Reading.P50Millis, "ms", against),
		stats.Compare(name+", p99", found[0], found[1], stats.Reading.P99Millis, "ms", against),
	}, nil
}
