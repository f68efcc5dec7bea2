package backtest

import (
	"math"
	"math/bits"
	"sync/atomic"
)

// Universe is the candidates of a signal with their values, and what all strategies that select among them need of
// them. A source makes it with a [Draft]. Runs share it, so it must not be changed. What it has of each candidate is
// in lists without pointers, which the garbage collector skips: a run makes hundreds of thousands of candidates.
type Universe struct {
	roster *Roster
	// By candidate, ascending by id.
	place  []int32 // index in the series of the roster
	traits []trait
	class  []int32 // index in classes; nil if nothing that is classified was read
	kind   []uint8 // index in TACKinds; NoTACKind without a cost rate; nil if cost rates were not read
	// Of the values that were asked for, those that were first stated more than 62 days after their day, and those that
	// differ from the values of the batch, because they were corrected later (section 2). Each is nil if no candidate
	// has any.
	laterHistory, corrected []Values
	// columns are the values by SortPlace and candidate, in the units of SortPlace. NaN is not known. A column is nil
	// if it was not read, and always for the spheres and the id, which classes and roster have.
	columns [sortPlaces][]float64

	classes []Classified                       // may also have those of other universes
	orders  [sortPlaces]atomic.Pointer[orders] // nil until one is asked for
}

// Roster is all series of a batch. Universes share it, so it must not be changed. A place is the index of a series in
// it.
type Roster struct {
	series []Listed // by ascending id
	// ids, alive and fund repeat fields of series in much less memory, for loops over all candidates.
	ids   []uint32
	alive []bool  // at the cutoff
	fund  []int32 // number of the fund
	funds int     // number of funds; their numbers are less
}

// NewRoster returns the roster of series that ascend by id. It keeps the list.
func NewRoster(series []Listed) *Roster {
	funds := map[uint32]int32{} // their numbers
	n := len(series)
	r := &Roster{series: series, ids: make([]uint32, n), alive: make([]bool, n), fund: make([]int32, n)}
	for place := range series {
		of := &series[place]
		number, known := funds[of.Fund]
		if !known {
			number = int32(len(funds))
			funds[of.Fund] = number
		}
		r.ids[place], r.alive[place], r.fund[place] = of.Series, of.Alive, number
	}
	r.funds = len(funds)
	return r
}

// Series returns the series by ascending id.
func (r *Roster) Series() []Listed { return r.series }

// IDs returns the ids of the series, ascending.
func (r *Roster) IDs() []uint32 { return r.ids }

// orders are indexes of the candidates that have a value, sorted by it in both directions. Ties ascend by id.
type orders struct {
	ascending, descending []int32
	values                []float64 // by candidate; NaN if it is not known
}

// trait is what decides for most candidates whether a strategy can select them.
type trait uint8

const (
	alive       trait = 1 << iota // at the cutoff of the batch
	unknownThen                   // the quote of the day arrived later than the order day
	inPesos
	inDollars
	traitSets // number of sets of traits
)

// Currency is the accounting currency of a candidate.
type Currency uint8

// Currencies. Their numbers are those of the traits.
const (
	OtherCurrency Currency = 0 // also if it is not known
	Pesos                  = Currency(inPesos)
	Dollars                = Currency(inDollars)
)

// CurrencyOf returns the currency that texts call PESOS or DOLAR.
func CurrencyOf(text string) Currency {
	switch text {
	case "PESOS":
		return Pesos
	case "DOLAR":
		return Dollars
	}
	return OtherCurrency
}

// size is the number of candidates.
func (u *Universe) size() int { return len(u.place) }

// listed returns what a candidate is on all dates.
func (u *Universe) listed(i int32) *Listed { return &u.roster.series[u.place[i]] }

// classified returns what catalogues say of a candidate.
func (u *Universe) classified(i int32) *Classified {
	if u.class == nil {
		return &unclassified
	}
	return &u.classes[u.class[i]]
}

// unclassified is what catalogues say if they were not read.
var unclassified Classified

// currency returns the currency of a candidate: PESOS, DOLAR, or an empty text.
func (u *Universe) currency(i int32) string {
	switch {
	case u.traits[i]&inPesos != 0:
		return "PESOS"
	case u.traits[i]&inDollars != 0:
		return "DOLAR"
	}
	return ""
}

// tacKind returns the kind of the cost rate of a candidate; an empty text if there is none, or if it was not read.
func (u *Universe) tacKind(i int32) string {
	if u.kind == nil || u.kind[i] == NoTACKind {
		return ""
	}
	return TACKinds[u.kind[i]]
}

// countAlive counts the candidates that are alive at the cutoff of the batch.
func (u *Universe) countAlive() (n int) {
	for _, of := range u.traits {
		if of&alive != 0 {
			n++
		}
	}
	return n
}

// vintage counts what some values of the candidates were known from.
func (u *Universe) vintage(values Values) Vintage {
	out := Vintage{Candidates: u.size()}
	for _, of := range u.traits {
		if of&unknownThen != 0 {
			out.NotKnownThen++
		}
	}
	for _, of := range u.laterHistory {
		if of&values != 0 {
			out.LaterHistory++
		}
	}
	for _, of := range u.corrected {
		if of&values != 0 {
			out.Corrected++
		}
	}
	return out
}

// Bytes returns how much memory a universe takes, at most, with the orders that runs ask for. What universes share is
// not counted.
func (u *Universe) Bytes() int { return u.size() * candidateBytes }

// candidateBytes is what a universe keeps of a candidate in bytes, at most: place, traits, class, kind and two marks;
// then a column and two orders for each sort.
const candidateBytes = 4 + 1 + 4 + 1 + 2*2 + int(sortPlaces)*(2*4+8)

// order returns the indexes of the candidates that have the value, sorted by it, and the values by candidate. Ties
// ascend by id.
func (u *Universe) order(by SortPlace, descending bool) (indexes []int32, values []float64) {
	kept := &u.orders[by]
	sorted := kept.Load()
	if sorted == nil { // two runs may sort at once, with the same result
		sorted = u.sort(by)
		kept.Store(sorted)
	}
	if descending {
		return sorted.descending, sorted.values
	}
	return sorted.ascending, sorted.values
}

// column returns the values by candidate. NaN is not known.
func (u *Universe) column(by SortPlace) []float64 {
	if by.hasColumn() {
		return u.columns[by]
	}
	column := make([]float64, u.size())
	for i := range column {
		switch by {
		case ByID:
			column[i] = float64(u.listed(int32(i)).Series)
		case BySpheres:
			if column[i] = float64(u.classified(int32(i)).Spheres); column[i] == 0 {
				column[i] = math.NaN()
			}
		}
	}
	return column
}

// sort sorts whole numbers, which is fast: the first 44 bits of the value, with the index in the others. Values that
// differ only after that are put in order at the end.
func (u *Universe) sort(by SortPlace) *orders {
	values := u.column(by)
	keys := make([]uint64, 0, len(values))
	indexBits := max(64-4*digitBits, bits.Len(uint(len(values))))
	indexes := uint64(1)<<indexBits - 1
	for i, v := range values {
		if !math.IsNaN(v) {
			keys = append(keys, ascending(v+0)&^indexes|uint64(i)) // adding 0 turns -0 into 0
		}
	}
	keys = sortedFrom(indexBits, keys)
	out := &orders{make([]int32, len(keys)), make([]int32, 0, len(keys)), values}
	for n, key := range keys {
		i, at := int32(key&indexes), n
		for ; at > 0 && values[out.ascending[at-1]] > values[i]; at-- {
			out.ascending[at] = out.ascending[at-1]
		}
		out.ascending[at] = i
	}
	for end := len(keys); end > 0; { // equal values stay as they are
		begin := end - 1
		for begin > 0 && values[out.ascending[begin-1]] == values[out.ascending[begin]] {
			begin--
		}
		out.descending = append(out.descending, out.ascending[begin:end]...)
		end = begin
	}
	return out
}

// digitBits is the size of a digit of sortedFrom.
const digitBits = 11

// sortedFrom sorts keys by their bits from a place on, one digit after the other. Keys with equal bits stay in their
// order. It takes a seventh of the time of slices.Sort for 2,600 values. It overwrites the keys.
func sortedFrom(place int, keys []uint64) []uint64 {
	sorted := make([]uint64, len(keys))
	for ; place < 64; place += digitBits {
		var next [1 << digitBits]int32 // by digit: where the next key with it goes
		for _, key := range keys {
			next[key>>place%uint64(len(next))]++
		}
		at := int32(0)
		for digit, count := range next {
			next[digit] = at
			at += count
		}
		for _, key := range keys {
			to := &next[key>>place%uint64(len(next))]
			sorted[*to] = key
			*to++
		}
		keys, sorted = sorted, keys
	}
	return keys
}

// ascending returns a whole number that is greater for a greater value.
func ascending(value float64) uint64 {
	whole := math.Float64bits(value)
	if value < 0 {
		return ^whole
	}
	return whole | 1<<63
}
