package savings

import (
	"math"
	"slices"
	"testing"
	"time"

	"cuota/model"
)

var firstDay = model.NewDate(2024, time.January, 1)

// flat returns a series of pesos with a quota on each of so many days. 0 means that the day has no row, below 0 that
// the row was rejected.
func flat(quotas ...float64) *Series {
	h := NewHistory(len(quotas), "missing_end_quote")
	last := -1
	for i, quota := range quotas {
		if quota != 0 {
			last = i
		}
		h.UFs[i] = 1
		if last < 0 {
			continue
		}
		h.Ages[i], h.Reasons[i] = i-last, ""
		switch {
		case quotas[last] < 0:
			h.Reasons[i] = "invalid_end_quote"
		case i-last > 7:
			h.Reasons[i] = "stale_end_quote"
		default:
			h.Quotas[i], h.Pesos[i] = quotas[last], quotas[last]
		}
	}
	h.End = EndRates{UF: 1, Reason: "missing_end_fx"}
	return &Series{ID: 1, History: h, Cost: func(int) (float64, string) { return 0, "" }}
}

func steady(days int, quota float64) []float64 {
	list := make([]float64, days)
	for i := range list {
		list[i] = quota
	}
	return list
}

func portfolio(of *Series, movements ...Movement) *Portfolio {
	for i := range movements {
		movements[i].Line, movements[i].Series = i+1, "1"
	}
	return &Portfolio{From: firstDay, AsOf: firstDay.AddDays(len(of.Ages) - 1), Movements: movements,
		Series: map[string]*Series{"1": of}}
}

func buy(day int, amount float64) Movement {
	return Movement{Date: firstDay.AddDays(day), Kind: Buy, Amount: amount}
}

func sell(day int, amount float64) Movement {
	return Movement{Date: firstDay.AddDays(day), Kind: Sell, Amount: amount}
}

func sellAll(day int) Movement { return Movement{Date: firstDay.AddDays(day), Kind: Sell, All: true} }

func wantReason(t *testing.T, what string, got Figure, want string) {
	t.Helper()
	if got.Value != nil || got.Reason == nil || *got.Reason != want {
		t.Errorf("%s is %+v, want the reason %s", what, show(got), want)
	}
}

func wantValue(t *testing.T, what string, got Figure, want float64) {
	t.Helper()
	if got.Value == nil || math.Abs(*got.Value-want) > 1e-9*max(1, math.Abs(want)) {
		t.Errorf("%s is %v, want %v", what, show(got), want)
	}
}

func show(f Figure) any {
	if f.Value != nil {
		return *f.Value
	}
	return *f.Reason
}

func TestAMovementWaitsSevenDaysForAQuota(t *testing.T) {
	quotas := make([]float64, 30)
	quotas[0], quotas[9], quotas[29] = 10, 20, 20
	for day, want := range map[int]int{0: 0, 1: -1, 2: 9, 9: 9, 10: -1, 22: 29} {
		got := portfolio(flat(quotas...), buy(day, 100)).Execute()[0]
		if got.Day != want || (want < 0) != (got.Reason == NoQuote) {
			t.Errorf("a purchase on day %d was executed on %d (%s), want %d", day, got.Day, got.Reason, want)
		}
	}
}

func TestAQuotaThatMayStillComeIsNotMissing(t *testing.T) {
	quotas := make([]float64, 9)
	quotas[0] = 10
	for day, want := range map[int]string{0: "", 1: NoQuote, 2: NoQuoteYet, 8: NoQuoteYet} {
		of := flat(quotas...)
		if got := portfolio(of, buy(day, 100)).Execute()[0].Reason; got != want {
			t.Errorf("a purchase on day %d: %q, want %q", day, got, want)
		}
		of.Closed = new(firstDay)
		if got := portfolio(of, buy(day, 100)).Execute()[0].Reason; got == NoQuoteYet {
			t.Errorf("a closed series may have a quota after day %d", day)
		}
	}
}

func TestTheNumberOfTheStatementSellsEverything(t *testing.T) {
	quotas := Movement{Date: firstDay.AddDays(40), Kind: Sell, Quotas: 666.3246}
	of := flat(append(steady(40, 1500.77), steady(60, 2000)...)...)
	for name, sale := range map[string]Movement{"quotas": quotas, "amount": sell(40, 666.3246*2000)} {
		r := portfolio(of, buy(0, 1_000_000), sale).Compute()
		h := r.Holdings[0]
		if bought := r.Executions[0].Units; h.Units != 0 || r.Executions[1].Units != bought || h.DaysHeld != 40 ||
			*h.End != firstDay.AddDays(40) || h.Costs.Days != 40 {
			t.Errorf("%s: %v of %v are left, held for %d days until %v", name, h.Units, bought, h.DaysHeld, h.End)
		}
		wantValue(t, name+": value", h.Value, 0)
	}
	quotas.Quotas -= .0001
	h := portfolio(of, buy(0, 1_000_000), quotas).Compute().Holdings[0]
	if h.Units < .0001 || *h.End == firstDay.AddDays(40) {
		t.Errorf("a rest of more than the rounding is sold: %v are left", h.Units)
	}
	for amount, left := range map[float64]float64{1_332_649: 0, 1_332_648: .0006, 1_332_650: 666.3246} {
		h := portfolio(of, buy(0, 1_000_000), sell(40, amount)).Compute().Holdings[0] // worth 1,332,649.24 pesos
		if math.Abs(h.Units-left) > .0001 {
			t.Errorf("a sale of %.0f pesos leaves %v quotas, want about %v", amount, h.Units, left)
		}
	}
	tiny := Movement{Date: firstDay, Kind: Buy, Quotas: .00004}
	if h := portfolio(of, tiny).Compute().Holdings[0]; h.Units != .00004 {
		t.Errorf("a small purchase leaves %v", h.Units)
	}
}

func TestARejectedRowRefusesAMovementOfItsDay(t *testing.T) {
	if got := portfolio(flat(10, -1, 12), buy(1, 100)).Execute()[0]; got.Reason != InvalidQuote {
		t.Errorf("the reason is %q", got.Reason)
	}
}

func TestMoreThanIsHeldIsNotSold(t *testing.T) {
	of := flat(steady(40, 10)...)
	p := portfolio(of, buy(0, 1000), sell(5, 600), sell(6, 500), sellAll(7), sellAll(8), buy(9, 10), sell(10, 10.0004))
	p.Movements = append(p.Movements, Movement{Line: 8, Series: "2", Date: firstDay, Kind: Buy, Amount: 1},
		Movement{Line: 9, Series: "1", Date: firstDay.AddDays(40), Kind: Buy, Amount: 1})
	want := []string{"", "", MoreThanHeld, "", MoreThanHeld, "", "", UnknownSeries, AfterAsOf}
	for i, e := range p.Execute() {
		if e.Reason != want[i] {
			t.Errorf("movement %d: %q, want %q", i+1, e.Reason, want[i])
		}
	}
	r := p.Compute()
	wantValue(t, "value", r.Total.Value, 0)
	wantValue(t, "withdrawn", r.Total.Withdrawn, 1010)
	wantValue(t, "gain", r.Total.Gain, 0)
}

func TestPurchasesOfADayComeBeforeSales(t *testing.T) {
	p := portfolio(flat(steady(40, 10)...), sell(3, 100), buy(3, 100))
	for _, e := range p.Execute() {
		if e.Reason != "" {
			t.Errorf("movement %d was refused: %s", e.Line, e.Reason)
		}
	}
}

func TestReturnsOfOnePurchaseAreThoseOfTheQuota(t *testing.T) {
	quotas := steady(731, 10)
	quotas[730] = 12.1
	of := flat(quotas...)
	for i := range of.UFs {
		of.UFs[i] = 1 + .1*float64(i)/730
	}
	r := portfolio(of, buy(0, 500)).Compute()
	wantValue(t, "value", r.Total.Value, 605)
	wantValue(t, "money-weighted", r.Total.MoneyWeighted, .1)
	wantValue(t, "time-weighted", r.Total.TimeWeighted, .21)
	wantValue(t, "time-weighted by year", r.Total.TimeWeightedYear, .1)
	wantValue(t, "real", r.Total.RealTime, .1)
	wantValue(t, "UF", r.Total.UF.EndValue, 550)
	wantValue(t, "above UF", r.Total.UF.Difference, 55)
	if r.Holdings[0].Figures.DaysHeld != 730 {
		t.Errorf("held for %d days", r.Holdings[0].Figures.DaysHeld)
	}
}

func TestShortAndEmptyPortfoliosHaveReasons(t *testing.T) {
	r := portfolio(flat(steady(29, 10)...), buy(0, 500)).Compute()
	wantReason(t, "money-weighted", r.Total.MoneyWeighted, Under30Days)
	wantReason(t, "time-weighted by year", r.Total.TimeWeightedYear, UnderOneYear)
	wantValue(t, "gain", r.Total.Gain, 0)
	r = portfolio(flat(steady(29, 10)...), sellAll(3)).Compute()
	wantValue(t, "invested", r.Total.Invested, 0)
	for name, figure := range map[string]Figure{"money-weighted": r.Total.MoneyWeighted, "value": r.Total.Value,
		"gain": r.Total.Gain, "costs": r.Total.Costs.Amount, "UF": r.Total.UF.EndValue, "family": r.Total.Family.EndValue,
		"above the cheapest": r.Total.Cheapest.Difference} {
		wantReason(t, name, figure, NothingBought)
	}
}

func TestNothingIsComputedAcrossABreak(t *testing.T) {
	of := flat(steady(100, 10)...)
	of.Breaks = []Break{{50, "currency_change"}}
	r := portfolio(of, buy(0, 500), sellAll(40), buy(60, 300)).Compute()
	wantValue(t, "value beside a break", r.Total.Value, 300)
	r = portfolio(of, buy(0, 500), sell(40, 100), buy(60, 300)).Compute()
	wantReason(t, "value across a break", r.Total.Value, "currency_change")
	wantReason(t, "value in currency", r.Holdings[0].InCurrency, "currency_change")
	wantReason(t, "money-weighted", r.Total.MoneyWeighted, "currency_change")
	wantReason(t, "UF", r.Total.UF.Difference, "currency_change")
	wantReason(t, "costs", r.Total.Costs.Amount, "currency_change")
	r = portfolio(of, buy(50, 500)).Compute()
	wantValue(t, "value of what was bought on the day of the break", r.Total.Value, 500)
}

func TestAnOldQuotaValuesNothingUnlessTheSeriesClosed(t *testing.T) {
	quotas := steady(60, 0)
	quotas[0], quotas[40] = 10, 11
	of := flat(quotas...)
	r := portfolio(of, buy(0, 100)).Compute()
	wantReason(t, "value", r.Total.Value, "stale_end_quote")
	for i := 41; i < 60; i++ {
		of.Reasons[i], of.Quotas[i], of.Pesos[i] = "", 11, 11
	}
	of.Closed = new(firstDay.AddDays(40))
	r = portfolio(of, buy(0, 100)).Compute()
	wantValue(t, "value", r.Total.Value, 110)
	wantValue(t, "money-weighted", r.Total.MoneyWeighted, math.Pow(1.1, 365./40)-1)
	if h := r.Holdings[0]; h.Closed == nil || h.End.String() != firstDay.AddDays(40).String() {
		t.Errorf("closed on %v, end %v", h.Closed, h.End)
	}
}

func TestSeveralOrNoRatesAreTold(t *testing.T) {
	for name, c := range map[string]struct {
		flows []flow
		want  string
	}{
		"two rates": {[]flow{{0, -100}, {365, 230}, {730, -132}}, SeveralRates}, // 10 % and 20 %
		"one sign":  {[]flow{{0, -100}, {365, -5}}, NoSignChange},
		"all lost":  {[]flow{{0, -1e9}, {365, 1}}, NoRateFound},
		"short":     {[]flow{{0, -100}, {29, 101}}, Under30Days},
	} {
		if got, reason := moneyWeighted(c.flows); reason != c.want {
			t.Errorf("%s: %v %q, want %q", name, got, reason, c.want)
		}
	}
	if got, reason := moneyWeighted([]flow{{0, -100}, {365, 50}, {730, -50}, {1095, 150}}); reason != "" {
		t.Errorf("three changes of sign with one rate: %v %s", got, reason)
	}
}

func TestStatedCostsAreDaysTimesValueTimesRate(t *testing.T) {
	of := flat(steady(41, 10)...)
	of.Cost = func(day int) (float64, string) {
		if day < 10 {
			return 0, ""
		}
		return .0365, "computed"
	}
	c := portfolio(of, buy(0, 1000), sellAll(40)).Compute().Total.Costs
	wantValue(t, "costs", c.Amount, 30*1000*.0365/365)
	if c.Days != 40 || c.Rated != 30 || len(c.Kinds) != 1 {
		t.Errorf("%+v", c)
	}
	of.Cost = func(int) (float64, string) { return 0, "" }
	wantReason(t, "costs", portfolio(of, buy(0, 1000)).Compute().Total.Costs.Amount, NoCost)
}

func TestTheSameAmountsGoIntoTheOtherSeries(t *testing.T) {
	of := flat(10, 10, 10, 20)
	of.Family = flat(100, 100, 50, 200).History
	of.NoCheapest = "no_tac"
	p := portfolio(of, buy(0, 1000), sell(2, 900))
	r := p.Compute()
	// Ten parts, of which 18 are sold at 50: a debt of eight, each of 200 at the end.
	wantValue(t, "family", r.Total.Family.EndValue, -8*200)
	wantValue(t, "difference", r.Total.Family.Difference, 200+1600)
	if on := r.Total.Family.RanOutOn; on == nil || *on != firstDay.AddDays(2) {
		t.Errorf("ran out on %v", on)
	}
	wantReason(t, "cheapest", r.Total.Cheapest.Difference, "no_tac")
	of.Family.Breaks = []Break{{3, "index_gap"}}
	wantReason(t, "family with a gap", p.Compute().Total.Family.EndValue, "index_gap")
}

func TestWhatRanOutIsCountedInItsOwnUnits(t *testing.T) {
	of := flat(1e-6, 1e-6, 1.5e-6, 1.5e-6)
	of.Family = flat(steady(4, 1000)...).History
	family := portfolio(of, buy(0, 1000), sell(2, 1500)).Compute().Total.Family
	if family.RanOutOn == nil || *family.RanOutOn != firstDay.AddDays(2) {
		t.Errorf("half a unit is owed, and ran out on %v", family.RanOutOn)
	}
	of = flat(steady(4, 10)...)
	of.Family = of.History
	family = portfolio(of, buy(0, 1000), sell(1, 1000./3), sellAll(2)).Compute().Total.Family
	if family.RanOutOn != nil {
		t.Errorf("an error of rounding ran out on %v", family.RanOutOn)
	}
}

func TestAClosedSeriesIsNoComparison(t *testing.T) {
	of := flat(10, 11, 12, 13)
	of.Family, of.Cheapest = flat(100, 100, 100, 100).History, flat(100, 110, 110, 110).History
	of.Cheapest.Closed = new(firstDay.AddDays(1))
	r := portfolioOf(of).Compute()
	wantReason(t, "cheapest", r.Total.Cheapest.EndValue, CheapestClosed)
	wantReason(t, "difference", r.Holdings[0].Cheapest.Difference, CheapestClosed)
	wantValue(t, "family", r.Total.Family.EndValue, 1000)
	// A purchase after the end would be of a series that nobody can buy.
	p := portfolio(of, buy(0, 1000), buy(2, 1000))
	wantReason(t, "cheapest with a later purchase", p.Compute().Total.Cheapest.EndValue, CheapestClosed)
	of.Cheapest.Closed = new(firstDay.AddDays(3))
	wantValue(t, "cheapest that closes on the last day", portfolioOf(of).Compute().Total.Cheapest.EndValue, 1100)
}

// portfolioOf is a purchase of 1000 on the first day, with its comparisons.
func portfolioOf(of *Series) *Portfolio {
	p := portfolio(of, buy(0, 1000))
	return p
}

func TestWhatAComparisonLeavesGoesOnToTheEnd(t *testing.T) {
	for name, sold := range map[string]float64{"rest": 10, "debt": 30} {
		quotas := steady(60, sold)
		quotas[0] = 20
		of := flat(quotas...)
		of.UFs = append(steady(40, 1), steady(20, 2)...)
		of.Dollars = slices.Repeat([]bool{true}, 60)
		of.End = EndRates{UF: 4, Dolar: 900}
		index := append(steady(40, 100), steady(20, 300)...)
		of.Family, of.Cheapest = flat(index...).History, flat(index...).History
		p := portfolio(of, buy(0, 1000), sellAll(30))
		r := p.Compute()
		left := 1000 - 50*sold // of 1000 in pesos at 1, and of ten parts at 100
		wantValue(t, name+" in UF", r.Total.UF.EndValue, left*4)
		wantValue(t, name+" above UF", r.Total.UF.Difference, -left*4)
		wantValue(t, name+" in the family", r.Total.Family.EndValue, left/100*300*900)
		wantValue(t, name+" in the cheapest", r.Total.Cheapest.EndValue, left/100*300*900)
		wantValue(t, name+": gain", r.Total.Gain, -left)
		of.End = EndRates{Reason: "missing_end_fx"}
		of.Family.Breaks = []Break{{50, "index_gap"}}
		r = p.Compute()
		wantReason(t, name+" without UF", r.Total.UF.EndValue, MissingUF)
		wantReason(t, name+" across a gap", r.Total.Family.EndValue, "index_gap")
		wantReason(t, name+" without dollars", r.Total.Cheapest.EndValue, "missing_end_fx")
		of.Cheapest.Closed = new(firstDay.AddDays(35))
		wantReason(t, name+" in what closed", p.Compute().Total.Cheapest.EndValue, CheapestClosed)
	}
	// Nothing is left if the other thing is the series itself: it needs no rate of the last day.
	of := flat(append(steady(30, 10), steady(30, 7)...)...)
	of.Family, of.Cheapest = of.History, of.History
	of.Breaks = []Break{{50, "currency_change"}}
	p := portfolio(of, buy(0, 1000), buy(3, 333), sell(20, 77), sellAll(40))
	r := p.Compute()
	wantValue(t, "itself", r.Total.Cheapest.EndValue, 0)
	wantValue(t, "above itself", r.Total.Cheapest.Difference, 0)
}

func TestAComparisonEndsInTheCurrencyOfItsAmounts(t *testing.T) {
	of := flat(append(append(steady(30, 10), steady(29, 5)...), -1)...)
	of.Family = flat(steady(60, 100)...).History
	p := portfolio(of, buy(0, 1000), sellAll(30))
	// The row of the last day is rejected: it has no currency. Before that the series is in pesos.
	wantValue(t, "pesos", p.Compute().Total.Family.EndValue, 500)
	for day := range 59 {
		of.Dollars[day] = true
	}
	wantReason(t, "dollars without a dólar", p.Compute().Total.Family.EndValue, "missing_end_fx")
	of.End = EndRates{Dolar: 950}
	wantValue(t, "dollars", p.Compute().Total.Family.EndValue, 500*950)
	for day := range 59 {
		of.Dollars[day] = day >= 40
	}
	of.Dollars[59], of.Breaks = true, []Break{{40, CurrencyChange}}
	wantValue(t, "pesos, and dollars after the sale", p.Compute().Total.Family.EndValue, 500)
	p = portfolio(of, buy(0, 1000), sellAll(30), buy(45, 100), sellAll(50))
	wantReason(t, "both", p.Compute().Total.Family.EndValue, CurrencyChange)
}

func TestARateThatLacksIsNoBreak(t *testing.T) {
	of := flat(steady(60, 10)...)
	of.Breaks = []Break{{20, "missing_end_fx"}} // before the purchase, with the reason that a rate has
	for day := range of.RateReasons {
		of.RateReasons[day] = "missing_end_fx"
	}
	h := portfolio(of, buy(30, 500)).Compute().Holdings[0]
	wantReason(t, "value", h.Value, "missing_end_fx")
	wantValue(t, "value in currency", h.InCurrency, 500)
}
