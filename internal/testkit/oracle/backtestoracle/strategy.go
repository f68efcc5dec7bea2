package backtestoracle

import (
	"cmp"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"cuota/internal/testkit/oracle"
)

// Strategy is a strategy with all its defaults.
type Strategy struct {
	From, To       time.Time
	Rebalance      string // monthly, quarterly or dates
	Dates          []time.Time
	EntryLag       int
	ExitLag        int
	RedemptionDays int

	Known    string // then or revised
	Universe string // then or current
	// ClassifiedLater gives series the family and category of their first line before it.
	ClassifiedLater bool
	Currency        string // PESOS or DOLAR
	Convert         bool
	MinAgeDays      int
	Filters         []Filter

	OnePerFund bool
	Sort       string
	Descending bool
	Top        int
	Quantile   string // a decimal; "" if Top is given
	Within     string
	Weights    string

	FollowExchanges bool
	Buy, Sell       float64
	Benchmark       string
	RiskFree        string
}

// Filter is a filter of the screener or a limit (section 3). Text is compared by text filters,
// Number by the others.
type Filter struct {
	Name   string
	Text   string
	Number float64
}

// filterOrder is the order in which filters give reasons.
var filterOrder = []string{
	"q", "fund_family", "investor_class", "currency", "category", "administrator", "cmf_spheres_min", "cmf_spheres_max",
	"cmf_family", "cmf_investor_type", "tac_kind", "tac_max", "equity_clp_min", "volatility_12m_max",
	"max_drawdown_36m_min",
}

// folded is a text without case and accents.
func folded(text string) string {
	var kept []rune
	for _, r := range norm.NFD.String(strings.ToLower(text)) {
		if !unicode.Is(unicode.Mn, r) {
			kept = append(kept, r)
		}
	}
	return string(kept)
}

// passes reports whether a filter keeps a candidate.
func (f Filter) passes(c Candidate) bool {
	anyCase := func(value string) bool { return value != "" && strings.EqualFold(value, f.Text) }
	part := func(value string) bool { return value != "" && strings.Contains(folded(value), folded(f.Text)) }
	switch f.Name {
	case "q":
		run := strconv.Itoa(c.Series.Run) + "-" + oracle.CheckDigit(c.Series.Run)
		return oracle.Finds(f.Text, c.FundName, run, c.Series.Name, strconv.FormatUint(uint64(c.ID), 10))
	case "fund_family":
		return anyCase(c.Family)
	case "investor_class":
		return anyCase(c.InvestorClass)
	case "currency":
		return c.Currency == f.Text
	case "category":
		return anyCase(c.Category)
	case "administrator":
		return part(c.Manager)
	case "cmf_spheres_min":
		return c.Spheres > 0 && float64(c.Spheres) >= f.Number
	case "cmf_spheres_max":
		return c.Spheres > 0 && float64(c.Spheres) <= f.Number
	case "cmf_family":
		return c.Family == f.Text
	case "cmf_investor_type":
		return c.RatedClass == f.Text
	case "tac_kind":
		return c.TACKind == f.Text
	case "tac_max":
		return c.TAC <= f.Number
	case "equity_clp_min":
		return c.EquityCLP >= f.Number
	case "volatility_12m_max":
		return c.Volatility12 <= f.Number
	case "max_drawdown_36m_min":
		return c.Drawdown36 >= f.Number
	}
	panic("backtestoracle: no such filter: " + f.Name)
}

// signalDates returns the dates on which the strategy selects (section 1).
func (s Strategy) signalDates() (dates []time.Time) {
	for day := s.From; !day.After(s.To); day = plus(day, 1) {
		last := plus(day, 1).Day() == 1
		switch s.Rebalance {
		case "monthly":
			if last {
				dates = append(dates, day)
			}
		case "quarterly":
			if last && day.Month()%3 == 0 {
				dates = append(dates, day)
			}
		default:
			if slices.ContainsFunc(s.Dates, day.Equal) {
				dates = append(dates, day)
			}
		}
	}
	return dates
}

// Choice is a series that was selected.
type Choice struct {
	ID     uint32
	Series oracle.Series
	Value  float64 // by which it was sorted
	Weight float64
}

// sortValue returns the value by which a candidate is sorted; NaN if it has none.
func (s Strategy) sortValue(c Candidate) float64 {
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
	case "id":
		return float64(c.ID)
	}
	return c.Returns[s.Sort]
}

// share returns what the weight of a candidate is proportional to; NaN or 0 if it can't have one.
func (s Strategy) share(c Candidate) float64 {
	switch s.Weights {
	case "equity":
		return max(0, c.EquityCLP)
	case "inverse_volatility":
		if c.Volatility12 == 0 {
			return 0
		}
		return 1 / c.Volatility12
	}
	return 1
}

// usable reports whether a number is known and above 0.
func usable(x float64) bool { return x > 0 && !math.IsInf(x, 0) }

// Select chooses among the candidates of a signal (section 3). The universe are those that the
// strategy looks at, reasons say for each of them that was not selected why, by id.
func (s Strategy) Select(signal Signal,
	all []Candidate) (chosen []Choice, universe []Candidate, reasons map[uint32]string) {
	reasons = map[uint32]string{}
	for _, c := range all {
		if s.Universe == "then" || c.Alive {
			universe = append(universe, c)
		}
	}
	left := slices.Clone(universe)
	drop := func(reason string, out func(Candidate) bool) {
		left = slices.DeleteFunc(left, func(c Candidate) bool {
			if !out(c) {
				return false
			}
			reasons[c.ID] = reason
			return true
		})
	}
	drop("not_known_then", func(c Candidate) bool { return s.Known == "then" && c.NotKnownThen })
	drop("other_currency", func(c Candidate) bool { return !s.accepts(c.Currency) })
	drop("too_young", func(c Candidate) bool { return days(c.FirstQuote, signal.Day) < s.MinAgeDays })
	for _, name := range filterOrder {
		for _, f := range s.Filters {
			if f.Name == name {
				drop("filter:"+name, func(c Candidate) bool { return !f.passes(c) })
			}
		}
	}
	drop("no_value", func(c Candidate) bool { return math.IsNaN(s.sortValue(c)) })
	drop("no_family", func(c Candidate) bool { return s.Within == "family" && c.Family == "" })
	drop("no_weight", func(c Candidate) bool { return !usable(s.share(c)) })

	slices.SortFunc(left, func(a, b Candidate) int {
		order := cmp.Compare(s.sortValue(a), s.sortValue(b))
		if s.Descending {
			order = -order
		}
		return cmp.Or(order, cmp.Compare(a.ID, b.ID))
	})
	if s.OnePerFund {
		taken := map[int]bool{}
		drop("same_fund", func(c Candidate) bool {
			again := taken[c.Series.Run]
			taken[c.Series.Run] = true
			return again
		})
	}
	group := func(c Candidate) string {
		switch s.Within {
		case "family":
			return c.Family
		case "manager":
			return strconv.Itoa(c.ManagerID)
		}
		return ""
	}
	sizes, place := map[string]int{}, map[string]int{}
	var groups []string // in the order of their first series
	for _, c := range left {
		if sizes[group(c)]++; sizes[group(c)] == 1 {
			groups = append(groups, group(c))
		}
	}
	drop("not_in_top", func(c Candidate) bool {
		place[group(c)]++
		return place[group(c)] > s.first(sizes[group(c)])
	})
	slices.SortStableFunc(left, func(a, b Candidate) int {
		return cmp.Compare(slices.Index(groups, group(a)), slices.Index(groups, group(b)))
	})
	total := 0.0
	for _, c := range left {
		total += s.share(c)
	}
	for _, c := range left {
		chosen = append(chosen, Choice{c.ID, c.Series, s.sortValue(c), s.share(c) / total})
	}
	return chosen, universe, reasons
}

// accepts reports whether a series in a currency can be held.
func (s Strategy) accepts(currency string) bool {
	return currency == s.Currency || s.Convert && currency != ""
}

// first returns how many of n are selected.
func (s Strategy) first(n int) int {
	if s.Quantile == "" {
		return s.Top
	}
	part, ok := new(big.Rat).SetString(s.Quantile)
	if !ok {
		panic("backtestoracle: not a decimal: " + s.Quantile)
	}
	for k := range n + 1 { // the first whole number that is not below part × n
		if big.NewRat(int64(k), 1).Cmp(new(big.Rat).Mul(part, big.NewRat(int64(n), 1))) >= 0 {
			return k
		}
	}
	return n
}
