package backtest

import (
	"math"

	"cuota/model"
)

// KeepNoLaterRows makes the source read the rows that were stated later in each statement, as it does if they
// are too many.
func (d *Database) KeepNoLaterRows() { d.mostLater = 0 }

// Row is a candidate with its values. NaN is not known.
type Row struct {
	Candidate
	TAC          float64    // fraction
	EquityCLP    float64    // full pesos
	Returns      [8]float64 // fractions, by model.Windows, in the accounting currency
	Volatility12 float64    // fraction, per year
	Volatility36 float64    // fraction, per year
	Drawdown36   float64    // fraction, 0 or less
}

// values are the values of a row that a universe has, by place in Sorts.
func (r *Row) values() map[sortPlace]*float64 {
	of := map[sortPlace]*float64{
		byTAC: &r.TAC, byVolatility12: &r.Volatility12, byVolatility36: &r.Volatility36, byDrawdown36: &r.Drawdown36, byEquity: &r.EquityCLP,
	}
	for i := range model.Windows {
		of[sortPlace(i)] = &r.Returns[i]
	}
	return of
}

// NewUniverse makes a universe of rows, which ascend by id.
func NewUniverse(rows []Row) *Universe {
	candidates, fund, funds := make([]Candidate, len(rows)), make([]int32, len(rows)), numbers[uint32]{}
	var columns [sortPlaces][]float64
	for i := range rows {
		candidates[i], fund[i] = rows[i].Candidate, funds.of(rows[i].Fund)
		for by, value := range rows[i].values() {
			columns[by] = append(columns[by], *value)
		}
	}
	return newUniverse(candidates, columns, fund, len(funds))
}

// Rows gives the candidates of a universe with their values. Those that were not read are NaN.
func (u *Universe) Rows() []Row {
	rows := make([]Row, len(u.Candidates))
	for i := range rows {
		rows[i].Candidate = u.Candidates[i]
		for by, value := range rows[i].values() {
			if *value = math.NaN(); u.columns[by] != nil {
				*value = u.columns[by][i]
			}
		}
	}
	return rows
}
