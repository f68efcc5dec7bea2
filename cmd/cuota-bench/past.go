package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"time"
)

// pastPaths are the requests about a past date, without the date.
var pastPaths = []struct{ name, path string }{
	{"market-summary", "/api/market-summary?date="},
	{"all-funds", "/api/all-funds?date="},
}

// pastEvery keeps the requests below the rate limit for an address.
const pastEvery = 130 * time.Millisecond

// pastDates measures answers about random past dates, each requested for the first time,
// on the long history and on the short one in turns.
func pastDates(ctx context.Context, b *bench) ([]line, error) {
	var markets [2]*bigMarket
	var apis [2]string
	for i, years := range []int{b.config.years, b.config.shortYears} {
		m, err := b.bigMarket(ctx, years)
		if err != nil {
			return nil, err
		}
		if err := b.resume(ctx, m); err != nil {
			return nil, err
		}
		if apis[i], err = m.up.ask(ctx, b, screenerPath, m.key); err != nil {
			return nil, err
		}
		markets[i] = m
	}
	client := &http.Client{}
	defer client.CloseIdleConnections()
	random := rand.New(rand.NewPCG(3, 4))
	var lines []line
	for _, question := range pastPaths {
		var took [2][]time.Duration
		tick := time.NewTicker(pastEvery)
		defer tick.Stop()
		for range b.config.dates {
			for i, m := range markets {
				// There is no monthly change before the first month is over.
				date := m.first.AddDays(31 + random.IntN(m.days-31)).String()
				began := time.Now()
				status, err := get(ctx, client, apis[i], question.path+date, m.key)
				if err != nil {
					return nil, fmt.Errorf("%s of %s: %w", question.name, date, err)
				}
				if status != http.StatusOK {
					return nil, fmt.Errorf("%s of %s is answered with status %d", question.name, date, status)
				}
				took[i] = append(took[i], time.Since(began))
			}
			select {
			case <-tick.C:
			case <-ctx.Done():
				return nil, context.Cause(ctx)
			}
		}
		slices.Sort(took[0])
		slices.Sort(took[1])
		for _, q := range []struct {
			name string
			at   float64
		}{{"p50", 0.50}, {"p99", 0.99}} {
			long, short := 1e3*quantile(took[0], q.at).Seconds(), 1e3*quantile(took[1], q.at).Seconds()
			lines = append(lines, line{
				name:  fmt.Sprintf("%s of a past date, %s, %d years", question.name, q.name, b.config.years),
				value: quantity{stat{median: long}, "ms"}, reference: quantity{stat{median: short}, "ms"}, ratio: stat{median: long / short},
				against: fmt.Sprintf("the same on %d years; %d random dates each, in turns", b.config.shortYears, b.config.dates),
			})
		}
	}
	return lines, nil
}
