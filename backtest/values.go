package backtest

import (
	"slices"

	"cuota/model"
)

// Values is a set of what is known of a candidate. A run reads only the values that its strategy names. The first
// bits are the returns, in the order of model.Windows.
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
	// WindowValues are the returns over all windows.
	WindowValues Values = 1<<8 - 1
	// AllValues has every value of a candidate.
	AllValues = WindowValues | RowValues | EquityValues | CostValues | RiskValues | RatingValues
)

// WindowValue is the return over a window, by its place in model.Windows.
func WindowValue(window int) Values { return 1 << window }

// Has reports whether all of some values are in the set.
func (v Values) Has(some Values) bool { return v&some == some }

// SortPlace is the place of a value in Sorts. The first ones are the returns (fractions, in the accounting currency),
// in the order of model.Windows.
type SortPlace int

// Places in Sorts after the returns.
const (
	ByTAC          SortPlace = 8 + iota // fraction
	BySpheres                           // 1 to 5
	ByVolatility12                      // fraction, per year
	ByVolatility36                      // fraction, per year
	ByDrawdown36                        // fraction, 0 or less
	ByEquity                            // full pesos
	ByID
	sortPlaces // number of Sorts
)

// Sorts are the values by which series can be sorted (section 3).
var Sorts = slices.Concat(model.Windows, []string{
	ByTAC - 8: "tac", BySpheres - 8: "cmf_spheres", ByVolatility12 - 8: "volatility_12m",
	ByVolatility36 - 8: "volatility_36m",
	ByDrawdown36 - 8:   "max_drawdown_36m", ByEquity - 8: "equity_clp", ByID - 8: "id",
})

// sortPlaceOf returns the place of a sort, which must be one of Sorts.
func sortPlaceOf(by string) SortPlace { return SortPlace(slices.Index(Sorts, by)) }

// values returns the set that a value belongs to. The id belongs to none.
func (p SortPlace) values() Values {
	switch p {
	case ByTAC:
		return CostValues
	case BySpheres:
		return RatingValues
	case ByVolatility12, ByVolatility36, ByDrawdown36:
		return RiskValues
	case ByEquity:
		return EquityValues
	case ByID:
		return 0
	}
	return WindowValue(int(p))
}

// hasColumn reports whether universes have a column of the value.
func (p SortPlace) hasColumn() bool { return p != BySpheres && p != ByID }

// TACKinds are the kinds of cost rates, by the number that a universe has of each.
var TACKinds = [...]string{"synthetic", "stated", "computed"}

// NoTACKind is the number of a kind that is not known.
const NoTACKind = uint8(len(TACKinds))
