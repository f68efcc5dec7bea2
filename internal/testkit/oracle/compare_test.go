package oracle

import (
	"slices"
	"testing"
)

func TestComparabilityNamesEveryReasonInOrder(t *testing.T) {
	sound := Period{
		Status: "available", Currency: "PESOS", Basis: "price",
		EffectiveStart: "2025-01-31", EffectiveEnd: "2025-02-28",
	}
	with := func(change func(*Period)) Period {
		p := sound
		change(&p)
		return p
	}
	dollars := with(func(p *Period) { p.Currency = "DOLAR" })
	laterStart := with(func(p *Period) { p.EffectiveStart = "2025-02-01" })
	earlierEnd := with(func(p *Period) { p.EffectiveEnd = "2025-02-27" })
	total := with(func(p *Period) { p.Basis = "total" })
	unavailable := Period{Status: "unavailable", Reason: "missing_end_quote", Basis: "total"}
	otherTarget := with(func(p *Period) { p.TargetEnd = "2025-03-01" })

	for name, c := range map[string]struct {
		periods []Period
		want    []string
	}{
		"one alone":             {[]Period{sound}, nil},
		"alike":                 {[]Period{sound, sound, sound}, nil},
		"targets don't count":   {[]Period{sound, otherTarget}, nil},
		"currency":              {[]Period{sound, sound, dollars}, []string{"currency_mismatch"}},
		"start":                 {[]Period{sound, laterStart}, []string{"effective_dates_mismatch"}},
		"end":                   {[]Period{sound, earlierEnd}, []string{"effective_dates_mismatch"}},
		"basis":                 {[]Period{sound, total}, []string{"return_basis_mismatch"}},
		"one unavailable":       {[]Period{unavailable, sound, sound}, []string{"unavailable_return"}},
		"all unavailable":       {[]Period{unavailable, unavailable}, []string{"unavailable_return"}},
		"unavailable and alone": {[]Period{unavailable}, []string{"unavailable_return"}},
		"all at once": {
			[]Period{sound, total, laterStart, dollars, unavailable},
			[]string{"unavailable_return", "currency_mismatch", "effective_dates_mismatch", "return_basis_mismatch"},
		},
	} {
		comparable, reasons := Comparability(c.periods...)
		if !slices.Equal(reasons, c.want) || comparable != (len(c.want) == 0) {
			t.Errorf("%s: %v %v", name, comparable, reasons)
		}
	}
}
