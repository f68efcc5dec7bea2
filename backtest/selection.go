package backtest

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"cuota/model"
)

// selection is what a strategy selects on one signal date (section 3).
type selection struct {
	series  []chosen  // in the order of the selection
	weights []float64 // of each series, a part of 1
}

// chosen is a series that is selected, and the value that the strategy sorts by.
type chosen struct {
	*Listed
	currency string // PESOS or DOLAR
	value    float64
}

// left says why candidates of a signal are not selected.
type left struct {
	universe int // number of candidates
	series   []Excluded
	reasons  map[string]int // number of these by reason
}

// reason is why a candidate is not selected (section 3); 0 if it is.
type reason uint8

// Filters follow in the order of filterNames.
const (
	notKnownThen reason = 1 + iota
	otherCurrency
	tooYoung
	noValue
	noFamily
	noWeight
	sameFund
	notInTop
	outside // of the universe of the strategy
	filtered
)

var reasonNames = func() []string {
	names := []string{"", "not_known_then", "other_currency", "too_young", "no_value", "no_family", "no_weight",
		"same_fund", "not_in_top", ""}
	for _, name := range filterNames {
		names = append(names, "filter:"+name)
	}
	return names
}()

// chooser selects for one strategy, date by date.
type chooser struct {
	*Strategy
	sortBy  SortPlace         // of Sort
	barred  [traitSets]reason // by the traits of a candidate
	refusal func(u *Universe, i int32) reason
	byClass bool   // whether refusal depends only on what is classified
	reads   Values // of candidates
	// What a date needs is kept for the next one.
	kept    []int32  // indexes of candidates
	counted []int32  // by the number of a fund: the last turn in which it was seen
	turn    int32    // number of the date
	reasons []reason // by candidate
	valued  []bool   // by candidate: whether it has the value
	refused []reason // by index of Universe.classes; notAsked before the first candidate
}

// notAsked is in the place of a reason that is not known yet.
const notAsked = math.MaxUint8

func (s *Strategy) chooser() *chooser {
	c := &chooser{Strategy: s, sortBy: sortPlaceOf(s.Sort)}
	var filters Values
	c.refusal, filters, c.byClass = s.Filter.refusal()
	c.reads = RowValues | c.sortBy.values() | filters
	if s.Within == "family" {
		c.reads |= RatingValues
	}
	switch s.Weights {
	case "equity":
		c.reads |= EquityValues
	case "inverse_volatility":
		c.reads |= RiskValues
	}
	for set := range traitSets {
		switch {
		case s.Universe == "current" && set&alive == 0:
			c.barred[set] = outside
		case set&unknownThen != 0:
			c.barred[set] = notKnownThen
		case !(set&inPesos != 0 && s.holds("PESOS") || set&inDollars != 0 && s.holds("DOLAR")):
			c.barred[set] = otherCurrency
		}
	}
	return c
}

// sight is what the strategy sees of its candidates.
func (s *Strategy) sight() Sight {
	return Sight{Then: s.Known == "then", ClassifiedLater: s.ClassifiedLater}
}

// choose selects among the candidates of a signal. It goes through them in the order of the strategy, and no
// further than needed.
func (c *chooser) choose(signal Signal, u *Universe) selection {
	most := u.size()
	if c.Top > 0 && c.Within == "" {
		most = c.Top
	}
	c.begin(u)
	against := func(i int32) reason { return c.against(signal, u, i, true) }
	return c.pick(u, most, against, func(int32, reason) {})
}

// begin forgets what was known of the date before.
func (c *chooser) begin(u *Universe) {
	c.turn++
	if missing := u.roster.funds - len(c.counted); missing > 0 {
		c.counted = append(c.counted, make([]int32, missing)...)
	}
	if c.byClass {
		c.refused = slices.Grow(c.refused[:0], len(u.classes))[:len(u.classes)]
		for i := range c.refused {
			c.refused[i] = notAsked
		}
	}
}

// explain selects as choose does, and says of each other candidate why it is not selected.
func (c *chooser) explain(signal Signal, u *Universe) (selection, left) {
	c.begin(u)
	n := u.size()
	c.valued, c.reasons = slices.Grow(c.valued[:0], n)[:n], slices.Grow(c.reasons[:0], n)[:n]
	clear(c.valued)
	sorted, _ := u.order(c.sortBy, c.Order == "desc")
	for _, i := range sorted {
		c.valued[i] = true
	}
	for i := range c.reasons {
		c.reasons[i] = c.against(signal, u, int32(i), c.valued[i])
	}
	chosen := c.pick(u, n, func(i int32) reason { return c.reasons[i] }, func(i int32, why reason) {
		c.reasons[i] = why
	})
	out := left{universe: n, reasons: map[string]int{}}
	if c.Universe == "current" {
		out.universe = u.countAlive()
	}
	out.series = make([]Excluded, 0, out.universe-len(chosen.series))
	var counts [filtered + reason(len(filterNames))]int
	for i, why := range c.reasons {
		if why != 0 && why != outside {
			counts[why]++
			out.series = append(out.series, Excluded{u.listed(int32(i)).Series, reasonNames[why]})
		}
	}
	for why, n := range counts {
		if n > 0 {
			out.reasons[reasonNames[why]] = n
		}
	}
	return chosen, out
}

// pick selects among the candidates that have no reason against them, at most so many in all. It calls leave
// with each that it leaves out.
func (c *chooser) pick(u *Universe, most int, against func(int32) reason, leave func(int32, reason)) (out selection) {
	c.kept = c.kept[:0]
	sorted, values := u.order(c.sortBy, c.Order == "desc")
	for _, i := range sorted {
		if against(i) != 0 {
			continue
		}
		if *c.OnePerFund {
			last := &c.counted[u.roster.fund[u.place[i]]]
			if *last == c.turn {
				leave(i, sameFund)
				continue
			}
			*last = c.turn
		}
		if c.kept = append(c.kept, i); len(c.kept) == most {
			break
		}
	}
	groups := c.groups(u, c.kept)
	taken := 0
	for _, group := range groups {
		taken += c.size(len(group))
	}
	out.series, out.weights = make([]chosen, 0, taken), make([]float64, 0, taken)
	for _, group := range groups {
		n := c.size(len(group))
		for _, i := range group[:n] {
			// adding 0 turns -0 into 0
			out.series = append(out.series, chosen{u.listed(i), u.currency(i), values[i] + 0})
			out.weights = append(out.weights, c.weight(u, i))
		}
		for _, i := range group[n:] {
			leave(i, notInTop)
		}
	}
	whole := 0.0
	for _, weight := range out.weights {
		whole += weight
	}
	for i := range out.weights {
		out.weights[i] /= whole
	}
	return out
}

// size is how many of n series are taken.
func (s *Strategy) size(n int) int {
	if s.Top > 0 {
		return min(s.Top, n)
	}
	return min(n, int(math.Ceil(s.Quantile*float64(n)-1e-9))) // 0.1 × 30 is 3, not 4
}

// groups divides candidates by the field that the strategy selects within, in the order of the
// first candidate of each group.
func (s *Strategy) groups(u *Universe, kept []int32) [][]int32 {
	if s.Within == "" {
		return [][]int32{kept}
	}
	var groups [][]int32
	type name struct {
		family  string
		manager uint32
	}
	at := map[name]int{}
	for _, i := range kept {
		var of name
		if s.Within == "manager" {
			of.manager = u.listed(i).ManagerID
		} else {
			of.family = u.classified(i).Family
		}
		group, known := at[of]
		if !known {
			group = len(groups)
			at[of], groups = group, append(groups, nil)
		}
		groups[group] = append(groups[group], i)
	}
	return groups
}

// weight returns the weight of a selected series before it is divided by the sum of all.
func (c *chooser) weight(u *Universe, i int32) float64 {
	switch c.Weights {
	case "equity":
		return u.columns[ByEquity][i]
	case "inverse_volatility":
		return 1 / u.columns[ByVolatility12][i]
	}
	return 1
}

// holds reports whether the portfolio may have series in a currency.
func (s *Strategy) holds(currency string) bool {
	return currency == s.Currency || s.Convert && (currency == "PESOS" || currency == "DOLAR")
}

// against returns why a candidate can't be selected, whatever the others are. valued reports whether it has the value.
func (c *chooser) against(signal Signal, u *Universe, i int32, valued bool) reason {
	if why := c.barred[u.traits[i]]; why != 0 {
		return why
	}
	if c.MinAgeDays > 0 && signal.Day.DaysSince(u.listed(i).FirstQuote) < c.MinAgeDays {
		return tooYoung
	}
	switch {
	case c.byClass:
		refused := &c.refused[u.class[i]]
		if *refused == notAsked {
			*refused = c.refusal(u, i)
		}
		if *refused != 0 {
			return *refused
		}
	case c.refusal != nil:
		if why := c.refusal(u, i); why != 0 {
			return why
		}
	}
	switch {
	case !valued:
		return noValue
	case c.Within == "family" && u.classified(i).Family == "":
		return noFamily
	case c.Weights == "equity" && !(u.columns[ByEquity][i] > 0), c.Weights == "inverse_volatility" &&
		!(u.columns[ByVolatility12][i] > 0):
		return noWeight
	}
	return 0
}

// filterNames are the filters of a strategy in the order in which they are asked.
var filterNames = [...]string{
	"q", "fund_family", "investor_class", "currency", "category", "administrator", "cmf_spheres_min", "cmf_spheres_max",
	"cmf_family", "cmf_investor_type", "tac_kind", "tac_max", "equity_clp_min", "volatility_12m_max",
	"max_drawdown_36m_min",
}

// refusal makes a function that returns the first filter that a candidate does not pass, and 0 if it passes
// all; nil without a filter. It reads only the values that come with it. byClass reports whether it depends only on
// what is classified. Texts compare as those of the screener do.
func (f *Filter) refusal() (refusal func(u *Universe, i int32) reason, reads Values, byClass bool) {
	type filter struct {
		reason reason
		passes func(u *Universe, i int32) bool
	}
	var filters []filter
	byClass = true
	add := func(given bool, name string, values Values, passes func(u *Universe, i int32) bool) {
		if given {
			filters = append(filters, filter{filtered + reason(slices.Index(filterNames[:], name)), passes})
			reads |= values
			byClass = false
		}
	}
	addOfListed := func(given bool, name string, passes func(*Listed) bool) {
		add(given, name, 0, func(u *Universe, i int32) bool { return passes(u.listed(i)) })
	}
	addLimit := func(limit *float64, name string, of SortPlace, passes func(value, limit float64) bool) {
		add(limit != nil, name, of.values(), func(u *Universe, i int32) bool {
			return passes(u.columns[of][i], *limit)
		})
	}
	atMost := func(value, limit float64) bool { return value <= limit } // false for NaN
	atLeast := func(value, limit float64) bool { return value >= limit }
	addOfClass := func(given bool, name string, values Values, passes func(*Classified) bool) {
		if given {
			before := byClass
			add(given, name, values|RatingValues, func(u *Universe, i int32) bool { return passes(u.classified(i)) })
			byClass = before
		}
	}
	search, manager := model.NewSearch(f.Text), model.Fold(f.Manager)
	var searched atomic.Pointer[rosterSearch]
	add(!search.Empty(), "q", 0, func(u *Universe, i int32) bool {
		known := searched.Load()
		if known == nil || known.of != u.roster {
			known = u.roster.search(search)
			searched.Store(known)
		}
		return known.found[u.place[i]]
	})
	addOfClass(f.Family != "", "fund_family", 0, func(c *Classified) bool {
		return strings.EqualFold(c.Family, f.Family)
	})
	addOfClass(f.InvestorClass != "", "investor_class", CostValues, func(c *Classified) bool {
		return strings.EqualFold(c.InvestorClass, f.InvestorClass)
	})
	add(f.Currency != "", "currency", RowValues, func(u *Universe, i int32) bool { return u.currency(i) == f.Currency })
	addOfClass(f.Category != "", "category", 0, func(c *Classified) bool {
		return strings.EqualFold(c.Category, f.Category)
	})
	addOfListed(f.Manager != "", "administrator", func(c *Listed) bool {
		return strings.Contains(model.Fold(c.Manager), manager)
	})
	addOfClass(f.SpheresMin != nil, "cmf_spheres_min", 0, func(c *Classified) bool {
		return c.Spheres != 0 && c.Spheres >= *f.SpheresMin
	})
	addOfClass(f.SpheresMax != nil, "cmf_spheres_max", 0, func(c *Classified) bool {
		return c.Spheres != 0 && c.Spheres <= *f.SpheresMax
	})
	addOfClass(f.RatedFamily != "", "cmf_family", 0, func(c *Classified) bool { return c.Family == f.RatedFamily })
	addOfClass(f.RatedClass != "", "cmf_investor_type", 0, func(c *Classified) bool {
		return c.RatedClass == f.RatedClass
	})
	add(f.TACKind != "", "tac_kind", CostValues, func(u *Universe, i int32) bool { return u.tacKind(i) == f.TACKind })
	addLimit(f.TACMax, "tac_max", ByTAC, atMost)
	addLimit(f.EquityMin, "equity_clp_min", ByEquity, atLeast)
	addLimit(f.VolatilityMax, "volatility_12m_max", ByVolatility12, atMost)
	addLimit(f.DrawdownMin, "max_drawdown_36m_min", ByDrawdown36, atLeast)
	if len(filters) == 0 {
		return nil, 0, false
	}
	return func(u *Universe, i int32) reason {
		for _, filter := range filters {
			if !filter.passes(u, i) {
				return filter.reason
			}
		}
		return 0
	}, reads, byClass
}

// rosterSearch is what a search finds of a roster.
type rosterSearch struct {
	of    *Roster
	found []bool // by place
}

func (r *Roster) search(search model.Search) *rosterSearch {
	index, out := model.SearchIndex{}, &rosterSearch{r, make([]bool, len(r.series))}
	for i := range r.series {
		of := &r.series[i]
		index.Add(of.FundName, of.RUN, of.Serie, strconv.FormatUint(uint64(of.Series), 10))
	}
	index.Find(search, func(place int, _ model.Likeness) { out.found[place] = true })
	return out
}
