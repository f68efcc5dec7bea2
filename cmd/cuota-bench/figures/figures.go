// Package figures measures the product and what it is compared with. Figures of one kind, such as
// the stages of the way to facts, share a file, which says their names, how each is measured and its
// goal, if it has one. The other files are what figures have in common: the engine, the
// markets, the server and the program that are measured.
//
// To add a figure, write it in the file of its kind or in a new one, and add it to All.
package figures

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"time"

	"cuota/cmd/cuota-bench/stats"
)

// Figure is one measurement.
type Figure struct {
	Name    string // by which -only selects it
	About   string // for the help
	measure func(context.Context, *bench) ([]stats.Line, error)
}

// All lists all figures in the order in which they are measured. The stages come after
// the whole path because they are shown as shares of it.
func All() []Figure {
	return []Figure{
		fileToFacts, stageParse, stageWrite, stageRead, stageDecode, stageInsert,
		batchOfDemo, batchOfGenerated,
		batchOfYears, startOfYears, dayOfYears, walkOfYears, backtestOfYears, pastOfYears,
		daysOfSeries, idle,
		screener, screens, compare, returns, pastReturns, ranking, pages,
		hostile, overload, halfRate,
	}
}

// Selected returns the figures whose names match.
func Selected(only *regexp.Regexp) []Figure {
	var list []Figure
	for _, f := range All() {
		if only.MatchString(f.Name) {
			list = append(list, f)
		}
	}
	return list
}

// Help describes each figure on a line.
func Help() string {
	var text strings.Builder
	for _, f := range All() {
		text.WriteString("  " + f.Name + strings.Repeat(" ", max(1, 17-len(f.Name))) + f.About + "\n")
	}
	return text.String()
}

// Config says what is measured, and how much of it.
type Config struct {
	Rows, Series int           // of the generated market
	Length       time.Duration // of one round of requests
	Rounds       int           // measured, after one to warm up
	Clients      int           // concurrent clients of the API
	Queries      int           // distinct queries of each kind

	MarketSeries      int // of the synthetic markets
	Years, ShortYears int // of the synthetic markets
	Dates             int // past dates that are requested
	Strategies        int // random strategies that are run
	Idle              time.Duration

	Crowd, Silent int // clients of an overloaded server

	Only                   *regexp.Regexp // names of the figures
	CPUProfile, MemProfile string         // files; empty: none
}

// MaxClients bounds the concurrent clients of the API.
const MaxClients = 256

// Days is how many days the generated market has.
func (c Config) Days() int { return c.Rows / c.Series }

// Run measures the selected figures and prints one table. It fails with the first figure
// that cannot be measured, and with the cause of ctx if that ends.
func Run(ctx context.Context, c Config, out, progress io.Writer) (err error) {
	began := time.Now()
	before, known := stats.LookAtProcessors(ownCPU())
	b, err := open(ctx, c, progress)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.close()) }()
	var lines []stats.Line
	for _, f := range Selected(c.Only) {
		b.tell("%s", f.Name)
		found, err := f.measure(ctx, b)
		if err != nil {
			if ctx.Err() != nil {
				err = context.Cause(ctx)
			}
			return fmt.Errorf("figure %s: %w", f.Name, err)
		}
		lines = append(lines, found...)
	}
	if err := b.rounds.Profile.Check(); err != nil {
		return err
	}
	r := stats.Report{Machine: b.machine(ctx), Rounds: c.Rounds, Lines: lines, Took: time.Since(began)}
	if after, ok := stats.LookAtProcessors(ownCPU()); ok && known {
		r.Others = fmt.Sprintf("; other programs took %.0f %% of the processors meanwhile",
			100*stats.TakenByOthers(before, after))
	}
	return r.Print(out)
}

// machine describes the machine and the load of the run.
func (b *bench) machine(ctx context.Context) string {
	engine := "of unknown version"
	if err := b.conn.QueryRow(ctx, "SELECT version()").Scan(&engine); err != nil {
		b.tell("the engine's version: %v", err)
	}
	return stats.Machine(engine) +
		fmt.Sprintf("generated market: %d series × %d days; requests: %d clients in a child process on the same "+
			"cores, rounds of %s\n",
			b.config.Series, b.config.Days(), b.config.Clients, b.config.Length)
}
