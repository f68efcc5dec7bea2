package figures

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"time"

	"github.com/rs/zerolog"

	"cuota/cmd/cuota-bench/baseline"
	"cuota/cmd/cuota-bench/load"
	"cuota/cmd/cuota-bench/stats"
	"cuota/internal/site"
	"cuota/internal/site/marketpages"
	"cuota/query"
)

// pages is requests to the front page, rendered once and then answered from the response cache. It
// is compared with a bare handler that writes the same bytes with the same headers. The goal is
// 2,000 a second on two processors. It also views pages of series for the first time, of which the
// goal is 50 ms.
var pages = Figure{
	"pages", "requests to the front page, against a bare handler, and first views of pages of series",
	measurePages,
}

func measurePages(ctx context.Context, b *bench) ([]stats.Line, error) {
	market, err := b.servedDemo(ctx)
	if err != nil {
		return nil, err
	}
	address, err := market.serve(ctx, market.conn, query.Config{Pages: func(s *query.Server) query.Pages {
		market := marketpages.MarketOf(s.PageBatch)
		frame := site.New(site.Config{Published: market.Published})
		return query.Pages{Operations: marketpages.Operations(marketpages.Config{Frame: frame, Market: market}),
			NotFound: frame.Problem}
	}}, zerolog.New(io.Discard))
	if err != nil {
		return nil, err
	}
	paths := []string{"/", "/?lang=en"}
	if _, err := baseline.Record(ctx, address, market.key, paths); err != nil { // renders them
		return nil, err
	}
	answers, err := baseline.Record(ctx, address, market.key, paths)
	if err != nil {
		return nil, err
	}
	bare, err := baseline.ServeBare(ctx, b.onClose, "/", answers)
	if err != nil {
		return nil, err
	}
	found, err := b.rounds.Interleave(ctx,
		market.side("front page", address, paths, 0), market.side("bare handler", bare, paths, 0))
	if err != nil {
		return nil, err
	}
	first, err := market.firstViews(ctx, address)
	if err != nil {
		return nil, err
	}
	const name = "front page, both languages"
	return []stats.Line{
		stats.Compare(name, found[0], found[1], stats.Reading.PerSecond, "requests/s",
			baseline.BareHandler+"; goal 2,000 a second"),
		stats.Compare(name+", p99", found[0], found[1], stats.Reading.P99Millis, "ms", baseline.BareHandler),
		{Name: "first view of the page of a series, p50",
			Value:   stats.Number(1e3*stats.Quantile(first, 0.5).Seconds(), "ms"),
			Against: fmt.Sprintf("%d random series, one after the other; goal 50 ms", len(first))},
	}, nil
}

// viewedSeries is of how many series the page is viewed, once each.
const viewedSeries = 30

// firstViews measures how long the pages of random series take that nobody has asked for, sorted.
func (s *served) firstViews(ctx context.Context, address string) ([]time.Duration, error) {
	client, random := &http.Client{}, rand.New(rand.NewPCG(11, 12))
	defer client.CloseIdleConnections()
	var took []time.Duration
	for _, at := range random.Perm(len(s.series))[:min(viewedSeries, len(s.series))] {
		path := fmt.Sprintf("/series/%d", s.series[at].ID)
		began := time.Now()
		status, err := load.Get(ctx, client, address, path, s.key)
		took = append(took, time.Since(began))
		if err == nil && status != http.StatusOK {
			err = fmt.Errorf("%s is answered with status %d", path, status)
		}
		if err != nil {
			return nil, err
		}
	}
	slices.Sort(took)
	return took, nil
}
