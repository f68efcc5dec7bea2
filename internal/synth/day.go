package synth

import "math"

// live moves the series to a day and tells whether it has a row on that day. The quota follows
// the fund's gross return minus the cost of the day. The cost is computed from the yearly TAC.
// So the rule that computes the TAC from the row (cost divided by equity before costs, times
// the days of the year) gives the same TAC.
func (s *series) live(d int, on day, gross float64) bool {
	st := &s.story
	if d < st.start || d >= st.end {
		return false
	}
	s.contributed, s.redeemed, s.cost, s.adjust, s.distribute = 0, 0, 0, 0, 0
	switch {
	case d == st.start:
		s.issue(on)
	case st.empty || st.zero.holds(d-1):
		if d == st.zero.to && !st.empty {
			s.issue(on)
		}
		// Nobody holds a unit, and the quota does not change.
	default:
		s.grow(d, on, gross)
	}
	s.equity = s.worth(s.quota)
	return st.present(d)
}

// issue gives out the opening units.
func (s *series) issue(on day) {
	s.units, s.contributed = s.opening, s.opening
}

func (s *series) grow(d int, on day, gross float64) {
	st := &s.story
	rate := s.tac / on.yearDays
	s.exact *= (1 + max(gross, -.3)) * (1 - rate)
	if st.kind == adjustment && d == st.adjustOn {
		s.adjust = adjustFactor
		s.exact /= adjustFactor
		s.gained *= adjustFactor
		s.units *= adjustFactor
		s.opening *= adjustFactor // flow pulls the units back towards this number
	}
	if s.distributed < len(st.distributions) && st.distributions[s.distributed].on == d {
		s.distribute = st.distributions[s.distributed].factor
		s.distributed++
		s.exact /= float64(s.distribute) / 1e6
		s.gained *= float64(s.distribute) / 1e6
	}
	s.quota = max(1, fixed(s.exact))
	s.charge(rate)
	if st.zero.holds(d) { // the first day without units
		s.redeemed, s.units = s.units, 0
		return
	}
	if on.working {
		s.flow()
	}
}

// charge takes the cost of the day from the units of the previous day. The rounding error is
// carried to the next day.
func (s *series) charge(rate float64) {
	if rate == 0 {
		return
	}
	unit := s.costUnit()
	before := float64(s.units) / scale * float64(s.quota) // 1/10,000
	due := before*rate/(1-rate)/float64(unit) + s.carried
	whole := math.Round(due)
	s.carried = due - whole
	s.cost = max(0, int64(whole)) * unit
}

// costUnit gives the unit to which costs are rounded, in 1/10,000.
func (s *series) costUnit() int64 {
	if s.fund.dollars() {
		return min(scale/100, s.fund.manager.pesoUnit)
	}
	return s.fund.manager.pesoUnit
}

// flow changes the units by contributions and redemptions. The further the units are from their
// opening number, the more they are pulled back.
func (s *series) flow() {
	rng := s.fund.rng
	pull := float64(s.units) / float64(max(1, s.opening))
	before := float64(s.units)
	if rng.Float64() < contributing {
		share := math.Exp(math.Ln10 * (contribution + .7*rng.NormFloat64()))
		s.contributed = int64(before * min(.3, share/clamp(pull)))
	}
	if rng.Float64() < redeeming {
		share := math.Exp(math.Ln10 * (redemption + .8*rng.NormFloat64()))
		s.redeemed = int64(before * min(.3, share*clamp(pull)))
	}
	s.units += s.contributed - s.redeemed
	if change := s.contributed - s.redeemed; change != 0 && rng.IntN(4) == 0 {
		if change > 0 {
			s.holders++
		} else if s.holders > 1 {
			s.holders--
			s.institutions = min(s.institutions, s.holders)
		}
	}
}

func clamp(pull float64) float64 { return min(max(pull*pull, .2), 5) }

// worth gives the equity at a quota, rounded to whole pesos or to cents, in 1/10,000.
func (s *series) worth(quota int64) int64 {
	unit := int64(scale)
	if s.fund.dollars() {
		unit = scale / 100
	}
	return int64(math.Round(float64(s.units)/scale*float64(quota)/float64(unit))) * unit
}

// month changes the TAC in about one month of fifty, as managers change their fees.
func (s *series) month() {
	if s.fund.rng.IntN(50) == 0 {
		s.tac = min(.08, s.tac*(.7+.6*s.fund.rng.Float64()))
	}
}
