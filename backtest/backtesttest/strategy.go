package backtesttest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"cuota/backtest"
	"cuota/internal/testkit/oracle/backtestoracle"
	"cuota/model"
)

// Choose draws one of some values.
func Choose[T any](rng *rand.Rand, from ...T) T { return from[rng.IntN(len(from))] }

// DrawStrategy draws a complete strategy over a market.
func DrawStrategy(rng *rand.Rand, m Source) backtest.Strategy {
	length := int(m.Last.Sub(m.First).Hours() / 24)
	from := m.First.AddDate(0, 0, rng.IntN(length)-10)
	to := from.AddDate(0, 0, 20+rng.IntN(length))
	if rng.IntN(2) == 0 {
		from, to = m.First.AddDate(0, 0, 40), m.Last.AddDate(0, 0, rng.IntN(40)-30)
	}
	s := backtest.Strategy{
		Name: "drawn", From: dateOf(from), To: dateOf(to), Rebalance: Choose(rng, "monthly", "quarterly", "dates"),
		EntryLag: new(rng.IntN(4)), ExitLag: new(rng.IntN(4)), RedemptionDays: new(rng.IntN(11)),
		Known: Choose(rng, "then", "revised"), Universe: Choose(rng, "then", "then", "current"),
		Currency: Choose(rng, "PESOS", "PESOS", "DOLAR"), Convert: rng.IntN(2) == 0, OnePerFund: new(rng.IntN(2) == 0),
		Sort:  Choose(rng, slices.Concat(backtest.Sorts, model.Windows[:4])...),
		Order: Choose(rng, "asc", "desc"), Within: Choose(rng, "", "", "family", "manager"),
		Weights: Choose(rng, "equal", "equal", "equity", "inverse_volatility"), FollowExchanges: rng.IntN(2) == 0,
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
		s.Quantile = Choose(rng, .05, .1, .15, .2, .25, .3, .35, .5, .55, .6, .7, 1)
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
			s.Benchmark = Choose(rng, "symbol:IPSA", "symbol:SPX")
		}
	case 2, 3:
		s.Benchmark = "uf"
	case 4:
		family, currency := Choose(rng, m.Families...), Choose(rng, "PESOS", "DOLAR")
		if points := m.Known.FamilyIndex(family, currency); len(points) > 0 && points[0].Day.Before(from) {
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
func drawFilter(rng *rand.Rand, m Source, s *backtest.Strategy) {
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
		words(&f.Text, Choose(rng, "aguila", "CONDOR", "1.00", "puma 1", "3-"))
	case 1:
		words(&f.Family, strings.ToUpper(Choose(rng, m.Families...)))
	case 2:
		words(&f.InvestorClass, Choose(rng, "retail", "APV", "alto patrimonio"))
	case 3:
		words(&f.Currency, s.Currency)
	case 4:
		words(&f.Category, Choose(rng, "EQUITY", "money_market"))
	case 5:
		words(&f.Manager, Choose(rng, "alfa", "nunoa", "a"))
	case 6:
		whole(&f.SpheresMin, 1+rng.IntN(2))
	case 7:
		whole(&f.SpheresMax, 3+rng.IntN(3))
	case 8:
		words(&f.RatedFamily, Choose(rng, m.Families...))
	case 9:
		words(&f.RatedClass, Choose(rng, "Retail", "APV"))
	case 10:
		words(&f.TACKind, Choose(rng, "synthetic", "stated", "computed"))
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

// oracleStrategy returns a complete strategy as the oracle takes it.
func oracleStrategy(s backtest.Strategy) backtestoracle.Strategy {
	theirs := backtestoracle.Strategy{
		From: s.From.Time(), To: s.To.Time(), Rebalance: s.Rebalance, EntryLag: *s.EntryLag, ExitLag: *s.ExitLag,
		RedemptionDays: *s.RedemptionDays,
		Known:          s.Known, ClassifiedLater: s.ClassifiedLater, Universe: s.Universe, Currency: s.Currency,
		Convert: s.Convert, MinAgeDays: s.MinAgeDays, OnePerFund: *s.OnePerFund,
		Sort: s.Sort, Descending: s.Order == "desc", Top: s.Top, Within: s.Within, Weights: s.Weights,
		FollowExchanges: s.FollowExchanges,
		Buy:             s.Costs.Buy, Sell: s.Costs.Sell, Benchmark: s.Benchmark, RiskFree: s.RiskFree,
	}
	for _, day := range s.Dates {
		theirs.Dates = append(theirs.Dates, day.Time())
	}
	if s.Quantile > 0 {
		theirs.Quantile = strconv.FormatFloat(s.Quantile, 'f', -1, 64)
	}
	f := s.Filter
	for name, text := range map[string]string{
		"q": f.Text, "fund_family": f.Family, "investor_class": f.InvestorClass, "currency": f.Currency,
		"category":      f.Category,
		"administrator": f.Manager, "cmf_family": f.RatedFamily, "cmf_investor_type": f.RatedClass,
		"tac_kind": f.TACKind,
	} {
		if text != "" {
			theirs.Filters = append(theirs.Filters, backtestoracle.Filter{Name: name, Text: text})
		}
	}
	for name, limit := range map[string]*float64{
		"tac_max": f.TACMax, "equity_clp_min": f.EquityMin, "volatility_12m_max": f.VolatilityMax,
		"max_drawdown_36m_min": f.DrawdownMin,
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

// Describe shows a complete strategy with what its pointers point at.
func Describe(s backtest.Strategy) string {
	return fmt.Sprintf("%+v, lags %d %d %d, one per fund %v", s, *s.EntryLag, *s.ExitLag, *s.RedemptionDays,
		*s.OnePerFund)
}
