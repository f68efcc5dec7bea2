package backtest

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

// has tells whether all of some values are in the set.
func (v Values) has(some Values) bool { return v&some == some }
