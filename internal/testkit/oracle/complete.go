package oracle

import (
	"maps"
	"math/big"
	"slices"
	"strconv"
	"time"
)

// Dolar maps dates, as YYYY-MM-DD, to the dólar observado in pesos.
type Dolar map[string]float64

// on gives the rate of a day, or else the last one at most seven days before it.
func (d Dolar) on(day time.Time) (rate float64, ok bool) {
	for age := 0; age <= toleranceDays; age++ {
		if rate, ok := d[iso(day.AddDate(0, 0, -age))]; ok {
			return rate, rate > 0 && finite(rate)
		}
	}
	return 0, false
}

// LatestComplete gives the newest complete date of the market. All windows end there if no date
// is requested. ok is false if there is no complete date.
func (m *Market) LatestComplete(dolar Dolar) (day time.Time, ok bool) {
	seen := map[time.Time]bool{}
	for _, quotes := range m.quotes {
		for _, q := range quotes {
			seen[q.day] = true
		}
	}
	days := slices.SortedFunc(maps.Keys(seen), time.Time.Compare)
	for _, day := range slices.Backward(days) {
		if m.Complete(day, dolar) {
			return day, true
		}
	}
	return time.Time{}, false
}

// report summarises the rows of a day for the series that were quoted in the seven days before
// it.
type report struct {
	first    bool // there is no row on any earlier day
	quoted   int  // series with a quote on the day, including new ones
	prior    int  // series with a quote in the seven days before
	present  int  // series of prior with a row on the day
	rejected int  // series of present whose row is void
	equity   *big.Rat
	reported *big.Rat // the part of equity that belongs to the series of present
}

// reported gives the report of a day. ok is false if no series has a row on the day. The equity
// of a series is that of its last quote in the seven days before, in pesos at the rate of that
// quote's day. If its currency, equity or rate is unknown, the series is left out of the equity
// but still counted.
//
// If no series has a row in the seven days before, reported uses the seven days that end with
// the last earlier day that has a row.
func (m *Market) reported(day time.Time, dolar Dolar) (r report, ok bool) {
	day = midnight(day)
	earlier := time.Time{} // the last earlier day with a row, void rows included
	for _, quotes := range m.quotes {
		for _, q := range quotes {
			ok = ok || q.day.Equal(day)
			if q.day.Before(day) && q.day.After(earlier) {
				earlier = q.day
			}
		}
	}
	r = report{first: earlier.IsZero(), equity: new(big.Rat), reported: new(big.Rat)}
	from, to := day.AddDate(0, 0, -7), day.AddDate(0, 0, -1)
	if earlier.Before(from) {
		from, to = earlier.AddDate(0, 0, -6), earlier
	}
	for _, quotes := range m.quotes {
		var last, today *quote
		for i, q := range quotes {
			if !q.void && !q.day.Before(from) && !q.day.After(to) {
				last = &quotes[i]
			}
			if q.day.Equal(day) {
				today = &quotes[i]
			}
		}
		if today != nil && !today.void {
			r.quoted++
		}
		if last == nil {
			continue
		}
		r.prior++
		pesos, known := last.pesos(dolar, last.day)
		if known {
			r.equity.Add(r.equity, pesos)
		}
		if today == nil {
			continue
		}
		r.present++
		if today.void {
			r.rejected++
		}
		if known {
			r.reported.Add(r.reported, pesos)
		}
	}
	return r, ok
}

// HasData tells whether a day has data. It needs at least one quote, and quotes of at least
// half of the series that were quoted in the seven days before.
func (m *Market) HasData(day time.Time) bool {
	r, _ := m.reported(day, nil)
	return r.quoted > 0 && 2*(r.present-r.rejected) >= r.prior
}

// Complete tells whether the market has reported a day completely (RULES 1). Of the series with
// a quote in the seven days before, at least 98 % must have a row on the day, and these must
// hold at least 99 % of the equity of all. A rejected row counts as a row, because it was
// published. But at most one series in fifty may have a rejected row, or one series if there
// are fewer than fifty. The day must also have data.
//
// The very first day is complete if it has a quote.
func (m *Market) Complete(day time.Time, dolar Dolar) bool {
	r, _ := m.reported(day, dolar)
	if !m.HasData(day) || r.first || r.prior == 0 {
		return r.first && r.quoted > 0
	}
	return 100*r.present >= 98*r.prior && times(100, r.reported).Cmp(times(99, r.equity)) >= 0 &&
		(r.rejected <= 1 || 50*r.rejected <= r.prior)
}

// Answering gives the day whose data answers a request for a date: the date itself if it has
// data, else the last complete day before it. ok is false if there is none.
func (m *Market) Answering(asked time.Time, dolar Dolar) (day time.Time, ok bool) {
	if day = midnight(asked); m.HasData(day) {
		return day, true
	}
	for _, quotes := range m.quotes {
		for _, q := range quotes {
			if q.day.Before(midnight(asked)) && (!ok || q.day.After(day)) && m.Complete(q.day, dolar) {
				day, ok = q.day, true
			}
		}
	}
	return day, ok
}

// pesos gives the exact equity of a quote in pesos, at the rate of a day. ok is false if its
// equity, currency or rate is unknown.
func (q quote) pesos(dolar Dolar, on time.Time) (*big.Rat, bool) {
	if q.void || !finite(q.equity) {
		return nil, false
	}
	switch q.currency() {
	case "PESOS":
		return exact(q.equity), true
	case "DOLAR":
		rate, ok := dolar.on(on)
		if !ok {
			return nil, false
		}
		return new(big.Rat).Mul(exact(q.equity), exact(rate)), true
	}
	return nil, false
}

// exact converts a finite number through its shortest decimal form. For up to 15 digits, that
// form is the published text.
func exact(x float64) *big.Rat {
	r, _ := new(big.Rat).SetString(strconv.FormatFloat(x, 'f', -1, 64))
	return r
}

func times(n int64, x *big.Rat) *big.Rat {
	return new(big.Rat).Mul(big.NewRat(n, 1), x)
}
