package backtest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"cuota/model"
)

// Run completes a strategy and runs it, and for the bias ledger three more times with one thing changed
// (section 7). It fails with an *InvalidStrategy, or if the source does. A strategy that selects nothing gives a result with
// a note.
func Run(ctx context.Context, source Source, s Strategy) (*Result, error) {
	return Limits{}.Run(ctx, source, s)
}

// fingerprint identifies a result: equal ones mean equal results.
func fingerprint(s Strategy, batch Batch) string {
	text, _ := json.Marshal(struct {
		Method   string
		Strategy Strategy
		Batch    Batch
	}{Method, s, batch}) // has no value that JSON can't state
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// market is what a run reads of the market.
type market struct {
	first, end model.Date // of the curve
	cutoff     model.Date
	histories  map[uint32]*History
	exchanges  map[uint32][]Exchange
	dollar     []float64 // from first until end; 0 where there is none
}

// dollarOn gives the pesos for a dollar on a day, or the newest ones before it; 0 if there are
// none.
func (m *market) dollarOn(day model.Date) float64 {
	for i := min(day.DaysSince(m.first)+dollarsBefore, len(m.dollar)-1); i >= 0; i-- {
		if m.dollar[i] > 0 {
			return m.dollar[i]
		}
	}
	return 0
}

// dollarsBefore is how many days before the first day of a run rates are read.
const dollarsBefore = 31

// exchangeWithin is how many days after the last quote of a series its exchange may take effect.
const exchangeWithin = 31

// exchange gives the exchange that follows the last quote of a series; nil if there is none, or
// if the destination has no quote to value it with.
func (m *market) exchange(series uint32, last model.Date) *Exchange {
	for _, exchange := range m.exchanges[series] {
		after := exchange.On.DaysSince(last)
		into := m.histories[exchange.Into]
		if after < 1 || after > exchangeWithin || into == nil {
			continue
		}
		if quote, on := into.newest(exchange.On); quote > 0 && exchange.On.DaysSince(on) <= quoteWait {
			return &exchange
		}
	}
	return nil
}

// performance is one run of a strategy.
type performance struct {
	strategy     Strategy
	market       *market
	signals      []Signal
	candidates   [][]Candidate
	rebalancings []Rebalancing
	curve        []Day
	portfolio    *portfolio
	notes        []Note
}

// perform runs a strategy once, without benchmark and statistics.
func perform(ctx context.Context, source Source, s Strategy, batch Batch, limits Limits) (*performance, error) {
	run := &performance{strategy: s}
	end := s.To
	if batch.Cutoff.Compare(end) < 0 {
		end = batch.Cutoff
	}
	var err error
	if run.signals, err = s.signals(ctx, source, end); err != nil {
		return nil, err
	}
	if len(run.signals) == 0 {
		run.notes = append(run.notes, note("no_dates", "no date from %s to %s is answered by the market, whose latest complete day is %s", s.From.String(), s.To.String(), batch.Cutoff.String()))
		return run, nil
	}
	if err := checkLimit("rebalance", "signal dates", len(run.signals), limits.Signals); err != nil {
		return nil, err
	}
	if run.candidates, err = source.Candidates(ctx, run.signals, s.Known == "then"); err != nil {
		return nil, err
	}
	selections := make([]selection, len(run.signals))
	for i, signal := range run.signals {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		selections[i] = s.choose(signal, run.candidates[i])
		if err := checkLimit("top", "selected series on "+signal.Date.String(), len(selections[i].chosen), limits.Selected); err != nil {
			return nil, err
		}
	}
	if run.market, err = readMarket(ctx, source, s, run.signals[0].Date, end, batch.Cutoff, selections); err != nil {
		return nil, err
	}
	if err := run.simulate(ctx, selections); err != nil {
		return nil, err
	}
	run.notes = append(run.notes, notesOn(selections)...)
	return run, nil
}

// notesOn says in words what selections lack.
func notesOn(selections []selection) (notes []Note) {
	none := 0
	for _, selected := range selections {
		if len(selected.chosen) == 0 {
			none++
		}
	}
	switch {
	case none == len(selections):
		reasons := map[string]int{}
		for _, selected := range selections {
			for _, left := range selected.left {
				reasons[left.Reason]++
			}
		}
		if most := mostOf(reasons); most == "" {
			notes = append(notes, note("empty_universe", "the universe is empty on all %s dates; the portfolio is cash", strconv.Itoa(none)))
		} else {
			notes = append(notes, note("nothing_selected", "nothing was selected on any of the %s dates: most were left out for %s; the portfolio is cash", strconv.Itoa(none), most))
		}
	case none > 0:
		notes = append(notes, note("sometimes_nothing", "nothing was selected on %s of the %s dates; the portfolio is cash after them", strconv.Itoa(none), strconv.Itoa(len(selections))))
	}
	return notes
}

// mostOf gives the most frequent reasons, with their numbers.
func mostOf(reasons map[string]int) string {
	var names []string
	for name := range reasons {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		if reasons[a] != reasons[b] {
			return reasons[b] - reasons[a]
		}
		return strings.Compare(a, b)
	})
	for i, name := range names {
		names[i] = fmt.Sprintf("%s (%d)", name, reasons[name])
	}
	return strings.Join(names[:min(3, len(names))], ", ")
}

// maxHops is how many exchanges in a row are read (RULES 1).
const maxHops = 5

// readMarket reads what the portfolio needs: the histories of all that was selected, and of all
// that these can be exchanged for.
func readMarket(ctx context.Context, source Source, s Strategy, first, end, cutoff model.Date, selections []selection) (m *market, err error) {
	m = &market{first: first, end: end, cutoff: cutoff, histories: map[uint32]*History{}}
	wanted := map[uint32]bool{}
	for _, selected := range selections {
		for _, chosen := range selected.chosen {
			wanted[chosen.Series] = true
		}
	}
	if s.FollowExchanges {
		if m.exchanges, err = source.Exchanges(ctx); err != nil {
			return nil, err
		}
		for range maxHops {
			for _, series := range slices.Sorted(maps.Keys(wanted)) {
				for _, exchange := range m.exchanges[series] {
					wanted[exchange.Into] = true
				}
			}
		}
	}
	if s.Convert {
		if m.dollar, err = source.Dollar(ctx, first.AddDays(-dollarsBefore), end); err != nil {
			return nil, err
		}
	}
	if len(wanted) == 0 {
		return m, nil
	}
	ids := slices.Sorted(maps.Keys(wanted))
	m.histories, err = source.Histories(ctx, ids, first)
	return m, err
}

// simulate runs the portfolio from day to day. It fails if ctx ends.
func (run *performance) simulate(ctx context.Context, selections []selection) error {
	s := &run.strategy
	p := &portfolio{strategy: s, market: run.market, cash: 100}
	run.portfolio = p
	run.rebalancings = make([]Rebalancing, len(run.signals))
	for i, signal := range run.signals {
		run.rebalancings[i] = rebalancingOf(s, signal, selections[i])
	}
	r := &rebalance{} // before the first order day
	next := 0
	for day := run.market.first; day.Compare(run.market.end) <= 0; day = day.AddDays(1) {
		if err := ctx.Err(); err != nil {
			return err
		}
		p.receive(day)
		p.quote(day, r)
		p.receive(day)
		if next < len(run.signals) && run.rebalancings[next].Sold == day {
			r = &rebalance{number: next, out: &run.rebalancings[next], selected: selections[next]}
			p.order(day, r)
			next++
		}
		p.sell(day, r)
		p.receive(day)
		if r.out != nil && r.out.Bought == day {
			p.distribute(day, r)
		}
		p.buy(day, r)
		p.close(day, r)
		p.receive(day)
		whole, cash := p.worth(day)
		if math.Abs(cash) < whole*leastPart { // what floating point leaves of cash that was spent
			cash = 0
		}
		run.curve = append(run.curve, Day{Date: day, Value: whole, Cash: cash})
	}
	return nil
}

func rebalancingOf(s *Strategy, signal Signal, selected selection) Rebalancing {
	out := Rebalancing{
		Date: signal.Date, Day: signal.Day, Sold: signal.Date.AddDays(*s.ExitLag), Bought: signal.Date.AddDays(*s.EntryLag),
		Universe: selected.universe, Selected: selected.chosen, Trades: []Trade{}, Excluded: map[string]int{}, Left: selected.left,
	}
	if out.Sold.Compare(out.Bought) > 0 {
		out.Bought = out.Sold
	}
	if out.Selected == nil {
		out.Selected = []Selected{}
	}
	if out.Left == nil {
		out.Left = []Excluded{}
	}
	for _, left := range out.Left {
		out.Excluded[left.Reason]++
	}
	return out
}
