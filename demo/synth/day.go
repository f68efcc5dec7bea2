package synth

import "math"

// live moves the series to a day and reports whether it has a row on that day. The quota follows
// the fund's gross return minus the cost of the day. The cost is computed from the yearly TAC
// and the fund's bill. So the rule that computes the TAC from the row (cost divided by equity
// before costs, times the days of the year) gives the same TAC.
func (s *series) live(d int, on day, gross float64) bool {
	st := &s.story
	if d < st.start || d >= st.end {
		return false
	}
	s.contributed, s.redeemed, s.cost, s.rates, s.adjust, s.distribute, s.commission = 0, 0, charges{}, costRates{}, 0,
		0, 0
	switch {
	case d == 0 && !st.empty: // it has been there before
		s.units = s.opening
		s.rates = s.costs(on)
		s.charge()
	case d == st.start:
		s.issue()
	case st.empty || st.zero.holds(d-1):
		if d == st.zero.to && !st.empty {
			s.issue()
		}
		// Nobody holds a unit, and the quota does not change.
	default:
		s.grow(d, on, gross)
	}
	if s.units+s.redeemed > s.contributed {
		s.month.add(s.rates, on.yearDays)
	}
	s.equity = s.worth(s.quota)
	return st.present(d)
}

// issue issues out the opening units.
func (s *series) issue() {
	s.units, s.contributed = s.opening, s.opening
}

func (s *series) grow(d int, on day, gross float64) {
	st := &s.story
	s.rates = s.costs(on)
	s.exact *= (1 + max(gross, -.3)) * (1 - s.rates.total())
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
		s.exact /= float64(s.distribute) / factorScale
		s.gained *= float64(s.distribute) / factorScale
	}
	s.quota = max(1, fixed(s.exact))
	s.charge()
	if st.zero.holds(d) { // the first day without units
		s.redeemed, s.units = s.units, 0
		return
	}
	if !s.tiny {
		s.flow(on)
	}
}

// flow changes the units by contributions and redemptions. The further the units are from their
// opening number, the more they are pulled back.
func (s *series) flow(on day) {
	contributes, redeems := on.open[0], on.due[0]
	if s.fund.dollars() {
		contributes, redeems = on.open[1], on.due[1]
	}
	if !s.fund.habits.prompt {
		redeems = contributes
	}
	rng := s.fund.rng
	pull := float64(s.units) / float64(max(1, s.opening))
	before := float64(s.units)
	tide := s.tidal()
	if contributes && (tide || rng.Float64() < contributing) {
		share, most := math.Exp(math.Ln10*(contribution+.7*rng.NormFloat64())), .3
		if tide {
			share, most = math.Exp(math.Ln10*(tideFlow+.25*rng.NormFloat64())), 2.6
		}
		s.contributed = int64(before * min(most, share/clamp(pull)))
		if rng.IntN(100) == 0 { // less than one unit
			s.contributed = 1 + rng.Int64N(scale)
		}
	}
	if redeems && (tide || rng.Float64() < redeeming) {
		share, most := math.Exp(math.Ln10*(redemption+.8*rng.NormFloat64())), .3
		if tide {
			share, most = math.Exp(math.Ln10*(tideFlow+.25*rng.NormFloat64())), .65
		}
		s.redeemed = int64(before * min(most, share*clamp(pull)))
		if h := &s.fund.habits; s.redeemed > 0 && h.rng.Float64() < commissioned {
			s.commission = max(1, int64(.01*float64(s.redeemed)/scale*float64(s.quota)/scale)) * scale
		}
	}
	s.units += s.contributed - s.redeemed
	if change := s.contributed - s.redeemed; change != 0 && rng.IntN(4) == 0 {
		if change > 0 {
			s.holders++
			s.institutions += int64(rng.IntN(20) / 19)
		} else if s.holders > 1 {
			s.holders--
			s.institutions = min(s.institutions, s.holders)
		}
	}
}

// tidal reports whether most of the money of the series comes and goes within days, as that of
// companies in funds of short debt does.
func (s *series) tidal() bool {
	return s.fund.family.studies == "Deuda < 90 dias" && s.class.word != "Retail" && s.class.word != "APV"
}

func clamp(pull float64) float64 { return min(max(pull*pull, .2), 5) }

// worth returns the equity at a quota, rounded to whole pesos or to cents, in 1/10,000. That of a
// few series has two decimals more.
func (s *series) worth(quota int64) int64 {
	unit := int64(scale)
	if s.fund.dollars() {
		unit = scale / 100
	}
	if s.fine {
		unit /= 100
	}
	return int64(math.Round(float64(s.units)/scale*float64(quota)/float64(unit))) * unit
}

// begin begins a month. It changes the TAC in about one month of fifty, as managers change their
// fees.
func (s *series) begin() {
	s.month = monthRates{}
	if s.fund.rng.IntN(50) == 0 {
		s.tac = min(.08, s.tac*(.7+.6*s.fund.rng.Float64()))
	}
}
