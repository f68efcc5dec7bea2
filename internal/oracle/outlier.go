package oracle

import (
	"math"
	"slices"
)

// leastPeers is how many changes a family needs on a day before one of them can
// be told to stand out.
const leastPeers = 10

// Why a change stays out of indices and rankings.
const (
	outlierCap   = "cap"
	outlierPeers = "peers"
)

// caps are the largest changes of a day and of a month, in percent points, that
// are believed of a category (RULES 7, stage a). What isn't listed has those of
// equity.
var caps = map[string][2]float64{"money_market": {1, 3}, "fixed_income": {5, 12}, "balanced": {10, 25}}

// capOf gives the caps of a category.
func capOf(category string) [2]float64 {
	if limits, listed := caps[category]; listed {
		return limits
	}
	return [2]float64{20, 40}
}

// candidate is a change that is judged among those of its group.
type candidate struct {
	change  float64 // percent points
	cap     float64
	group   group
	grouped bool // else it has no peers
}

// outliers tells why each of a day's changes is one, with an empty reason for
// those that are none. Stage a of RULES 7 takes those beyond their cap. Of the
// rest, stage b takes those that lie more than the floor away from the median of
// their group, and with a modified z-score over 8, where a group has ten or
// more. With a median absolute deviation of 0 the floor alone decides.
func outliers(changes map[Series]candidate, floor float64) map[Series]string {
	reasons := map[Series]string{}
	peers := map[group][]float64{}
	for series, c := range changes {
		if math.Abs(c.change) > c.cap {
			reasons[series] = outlierCap
		} else if c.grouped {
			peers[c.group] = append(peers[c.group], c.change)
		}
	}
	for series, c := range changes {
		if reasons[series] != "" || !c.grouped || len(peers[c.group]) < leastPeers {
			continue
		}
		center := median(peers[c.group])
		var distances []float64
		for _, p := range peers[c.group] {
			distances = append(distances, math.Abs(p-center))
		}
		mad, distance := median(distances), math.Abs(c.change-center)
		if distance > floor && (mad == 0 || 0.6745*distance/mad > 8) {
			reasons[series] = outlierPeers
		}
	}
	return reasons
}

// median is the middle value, or the mean of the two middle ones.
func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}
