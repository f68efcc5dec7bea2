package report

import (
	"cmp"
	"cuota/internal/site/locale"
	"maps"
	"slices"
	"strings"

	"cuota/backtest"
)

// filterPrefix begins the reasons of filters.
const filterPrefix = "filter:"

// reasonOrder is the order of section 3. Filters stand together, in the order of their names.
var reasonOrder = []string{"not_known_then", "other_currency", "too_young", filterPrefix, "no_value", "no_family",
	"no_weight", "same_fund", "not_in_top"}

// reasons returns the reasons of counts in the order of section 3, and unknown ones at the end.
func reasons(counts map[string]int) []string {
	place := func(reason string) int {
		if strings.HasPrefix(reason, filterPrefix) {
			reason = filterPrefix
		}
		if i := slices.Index(reasonOrder, reason); i >= 0 {
			return i
		}
		return len(reasonOrder)
	}
	return slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(place(a), place(b)), cmp.Compare(a, b))
	})
}

// reason says why a series was excluded.
func (p *page) reason(code string) string {
	if name, is := strings.CutPrefix(code, filterPrefix); is {
		// The text of a filter begins with its name in words.
		words, _, _ := strings.Cut(p.coded("filter", name, ""), ":")
		return p.say("left_filter", locale.Shown(words), locale.Shown(name))
	}
	return p.coded("left", code)
}

// total adds the counts of several dates by reason.
func total(dates []backtest.Rebalancing) map[string]int {
	counts := map[string]int{}
	for _, date := range dates {
		for reason, n := range date.Excluded {
			counts[reason] += n
		}
	}
	return counts
}
