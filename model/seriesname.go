package model

import "time"

// SeriesName identifies a series for a person who chooses one.
type SeriesName struct {
	IDs    []string `ch:"ids"`    // all ids that find the series, decimal or UUID; replies and pages show the first
	Fund   string   `ch:"fund"`   // name of the fund
	RUN    string   `ch:"run"`    // of the fund, with check digit
	Serie  string   `ch:"serie"`  // name of the series at the cutoff
	Closed bool     `ch:"closed"` // the series has ended

	// The change on the day of its newest row, from a quota value of at most 7 days before, a fraction, and that day.
	// Null across a break (RULES 7), if the newest row was rejected, for book values of investment funds, and where a
	// statement does not ask for it.
	Change   *float64   `ch:"change"`
	ChangeOn *time.Time `ch:"change_on"`
}
