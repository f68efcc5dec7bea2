package model

import "time"

// SeriesName identifies a series for a person who chooses one.
type SeriesName struct {
	IDs    []string `ch:"ids"`    // all ids that find the series, decimal or UUID; replies and pages show the first
	Fund   string   `ch:"fund"`   // name of the fund
	RUN    string   `ch:"run"`    // of the fund, with check digit
	Serie  string   `ch:"serie"`  // name of the series at the cutoff
	Closed bool     `ch:"closed"` // the series has ended

	// The change of its newest quota value since the one before, a fraction, and the day of the newest one. Null
	// without one, across a break (RULES 7), for book values of investment funds, and where a statement does not ask for it.
	Change   *float64   `ch:"change"`
	ChangeOn *time.Time `ch:"change_on"`
}
