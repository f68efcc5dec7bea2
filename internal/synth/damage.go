package synth

import (
	"math"
	"math/rand/v2"
)

// fault is a way in which a row is broken.
type fault int

const (
	whole    fault = iota
	columns        // one column is missing
	comma          // a decimal comma
	negative       // a quota below zero
	currency       // a currency that is none
	date           // a day that no calendar has
	faults
)

var faultNames = [faults]string{"", "columns", "comma", "negative_quota", "unknown_currency", "impossible_date"}

// damage decides which rows are broken, so that their share is the one asked
// for. Faults take turns: a few broken rows show them all.
type damage struct {
	rng   *rand.Rand
	share float64
	left  uint64 // rows until the next one
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
	// The wait between two of independent chance is geometric.
	d.left = uint64(math.Log(1-d.rng.Float64()) / math.Log1p(-d.share))
}

// strike gives the fault of the next row. One that must stay whole leaves its
// turn to the row behind it.
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

// force gives a fault now.
func (d *damage) force() fault {
	d.turn = d.turn%(faults-1) + 1
	return d.turn
}
