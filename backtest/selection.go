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
	leave := func(c *Candidate, reason string) { out.left = append(out.left, Excluded{c.Series, reason}) }
	var kept []*Candidate
	for i := range candidates {
		c := &candidates[i]
		if s.Universe == "current" && !c.Alive {
			continue
		}
		out.universe++
		if reason := s.reasonAgainst(signal, c); reason != "" {
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

// reasonAgainst tells why a candidate can't be selected, whatever the others are; empty if it
// can.
func (s *Strategy) reasonAgainst(signal Signal, c *Candidate) string {
	switch {
	case c.NotKnownThen:
		return notKnownThen
	case c.Currency != s.Currency && (!s.Convert || c.Currency != "PESOS" && c.Currency != "DOLAR"):
		return otherCurrency
	case signal.Day.DaysSince(c.FirstQuote) < s.MinAgeDays:
		return tooYoung
	}
	if name := s.Filter.refusedBy(c); name != "" {
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

// refusedBy gives the name of the first filter that the candidate does not pass; empty if it
// passes all. Texts compare as those of the screener do.
func (f *Filter) refusedBy(c *Candidate) string {
	atMost := func(limit *float64, value float64) bool { return limit == nil || value <= *limit } // false for NaN
	atLeast := func(limit *float64, value float64) bool { return limit == nil || value >= *limit }
	for _, filter := range []struct {
		name   string
		passes bool
	}{
		{"q", f.Text == "" || contains(c.FundName, f.Text) || containsRUN(c.RUN, f.Text)},
		{"fund_family", f.Family == "" || sameName(c.Family, f.Family)},
		{"investor_class", f.InvestorClass == "" || sameName(c.InvestorClass, f.InvestorClass)},
		{"currency", f.Currency == "" || c.Currency == f.Currency},
		{"category", f.Category == "" || sameName(c.Category, f.Category)},
		{"administrator", f.Manager == "" || contains(c.Manager, f.Manager)},
		{"cmf_spheres_min", f.SpheresMin == nil || c.Spheres != 0 && c.Spheres >= *f.SpheresMin},
		{"cmf_spheres_max", f.SpheresMax == nil || c.Spheres != 0 && c.Spheres <= *f.SpheresMax},
		{"cmf_family", f.RatedFamily == "" || c.Family == f.RatedFamily},
		{"cmf_investor_type", f.RatedClass == "" || c.RatedClass == f.RatedClass},
		{"tac_kind", f.TACKind == "" || c.TACKind == f.TACKind},
		{"tac_max", atMost(f.TACMax, c.TAC)},
		{"equity_clp_min", atLeast(f.EquityMin, c.EquityCLP)},
		{"volatility_12m_max", atMost(f.VolatilityMax, c.Volatility12)},
		{"max_drawdown_36m_min", atLeast(f.DrawdownMin, c.Drawdown36)},
	} {
		if !filter.passes {
			return filter.name
		}
	}
	return ""
}

// sameName tells whether two names are equal apart from case.
func sameName(a, b string) bool { return a != "" && strings.EqualFold(a, b) }

// contains tells whether a name contains a part; neither case nor accents count.
func contains(name, part string) bool { return strings.Contains(model.Fold(name), model.Fold(part)) }

// containsRUN tells whether a RUN contains a part of one, with or without dash and dots.
func containsRUN(run, part string) bool {
	part = model.FoldASCII(strings.ReplaceAll(part, ".", ""))
	run = model.FoldASCII(run)
	return part != "" && (strings.Contains(run, part) || strings.Contains(strings.ReplaceAll(run, "-", ""), part))
}
