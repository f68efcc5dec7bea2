package backtest

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"cuota/model"
)

// selection is what a strategy selects on one signal date (section 3).
type selection struct {
	chosen   []Selected // in the order of the selection
	series   []*Candidate
	left     []Excluded // by ascending id
	universe int
}

// Reasons why a series is not selected, besides "filter:NAME" (section 3).
const (
	notKnownThen  = "not_known_then"
	otherCurrency = "other_currency"
	tooYoung      = "too_young"
	noValue       = "no_value"
	noFamily      = "no_family"
	noWeight      = "no_weight"
	sameFund      = "same_fund"
	notInTop      = "not_in_top"
)

// choose selects among the candidates of one signal, which are sorted by id.
func (s *Strategy) choose(signal Signal, candidates []Candidate) selection {
	var out selection
	refusedBy := s.Filter.passFilters()
	leave := func(c *Candidate, reason string) { out.left = append(out.left, Excluded{c.Series, reason}) }
	var kept []*Candidate
	for i := range candidates {
		c := &candidates[i]
		if s.Universe == "current" && !c.Alive {
			continue
		}
		out.universe++
		if reason := s.reasonAgainst(signal, c, refusedBy); reason != "" {
			leave(c, reason)
			continue
		}
		kept = append(kept, c)
	}
	descending := s.Order == "desc"
	slices.SortStableFunc(kept, func(a, b *Candidate) int { // stable: ties stay by ascending id
		if descending {
			return cmp.Compare(s.value(b), s.value(a))
		}
		return cmp.Compare(s.value(a), s.value(b))
	})
	if *s.OnePerFund {
		funds := map[uint32]bool{}
		kept = slices.DeleteFunc(kept, func(c *Candidate) bool {
			if funds[c.Fund] {
				leave(c, sameFund)
				return true
			}
			funds[c.Fund] = true
			return false
		})
	}
	for _, group := range s.groups(kept) {
		n := s.size(len(group))
		for i, c := range group {
			if i < n {
				out.series = append(out.series, c)
			} else {
				leave(c, notInTop)
			}
		}
	}
	s.weigh(&out)
	slices.SortFunc(out.left, func(a, b Excluded) int { return cmp.Compare(a.Series, b.Series) })
	return out
}

// size is how many of n series are taken.
func (s *Strategy) size(n int) int {
	if s.Top > 0 {
		return min(s.Top, n)
	}
	return min(n, int(math.Ceil(s.Quantile*float64(n)-1e-9))) // 0.1 × 30 is 3, not 4
}

// groups divides the series by the field that the strategy selects within, in the order of the
// first series of each group.
func (s *Strategy) groups(kept []*Candidate) [][]*Candidate {
	if s.Within == "" {
		return [][]*Candidate{kept}
	}
	var groups [][]*Candidate
	at := map[string]int{}
	for _, c := range kept {
		name := c.Family
		if s.Within == "manager" {
			name = c.Manager
		}
		i, known := at[name]
		if !known {
			i = len(groups)
			at[name], groups = i, append(groups, nil)
		}
		groups[i] = append(groups[i], c)
	}
	return groups
}

// weigh gives each selected series its weight.
func (s *Strategy) weigh(out *selection) {
	whole := 0.0
	weights := make([]float64, len(out.series))
	for i, c := range out.series {
		switch s.Weights {
		case "equity":
			weights[i] = c.EquityCLP
		case "inverse_volatility":
			weights[i] = 1 / c.Volatility12
		default:
			weights[i] = 1
		}
		whole += weights[i]
	}
	for i, c := range out.series {
		out.chosen = append(out.chosen, Selected{c.Series, c.RUN, c.Serie, c.FundName, s.value(c), weights[i] / whole})
	}
}

// value is what the strategy sorts by; NaN if it is not known.
func (s *Strategy) value(c *Candidate) float64 {
	if i := slices.Index(model.Windows, s.Sort); i >= 0 {
		return c.Returns[i]
	}
	switch s.Sort {
	case "tac":
		return c.TAC
	case "cmf_spheres":
		if c.Spheres == 0 {
			return math.NaN()
		}
		return float64(c.Spheres)
	case "volatility_12m":
		return c.Volatility12
	case "volatility_36m":
		return c.Volatility36
	case "max_drawdown_36m":
		return c.Drawdown36
	case "equity_clp":
		return c.EquityCLP
	}
	return float64(c.Series)
}

// holds tells whether the portfolio may have series in a currency.
func (s *Strategy) holds(currency string) bool {
	return currency == s.Currency || s.Convert && (currency == "PESOS" || currency == "DOLAR")
}

// reasonAgainst tells why a candidate can't be selected, whatever the others are; empty if it
// can.
func (s *Strategy) reasonAgainst(signal Signal, c *Candidate, refusedBy func(*Candidate) string) string {
	switch {
	case c.NotKnownThen:
		return notKnownThen
	case !s.holds(c.Currency):
		return otherCurrency
	case signal.Day.DaysSince(c.FirstQuote) < s.MinAgeDays:
		return tooYoung
	}
	if name := refusedBy(c); name != "" {
		return "filter:" + name
	}
	switch {
	case math.IsNaN(s.value(c)):
		return noValue
	case s.Within == "family" && c.Family == "":
		return noFamily
	case s.Weights == "equity" && !(c.EquityCLP > 0), s.Weights == "inverse_volatility" && !(c.Volatility12 > 0):
		return noWeight
	}
	return ""
}

// passFilters makes a function that gives the name of the first filter that a candidate does not
// pass, and an empty one if it passes all. Texts compare as those of the screener do.
func (f *Filter) passFilters() func(*Candidate) string {
	atMost := func(limit *float64, value float64) bool { return value <= *limit } // false for NaN
	atLeast := func(limit *float64, value float64) bool { return value >= *limit }
	type filter struct {
		name   string
		passes func(*Candidate) bool
	}
	var filters []filter
	add := func(given bool, name string, passes func(*Candidate) bool) {
		if given {
			filters = append(filters, filter{name, passes})
		}
	}
	part, run, manager := model.Fold(f.Text), model.FoldASCII(strings.ReplaceAll(f.Text, ".", "")), model.Fold(f.Manager)
	add(f.Text != "", "q", func(c *Candidate) bool {
		return strings.Contains(model.Fold(c.FundName), part) || containsRUN(c.RUN, run)
	})
	add(f.Family != "", "fund_family", func(c *Candidate) bool { return strings.EqualFold(c.Family, f.Family) })
	add(f.InvestorClass != "", "investor_class", func(c *Candidate) bool { return strings.EqualFold(c.InvestorClass, f.InvestorClass) })
	add(f.Currency != "", "currency", func(c *Candidate) bool { return c.Currency == f.Currency })
	add(f.Category != "", "category", func(c *Candidate) bool { return strings.EqualFold(c.Category, f.Category) })
	add(f.Manager != "", "administrator", func(c *Candidate) bool { return strings.Contains(model.Fold(c.Manager), manager) })
	add(f.SpheresMin != nil, "cmf_spheres_min", func(c *Candidate) bool { return c.Spheres != 0 && c.Spheres >= *f.SpheresMin })
	add(f.SpheresMax != nil, "cmf_spheres_max", func(c *Candidate) bool { return c.Spheres != 0 && c.Spheres <= *f.SpheresMax })
	add(f.RatedFamily != "", "cmf_family", func(c *Candidate) bool { return c.Family == f.RatedFamily })
	add(f.RatedClass != "", "cmf_investor_type", func(c *Candidate) bool { return c.RatedClass == f.RatedClass })
	add(f.TACKind != "", "tac_kind", func(c *Candidate) bool { return c.TACKind == f.TACKind })
	add(f.TACMax != nil, "tac_max", func(c *Candidate) bool { return atMost(f.TACMax, c.TAC) })
	add(f.EquityMin != nil, "equity_clp_min", func(c *Candidate) bool { return atLeast(f.EquityMin, c.EquityCLP) })
	add(f.VolatilityMax != nil, "volatility_12m_max", func(c *Candidate) bool { return atMost(f.VolatilityMax, c.Volatility12) })
	add(f.DrawdownMin != nil, "max_drawdown_36m_min", func(c *Candidate) bool { return atLeast(f.DrawdownMin, c.Drawdown36) })
	return func(c *Candidate) string {
		for _, filter := range filters {
			if !filter.passes(c) {
				return filter.name
			}
		}
		return ""
	}
}

// containsRUN tells whether a RUN contains a part of one in small letters and without dots, with
// or without its dash.
func containsRUN(run, part string) bool {
	run = model.FoldASCII(run)
	return part != "" && (strings.Contains(run, part) || strings.Contains(strings.ReplaceAll(run, "-", ""), part))
}
