package backtest

import (
	"math"
	"math/bits"
	"slices"
	"sync/atomic"

	"cuota/model"
)

// Universe is the candidates of a signal, and what all strategies that select among them need of them. Runs
// share it, so its candidates must not be changed.
type Universe struct {
	Candidates []Candidate // by ascending id

	vintage Vintage
	alive   int
	funds   int
	classes int
	// Of each candidate what every strategy asks, in lists of their own: they are much shorter than the candidates.
	series []uint32
	fund   []int32 // number of the fund, from 0
	class  []int32 // number of what is classified, from 0
	traits []trait
	orders [sortCount]atomic.Pointer[orders] // by sort; nil until one is asked for
}

// orders are indexes of the candidates that have a value, sorted by it in both directions. Ties ascend by id.
type orders struct{ ascending, descending []int32 }

// trait is what decides for most candidates whether a strategy can select them.
type trait uint8

const (
	alive trait = 1 << iota
	unknownThen
	inPesos
	inDollars
	traitSets // number of sets of traits
)

// sortCount is the number of Sorts.
const sortCount = 15

// NewUniverse makes a universe of candidates, which ascend by id.
func NewUniverse(candidates []Candidate) *Universe {
	n := len(candidates)
	u := &Universe{Candidates: candidates, series: make([]uint32, n), fund: make([]int32, n), class: make([]int32, n), traits: make([]trait, n)}
	u.vintage.Candidates = n
	funds, classes := numbers[uint32]{}, numbers[*Classified]{}
	for i := range candidates {
		c := &candidates[i]
		u.series[i], u.fund[i], u.class[i] = c.Series, funds.of(c.Fund), classes.of(c.Classified)
		if c.Alive {
			u.traits[i] |= alive
			u.alive++
		}
		if c.NotKnownThen {
			u.traits[i] |= unknownThen
			u.vintage.NotKnownThen++
		}
		switch c.Currency {
		case "PESOS":
			u.traits[i] |= inPesos
		case "DOLAR":
			u.traits[i] |= inDollars
		}
		if c.Corrected {
			u.vintage.Corrected++
		}
		if c.LaterHistory {
			u.vintage.LaterHistory++
		}
	}
	u.funds, u.classes = len(funds), len(classes)
	return u
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
const universeBytes = candidateBytes + 13 + 2*sortCount*4

// order gives the indexes of the candidates that have the value, sorted by it. Ties ascend by id.
func (u *Universe) order(by string, descending bool) []int32 {
	kept := &u.orders[slices.Index(Sorts, by)]
	sorted := kept.Load()
	if sorted == nil { // two runs may sort at once, with the same result
		sorted = u.sort(by)
		kept.Store(sorted)
	}
	if descending {
		return sorted.descending
	}
	return sorted.ascending
}

// sort sorts whole numbers, which is fast: the value in as many bits as the index leaves. Values that differ only
// in the other bits are put in order after that.
func (u *Universe) sort(by string) *orders {
	value := valueOf(by)
	values := make([]float64, len(u.Candidates))
	keys := make([]uint64, 0, len(u.Candidates))
	indexes := uint64(1)<<bits.Len(uint(len(u.Candidates))) - 1
	for i := range u.Candidates {
		v := value(&u.Candidates[i]) + 0 // -0 is 0
		if values[i] = v; !math.IsNaN(v) {
			keys = append(keys, ascending(v)&^indexes|uint64(i))
		}
	}
	slices.Sort(keys)
	out := &orders{make([]int32, len(keys)), make([]int32, 0, len(keys))}
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

// ascending gives a whole number that is greater for a greater value.
func ascending(value float64) uint64 {
	whole := math.Float64bits(value)
	if value < 0 {
		return ^whole
	}
	return whole | 1<<63
}

// valueOf makes a function that gives what is sorted by; NaN if it is not known.
func valueOf(by string) func(*Candidate) float64 {
	if i := slices.Index(model.Windows, by); i >= 0 {
		return func(c *Candidate) float64 { return c.Returns[i] }
	}
	switch by {
	case "tac":
		return func(c *Candidate) float64 { return c.TAC }
	case "cmf_spheres":
		return func(c *Candidate) float64 {
			if c.Spheres == 0 {
				return math.NaN()
			}
			return float64(c.Spheres)
		}
	case "volatility_12m":
		return func(c *Candidate) float64 { return c.Volatility12 }
	case "volatility_36m":
		return func(c *Candidate) float64 { return c.Volatility36 }
	case "max_drawdown_36m":
		return func(c *Candidate) float64 { return c.Drawdown36 }
	case "equity_clp":
		return func(c *Candidate) float64 { return c.EquityCLP }
	}
	return func(c *Candidate) float64 { return float64(c.Series) }
}
