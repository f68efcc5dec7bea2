package figures

import (
	"context"
	"io"

	"github.com/rs/zerolog"

	"cuota/internal/bench/reference"
	"cuota/internal/bench/report"
	"cuota/internal/explorer"
	"cuota/query"
)

// pages is requests to the front page, rendered once and then answered from the response cache.
// It is compared with a bare handler that writes the same bytes with the same headers. The goal
// is 2,000 a second on two processors.
var pages = Figure{
	"pages", "requests to the front page, against a bare handler",
	measurePages,
}

func measurePages(ctx context.Context, b *bench) ([]report.Line, error) {
	market, err := b.servedDemo(ctx)
	if err != nil {
		return nil, err
	}
	address, err := market.serve(ctx, market.conn, query.Config{Pages: func(s *query.Server) query.Pages {
		site := explorer.New(explorer.Config{Market: explorer.MarketOf(s.PageBatch)})
		return query.Pages{Operations: site.Operations(), NotFound: site.Problem}
	}}, zerolog.New(io.Discard))
	if err != nil {
		return nil, err
	}
	paths := []string{"/", "/?lang=en"}
	if _, err := reference.Record(ctx, address, market.key, paths); err != nil { // renders them
		return nil, err
	}
	answers, err := reference.Record(ctx, address, market.key, paths)
	if err != nil {
		return nil, err
	}
	bare, err := reference.ServeBare(ctx, b.onClose, "/", answers)
	if err != nil {
		return nil, err
	}
	found, err := b.rounds.Interleave(ctx,
		market.side("front page", address, paths, 0), market.side("bare handler", bare, paths, 0))
	if err != nil {
		return nil, err
	}
	const name = "front page, both languages"
	return []report.Line{
		report.Compare(name, found[0], found[1], report.Reading.PerSecond, "requests/s", reference.BareHandler+"; goal 2,000 a second"),
		report.Compare(name+", p99", found[0], found[1], report.Reading.P99Millis, "ms", reference.BareHandler),
	}, nil
}
