package market

import (
	"slices"

	"cuota/model"
	"cuota/query/facts"
	"cuota/query/operation"
)

// Comparability says whether values of several series can be compared, with every reason
// why not. It never changes the values.
//
// The rules are RULES 4 for returns and RULES 3 for spheres. They compare attributes that
// were read already, and are not in SQL.
type Comparability struct {
	Comparable bool     `json:"comparable"`
	Reasons    []string `json:"reasons"`
}

// Verdicts is the part of meta about the comparability of the series.
type Verdicts struct {
	Periods map[string]Comparability `json:"comparability"`
	Spheres Comparability            `json:"cmf_spheres_comparability"`
}

func comparabilities(compared []*Attributes) Verdicts {
	return Verdicts{comparePeriods(compared), compareSpheres(compared)}
}

// comparePeriods judges each window. A series without a value makes the window
// incomparable, and the other tests leave it out. The reason return_basis_mismatch never
// occurs here, because all returns are on price basis.
func comparePeriods(compared []*Attributes) map[string]Comparability {
	verdicts := make(map[string]Comparability, len(model.Windows))
	available := make([]*facts.ReturnPeriod, 0, len(compared))
	for i, window := range model.Windows {
		available = available[:0]
		for _, series := range compared {
			if period := &series.Returns.Periods[i]; period.Value != nil {
				available = append(available, period)
			}
		}
		verdicts[window] = judge(
			reasonIf(len(available) < len(compared), "unavailable_return"),
			reasonIf(differ(available, func(p *facts.ReturnPeriod) string {
				return operation.Value(p.Currency)
			}), "currency_mismatch"),
			reasonIf(differ(available, func(p *facts.ReturnPeriod) [2]model.Date {
				return [2]model.Date{operation.Value(p.EffectiveStart), operation.Value(p.EffectiveEnd)}
			}),
				"effective_dates_mismatch"),
		)
	}
	return verdicts
}

// compareSpheres judges the ratings. A rating is an ordinal within one family and investor
// class, on one date, by one method.
func compareSpheres(compared []*Attributes) Comparability {
	available := make([]*facts.Spheres, 0, len(compared))
	for _, series := range compared {
		if series.Spheres.Value != nil {
			available = append(available, &series.Spheres)
		}
	}
	return judge(
		reasonIf(len(available) < len(compared), "unavailable_indicator"),
		reasonIf(differ(available, func(s *facts.Spheres) [2]string {
			return [2]string{operation.Value(s.Family), operation.Value(s.InvestorType)}
		}),
			"comparison_group_mismatch"),
		reasonIf(differ(available, func(s *facts.Spheres) model.Date {
			return operation.Value(s.AsOfDate)
		}), "as_of_date_mismatch"),
		reasonIf(differ(available, func(s *facts.Spheres) [3]string {
			return [3]string{operation.Value(s.MethodologyURL), operation.Value(s.MethodologySHA256),
				operation.Value(s.MethodologyVersion)}
		}), "methodology_mismatch"),
	)
}

func judge(reasons ...string) Comparability {
	verdict := Comparability{Reasons: []string{}}
	for _, reason := range reasons {
		if reason != "" {
			verdict.Reasons = append(verdict.Reasons, reason)
		}
	}
	verdict.Comparable = len(verdict.Reasons) == 0
	return verdict
}

func reasonIf(applies bool, reason string) string {
	if applies {
		return reason
	}
	return ""
}

// differ reports whether any item has a key other than that of the first.
func differ[T any, K comparable](items []T, key func(T) K) bool {
	return slices.ContainsFunc(items, func(item T) bool { return key(item) != key(items[0]) })
}
