package backtesttest

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"cuota/backtest"
	"cuota/internal/testkit/oracle/backtestoracle"
	"cuota/model"
)

// Compare returns where the result of a complete strategy differs from that of the oracle. It counts in seen what was
// compared.
func Compare(m Source, s backtest.Strategy, got *backtest.Result, seen map[string]int) (differences []string) {
	c := comparison{m: m, got: got, want: m.Known.Run(oracleStrategy(s)), seen: seen}
	c.compare()
	return c.differences
}

// comparison collects where a result differs from the oracle's.
type comparison struct {
	m           Source
	got         *backtest.Result
	want        backtestoracle.Result
	seen        map[string]int // how often something was compared
	differences []string
}

func (c *comparison) differ(what string, got, want any) {
	c.differences = append(c.differences, fmt.Sprintf("%s: %v, want %v", what, got, want))
}

// Agree reports whether numbers agree to 1e-9, relative to 1 or to the number.
func Agree(a, b float64) bool {
	return a == b || math.Abs(a-b) <= 1e-9*max(1, math.Abs(a), math.Abs(b))
}

func (c *comparison) number(what string, got, want float64) {
	if !Agree(got, want) {
		c.differ(what, got, want)
	}
}

func (c *comparison) maybe(what string, got, want *float64) {
	switch {
	case (got == nil) != (want == nil):
		c.differ(what, Shown(got), Shown(want))
	case got != nil:
		c.seen[what]++
		c.number(what, *got, *want)
	}
}

// Shown returns a number as text, and null for nil.
func Shown(x *float64) string {
	if x == nil {
		return "null"
	}
	return strconv.FormatFloat(*x, 'g', -1, 64)
}

func (c *comparison) compare() {
	if len(c.got.Curve) != len(c.want.Curve) {
		c.differ("days of the curve", len(c.got.Curve), len(c.want.Curve))
		return
	}
	if len(c.got.Rebalancings) != len(c.want.Rebalancings) {
		c.differ("rebalancings", len(c.got.Rebalancings), len(c.want.Rebalancings))
		return
	}
	for i := range c.want.Rebalancings {
		c.selection(c.got.Rebalancings[i], c.want.Rebalancings[i])
	}
	for i := range c.want.Rebalancings {
		c.trades(c.got.Rebalancings[i], c.want.Rebalancings[i])
	}
	for i, want := range c.want.Curve {
		got := c.got.Curve[i]
		// A difference of a billionth of the portfolio is not traded, and which side of that it is on can be the
		// noise of floating point.
		sameCash := math.Abs(got.Cash-want.Cash) <= 1e-9*max(100, want.Value)
		if got.Date != dateOf(want.Date) || !Agree(got.Value, want.Value) || !sameCash {
			c.differ("curve", fmt.Sprint(got.Date, " ", got.Value, " ", got.Cash),
				fmt.Sprint(dateOf(want.Date), " ", want.Value, " ", want.Cash))
			return
		}
		if (got.Benchmark == nil) != (c.want.Levels == nil) ||
			got.Benchmark != nil && !Agree(*got.Benchmark, c.want.Levels[i]) {
			c.differ("benchmark "+got.Date.String(), Shown(got.Benchmark), c.want.Levels)
			return
		}
	}
	if c.months("months", c.got.Months, c.want.Months); len(c.want.Curve) > 0 {
		c.statistics()
		c.ledger()
	}
}

func (c *comparison) selection(got backtest.Rebalancing, want backtestoracle.Rebalancing) {
	on := "rebalancing " + got.Date.String() + " "
	if got.Date != dateOf(want.Date) || got.Day != dateOf(want.Day) || got.Sold != dateOf(want.Sold) ||
		got.Bought != dateOf(want.Bought) {
		c.differ(on+"dates", []any{got.Date, got.Day, got.Sold, got.Bought},
			[]any{dateOf(want.Date), dateOf(want.Day), dateOf(want.Sold), dateOf(want.Bought)})
	}
	if got.Universe != len(want.Universe) {
		c.differ(on+"universe", got.Universe, len(want.Universe))
	}
	counts := map[string]int{}
	for _, reason := range want.Reasons {
		counts[reason]++
		c.seen[reason]++
	}
	if fmt.Sprint(got.Excluded) != fmt.Sprint(counts) {
		c.differ(on+"excluded", got.Excluded, counts)
	}
	for i, left := range got.Left {
		if i > 0 && got.Left[i-1].Series >= left.Series {
			c.differ(on+"order of excluded", left.Series, got.Left[i-1].Series)
		}
		if want.Reasons[left.Series] != left.Reason {
			c.differ(on+"reason", left, want.Reasons[left.Series])
		}
	}
	if len(got.Left) != len(want.Reasons) {
		c.differ(on+"number excluded", len(got.Left), len(want.Reasons))
	}
	if len(got.Selected) != len(want.Chosen) {
		c.differ(on+"number selected", len(got.Selected), len(want.Chosen))
		return
	}
	for i, s := range want.Chosen {
		c.seen["selected"]++
		if is := got.Selected[i]; is.Series != s.ID || !Agree(is.Weight, s.Weight) || !Agree(is.Value, s.Value) {
			c.differ(on+"selected", is, s)
		}
	}
}

// trades compares trades, of which tiny ones are the noise of floating point.
func (c *comparison) trades(got backtest.Rebalancing, want backtestoracle.Rebalancing) {
	ids := c.m.Known.IDs()
	var expected, made []backtest.Trade
	for _, t := range want.Trades {
		if t.Amount > 1e-7 {
			expected = append(expected, backtest.Trade{Date: dateOf(t.Date), Series: ids[t.Series], Kind: t.Kind,
				Reason: t.Reason, Quota: t.Quota,
				Amount: t.Amount, Cost: t.Cost, Into: ids[t.Into]})
		}
	}
	for _, t := range got.Trades {
		if t.Amount > 1e-7 {
			made = append(made, t)
		}
	}
	order := func(a, b backtest.Trade) int {
		return strings.Compare(fmt.Sprint(a.Date, a.Kind, a.Series), fmt.Sprint(b.Date, b.Kind, b.Series))
	}
	slices.SortFunc(expected, order)
	slices.SortFunc(made, order)
	on := "trade of " + got.Date.String()
	for i := range max(len(expected), len(made)) {
		if i >= len(expected) || i >= len(made) {
			c.differ(on, made[min(i, len(made)):], expected[min(i, len(expected)):])
			return
		}
		a, b := made[i], expected[i]
		c.seen[b.Kind+" "+b.Reason]++
		if a.Date != b.Date || a.Series != b.Series || a.Kind != b.Kind || a.Reason != b.Reason || a.Into != b.Into ||
			!Agree(a.Quota, b.Quota) || !Agree(a.Amount, b.Amount) || !Agree(a.Cost, b.Cost) {
			c.differ(on, a, b)
			return
		}
	}
}

func (c *comparison) months(what string, got []backtest.Month, want []backtestoracle.Month) {
	if len(got) != len(want) {
		c.differ("number of "+what, len(got), len(want))
		return
	}
	for i, w := range want {
		c.month(what, &got[i], &w)
	}
}

func (c *comparison) month(what string, got *backtest.Month, want *backtestoracle.Month) {
	if got == nil || want == nil {
		if (got == nil) != (want == nil) {
			c.differ(what, got, want)
		}
		return
	}
	c.number(what, got.Return, want.Return)
	if got.Month == dateOf(want.End) {
		c.maybe(what+" of the benchmark", got.Benchmark, want.Benchmark)
	}
	if got.Whole != want.Whole {
		c.differ(what+" whole", got, want)
	}
	if !strings.HasPrefix(what, "best") && !strings.HasPrefix(what, "worst") && got.Month != dateOf(want.End) {
		c.differ(what, got, want)
	}
}

func (c *comparison) statistics() {
	got, want := c.got.Statistics, c.want.Statistics
	if got.First != dateOf(want.First) || got.Last != dateOf(want.Last) {
		c.differ("period", []any{got.First, got.Last}, []any{want.First, want.Last})
	}
	for _, each := range []struct {
		name      string
		got, want *float64
	}{
		{"total return", got.TotalReturn, want.Total}, {"cagr", got.CAGR, want.CAGR},
		{"volatility", got.Volatility, want.Volatility},
		{"sharpe", got.Sharpe, want.Sharpe}, {"sortino", got.Sortino, want.Sortino},
		{"turnover", got.Turnover, want.Turnover}, {"benchmark total", got.BenchmarkTotal, want.BenchmarkTotal},
		{"benchmark cagr", got.BenchmarkCAGR, want.BenchmarkCAGR},
		{"tracking error", got.TrackingError, want.TrackingError},
		{"up capture", got.UpCapture, want.UpCapture}, {"down capture", got.DownCapture, want.DownCapture},
		{"costs", &got.Costs, &want.Costs},
	} {
		c.maybe(each.name, each.got, each.want)
	}
	c.hitRate(got.HitRate, want.HitRate)
	c.months("rolling 12", got.Rolling12, want.Rolling12)
	c.months("rolling 36", got.Rolling36, want.Rolling36)
	c.month("best month", got.BestMonth, want.Best)
	c.month("worst month", got.WorstMonth, want.Worst)
	c.drawdown(got.MaxDrawdown, want.Drawdown)
}

// hitRate compares hit rates. A month that returned what it is compared with, apart from the noise of
// floating point, may be a hit or not.
func (c *comparison) hitRate(got, want *float64) {
	if got == nil || want == nil {
		c.maybe("hit rate", got, want)
		return
	}
	c.seen["hit rate"]++
	months, ties := 0., 0.
	for _, m := range c.want.Months {
		against := 0.
		if m.Benchmark != nil {
			against = *m.Benchmark
		}
		if m.Whole {
			months++
			if Agree(m.Return, against) {
				ties++
			}
		}
	}
	if math.Abs(*got-*want) > (ties+1e-9)/months {
		c.differ("hit rate", *got, *want)
	}
}

// drawdown compares falls. Their days may differ if the curve has the same value on both.
func (c *comparison) drawdown(got *backtest.Drawdown, want *backtestoracle.Drawdown) {
	if got == nil || want == nil {
		if (got == nil) != (want == nil) {
			c.differ("drawdown", got, want)
		}
		return
	}
	same := func(what string, a, b model.Date) {
		at := func(d model.Date) float64 { return c.got.Curve[d.DaysSince(c.got.Curve[0].Date)].Value }
		if a != b && !Agree(at(a), at(b)) {
			c.differ("drawdown: "+what, a, b)
		}
	}
	c.number("drawdown", got.Fall, want.Fall)
	same("peak", got.Peak, dateOf(want.Peak))
	same("trough", got.Trough, dateOf(want.Trough))
	if (got.Recovered == nil) != want.Recovered.IsZero() {
		c.differ("drawdown: recovered", got.Recovered, want.Recovered)
	} else if got.Recovered != nil {
		c.seen["recovered"]++
		same("recovered", *got.Recovered, dateOf(want.Recovered))
	}
}

func (c *comparison) ledger() {
	if len(c.got.Ledger) != len(c.want.Ledger) {
		c.differ("lines of the ledger", len(c.got.Ledger), len(c.want.Ledger))
		return
	}
	for i, want := range c.want.Ledger {
		got := c.got.Ledger[i]
		if got.Run != want.Run {
			c.differ("ledger", got.Run, want.Run)
		}
		c.maybe(got.Run+" total", got.TotalReturn, want.Total)
		c.maybe(got.Run+" difference", got.ReturnDifference, want.Change)
		if got.Of != want.Place.Of || got.Rank < want.Place.Best || got.Rank > want.Place.Worst {
			c.differ(got.Run+" rank", []int{got.Rank, got.Of}, want.Place)
		}
		if got.RankDifference != got.Rank-c.got.Ledger[0].Rank {
			c.differ(got.Run+" rank difference", got.RankDifference, got.Rank-c.got.Ledger[0].Rank)
		}
	}
}
