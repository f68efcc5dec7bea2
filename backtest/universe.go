package backtest

import (
	"math"
	"math/bits"
	"sync/atomic"
)

// Universe is the candidates of a signal with their values, and what all strategies that select among them need of them. Runs
// share it, so its candidates and columns must not be changed.
type Universe struct {
	Candidates []Candidate // by ascending id

	// columns are the values by sortPlace and candidate, in the units of sortPlace. NaN is not known. A column is nil if it was
	// not read, and always if the candidates have the value.
	columns [sortPlaces][]float64

	alive   int
	funds   int // number of funds of the batch; the numbers in fund are less
	classes int
	// Of each candidate what every strategy asks, in lists of their own: they are much shorter than the candidates.
	series []uint32
	fund   []int32 // number of the fund, from 0
	class  []int32 // number of what is classified, from 0
	traits []trait
	orders [sortPlaces]atomic.Pointer[orders] // nil until one is asked for
}

// orders are indexes of the candidates that have a value, sorted by it in both directions. Ties ascend by id.
type orders struct {
	ascending, descending []int32
	values                []float64 // by candidate; NaN if it is not known
}

// trait is what decides for most candidates whether a strategy can select them.
type trait uint8

const (
	alive trait = 1 << iota
	unknownThen
	inPesos
	inDollars
	traitSets // number of sets of traits
)

// newUniverse makes a universe. candidates ascend by id. columns are by sortPlace and candidate. fund has the number of each candidate's
// fund, which is less than funds.
func newUniverse(candidates []Candidate, columns [sortPlaces][]float64, fund []int32, funds int) *Universe {
	n := len(candidates)
	u := &Universe{Candidates: candidates, columns: columns, series: make([]uint32, n), fund: fund, funds: funds, class: make([]int32, n), traits: make([]trait, n)}
	classes := numbers[*Classified]{}
	for i := range candidates {
		c := &candidates[i]
		u.series[i] = c.Series
		if i > 0 && c.Classified == candidates[i-1].Classified {
			u.class[i] = u.class[i-1]
		} else {
			u.class[i] = classes.of(c.Classified)
		}
		if c.Alive {
			u.traits[i] |= alive
			u.alive++
		}
		if c.NotKnownThen {
			u.traits[i] |= unknownThen
		}
		switch c.Currency {
		case "PESOS":
			u.traits[i] |= inPesos
		case "DOLAR":
			u.traits[i] |= inDollars
		}
	}
	u.classes = len(classes)
	return u
}

// vintage counts what some values of the candidates were known from.
func (u *Universe) vintage(values Values) Vintage {
	out := Vintage{Candidates: len(u.Candidates)}
	for i := range u.Candidates {
		c := &u.Candidates[i]
		if c.NotKnownThen {
			out.NotKnownThen++
		}
		if c.LaterHistory&values != 0 {
			out.LaterHistory++
		}
		if c.Corrected&values != 0 {
			out.Corrected++
		}
	}
	return out
}

// numbers counts things in the order in which they are seen first.
type numbers[K comparable] map[K]int32

func (n numbers[K]) of(key K) int32 {
	number, known := n[key]
	if !known {
		number = int32(len(n))
		n[key] = number
	}
	return number
}

// universeBytes is the memory of a candidate with what a universe keeps of it.
const universeBytes = candidateBytes + 13 + int(sortPlaces)*(2*4+8)

// order gives the indexes of the candidates that have the value, sorted by it, and the values by candidate. Ties ascend
// by id.
func (u *Universe) order(by sortPlace, descending bool) (indexes []int32, values []float64) {
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

// column gives the values by candidate. NaN is not known.
func (u *Universe) column(by sortPlace) []float64 {
	if !by.inCandidate() {
		return u.columns[by]
	}
	column := make([]float64, len(u.Candidates))
	for i := range column {
		c := &u.Candidates[i]
		switch {
		case by == byID:
			column[i] = float64(c.Series)
		case c.Spheres == 0:
			column[i] = math.NaN()
		default:
			column[i] = float64(c.Spheres)
		}
	}
	return column
}

// sort sorts whole numbers, which is fast: the first 44 bits of the value, with the index in the others. Values that
// differ only after that are put in order at the end.
func (u *Universe) sort(by sortPlace) *orders {
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

// ascending gives a whole number that is greater for a greater value.
func ascending(value float64) uint64 {
	whole := math.Float64bits(value)
	if value < 0 {
		return ^whole
	}
	return whole | 1<<63
}
