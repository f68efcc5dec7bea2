package facts

// Coverage says how much of a group a figure comes from (RULES 7, coverage).
type Coverage struct {
	Series      uint64   `json:"series"`       // members that give the figure
	OfSeries    uint64   `json:"of_series"`    // all members
	EquityShare *float64 `json:"equity_share"` // fraction of the equity of all; nil if they have none
}
