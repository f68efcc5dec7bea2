package oracle

import (
	"math"
	"time"
)

// leastPairs is how many common months beta and tracking error of a series and its family need.
const leastPairs = 24

// againstFamily returns the beta and the tracking error of a series over the 36 months up to a
// month end, against the index of its family (RULES 5). The family is that of the day of the
// series' month-end quote, in the currency of that quote. A month counts if both returns are
// known and the series' return is in that currency. Both results are nil if there are fewer
// than leastPairs months. Beta is also nil if the index never moved.
func (m *Market) againstFamily(series Series, monthEnd time.Time) (beta, trackingError *float64) {
	quotes := m.quotes[series]
	at, _ := standsFor(quotes, monthEnd)
	g, ok := m.groupOf(series, quotes[at])
	if !ok {
		return nil, nil
	}
	points := m.FamilyIndex(g.family, g.currency)
	var own, index, differences []float64
	for ago := 36; ago > 0; ago-- {
		from, to := monthsBeforeEnd(monthEnd, ago), monthsBeforeEnd(monthEnd, ago-1)
		r, known := monthlyReturn(quotes, from, to)
		begin, okBegin := levelAt(points, from)
		end, okEnd := levelAt(points, to)
		if !known || !okBegin || !okEnd {
			continue
		}
		if e, _ := standsFor(quotes, to); quotes[e].currency() != g.currency {
			continue
		}
		own, index = append(own, r), append(index, end/begin-1)
		differences = append(differences, r-(end/begin-1))
	}
	if len(own) < leastPairs {
		return nil, nil
	}
	if spread := deviation(index); spread > 0 {
		beta = ptr(covariance(own, index) / (spread * spread))
	}
	return beta, ptr(deviation(differences) * math.Sqrt(12))
}

// covariance returns the sample covariance (divided by n-1).
func covariance(a, b []float64) float64 {
	meanA, meanB, sum := 0.0, 0.0, 0.0
	for i := range a {
		meanA += a[i] / float64(len(a))
		meanB += b[i] / float64(len(b))
	}
	for i := range a {
		sum += (a[i] - meanA) * (b[i] - meanB)
	}
	return sum / float64(len(a)-1)
}
