package backtest_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"cuota/backtest"
	"cuota/model"
)

// aMarket has three series in 2024: 1 always at 100; 2 at 100 and from 10 February on at 110; 3 at
// 50 and from 10 March on at 40.
func aMarket(t *testing.T) *memory {
	first, last := date(t, "2024-01-01"), date(t, "2024-04-30")
	return &memory{
		batch: backtest.Batch{Number: 1, ID: "b", Cutoff: last},
		histories: map[uint32]*backtest.History{
			1: quotes(first, last, 100),
			2: from(quotes(first, last, 100), date(t, "2024-02-10"), 110),
			3: from(quotes(first, last, 50), date(t, "2024-03-10"), 40),
		},
		candidates: map[model.Date][]backtest.Candidate{
			date(t, "2024-01-31"): {series(1, 0.01), series(2, 0.02), series(3, -0.01)},
			date(t, "2024-02-29"): {series(1, 0.00), series(2, 0.10), series(3, 0.20)},
			date(t, "2024-03-31"): {series(1, 0.03), series(2, 0.00), series(3, -0.20)},
		},
	}
}

func aStrategy(t *testing.T) backtest.Strategy {
	return backtest.Strategy{Name: "best month", From: date(t, "2024-01-31"), To: date(t, "2024-04-30"), Sort: "1m",
		Top: 1}
}

func TestAStrategyBuysAfterTheMoneyOfItsSalesHasArrived(t *testing.T) {
	out := run(t, aMarket(t), aStrategy(t))
	near(t, "the value before the first purchase", valueOn(t, out, "2024-01-31").Value, 100)
	near(t, "the cash after the purchase on 1 February", valueOn(t, out, "2024-02-01").Cash, 0)
	near(t, "the value after series 2 rose by a tenth", valueOn(t, out, "2024-02-10").Value, 110)
	// Series 3 is selected on 29 February. Series 2 is sold on 1 March at 110; its money arrives
	// ten days later, on 11 March, after the fall of series 3 on the 10th.
	near(t, "the money on its way on 10 March", valueOn(t, out, "2024-03-10").Cash, 110)
	near(t, "the value after the purchase of series 3 at 40", valueOn(t, out, "2024-03-11").Value, 110)
	near(t, "its cash", valueOn(t, out, "2024-03-11").Cash, 0)
	near(t, "the value at the end", valueOn(t, out, "2024-04-30").Value, 110)
	second := out.Rebalancings[1]
	if second.Sold != date(t, "2024-03-01") || second.Bought != date(t, "2024-03-11") {
		t.Errorf("sold on %s and bought on %s, want 2024-03-01 and 2024-03-11", second.Sold, second.Bought)
	}
	if got := second.Excluded["not_in_top"]; got != 2 {
		t.Errorf("%d series are not in the top, want 2", got)
	}
}

// Many dates are divided between the processors. What is known of each series on a date is its random return.
func TestManyDatesSelectTheSameTogetherAndEachAlone(t *testing.T) {
	random := rand.New(rand.NewPCG(15, 7))
	m := &memory{batch: backtest.Batch{Number: 1, ID: "b", Cutoff: date(t, "2024-12-31")},
		candidates: map[model.Date][]backtest.Candidate{}}
	s := backtest.Strategy{Name: "many dates", From: date(t, "2013-12-31"), To: date(t, "2023-12-31"), Sort: "1m",
		Top: 3}
	for day := s.From; day.Compare(s.To) <= 0; day = day.AddDays(1) {
		if day.AddDays(1).Time().Day() != 1 { // no month end
			continue
		}
		for id := range uint32(20) {
			m.candidates[day] = append(m.candidates[day], series(1+id, random.Float64()))
		}
	}
	chosen := func(r backtest.Rebalancing) (series []uint32) {
		for _, s := range r.Selected {
			series = append(series, s.Series)
		}
		return series
	}
	together := run(t, m, s).Rebalancings
	if len(together) != 121 {
		t.Fatalf("%d dates", len(together))
	}
	for _, want := range together {
		one := s
		one.From, one.To = want.Date, want.Date
		alone := run(t, m, one).Rebalancings
		if len(alone) != 1 || alone[0].Date != want.Date || len(chosen(want)) != 3 ||
			!slices.Equal(chosen(alone[0]), chosen(want)) {
			t.Errorf("on %s %v are selected, alone %+v", want.Date, chosen(want), alone)
		}
	}
}

func TestCostsAreTakenFromTheTradedAmount(t *testing.T) {
	s := aStrategy(t)
	s.Costs = backtest.Costs{Buy: 0.25, Sell: 0.1}
	out := run(t, aMarket(t), s)
	// 100 buys 80 with a cost of 20. They become 88, and are sold for 79.2 with a cost of 8.8. That
	// buys 63.36 of series 3 with a cost of 15.84. In April, 63.36 is sold for 57.024, a cost of
	// 6.336, which buys 45.6192 of series 1 with a cost of 11.4048.
	near(t, "the value in February", valueOn(t, out, "2024-02-09").Value, 80)
	near(t, "the value in March", valueOn(t, out, "2024-03-11").Value, 63.36)
	near(t, "the value at the end", valueOn(t, out, "2024-04-30").Value, 45.6192)
	near(t, "the costs", out.Statistics.Costs, 20+8.8+15.84+6.336+11.4048)
	free := out.Ledger[3]
	if free.Run != "without_costs" {
		t.Fatalf("the last line of the ledger is %s", free.Run)
	}
	// Without delay series 3 is bought on 1 March at 50, and falls to 40.
	near(t, "the return without costs", *free.TotalReturn, 1.1*40/50-1)
	near(t, "its difference", *free.ReturnDifference, 1.1*40/50-0.456192)
}

func TestADistributionIsReinvestedAndABreakSells(t *testing.T) {
	m := aMarket(t)
	m.histories[2].Factor[date(t, "2024-02-15")] = 1.05
	m.histories[2].Breaks = []model.Date{date(t, "2024-02-20")}
	out := run(t, m, aStrategy(t))
	near(t, "the value with the distribution", valueOn(t, out, "2024-02-15").Value, 110*1.05)
	near(t, "the cash after the break", valueOn(t, out, "2024-02-20").Cash, 110*1.05)
	last := out.Rebalancings[0].Trades[1]
	if last.Kind != "exit" || last.Reason != "break" || last.Date != date(t, "2024-02-19") {
		t.Errorf("the trade of the break is %+v", last)
	}
}

func TestASeriesThatClosesIsPaidOutAtItsLastQuoteOrExchanged(t *testing.T) {
	m := aMarket(t)
	m.histories[2].Quotas = m.histories[2].Quotas[:date(t, "2024-02-20").DaysSince(date(t, "2024-01-01"))+1]
	m.exchanges = map[uint32][]backtest.Exchange{2: {{On: date(t, "2024-02-25"), Into: 3, Factor: 2}}}
	out := run(t, m, aStrategy(t))
	near(t, "the cash after the last quote", valueOn(t, out, "2024-02-20").Cash, 110)
	s := aStrategy(t)
	s.FollowExchanges = true
	out = run(t, m, s)
	// One quota of series 2 at 110 becomes two of series 3 at 50.
	near(t, "the value before the exchange", valueOn(t, out, "2024-02-24").Value, 110)
	near(t, "the value after it", valueOn(t, out, "2024-02-25").Value, 100)
	near(t, "the value after the fall of series 3", valueOn(t, out, "2024-03-10").Value, 80)
}

func TestTheLedgerShowsWhatSurvivorsAddAndRanksAmongTheUniverse(t *testing.T) {
	m := aMarket(t)
	for day, list := range m.candidates {
		for i := range list {
			list[i].Alive = list[i].Series != 2
		}
		m.candidates[day] = list
	}
	out := run(t, m, aStrategy(t))
	// The run gains a tenth, as series 2 does; series 1 gains nothing and series 3 loses a fifth.
	if stated := out.Ledger[0]; stated.Rank != 1 || stated.Of != 4 {
		t.Errorf("the run has the rank %d of %d, want 1 of 4", stated.Rank, stated.Of)
	}
	survivors := out.Ledger[1]
	// Without series 2: series 1 in February; series 3 from 11 March on, at 40.
	near(t, "the return of the survivors", *survivors.TotalReturn, 0)
	near(t, "the difference", *survivors.ReturnDifference, -0.1)
	if survivors.Rank != 1 || survivors.Of != 3 {
		t.Errorf("the survivors have the rank %d of %d, want 1 of 3", survivors.Rank, survivors.Of)
	}
}

func TestNothingSelectedIsCashWithAReason(t *testing.T) {
	s := aStrategy(t)
	s.Filter.Category = "equity"
	m := aMarket(t)
	for _, list := range m.candidates {
		list[0].Category = "other"
	}
	out := run(t, m, s)
	near(t, "the value at the end", valueOn(t, out, "2024-04-30").Cash, 100)
	if len(out.Notes) != 1 {
		t.Fatalf("the notes are %q", out.Notes)
	}
	if want := "nothing was selected on any of the 3 dates: most were left out for filter:category (9); the " +
		"portfolio is cash"; out.Notes[0].Text != want {
		t.Errorf("the note is %q", out.Notes[0])
	}
	s = aStrategy(t)
	s.From, s.To = date(t, "2030-01-01"), date(t, "2031-01-01")
	if out := run(t, aMarket(t), s); len(out.Curve) != 0 || len(out.Notes) != 1 {
		t.Errorf("a period without data has %d days and the notes %q", len(out.Curve), out.Notes)
	}
}

// One series is always at 100 until it rises by 26.57 % in April. The first purchase takes its cost from the 100.
func TestTheFirstPurchaseCostsAlsoOnTheFirstSignalDate(t *testing.T) {
	m := aMarket(t)
	for day := range m.candidates {
		m.candidates[day] = m.candidates[day][:1]
	}
	from(m.histories[1], date(t, "2024-04-10"), 126.57)
	s := aStrategy(t)
	s.Known, s.EntryLag, s.ExitLag, s.Costs.Buy = "revised", new(0), new(0), 0.05
	out := run(t, m, s)
	near(t, "the value before the first trade", out.Curve[0].Value, 100)
	near(t, "its cash", out.Curve[0].Cash, 100)
	near(t, "the value after the purchase", valueOn(t, out, "2024-02-01").Value, 100/1.05)
	near(t, "the total return", *out.Statistics.TotalReturn, 1.2657/1.05-1)
	near(t, "the return of the first month", out.Months[0].Return, 1/1.05-1)
	near(t, "the greatest fall", out.Statistics.MaxDrawdown.Fall, 1/1.05-1)
	near(t, "the costs", out.Statistics.Costs, 100-100/1.05)
	free := out.Ledger[3]
	near(t, "the total return without costs", *free.TotalReturn, 0.2657)
	near(t, "the difference", *free.ReturnDifference, 1.2657*(1-1/1.05))
	if stated := out.Ledger[0]; stated.Rank != 2 || stated.Of != 2 || free.Rank != 1 {
		t.Errorf("the run has the rank %d of %d and without costs %d, want 2 of 2 and 1", stated.Rank, stated.Of,
			free.Rank)
	}

	s.To = date(t, "2024-01-31")
	if out := run(t, m, s); len(out.Curve) != 1 || *out.Statistics.TotalReturn != 0 || out.Statistics.Costs != 0 ||
		len(out.Rebalancings[0].Trades) != 0 {
		t.Errorf("a run that ends on its first signal date has %+v", out.Statistics)
	}
}

func TestSeriesOfTwoManagersOfOneNameAreTwoGroups(t *testing.T) {
	m := aMarket(t)
	for _, list := range m.candidates {
		for i := range list {
			list[i].Manager, list[i].ManagerID = "AGF", uint32(7+i/2)
		}
	}
	s := aStrategy(t)
	s.Within = "manager"
	out := run(t, m, s)
	// Series 1 and 2 are of one manager, and series 3 of another one with the same name.
	if got := out.Rebalancings[0].Selected; len(got) != 2 || got[0].Series != 2 || got[1].Series != 3 {
		t.Errorf("selected are %+v, want the best series of each manager", got)
	}
}

func TestDatesBeforeTheFirstClassificationAreSaid(t *testing.T) {
	for _, c := range []struct {
		change func(*backtest.Strategy)
		want   bool
	}{
		{func(s *backtest.Strategy) { s.Filter.Category = "equity" }, true},
		{func(s *backtest.Strategy) { s.Filter.Family = "Accionario nacional" }, true},
		{func(s *backtest.Strategy) { s.Within = "family" }, true},
		{func(s *backtest.Strategy) { s.Filter.Manager = "none" }, false},
	} {
		m := aMarket(t)
		m.candidates[date(t, "2024-03-31")][0].Family = "Accionario nacional"
		m.candidates[date(t, "2024-03-31")][0].Category = "equity"
		s := aStrategy(t)
		s.Known = "revised"
		c.change(&s)
		notes := run(t, m, s).Notes
		said := slices.ContainsFunc(notes, func(n backtest.Note) bool {
			return n.Code == "unclassified" && slices.Equal(n.Values, []string{"2", "3"}) &&
				strings.Contains(n.Text, "classified_later = true")
		})
		if said != c.want {
			t.Errorf("%+v: the notes are %+v", s.Filter, notes)
		}
	}
	s := aStrategy(t)
	s.ClassifiedLater = true
	if _, err := s.Complete(); err == nil || !strings.Contains(err.Error(), `known = "revised"`) {
		t.Errorf("later classifications that were known then are not refused: %v", err)
	}
}

// 100 / 3.3 × 3.3 is 99.99999999999999. On 1 February there is no UF: that of the day before counts, at the dollar of
// the day.
func TestABenchmarkDayWithoutAValueTakesTheDollarOfTheDay(t *testing.T) {
	m := aMarket(t)
	m.uf = func(day model.Date) float64 {
		if day == date(t, "2024-02-01") {
			return 0
		}
		return 3.3
	}
	m.dollar = func(day model.Date) float64 {
		if day.Compare(date(t, "2024-02-01")) < 0 {
			return 800
		}
		return 1000
	}
	s := aStrategy(t)
	s.Benchmark = "uf"
	if out := run(t, m, s); *out.Curve[0].Benchmark != 100 {
		t.Errorf("the benchmark begins at %v", *out.Curve[0].Benchmark)
	}
	s.Currency, s.Convert = "DOLAR", true
	out := run(t, m, s)
	near(t, "the benchmark on the first day", *out.Curve[0].Benchmark, 100)
	near(t, "the benchmark on the day without a UF", *out.Curve[1].Benchmark, 80)
}
