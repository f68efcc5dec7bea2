package figures

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"golang.org/x/sync/errgroup"

	"cuota/backtest"
	"cuota/backtest/history"
	"cuota/backtest/summarytable"
	"cuota/cmd/cuota-bench/load"
	"cuota/cmd/cuota-bench/stats"
	"cuota/model"
	"cuota/sql"
)

// backtestOfYears is what cuota backtest computes, without the files that it writes. A child
// process does it on the market's engine. The goals are 30 s for the summaries of each day of ten years,
// 2 s for a strategy by month with its bias ledger, and 5 minutes for 1,000 random strategies on two
// processors.
var backtestOfYears = Figure{
	"years-backtest", "market summaries of each day of it, a strategy by month, and many random strategies",
	measureBacktestOfYears,
}

func measureBacktestOfYears(ctx context.Context, b *bench) ([]stats.Line, error) {
	m, err := b.bigMarket(ctx, b.config.Years)
	if err != nil {
		return nil, err
	}
	if err := m.up.stopSoon(ctx); err != nil {
		return nil, err
	}
	var outcome backtestOutcome
	if err := load.AskChild(ctx, backtestCommand,
		stoppedOrder{Dir: filepath.Join(m.dir, "clickhouse"), Times: b.config.Strategies}, &outcome); err != nil {
		return nil, fmt.Errorf("backtests: %w", err)
	}
	seconds := func(d time.Duration) stats.Quantity { return stats.Number(d.Seconds(), "s") }
	return []stats.Line{
		{Name: fmt.Sprintf("summaries of the market of %s days", stats.Thousands(float64(outcome.Days))),
			Value: seconds(outcome.Summaries), Against: "families, indices and movers, universe of then"},
		{Name: "  CPU", Value: seconds(outcome.SummariesCPU), Against: "of the program and ClickHouse"},
		{Name: fmt.Sprintf("a strategy by month, %d dates", outcome.Signals), Value: seconds(outcome.One),
			Against: "the first one of a process, with its bias ledger"},
		{Name: "  CPU", Value: seconds(outcome.OneCPU), Against: "of the program and ClickHouse"},
		{Name: fmt.Sprintf("%s random strategies", stats.Thousands(float64(outcome.Strategies))),
			Value: seconds(outcome.Many), Against: "each with its bias ledger, two at once"},
		{Name: "  CPU", Value: seconds(outcome.ManyCPU), Against: "of the program and ClickHouse"},
	}, nil
}

// backtestCommand is the argument that makes this program the child process that runs
// backtests.
const backtestCommand = "run-backtests"

type backtestOutcome struct {
	Days, Signals, Strategies int
	Summaries, SummariesCPU   time.Duration
	One, OneCPU               time.Duration
	Many, ManyCPU             time.Duration
}

// backtestPatience limits each statement of a backtest.
const backtestPatience = 5 * time.Minute

// backtestPeriod returns the first and the last day of what is measured. There is no monthly change
// before the first month is over.
func backtestPeriod(ctx context.Context, b *bench) (from, to model.Date, err error) {
	var first, last time.Time
	if err := b.conn.QueryRow(ctx, "SELECT min(date), max(date) FROM market_completeness WHERE complete").Scan(&first,
		&last); err != nil {
		return from, to, fmt.Errorf("look for the days: %w", err)
	}
	return model.DateOf(first).AddDays(31), model.DateOf(last), nil
}

// bestYear is the strategy by month that is measured.
func bestYear(from, to model.Date) backtest.Strategy {
	return backtest.Strategy{Name: "best year", From: from, To: to, Sort: "1y", Top: 10, Benchmark: "uf"}
}

// runBacktests measures on the market's engine, the last part with as many strategies as ordered.
func runBacktests(ctx context.Context, b *bench, o stoppedOrder) (outcome backtestOutcome, err error) {
	batch, reader, err := summarytable.Choose(ctx, b.conn, nil)
	if err != nil {
		return outcome, err
	}
	from, to, err := backtestPeriod(ctx, b)
	if err != nil {
		return outcome, err
	}
	asked := summarytable.Request{From: from, To: to, Step: summarytable.Daily}
	outcome.Summaries, outcome.SummariesCPU, err = timed(func() error {
		days, err := summarytable.Days(ctx, reader, batch, asked)
		if err != nil {
			return err
		}
		outcome.Days = len(days)
		return summarytable.Read(ctx, reader, batch, asked, days, func(summarytable.Part) error { return nil })
	})
	if err != nil {
		return outcome, err
	}
	reader = sql.NewReader(b.conn, "backtest", backtestPatience, false, nil)
	strategy, err := bestYear(from, to).Complete()
	if err != nil {
		return outcome, err
	}
	outcome.One, outcome.OneCPU, err = timed(func() error {
		result, err := backtest.Run(ctx, history.NewSource(reader, batch.Number), strategy)
		if err == nil {
			outcome.Signals = len(result.Rebalancings)
		}
		return err
	})
	if err != nil {
		return outcome, err
	}
	drawn, err := backtest.Random(strategy, 1, o.Times)
	if err != nil {
		return outcome, err
	}
	outcome.Strategies = len(drawn)
	outcome.Many, outcome.ManyCPU, err = timed(func() error {
		_, err := runStrategies(ctx, history.NewSource(reader, batch.Number), drawn)
		return err
	})
	return outcome, err
}

// runStrategies runs two strategies at once, each with its bias ledger.
func runStrategies(ctx context.Context, source backtest.Source,
	strategies []backtest.Strategy) ([]*backtest.Result, error) {
	results := make([]*backtest.Result, len(strategies))
	running, ctx := errgroup.WithContext(ctx)
	running.SetLimit(2)
	for i, s := range strategies {
		running.Go(func() (err error) {
			if results[i], err = backtest.Run(ctx, source, s); err == nil && len(results[i].Curve) == 0 {
				err = errors.New("a random strategy has no result")
			}
			return err
		})
	}
	return results, running.Wait()
}

// timed returns the time of some work and its CPU time, in this process and its engine.
func timed(work func() error) (took, cpu time.Duration, err error) {
	cpu, begun := ownCPU(), time.Now()
	err = work()
	return time.Since(begun), ownCPU() - cpu, err
}
