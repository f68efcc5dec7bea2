package synth

import "math/rand/v2"

// habits are how a fund fills the columns of the cartola, and what its holders do.
type habits struct {
	rng *rand.Rand
	// prompt funds pay redemptions on the business day after: their rows have contributions on
	// business days, and redemptions on the last calendar day before a business day. The rows of
	// other funds have both on business days.
	prompt bool
	// share is what the fund has in other funds, as a fraction of its assets; 0 if nothing. With
	// flag the rows state the number 1, and with still the amount stays the same for days.
	share       float64
	flag, still bool
	unit        int64   // to which that amount is rounded, in 1/10,000
	frozen      bool    // the assets of a business day stand on the other days after it
	cents       bool    // the assets have decimals although the fund is in pesos
	shell       bool    // without holders, its assets are stated as 1, and not as the last ones
	waives      bool    // on some days it charges no fee
	performance float64 // share of a day's gain that it charges; 0 for most funds
}

func drawHabits(rng *rand.Rand, f *fund) habits {
	h := habits{rng: rng, unit: scale, prompt: f.family.mover == rates || rng.Float64() < promptShares}
	switch at := rng.Float64(); {
	case at < investing:
		h.share = .02 + .95*rng.Float64()
	case at < investing+flagging:
		h.flag = true
	}
	switch {
	case rng.IntN(5) == 0:
		h.unit = 1
	case f.dollars():
		h.unit = scale / 100
	}
	h.still, h.frozen, h.cents, h.shell = rng.IntN(4) == 0, rng.IntN(4) == 0, rng.IntN(20) == 0, rng.IntN(2) == 0
	h.waives = rng.IntN(12) == 0
	if f.family.mover != rates && rng.IntN(12) == 0 {
		h.performance = .005 + .02*rng.Float64()
	}
	return h
}

// draw chooses the oddities of a series of the fund.
func (h *habits) draw(s *series) {
	s.fine = h.rng.IntN(100) == 0
	if h.rng.IntN(100) == 0 { // some holders and a few hundredths of a unit
		s.tiny = true
		s.opening = max(151, fixed(20/s.exact))
		s.holders = 1 + h.rng.Int64N(60)
	}
}

// state sets what the rows of the fund state about the whole fund: its assets and what it has in
// other funds. Both are the same in all its rows of a day.
func (f *fund) state(on day, equity int64) {
	h := &f.habits
	before := f.stated
	switch {
	case equity == 0 && before > scale && !h.shell:
		// They stay as they were.
	case equity == 0 && before > 0:
		f.stated = scale
	case h.frozen && !on.working:
		f.stated = max(equity, before)
	default:
		f.stated = equity + int64(float64(equity)*f.debts)/scale*scale
		if h.cents && !f.dollars() {
			f.stated += h.rng.Int64N(100) * (scale / 100)
		}
		if h.rng.Float64() < bought { // what it bought is not paid yet
			f.stated += int64(.2*float64(equity)) / scale * scale
		}
	}
	f.assets = f.stated
	if equity == 0 {
		f.assets = 0
	}
	switch {
	case h.flag:
		f.invested = scale
	case h.share == 0 || equity == 0:
		f.invested = 0
	case h.still && f.invested > 0 && h.rng.IntN(7) > 0:
		f.invested = min(f.invested, f.stated)
	default:
		h.share = min(max(h.share+.002*h.rng.NormFloat64(), .01), .99)
		f.invested = int64(h.share*float64(f.stated)) / h.unit * h.unit
	}
}
