package report_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"cuota/backtest"
	"cuota/model"
)

func p[T any](value T) *T { return &value }

// small is a fixed result of five months with two signal dates: short enough to be read whole.
func small() *backtest.Result {
	day := model.NewDate
	r := &backtest.Result{
		Strategy: backtest.Strategy{
			Name: "Renta fija de bajo costo", From: day(2023, 12, 31), To: day(2024, 4, 15), Rebalance: "quarterly",
			EntryLag: p(1), ExitLag: p(1), RedemptionDays: p(10), Known: "then", Universe: "then", Currency: "PESOS",
			Filter:     backtest.Filter{Category: "fixed_income", TACMax: p(.015), EquityMin: p(5e9)},
			OnePerFund: p(true), Sort: "tac", Order: "asc", Top: 2, Weights: "equal",
			Costs: backtest.Costs{Buy: .001, Sell: .002}, Benchmark: "uf", RiskFree: "rate:0.03",
		},
		Fingerprint: "5f1d7a84e1cf4d6d2f0b8a3c9e7d6b5a4f3e2d1c0b9a8877665544332211ff00",
		Method:      backtest.Method,
		Batch: backtest.Batch{Number: 42, ID: "20240430-42-a1b2c3d4", Cutoff: day(2024, 4, 30),
			Fingerprint: "a1b2c3d4e5f60718293a4b5c6d7e8f90123456789abcdef0fedcba9876543210",
			PublishedAt: time.Date(2024, 5, 1, 12, 30, 0, 0, time.UTC)},
		Vintage: backtest.Vintage{Candidates: 24, LaterHistory: 3, Corrected: 1, NotKnownThen: 1},
		Notes: []backtest.Note{{Code: "sometimes_nothing", Values: []string{"2", "12"},
			Text: "nothing was selected on 2 of the 12 dates; the portfolio is cash after them"}},
	}
	for d, i := day(2023, 12, 31), 0; d.Compare(day(2024, 4, 15)) <= 0; d, i = d.AddDays(1), i+1 {
		x := float64(i)
		r.Curve = append(r.Curve, backtest.Day{Date: d, Value: 100 + .03*x - 2*math.Sin(x/20), Cash: max(0, 100-25*x),
			Benchmark: p(100 + .01*x)})
	}
	a := backtest.Selected{Series: 1001, RUN: "8011-K", Serie: "A", FundName: "FONDO MUTUO ÑANDÚ AHORRO", Value: .0049,
		Weight: .5}
	b := backtest.Selected{Series: 2002, RUN: "9809-4", Serie: "UNICA", FundName: "FONDO MUTUO CÓNDOR DEUDA & CÍA",
		Value: .0083, Weight: .5}
	c := backtest.Selected{Series: 3003, RUN: "9123-0", Serie: "APV", FundName: "FONDO MUTUO HUEMUL RENTA",
		Value: .0079, Weight: .5}
	r.Rebalancings = []backtest.Rebalancing{
		{Date: day(2023, 12, 31), Day: day(2023, 12, 29), Sold: day(2024, 1, 1), Bought: day(2024, 1, 1), Universe: 12,
			Selected: []backtest.Selected{a, b},
			Trades: []backtest.Trade{
				{Date: day(2024, 1, 2), Series: 1001, Kind: "buy", Reason: "selected", Quota: 1234.5678, Amount: 49.95,
					Cost: .04995},
				{Date: day(2024, 1, 2), Series: 2002, Kind: "buy", Reason: "selected", Quota: 20111.25, Amount: 49.95,
					Cost: .04995},
			},
			Excluded: map[string]int{"not_known_then": 1, "other_currency": 2, "filter:tac_max": 3,
				"filter:category": 1, "not_in_top": 3},
			Left: leftOut("not_known_then", "other_currency", "other_currency", "filter:tac_max", "filter:tac_max",
				"filter:tac_max", "filter:category", "not_in_top", "not_in_top", "not_in_top")},
		{Date: day(2024, 3, 31), Day: day(2024, 3, 28), Sold: day(2024, 4, 1), Bought: day(2024, 4, 11), Universe: 12,
			Selected: []backtest.Selected{a, c},
			Trades: []backtest.Trade{
				{Date: day(2024, 4, 1), Series: 2002, Kind: "sell", Reason: "not_selected", Quota: 20455.5,
					Amount: 50.8, Cost: .1016},
				{Date: day(2024, 4, 8), Series: 1001, Kind: "exchange", Reason: "exchanged", Quota: 1250.1,
					Amount: 50.6, Into: 7007},
				{Date: day(2024, 4, 11), Series: 3003, Kind: "no_quote", Reason: "no_quote"},
			},
			Excluded: map[string]int{"other_currency": 2, "filter:tac_max": 3, "no_value": 1, "same_fund": 1,
				"not_in_top": 3},
			Left: leftOut("other_currency", "other_currency", "filter:tac_max", "filter:tac_max", "filter:tac_max",
				"no_value", "same_fund", "not_in_top", "not_in_top", "not_in_top")},
	}
	r.Months = []backtest.Month{
		{Month: day(2024, 1, 31), Return: -.0106, Benchmark: p(.0031), Whole: true},
		{Month: day(2024, 2, 29), Return: .0132, Benchmark: p(.0029), Whole: true},
		{Month: day(2024, 3, 31), Return: .0308, Benchmark: p(.0031), Whole: true},
		{Month: day(2024, 4, 15), Return: .0003, Benchmark: p(.0015)},
	}
	last := r.Curve[len(r.Curve)-1]
	r.Statistics = backtest.Statistics{
		First: day(2023, 12, 31), Last: day(2024, 4, 15), TotalReturn: p(last.Value/100 - 1), Volatility: p(.0724),
		MaxDrawdown: &backtest.Drawdown{Fall: -.01144, Peak: day(2023, 12, 31), Trough: day(2024, 1, 26),
			Recovered: p(day(2024, 2, 28))},
		HitRate: p(2. / 3), Turnover: p(0.), BenchmarkTotal: p(*last.Benchmark/100 - 1), TrackingError: p(.071),
		UpCapture: p(3.67),
		BestMonth: &r.Months[2], WorstMonth: &r.Months[0], Costs: .2015,
	}
	total := *r.Statistics.TotalReturn
	r.Ledger = []backtest.LedgerLine{
		{Run: "as_stated", TotalReturn: p(total), Rank: 4, Of: 11},
		{Run: "survivors_only", TotalReturn: p(total + .0124), ReturnDifference: p(.0124), Rank: 2, RankDifference: -2,
			Of: 10},
		{Run: "revised_data", TotalReturn: p(total - .0017), ReturnDifference: p(-.0017), Rank: 5, RankDifference: 1,
			Of: 11},
		{Run: "without_costs", TotalReturn: p(total), ReturnDifference: p(0.), Rank: 4, Of: 11},
	}
	return r
}

// leftOut returns a series for each reason.
func leftOut(reasons ...string) (left []backtest.Excluded) {
	for i, reason := range reasons {
		left = append(left, backtest.Excluded{Series: uint32(4000 + i), Reason: reason})
	}
	return left
}

// nothing is the result of a strategy that selects nothing.
func nothing() *backtest.Result {
	r := small()
	r.Strategy.Filter.Family = "FAMILIA QUE NO EXISTE"
	for i := range r.Curve {
		r.Curve[i].Value, r.Curve[i].Cash = 100, 100
	}
	for i := range r.Rebalancings {
		r.Rebalancings[i].Selected, r.Rebalancings[i].Trades = nil, nil
		r.Rebalancings[i].Excluded = map[string]int{"filter:fund_family": 12}
		r.Rebalancings[i].Left = nil
	}
	for i := range r.Months {
		r.Months[i].Return = 0
	}
	r.Statistics = backtest.Statistics{First: r.Statistics.First, Last: r.Statistics.Last, TotalReturn: p(0.),
		BenchmarkTotal: r.Statistics.BenchmarkTotal}
	r.Ledger = nil
	r.Notes = []backtest.Note{{Code: "nothing_selected", Values: []string{"12", "filter:category (9)"},
		Text: "nothing"}}
	return r
}

// invented makes a plausible result of so many years with daily values: a monthly strategy in
// funds of shares, with a benchmark, closures, an exchange and exclusions. Equal seeds give
// equal results.
func invented(seed uint64, years, top int) *backtest.Result {
	random := rand.New(rand.NewPCG(seed, 0))
	from := model.NewDate(2014, 12, 31)
	to := model.NewDate(2014+years, 12, 31)
	r := &backtest.Result{
		Strategy: backtest.Strategy{
			Name: "Momento de 12 meses en acciones", From: from, To: to, Rebalance: "monthly", EntryLag: p(1),
			ExitLag: p(1), RedemptionDays: p(10),
			Known: "then", Universe: "then", Currency: "PESOS", Convert: true, MinAgeDays: 365,
			Filter: backtest.Filter{Category: "equity", InvestorClass: "Retail", SpheresMin: p(3),
				EquityMin: p(2e9)},
			OnePerFund: p(true), Sort: "1y", Order: "desc", Top: top, Weights: "inverse_volatility",
			FollowExchanges: true,
			Costs:           backtest.Costs{Buy: .0025, Sell: .0025},
			Benchmark:       "family:ACCIONARIO NACIONAL LARGE CAP:PESOS",
			RiskFree:        "rate:0.03",
		},
		Fingerprint: fmt.Sprintf("%064x", seed+0xcafe), Method: backtest.Method,
		Batch: backtest.Batch{Number: 1187, ID: "20241231-1187-0badcafe", Cutoff: to,
			Fingerprint: fmt.Sprintf("%064x", seed+0xbeef),
			PublishedAt: time.Date(2025, 1, 2, 11, 4, 9, 0, time.UTC)},
	}
	value, other := 100., 100.
	peak, peakDay := 0., from
	var deepest backtest.Drawdown
	for d := from; d.Compare(to) <= 0; d = d.AddDays(1) {
		if weekday := d.Time().Weekday(); d != from && weekday != time.Saturday && weekday != time.Sunday {
			market := random.NormFloat64()
			crash := 0.
			if days := d.DaysSince(model.NewDate(2020, 2, 20)); days >= 0 && days < 32 {
				crash = -.018
			}
			value *= math.Exp(.00062 + crash + .0075*market + .003*random.NormFloat64())
			other *= math.Exp(.00028 + crash + .0085*market)
		}
		if value > peak {
			if deepest.Recovered == nil && deepest.Fall < 0 && peakDay == deepest.Peak {
				deepest.Recovered = p(d)
			}
			peak, peakDay = value, d
		}
		if fall := value/peak - 1; fall < deepest.Fall {
			deepest = backtest.Drawdown{Fall: fall, Peak: peakDay, Trough: d}
		}
		r.Curve = append(r.Curve, backtest.Day{Date: d, Value: value, Cash: value * .02 * random.Float64(),
			Benchmark: p(other)})
	}
	r.Months = monthsOf(r.Curve)
	r.Statistics = backtest.Statistics{
		First: from, Last: to, TotalReturn: p(value/100 - 1),
		CAGR:       p(math.Pow(value/100, 365/float64(to.DaysSince(from))) - 1),
		Volatility: p(.1721), Sharpe: p(.71), Sortino: p(1.02), MaxDrawdown: &deepest, HitRate: p(.592),
		Turnover:       p(3.41),
		BenchmarkTotal: p(other/100 - 1), BenchmarkCAGR: p(math.Pow(other/100, 365/float64(to.DaysSince(from))) - 1),
		TrackingError: p(.0583), UpCapture: p(1.08), DownCapture: p(.93), Rolling12: runs(r.Months, 12),
		Rolling36: runs(r.Months, 36), Costs: 18.774,
	}
	best, worst := r.Months[0], r.Months[0]
	for _, m := range r.Months {
		if m.Return > best.Return {
			best = m
		}
		if m.Return < worst.Return {
			worst = m
		}
	}
	r.Statistics.BestMonth, r.Statistics.WorstMonth = &best, &worst
	dates(r, random, top)
	total := *r.Statistics.TotalReturn
	r.Ledger = []backtest.LedgerLine{
		{Run: "as_stated", TotalReturn: p(total), Rank: 38, Of: 412},
		{Run: "survivors_only", TotalReturn: p(total + .0873), ReturnDifference: p(.0873), Rank: 31, RankDifference: -7,
			Of: 288},
		{Run: "revised_data", TotalReturn: p(total - .00002), ReturnDifference: p(-.00002), Rank: 38, Of: 412},
		{Run: "without_costs", TotalReturn: p(total + .2219), ReturnDifference: p(.2219), Rank: 19, RankDifference: -19,
			Of: 412},
	}
	return r
}

func monthsOf(curve []backtest.Day) (months []backtest.Month) {
	begin := curve[0]
	for i, d := range curve {
		if i == len(curve)-1 || curve[i+1].Date.Time().Month() != d.Date.Time().Month() {
			if i > 0 {
				months = append(months, backtest.Month{Month: d.Date, Return: d.Value/begin.Value - 1,
					Benchmark: p(*d.Benchmark / *begin.Benchmark - 1), Whole: true})
			}
			begin = d
		}
	}
	return months
}

func runs(months []backtest.Month, length int) (of []backtest.Month) {
	for i := length; i <= len(months); i++ {
		value, other := 1., 1.
		for _, m := range months[i-length : i] {
			value, other = value*(1+m.Return), other*(1+*m.Benchmark)
		}
		of = append(of, backtest.Month{Month: months[i-1].Month, Return: value - 1, Benchmark: p(other - 1),
			Whole: true})
	}
	return of
}

var (
	houses = []string{"ANDES", "CORDILLERA", "ALERCE", "PACÍFICO", "MAPOCHO", "ÑUBLE", "ELQUI", "LAGO LLANQUIHUE"}
	themes = []string{"ACCIONES CHILE", "LATAM", "USA EQUITY", "MERCADOS EMERGENTES ASIA", "SMALL CAP CHILE",
		"GLOBAL DIVIDENDOS", "EUROPA", "ACCIONES NACIONALES ESTRATÉGICO"}
	series = []string{"A", "B", "APV", "CLASICA", "DIGITAL", "UNICA"}
)

func dates(r *backtest.Result, random *rand.Rand, top int) {
	pick := func(words []string) string { return words[random.IntN(len(words))] }
	var held []backtest.Selected
	for _, m := range append([]backtest.Month{{Month: r.Strategy.From}}, r.Months[:len(r.Months)-1]...) {
		date := backtest.Rebalancing{Date: m.Month, Day: m.Month, Sold: m.Month.AddDays(1), Bought: m.Month.AddDays(11),
			Universe: 380 + random.IntN(60)}
		var kept []backtest.Selected
		for i, s := range held {
			quota, amount := 800+random.Float64()*3000, 120/float64(top)
			switch {
			case random.Float64() < .3:
				date.Trades = append(date.Trades, backtest.Trade{Date: date.Sold, Series: s.Series, Kind: "sell",
					Reason: "not_selected", Quota: quota, Amount: amount, Cost: amount * .0025})
				continue
			case random.Float64() < .02:
				date.Trades = append(date.Trades, backtest.Trade{Date: date.Sold.AddDays(3), Series: s.Series,
					Kind: "exit", Reason: "closed", Quota: quota, Amount: amount})
				continue
			case random.Float64() < .02 && i > 0:
				date.Trades = append(date.Trades, backtest.Trade{Date: date.Sold.AddDays(5), Series: s.Series,
					Kind: "exchange", Reason: "exchanged", Quota: quota, Amount: amount, Into: held[i-1].Series})
				continue
			case random.Float64() < .3:
				date.Trades = append(date.Trades, backtest.Trade{Date: date.Sold, Series: s.Series, Kind: "sell",
					Reason: "above_goal", Quota: quota, Amount: amount / 9, Cost: amount / 9 * .0025})
			}
			kept = append(kept, s)
		}
		for len(kept) < top {
			s := backtest.Selected{Series: random.Uint32(),
				RUN: fmt.Sprintf("%d-%d", 8000+random.IntN(2000), random.IntN(10)), Serie: pick(series),
				FundName: "FONDO MUTUO " + pick(houses) + " " + pick(themes), Value: .4 * random.Float64()}
			amount := 120 / float64(top)
			date.Trades = append(date.Trades, backtest.Trade{Date: date.Bought, Series: s.Series, Kind: "buy",
				Reason: "selected", Quota: 800 + random.Float64()*3000, Amount: amount, Cost: amount * .0025})
			kept = append(kept, s)
		}
		for i := range kept {
			kept[i].Weight = 1 / float64(top)
		}
		date.Selected = append(date.Selected, kept...)
		held = kept
		date.Excluded = map[string]int{"not_known_then": random.IntN(3), "too_young": 20 + random.IntN(9),
			"filter:investor_class": 90, "filter:category": 60,
			"filter:cmf_spheres_min": 70 + random.IntN(9), "filter:equity_clp_min": 25, "no_value": random.IntN(5),
			"same_fund": 30 + random.IntN(9)}
		left := date.Universe - top
		for _, n := range date.Excluded {
			left -= n
		}
		date.Excluded["not_in_top"] = left
		for _, reason := range []string{"too_young", "same_fund", "not_in_top"} {
			for range date.Excluded[reason] {
				date.Left = append(date.Left, backtest.Excluded{Series: random.Uint32(), Reason: reason})
			}
		}
		r.Vintage.Candidates += date.Universe
		r.Rebalancings = append(r.Rebalancings, date)
	}
	r.Vintage.LaterHistory, r.Vintage.Corrected, r.Vintage.NotKnownThen = r.Vintage.Candidates/3, 217, 121
}
