package oracle

import "time"

// longestBusinessDay is how many days at most follow a business day before the next one.
const longestBusinessDay = 7

// Reasons why a row has no flow of a business day.
const (
	incompleteBusinessDay = "incomplete_business_day"
	notABusinessDay       = "not_a_business_day" // its flow is in that of the business day before
)

// Flow is the net contribution of a series on a business day (RULES 8), in its currency.
type Flow struct {
	Value  *float64
	Until  string // last calendar day that counts; empty without a value
	Reason string // empty with a value
}

// Flow returns the flow of the business day that begins on a day with a valid row of a series, from
// all rows up to a last day.
func (m *Market) Flow(run int, serie string, day, last time.Time) Flow {
	series := Series{run, SerieName(serie)}
	day, last = midnight(day), midnight(last)
	at := quoteOn(m.quotes[series], day)
	if at < 0 {
		return Flow{Reason: incompleteBusinessDay}
	}
	currency := m.quotes[series][at].moneda
	if opens, _ := m.directions(currency, day); !opens {
		begun, found := m.businessDay(currency, day)
		if before := quoteOn(m.quotes[series], begun); found && before >= 0 &&
			m.quotes[series][before].moneda == currency {
			return Flow{Reason: notABusinessDay}
		}
		return Flow{Reason: incompleteBusinessDay}
	}
	until, ended := m.endOfBusinessDay(currency, day, last)
	if !ended {
		return Flow{Reason: incompleteBusinessDay}
	}
	sum := 0.0
	for d := day; !d.After(until); d = d.AddDate(0, 0, 1) {
		at := quoteOn(m.quotes[series], d)
		if at < 0 || m.quotes[series][at].moneda != currency {
			return Flow{Reason: incompleteBusinessDay}
		}
		q := m.quotes[series][at]
		sum += (q.contributed - q.redeemed) * q.quota
	}
	return Flow{Value: &sum, Until: iso(until)}
}

// FlowKnownOn returns the flow of the newest business day of a series with a valid row on a day, from
// rows up to that day.
func (m *Market) FlowKnownOn(run int, serie string, day time.Time) Flow {
	quotes := m.quotes[Series{run, SerieName(serie)}]
	at := quoteOn(quotes, midnight(day))
	if at < 0 {
		return Flow{Reason: incompleteBusinessDay}
	}
	begun, found := m.businessDay(quotes[at].moneda, midnight(day))
	if before := quoteOn(quotes, begun); !found || before < 0 || quotes[before].moneda != quotes[at].moneda {
		return Flow{Reason: incompleteBusinessDay}
	}
	return m.Flow(run, serie, begun, day)
}

// directions reports of a currency and day whether most of the series with a flow have contributions,
// which begins a business day, and whether most of them have redemptions, which ends one. One series
// in twenty must have them, because single rows of a weekend say nothing of the market.
func (m *Market) directions(currency string, day time.Time) (opens, closes bool) {
	quoted, contributing, redeeming, moving := 0, 0, 0, 0
	for _, quotes := range m.quotes {
		at := quoteOn(quotes, day)
		if at < 0 || quotes[at].moneda != currency {
			continue
		}
		quoted++
		in, out := quotes[at].contributed > 0, quotes[at].redeemed > 0
		if in {
			contributing++
		}
		if out {
			redeeming++
		}
		if in || out {
			moving++
		}
	}
	const fewest = 20
	return fewest*contributing >= quoted && 2*contributing > moving, fewest*redeeming >= quoted && 2*redeeming > moving
}

// businessDay returns the newest business day on or before a day, at most seven days before.
func (m *Market) businessDay(currency string, day time.Time) (begun time.Time, found bool) {
	for ago := range longestBusinessDay + 1 {
		if opens, _ := m.directions(currency, day.AddDate(0, 0, -ago)); opens {
			return day.AddDate(0, 0, -ago), true
		}
	}
	return time.Time{}, false
}

// endOfBusinessDay returns the last calendar day of a business day: the day before the next one, or if
// none is known, the last day with redemptions.
func (m *Market) endOfBusinessDay(currency string, begun, last time.Time) (until time.Time, ended bool) {
	for after := range longestBusinessDay + 1 {
		day := begun.AddDate(0, 0, after)
		if day.After(last) {
			break
		}
		opens, closes := m.directions(currency, day)
		if opens && after > 0 {
			return day.AddDate(0, 0, -1), true
		}
		if closes {
			until, ended = day, true
		}
	}
	return until, ended
}
