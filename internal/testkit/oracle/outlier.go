package oracle

import (
	"math"
	"slices"
)

// leastPeers is how many changes a group must have on a day before one of them can be an
// outlier among its peers.
const leastPeers = 10

// Reasons for which a change is excluded from indices and rankings.
const (
	outlierCap   = "cap"
	outlierPeers = "peers"
)

// caps are the largest accepted changes of a category in a day and in a month, in percent
// points (RULES 7, stage a). Categories that are not listed have the caps of equity.
var caps = map[string][2]float64{"money_market": {1, 3}, "fixed_income": {5, 12}, "balanced": {10, 25}}

// capOf returns the daily and the monthly cap of a category.
func capOf(category string) [2]float64 {
	if limits, listed := caps[category]; listed {
		return limits
	}
	return [2]float64{20, 40}
}

// candidate is a change that is compared with the changes of its group.
type candidate struct {
	change  float64 // percent points
	cap     float64
	group   group
	grouped bool // false if the series belongs to no group and has no peers
}

// outliers returns, for each change of a day, the reason why it is an outlier, or no reason.
// Stage a of RULES 7 marks changes beyond their cap. Stage b looks at the others, in groups
// with at least leastPeers of them. It marks changes that are more than the floor away from the
// group's median and have a modified z-score over 8. If the median absolute deviation is 0,
// only the floor counts.
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

// median returns the middle value, or the mean of the two middle values.
func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}
