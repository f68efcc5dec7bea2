package backtest

import (
	"slices"

	"cuota/model"
)

// Values is a set of what is known of a candidate. A run reads only the values that its strategy names. The first bits are the
// returns, in the order of model.Windows.
type Values uint16

// Values besides the returns.
const (
	RowValues    Values = 1 << (8 + iota) // of the row that stands on the day, without its equity; every run reads them
	EquityValues                          // equity of that row
	CostValues                            // TAC, its kind, and the investor class that came with it
	RiskValues                            // volatilities and drawdown
	RatingValues                          // what is classified
)

const (
	windowValues Values = 1<<8 - 1
	// AllValues has every value of a candidate.
	AllValues = windowValues | RowValues | EquityValues | CostValues | RiskValues | RatingValues
)

// windowValue is the return over a window, by its place in model.Windows.
func windowValue(window int) Values { return 1 << window }

// has reports whether all of some values are in the set.
func (v Values) has(some Values) bool { return v&some == some }

// sortPlace is the place of a value in Sorts. The first ones are the returns (fractions, in the accounting currency), in the order of
// model.Windows.
type sortPlace int

// Places in Sorts after the returns.
const (
	byTAC          sortPlace = 8 + iota // fraction
	bySpheres                           // 1 to 5
	byVolatility12                      // fraction, per year
	byVolatility36                      // fraction, per year
	byDrawdown36                        // fraction, 0 or less
	byEquity                            // full pesos
	byID
	sortPlaces // number of Sorts
)

// Sorts are the values by which series can be sorted (section 3).
var Sorts = slices.Concat(model.Windows, []string{
	byTAC - 8: "tac", bySpheres - 8: "cmf_spheres", byVolatility12 - 8: "volatility_12m", byVolatility36 - 8: "volatility_36m",
	byDrawdown36 - 8: "max_drawdown_36m", byEquity - 8: "equity_clp", byID - 8: "id",
})

// sortPlaceOf returns the place of a sort, which must be one of Sorts.
func sortPlaceOf(by string) sortPlace { return sortPlace(slices.Index(Sorts, by)) }

// values returns the set that a value belongs to. The id belongs to none.
func (p sortPlace) values() Values {
	switch p {
	case byTAC:
		return CostValues
	case bySpheres:
		return RatingValues
	case byVolatility12, byVolatility36, byDrawdown36:
		return RiskValues
	case byEquity:
		return EquityValues
	case byID:
		return 0
	}
	return windowValue(int(p))
}

// hasColumn reports whether universes have a column of the value.
func (p sortPlace) hasColumn() bool { return p != bySpheres && p != byID }
