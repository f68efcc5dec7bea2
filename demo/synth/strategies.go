package synth

import (
	"fmt"
	"hash/crc32"
	"slices"
	"strings"

	"cuota/model"
)

// Strategy is a strategy in strategies/ with what its run must give (docs/backtests.md). Its values
// are computed from the quotas that the rows were written from.
type Strategy struct {
	File           string          `json:"file"`
	About          string          `json:"about"`
	TotalReturn    float64         `json:"total_return"`
	BenchmarkTotal *float64        `json:"benchmark_total_return,omitempty"`
	Trades         []StrategyTrade `json:"trades"`
}

// StrategyTrade is a trade of a strategy.
type StrategyTrade struct {
	Date   model.Date `json:"date"`
	Kind   string     `json:"kind"`   // buy, sell, exit or exchange
	Reason string     `json:"reason"` // as docs/backtests.md has it
	Run    model.RUN  `json:"run"`
	Serie  string     `json:"serie"`
	Amount float64    `json:"amount"` // of a portfolio that begins with 100
}

// The lags, the delay and the costs of the strategies.
const (
	tradeLag   = 1
	redeemed   = 3
	costOfBuy  = .01
	costOfSell = .02
)

// plan is a strategy while it is written.
type plan struct {
	name, about string
	target      *series // the first one that it selects
	signals     []int   // days
	order       string  // by id: asc or desc
	more        string  // lines of its file
	value       float64 // of the portfolio, after the trades so far
	benchmark   *float64
	trades      []StrategyTrade
}

// strategies plans the strategies whose results follow from the quotas of a few series. A market
// without a series for one of them does not have it.
func (m *market) strategies() (plans []*plan) {
	for _, draft := range []func() *plan{m.holdOrdinary, m.holdDistributing, m.holdClosing, m.followExchange,
		m.holdRestarting, m.switchSeries} {
		if p := draft(); p != nil {
			plans = append(plans, p)
		}
	}
	return plans
}

// id is the id of a series (RULES 12), unless another one took it before.
func (s *series) id() uint32 {
	return crc32.ChecksumIEEE([]byte("series:" + s.fund.run.String() + ":" + s.serie))
}

// first returns in which order of ids a series is the first one of its fund on a day; "" if in none.
func (s *series) first(d int) string {
	least, greatest := true, true
	for _, other := range s.fund.series {
		if other == s || other.story.start > d || other.story.end < d-tolerance {
			continue
		}
		if other.story.kind == renamed { // its id depends on its names
			return ""
		}
		least, greatest = least && s.id() < other.id(), greatest && s.id() > other.id()
	}
	switch {
	case least:
		return "asc"
	case greatest:
		return "desc"
	}
	return ""
}

// traced returns the sampled series of a story.
func (m *market) traced(k kind) []*series {
	return slices.DeleteFunc(slices.Clone(m.series), func(s *series) bool {
		return s.story.kind != k || s.trace == nil
	})
}

// signalDay returns the first month end from a day on, before another day, on which a series can be
// selected and on whose next days it can be bought; -1 if there is none.
func (m *market) signalDay(s *series, from, before int) int {
	for d := max(0, from); d+redeemed+2*tradeLag < min(before, len(m.days)); d++ {
		if m.days[d].date.AddDays(1).Time().Day() == 1 && s.quotedThrough(d, d+redeemed+2*tradeLag) {
			return d
		}
	}
	return -1
}

// quotedThrough reports whether a series has a quote on each day from one to another.
func (s *series) quotedThrough(from, to int) bool {
	for d := from; d <= to; d++ {
		if s.trace.quotas[d] <= 0 {
			return false
		}
	}
	return true
}

// gain returns by how much a position grows from the quote of one day to that of another.
func (s *series) gain(from, to int) float64 {
	return float64(s.trace.quotas[to]) / float64(s.trace.quotas[from]) * s.story.multiplied(from, to)
}

func (p *plan) trade(m *market, d int, kind, reason string, s *series, amount float64) {
	p.trades = append(p.trades, StrategyTrade{m.days[d].date, kind, reason, s.fund.run, s.serie, amount})
}

// hold plans to buy a series, without costs, on the day after a signal between two days.
func (m *market) hold(name, about string, s *series, from, before int) *plan {
	signal := m.signalDay(s, from, before)
	if signal < 0 || s.first(signal) == "" {
		return nil
	}
	p := &plan{name: name, about: about, target: s, signals: []int{signal}, order: s.first(signal), value: 100}
	p.trade(m, signal+tradeLag, "buy", "selected", s, p.value)
	return p
}

// end values the portfolio that has held a series since its quote of a day.
func (p *plan) end(m *market, s *series, since int) *plan {
	p.value *= s.gain(since, len(m.days)-1)
	return p
}

func (m *market) holdOrdinary() *plan {
	for _, s := range m.traced(ordinary) {
		if s.fund.dollars() { // the UF is in pesos
			continue
		}
		if p := m.hold("ordinary", "holds one series to the end; the benchmark is the UF", s, 0,
			len(m.days)); p != nil {
			p.more = "benchmark = \"uf\"\n"
			uf := m.climate.ufOn
			p.benchmark = new(float64(uf[m.config.End])/float64(uf[m.days[p.signals[0]].date]) - 1)
			return p.end(m, s, p.signals[0]+tradeLag)
		}
	}
	return nil
}

func (m *market) holdDistributing() *plan {
	for _, s := range m.traced(distributing) {
		if p := m.hold("distributing", "reinvests the distributions of a series", s, 0, len(m.days)); p != nil &&
			s.story.multiplied(p.signals[0]+tradeLag, len(m.days)-1) > 1 {
			return p.end(m, s, p.signals[0]+tradeLag)
		}
	}
	return nil
}

func (m *market) holdClosing() *plan {
	for _, s := range m.traced(closed) {
		if p := m.hold("closing", "is paid out at the last quote of a series that closes", s, s.story.start,
			s.story.held()); p != nil {
			last := s.story.end - 1
			p.value *= s.gain(p.signals[0]+tradeLag, last)
			p.trade(m, last, "exit", "closed", s, p.value)
			return p
		}
	}
	return nil
}

func (m *market) followExchange() *plan {
	for _, x := range m.exchanges {
		s, into := x.origin, x.destination
		if s.trace == nil || into.trace == nil || into.story.kind != ordinary {
			continue
		}
		p := m.hold("exchanged", "follows a series that closes into the one that it is exchanged for", s, s.story.start,
			s.story.end)
		on := m.index(x.effective)
		if p == nil || on < 0 || len(m.days)-s.story.end <= tolerance {
			continue
		}
		last := s.story.end - 1
		p.more = "follow_exchanges = true\n"
		p.value *= s.gain(p.signals[0]+tradeLag, last)
		p.trade(m, on, "exchange", "exchanged", s, p.value)
		p.value *= float64(x.factor) / factorScale * float64(into.trace.quotas[len(m.days)-1]) /
			float64(s.trace.quotas[last])
		return p
	}
	return nil
}

func (m *market) holdRestarting() *plan {
	for _, s := range m.traced(restart) {
		if p := m.hold("restarting", "is sold at the last quote before a series restarts from nothing", s, 0,
			s.story.zero.from); p != nil {
			last := s.story.zero.to - 1
			p.value *= s.gain(p.signals[0]+tradeLag, last)
			p.trade(m, last, "exit", "break", s, p.value)
			return p
		}
	}
	return nil
}

// switchSeries goes from one series of a fund to another, which began after the first date and comes
// first in the order of ids.
func (m *market) switchSeries() *plan {
	for _, younger := range m.traced(late) {
		for _, older := range younger.fund.series {
			if older.story.kind != ordinary || older.trace == nil {
				continue
			}
			first := m.signalDay(older, 0, younger.story.start)
			second := m.signalDay(younger, younger.story.start, len(m.days))
			if first < 0 || second < first+31 || younger.first(second) == "" ||
				older.first(first) != younger.first(second) || !older.quotedThrough(second, second+tradeLag) {
				continue
			}
			p := &plan{name: "switch", about: "goes from one series to another on the second date, with costs",
				target: older, signals: []int{first, second}, order: older.first(first)}
			p.more = fmt.Sprintf("costs = { buy = %g, sell = %g }\n", costOfBuy, costOfSell)
			bought, sold, again := first+tradeLag, second+tradeLag, second+tradeLag+redeemed
			p.value = 100 / (1 + costOfBuy)
			p.trade(m, bought, "buy", "selected", older, p.value)
			p.value *= older.gain(bought, sold)
			p.trade(m, sold, "sell", "not_selected", older, p.value)
			p.value *= (1 - costOfSell) / (1 + costOfBuy)
			p.trade(m, again, "buy", "selected", younger, p.value)
			return p.end(m, younger, again)
		}
	}
	return nil
}

// file returns the strategy as TOML.
func (p *plan) file(m *market) string {
	var dates []string
	for _, d := range p.signals {
		dates = append(dates, fmt.Sprintf("%q", m.days[d].date))
	}
	currency := p.target.fund.accounting()
	return fmt.Sprintf(`# This strategy %s.
# expected.json has its exact result.
name = %q
from = %q
to = %q
rebalance = "dates"
dates = [%s]
entry_lag = %d
exit_lag = %d
redemption_days = %d
currency = %q
sort = "id"
order = %q
top = 1
%s
[filter]
q = %q
`, p.about, p.name, m.days[p.signals[0]].date, m.config.End, strings.Join(dates, ", "), tradeLag, tradeLag, redeemed,
		currency, p.order, p.more, p.target.fund.run)
}

// expectedStrategies returns the results of the strategies.
func (m *market) expectedStrategies() (list []Strategy) {
	for _, p := range m.strategies() {
		list = append(list, Strategy{"strategies/" + p.name + ".toml", p.about, p.value/100 - 1, p.benchmark, p.trades})
	}
	return list
}

func (m *market) writeStrategies(out *output) error {
	for _, p := range m.strategies() {
		if err := out.create("strategies/"+p.name+".toml", func(f *file) { f.text(p.file(m)) }); err != nil {
			return err
		}
	}
	return nil
}
