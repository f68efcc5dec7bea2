package backtest

import (
	"cmp"
	"slices"

	"cuota/model"
)

// portfolio is what a strategy holds, from day to day (sections 4 and 5).
type portfolio struct {
	strategy  *Strategy
	market    *market
	cash      float64 // that can be spent
	due       []payment
	positions []*position // by ascending id
	costs     float64     // paid so far
	bought    []purchase
}

// payment is money on its way.
type payment struct {
	on     model.Date
	amount float64
}

// purchase is kept for the turnover.
type purchase struct {
	rebalancing int
	amount      float64
}

// position is a number of quotas of a series.
type position struct {
	series   uint32
	currency string
	history  *History
	last     model.Date // of the history's quotes
	quote    float64    // newest one of the history on or before the day
	quotas   float64
	// The order to sell: on a day, this part of the quotas.
	sellOn model.Date
	part   float64
	reason string
	// The exchange that awaits a position without quotes.
	exchange *Exchange
}

// order is a purchase that awaits its day.
type order struct {
	series   uint32
	currency string // of the series
	on       model.Date
	amount   float64
}

// rebalance is one rebalancing while it happens.
type rebalance struct {
	number   int
	out      *Rebalancing
	listed   bool // whether trades are listed in out
	selected *selection
	worth    float64 // of the portfolio on the order day of sales
	orders   []order
}

// leastPart is the part of the portfolio below which a difference is not traded: it may only come
// from floating-point arithmetic (section 5).
const leastPart = 1e-9

// convert returns an amount of the currency of a series in that of the portfolio.
func (p *portfolio) convert(amount float64, currency string, day model.Date) float64 {
	if currency == p.strategy.Currency {
		return amount
	}
	rate := p.market.dollarOn(day)
	if currency == "DOLAR" {
		return amount * rate
	}
	return amount / rate
}

// value is the value of a position at the end of the day.
func (p *portfolio) value(of *position, day model.Date) float64 {
	return p.convert(of.quotas*of.quote, of.currency, day)
}

// worth is the value of everything at the end of a day.
func (p *portfolio) worth(day model.Date) (whole, cash float64) {
	cash = p.cash
	for _, payment := range p.due {
		cash += payment.amount
	}
	whole = cash
	for _, of := range p.positions {
		whole += p.value(of, day)
	}
	return whole, cash
}

// receive adds the money that has arrived by a day to the cash.
func (p *portfolio) receive(day model.Date) {
	p.due = slices.DeleteFunc(p.due, func(payment payment) bool {
		if payment.on.Compare(day) > 0 {
			return false
		}
		p.cash += payment.amount
		return true
	})
}

// drop removes positions without quotas.
func (p *portfolio) drop() {
	p.positions = slices.DeleteFunc(p.positions, func(of *position) bool { return of.quotas == 0 })
}

// position returns the position of a series on a day, which is new if there was none.
func (p *portfolio) position(series uint32, currency string, day model.Date) *position {
	i, found := slices.BinarySearchFunc(p.positions, series, bySeries)
	if !found {
		history := p.market.histories[series]
		quote, _ := history.newest(day)
		p.positions = slices.Insert(p.positions, i,
			&position{series: series, currency: currency, history: history, last: history.last(), quote: quote})
	}
	return p.positions[i]
}

// held is the value of the position of a series at the end of a day; 0 without one.
func (p *portfolio) held(series uint32, day model.Date) float64 {
	i, found := slices.BinarySearchFunc(p.positions, series, bySeries)
	if !found {
		return 0
	}
	return p.value(p.positions[i], day)
}

func bySeries(of *position, series uint32) int { return cmp.Compare(of.series, series) }

// exit pays out a position at its last quote on or before a day.
func (p *portfolio) exit(of *position, until model.Date, reason string, r *rebalance) {
	quote, on := of.history.newest(until)
	amount := p.convert(of.quotas*quote, of.currency, on)
	p.due = append(p.due, payment{on.AddDays(*p.strategy.RedemptionDays), amount})
	r.add(Trade{Date: on, Series: of.series, Kind: "exit", Reason: reason, Quota: quote, Amount: amount})
	of.quotas = 0
}

func (r *rebalance) add(trade Trade) {
	if r.listed {
		r.out.Trades = append(r.out.Trades, trade)
	}
}

// quote brings the positions to the quotes of a day: breaks, factors, exchanges.
func (p *portfolio) quote(day model.Date, r *rebalance) {
	var exchanged []*position
	for _, of := range p.positions {
		quote := of.history.at(day)
		if quote > 0 {
			of.quote = quote
		}
		switch {
		case of.exchange != nil && of.exchange.On == day:
			exchanged = append(exchanged, of)
		case quote == 0:
		case slices.Contains(of.history.Breaks, day):
			p.exit(of, day.AddDays(-1), "break", r)
		default:
			of.quotas *= of.history.factor(day)
		}
	}
	p.drop()
	// What is received was not held when the destination paid.
	for _, of := range exchanged {
		p.swap(of, day, r)
	}
	p.drop()
}

// swap exchanges a position for one of the destination.
func (p *portfolio) swap(of *position, day model.Date, r *rebalance) {
	exchange := *of.exchange
	r.add(Trade{Date: day, Series: of.series, Kind: "exchange", Reason: "exchanged", Quota: of.quote,
		Amount: p.value(of, day), Into: exchange.Into})
	into := p.position(exchange.Into, of.currency, day)
	into.quotas += of.quotas * exchange.Factor
	of.quotas = 0
}

// close pays out the positions of series that have no quote any more, or lets them await their
// exchange.
func (p *portfolio) close(day model.Date, r *rebalance) {
	for _, of := range p.positions {
		if of.exchange != nil || of.last.Compare(day) > 0 || p.market.cutoff.DaysSince(of.last) <= quoteWait {
			continue
		}
		if exchange := p.market.exchange(of.series, of.last); exchange != nil && p.strategy.FollowExchanges &&
			exchange.On.Compare(day) > 0 {
			of.exchange = exchange
			continue
		}
		p.exit(of, of.last, "closed", r)
	}
	p.drop()
}

// order decides what is sold, on the order day of sales, and when purchases are made.
func (p *portfolio) order(day model.Date, r *rebalance) {
	r.worth, _ = p.worth(day)
	goals := make(map[uint32]float64, len(r.selected.series))
	for i, chosen := range r.selected.series {
		goals[chosen.Series] = r.selected.weights[i] * r.worth
	}
	for _, of := range p.positions {
		if of.exchange != nil { // without quotes, it can't be sold
			continue
		}
		value := p.value(of, day)
		goal, selected := goals[of.series]
		if value-goal <= leastPart*r.worth {
			continue
		}
		of.part, of.reason = 1-goal/value, "above_goal"
		if !selected {
			of.part, of.reason = 1, "not_selected"
		}
		quoted, found := of.history.next(day)
		if !found {
			quoted = day // at the last quote
		}
		of.sellOn = quoted
		if arrives := quoted.AddDays(*p.strategy.RedemptionDays); arrives.Compare(r.out.Bought) > 0 {
			r.out.Bought = arrives
		}
	}
}

// sell carries out the sales of a day.
func (p *portfolio) sell(day model.Date, r *rebalance) {
	for _, of := range p.positions {
		if of.sellOn != day {
			continue
		}
		amount := p.convert(of.quotas*of.part*of.quote, of.currency, day)
		cost := amount * p.strategy.Costs.Sell
		p.costs += cost
		p.due = append(p.due, payment{day.AddDays(*p.strategy.RedemptionDays), amount - cost})
		r.add(Trade{Date: day, Series: of.series, Kind: "sell", Reason: of.reason, Quota: of.quote, Amount: amount,
			Cost: cost})
		of.quotas *= 1 - of.part
		if of.part == 1 {
			of.quotas = 0
		}
		of.sellOn = model.Date{}
	}
	p.drop()
}

// distribute divides the cash among the purchases, on the purchase day.
func (p *portfolio) distribute(day model.Date, r *rebalance) {
	missing := make([]float64, len(r.selected.series))
	whole := 0.0
	for i, c := range r.selected.series {
		if below := r.selected.weights[i]*r.worth - p.held(c.Series, day); below > leastPart*r.worth {
			missing[i] = below
			whole += below
		}
	}
	if whole == 0 || p.cash <= leastPart*r.worth {
		return
	}
	scale := p.cash / (whole * (1 + p.strategy.Costs.Buy))
	for i, c := range r.selected.series {
		amount := scale * missing[i]
		if amount == 0 {
			continue
		}
		history := p.market.histories[c.Series]
		on, found := model.Date{}, false
		if history != nil {
			on, found = history.next(day)
			found = found && !history.breaksBetween(r.out.Day, on)
		}
		if !found || c.currency != p.strategy.Currency && p.market.dollarOn(on) == 0 {
			r.add(Trade{Date: day, Series: c.Series, Kind: "no_quote", Reason: "no_quote", Amount: amount})
			continue
		}
		r.orders = append(r.orders, order{c.Series, c.currency, on, amount})
	}
}

// buy carries out the purchases of a day.
func (p *portfolio) buy(day model.Date, r *rebalance) {
	for _, order := range r.orders {
		if order.on != day {
			continue
		}
		of := p.position(order.series, order.currency, day)
		quote := of.history.at(day)
		cost := order.amount * p.strategy.Costs.Buy
		of.quotas += order.amount / p.convert(quote, of.currency, day)
		p.cash -= order.amount + cost
		p.costs += cost
		p.bought = append(p.bought, purchase{r.number, order.amount})
		r.add(Trade{Date: day, Series: of.series, Kind: "buy", Reason: "selected", Quota: quote, Amount: order.amount,
			Cost: cost})
	}
}
