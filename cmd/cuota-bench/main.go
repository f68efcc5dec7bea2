// Command cuota-bench measures the whole flow on real engines. It compares each figure
// with the bare work that is necessary anyway: the way of a published file to facts with
// a plain insert of the same rows, the building of a batch with the aggregation in it,
// answers from memory with a handler that writes the same bytes, and the screener with
// the same server that asks ClickHouse or PostgreSQL for each answer.
//
// It uses the product's packages as cmd/cuota does. Both engines run on loopback ports,
// ClickHouse in a process of its own, over a temporary directory that is removed at the
// end. The sides of a comparison are measured in turns, A B A B, in one run, so that a
// busy machine slows both.
//
// Each figure is one function in the table of figures.go. To add a figure, write its
// function in a new file and add it to the table.
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

	"cuota/internal/embedded/clickhouse"
)

func main() {
	clickhouse.Host() // this program is also started as the engine; then Host does not return
	// A child process sends the requests, so that its CPU time is not counted as the
	// server's.
	if len(os.Args) == 2 && os.Args[1] == clientCommand {
		exit(serveAsClient(os.Stdin, os.Stdout))
	}
	if len(os.Args) == 2 && os.Args[1] == windowsCommand {
		exit(askWindows(os.Stdin, os.Stdout))
	}
	if len(os.Args) == 2 && os.Args[1] == daysCommand {
		exit(askDays(os.Stdin, os.Stdout))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	exit(command(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

func exit(err error) {
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "cuota-bench:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// config says how much is measured.
type config struct {
	rows, series int // of the generated market
	seconds      time.Duration
	rounds       int
	clients      int // concurrent clients of the API
	queries      int // distinct queries of each kind

	marketSeries      int // of the synthetic markets
	years, shortYears int
	dates             int // past dates that are requested
	idle              time.Duration

	crowd, silent int // clients of an overloaded server
	servers       int // servers that share one PostgreSQL

	limit      time.Duration
	only       *regexp.Regexp
	cpuProfile string
	memProfile string
}

// days is how many days the generated market has.
func (c config) days() int { return c.rows / c.series }

func command(ctx context.Context, args []string, out, progress io.Writer) error {
	c, err := parse(args, progress)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, c.limit, fmt.Errorf("the run took longer than -limit %s", c.limit))
	defer cancel()
	return run(ctx, c, out, progress)
}

func parse(args []string, progress io.Writer) (config, error) {
	var c config
	var only string
	flags := flag.NewFlagSet("cuota-bench", flag.ContinueOnError)
	flags.SetOutput(progress)
	flags.IntVar(&c.rows, "rows", 300_000, "cartola rows to generate")
	flags.IntVar(&c.series, "series", 3_000, "series that the rows are of; their days are rows / series")
	flags.DurationVar(&c.seconds, "seconds", 3*time.Second, "length of one round of requests")
	flags.IntVar(&c.rounds, "rounds", 3, "measured rounds of each figure, after one to warm up")
	flags.IntVar(&c.clients, "clients", 8, "concurrent clients of the API")
	flags.IntVar(&c.queries, "queries", 500, "distinct requests of a kind that the clients draw from")
	flags.IntVar(&c.marketSeries, "market-series", 3_000, "series of the synthetic markets of years")
	flags.IntVar(&c.years, "years", 10, "years of the synthetic market; 3,000 series have about a million quotas a year")
	flags.IntVar(&c.shortYears, "short-years", 2, "years of the one that it is held against")
	flags.IntVar(&c.dates, "dates", 60, "random past dates to ask for")
	flags.DurationVar(&c.idle, "idle", 20*time.Second, "how long the demo is left alone before its memory is looked at")
	flags.IntVar(&c.crowd, "crowd", 500, "clients that ask a server for more than it can answer")
	flags.IntVar(&c.silent, "silent", 5_000, "clients that are connected to it and ask nothing")
	flags.IntVar(&c.servers, "servers", 50, "query servers that share one PostgreSQL")
	flags.DurationVar(&c.limit, "limit", time.Hour, "give up after this long")
	flags.StringVar(&only, "only", "", "measure the figures that match this regular expression")
	flags.StringVar(&c.cpuProfile, "cpuprofile", "", "write a CPU profile of the first selected figure, its last round, to this file")
	flags.StringVar(&c.memProfile, "memprofile", "", "write what was allocated up to the end of that round to this file")
	flags.Usage = func() {
		_, _ = fmt.Fprint(progress, "Usage: cuota-bench [flags]\n\nFigures:\n"+figureList()+howLong+"\nFlags:\n")
		flags.PrintDefaults()
	}
	if err := flags.Parse(args); err != nil {
		return config{}, err
	}
	if flags.NArg() > 0 {
		return config{}, fmt.Errorf("unexpected argument %q: select figures with -only", flags.Arg(0))
	}
	var err error
	if c.only, err = regexp.Compile(only); err != nil {
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

// maxClients bounds the concurrent clients of the API.
const maxClients = 256

// maxRows keeps the generated file below the limit of ingest for one payload.
const maxRows = 2_500_000

func (c config) validate() error {
	var problems []error
	require := func(holds bool, what string) {
		if !holds {
			problems = append(problems, errors.New(what))
		}
	}
	require(c.rows >= 1 && c.rows <= maxRows, fmt.Sprintf("-rows must be from 1 to %d", maxRows))
	require(c.series >= 1 && c.series <= c.rows, "-series must be from 1 to -rows")
	require(c.series < 1 || c.days() <= maxDays, fmt.Sprintf("-rows / -series gives more than %d days: ask for more series", maxDays))
	require(c.seconds > 0 && c.seconds <= time.Minute, "-seconds must be above 0 and at most 1m")
	require(c.rounds >= 1 && c.rounds <= 100, "-rounds must be from 1 to 100")
	require(c.clients >= 1 && c.clients <= maxClients, fmt.Sprintf("-clients must be from 1 to %d", maxClients))
	require(c.queries >= 1 && c.queries <= 100_000, "-queries must be from 1 to 100000")
	require(c.marketSeries >= 10 && c.marketSeries <= 60_000, "-market-series must be from 10 to 60000")
	require(c.years >= 1 && c.years <= maxYears, fmt.Sprintf("-years must be from 1 to %d", maxYears))
	require(c.shortYears >= 1 && c.shortYears <= c.years, "-short-years must be from 1 to -years")
	require(c.dates >= 1 && c.dates <= 10_000, "-dates must be from 1 to 10000")
	require(c.idle >= 0 && c.idle <= time.Hour, "-idle must be from 0 to 1h")
	require(c.crowd >= 1 && c.crowd <= 2_000, "-crowd must be from 1 to 2000")
	require(c.silent >= 1 && c.silent <= 7_000, "-silent must be from 1 to 7000")
	require(c.servers >= 1 && c.servers <= 200, "-servers must be from 1 to 200")
	require(c.limit > 0, "-limit must be above 0")
	require(len(selected(c.only)) > 0, "-only selects nothing; the figures are:\n"+strings.TrimRight(figureList(), "\n"))
	return errors.Join(problems...)
}

// run measures the selected figures and prints one table.
func run(ctx context.Context, c config, out, progress io.Writer) (err error) {
	began := time.Now()
	before, told := lookAtProcessors()
	b, err := open(ctx, c, progress)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.close()) }()
	var lines []line
	for _, f := range selected(c.only) {
		b.tell("%s", f.name)
		found, err := f.measure(ctx, b)
		if err != nil {
			if ctx.Err() != nil {
				err = context.Cause(ctx)
			}
			return fmt.Errorf("figure %s: %w", f.name, err)
		}
		lines = append(lines, found...)
	}
	if err := b.profile.close(); err != nil {
		return err
	}
	r := report{machine: b.machine(ctx), config: c, lines: lines, took: time.Since(began)}
	if after, ok := lookAtProcessors(); ok && told {
		r.others = fmt.Sprintf("; other programs took %.0f %% of the processors meanwhile", 100*takenByOthers(before, after))
	}
	return r.print(out)
}
