// Package synth writes a synthetic market: any number of series over any number of days, in
// exactly the formats of the published files.
//
// Its cartola has the shapes of the regulator's whole months: amounts in other funds, redemptions on
// the eve of a business day, lumps of expenses and days without fee, distributions by series on the
// ex day, series that begin and end inside a month, and wind-ups with their last rows.
//
// Its files are the input of ingest. Nothing after that knows that they are synthetic: they are
// ingested, parsed and projected like real files. The synthetic market offers what real data
// can't: years of the whole market, and its true values. The file expected.json contains the
// results that the projections must have. It is computed from the state from which the rows
// were written, and not from the rows.
//
// Managers, funds and their numbers are invented. Every name of a manager or fund contains
// SINTETICO, and the numbers are outside the ranges that the regulator has used.
//
// The same Config always gives the same bytes on one processor architecture. On another one,
// the last digit of a logarithm may differ.
package synth

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"cuota/model"
)

// Config defines the market to write.
type Config struct {
	Series int    // 1 to 60,000; a month with more would be a larger file than ingest accepts
	Days   int    // calendar days, 1 to 20,000; End is the last one
	Seed   uint64 // another seed gives another market
	End    model.Date
	Bad    float64 // share of cartola rows that are broken on purpose, 0 to 0.1; 0: none is
}

// The limits of a Config.
const (
	maxSeries = 60_000
	maxDays   = 20_000
	maxBad    = 0.1
)

// DefaultBad is the default share of broken rows.
const DefaultBad = 0.0005

// firstStart is the earliest allowed first day, which is before any published data.
var firstStart = model.NewDate(1971, time.January, 1)

// Validate returns all errors of the configuration, joined, or nil.
func (c Config) Validate() error {
	var errs []error
	if c.Series < 1 || c.Series > maxSeries {
		errs = append(errs, fmt.Errorf("the number of series is %d: give 1 to %d", c.Series, maxSeries))
	}
	if c.Days < 1 || c.Days > maxDays {
		errs = append(errs, fmt.Errorf("the number of days is %d: give 1 to %d", c.Days, maxDays))
	} else if c.End.AddDays(1-c.Days).Compare(firstStart) < 0 {
		errs = append(errs, fmt.Errorf(
			"%d days up to %s begin before %s, the first day with published data: give fewer days or a later end",
			c.Days, c.End, firstStart))
	}
	if !(c.Bad >= 0 && c.Bad <= maxBad) { // written so that NaN is refused too
		errs = append(errs, fmt.Errorf("the share of broken rows is %g: give 0 to %g", c.Bad, maxBad))
	}
	return errors.Join(errs...)
}

// Summary has the counts of the written market.
type Summary struct {
	Managers, Funds, Series int
	Files                   int
	Rows, Rejected          uint64 // cartola rows, and how many of them are broken
}

// Write creates the directory dir, which must not exist yet, and writes the market into it: the
// files, sources.csv with the order in which to ingest them, strategies to backtest, and
// expected.json. The directory
// appears only when it is complete. Memory does not grow with the number of rows. progress,
// which may be nil, is called after each month with the number of days written so far. Write fails if the
// configuration is not valid, dir exists or ctx ends.
func Write(ctx context.Context, dir string, config Config, progress func(days int)) (_ Summary, err error) {
	if err := config.Validate(); err != nil {
		return Summary{}, err
	}
	if _, err := os.Lstat(dir); err == nil {
		return Summary{}, fmt.Errorf("%s exists already: remove it, or choose a directory that does not exist", dir)
	}
	parent, base := filepath.Split(filepath.Clean(dir))
	if parent != "" {
		if err := os.MkdirAll(parent, 0o755); err != nil {
			return Summary{}, fmt.Errorf("create the parent directory of the market: %w", err)
		}
	} else {
		parent = "."
	}
	unfinished, err := os.MkdirTemp(parent, base+".unfinished-")
	if err != nil {
		return Summary{}, fmt.Errorf("create the directory of the market: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(unfinished))
		}
	}()
	if progress == nil {
		progress = func(int) {}
	}
	m := newMarket(config)
	out := &output{dir: unfinished}
	if err := m.write(ctx, out, progress); err != nil {
		return Summary{}, err
	}
	if err := os.Chmod(unfinished, 0o755); err != nil {
		return Summary{}, fmt.Errorf("set the mode of the market's directory: %w", err)
	}
	if err := os.Rename(unfinished, dir); err != nil {
		return Summary{}, fmt.Errorf("rename the finished directory of the market: %w", err)
	}
	return Summary{
		Managers: m.managersInUse(), Funds: len(m.funds), Series: len(m.series),
		Files: len(out.files), Rows: m.rows, Rejected: m.rejected,
	}, nil
}

// write writes the files in the order in which they are to be ingested.
func (m *market) write(ctx context.Context, out *output, progress func(days int)) error {
	// The cartola is written first, because the other files depend on its state.
	if err := m.writeCartola(ctx, out, progress); err != nil {
		return err
	}
	for _, write := range []func(*output) error{
		m.writeUF, m.writeDolar, m.writeRegister, m.writeFIRegister, m.writeFIValues, m.writeFIHoldings,
		m.writeVehicles,
		m.writeSheet, m.writeTACs, m.writeReturns, m.writeBenchmarks, m.writeBenchmarkPrices, m.writeArticles107,
		m.writeRenames, m.writeExchanges,
	} {
		if err := write(out); err != nil {
			return err
		}
	}
	if err := m.writeStrategies(out); err != nil {
		return err
	}
	if err := m.writeExpected(out); err != nil {
		return err
	}
	return out.writeSources()
}

// The random number streams. Each purpose has its own, so that drawing from one does not change
// the others. For example, a market with more broken rows has the same quotas.
const (
	planStream = iota + 1
	climateStream
	damageStream
	registerStream
	investmentStream
	article107Stream
	vehicleStream
	closedInvestmentStream
	// One for each fund, and up.
	fundStream           = 1 << 32
	positionStream       = 2 << 32
	investmentFundStream = 3 << 32
	portfolioStream      = 4 << 32
	habitStream          = 5 << 32
)

func stream(seed, number uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, number)) }
