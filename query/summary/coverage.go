package summary

// Coverage says how much of a group a figure comes from (RULES 7, coverage).
type Coverage struct {
	Series      uint64   `json:"series"`       // members that give the figure
	OfSeries    uint64   `json:"of_series"`    // all members
	EquityShare *float64 `json:"equity_share"` // fraction of the equity of all; nil if they have none
}

// FigureCoverage is the coverage of a figure that may be null.
type FigureCoverage struct {
	Coverage
	// Reason is lowCoverage if the figure is null, because too few members give it, else nil.
	Reason *string `json:"reason"`
}

// lowCoverage is the reason of a figure that fewer than three series of two funds give, or series with less than
// half of the equity of the group.
const lowCoverage = "low_coverage"

// coverageOf returns the coverage of a figure.
func coverageOf(figure *float64, series, of uint64, share *float64) FigureCoverage {
	out := FigureCoverage{Coverage: Coverage{series, of, share}}
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
