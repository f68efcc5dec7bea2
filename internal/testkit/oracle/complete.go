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

// on returns the rate of a day, or else the last one at most seven days before it.
func (d Dolar) on(day time.Time) (rate float64, ok bool) {
	for age := 0; age <= toleranceDays; age++ {
		if rate, ok := d[iso(day.AddDate(0, 0, -age))]; ok {
			return rate, rate > 0 && finite(rate)
		}
	}
	return 0, false
}

// LatestComplete returns the newest complete date of the market. All windows end there if no date
// is requested. ok is false if there is no complete date.
func (m *Market) LatestComplete(dolar Dolar) (day time.Time, ok bool) {
	for _, r := range m.reports(dolar) {
		if r.complete {
			day, ok = r.day, true
		}
	}
	return day, ok
}

// report says how much of the market has a row on a day. The equity of a series is that of its
// last quote before the day, in pesos at the rate of that quote's day. If its currency, equity or
// rate is unknown, the series is left out of the equity but still counted.
type report struct {
	day      time.Time
	quoted   int // series with a quote on the day
	counted  int // series of which a row is expected, and those that have one
	present  int // series with a row on the day
	rejected int // of these, those whose row is void
	equity   *big.Rat
	reported *big.Rat // the part of equity that belongs to the series of present
	hasData  bool
	complete bool
}

// silentDays is how long a part of the market that says nothing is waited for, if the other
// series are more.
const silentDays = 95

// reports returns the report of each day with a row, in the order of days. It keeps them until the
// market or the rates change.
func (m *Market) reports(dolar Dolar) []report {
	if m.judged != nil && maps.Equal(m.judgedWith, dolar) {
		return m.judged
	}
	seen := map[time.Time]bool{}
	for _, quotes := range m.quotes {
		for _, q := range quotes {
			seen[q.day] = true
		}
	}
	m.judged, m.judgedWith = []report{}, maps.Clone(dolar)
	before := map[Series]int{} // how many rows of a series are before the day
	var last time.Time         // the last complete day
	for _, day := range slices.SortedFunc(maps.Keys(seen), time.Time.Compare) {
		r := m.report(day, last, before, dolar)
		if r.complete {
			last = day
		}
		m.judged = append(m.judged, r)
	}
	return m.judged
}

// report judges one day. Expected are the series that have had a row since the last complete day,
// or in the seven days before if that is earlier, and have not stated their end.
func (m *Market) report(day, last time.Time, before map[Series]int, dolar Dolar) report {
	since := day.AddDate(0, 0, -7)
	if last.Before(since) {
		since = last
	}
	r := report{day: day, equity: new(big.Rat), reported: new(big.Rat)}
	silent, silentEquity := 0, new(big.Rat)
	for series, quotes := range m.quotes {
		n := before[series]
		for n < len(quotes) && quotes[n].day.Before(day) {
			n++
		}
		before[series] = n
		equity := new(big.Rat)
		for _, q := range slices.Backward(quotes[:n]) {
			if q.day.Before(since) {
				break
			}
			if !q.void {
				if pesos, known := q.pesos(dolar, q.day); known {
					equity = pesos
				}
				break
			}
		}
		if n < len(quotes) && quotes[n].day.Equal(day) {
			r.present++
			r.counted++
			r.equity.Add(r.equity, equity)
			r.reported.Add(r.reported, equity)
			if quotes[n].void {
				r.rejected++
			} else {
				r.quoted++
			}
			continue
		}
		if n == 0 || quotes[n-1].day.Before(since) || m.gone(series, quotes[n-1], day) || unproven(quotes[:n], day) {
			continue
		}
		r.counted++
		r.equity.Add(r.equity, equity)
		if quotes[n-1].day.Before(day.AddDate(0, 0, -silentDays)) {
			silent++
			silentEquity.Add(silentEquity, equity)
		}
	}
	if 2*silent < r.counted {
		r.counted -= silent
		r.equity.Sub(r.equity, silentEquity)
	}
	r.hasData = r.quoted > 0 && 2*r.quoted >= r.counted
	reported := r.present
	if r.rejected > 1 {
		reported = r.quoted
	}
	r.complete = r.hasData && 100*reported >= 98*r.counted && times(100, r.reported).Cmp(times(99, r.equity)) >= 0
	return r
}

// unproven reports whether a series has only rejected rows before a day, the last of them more than
// seven days before. Nothing shows that there is such a series: its name may have been wrong.
func unproven(before []quote, day time.Time) bool {
	quoted := slices.ContainsFunc(before, func(q quote) bool { return !q.void })
	return !quoted && before[len(before)-1].day.Before(day.AddDate(0, 0, -toleranceDays))
}

// gone reports whether a series whose newest row before a day is last has stated by that day that
// no more rows come: its fund has ended according to the register, its quotas were exchanged, a
// person has stated its end, or its last row has neither quotas nor equity.
func (m *Market) gone(series Series, last quote, day time.Time) bool {
	if end, ended := m.ended[series.Run]; ended && !end.After(day) {
		return true
	}
	return m.endedAfter(series, last, day) || !last.void && last.outstanding == 0 && last.equity == 0
}

// of returns the report of a day. It has no series if no series has a row on the day.
func (m *Market) of(day time.Time, dolar Dolar) report {
	all := m.reports(dolar)
	at, found := slices.BinarySearchFunc(all, midnight(day), func(r report, day time.Time) int {
		return r.day.Compare(day)
	})
	if !found {
		return report{}
	}
	return all[at]
}

// HasData reports whether a day has data. It needs at least one quote, and quotes of at least half
// of the series that are counted.
func (m *Market) HasData(day time.Time, dolar Dolar) bool { return m.of(day, dolar).hasData }

// Complete reports whether the market has reported a day completely (RULES 1). The series counted
// are those with a row on the day, and those with one since the last complete day or in the seven
// days before, void rows included, unless they have stated their end. Of these, at least 98 % must
// have a quote on the day, and those with a row must hold at least 99 % of the equity. One rejected row
// counts as a quote. The day must also have data.
//
// Series that have been silent for more than 95 days are not counted, if they are fewer than the
// others. A series that has had no quote yet is not counted more than seven days after its last row.
func (m *Market) Complete(day time.Time, dolar Dolar) bool { return m.of(day, dolar).complete }

// Answering returns the day whose data answers a request for a date: the date itself if it has
// data, else the last complete day before it. ok is false if there is none.
func (m *Market) Answering(asked time.Time, dolar Dolar) (day time.Time, ok bool) {
	if day = midnight(asked); m.HasData(day, dolar) {
		return day, true
	}
	day = time.Time{}
	for _, r := range m.reports(dolar) {
		if r.complete && r.day.Before(midnight(asked)) {
			day, ok = r.day, true
		}
	}
	return day, ok
}

// pesos returns the exact equity of a quote in pesos, at the rate of a day. ok is false if its
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
