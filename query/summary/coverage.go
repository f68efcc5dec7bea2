package summary

import "cuota/query/facts"

// FigureCoverage is the coverage of a figure that may be null.
type FigureCoverage struct {
	facts.Coverage
	// Reason is lowCoverage if the figure is null, because too few members give it, else nil.
	Reason *string `json:"reason"`
}

// lowCoverage is the reason of a figure that fewer than three series of two funds give, or series with less than
// half of the equity of the group.
const lowCoverage = "low_coverage"

// coverageOf returns the coverage of a figure.
func coverageOf(figure *float64, series, of uint64, share *float64) FigureCoverage {
	out := FigureCoverage{Coverage: facts.Coverage{Series: series, OfSeries: of, EquityShare: share}}
	if figure == nil {
		out.Reason = new(lowCoverage)
	}
	return out
}

// ChangeCoverage is the coverage of the changes of a family.
type ChangeCoverage struct {
	Daily   FigureCoverage `json:"dailyChange"`
	Monthly FigureCoverage `json:"monthlyChange"`
}
