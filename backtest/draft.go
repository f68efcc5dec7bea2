package backtest

import "math"

// Draft is a universe that a source is making. The source adds all candidates, then sets a column for each value that
// it was asked for, and then corrects and marks what was known differently at the signal. Lists that it sets are
// kept, not copied. The index of a candidate is its place in the order in which they were added.
type Draft struct{ universe *Universe }

// NewDraft returns the draft of a universe of series of a roster, with room for so many candidates.
func NewDraft(roster *Roster, room int) *Draft {
	return &Draft{&Universe{roster: roster, place: make([]int32, 0, room), traits: make([]trait, 0, room)}}
}

// Universe ends the draft.
func (d *Draft) Universe() *Universe { return d.universe }

// Add adds the series at a place of the roster, and returns its index. Places ascend.
func (d *Draft) Add(place int32, currency Currency) (index int32) {
	u, of := d.universe, trait(currency)
	if u.roster.alive[place] {
		of |= alive
	}
	u.place, u.traits = append(u.place, place), append(u.traits, of)
	return int32(len(u.place) - 1)
}

// Places returns the places of the candidates in the roster.
func (d *Draft) Places() []int32 { return d.universe.place }

// SetColumn sets a value of all candidates, in the unit of its place in Sorts. NaN is not known. BySpheres and ByID
// have no column: classes have the spheres, and the roster has the id.
func (d *Draft) SetColumn(by SortPlace, values []float64) { d.universe.columns[by] = values }

// SetTACKinds sets the kinds of the cost rates, as indexes of TACKinds, or NoTACKind. It comes with the column ByTAC.
func (d *Draft) SetTACKinds(kinds []uint8) { d.universe.kind = kinds }

// SetClasses sets what catalogues say of the candidates, as indexes of classes. Other universes may share classes.
func (d *Draft) SetClasses(indexes []int32, classes []Classified) {
	d.universe.class, d.universe.classes = indexes, classes
}

// MarkUnknownThen says that the quote of a candidate arrived later than the order day.
func (d *Draft) MarkUnknownThen(i int32) { d.universe.traits[i] |= unknownThen }

// MarkLater says that values of a candidate were first stated more than 62 days after their day.
func (d *Draft) MarkLater(i int32, values Values) { d.mark(&d.universe.laterHistory, i, values) }

// markCorrected says that values of a candidate were corrected later.
func (d *Draft) markCorrected(i int32, values Values) { d.mark(&d.universe.corrected, i, values) }

// mark adds values to those of a candidate, in a list that is made when it has the first ones.
func (d *Draft) mark(list *[]Values, i int32, values Values) {
	if *list == nil {
		*list = make([]Values, d.universe.size())
	}
	(*list)[i] |= values
}

// Correct replaces a value of a candidate and marks it as corrected, if its column is set and has another value. NaN
// is not known.
func (d *Draft) Correct(i int32, by SortPlace, value float64) {
	if d.universe.columns[by] == nil {
		return
	}
	of := &d.universe.columns[by][i]
	if *of != value && !(math.IsNaN(*of) && math.IsNaN(value)) {
		*of = value
		d.markCorrected(i, by.values())
	}
}

// CorrectCurrency replaces the currency of a candidate and marks its row as corrected, if it had another one.
func (d *Draft) CorrectCurrency(i int32, currency Currency) {
	then, now := trait(currency), d.universe.traits[i]&(inPesos|inDollars)
	if then != now {
		d.markCorrected(i, RowValues)
	}
	d.universe.traits[i] = d.universe.traits[i]&^now | then
}

// ForgetTAC makes the cost rate of a candidate unknown, with its kind, and marks it as corrected. Both must be set.
func (d *Draft) ForgetTAC(i int32) {
	d.Correct(i, ByTAC, math.NaN())
	d.universe.kind[i] = NoTACKind
}
