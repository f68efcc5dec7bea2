package figures

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"slices"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"

	"cuota/cmd/cuota-bench/baseline"
	"cuota/cmd/cuota-bench/load"
	"cuota/cmd/cuota-bench/stats"
	"cuota/demo/synth"
	"cuota/query"
)

// daysOfSeries is the daily values of one series over years, for series that are requested
// for the first time. The reference is the bare statement. One child process, which opens
// the market's engine and serves on it, runs both over the same connection. The goal for
// p50 is at most 1.5 times the reference.
var daysOfSeries = Figure{
	"days", "the daily values of one series over years, first time, against the bare statement",
	measureDaysOfSeries,
}

func measureDaysOfSeries(ctx context.Context, b *bench) ([]stats.Line, error) {
	dir, err := b.stoppedMarket(ctx)
	if err != nil {
		return nil, err
	}
	var outcome daysOutcome
	if err := load.AskChild(ctx, daysCommand, stoppedOrder{Dir: filepath.Join(dir, "clickhouse"), Times: maxDaysPairs},
		&outcome); err != nil {
		return nil, fmt.Errorf("the days of a series: %w", err)
	}
	name := fmt.Sprintf("days of a series, %s days, first time", stats.Thousands(float64(outcome.Days)))
	against := fmt.Sprintf("the bare statement through clickhouse-go, rows scanned; a market of %s quotas, %d series "+
		"on each side, in turns",
		stats.Thousands(float64(outcome.Quotas)), len(outcome.API))
	return stats.CompareLatencies(outcome.API, outcome.Bare, func(quantile string) string {
		return name + ", " + quantile
	}, against), nil
}

// fewSeries are enough to request each series once.
const fewSeries = 120

// stoppedMarket returns the data directory of a market of several years on which no
// program runs: the market that another figure has loaded, or one of few series.
func (b *bench) stoppedMarket(ctx context.Context) (dir string, err error) {
	if m := b.markets[b.config.Years]; m != nil {
		return m.dir, m.up.stopSoon(ctx)
	}
	dir = filepath.Join(b.dir, "market-of-few")
	files, series := dir+"-files", min(fewSeries, b.config.MarketSeries)
	_, err = synth.Write(ctx, files, synth.Config{
		Series: series, Days: b.config.Years * daysPerYear, Seed: 1, End: marketEnd, Bad: synth.DefaultBad,
	}, nil)
	if err != nil {
		return "", err
	}
	b.tell("  loading %d years of %d series through cuota up", b.config.Years, series)
	u, err := b.up(ctx, dir, "--market", files)
	if err != nil {
		return "", err
	}
	if _, _, err := u.published(ctx, 0); err != nil {
		return "", err
	}
	if _, err := u.ask(ctx, "/health", ""); err != nil { // all its work is done then
		return "", err
	}
	return dir, u.stopSoon(ctx)
}

// daysCommand is the argument that makes this program the child process that requests the
// days of series.
const daysCommand = "ask-days"

type daysOutcome struct {
	Quotas    uint64
	Days      int             // of the median series
	API, Bare []time.Duration // latencies, sorted
}

const (
	maxDaysPairs = 100
	// daysToWarmUp pairs are requested first and not counted.
	daysToWarmUp = 5
)

// askDays serves on the market's engine and measures as many pairs of series as ordered, at most.
func askDays(ctx context.Context, b *bench, o stoppedOrder) (outcome daysOutcome, err error) {
	s := &served{bench: b, conn: b.conn}
	if err := s.openAccounts(ctx); err != nil {
		return outcome, err
	}
	if s.api, err = s.serve(ctx, s.conn, query.Config{}, b.log); err != nil {
		return outcome, err
	}
	return s.askDays(ctx, o.Times)
}

// askDays uses each pair of series once: one is requested from the API, the other from
// the bare statement, so that neither finds data that the other has just read.
func (s *served) askDays(ctx context.Context, pairs int) (outcome daysOutcome, err error) {
	var longest []struct {
		ID uint32 `ch:"series_id"`
	}
	var batch uint64
	if err := s.conn.QueryRow(ctx, "SELECT max(batch) FROM batch").Scan(&batch); err != nil {
		return outcome, fmt.Errorf("look for the batch: %w", err)
	}
	if err := s.conn.QueryRow(ctx, "SELECT count() FROM series_day").Scan(&outcome.Quotas); err != nil {
		return outcome, fmt.Errorf("count the market's days: %w", err)
	}
	if err := s.conn.Select(ctx, &longest,
		"SELECT series_id FROM series_day GROUP BY series_id ORDER BY count() DESC, series_id LIMIT {n:UInt32}",
		clickhouse.Named("n", 2*pairs)); err != nil {
		return outcome, fmt.Errorf("choose series: %w", err)
	}
	if pairs = min(pairs, len(longest)/2); pairs == 0 {
		return outcome, errors.New("the market has less than two series")
	}
	random := rand.New(rand.NewPCG(9, 10))
	random.Shuffle(len(longest), func(i, j int) { longest[i], longest[j] = longest[j], longest[i] })
	var days []int
	client := &http.Client{}
	defer client.CloseIdleConnections()
	for pair := range pairs {
		api := func() error {
			began := time.Now()
			status, err := load.Get(ctx, client, s.api, fmt.Sprintf("/api/real_assets/%d/days", longest[2*pair].ID),
				s.key)
			if err == nil && status != http.StatusOK {
				err = fmt.Errorf("the days of series %d are answered with status %d", longest[2*pair].ID, status)
			}
			outcome.API = append(outcome.API, time.Since(began))
			return err
		}
		bare := func() error {
			began := time.Now()
			n, err := baseline.Days(ctx, s.conn, batch, longest[2*pair+1].ID)
			outcome.Bare, days = append(outcome.Bare, time.Since(began)), append(days, n)
			return err
		}
		turns := []func() error{api, bare}
		if pair%2 == 1 {
			slices.Reverse(turns)
		}
		for _, ask := range turns {
			if err := ask(); err != nil {
				return outcome, err
			}
		}
	}
	if pairs > 2*daysToWarmUp {
		outcome.API, outcome.Bare = outcome.API[daysToWarmUp:], outcome.Bare[daysToWarmUp:]
	}
	slices.Sort(outcome.API)
	slices.Sort(outcome.Bare)
	slices.Sort(days)
	outcome.Days = days[len(days)/2]
	return outcome, nil
}
