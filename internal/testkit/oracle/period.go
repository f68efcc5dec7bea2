package oracle

import (
	"math"
	"time"
)

// toleranceDays is how many days older than a target date a quote may be.
const toleranceDays = 7

// maxGapDays is the longest allowed time in days between two quotes. A longer gap breaks a
// series.
const maxGapDays = 31

// Windows are the return windows, in the order of the API.
var Windows = [...]string{"1m", "3m", "6m", "1y", "ytd", "3y_ann", "5y_ann", "last_closed_month"}

// Period is one return, or the reason why there is none (RULES 1). Dates are YYYY-MM-DD. ""
// means null.
type Period struct {
	Value    *float64 // fraction, not percent; nil if unavailable
	Currency string   // PESOS, DOLAR or UF; empty if unavailable
	Basis    string   // price or total, which RULES 4 compares
	Status   string   // available or unavailable
	Reason   string   // empty if available

	TargetStart, TargetEnd string
	// The dates of the quotes found, even if there is no return.
	EffectiveStart, EffectiveEnd string
}

// Period returns the price return of a series in its accounting currency, over a window of
// [Windows] that ends at asOf. The zero time means that no date was requested and that there is
// no complete date. Period panics if the window is unknown.
//
// It never returns the reason no_closed_month, because every date has a month end on or before
// it.
func (m *Market) Period(run int, serie string, asOf time.Time, window string) Period {
	if asOf.IsZero() {
		return Period{Basis: "price", Status: "unavailable", Reason: "no_complete_cutoff"}
	}
	start, end, years := targets(midnight(asOf), window)
	return m.between(Series{run, SerieName(serie)}, start, end, years)
}

// Between returns the price return of a series in its accounting currency between any two days.
func (m *Market) Between(run int, serie string, start, end time.Time) Period {
	return m.between(Series{run, SerieName(serie)}, midnight(start), midnight(end), 1)
}

// between returns the return between two days, per year if it is over several years.
func (m *Market) between(of Series, start, end time.Time, years int) Period {
	p := Period{Basis: "price", Status: "unavailable", TargetStart: iso(start), TargetEnd: iso(end)}
	quotes := m.quotes[of]
	s, e := newest(quotes, start), newest(quotes, end)
	if s >= 0 {
		p.EffectiveStart = iso(quotes[s].day)
	}
	if e >= 0 {
		p.EffectiveEnd = iso(quotes[e].day)
	}
	p.Reason = obstacle(quotes, s, e, start, end)
	if p.Reason == "" && m.brokenBetween(of, quotes[s].day, quotes[e].day) {
		p.Reason = "known_discontinuity"
	}
	if p.Reason != "" {
		return p
	}
	value := quotes[e].quota/quotes[s].quota - 1
	if years > 1 {
		value = math.Pow(quotes[e].quota/quotes[s].quota, 1/float64(years)) - 1
	}
	if !finite(value) {
		p.Reason = "non_finite_return"
		return p
	}
	p.Value = &value
	p.Currency = quotes[e].currency()
	p.Status = "available"
	return p
}

// targets returns the target dates of a window and the years over which its return is annualised.
func targets(asOf time.Time, window string) (start, end time.Time, years int) {
	switch window {
	case "1m":
		return monthsBefore(asOf, 1), asOf, 1
	case "3m":
		return monthsBefore(asOf, 3), asOf, 1
	case "6m":
		return monthsBefore(asOf, 6), asOf, 1
	case "1y":
		return monthsBefore(asOf, 12), asOf, 1
	case "ytd":
		return Date(asOf.Year()-1, time.December, 31), asOf, 1
	case "3y_ann":
		return monthsBefore(asOf, 36), asOf, 3
	case "5y_ann":
		return monthsBefore(asOf, 60), asOf, 5
	case "last_closed_month":
		end = lastMonthEnd(asOf)
		return endOfMonthBefore(end), end, 1
	}
	panic("oracle: no such window: " + window)
}

// obstacle returns the first reason, in the order of RULES 1, why the quotes at indices s and e
// (-1 if absent) give no return, or "".
func obstacle(quotes []quote, s, e int, start, end time.Time) string {
	switch {
	case e < 0:
		return "missing_end_quote"
	case !quotes[e].valid():
		return "invalid_end_quote"
	case daysApart(quotes[e].day, end) > toleranceDays:
		return "stale_end_quote"
	case s < 0:
		return "missing_start_quote"
	case !quotes[s].valid():
		return "invalid_start_quote"
	case daysApart(quotes[s].day, start) > toleranceDays:
		return "stale_start_quote"
	case quotes[s].currency() == "" || quotes[e].currency() == "":
		return "unknown_currency"
	case currencyChanges(quotes[s : e+1]):
		return "currency_change"
	case discontinuous(quotes[s : e+1]):
		return "known_discontinuity"
	}
	return ""
}

// currencyChanges reports whether the currency changes anywhere in the span, even if it changes
// back. The first quote must be valid. Void quotes are ignored.
func currencyChanges(span []quote) bool {
	before := span[0]
	for _, q := range span[1:] {
		if q.void {
			continue
		}
		if q.currency() != before.currency() {
			return true
		}
		before = q
	}
	return false
}

// discontinuous reports whether the quotes of a span are not one continuous series: there was an
// interruption or a redenomination. Events on the first day are before the span.
func discontinuous(span []quote) bool { return interrupted(span) || redenominated(span) }

// interrupted reports whether, after the first quote, there is a gap of more than 31 days, a
// restart from an equity of 0, or a change of unit that only the rows themselves show. A void
// quote closes a gap. Its values are unknown, so the other two are detected across it.
func interrupted(span []quote) bool {
	empty, before := !span[0].void && span[0].equity == 0, span[0]
	for i := 1; i < len(span); i++ {
		q := span[i]
		if daysApart(span[i-1].day, q.day) > maxGapDays {
			return true
		}
		if q.void {
			continue
		}
		if empty && q.equity > 0 || changesUnit(before, q) {
			return true
		}
		empty, before = q.equity == 0, q
	}
	return false
}

// redenominated reports whether a factor de ajuste is stated after the first quote.
func redenominated(span []quote) bool {
	for _, q := range span[1:] {
		if !q.void && q.adjust != 0 && q.adjust != 1 {
			return true
		}
	}
	return false
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
