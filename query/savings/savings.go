// Package savings computes what a reader's purchases and sales of quotas have become: the value of what is
// held, money- and time-weighted returns, and what the same amounts would be in something else. It reads nothing
// and keeps nothing. The quotas, rates and indices come from the statements of package portfolio; the rules of this
// arithmetic are in docs/decisions/0071-portfolio.md.
package savings

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"cuota/model"
)

// Limits of one portfolio.
const (
	MaxMovements  = 500
	MaxSeries     = 50
	MaxSeriesText = 80 // bytes of what names a series
)

// WaitDays is for how many days after its date a movement waits for a day with a quota.
const WaitDays = 7

// Kind says what a movement does.
type Kind string

// The kinds of movements.
const (
	Buy  Kind = "buy"
	Sell Kind = "sell"
)

// Movement is one purchase or sale as the reader states it. One of Amount, Quotas and All is set.
type Movement struct {
	Line   int    // place among the movements, from 1
	Series string // as the reader wrote it
	Date   model.Date
	Kind   Kind
	Amount float64 // in the currency of the series
	Quotas float64
	All    bool // sell everything
}

// Break is a day from which on earlier quotas do not compare.
type Break struct {
	Day    int
	Reason string
}

// History is how a series, or the index of a family, stands on each calendar day of a period. A day is its number
// from the first day of the period. All lists have one item for each day, and a value is 0 if it is not known.
type History struct {
	Ages    []int     // days since the row that stands; -1 if there is none
	Quotas  []float64 // of that row, in the currency of the series
	Pesos   []float64 // the same in pesos
	UFs     []float64 // the UF of the day of that row
	Dollars []bool    // whether the currency of that row is the dólar
	Reasons []string  // why the row has no valid quota; "" if it has one
	// RateReasons say why the quota can't be had in pesos; "" if it can.
	RateReasons      []string
	Breaks           []Break // in order of their days
	DistributionDays []int   // on which the series stated one
	Closed           *model.Date
	End              EndRates // of the last day itself, whatever row stands
}

// EndRates say what money is worth on a day.
type EndRates struct {
	UF     float64 // 0 if there is none
	Dolar  float64 // 0 if it is not known
	Reason string  // why Dolar is not known
}

// NewHistory returns a history of so many days without any row.
func NewHistory(days int, reason string) *History {
	h := &History{Ages: make([]int, days), Quotas: make([]float64, days), Pesos: make([]float64, days),
		UFs: make([]float64, days), Dollars: make([]bool, days),
		Reasons: make([]string, days), RateReasons: make([]string, days)}
	for i := range days {
		h.Ages[i], h.Reasons[i] = -1, reason
	}
	return h
}

// Series is a series that the reader has bought or sold.
type Series struct {
	ID uint32
	*History
	// Cost returns the cost rate in force on a day, a fraction for a year, and its kind; "" if none is known.
	Cost func(day int) (rate float64, kind string)
	// Family is the index of the family; nil: there is none, for the reason of NoFamily.
	Family   *History
	NoFamily string
	// Cheapest is the series with the lowest cost rate of the same family, class and currency; nil: there is none,
	// for the reason of NoCheapest.
	Cheapest   *History
	NoCheapest string
}

// Portfolio is all that is computed from.
type Portfolio struct {
	From      model.Date // day 0
	AsOf      model.Date // the last day
	Movements []Movement
	// Series finds the series of a movement by what the reader wrote; nil if it is not known.
	Series map[string]*Series
}

// Reasons of refused movements.
const (
	UnknownSeries = "unknown_series"
	AfterAsOf     = "after_as_of"
	NoQuote       = "no_quote_within_7_days"
	NoQuoteYet    = "no_quote_yet" // the seven days are not over on the day of the valuation
	InvalidQuote  = "invalid_quote"
	MoreThanHeld  = "more_than_held"
)

// Reasons of figures.
const (
	NothingBought  = "nothing_bought"
	Under30Days    = "under_30_days"
	UnderOneYear   = "under_1_year"
	NoSignChange   = "no_sign_change"
	SeveralRates   = "several_rates"
	NoRateFound    = "no_rate_in_range"
	NonFinite      = "non_finite_return"
	NoCost         = "no_tac"
	MissingUF      = "missing_uf"
	CheapestClosed = "cheapest_closed"
	CurrencyChange = "currency_change"
)

// Execution is what became of a movement.
type Execution struct {
	Movement
	Of    *Series // nil if the series is not known
	Day   int     // on which it was executed; -1 if it was refused
	Quota float64 // of that day, in the currency of the series
	Units float64 // quotas bought or sold, above 0
	Pesos float64 // the amount in pesos; 0 if RateGap is set
	// InCurrency is the amount in the currency of the series.
	InCurrency float64
	UF         float64 // of the day; 0 if there is none
	RateGap    string  // why there is no amount in pesos
	Reason     string  // why it was refused
}

// signed is 1 for a purchase and -1 for a sale.
func (e *Execution) signed() float64 {
	if e.Kind == Buy {
		return 1
	}
	return -1
}

// roundingOfQuotas, roundingOfPesos and roundingOfDollars are by how much a sale may exceed what is held or fall short
// of it: half of the last of the four decimals with which statements of managers write quotas, and half of a peso or a
// cent if the sale states an amount. Such a sale sells everything.
const (
	roundingOfQuotas  = 0.00005
	roundingOfPesos   = 0.5
	roundingOfDollars = 0.005
)

// rounding is by how many quotas a sale may differ from what is held and still sell everything.
func (e *Execution) rounding() float64 {
	switch {
	case e.Amount == 0:
		return roundingOfQuotas
	case e.Of.Dollars[e.Day]:
		return max(roundingOfQuotas, roundingOfDollars/e.Quota)
	}
	return max(roundingOfQuotas, roundingOfPesos/e.Quota)
}

// dust is the part of all quotas bought below which a rest is only an error of rounding.
const dust = 1e-9

// Execute finds for each movement the day of its quota and the number of quotas. Movements are taken by that day,
// purchases before sales, and otherwise in the order of their dates and lines. The result is in the order of lines.
func (p *Portfolio) Execute() []Execution {
	list := make([]Execution, len(p.Movements))
	for i, m := range p.Movements {
		list[i] = p.place(m)
	}
	order := make([]*Execution, len(list))
	for i := range list {
		order[i] = &list[i]
	}
	slices.SortStableFunc(order, func(a, b *Execution) int {
		return cmp.Or(cmp.Compare(a.Day, b.Day), -cmp.Compare(a.signed(), b.signed()), a.Date.Compare(b.Date),
			cmp.Compare(a.Line, b.Line))
	})
	held, bought := map[*Series]float64{}, map[*Series]float64{}
	for _, e := range order {
		if e.Reason != "" {
			continue
		}
		if e.Kind == Buy {
			bought[e.Of] += e.Units
			held[e.Of] += e.Units
			continue
		}
		have := held[e.Of]
		switch {
		case e.All && have > 0:
			e.Units = have
		case e.All || have == 0 || e.Units > have+e.rounding():
			e.refuse(MoreThanHeld)
			continue
		case e.Units >= have-e.rounding():
			e.Units = have
		}
		e.InCurrency = e.Units * e.Quota
		e.Pesos = e.Units * e.Of.Pesos[e.Day]
		if held[e.Of] -= e.Units; held[e.Of] <= dust*bought[e.Of] {
			held[e.Of] = 0
		}
	}
	return list
}

func (e *Execution) refuse(reason string) {
	e.Reason, e.Day, e.Quota, e.Units, e.Pesos, e.InCurrency, e.UF, e.RateGap = reason, -1, 0, 0, 0, 0, 0, ""
}

// place finds the day on which a movement is executed.
func (p *Portfolio) place(m Movement) Execution {
	e := Execution{Movement: m, Of: p.Series[m.Series], Day: -1}
	day, last := m.Date.DaysSince(p.From), p.AsOf.DaysSince(p.From)
	switch {
	case e.Of == nil:
		e.Reason = UnknownSeries
		return e
	case day > last:
		e.Reason = AfterAsOf
		return e
	}
	none := NoQuote
	if day+WaitDays > last && (e.Of.Closed == nil || m.Date.Compare(*e.Of.Closed) <= 0) {
		none = NoQuoteYet
	}
	if day < 0 {
		e.Reason = none // nothing is known of days before the first
		return e
	}
	at := day
	for at <= min(day+WaitDays, last) && e.Of.Ages[at] != 0 {
		at++
	}
	if at > min(day+WaitDays, last) {
		e.Reason = none
		return e
	}
	if reason := e.Of.Reasons[at]; reason != "" {
		if e.Reason = reason; reason == "invalid_end_quote" {
			e.Reason = InvalidQuote
		}
		return e
	}
	e.Day, e.Quota, e.UF, e.RateGap = at, e.Of.Quotas[at], e.Of.UFs[at], e.Of.RateReasons[at]
	switch {
	case m.Quotas > 0:
		e.Units = m.Quotas
	case m.Amount > 0:
		e.Units = m.Amount / e.Quota
	}
	e.InCurrency, e.Pesos = e.Units*e.Quota, e.Units*e.Of.Pesos[at]
	return e
}

// day returns the date of a day.
func (p *Portfolio) day(n int) model.Date { return p.From.AddDays(n) }

// Check returns what is wrong with a movement as it is written; "" if nothing is.
func (m Movement) Check() string {
	given := 0
	for _, set := range []bool{m.Amount != 0, m.Quotas != 0, m.All} {
		if set {
			given++
		}
	}
	switch {
	case m.Kind != Buy && m.Kind != Sell:
		return "must buy or sell"
	case given != 1:
		return "needs one of amount, quotas and all"
	case m.All && m.Kind == Buy:
		return "can't buy all: state the amount or the quotas"
	case !sound(m.Amount) || !sound(m.Quotas):
		return fmt.Sprintf("needs an amount or quotas above 0 and at most %.0f", maxAmount)
	}
	return ""
}

// maxAmount bounds amounts and quotas; the sum of MaxMovements such amounts in pesos is below 2^53.
const maxAmount = 1e13

func sound(amount float64) bool { return amount >= 0 && amount <= maxAmount && !math.IsNaN(amount) }
