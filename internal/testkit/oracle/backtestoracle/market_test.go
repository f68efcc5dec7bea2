package backtestoracle

import (
	"math"
	"testing"
	"time"

	"cuota/internal/testkit/oracle"
)

func on(t testing.TB, day string) time.Time {
	t.Helper()
	at, err := time.Parse(time.DateOnly, day)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// quoted states a row in pesos for each day of a span, published on the evening of the day. Each
// series of one letter is a fund of its own: A is of RUN 1, B of RUN 2.
func (m *Market) quoted(t testing.TB, name, from, to string, quota float64) {
	t.Helper()
	for day := on(t, from); !day.After(on(t, to)); day = plus(day, 1) {
		m.Statements = append(m.Statements, Statement{
			oracle.Row{Run: int(name[0]) - 'A' + 1, Serie: name, Day: day, Moneda: "$$", Quota: quota, Equity: 1e6},
			day.Add(22 * time.Hour)})
	}
}

// edit changes the statements about a series on a day.
func (m *Market) edit(t testing.TB, name, day string, change func(*Statement)) {
	t.Helper()
	edited := false
	for i, s := range m.Statements {
		if s.Serie == name && s.Day.Equal(on(t, day)) {
			change(&m.Statements[i])
			edited = true
		}
	}
	if !edited {
		t.Fatalf("no statement about %s on %s", name, day)
	}
}

// only returns a strategy on given dates that holds all series, from 31 January 2025 to the end of
// February.
func only(t testing.TB, dates ...string) Strategy {
	s := Strategy{From: on(t, "2025-01-31"), To: on(t, "2025-02-28"), Rebalance: "dates", EntryLag: 1, ExitLag: 1,
		RedemptionDays: 3,
		Known:          "then", Universe: "then", Currency: "PESOS", Sort: "id", Top: 9, Weights: "equal"}
	for _, d := range dates {
		s.Dates = append(s.Dates, on(t, d))
	}
	return s
}

func near(a, b float64) bool { return math.Abs(a-b) < 1e-12*max(1, math.Abs(b)) }

// valued checks values of the curve by day.
func valued(t *testing.T, result Result, want map[string]float64) {
	t.Helper()
	found := 0
	for _, d := range result.Curve {
		if value, asked := want[d.Date.Format(time.DateOnly)]; asked {
			found++
			if !near(d.Value, value) {
				t.Errorf("%s: %v, want %v", d.Date.Format(time.DateOnly), d.Value, value)
			}
		}
	}
	if found != len(want) {
		t.Errorf("%d of the days are in the curve, want %d", found, len(want))
	}
}

// A costs 100 on the purchase day, 1 February, and 110 from the 2nd on. With a cost of 25 %, 100
// in cash buy for 80, of which 20 are the cost: 0.8 quotas.
func TestAPurchaseSpendsAllCashWithItsCosts(t *testing.T) {
	var m Market
	m.quoted(t, "A", "2025-01-20", "2025-02-01", 100)
	m.quoted(t, "A", "2025-02-02", "2025-02-28", 110)
	s := only(t, "2025-01-31")
	valued(t, m.Prepare().Run(s), map[string]float64{"2025-01-31": 100, "2025-02-01": 100, "2025-02-02": 110,
		"2025-02-28": 110})
	s.Buy = .25
	r := m.Prepare().Run(s)
	valued(t, r, map[string]float64{"2025-01-31": 100, "2025-02-01": 80, "2025-02-02": 88, "2025-02-28": 88})
	if r.Statistics.Costs != 20 || !near(*r.Statistics.Total, -.12) {
		t.Errorf("%+v", r.Statistics)
	}
}

// 2 quotas of A at 50 are sold on 11 February at 60: 120 less 10 % are 108, which arrive on the 14th
// and buy 54 quotas of B at 2, worth 3 from the 20th on.
func TestASwitchWaitsForTheMoneyOfTheSale(t *testing.T) {
	var m Market
	m.quoted(t, "A", "2025-01-20", "2025-02-09", 50)
	m.quoted(t, "A", "2025-02-10", "2025-02-28", 60)
	m.quoted(t, "B", "2025-02-05", "2025-02-19", 2)
	m.quoted(t, "B", "2025-02-20", "2025-02-28", 3)
	s := only(t, "2025-01-31", "2025-02-10")
	s.Top, s.Sell = 1, .1
	p := m.Prepare()
	if p.ids[oracle.Series{Run: 1, Name: "A"}] < p.ids[oracle.Series{Run: 2, Name: "B"}] {
		s.Descending = true
	}
	r := p.Run(s)
	valued(t, r, map[string]float64{"2025-02-10": 120, "2025-02-11": 108, "2025-02-13": 108, "2025-02-14": 108,
		"2025-02-19": 108, "2025-02-20": 162})
	if got := r.Rebalancings[1]; !got.Sold.Equal(on(t, "2025-02-11")) || !got.Bought.Equal(on(t, "2025-02-14")) ||
		len(got.Trades) != 2 ||
		got.Trades[0].Reason != "not_selected" || !near(got.Trades[0].Cost, 12) || !near(got.Trades[1].Amount, 108) {
		t.Errorf("%+v", got)
	}
	without := r.Ledger[3] // sold and bought on the 11th: 120 of B at 2 become 180
	if without.Run != "without_costs" || !near(*without.Total, .8) || !near(*without.Change, .18) {
		t.Errorf("%+v", without)
	}
	// From 31 January to the end, A alone gains 20 %. B is not in the universe yet.
	if as := r.Ledger[0]; as.Place != (Place{1, 1, 2}) || len(as.Universe) != 1 || !near(as.Universe[0], .2) {
		t.Errorf("%+v", as)
	}
}

// A and B are bought for 50 each. Then A doubles. V is 150, so that a quarter of A's 100 is sold
// on the 16th, and arrives on the 19th, when B is bought for 25.
func TestAboveItsGoalIsSoldDownToIt(t *testing.T) {
	var m Market
	m.quoted(t, "A", "2025-01-20", "2025-02-09", 10)
	m.quoted(t, "A", "2025-02-10", "2025-02-28", 20)
	m.quoted(t, "B", "2025-01-20", "2025-02-28", 10)
	r := m.Prepare().Run(only(t, "2025-01-31", "2025-02-15"))
	trades := r.Rebalancings[1].Trades
	if len(trades) != 2 || trades[0].Reason != "above_goal" || !near(trades[0].Amount, 25) ||
		!trades[0].Date.Equal(on(t, "2025-02-16")) ||
		trades[1].Kind != "buy" || !near(trades[1].Amount, 25) || !trades[1].Date.Equal(on(t, "2025-02-19")) {
		t.Errorf("%+v", trades)
	}
	valued(t, r, map[string]float64{"2025-02-28": 150})
	// 25 are bought, in 28 of 365 days. The curve is 100 on ten days and 150 on nineteen.
	level := (10*100. + 19*150) / 29
	if !near(*r.Statistics.Turnover, 25/level/(28./365)) {
		t.Errorf("turnover %v", *r.Statistics.Turnover)
	}
}

// A pays: 80 × 1.25 are the 100 of the day before. Then its quota is divided by ten. At last the
// factor is beyond its limit, which is a break: the exit is at the quote before, 8.
func TestFactorsChangeTheNumberOfQuotasAndBreaksEndAPosition(t *testing.T) {
	var m Market
	m.quoted(t, "A", "2025-01-20", "2025-02-04", 100)
	m.quoted(t, "A", "2025-02-05", "2025-02-09", 80)
	m.quoted(t, "A", "2025-02-10", "2025-02-19", 8)
	m.quoted(t, "A", "2025-02-20", "2025-02-28", 4)
	m.edit(t, "A", "2025-02-05", func(s *Statement) { s.Payout = 1.25 })
	m.edit(t, "A", "2025-02-10", func(s *Statement) { s.Adjust = 10 })
	m.edit(t, "A", "2025-02-20", func(s *Statement) { s.Payout = 1.6 })
	m.quoted(t, "B", "2025-01-20", "2025-02-28", 1)
	s := only(t, "2025-01-31")
	s.Filters = []Filter{{Name: "q", Text: "1-9"}}
	r := m.Prepare().Run(s)
	valued(t, r, map[string]float64{"2025-02-04": 100, "2025-02-05": 100, "2025-02-10": 100, "2025-02-19": 100,
		"2025-02-20": 100, "2025-02-28": 100})
	if got := r.Rebalancings[0].Trades; len(got) != 2 || got[1].Kind != "exit" || got[1].Reason != "break" ||
		!got[1].Date.Equal(on(t, "2025-02-19")) || got[1].Quota != 8 {
		t.Errorf("%+v", got)
	}
	if got := r.Rebalancings[0].Reasons; len(got) != 1 || got[oracle.ID(oracle.SeriesKey(2, "B"))] != "filter:q" {
		t.Errorf("%v", got)
	}
}

// A closes on 10 February at 120, and is exchanged for 0.5 quotas of B, worth 300, on the 12th.
func TestAClosedSeriesIsPaidOutOrFollowed(t *testing.T) {
	var m Market
	m.quoted(t, "A", "2025-01-20", "2025-02-09", 100)
	m.quoted(t, "A", "2025-02-10", "2025-02-10", 120)
	m.quoted(t, "B", "2025-01-20", "2025-02-28", 300)
	m.Exchanges = []oracle.Exchange{{Event: "x", Revision: 1, Origin: oracle.Series{Run: 1, Name: "A"},
		Destination: oracle.Series{Run: 2, Name: "B"},
		Effective:   on(t, "2025-02-12"), Valuation: on(t, "2025-02-11"), Factor: "0.5"}}
	s := only(t, "2025-01-31")
	s.Filters = []Filter{{Name: "q", Text: "1-9"}}
	s.Sell = .1
	r := m.Prepare().Run(s)
	valued(t, r, map[string]float64{"2025-02-10": 120, "2025-02-28": 120})
	if got := r.Rebalancings[0].Trades; len(got) != 2 || got[1].Reason != "closed" || got[1].Cost != 0 {
		t.Errorf("%+v", got)
	}
	s.FollowExchanges = true
	r = m.Prepare().Run(s)
	valued(t, r, map[string]float64{"2025-02-10": 120, "2025-02-11": 120, "2025-02-12": 150, "2025-02-28": 150})
	if got := r.Rebalancings[0].Trades; len(got) != 2 || got[1].Reason != "exchanged" || got[1].Into.Name != "B" {
		t.Errorf("%+v", got)
	}
	// Survivors: only B, which is left out by the filter, so that the portfolio is cash.
	if got := r.Ledger[1]; *got.Total != 0 || !near(*got.Change, -.5) {
		t.Errorf("%+v", got)
	}
}

// The dollar rises from 800 to 1,000, and a quota in dollars from 10 to 12: 8,000 and 12,000 pesos.
func TestAPositionInDollarsIsConvertedAtTheDollarOfTheDay(t *testing.T) {
	var m Market
	m.quoted(t, "A", "2025-01-20", "2025-02-09", 10)
	m.quoted(t, "A", "2025-02-10", "2025-02-28", 12)
	for i := range m.Statements {
		m.Statements[i].Moneda = "PROM"
	}
	m.Dollar = map[time.Time]float64{on(t, "2025-01-25"): 800, on(t, "2025-02-01"): 800, on(t, "2025-02-08"): 800,
		on(t, "2025-02-12"): 1000, on(t, "2025-02-18"): 1000, on(t, "2025-02-25"): 1000}
	s := only(t, "2025-01-31")
	if r := m.Prepare().Run(s); r.Rebalancings[0].Reasons[oracle.ID(oracle.SeriesKey(1, "A"))] != "other_currency" {
		t.Errorf("%+v", r.Rebalancings[0])
	}
	s.Convert = true
	valued(t, m.Prepare().Run(s), map[string]float64{"2025-02-01": 100, "2025-02-10": 120, "2025-02-12": 150})
}

// On 31 January A's quota was stated as 90, and corrected to 120 on 10 February. It was 100 a
// month before.
func TestACorrectionIsKnownFromItsPublicationOn(t *testing.T) {
	var m Market
	m.quoted(t, "A", "2024-12-20", "2025-01-30", 100)
	m.quoted(t, "A", "2025-01-31", "2025-02-28", 120)
	m.edit(t, "A", "2025-01-31", func(s *Statement) { s.Published = on(t, "2025-02-10") })
	m.Statements = append(m.Statements,
		Statement{oracle.Row{Run: 1, Serie: "A", Day: on(t, "2025-01-31"), Moneda: "$$", Quota: 90, Equity: 1e6},
			on(t, "2025-02-01")})
	p := m.Prepare()
	candidate := func(order string, then bool) Candidate {
		return p.Candidates(Signal{on(t, "2025-01-31"), on(t, "2025-01-31"), on(t, order)}, then, false)[0]
	}
	if c := candidate("2025-02-01", true); !near(c.Returns["1m"], -.1) || !c.Corrected || c.NotKnownThen {
		t.Errorf("%+v", c)
	}
	if c := candidate("2025-02-01", false); !near(c.Returns["1m"], .2) || c.Corrected {
		t.Errorf("%+v", c)
	}
	if c := candidate("2025-02-09", true); !near(c.Returns["1m"], -.1) {
		t.Errorf("%+v", c)
	}
	if c := candidate("2025-02-10", true); !near(c.Returns["1m"], .2) {
		t.Errorf("%+v", c)
	}
}

// A first statement more than 62 days after its day is of a history that was loaded later.
func TestALateStatementIsNotKnownUnlessItIsOfALaterHistory(t *testing.T) {
	for late, want := range map[int]bool{1: false, 2: true, 62: true, 63: false} {
		var m Market
		m.quoted(t, "A", "2025-01-20", "2025-02-28", 100)
		m.edit(t, "A", "2025-01-31", func(s *Statement) { s.Published = plus(s.Day, late).Add(12 * time.Hour) })
		c := m.Prepare().Candidates(Signal{on(t, "2025-01-31"), on(t, "2025-01-31"), on(t, "2025-02-01")}, true,
			false)[0]
		if c.NotKnownThen != want || c.LaterHistory != (late > 62) {
			t.Errorf("%d days late: %+v", late, c)
		}
	}
}

func TestAFamilyIsUnknownBeforeItsPublication(t *testing.T) {
	var m Market
	m.quoted(t, "A", "2025-01-20", "2025-02-28", 100)
	m.Lines = []Line{{Run: 1, Serie: "A", Day: on(t, "2025-01-31"), Family: "F", Class: "Retail", Spheres: 4,
		Published: on(t, "2025-02-10")}}
	p := m.Prepare()
	if c := p.Candidates(Signal{on(t, "2025-02-05"), on(t, "2025-02-05"), on(t, "2025-02-06")}, true,
		false)[0]; c.Family != "" || c.Spheres != 0 {
		t.Errorf("%+v", c)
	}
	if c := p.Candidates(Signal{on(t, "2025-02-10"), on(t, "2025-02-10"), on(t, "2025-02-11")}, true,
		false)[0]; c.Family != "F" || c.Spheres != 4 || c.InvestorClass != "Retail" {
		t.Errorf("%+v", c)
	}
}

// A costs 100 on the first signal date, on which it is bought, and 126 at the end. 100 in cash buy for
// 80 with a cost of 20: 0.8 quotas, worth 100.8. Without costs, one quota is worth 126.
func TestAPurchaseOnTheFirstSignalDatePaysItsCosts(t *testing.T) {
	var m Market
	m.quoted(t, "A", "2025-01-20", "2025-02-01", 100)
	m.quoted(t, "A", "2025-02-02", "2025-02-28", 126)
	s := only(t, "2025-01-31")
	s.EntryLag, s.ExitLag, s.Known, s.Buy = 0, 0, "revised", .25
	r := m.Prepare().Run(s)
	valued(t, r, map[string]float64{"2025-01-31": 100, "2025-02-01": 80, "2025-02-28": 100.8})
	if r.Curve[0].Cash != 100 || r.Statistics.Costs != 20 || !near(*r.Statistics.Total, .008) ||
		!near(r.Months[0].Return, .008) || !near(r.Statistics.Drawdown.Fall, -.2) {
		t.Errorf("%+v", r.Statistics)
	}
	if free := r.Ledger[3]; !near(*free.Total, .26) || !near(*free.Change, .252) || free.Place.Worst != 2 ||
		r.Ledger[0].Place.Best != 2 {
		t.Errorf("%+v", r.Ledger)
	}
	s.To = on(t, "2025-01-31")
	if r := m.Prepare().Run(s); len(r.Curve) != 1 || r.Curve[0].Value != 100 || r.Statistics.Costs != 0 ||
		*r.Statistics.Total != 0 {
		t.Errorf("a run that ends on its first signal date trades: %+v", r)
	}
}

// The last quote of A is of 29 January, in the family and at the dollar of then. Both changed on the 31st.
func TestAnOlderRowHasTheFamilyAndTheDollarOfTheAnsweringDay(t *testing.T) {
	var m Market
	m.quoted(t, "A", "2025-01-20", "2025-01-29", 2)
	m.quoted(t, "B", "2025-01-20", "2025-02-28", 2)
	for i := range m.Statements {
		m.Statements[i].Moneda = "PROM"
	}
	m.Dollar = map[time.Time]float64{on(t, "2025-01-29"): 800, on(t, "2025-01-31"): 900}
	for day, family := range map[string]string{"2024-12-31": "F", "2025-01-31": "G", "2025-02-01": "H"} {
		m.Lines = append(m.Lines, Line{Run: 1, Serie: "A", Day: on(t, day), Family: family, Category: family,
			Published: on(t, day)})
	}
	for _, c := range m.Prepare().Candidates(Signal{on(t, "2025-01-31"), on(t, "2025-01-31"), on(t, "2025-02-01")},
		false, false) {
		if c.EquityCLP != 900e6 || c.Series.Name == "A" && (c.Family != "G" || c.Category != "G") {
			t.Errorf("%+v", c)
		}
	}
}

func TestFamiliesBeforeTheFirstComparatorCountIfAskedFor(t *testing.T) {
	var m Market
	m.quoted(t, "A", "2025-01-20", "2025-02-28", 100)
	m.quoted(t, "B", "2025-01-20", "2025-02-28", 100)
	for day, family := range map[string]string{"2025-02-10": "F", "2025-02-20": "G"} {
		m.Lines = append(m.Lines, Line{Run: 1, Serie: "A", Day: on(t, day), Family: family, Category: "equity",
			Spheres: 4, Published: on(t, day)})
	}
	s := only(t, "2025-01-31")
	s.Known, s.Filters = "revised", []Filter{{Name: "category", Text: "equity"}}
	if r := m.Prepare().Run(s); len(r.Rebalancings[0].Chosen) != 0 {
		t.Errorf("%+v", r.Rebalancings[0])
	}
	s.ClassifiedLater = true
	r := m.Prepare().Run(s)
	if len(r.Rebalancings[0].Chosen) != 1 || r.Rebalancings[0].Chosen[0].Series.Name != "A" ||
		r.Rebalancings[0].Universe[0].Spheres+r.Rebalancings[0].Universe[1].Spheres != 0 {
		t.Errorf("%+v", r.Rebalancings[0])
	}
}
