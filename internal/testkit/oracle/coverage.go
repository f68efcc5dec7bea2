package oracle

import "time"

// quorum is how much of a group must give a figure of it, so that the figure is shown (RULES 7,
// coverage).
type quorum struct {
	series, funds int
	share         float64 // of the equity
}

// ruledQuorum is the quorum of the rule. Tests of how an index is chained use a smaller one, so
// that families of one or two series have an index.
var ruledQuorum = quorum{series: 3, funds: 2, share: 0.5}

// GroupCoverage says how much of a group a figure is computed from.
type GroupCoverage struct {
	Series int
	Share  *float64 // of the group's equity on the day; nil if it has none
}

// coverage of a mean in a group whose series hold the equity.
func (m *mean) coverage(equity float64) GroupCoverage {
	c := GroupCoverage{Series: m.n}
	if equity > 0 {
		c.Share = ptr(m.held / equity)
	}
	return c
}

// shown returns the mean if it is computed from enough of the group, else nil.
func (q quorum) shown(m mean, equity float64) *float64 {
	if m.n < max(q.series, 1) || len(m.funds) < q.funds {
		return nil
	}
	if q.share > 0 && (equity <= 0 || m.held < q.share*equity) {
		return nil
	}
	return ptr(m.sum / m.weights)
}

// equityOf returns the equity of a group on a day: of the quotes that stand for its series, or for
// those in only if that is not nil.
func (m *Market) equityOf(g group, on time.Time, only map[Series]bool) float64 {
	if only != nil {
		return m.sizes(on, only)[g].equity
	}
	on = midnight(on)
	if m.wholes[on] == nil {
		m.wholes[on] = m.sizes(on, nil)
	}
	return m.wholes[on][g].equity
}
