package backtest_test

import (
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"cuota/backtest"
	"cuota/internal/testkit/oracle/backtestoracle"
	"cuota/model"
)

func choose[T any](rng *rand.Rand, from ...T) T { return from[rng.IntN(len(from))] }

// drawStrategy draws a strategy over an invented market.
func drawStrategy(rng *rand.Rand, m oracleSource) backtest.Strategy {
	length := int(m.last.Sub(m.first).Hours() / 24)
	from := m.first.AddDate(0, 0, rng.IntN(length)-10)
	to := from.AddDate(0, 0, 20+rng.IntN(length))
	if rng.IntN(2) == 0 {
		from, to = m.first.AddDate(0, 0, 40), m.last.AddDate(0, 0, rng.IntN(40)-30)
	}
	s := backtest.Strategy{
		Name: "drawn", From: dateOf(from), To: dateOf(to), Rebalance: choose(rng, "monthly", "quarterly", "dates"),
		EntryLag: new(rng.IntN(4)), ExitLag: new(rng.IntN(4)), RedemptionDays: new(rng.IntN(11)),
		Known: choose(rng, "then", "revised"), Universe: choose(rng, "then", "then", "current"),
		Currency: choose(rng, "PESOS", "PESOS", "DOLAR"), Convert: rng.IntN(2) == 0, OnePerFund: new(rng.IntN(2) == 0),
		Sort:  choose(rng, slices.Concat(backtest.Sorts, model.Windows[:4])...),
		Order: choose(rng, "asc", "desc"), Within: choose(rng, "", "", "family", "manager"),
		Weights: choose(rng, "equal", "equal", "equity", "inverse_volatility"), FollowExchanges: rng.IntN(2) == 0,
	}
	if s.Rebalance == "dates" {
		for day := s.From.AddDays(rng.IntN(20)); day.Compare(s.To) <= 0; day = day.AddDays(29 + rng.IntN(50)) {
			s.Dates = append(s.Dates, day)
		}
		if len(s.Dates) == 0 {
			s.Rebalance = "monthly"
		}
	}
	if rng.IntN(4) == 0 {
		s.MinAgeDays = rng.IntN(200)
	}
	if rng.IntN(2) == 0 {
		s.Top = 1 + rng.IntN(5)
	} else {
		s.Quantile = choose(rng, .05, .1, .15, .2, .25, .3, .35, .5, .55, .6, .7, 1)
	}
	if rng.IntN(2) == 0 {
		s.Costs = backtest.Costs{Buy: .02 * rng.Float64(), Sell: .02 * rng.Float64()}
	}
	s.ClassifiedLater = s.Known == "revised" && rng.IntN(2) == 0
	switch rng.IntN(6) {
	case 0:
		s.Benchmark = "rate:0.03"
	case 1:
		if m.Symbols != nil {
			s.Benchmark = choose(rng, "symbol:IPSA", "symbol:SPX")
		}
	case 2, 3:
		s.Benchmark = "uf"
	case 4:
		family, currency := choose(rng, m.families...), choose(rng, "PESOS", "DOLAR")
		if points := m.known.FamilyIndex(family, currency); len(points) > 0 && points[0].Day.Before(from) {
			s.Benchmark = "family:" + family + ":" + currency
		}
	}
	if rng.IntN(3) == 0 {
		s.RiskFree = "rate:0.02"
	} else if rng.IntN(3) == 0 {
		s.RiskFree = "uf"
	}
	for range rng.IntN(3) * rng.IntN(2) {
		drawFilter(rng, m, &s)
	}
	return s
}

// drawFilter adds a random filter to a strategy, unless it has that filter.
func drawFilter(rng *rand.Rand, m oracleSource, s *backtest.Strategy) {
	f := &s.Filter
	words := func(to *string, value string) {
		if *to == "" {
			*to = value
		}
	}
	number := func(to **float64, value float64) {
		if *to == nil {
			*to = &value
		}
	}
	whole := func(to **int, value int) {
		if *to == nil {
			*to = &value
		}
	}
	switch rng.IntN(15) {
	case 0:
		words(&f.Text, choose(rng, "aguila", "CONDOR", "1.00", "puma 1", "3-"))
	case 1:
		words(&f.Family, strings.ToUpper(choose(rng, m.families...)))
	case 2:
		words(&f.InvestorClass, choose(rng, "retail", "APV", "alto patrimonio"))
	case 3:
		words(&f.Currency, s.Currency)
	case 4:
		words(&f.Category, choose(rng, "EQUITY", "money_market"))
	case 5:
		words(&f.Manager, choose(rng, "alfa", "nunoa", "a"))
	case 6:
		whole(&f.SpheresMin, 1+rng.IntN(2))
	case 7:
		whole(&f.SpheresMax, 3+rng.IntN(3))
	case 8:
		words(&f.RatedFamily, choose(rng, m.families...))
	case 9:
		words(&f.RatedClass, choose(rng, "Retail", "APV"))
	case 10:
		words(&f.TACKind, choose(rng, "synthetic", "stated", "computed"))
	case 11:
		number(&f.TACMax, .03*rng.Float64())
	case 12:
		number(&f.EquityMin, 2e8*rng.Float64())
	case 13:
		number(&f.VolatilityMax, .3*rng.Float64())
	case 14:
		number(&f.DrawdownMin, -.3*rng.Float64())
	}
}

// oracleStrategy returns a complete strategy to the oracle.
func oracleStrategy(s backtest.Strategy) backtestoracle.Strategy {
	theirs := backtestoracle.Strategy{
		From: s.From.Time(), To: s.To.Time(), Rebalance: s.Rebalance, EntryLag: *s.EntryLag, ExitLag: *s.ExitLag, RedemptionDays: *s.RedemptionDays,
		Known: s.Known, ClassifiedLater: s.ClassifiedLater, Universe: s.Universe, Currency: s.Currency, Convert: s.Convert, MinAgeDays: s.MinAgeDays, OnePerFund: *s.OnePerFund,
		Sort: s.Sort, Descending: s.Order == "desc", Top: s.Top, Within: s.Within, Weights: s.Weights, FollowExchanges: s.FollowExchanges,
		Buy: s.Costs.Buy, Sell: s.Costs.Sell, Benchmark: s.Benchmark, RiskFree: s.RiskFree,
	}
	for _, day := range s.Dates {
		theirs.Dates = append(theirs.Dates, day.Time())
	}
	if s.Quantile > 0 {
		theirs.Quantile = strconv.FormatFloat(s.Quantile, 'f', -1, 64)
	}
	f := s.Filter
	for name, text := range map[string]string{
		"q": f.Text, "fund_family": f.Family, "investor_class": f.InvestorClass, "currency": f.Currency, "category": f.Category,
		"administrator": f.Manager, "cmf_family": f.RatedFamily, "cmf_investor_type": f.RatedClass, "tac_kind": f.TACKind,
	} {
		if text != "" {
			theirs.Filters = append(theirs.Filters, backtestoracle.Filter{Name: name, Text: text})
		}
	}
	for name, limit := range map[string]*float64{
		"tac_max": f.TACMax, "equity_clp_min": f.EquityMin, "volatility_12m_max": f.VolatilityMax, "max_drawdown_36m_min": f.DrawdownMin,
	} {
		if limit != nil {
			theirs.Filters = append(theirs.Filters, backtestoracle.Filter{Name: name, Number: *limit})
		}
	}
	for name, spheres := range map[string]*int{"cmf_spheres_min": f.SpheresMin, "cmf_spheres_max": f.SpheresMax} {
		if spheres != nil {
			theirs.Filters = append(theirs.Filters, backtestoracle.Filter{Name: name, Number: float64(*spheres)})
		}
	}
	return theirs
}

// The engine and an independent implementation of docs/backtests.md agree on everything, over
// markets and strategies at random.
func TestRunsEqualTheIndependentComputation(t *testing.T) {
	if checks := flag.Lookup("rapid.checks"); testing.Short() && checks.Value.String() == checks.DefValue {
		must(t, checks.Value.Set("20"))
	}
	seen := map[string]int{}
	rapid.Check(t, func(rt *rapid.T) {
		market := invent(rapid.Uint64().Draw(rt, "market"))
		m := oracleSource{market, market.Prepare()}
		if m.known.Cutoff.IsZero() {
			rt.Skip("no complete day")
		}
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "strategy"), 2))
		for range 3 {
			s := drawStrategy(rng, m)
			got, err := complete(rt.Context(), m, s)
			if err != nil {
				rt.Fatalf("%+v: %v", s, err)
			}
			c := comparison{m: m, got: got, want: m.known.Run(oracleStrategy(s)), seen: seen}
			if c.compare(); len(c.differences) > 0 {
				rt.Fatalf("strategy %s\n%s", describe(s), strings.Join(c.differences[:min(len(c.differences), 12)], "\n"))
			}
		}
	})
	t.Log(seen)
}

// complete completes a strategy and runs it.
func complete(ctx context.Context, source backtest.Source, s backtest.Strategy) (*backtest.Result, error) {
	whole, err := s.Complete()
	if err != nil {
		return nil, err
	}
	return backtest.Run(ctx, source, whole)
}

// comparison collects where a result differs from the oracle's.
type comparison struct {
	m           oracleSource
	got         *backtest.Result
	want        backtestoracle.Result
	seen        map[string]int // how often something was compared
	differences []string
}

func (c *comparison) differ(what string, got, want any) {
	c.differences = append(c.differences, fmt.Sprintf("%s: %v, want %v", what, got, want))
}

// agree reports whether numbers agree to 1e-9, relative to 1 or to the number.
func agree(a, b float64) bool {
	return a == b || math.Abs(a-b) <= 1e-9*max(1, math.Abs(a), math.Abs(b))
}

func (c *comparison) number(what string, got, want float64) {
	if !agree(got, want) {
		c.differ(what, got, want)
	}
}

func (c *comparison) maybe(what string, got, want *float64) {
	switch {
	case (got == nil) != (want == nil):
		c.differ(what, shown(got), shown(want))
	case got != nil:
		c.seen[what]++
		c.number(what, *got, *want)
	}
}

func shown(x *float64) string {
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
		// A difference of a billionth of the portfolio is not traded, and which side of that it is on can be the noise of floating point.
		sameCash := math.Abs(got.Cash-want.Cash) <= 1e-9*max(100, want.Value)
		if got.Date != dateOf(want.Date) || !agree(got.Value, want.Value) || !sameCash {
			c.differ("curve", fmt.Sprint(got.Date, " ", got.Value, " ", got.Cash), fmt.Sprint(dateOf(want.Date), " ", want.Value, " ", want.Cash))
			return
		}
		if (got.Benchmark == nil) != (c.want.Levels == nil) || got.Benchmark != nil && !agree(*got.Benchmark, c.want.Levels[i]) {
			c.differ("benchmark "+got.Date.String(), shown(got.Benchmark), c.want.Levels)
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
	if got.Date != dateOf(want.Date) || got.Day != dateOf(want.Day) || got.Sold != dateOf(want.Sold) || got.Bought != dateOf(want.Bought) {
		c.differ(on+"dates", []any{got.Date, got.Day, got.Sold, got.Bought}, []any{dateOf(want.Date), dateOf(want.Day), dateOf(want.Sold), dateOf(want.Bought)})
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
		if is := got.Selected[i]; is.Series != s.ID || !agree(is.Weight, s.Weight) || !agree(is.Value, s.Value) {
			c.differ(on+"selected", is, s)
		}
	}
}

// trades compares trades, of which tiny ones are the noise of floating point.
func (c *comparison) trades(got backtest.Rebalancing, want backtestoracle.Rebalancing) {
	ids := c.m.known.IDs()
	var expected, made []backtest.Trade
	for _, t := range want.Trades {
		if t.Amount > 1e-7 {
			expected = append(expected, backtest.Trade{Date: dateOf(t.Date), Series: ids[t.Series], Kind: t.Kind, Reason: t.Reason, Quota: t.Quota,
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
			!agree(a.Quota, b.Quota) || !agree(a.Amount, b.Amount) || !agree(a.Cost, b.Cost) {
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
		{"total return", got.TotalReturn, want.Total}, {"cagr", got.CAGR, want.CAGR}, {"volatility", got.Volatility, want.Volatility},
		{"sharpe", got.Sharpe, want.Sharpe}, {"sortino", got.Sortino, want.Sortino},
		{"turnover", got.Turnover, want.Turnover}, {"benchmark total", got.BenchmarkTotal, want.BenchmarkTotal},
		{"benchmark cagr", got.BenchmarkCAGR, want.BenchmarkCAGR}, {"tracking error", got.TrackingError, want.TrackingError},
		{"up capture", got.UpCapture, want.UpCapture}, {"down capture", got.DownCapture, want.DownCapture}, {"costs", &got.Costs, &want.Costs},
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
			if agree(m.Return, against) {
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
		if a != b && !agree(at(a), at(b)) {
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

// describe shows a strategy with what its pointers point at.
func describe(s backtest.Strategy) string {
	return fmt.Sprintf("%+v, lags %d %d %d, one per fund %v", s, *s.EntryLag, *s.ExitLag, *s.RedemptionDays, *s.OnePerFund)
}
