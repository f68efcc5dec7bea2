package figures

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"cuota/cmd/cuota-bench/load"
	"cuota/cmd/cuota-bench/stats"
	"cuota/model"
	"cuota/query"
	"cuota/sql"
)

// pastOfYears is answers about random past dates, each requested for the first time, on
// the long history and on the short one in turns. The goal for p50 is at most 1.3 times
// that of the short one.
var pastOfYears = Figure{
	"years-past", "market-summary, all-funds and returns of past dates on it, against a market of fewer years",
	measurePastOfYears,
}

// pastPaths are the requests about a past date, without the date. %d is the id of a series.
var pastPaths = []struct{ name, path string }{
	{"market-summary", "/api/market-summary?date="},
	{"all-funds", "/api/all-funds?date="},
	{"returns", "/api/real_assets/%d/returns?as_of_date="},
}

// pastEvery keeps the requests below the rate limit for an address.
const pastEvery = 130 * time.Millisecond

func measurePastOfYears(ctx context.Context, b *bench) ([]stats.Line, error) {
	var markets [2]*bigMarket
	var apis [2]string
	var series [2][]uint32
	for i, years := range []int{b.config.Years, b.config.ShortYears} {
		m, err := b.bigMarket(ctx, years)
		if err != nil {
			return nil, err
		}
		if err := b.resume(ctx, m); err != nil {
			return nil, err
		}
		if apis[i], err = m.up.ask(ctx, load.ScreenerPath, m.key); err != nil {
			return nil, err
		}
		if series[i], err = load.FirstSeries(ctx, apis[i], m.key); err != nil {
			return nil, err
		}
		markets[i] = m
	}
	client := &http.Client{}
	defer client.CloseIdleConnections()
	random := rand.New(rand.NewPCG(3, 4))
	var lines []stats.Line
	for _, question := range pastPaths {
		var took [2][]time.Duration
		tick := time.Tick(pastEvery)
		for range b.config.Dates {
			for i, m := range markets {
				// There is no monthly change before the first month is over.
				date := m.first.AddDays(31 + random.IntN(m.days-31)).String()
				path := question.path
				if strings.Contains(path, "%d") {
					path = fmt.Sprintf(path, series[i][random.IntN(len(series[i]))])
				}
				began := time.Now()
				status, err := load.Get(ctx, client, apis[i], path+date, m.key)
				if err != nil {
					return nil, fmt.Errorf("%s of %s: %w", question.name, date, err)
				}
				if status != http.StatusOK {
					return nil, fmt.Errorf("%s of %s is answered with status %d", question.name, date, status)
				}
				took[i] = append(took[i], time.Since(began))
			}
			select {
			case <-tick:
			case <-ctx.Done():
				return nil, context.Cause(ctx)
			}
		}
		slices.Sort(took[0])
		slices.Sort(took[1])
		lines = append(lines, stats.CompareLatencies(took[0], took[1],
			func(quantile string) string {
				return fmt.Sprintf("%s of a past date, %s, %d years", question.name, quantile, b.config.Years)
			},
			fmt.Sprintf("the same on %d years; %d random dates each, in turns", b.config.ShortYears,
				b.config.Dates))...)
	}
	return lines, nil
}

// walkOfYears is what a researcher does who walks through the past: one client asks for each
// date after the answer to the previous one, all of them for the first time. There is no
// reference. The goals are 60 s for the market summaries of 2,500 days, and 10 s for the returns
// of all series at 120 month ends. A child process serves on the market's engine, because the
// program limits the requests of one address.
var walkOfYears = Figure{
	"years-walk", "market summaries of 2,500 days in a row on it, and all series' returns at 120 month ends",
	measureWalkOfYears,
}

const (
	walkedDays      = 2_500
	walkedMonthEnds = 120
)

func measureWalkOfYears(ctx context.Context, b *bench) ([]stats.Line, error) {
	m, err := b.bigMarket(ctx, b.config.Years)
	if err != nil {
		return nil, err
	}
	if err := m.up.stopSoon(ctx); err != nil {
		return nil, err
	}
	var outcome walkOutcome
	if err := load.AskChild(ctx, walkCommand, stoppedOrder{Dir: filepath.Join(m.dir, "clickhouse"), Times: m.days},
		&outcome); err != nil {
		return nil, fmt.Errorf("the walk through the past: %w", err)
	}
	const all = "one client, a request after the other; with the server and its engine"
	return []stats.Line{
		{Name: fmt.Sprintf("market summaries of %s days in a row, first time", stats.Thousands(float64(outcome.Days))),
			Value: stats.Number(outcome.Summaries.Seconds(), "s"), Against: all},
		{Name: "  CPU", Value: stats.Number(outcome.SummariesCPU.Seconds(), "s"), Against: "of all of them together"},
		{Name: fmt.Sprintf("all series' returns at %d month ends, first time", outcome.MonthEnds),
			Value: stats.Number(outcome.Returns.Seconds(), "s"), Against: all + "; as CSV"},
		{Name: "  CPU", Value: stats.Number(outcome.ReturnsCPU.Seconds(), "s"), Against: "of all of them together"},
	}, nil
}

// walkCommand is the argument that makes this program the child process that walks through
// the past.
const walkCommand = "walk-past"

type walkOutcome struct {
	Days, MonthEnds         int
	Summaries, SummariesCPU time.Duration
	Returns, ReturnsCPU     time.Duration
}

// walkPast serves on the market's engine and walks through as many days as ordered.
func walkPast(ctx context.Context, b *bench, o stoppedOrder) (outcome walkOutcome, err error) {
	s := &served{bench: b, conn: b.conn}
	if err := s.openAccounts(ctx); err != nil {
		return outcome, err
	}
	engine := ourEngine.Load()
	if engine == nil {
		return outcome, errors.New("no engine runs")
	}
	config := query.Config{ClickHouse: sql.NewHTTP(engine.Options(), "http://"+engine.HTTP())}
	if s.api, err = s.serve(ctx, s.conn, config, b.log); err != nil {
		return outcome, err
	}
	last := marketEnd.AddDays(-1)
	first := marketEnd.AddDays(1 - o.Times + 31) // there is no monthly change before the first month is over
	if earliest := last.AddDays(1 - walkedDays); first.Compare(earliest) < 0 {
		first = earliest
	}
	var summaries, returns []string
	for day := first; day.Compare(last) <= 0; day = day.AddDays(1) {
		summaries = append(summaries, "/api/market-summary?date="+day.String())
	}
	year, month, _ := last.Time().Date()
	for i := range time.Month(walkedMonthEnds) {
		end := model.NewDate(year, month-i, 0)
		if end.Compare(marketEnd.AddDays(1-o.Times)) < 0 {
			break
		}
		returns = append(returns, "/api/returns?format=csv&date="+end.String())
	}
	outcome.Days, outcome.MonthEnds = len(summaries), len(returns)
	if outcome.Returns, outcome.ReturnsCPU, err = s.walk(ctx, returns); err != nil {
		return outcome, err
	}
	outcome.Summaries, outcome.SummariesCPU, err = s.walk(ctx, summaries)
	return outcome, err
}

// walk asks for each path after the answer to the previous one. It returns the time and the CPU
// time of this process and its engine. It fails if a path is not answered with 200.
func (s *served) walk(ctx context.Context, paths []string) (took, cpu time.Duration, err error) {
	client := &http.Client{}
	defer client.CloseIdleConnections()
	cpu = ownCPU()
	began := time.Now()
	for _, path := range paths {
		status, err := load.Get(ctx, client, s.api, path, s.key)
		if err != nil {
			return 0, 0, err
		}
		if status != http.StatusOK {
			return 0, 0, fmt.Errorf("%s is answered with status %d", path, status)
		}
	}
	return time.Since(began), ownCPU() - cpu, nil
}
