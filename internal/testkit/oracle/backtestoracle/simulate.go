package backtestoracle

import (
	"maps"
	"math"
	"slices"
	"sort"
	"strconv"
	"time"

	"cuota/internal/testkit/oracle"
)

// Trade is a sale, a purchase, an exit, an exchange, or a purchase that did not happen.
type Trade struct {
	Date   time.Time
	Series oracle.Series
	Kind   string // buy, sell, exit, exchange, no_quote
	Reason string
	Quota  float64
	Amount float64
	Cost   float64
	Into   oracle.Series
}

// Day is the portfolio at the end of a day.
type Day struct {
	Date        time.Time
	Value, Cash float64
}

// Rebalancing is what happened for one signal.
type Rebalancing struct {
	Signal
	Sold, Bought time.Time
	Chosen       []Choice
	Universe     []Candidate
	Reasons      map[uint32]string
	Trades       []Trade
}

// history is what happens to the quotas of a series, by day.
type history struct {
	quotes  map[time.Time]float64
	factors map[time.Time]float64 // by which the number of quotas is multiplied
	breaks  map[time.Time]bool    // the later of the quotes between which it breaks
	dollars map[time.Time]bool
	days    []time.Time // with a quote, ascending
}

// history returns the history of a series up to the cutoff (section 4).
func (p *Prepared) history(series oracle.Series) history {
	if h, known := p.histories[series]; known {
		return h
	}
	h := history{map[time.Time]float64{}, map[time.Time]float64{}, map[time.Time]bool{}, map[time.Time]bool{}, nil}
	for day, s := range p.rows[series] {
		if s.Quota > 0 && !day.After(p.Cutoff) {
			h.days = append(h.days, day)
			h.quotes[day] = s.Quota
			h.dollars[day] = currencyOf(s.Row) == "DOLAR"
		}
	}
	slices.SortFunc(h.days, time.Time.Compare)
	for i, day := range h.days {
		row := p.rows[series][day].Row
		factor := 1.0
		if i > 0 {
			before := p.rows[series][h.days[i-1]].Row
			if row.Moneda != before.Moneda || before.Equity == 0 && row.Equity > 0 || oracle.ChangesUnit(before, row) {
				h.breaks[day] = true
			}
			if row.Adjust != 0 && row.Adjust != 1 && math.Abs(row.Quota*row.Adjust/before.Quota-1) > 0.2 {
				h.breaks[day] = true
			}
		}
		if row.Payout != 0 {
			if row.Payout < 1 || row.Payout > 1.5 {
				h.breaks[day] = true
			} else {
				factor *= row.Payout
			}
		}
		if row.Adjust != 0 {
			factor *= row.Adjust
		}
		h.factors[day] = factor
	}
	p.histories[series] = h
	return h
}

// last returns the last day with a quote on or before a day. ok is false if there is none.
func (h history) last(day time.Time) (found time.Time, ok bool) {
	if at := h.later(day); at > 0 {
		return h.days[at-1], true
	}
	return time.Time{}, false
}

// later returns the index of the first day with a quote after a day.
func (h history) later(day time.Time) int {
	return sort.Search(len(h.days), func(i int) bool { return h.days[i].After(day) })
}

// first returns the first day with a quote on or after a day, at most seven days later.
func (h history) first(day time.Time) (found time.Time, ok bool) {
	for age := range 8 {
		if _, quoted := h.quotes[plus(day, age)]; quoted {
			return plus(day, age), true
		}
	}
	return time.Time{}, false
}

// portfolio walks through the days of a run.
type portfolio struct {
	market    *Prepared
	strategy  Strategy
	cash      float64
	coming    []money
	positions map[oracle.Series]float64 // number of quotas
	sales     []sale
	purchases []purchase
	trades    map[int][]Trade // by rebalancing
	now       int             // number of the rebalancing
	total     float64         // V of the rebalancing
}

type money struct {
	amount  float64
	arrives time.Time
}

// sale is an order to sell a part of a position on a day, at a quote that may be of an earlier day.
type sale struct {
	series    oracle.Series
	part      float64
	on, quote time.Time
	reason    string
}

type purchase struct {
	series oracle.Series
	amount float64
	quote  time.Time
}

func (f *portfolio) history(series oracle.Series) history { return f.market.history(series) }

// price returns a quote of a series in the currency of the portfolio, at the dollar of a day.
func (f *portfolio) price(series oracle.Series, quote, on time.Time) float64 {
	h := f.history(series)
	value := h.quotes[quote]
	switch {
	case h.dollars[quote] && f.strategy.Currency == "PESOS":
		return value * f.market.dollarOn(on)
	case !h.dollars[quote] && f.strategy.Currency == "DOLAR":
		return value / f.market.dollarOn(on)
	}
	return value
}

// worth returns the value of a position on a day.
func (f *portfolio) worth(series oracle.Series, on time.Time) float64 {
	quote, ok := f.history(series).last(on)
	if !ok {
		panic("backtestoracle: a position without a quote: " + series.Name)
	}
	return f.positions[series] * f.price(series, quote, on)
}

// held returns the series of the positions in a fixed order.
func (f *portfolio) held() []oracle.Series {
	return slices.SortedFunc(maps.Keys(f.positions), func(a, b oracle.Series) int {
		if f.market.ids[a] < f.market.ids[b] {
			return -1
		}
		return 1
	})
}

func (f *portfolio) value(on time.Time) (total, cash float64) {
	cash = f.cash
	for _, m := range f.coming {
		cash += m.amount
	}
	total = cash
	for _, series := range f.held() {
		total += f.worth(series, on)
	}
	return total, cash
}

func (f *portfolio) arrive(on time.Time) {
	f.coming = slices.DeleteFunc(f.coming, func(m money) bool {
		if m.arrives.After(on) {
			return false
		}
		f.cash += m.amount
		return true
	})
}

func (f *portfolio) note(t Trade) { f.trades[f.now] = append(f.trades[f.now], t) }

// sell turns a part of a position into money on its way. Exits cost nothing.
func (f *portfolio) sell(series oracle.Series, part float64, on, quote time.Time, kind, reason string) {
	amount := part * f.positions[series] * f.price(series, quote, on)
	f.positions[series] *= 1 - part
	if part == 1 {
		delete(f.positions, series)
	}
	cost := 0.0
	if kind == "sell" {
		cost = amount * f.strategy.Sell
	}
	f.coming = append(f.coming, money{amount - cost, plus(on, f.strategy.RedemptionDays)})
	f.note(Trade{Date: on, Series: series, Kind: kind, Reason: reason, Quota: f.history(series).quotes[quote],
		Amount: amount, Cost: cost})
}

// over reports whether a series has no quote any more: its last one, on or before the day, is more
// than seven days before the cutoff.
func (f *portfolio) over(series oracle.Series, on time.Time) (quote time.Time, closed bool) {
	h := f.history(series)
	quote, _ = h.last(on)
	return quote, h.later(on) == len(h.days) && days(quote, f.market.Cutoff) > 7
}

// continuation returns the exchange, after a day, that a closed series is followed through: into a
// series of the same currency that is quoted at most seven days before.
func (f *portfolio) continuation(series oracle.Series, on time.Time) (x oracle.Exchange, ok bool) {
	if !f.strategy.FollowExchanges {
		return x, false
	}
	h := f.history(series)
	last := h.days[len(h.days)-1]
	for _, each := range f.market.Exchanges {
		if f.market.joined(each.Origin) != series || days(last, each.Effective) < 1 || days(last, each.Effective) > 31 {
			continue
		}
		into := f.history(f.market.joined(each.Destination))
		quote, quoted := into.last(each.Effective)
		if !quoted || days(quote, each.Effective) > 7 || into.dollars[quote] != h.dollars[last] {
			continue
		}
		if !ok || each.Effective.Before(x.Effective) {
			x, ok = each, true
		}
	}
	return x, ok && x.Effective.After(on)
}

// awaits reports whether a position is only kept for its exchange.
func (f *portfolio) awaits(series oracle.Series, on time.Time) bool {
	quote, closed := f.over(series, on)
	_, follows := f.continuation(series, on)
	return closed && follows && quote.Before(on)
}

// closings ends the positions that have their last quote on a day.
func (f *portfolio) closings(on time.Time) {
	for _, series := range f.held() {
		quote, closed := f.over(series, on)
		if _, follows := f.continuation(series, on); closed && !follows {
			f.sell(series, 1, quote, quote, "exit", "closed")
		}
	}
}

// breaks ends the positions whose series break on a day, at the quote before.
func (f *portfolio) breaks(on time.Time) {
	for _, series := range f.held() {
		if h := f.history(series); h.breaks[on] {
			quote, _ := h.last(plus(on, -1))
			f.sell(series, 1, quote, quote, "exit", "break")
		}
	}
}

// exchange turns the positions whose exchange takes effect on a day into those of the destination.
func (f *portfolio) exchange(on time.Time) {
	for _, series := range f.held() {
		_, closed := f.over(series, on)
		x, follows := f.continuation(series, plus(on, -1))
		if !closed || !follows || !x.Effective.Equal(on) {
			continue
		}
		into := f.market.joined(x.Destination)
		factor, err := strconv.ParseFloat(x.Factor, 64)
		if err != nil {
			panic("backtestoracle: " + err.Error())
		}
		amount := f.worth(series, on)
		quote, _ := f.history(series).last(on)
		f.note(Trade{Date: on, Series: series, Kind: "exchange", Reason: "exchanged",
			Quota: f.history(series).quotes[quote], Amount: amount, Into: into})
		f.positions[into] += f.positions[series] * factor
		delete(f.positions, series)
	}
}

// order returns the orders to sell of a rebalancing, and the purchase day (sections 1 and 5).
func (f *portfolio) order(r *Rebalancing) (goals map[oracle.Series]float64) {
	total, _ := f.value(r.Sold)
	f.total = total
	goals = map[oracle.Series]float64{}
	for _, c := range r.Chosen {
		goals[c.Series] = c.Weight * total
	}
	for _, series := range f.held() {
		goal, selected := goals[series]
		worth := f.worth(series, r.Sold)
		if worth-goal <= total/1e9 || f.awaits(series, r.Sold) {
			continue
		}
		s := sale{series: series, part: (worth - goal) / worth, reason: "above_goal"}
		if !selected {
			s.part, s.reason = 1, "not_selected"
		}
		quote, ok := f.history(series).first(r.Sold)
		s.quote, s.on = quote, quote
		if !ok {
			s.quote, _ = f.history(series).last(r.Sold)
			s.on = r.Sold
		}
		f.sales = append(f.sales, s)
		if arrives := plus(s.on, f.strategy.RedemptionDays); arrives.After(r.Bought) {
			r.Bought = arrives
		}
	}
	return goals
}

// buy places the orders to buy of a rebalancing.
func (f *portfolio) buy(r *Rebalancing, goals map[oracle.Series]float64) {
	needs, sum := map[oracle.Series]float64{}, 0.0
	for _, c := range r.Chosen {
		worth := 0.0
		if f.positions[c.Series] > 0 {
			worth = f.worth(c.Series, r.Bought)
		}
		if goals[c.Series]-worth > f.total/1e9 {
			needs[c.Series] = goals[c.Series] - worth
			sum += needs[c.Series] * (1 + f.strategy.Buy)
		}
	}
	for _, c := range r.Chosen {
		if needs[c.Series] == 0 || f.cash <= f.total/1e9 {
			continue
		}
		amount := needs[c.Series] * f.cash / sum
		quote, ok := f.history(c.Series).first(r.Bought)
		for day := range f.history(c.Series).breaks {
			if day.After(r.Day) && !day.After(quote) {
				ok = false
			}
		}
		if !ok {
			f.note(Trade{Date: r.Bought, Series: c.Series, Kind: "no_quote", Reason: "no_quote", Amount: amount})
			continue
		}
		f.purchases = append(f.purchases, purchase{c.Series, amount, quote})
	}
}

// walk simulates the days from the first signal to the end (sections 4 and 5).
func (p *Prepared) walk(s Strategy, rebalancings []Rebalancing, end time.Time) (curve []Day) {
	if len(rebalancings) == 0 {
		return nil
	}
	f := &portfolio{market: p, strategy: s, cash: 100, positions: map[oracle.Series]float64{},
		trades: map[int][]Trade{}}
	goals := map[int]map[oracle.Series]float64{}
	begin := rebalancings[0].Date
	curve = []Day{{begin, 100, 100}} // in cash, before the first trade
	if begin.Equal(end) {
		return curve
	}
	for day := begin; !day.After(end); day = plus(day, 1) {
		f.arrive(day)
		f.breaks(day)
		f.arrive(day)
		for series := range f.positions {
			if factor, quoted := f.history(series).factors[day]; quoted {
				f.positions[series] *= factor
			}
		}
		f.exchange(day)
		for i := range rebalancings {
			r := &rebalancings[i]
			if r.Sold.Equal(day) {
				f.now = i
				goals[i] = f.order(r)
			}
		}
		for _, order := range f.sales {
			if _, held := f.positions[order.series]; held && order.on.Equal(day) {
				f.sell(order.series, order.part, order.on, order.quote, "sell", order.reason)
			}
		}
		f.arrive(day)
		for i := range rebalancings {
			if r := &rebalancings[i]; goals[i] != nil && r.Bought.Equal(day) {
				f.buy(r, goals[i])
			}
		}
		for _, order := range f.purchases {
			if !order.quote.Equal(day) {
				continue
			}
			cost := order.amount * s.Buy
			f.cash -= order.amount + cost
			f.positions[order.series] += order.amount / f.price(order.series, day, day)
			f.note(Trade{Date: day, Series: order.series, Kind: "buy", Reason: "selected",
				Quota: f.history(order.series).quotes[day], Amount: order.amount, Cost: cost})
		}
		f.closings(day)
		if day.After(begin) {
			value, cash := f.value(day)
			curve = append(curve, Day{day, value, cash})
		}
	}
	for i := range rebalancings {
		trades := f.trades[i]
		sort.SliceStable(trades, func(a, b int) bool { return trades[a].Date.Before(trades[b].Date) })
		rebalancings[i].Trades = trades
	}
	return curve
}
