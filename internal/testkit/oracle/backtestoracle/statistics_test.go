package backtestoracle

import (
	"math"
	"testing"
	"time"
)

// curveOf returns a curve that has each value on a month end, and keeps it during the month after.
func curveOf(t testing.TB, first string, values ...float64) (curve []Day) {
	t.Helper()
	day := on(t, first)
	for i, value := range values {
		curve = append(curve, Day{Date: day, Value: value})
		for day = plus(day, 1); i < len(values)-1 && plus(day, 1).Day() != 1; day = plus(day, 1) {
			curve = append(curve, Day{Date: day, Value: value})
		}
	}
	return curve
}

// The months return +10 % and -10 % by turns, twelve of them, while the benchmark rises by a whole
// percent and falls by two.
func TestStatisticsOfASeesawAreAsComputedByHand(t *testing.T) {
	values, prices := []float64{100}, map[time.Time]float64{on(t, "2023-12-31"): 100}
	price, end := 100.0, on(t, "2023-12-31")
	for i := range 12 {
		step, rise := .1, .01
		if i%2 == 1 {
			step, rise = -.1, -.02
		}
		values = append(values, values[i]*(1+step))
		price *= 1 + rise
		end = endOfMonth(plus(end, 1))
		prices[end] = price
	}
	p := Market{Symbols: map[string]Symbol{"X": {"PESOS", prices}}}.Prepare()
	curve := curveOf(t, "2023-12-31", values...)
	levels := p.levels("symbol:X", "PESOS", curve)
	st, months := p.statistics(Strategy{}, curve, levels, nil)
	check := func(name string, got *float64, want float64) {
		t.Helper()
		if got == nil || math.Abs(*got-want) > 1e-12 {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	if len(months) != 12 || !months[0].Whole || len(st.Rolling12) != 1 || len(st.Rolling36) != 0 {
		t.Fatalf("%+v", months)
	}
	total := math.Pow(.99, 6) - 1 // six times 1.1 × 0.9
	check("total", st.Total, total)
	check("cagr", st.CAGR, math.Pow(1+total, 365./366)-1) // 2024 has 366 days
	check("rolling", &st.Rolling12[0].Return, total)
	check("volatility", st.Volatility, math.Sqrt(12*.01/11)*math.Sqrt(12)) // the mean is 0
	check("sharpe", st.Sharpe, 0)
	check("sortino", st.Sortino, 0)
	check("hit rate", st.HitRate, .5)
	check("up", st.UpCapture, 10)
	check("down", st.DownCapture, 5)
	// Differences of 9 % and -8 %: deviations of 8.5 % from their mean, 0.5 %.
	check("tracking error", st.TrackingError, math.Sqrt(12*.085*.085/11)*math.Sqrt(12))
	check("benchmark", st.BenchmarkTotal, math.Pow(1.01*.98, 6)-1)
	if st.Drawdown == nil || math.Abs(st.Drawdown.Fall-(math.Pow(.9, 6)*math.Pow(1.1, 5)-1)) > 1e-12 ||
		!st.Drawdown.Recovered.IsZero() ||
		!st.Drawdown.Peak.Equal(on(t, "2024-02-28")) || !st.Drawdown.Trough.Equal(on(t, "2024-12-31")) {
		t.Errorf("%+v", st.Drawdown)
	}
	// A rate without risk of 1 % a year takes a little from each month.
	st, _ = p.statistics(Strategy{RiskFree: "rate:0.01"}, curve, nil, nil)
	if *st.Sharpe >= 0 || *st.Sortino >= 0 || *st.HitRate != .5 || st.TrackingError != nil {
		t.Errorf("%+v", st)
	}
}

func TestMonthsThatAreNotWholeCountInNoFigure(t *testing.T) {
	p := Market{}.Prepare()
	curve := curveOf(t, "2025-01-15", 100, 110, 121, 60)
	curve = append(curve, Day{Date: plus(curve[len(curve)-1].Date, 1), Value: 30})
	st, months := p.statistics(Strategy{}, curve, nil, nil)
	if len(months) != 4 || months[0].Whole || !months[1].Whole || !months[2].Whole || months[3].Whole ||
		!near(months[3].Return, -.5) {
		t.Errorf("%+v", months)
	}
	if !near(st.Best.Return, .1) || !near(st.Worst.Return, 60./121-1) || *st.HitRate != .5 || st.CAGR != nil ||
		st.Sharpe != nil {
		t.Errorf("%+v", st)
	}
}

// A level of 100 grows by 10 % a year: after 73 days, a fifth of a year, by the fifth root.
func TestAFixedRateGrowsByDays(t *testing.T) {
	curve := curveOf(t, "2025-01-31", 1, 1, 1, 1)
	if levels := (Market{}).Prepare().levels("rate:0.1", "PESOS", curve); !near(levels[73], 100*math.Pow(1.1, .2)) ||
		levels[0] != 100 {
		t.Errorf("%v", levels)
	}
}

// The price is 10 dollars on the first day and 11 two days later, and the dollar 800, 900 and 1000 pesos. On the day
// without a price, the price before is worth its dollars at 900. 100 / 3.3 × 3.3 would be 99.99999999999999.
func TestABenchmarkBeginsAtOneHundredAtTheDollarOfTheDay(t *testing.T) {
	first := on(t, "2025-01-31")
	curve := curveOf(t, "2025-01-31", 1, 1)[:3]
	p := Market{
		Dollar:  map[time.Time]float64{first: 800, plus(first, 1): 900, plus(first, 2): 1000},
		UF:      map[time.Time]float64{first: 3.3, plus(first, 2): 6.6},
		Symbols: map[string]Symbol{"X": {"DOLAR", map[time.Time]float64{first: 10, plus(first, 2): 11}}},
	}.Prepare()
	for _, c := range []struct {
		name, currency string
		want           [3]float64
	}{
		{"symbol:X", "DOLAR", [3]float64{100, 100, 110}},
		{"symbol:X", "PESOS", [3]float64{100, 112.5, 137.5}},
		{"uf", "PESOS", [3]float64{100, 100, 200}},
		{"uf", "DOLAR", [3]float64{100, 100 * 800. / 900, 160}},
	} {
		levels := p.levels(c.name, c.currency, curve)
		if len(levels) != 3 || levels[0] != 100 || !near(levels[1], c.want[1]) || !near(levels[2], c.want[2]) {
			t.Errorf("%s in %s: %v, want %v", c.name, c.currency, levels, c.want)
		}
	}
}
