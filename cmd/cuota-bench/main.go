// Command cuota-bench measures the whole flow on real engines. It compares each figure
// with the bare work that is necessary anyway: the way of a published file to facts with
// a plain insert of the same rows, the building of a batch with the aggregation in it,
// answers from memory with a handler that writes the same bytes, and the screener with
// the same server that asks ClickHouse for each answer.
//
// It uses the product's packages as cmd/cuota does. Both engines run on loopback ports,
// ClickHouse in a process of its own, over a temporary directory that is removed at the
// end. The sides of a comparison are measured in turns, A B A B, in one run, so that a
// busy machine slows both.
//
// This package has the flags. What is measured and how is in the packages below it: the figures,
// the load that they make, what they compare with, and the readings.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"strings"
	"syscall"
	"time"

	"cuota/cmd/cuota-bench/figures"
	"cuota/cmd/cuota-bench/load"
	"cuota/internal/embedded/clickhouse"
)

func main() {
	runAsChild()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	exit(command(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// runAsChild does the work of a child process and ends, if this process is one: the
// engine, the clients that send requests, whose CPU time must not be counted as the
// server's, or a program that asks a stopped market. Otherwise it returns.
func runAsChild() {
	clickhouse.Host()
	if len(os.Args) != 2 {
		return
	}
	if part := figures.Children[os.Args[1]]; part != nil {
		exit(part(os.Stdin, os.Stdout))
	}
}

func exit(err error) {
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "cuota-bench:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// config is what the flags say.
type config struct {
	figures.Config
	limit time.Duration // the run is given up after it
}

func command(ctx context.Context, args []string, out, progress io.Writer) error {
	c, err := parse(args, progress)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, c.limit, fmt.Errorf("the run took longer than -limit %s", c.limit))
	defer cancel()
	return figures.Run(ctx, c.Config, out, progress)
}

func parse(args []string, progress io.Writer) (config, error) {
	var c config
	var only string
	flags := flag.NewFlagSet("cuota-bench", flag.ContinueOnError)
	flags.SetOutput(progress)
	flags.IntVar(&c.Rows, "rows", 300_000, "cartola rows to generate")
	flags.IntVar(&c.Series, "series", 3_000, "series that the rows are of; their days are rows / series")
	flags.DurationVar(&c.Length, "seconds", 3*time.Second, "length of one round of requests")
	flags.IntVar(&c.Rounds, "rounds", 3, "measured rounds of each figure, after one to warm up")
	flags.IntVar(&c.Clients, "clients", 8, "concurrent clients of the API")
	flags.IntVar(&c.Queries, "queries", 500, "distinct requests of a kind that the clients draw from")
	flags.IntVar(&c.MarketSeries, "market-series", 3_000, "series of the synthetic markets of years")
	flags.IntVar(&c.Years, "years", 10,
		"years of the synthetic market; 3,000 series have about a million quotas a year")
	flags.IntVar(&c.ShortYears, "short-years", 2, "years of the one that it is held against")
	flags.IntVar(&c.Dates, "dates", 60, "random past dates to ask for")
	flags.IntVar(&c.Strategies, "strategies", 1_000, "random strategies of years-backtest")
	flags.DurationVar(&c.Idle, "idle", 20*time.Second, "how long the demo is left alone before its memory is looked at")
	flags.IntVar(&c.Crowd, "crowd", 500, "clients that ask a server for more than it can answer")
	flags.IntVar(&c.Silent, "silent", 5_000, "clients that are connected to it and ask nothing")
	flags.DurationVar(&c.limit, "limit", time.Hour, "give up after this long")
	flags.StringVar(&only, "only", "", "measure the figures that match this regular expression")
	flags.StringVar(&c.CPUProfile, "cpuprofile", "",
		"write a CPU profile of the first selected figure, its last round, to this file")
	flags.StringVar(&c.MemProfile, "memprofile", "",
		"write what was allocated up to the end of that round to this file")
	flags.Usage = func() {
		_, _ = fmt.Fprint(progress, "Usage: cuota-bench [flags]\n\nFigures:\n"+figures.Help()+howLong+"\nFlags:\n")
		flags.PrintDefaults()
	}
	if err := flags.Parse(args); err != nil {
		return config{}, err
	}
	if flags.NArg() > 0 {
		return config{}, fmt.Errorf("unexpected argument %q: select figures with -only", flags.Arg(0))
	}
	var err error
	if c.Only, err = regexp.Compile(only); err != nil {
		return config{}, fmt.Errorf("-only: %w", err)
	}
	return c, c.validate()
}

// howLong is the help text about the duration of a run.
const howLong = `
Those of years took 25 minutes and 6 GB of disk on two cores that other programs
kept busy; the others together, one or two minutes. For 2 or 20 million quotas:
-only years -years 2, -only years -years 20.
`

// maxYears keeps the synthetic market after the first day that sources accept.
const maxYears = 50

// maxRows keeps the generated file below the limit of ingest for one payload.
const maxRows = 2_500_000

func (c config) validate() error {
	var problems []error
	require := func(holds bool, what string) {
		if !holds {
			problems = append(problems, errors.New(what))
		}
	}
	require(c.Rows >= 1 && c.Rows <= maxRows, fmt.Sprintf("-rows must be from 1 to %d", maxRows))
	require(c.Series >= 1 && c.Series <= c.Rows, "-series must be from 1 to -rows")
	require(c.Series < 1 || c.Days() <= load.MaxDays,
		fmt.Sprintf("-rows / -series gives more than %d days: ask for more series", load.MaxDays))
	require(c.Length > 0 && c.Length <= time.Minute, "-seconds must be above 0 and at most 1m")
	require(c.Rounds >= 1 && c.Rounds <= 100, "-rounds must be from 1 to 100")
	require(c.Clients >= 1 && c.Clients <= figures.MaxClients,
		fmt.Sprintf("-clients must be from 1 to %d", figures.MaxClients))
	require(c.Queries >= 1 && c.Queries <= 100_000, "-queries must be from 1 to 100000")
	require(c.MarketSeries >= 10 && c.MarketSeries <= 60_000, "-market-series must be from 10 to 60000")
	require(c.Years >= 1 && c.Years <= maxYears, fmt.Sprintf("-years must be from 1 to %d", maxYears))
	require(c.ShortYears >= 1 && c.ShortYears <= c.Years, "-short-years must be from 1 to -years")
	require(c.Dates >= 1 && c.Dates <= 10_000, "-dates must be from 1 to 10000")
	require(c.Strategies >= 1 && c.Strategies <= 10_000, "-strategies must be from 1 to 10000")
	require(c.Idle >= 0 && c.Idle <= time.Hour, "-idle must be from 0 to 1h")
	require(c.Crowd >= 1 && c.Crowd <= 2_000, "-crowd must be from 1 to 2000")
	require(c.Silent >= 1 && c.Silent <= 7_000, "-silent must be from 1 to 7000")
	require(c.limit > 0, "-limit must be above 0")
	require(len(figures.Selected(c.Only)) > 0,
		"-only selects nothing; the figures are:\n"+strings.TrimRight(figures.Help(), "\n"))
	return errors.Join(problems...)
}
