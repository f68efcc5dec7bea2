package figures

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"time"

	"cuota/internal/bench/load"
	"cuota/internal/bench/report"
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

func measurePastOfYears(ctx context.Context, b *bench) ([]report.Line, error) {
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
	var lines []report.Line
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
		lines = append(lines, report.CompareLatencies(took[0], took[1],
			func(quantile string) string {
				return fmt.Sprintf("%s of a past date, %s, %d years", question.name, quantile, b.config.Years)
			},
			fmt.Sprintf("the same on %d years; %d random dates each, in turns", b.config.ShortYears, b.config.Dates))...)
	}
	return lines, nil
}
