package report

import (
	"cuota/internal/site/locale"
	"math"
	"reflect"
	"strconv"
	"strings"

	"cuota/backtest"
)

// words is a line of the strategy in words.
type words struct{ Name, Text string }

// strategyWords says a strategy in sentences.
func (p *page) strategyWords(s *backtest.Strategy) []words {
	l := p.language
	when := []string{p.coded("when", s.Rebalance, l.Day(s.From), l.Day(s.To))}
	if s.EntryLag != nil && s.ExitLag != nil && s.RedemptionDays != nil {
		when = append(when, p.say("lags", p.days(*s.EntryLag), p.days(*s.ExitLag), p.days(*s.RedemptionDays)))
	}
	universe := []string{p.coded("universe", s.Universe), p.coded("currency", s.Currency)}
	if s.Convert {
		universe = append(universe, p.say("convert"))
	} else {
		universe = append(universe, p.say("no_convert"))
	}
	if s.MinAgeDays > 0 {
		universe = append(universe, p.say("min_age", p.days(s.MinAgeDays)))
	}
	known := p.coded("known", s.Known)
	if s.ClassifiedLater {
		known += " " + p.say("classified_later")
	}
	selection := []string{p.coded("sorted", s.Order, p.coded("sort", s.Sort))}
	if s.Top > 0 {
		selection = append(selection, p.say("take_top", p.seriesCount(s.Top)))
	} else {
		selection = append(selection, p.say("take_quantile", l.Percent(s.Quantile, 1)))
	}
	if s.Within != "" {
		selection = append(selection, p.coded("within", s.Within))
	}
	if s.OnePerFund == nil || *s.OnePerFund {
		selection = append(selection, p.say("one_per_fund"))
	} else {
		selection = append(selection, p.say("many_per_fund"))
	}
	holding := []string{p.say("holding_exit"), p.say("holding_not")}
	if s.FollowExchanges {
		holding[1] = p.say("holding_follow")
	}
	benchmark, riskFree := p.say("none"), p.say("zero")
	if s.Benchmark != "" {
		benchmark = p.index(s.Benchmark)
	}
	if s.RiskFree != "" {
		riskFree = p.index(s.RiskFree)
	}
	return []words{
		{p.say("word_when"), strings.Join(when, " ")},
		{p.say("word_known"), known},
		{p.say("word_universe"), strings.Join(universe, " ")},
		{p.say("word_filters"), p.filters(s.Filter)},
		{p.say("word_selection"), strings.Join(selection, " ")},
		{p.say("word_weights"), p.coded("weights", s.Weights)},
		{p.say("word_holding"), strings.Join(holding, " ")},
		{p.say("word_benchmark"), benchmark},
		{p.say("word_risk_free"), riskFree},
	}
}

// filters lists the filters that leave out something, by the names that they have in the file.
func (p *page) filters(f backtest.Filter) string {
	var all []string
	of := reflect.ValueOf(f)
	for i := range of.NumField() {
		name := of.Type().Field(i).Tag.Get("toml")
		switch value := of.Field(i).Interface().(type) {
		case string:
			if value != "" {
				all = append(all, p.coded("filter", name, "“"+locale.Shown(value)+"”"))
			}
		case *int:
			if value != nil {
				all = append(all, p.coded("filter", name, strconv.Itoa(*value)))
			}
		case *float64:
			if value == nil {
				continue
			}
			text := p.language.Percent(*value, 2)
			if name == "equity_clp_min" {
				text = p.language.Number(*value, 0)
			}
			all = append(all, p.coded("filter", name, text))
		}
	}
	if len(all) == 0 {
		return p.say("no_filters")
	}
	return strings.Join(all, "; ") + "."
}

// index names a benchmark or a risk-free rate.
func (p *page) index(name string) string {
	kind, rest, _ := strings.Cut(name, ":")
	switch kind {
	case "family":
		family, currency := rest, ""
		if i := strings.LastIndexByte(rest, ':'); i >= 0 {
			family, currency = rest[:i], rest[i+1:]
		}
		return p.say("index_family", locale.Shown(family), p.coded("currency_name", currency))
	case "uf":
		return p.say("index_uf")
	case "rate":
		if rate, err := strconv.ParseFloat(rest, 64); err == nil {
			return p.say("index_rate", p.language.Percent(rate, 2))
		}
	case "symbol":
		return locale.Shown(rest)
	}
	return locale.Shown(name)
}

func (p *page) days(n int) string { return p.counted("day", n) }

func (p *page) seriesCount(n int) string { return p.counted("series", n) }

// counted returns a number with its noun.
func (p *page) counted(noun string, n int) string {
	if n == 1 {
		return p.say(noun + "_one")
	}
	return p.say(noun+"_many", p.language.Number(float64(n), 0))
}

// sorted returns the value by which a series was sorted.
func (p *page) sorted(sort string, value float64) string {
	switch sort {
	case "id":
		return strconv.FormatFloat(value, 'f', 0, 64)
	case "cmf_spheres", "equity_clp":
		return p.language.Number(value, 0)
	}
	return p.language.Percent(value, 2)
}

// tiny is a difference that two decimals of a percentage point do not show.
const tiny = .00005

func isTiny(difference float64) bool { return math.Abs(difference) < tiny }
