package oracle

import (
	"math/big"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"
)

// maxHops is the greatest number of exchanges that are followed.
const maxHops = 5

// Factor is one line of verified factors. Decimals are text, so that products are exact.
type Factor struct {
	Run          int
	Serie        string
	Day          time.Time
	Distribution string // factor de reparto
	Adjustment   string // factor de ajuste
	Quota        string // quota on the day of the factors
	Currency     string // PESOS or DOLAR
	Document     string // hash of the document that proves the factors
}

// Exchange is a canje: quotas of one series are exchanged for those of another.
type Exchange struct {
	Event                string
	Revision             int // the highest revision of an event counts
	Origin, Destination  Series
	Effective, Valuation time.Time
	Factor               string // quotas of the destination for one quota of the origin
}

// Coverage is a span of days of one series, each of which needs a factor line.
type Coverage struct {
	Series     Series
	Start, End string
	Days       int
	Documents  []string // sorted
}

// Distribution is a day on which the quota was multiplied. Factor is the product of factor de
// reparto and factor de ajuste.
type Distribution struct {
	Series Series
	Date   string
	Factor string
}

// Total is a total return with everything that was applied. Lists and multipliers are empty if
// the return is unavailable.
type Total struct {
	Adjusted
	Coverage      []Coverage
	Distributions []Distribution
	Exchanges     []string // events, in the order in which they were followed
	// Decimals with at most 18 places; halves are rounded away from zero.
	DistributionMultiplier, ExchangeMultiplier string
}

// AddFactor adds a line of factors. A second line for the same day makes the day ambiguous.
func (m *Market) AddFactor(f Factor) {
	key := Series{f.Run, SerieName(f.Serie)}
	f.Day = midnight(f.Day)
	m.factors[key] = append(m.factors[key], f)
}

// AddExchange adds an exchange or a revision of one.
func (m *Market) AddExchange(x Exchange) {
	m.changed()
	if known, ok := m.exchanges[x.Event]; !ok || x.Revision > known.Revision {
		m.exchanges[x.Event] = x
	}
}

// part is a span of days on which a holding is in one series.
type part struct {
	series      Series
	first, last time.Time
}

// follow goes forward from a series through the exchanges that are effective by a day. If an
// exchange can't be followed, stop is the reason, and the last part ends on the day before it.
func (m *Market) follow(from Series, until time.Time) (parts []part, followed []Exchange, stop string) {
	here := part{series: from, last: until}
	passed := []Series{from}
	for {
		var out []Exchange
		for _, x := range m.exchanges {
			if x.Origin == here.series && !x.Effective.After(until) {
				out = append(out, x)
			}
		}
		if len(out) == 0 {
			return append(parts, here), followed, ""
		}
		sort.Slice(out, func(i, j int) bool { return out[i].Effective.Before(out[j].Effective) })
		x := out[0]
		here.last = x.Effective.AddDate(0, 0, -1)
		parts = append(parts, here)
		switch {
		case len(out) > 1:
			return parts, followed, "ambiguous_continuation"
		case slices.Contains(passed, x.Destination):
			return parts, followed, "continuation_cycle"
		case len(followed) == maxHops:
			return parts, followed, "continuation_limit"
		case !m.sound(x) || x.Effective.Before(here.first):
			return parts, followed, "invalid_continuation"
		}
		followed = append(followed, x)
		passed = append(passed, x.Destination)
		here = part{series: x.Destination, first: x.Effective, last: until}
	}
}

// sound reports whether an exchange has a positive factor, a valuation date that is not after its
// effective date, and a valid quote of its destination on the valuation date.
func (m *Market) sound(x Exchange) bool {
	if rat(x.Factor).Sign() <= 0 || x.Valuation.After(x.Effective) {
		return false
	}
	for _, q := range m.quotes[x.Destination] {
		if q.day.Equal(x.Valuation) {
			return q.valid()
		}
	}
	return false
}

// TotalPeriod returns the total return of a series over a window. valuation is accounting, clp or
// real_uf.
func (m *Market) TotalPeriod(run int, serie string, asOf time.Time, window, valuation string) Total {
	var t Total
	t.Basis, t.Status = "total", "unavailable"
	if asOf.IsZero() {
		t.Reason = "no_complete_cutoff"
		return t
	}
	start, end, years := targets(midnight(asOf), window)
	t.TargetStart, t.TargetEnd = iso(start), iso(end)
	own := Series{run, SerieName(serie)}
	parts, followed, stop := m.follow(own, end)

	var s *quote
	if at := newest(m.quotes[own], start); at >= 0 {
		s = &m.quotes[own][at]
		t.EffectiveStart, t.Start = iso(s.day), m.endpoint(*s, valuation)
	}
	stretches := m.stretches(own, parts, s)
	var e *quote
	if last := stretches[len(stretches)-1]; stop == "" && len(last) > 0 {
		e = &last[len(last)-1]
		t.EffectiveEnd, t.End = iso(e.day), m.endpoint(*e, valuation)
	}

	if t.Reason = m.totalBase(parts, stretches, s, e, start, end, stop == ""); t.Reason != "" {
		return t
	}
	if stop == "" {
		if t.Reason = rateReason(t.Start, t.End, valuation); t.Reason != "" {
			return t
		}
		for len(parts) > 1 && parts[len(parts)-1].first.After(e.day) { // not effective on the day of the end quote
			parts, followed = parts[:len(parts)-1], followed[:len(followed)-1]
		}
		parts[len(parts)-1].last = e.day
	}

	distributed := m.cover(&t, parts, s.day)
	if t.Reason == "" {
		t.Reason = stop
	}
	if t.Reason == "" && len(followed) > 0 && !followed[0].Effective.After(start) {
		t.Reason = "origin_not_active_at_start"
	}
	exchanged := big.NewRat(1, 1)
	for _, x := range followed {
		if t.Reason == "" && (m.multiplies(x.Origin, x.Effective) || m.multiplies(x.Destination, x.Effective)) {
			t.Reason = "ambiguous_exchange_distribution"
		}
		exchanged.Mul(exchanged, rat(x.Factor))
		t.Exchanges = append(t.Exchanges, x.Event)
	}
	whole, _ := new(big.Rat).Mul(distributed, exchanged).Float64()
	t.finish(t.End.Quota/t.Start.Quota*whole, years, valuation)
	if t.Reason != "" {
		t.Coverage, t.Distributions, t.Exchanges = nil, nil, nil
		return t
	}
	t.DistributionMultiplier, t.ExchangeMultiplier = decimalText(distributed, 18), decimalText(exchanged, 18)
	return t
}

// stretches returns the quotes from the start quote on, separately for each part; the start quote
// comes first. Parts without quotes are left out, except the first. So there is always one
// stretch, and the newest quote is in the last one. A quote has the factor de ajuste of its factor
// line if that is not 1: then its change of unit is stated, although the row is silent about it.
func (m *Market) stretches(own Series, parts []part, s *quote) [][]quote {
	var all [][]quote
	for i, p := range parts {
		var quotes []quote
		if i == 0 && s != nil {
			quotes = append(quotes, *s)
		}
		for _, q := range m.quotes[p.series] {
			if q.day.Before(p.first) || q.day.After(p.last) || s != nil && !q.day.After(s.day) {
				continue
			}
			for _, f := range m.lines(p.series, q.day) {
				if a, _ := rat(f.Adjustment).Float64(); a != 1 {
					q.adjust = a
				}
			}
			quotes = append(quotes, q)
		}
		if len(quotes) > 0 || len(all) == 0 {
			all = append(all, quotes)
		}
	}
	return all
}

// totalBase returns the first reason that follows from the quotes alone, or "". For total returns
// a factor de ajuste is no discontinuity. If judgeEnd is false, it ignores reasons of the end
// quote.
func (m *Market) totalBase(parts []part, stretches [][]quote, s, e *quote, start, end time.Time, judgeEnd bool) string {
	switch {
	case judgeEnd && e == nil:
		return "missing_end_quote"
	case judgeEnd && !e.valid():
		return "invalid_end_quote"
	case judgeEnd && daysApart(e.day, end) > toleranceDays:
		return "stale_end_quote"
	case s == nil:
		return "missing_start_quote"
	case !s.valid():
		return "invalid_start_quote"
	case daysApart(s.day, start) > toleranceDays:
		return "stale_start_quote"
	case s.currency() == "" || judgeEnd && e.currency() == "":
		return "unknown_currency"
	case currencyChanges(slices.Concat(stretches...)):
		return "currency_change"
	}
	var before time.Time
	for _, quotes := range stretches {
		if len(quotes) == 0 {
			continue
		}
		if interrupted(quotes) || !before.IsZero() && daysApart(before, quotes[0].day) > maxGapDays {
			return "known_discontinuity"
		}
		before = quotes[len(quotes)-1].day
	}
	for _, p := range parts {
		from := p.first.AddDate(0, 0, -1)
		if s.day.After(from) {
			from = s.day
		}
		upTo := p.last
		if judgeEnd && e.day.Before(upTo) {
			upTo = e.day
		}
		if m.brokenBetween(p.series, from, upTo) {
			return "known_discontinuity"
		}
	}
	if judgeEnd && !finite(e.quota/s.quota) {
		return "non_finite_return"
	}
	return ""
}

// factorReasons are the reasons that follow from the factor lines, in the order in which they
// are reported.
var factorReasons = []string{
	"missing_factor_coverage", "factor_quote_mismatch", "factor_currency_mismatch", "invalid_distribution_factor",
	"unsupported_adjustment", "duplicate_factor_date",
}

// cover visits every calendar day after the start. It records coverage, distributions and the
// first reason in t, and returns the product of all factors.
func (m *Market) cover(t *Total, parts []part, start time.Time) *big.Rat {
	product, found := big.NewRat(1, 1), map[string]bool{}
	for _, p := range parts {
		first := start.AddDate(0, 0, 1)
		if p.first.After(first) {
			first = p.first
		}
		if p.last.Before(first) {
			continue
		}
		c := Coverage{Series: p.series, Start: iso(first), End: iso(p.last)}
		for day := first; !day.After(p.last); day = day.AddDate(0, 0, 1) {
			c.Days++
			lines := m.lines(p.series, day)
			found["missing_factor_coverage"] = found["missing_factor_coverage"] || len(lines) == 0
			found["duplicate_factor_date"] = found["duplicate_factor_date"] || len(lines) > 1
			for _, f := range lines {
				m.examine(f, p.series, found)
				if !slices.Contains(c.Documents, f.Document) {
					c.Documents = append(c.Documents, f.Document)
				}
				factor := new(big.Rat).Mul(rat(f.Distribution), rat(f.Adjustment))
				product.Mul(product, factor)
				if f.multiplies() {
					t.Distributions = append(t.Distributions, Distribution{p.series, iso(day), decimalText(factor, 18)})
				}
			}
		}
		slices.Sort(c.Documents)
		t.Coverage = append(t.Coverage, c)
	}
	for _, reason := range factorReasons {
		if found[reason] {
			t.Reason = reason
			break
		}
	}
	return product
}

// examine compares a factor line with the quotes of its series, and notes in found what is
// wrong.
func (m *Market) examine(f Factor, s Series, found map[string]bool) {
	quotes := m.quotes[s]
	at := newest(quotes, f.Day)
	if at < 0 || !quotes[at].day.Equal(f.Day) || !quotes[at].valid() {
		found["factor_quote_mismatch"] = true
		return
	}
	q := quotes[at]
	if !within(new(big.Rat).Quo(rat(f.Quota), exactly(q.quota)), "0.000000001") {
		found["factor_quote_mismatch"] = true
	}
	if f.Currency != q.currency() {
		found["factor_currency_mismatch"] = true
	}
	if d := rat(f.Distribution); d.Cmp(rat("1")) < 0 || d.Cmp(rat("1.5")) > 0 {
		found["invalid_distribution_factor"] = true
	}
	if a := rat(f.Adjustment); a.Cmp(rat("1")) != 0 {
		before := quoteBefore(quotes, at)
		supported := a.Sign() > 0 && before >= 0
		if supported {
			moved := new(big.Rat).Quo(new(big.Rat).Mul(exactly(q.quota), a), exactly(quotes[before].quota))
			supported = within(moved, "0.2")
		}
		if !supported {
			found["unsupported_adjustment"] = true
		}
	}
}

func (m *Market) lines(s Series, day time.Time) (lines []Factor) {
	for _, f := range m.factors[s] {
		if f.Day.Equal(day) {
			lines = append(lines, f)
		}
	}
	return lines
}

// multiplies reports whether a factor line of the day has a factor other than 1.
func (m *Market) multiplies(s Series, day time.Time) bool {
	return slices.ContainsFunc(m.lines(s, day), Factor.multiplies)
}

func (f Factor) multiplies() bool {
	return rat(f.Distribution).Cmp(rat("1")) != 0 || rat(f.Adjustment).Cmp(rat("1")) != 0
}

// within reports whether a quotient differs from 1 by at most the tolerance.
func within(quotient *big.Rat, tolerance string) bool {
	off := new(big.Rat).Sub(quotient, rat("1"))
	return off.Abs(off).Cmp(rat(tolerance)) <= 0
}

// exactly returns the decimal from which a float was read.
func exactly(x float64) *big.Rat { return rat(strconv.FormatFloat(x, 'f', -1, 64)) }

// decimalText writes a number without exponent, with at most the given number of decimal places
// and without trailing zeros.
func decimalText(x *big.Rat, places int) string {
	text := x.FloatString(places)
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text
}
