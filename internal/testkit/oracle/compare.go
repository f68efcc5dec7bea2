package oracle

// Comparability reports whether the same window of several series can be compared. If not, it
// returns all reasons, in the order of RULES 4: unavailable_return, currency_mismatch,
// effective_dates_mismatch, return_basis_mismatch. Unavailable members matter for the first
// reason only.
func Comparability(periods ...Period) (comparable bool, reasons []string) {
	var available []Period
	for _, p := range periods {
		if p.Status == "available" {
			available = append(available, p)
		}
	}
	var currency, dates, basis bool // at least one member differs from the first
	for _, p := range available {
		first := available[0]
		currency = currency || p.Currency != first.Currency
		dates = dates || p.EffectiveStart != first.EffectiveStart || p.EffectiveEnd != first.EffectiveEnd
		basis = basis || p.Basis != first.Basis
	}
	if len(available) < len(periods) {
		reasons = append(reasons, "unavailable_return")
	}
	if currency {
		reasons = append(reasons, "currency_mismatch")
	}
	if dates {
		reasons = append(reasons, "effective_dates_mismatch")
	}
	if basis {
		reasons = append(reasons, "return_basis_mismatch")
	}
	return len(reasons) == 0, reasons
}
