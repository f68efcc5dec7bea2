package figures

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"runtime/debug"
	"time"

	"github.com/rs/zerolog"

	"cuota/cmd/cuota-bench/baseline"
	"cuota/cmd/cuota-bench/load"
	"cuota/cmd/cuota-bench/stats"
	"cuota/internal/httpapi"
	"cuota/query"
)

// overload is a server that must ask ClickHouse for each answer while a crowd sends
// requests too: how long accepted requests take, compared with the same without the crowd;
// how fast the others are refused; and how much memory silent connections take.
var overload = Figure{
	"overload", "answers from ClickHouse beside a crowd, against the same without it; refusals; memory of silent " +
		"connections",
	measureOverload,
}

// steadyClients send requests one after the other, with and without a crowd beside them.
// They are about as many as may ask ClickHouse at once on two processors.
const steadyClients = 4

// crowdEvery is how often each client of the crowd sends a request.
const crowdEvery = time.Second

func measureOverload(ctx context.Context, b *bench) ([]stats.Line, error) {
	market, err := b.servedDemo(ctx)
	if err != nil {
		return nil, err
	}
	api, err := market.serve(ctx, baseline.Unretired{Conn: market.conn},
		query.Config{SnapshotBytes: 1, HTTP: httpapi.Config{CacheBytes: 1}}, zerolog.New(io.Discard))
	if err != nil {
		return nil, err
	}
	paths := load.DrawScreens(market.series, b.config.Queries)
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: b.config.Crowd + steadyClients}}
	defer client.CloseIdleConnections()

	clients := load.Crowd{Client: client, Address: api, Key: market.key, Paths: paths}
	steadily := func(ctx context.Context) (stats.Reading, error) {
		var mine load.Answers
		r, err := b.rounds.Time(0, func() error { return clients.Steadily(ctx, steadyClients, b.config.Length, &mine) })
		accepted, _ := mine.Sorted()
		r.Units, r.P50, r.P99 = len(accepted), stats.Quantile(accepted, 0.50), stats.Quantile(accepted, 0.99)
		return r, err
	}
	var crowd load.Answers
	beside := func(ctx context.Context) (stats.Reading, error) {
		limited, end := context.WithCancel(ctx)
		over := make(chan error, 1)
		go func() { over <- clients.AtIntervals(limited, b.config.Crowd, crowdEvery, &crowd) }()
		r, err := steadily(ctx)
		end()
		return r, errors.Join(err, <-over)
	}
	found, err := b.rounds.Interleave(ctx, load.Side{Name: "beside a crowd", Once: beside},
		load.Side{Name: "alone", Once: steadily})
	if err != nil {
		return nil, err
	}
	accepted, refused := crowd.Sorted()
	about := fmt.Sprintf("%d clients that ask once a second; of their requests %d were let in and %d refused",
		b.config.Crowd, len(accepted), len(refused))
	lines := []stats.Line{
		stats.Compare("let in beside a crowd, p50", found[0], found[1], stats.Reading.P50Millis, "ms",
			"the same without the crowd, of "+about),
		stats.Compare("let in beside a crowd, p99", found[0], found[1], stats.Reading.P99Millis, "ms", "the same"),
		{Name: "refused, p50", Value: stats.Number(1e3*stats.Quantile(refused, 0.50).Seconds(), "ms"),
			Against: "503 with Retry-After"},
		{Name: "refused, p99", Value: stats.Number(1e3*stats.Quantile(refused, 0.99).Seconds(), "ms"),
			Against: "503 with Retry-After; clients and server share the processors"},
	}
	taken, err := silentMemory(ctx, api, b.config.Silent)
	if err != nil {
		return nil, err
	}
	if taken > 0 {
		lines = append(lines, stats.Line{Name: fmt.Sprintf("memory of %d silent connections", b.config.Silent),
			Value:   stats.Number(taken, "MB"),
			Against: "both ends, resident"})
	}
	return lines, nil
}

// silentMemory returns the memory that so many silent clients of a server take, in
// megabytes; 0 where the system does not state it.
func silentMemory(ctx context.Context, api string, clients int) (megabytes float64, err error) {
	resident := func() float64 {
		debug.FreeOSMemory()
		taken, unknown := stats.StatusMB(os.Getpid(), "VmRSS")
		if unknown != nil {
			return 0
		}
		return taken
	}
	before := resident()
	connections, err := load.ConnectSilent(ctx, api, clients)
	defer func() {
		for _, connection := range connections {
			err = errors.Join(err, connection.Close())
		}
	}()
	if err != nil {
		return 0, err
	}
	return resident() - before, nil
}
