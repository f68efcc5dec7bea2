package backtest

import (
	"context"
	"math"

	"cuota/model"
)

// levels returns the value of a benchmark or of a risk-free investment on each day from first to
// last, 100 on the first one (section 6). It returns nil if the reference has no value on the
// first day. currency is that of the portfolio.
func (ref reference) levels(ctx context.Context, source Source, currency string,
	first, last model.Date) ([]float64, error) {
	days := last.DaysSince(first) + 1
	var level []float64
	var err error
	switch ref.kind {
	case "rate":
		level = make([]float64, days)
		for i := range level {
			level[i] = math.Pow(1+ref.rate, float64(i)/365)
		}
	case "uf":
		level, err = source.UF(ctx, first.AddDays(-dollarsBefore), last)
		keepNewest(level) // before they are converted at the dollar of each day
		level = level[max(0, len(level)-days):]
		if err == nil && currency == "DOLAR" {
			level, err = inCurrency(ctx, source, level, "PESOS", currency, first, last)
		}
	case "family":
		var points []Point
		points, err = source.FamilyIndex(ctx, ref.name, ref.currency)
		level = daily(points, first, last)
		if err == nil && ref.currency != currency {
			level, err = inCurrency(ctx, source, level, ref.currency, currency, first, last)
		}
	case "symbol":
		var points []Point
		var quoted string
		points, quoted, err = source.Symbol(ctx, ref.name)
		level = daily(points, first, last)
		if err == nil && quoted != currency {
			level, err = inCurrency(ctx, source, level, quoted, currency, first, last)
		}
	}
	if err != nil || len(level) < days || !(level[0] > 0) {
		return nil, err
	}
	keepNewest(level) // a price of 0 is no value
	out := make([]float64, days)
	for i := range out {
		out[i] = 100 * (level[i] / level[0]) // exactly 100 on the first day
	}
	return out, nil
}

// keepNewest sets the level of each day without one to that of the day before.
func keepNewest(level []float64) {
	for i := 1; i < len(level); i++ {
		if !(level[i] > 0) {
			level[i] = level[i-1]
		}
	}
}

// daily returns the newest of points, which ascend, on or before each day; 0 before the first one.
func daily(points []Point, first, last model.Date) []float64 {
	out := make([]float64, last.DaysSince(first)+1)
	next, value := 0, 0.0
	for i := range out {
		for next < len(points) && points[next].Day.Compare(first.AddDays(i)) <= 0 {
			value, next = points[next].Value, next+1
		}
		out[i] = value
	}
	return out
}

// inCurrency converts levels at the dollar of each day, or the newest one before it.
func inCurrency(ctx context.Context, source Source, level []float64, from, to string,
	first, last model.Date) ([]float64, error) {
	rates, err := source.Dollar(ctx, first.AddDays(-dollarsBefore), last)
	if err != nil {
		return nil, err
	}
	m := market{first: first, dollar: rates}
	out := make([]float64, len(level))
	for i := range level {
		rate := m.dollarOn(first.AddDays(i))
		switch {
		case rate == 0:
		case from == "DOLAR" && to == "PESOS":
			out[i] = level[i] * rate
		case from == "PESOS" && to == "DOLAR":
			out[i] = level[i] / rate
		}
	}
	return out, nil
}
