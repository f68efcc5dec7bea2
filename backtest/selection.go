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
	series   []valued
	left     []Excluded // by ascending id
	universe int
}

// valued is a candidate and the value that the strategy sorts by, NaN if it is not known.
type valued struct {
	*Candidate
	value float64
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
	refusedBy, value := s.Filter.passFilters(), s.valueOf()
	leave := func(c *Candidate, reason string) { out.left = append(out.left, Excluded{c.Series, reason}) }
	var kept []valued
	for i := range candidates {
		c := &candidates[i]
		if s.Universe == "current" && !c.Alive {
			continue
		}
		out.universe++
		sorted := valued{c, value(c)}
		if reason := s.reasonAgainst(signal, sorted, refusedBy); reason != "" {
			leave(c, reason)
			continue
		}
		kept = append(kept, sorted)
	}
	descending := s.Order == "desc"
	slices.SortStableFunc(kept, func(a, b valued) int { // stable: ties stay by ascending id
		if descending {
			a, b = b, a
		}
		return cmp.Compare(a.value, b.value)
	})
	if *s.OnePerFund {
		funds := map[uint32]bool{}
		kept = slices.DeleteFunc(kept, func(c valued) bool {
			if funds[c.Fund] {
				leave(c.Candidate, sameFund)
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
				leave(c.Candidate, notInTop)
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
func (s *Strategy) groups(kept []valued) [][]valued {
	if s.Within == "" {
		return [][]valued{kept}
	}
	var groups [][]valued
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
		out.chosen = append(out.chosen, Selected{c.Series, c.RUN, c.Serie, c.FundName, c.value, weights[i] / whole})
	}
}

// valueOf makes a function that gives what the strategy sorts by; NaN if it is not known.
func (s *Strategy) valueOf() func(*Candidate) float64 {
	if i := slices.Index(model.Windows, s.Sort); i >= 0 {
		return func(c *Candidate) float64 { return c.Returns[i] }
	}
	switch s.Sort {
	case "tac":
		return func(c *Candidate) float64 { return c.TAC }
	case "cmf_spheres":
		return func(c *Candidate) float64 {
			if c.Spheres == 0 {
				return math.NaN()
			}
			return float64(c.Spheres)
		}
	case "volatility_12m":
		return func(c *Candidate) float64 { return c.Volatility12 }
	case "volatility_36m":
		return func(c *Candidate) float64 { return c.Volatility36 }
	case "max_drawdown_36m":
		return func(c *Candidate) float64 { return c.Drawdown36 }
	case "equity_clp":
		return func(c *Candidate) float64 { return c.EquityCLP }
	}
	return func(c *Candidate) float64 { return float64(c.Series) }
}

// holds tells whether the portfolio may have series in a currency.
func (s *Strategy) holds(currency string) bool {
	return currency == s.Currency || s.Convert && (currency == "PESOS" || currency == "DOLAR")
}

// reasonAgainst tells why a candidate can't be selected, whatever the others are; empty if it
// can.
func (s *Strategy) reasonAgainst(signal Signal, c valued, refusedBy func(*Candidate) string) string {
	switch {
	case c.NotKnownThen:
		return notKnownThen
	case !s.holds(c.Currency):
		return otherCurrency
	case signal.Day.DaysSince(c.FirstQuote) < s.MinAgeDays:
		return tooYoung
	}
	if name := refusedBy(c.Candidate); name != "" {
		return "filter:" + name
	}
	switch {
	case math.IsNaN(c.value):
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
