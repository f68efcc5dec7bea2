package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// hotRead is a kind of request that must not reach the engine. The reference is a bare
// handler that writes the same bytes.
type hotRead struct {
	name    string
	pattern string // route in httprouter
	draw    func(series []listed, n int) []string
}

var (
	compareRead = hotRead{"compare, 1 to 10 random series", "/api/compare", drawCompares}
	returnsRead = hotRead{"returns of a random series", "/api/real_assets/:id/returns", drawReturns}
	rankingRead = hotRead{"ranking, latest, by equity and by shareholders", "/api/agf_stats/ranking", bothRankings}
)

func (h hotRead) measure(ctx context.Context, b *bench) ([]line, error) {
	market, err := b.served(ctx)
	if err != nil {
		return nil, err
	}
	paths := h.draw(market.series, b.config.queries)
	answers, err := market.fromMemory(ctx, paths)
	if err != nil {
		return nil, err
	}
	bare, err := b.serveBare(ctx, h.pattern, answers)
	if err != nil {
		return nil, err
	}
	found, err := b.interleave(ctx,
		side{h.name, func(ctx context.Context) (reading, error) { return b.request(ctx, market.api, market.key, paths) }},
		side{"bare handler", func(ctx context.Context) (reading, error) { return b.request(ctx, bare, market.key, paths) }},
	)
	if err != nil {
		return nil, err
	}
	return []line{
		compare(h.name, found[0], found[1], reading.perSecond, "requests/s", bareHandler),
		compare("  CPU of the server", found[0], found[1], reading.cpuMicros, "µs/request", bareHandler),
	}, nil
}

// maxCompared is the most series that compare accepts.
const maxCompared = 10

func drawCompares(series []listed, n int) []string {
	random := rand.New(rand.NewPCG(5, 6))
	paths := make([]string, n)
	for i := range paths {
		ids := make([]string, 0, maxCompared)
		for _, at := range random.Perm(len(series))[:1+random.IntN(min(maxCompared, len(series)))] {
			ids = append(ids, strconv.FormatUint(uint64(series[at].ID), 10))
		}
		paths[i] = "/api/compare?series=" + strings.Join(ids, ",")
	}
	return paths
}

func drawReturns(series []listed, n int) []string {
	random := rand.New(rand.NewPCG(7, 8))
	paths := make([]string, n)
	for i := range paths {
		paths[i] = fmt.Sprintf("/api/real_assets/%d/returns", series[random.IntN(len(series))].ID)
	}
	return paths
}

func bothRankings([]listed, int) []string {
	return []string{"/api/agf_stats/ranking?metric=patrimony", "/api/agf_stats/ranking?metric=shareholders"}
}
