package backtest

import (
	"math"
	"slices"

	"cuota/model"
)

// Candidate is a candidate of a universe with its values. What is not known is empty, 0 or NaN, and so is what was
// not read.
type Candidate struct {
	Listed
	Classified
	Currency     string     // PESOS, DOLAR, or an empty text
	TACKind      string     // one of TACKinds, or an empty text
	NotKnownThen bool       // the quote of the day arrived later than the order day
	LaterHistory Values     // those that were first stated more than 62 days after their day
	Corrected    Values     // those that were corrected later
	TAC          float64    // fraction
	EquityCLP    float64    // full pesos
	Returns      [8]float64 // fractions, by model.Windows, in the accounting currency
	Volatility12 float64    // fraction, per year
	Volatility36 float64    // fraction, per year
	Drawdown36   float64    // fraction, 0 or less
}

// columns are the values of a candidate that universes have in columns, by their places in Sorts.
func (c *Candidate) columns() map[SortPlace]*float64 {
	of := map[SortPlace]*float64{
		ByTAC: &c.TAC, ByVolatility12: &c.Volatility12, ByVolatility36: &c.Volatility36, ByDrawdown36: &c.Drawdown36,
		ByEquity: &c.EquityCLP,
	}
	for i := range model.Windows {
		of[SortPlace(i)] = &c.Returns[i]
	}
	return of
}

// NewUniverse returns a universe of candidates, which ascend by id, with all their values. It is for sources that
// invent a market: a source of hundreds of thousands of candidates fills a [Draft].
func NewUniverse(candidates []Candidate) *Universe {
	n := len(candidates)
	series := make([]Listed, n)
	for i := range candidates {
		series[i] = candidates[i].Listed
	}
	d := NewDraft(NewRoster(series), n)
	kinds, indexes, classes := make([]uint8, n), make([]int32, n), make([]Classified, n)
	var columns [sortPlaces][]float64
	for place := range candidates {
		d.Add(int32(place), CurrencyOf(candidates[place].Currency))
	}
	for at := range candidates {
		i, c := int32(at), &candidates[at]
		if c.NotKnownThen {
			d.MarkUnknownThen(i)
		}
		d.MarkLater(i, c.LaterHistory)
		d.markCorrected(i, c.Corrected)
		kinds[i], indexes[i], classes[i] = NoTACKind, i, c.Classified
		if kind := slices.Index(TACKinds[:], c.TACKind); kind >= 0 {
			kinds[i] = uint8(kind)
		}
		for by, value := range c.columns() {
			columns[by] = append(columns[by], *value)
		}
	}
	d.SetTACKinds(kinds)
	d.SetClasses(indexes, classes)
	for by, values := range columns {
		d.SetColumn(SortPlace(by), values)
	}
	return d.Universe()
}

// Candidates returns the candidates one by one, by ascending id. It is for whoever looks at a universe: runs read its
// columns.
func (u *Universe) Candidates() []Candidate {
	list := make([]Candidate, u.size())
	for at := range list {
		i, c := int32(at), &list[at]
		*c = Candidate{
			Listed: *u.listed(i), Classified: *u.classified(i), Currency: u.currency(i), TACKind: u.tacKind(i),
			NotKnownThen: u.traits[i]&unknownThen != 0,
		}
		if u.laterHistory != nil {
			c.LaterHistory = u.laterHistory[i]
		}
		if u.corrected != nil {
			c.Corrected = u.corrected[i]
		}
		for by, value := range c.columns() {
			if *value = math.NaN(); u.columns[by] != nil {
				*value = u.columns[by][i]
			}
		}
	}
	return list
}
