package model

import "time"

// SeriesName identifies a series for a person who chooses one.
type SeriesName struct {
	IDs    []string `ch:"ids"`    // all ids that find the series, decimal or UUID; replies and pages show the first
	Fund   string   `ch:"fund"`   // name of the fund
	RUN    string   `ch:"run"`    // of the fund, with check digit
	Serie  string   `ch:"serie"`  // name of the series at the cutoff
	Closed bool     `ch:"closed"` // the series has ended

	// Change is that of the quota on the day of the newest row, ChangeOn, as a fraction of the quota before, which is
	// at most 7 days older. Both are nil across a break (RULES 7), if the newest row was rejected or has an unknown
	// currency, for book values of investment funds, and where a statement does not ask for them.
	Change   *float64   `ch:"change"`
	ChangeOn *time.Time `ch:"change_on"`
}
