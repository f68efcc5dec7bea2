package backtest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"

	"cuota/model"
)

// Run completes a strategy and runs it, and for the bias ledger three more times with one thing changed
// (section 7). It fails with an *InvalidStrategy, or if the source does. A strategy that selects nothing gives a
// result with a note.
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

// dollarOn returns the pesos for a dollar on a day, or the newest ones before it; 0 if there are
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

// exchange returns the exchange that follows the last quote of a series; nil if there is none, or
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
	end          model.Date // of the run
	signals      []Signal
	universes    []*Universe
	selections   []selection
	left         []left // of each signal; nil if nobody wants to know
	market       *market
	rebalancings []Rebalancing
	curve        []Day
	portfolio    *portfolio
}

// begin returns a run with its signals, which has selected nothing yet.
func begin(ctx context.Context, source Source, s Strategy, batch Batch, limits Limits) (*performance, error) {
	run := &performance{strategy: s, end: s.To}
	if batch.Cutoff.Compare(run.end) < 0 {
		run.end = batch.Cutoff
	}
	var err error
	if run.signals, err = s.signals(ctx, source, run.end); err != nil {
		return nil, err
	}
	return run, checkLimit("rebalance", "signal dates", len(run.signals), limits.Signals)
}

// selectSeries selects on each signal date. explained reports whether the result says what was left out and what was
// traded.
func (run *performance) selectSeries(ctx context.Context, source Source, limits Limits, explained bool) (err error) {
	if len(run.signals) == 0 {
		return nil
	}
	if run.universes, err = source.Candidates(ctx, run.signals, run.strategy.sight(),
		run.strategy.chooser().reads); err != nil {
		return err
	}
	run.selections = make([]selection, len(run.signals))
	if explained {
		run.left = make([]left, len(run.signals))
	}
	parts := runtime.GOMAXPROCS(0)
	if len(run.signals) < parts*leastDates {
		return run.selectOn(ctx, 0, len(run.signals), limits)
	}
	failed := make([]error, parts)
	var selecting sync.WaitGroup
	for part := range parts {
		selecting.Go(func() {
			first, end := part*len(run.signals)/parts, (part+1)*len(run.signals)/parts
			failed[part] = run.selectOn(ctx, first, end, limits)
		})
	}
	selecting.Wait()
	for _, err := range failed { // that of the earliest date
		if err != nil {
			return err
		}
	}
	return nil
}

// leastDates is on how many signal dates each processor selects at least, if they are divided.
const leastDates = 16

// selectOn selects on the signal dates from first up to end.
func (run *performance) selectOn(ctx context.Context, first, end int, limits Limits) error {
	chooser := run.strategy.chooser()
	for i := first; i < end; i++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		signal := run.signals[i]
		if run.left != nil {
			run.selections[i], run.left[i] = chooser.explain(signal, run.universes[i])
		} else {
			run.selections[i] = chooser.choose(signal, run.universes[i])
		}
		if err := checkLimit("top", "selected series on "+signal.Date.String(), len(run.selections[i].series),
			limits.Selected); err != nil {
			return err
		}
	}
	return nil
}

// selectsAs reports whether a run selects what another one selects, so that it trades the same.
func (run *performance) selectsAs(other *performance) bool {
	same := func(a, b chosen) bool { return a.Series == b.Series && a.currency == b.currency }
	return slices.Equal(run.signals, other.signals) &&
		slices.EqualFunc(run.selections, other.selections, func(a, b selection) bool {
			return slices.EqualFunc(a.series, b.series, same) && slices.Equal(a.weights, b.weights)
		})
}

// trade ends a run: it trades what was selected.
func (run *performance) trade(ctx context.Context, source Source, batch Batch) (err error) {
	if len(run.signals) == 0 {
		return nil
	}
	if run.market == nil {
		if run.market, err = readMarket(ctx, source, run, batch.Cutoff); err != nil {
			return err
		}
	}
	return run.simulate(ctx)
}

// notes says in words what the run lacks.
func (run *performance) notes(batch Batch) []Note {
	if len(run.signals) == 0 {
		return []Note{note("no_dates",
			"no date from %s to %s is answered by the market, whose latest complete day is %s",
			run.strategy.From.String(), run.strategy.To.String(), batch.Cutoff.String())}
	}
	notes := notesOn(run.selections, run.left)
	if n := run.unclassified(); n > 0 && !run.strategy.ClassifiedLater {
		notes = append(notes, note("unclassified",
			"on %s of the %s dates no series had what the strategy asks for, a family or a category: nobody had "+
				"stated one by then; "+
				`with known = "revised", classified_later = true takes those that were stated first`, strconv.Itoa(n),
			strconv.Itoa(len(run.signals))))
	}
	return notes
}

// unclassified counts the dates on which nothing was selected because no candidate had a family, or none a category,
// that the strategy asks for.
func (run *performance) unclassified() (dates int) {
	filter := &run.strategy.Filter
	families := filter.Family != "" || filter.RatedFamily != "" || run.strategy.Within == "family"
	if !families && filter.Category == "" {
		return 0
	}
	for i, u := range run.universes {
		if len(run.selections[i].series) > 0 || u.size() == 0 {
			continue
		}
		family, category := false, false
		for candidate := range int32(u.size()) {
			class := u.classified(candidate)
			family, category = family || class.Family != "", category || class.Category != ""
		}
		if families && !family || filter.Category != "" && !category {
			dates++
		}
	}
	return dates
}

// notesOn says in words what selections lack.
func notesOn(selections []selection, lefts []left) (notes []Note) {
	none := 0
	for _, selected := range selections {
		if len(selected.series) == 0 {
			none++
		}
	}
	switch {
	case none == len(selections):
		reasons := map[string]int{}
		for _, left := range lefts {
			for reason, n := range left.reasons {
				reasons[reason] += n
			}
		}
		if most := mostOf(reasons); most == "" {
			notes = append(notes, note("empty_universe", "the universe is empty on all %s dates; the portfolio is cash",
				strconv.Itoa(none)))
		} else {
			notes = append(notes, note("nothing_selected",
				"nothing was selected on any of the %s dates: most were left out for %s; the portfolio is cash",
				strconv.Itoa(none), most))
		}
	case none > 0:
		notes = append(notes, note("sometimes_nothing",
			"nothing was selected on %s of the %s dates; the portfolio is cash after them", strconv.Itoa(none),
			strconv.Itoa(len(selections))))
	}
	return notes
}

// mostOf returns the most frequent reasons, with their numbers.
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
func readMarket(ctx context.Context, source Source, run *performance, cutoff model.Date) (m *market, err error) {
	s, first := &run.strategy, run.signals[0].Date
	m = &market{first: first, end: run.end, cutoff: cutoff, histories: map[uint32]*History{}}
	wanted := map[uint32]bool{}
	for _, selected := range run.selections {
		for _, chosen := range selected.series {
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
		if m.dollar, err = source.Dollar(ctx, first.AddDays(-dollarsBefore), run.end); err != nil {
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
func (run *performance) simulate(ctx context.Context) error {
	s := &run.strategy
	p := &portfolio{strategy: s, market: run.market, cash: 100}
	run.portfolio = p
	run.rebalancings = make([]Rebalancing, len(run.signals))
	for i := range run.rebalancings {
		run.rebalancings[i] = run.rebalancing(i)
	}
	r := &rebalance{} // before the first order day
	next := 0
	run.curve = make([]Day, 0, max(0, run.market.end.DaysSince(run.market.first)+1))
	// The curve begins before the first trade, which may be on the same day: what that costs counts in each figure.
	run.curve = append(run.curve, Day{Date: run.market.first, Value: p.cash, Cash: p.cash})
	if run.market.first == run.market.end {
		return nil
	}
	for day := run.market.first; day.Compare(run.market.end) <= 0; day = day.AddDays(1) {
		if err := ctx.Err(); err != nil {
			return err
		}
		p.receive(day)
		p.quote(day, r)
		p.receive(day)
		if next < len(run.signals) && run.rebalancings[next].Sold == day {
			r = &rebalance{number: next, out: &run.rebalancings[next], selected: &run.selections[next],
				listed: run.left != nil}
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
		if day == run.market.first {
			continue
		}
		whole, cash := p.worth(day)
		if math.Abs(cash) < whole*leastPart { // what floating point leaves of cash that was spent
			cash = 0
		}
		run.curve = append(run.curve, Day{Date: day, Value: whole, Cash: cash})
	}
	return nil
}

// rebalancing returns what is known of a rebalancing before its order day.
func (run *performance) rebalancing(i int) Rebalancing {
	s, signal := &run.strategy, run.signals[i]
	out := Rebalancing{Date: signal.Date, Day: signal.Day, Sold: signal.Date.AddDays(*s.ExitLag),
		Bought: signal.Date.AddDays(*s.EntryLag)}
	if out.Sold.Compare(out.Bought) > 0 {
		out.Bought = out.Sold
	}
	if run.left == nil {
		return out
	}
	selected, left := run.selections[i], run.left[i]
	out.Universe, out.Excluded, out.Left, out.Trades = left.universe, left.reasons, left.series, []Trade{}
	out.Selected = make([]Selected, len(selected.series))
	for j, c := range selected.series {
		out.Selected[j] = Selected{c.Series, c.RUN, c.Serie, c.FundName, c.value, selected.weights[j]}
	}
	return out
}
