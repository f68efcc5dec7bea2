package synth

import (
	"math"
	"math/rand/v2"
)

// fault is a way in which a row is broken. whole means that it is not broken.
type fault int

const (
	whole    fault = iota
	columns        // one column is missing
	comma          // a decimal comma
	negative       // a quota below zero
	words          // words instead of a quota
	date           // a date that does not exist
	faults
)

var faultNames = [faults]string{"", "columns", "comma", "negative_quota", "words_for_quota", "impossible_date"}

// damage decides which rows are broken, so that their share is the configured one. It uses the
// faults in turn, so that a few broken rows show all of them.
type damage struct {
	rng   *rand.Rand
	share float64
	left  uint64 // rows until the next broken row
	turn  fault
}

func newDamage(rng *rand.Rand, share float64) *damage {
	d := &damage{rng: rng, share: share}
	d.next()
	return d
}

func (d *damage) next() {
	if d.share == 0 {
		d.left = math.MaxUint64
		return
	}
	// The number of rows between two independent faults has a geometric distribution.
	d.left = uint64(math.Log(1-d.rng.Float64()) / math.Log1p(-d.share))
}

// strike returns the fault of the next row, usually whole. If spared is true, a row that would be
// broken stays whole, and the next row is broken instead.
func (d *damage) strike(spared bool) fault {
	switch {
	case d.left > 0:
		d.left--
		return whole
	case spared:
		return whole
	}
	d.next()
	return d.force()
}

// force returns the next fault at once.
func (d *damage) force() fault {
	d.turn = d.turn%(faults-1) + 1
	return d.turn
}
