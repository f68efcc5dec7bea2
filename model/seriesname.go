package model

// SeriesName identifies a series for a person who chooses one.
type SeriesName struct {
	IDs    []string `ch:"ids"`    // all ids that find the series, decimal or UUID; replies and pages show the first
	Fund   string   `ch:"fund"`   // name of the fund
	RUN    string   `ch:"run"`    // of the fund, with check digit
	Serie  string   `ch:"serie"`  // name of the series at the cutoff
	Closed bool     `ch:"closed"` // the series has ended
}
