package figures

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/rs/zerolog"

	"cuota/cmd/cuota-bench/load"
	"cuota/cmd/cuota-bench/stats"
	"cuota/internal/embedded/clickhouse"
	"cuota/internal/loop"
)

// hostile is how much ten hostile users of ClickHouse slow down others: the screener, the
// building of a batch, and another person who runs trivial queries. The goals are at least
// half of the screener's requests per second, a p99 of the other person under 1 s, at most
// half of the machine's memory, and an engine that stops within 10 s.
var hostile = Figure{
	"hostile", "the screener, a batch and another person's SELECT 1 beside ten hostile people, against the same " +
		"without them",
	measureHostile,
}

func measureHostile(ctx context.Context, b *bench) ([]stats.Line, error) {
	market, err := b.servedDemo(ctx)
	if err != nil {
		return nil, err
	}
	facts, err := b.demoMarket(ctx)
	if err != nil {
		return nil, err
	}
	paths := load.DrawScreens(market.series, b.config.Queries)
	var person load.Person
	screener := market.side("screener", market.api, paths, 0)
	copies := 0
	batch := func(ctx context.Context) (stats.Reading, error) {
		copies++
		_, took, err := b.buildCopy(ctx, facts, fmt.Sprintf("beside_%d", copies), newStatements())
		return took, err
	}
	resident := 0.0 // megabytes of the engine
	type measured = func(context.Context) (stats.Reading, error)
	besideThem := func(measure measured) measured {
		return func(ctx context.Context) (stats.Reading, error) {
			end := load.StartHostileClients(ctx, b.doorHTTP, b.doorNative)
			stop := person.Ask(ctx, b.doorHTTP)
			took, err := measure(ctx)
			stop()
			end()
			// fails where there is no /proc
			if megabytes, unknown := stats.StatusMB(b.engine.State().PID, "VmRSS"); unknown == nil {
				resident = max(resident, megabytes)
			}
			// The hostile queries, which may run for minutes, must not run on into the
			// round of the other side.
			return took, errors.Join(err, restartEngine(ctx, b.engine))
		}
	}
	found, err := b.rounds.Interleave(ctx, screener,
		load.Side{Name: "screener, beside hostile people", Once: besideThem(screener.Once)})
	if err != nil {
		return nil, err
	}
	built, err := b.rounds.Interleave(ctx, load.Side{Name: "batch", Once: batch},
		load.Side{Name: "batch, beside hostile people", Once: besideThem(batch)})
	if err != nil {
		return nil, err
	}
	answered := slices.Sorted(slices.Values(person.Took))
	if len(answered) == 0 {
		return nil, errors.New("the other person was never answered")
	}
	const beside = "the same without ten hostile people: long blocks, slow readers, memory bombs, recursive queries, " +
		"a thousand sockets"
	lines := []stats.Line{
		stats.Compare("screener, beside hostile people", found[1], found[0], stats.Reading.PerSecond, "requests/s",
			beside),
		stats.Compare("batch of the demo, beside hostile people", built[1], built[0], stats.Reading.Millis, "ms",
			beside),
		{Name: "SELECT 1 of another person, p50",
			Value: stats.Number(1e3*stats.Quantile(answered, 0.50).Seconds(), "ms"),
			Against: fmt.Sprintf("over HTTP, each on a new connection, meanwhile; %d of %d were refused", person.Failed,
				len(answered))},
		{Name: "SELECT 1 of another person, p99",
			Value: stats.Number(1e3*stats.Quantile(answered, 0.99).Seconds(), "ms"), Against: "the same"},
	}
	if resident > 0 {
		lines = append(lines, stats.Line{Name: "memory of the engine after a round of them",
			Value: stats.Number(resident, "MB"),
			Against: "the largest, with the mapped pages of the library; the configuration allows half of the " +
				"machine's memory"})
	}

	stopped, err := stopBesideHostile(ctx, filepath.Join(b.dir, "hostile"))
	if err != nil {
		return nil, err
	}
	return append(lines, stats.Line{Name: "stop of an engine that they ask", Value: stats.Number(stopped, "ms"),
		Against: fmt.Sprintf("after %s of it; at most 10 s", hostileBeforeStop)}), nil
}

// hostileBeforeStop is long enough for the slowest hostile query to begin.
const hostileBeforeStop = 10 * time.Second

// stopBesideHostile returns how long an engine takes to stop while ten hostile clients
// query it, in milliseconds.
func stopBesideHostile(ctx context.Context, dir string) (millis float64, err error) {
	defer ourEngine.Store(ourEngine.Load()) // the CPU time of this engine does not count for other figures
	engine, err := startEngine(ctx, dir, zerolog.Nop())
	if err != nil {
		return 0, err
	}
	overHTTP, native := engine.Doors()
	end := load.StartHostileClients(ctx, overHTTP, native)
	defer end()
	_ = loop.Pause(ctx, hostileBeforeStop)
	began := time.Now()
	err = engine.Stop(ctx)
	return 1e3 * time.Since(began).Seconds(), err
}

// restartEngine kills an engine and returns when it serves again.
func restartEngine(ctx context.Context, engine *clickhouse.Server) error {
	before := engine.State()
	if err := syscall.Kill(before.PID, syscall.SIGKILL); err != nil {
		return fmt.Errorf("end the engine: %w", err)
	}
	return poll(ctx, "the engine to serve again", 10*time.Millisecond, func() (bool, error) {
		now := engine.State()
		return now.Running && now.Restarts > before.Restarts, nil
	})
}
