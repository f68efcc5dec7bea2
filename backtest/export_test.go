package backtest

import (
	"context"
	"math"
	"slices"

	"cuota/model"
)

// KeepNoLaterRows makes the source read the rows that were stated later in each statement, as it does if they
// are too many.
func (d *Database) KeepNoLaterRows() { d.mostLater = 0 }

// ReadTheMarket makes the source read the rows of the market, as it does if another version of the program built the batch.
func (d *Database) ReadTheMarket(ctx context.Context) error {
	_, err := d.Batch(ctx)
	d.described.value.ownRules = false
	return err
}

// Row is a candidate with its values. NaN is not known.
type Row struct {
	Listed
	Classified
	Currency     string // PESOS, DOLAR, or an empty text
	TACKind      string
	NotKnownThen bool
	LaterHistory Values
	Corrected    Values
	TAC          float64    // fraction
	EquityCLP    float64    // full pesos
	Returns      [8]float64 // fractions, by model.Windows, in the accounting currency
	Volatility12 float64    // fraction, per year
	Volatility36 float64    // fraction, per year
	Drawdown36   float64    // fraction, 0 or less
}

// values are the values of a row that a universe has in columns, by place in Sorts.
func (r *Row) values() map[sortPlace]*float64 {
	of := map[sortPlace]*float64{
		byTAC: &r.TAC, byVolatility12: &r.Volatility12, byVolatility36: &r.Volatility36, byDrawdown36: &r.Drawdown36, byEquity: &r.EquityCLP,
	}
	for i := range model.Windows {
		of[sortPlace(i)] = &r.Returns[i]
	}
	return of
}

// NewUniverse makes a universe of rows, which ascend by id, with all values.
func NewUniverse(rows []Row) *Universe {
	series := make([]Listed, len(rows))
	u := &Universe{}
	for i := range rows {
		r := &rows[i]
		series[i] = r.Listed
		of := traitOf(r.Currency)
		if r.Alive {
			of |= alive
		}
		if r.NotKnownThen {
			of |= unknownThen
		}
		kind := noKind
		if place := slices.Index(tacKinds[:], r.TACKind); place >= 0 {
			kind = uint8(place)
		}
		u.place, u.traits, u.kind = append(u.place, int32(i)), append(u.traits, of), append(u.kind, kind)
		u.class, u.classes = append(u.class, int32(i)), append(u.classes, r.Classified)
		u.laterHistory, u.corrected = append(u.laterHistory, r.LaterHistory), append(u.corrected, r.Corrected)
		for by, value := range r.values() {
			u.columns[by] = append(u.columns[by], *value)
		}
	}
	u.roster = newRoster(series)
	return u
}

// Rows returns the candidates of a universe with their values. Those that were not read are NaN.
func (u *Universe) Rows() []Row {
	rows := make([]Row, u.size())
	for at := range rows {
		i, r := int32(at), &rows[at]
		*r = Row{
			Listed: *u.listed(i), Classified: *u.classified(i), Currency: u.currency(i), TACKind: u.tacKind(i),
			NotKnownThen: u.traits[i]&unknownThen != 0,
		}
		if u.laterHistory != nil {
			r.LaterHistory = u.laterHistory[i]
		}
		if u.corrected != nil {
			r.Corrected = u.corrected[i]
		}
		for by, value := range r.values() {
			if *value = math.NaN(); u.columns[by] != nil {
				*value = u.columns[by][i]
			}
		}
	}
	return rows
}
