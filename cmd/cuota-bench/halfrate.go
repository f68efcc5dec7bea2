package main

import (
	"context"
	"fmt"
	"runtime"
)

// screenerAtHalfRate measures latencies of the screener at half of the highest rate that
// it can answer, and of the bare handler at the same rate.
func screenerAtHalfRate(ctx context.Context, b *bench) ([]line, error) {
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
	var top []float64
	for round := range b.config.rounds + 1 { // one round to warm up
		r, err := b.request(ctx, market.api, market.key, paths)
		if err != nil {
			return nil, err
		}
		if round > 0 {
			top = append(top, r.perSecond())
		}
	}
	half := newStat(top).median / 2
	found, err := b.interleave(ctx,
		side{"screener", func(ctx context.Context) (reading, error) {
			return b.requestAt(ctx, market.api, market.key, paths, half)
		}},
		side{"bare handler", func(ctx context.Context) (reading, error) {
			return b.requestAt(ctx, bare, market.key, paths, half)
		}},
	)
	if err != nil {
		return nil, err
	}
	name := fmt.Sprintf("screener at %s requests/s, half of its top rate", thousands(half))
	against := fmt.Sprintf("a bare httprouter handler at the same rate; counted from when a request was due; clients and server share %d cores with the machine", runtime.NumCPU())
	return []line{
		compare(name+", p50", found[0], found[1], reading.p50Millis, "ms", against),
		compare(name+", p99", found[0], found[1], reading.p99Millis, "ms", against),
	}, nil
}
