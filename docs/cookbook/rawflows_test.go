package cookbook_test

import (
	"testing"
	"time"
)

// businessDays says of each currency and calendar day whether it begins or ends a business day
// (RULES 8): most of the series with a flow, and one in twenty of all, have contributions, or redemptions.
type businessDays struct {
	begins, ends map[string]bool // by currency and day
}

func businessKey(currency string, on time.Time) string { return currency + on.Format(time.DateOnly) }

func (r rawDays) businessDays() businessDays {
	type count struct{ rows, in, out, moving int }
	counts := map[string]*count{}
	for _, h := range r.series {
		for _, d := range h.days {
			if d.quota == 0 {
				continue
			}
			key := businessKey(h.currency, d.date)
			of := counts[key]
			if of == nil {
				of = &count{}
				counts[key] = of
			}
			of.rows++
			if d.contributed > 0 || d.withdrawn > 0 {
				of.moving++
			}
			if d.contributed > 0 {
				of.in++
			}
			if d.withdrawn > 0 {
				of.out++
			}
		}
	}
	days := businessDays{map[string]bool{}, map[string]bool{}}
	for key, of := range counts {
		days.begins[key] = 20*of.in >= of.rows && 2*of.in > of.moving
		days.ends[key] = 20*of.out >= of.rows && 2*of.out > of.moving
	}
	return days
}

// flow adds up the flow of the business day that begins with a row of a series, in its currency. It
// is not known if no business day begins there, or if a calendar day of it is missing.
func (b businessDays) flow(h *rawHistory, row int) (sum float64, known bool) {
	begun := h.days[row].date
	if h.days[row].quota == 0 || !b.begins[businessKey(h.currency, begun)] {
		return 0, false
	}
	length := 0 // calendar days; 0: the end is not known
	for after := 0; after <= 7; after++ {
		key := businessKey(h.currency, begun.AddDate(0, 0, after))
		if after > 0 && b.begins[key] {
			length = after
			break
		}
		if b.ends[key] {
			length = after + 1
		}
	}
	if length == 0 || row+length > len(h.days) {
		return 0, false
	}
	for i, d := range h.days[row : row+length] {
		if d.quota == 0 || !d.date.Equal(begun.AddDate(0, 0, i)) {
			return 0, false
		}
		sum += (d.contributed - d.withdrawn) * d.quota
	}
	return sum, true
}

func TestABusinessDayJoinsTheDaysUpToTheNextOne(t *testing.T) {
	friday := day(t, "2025-07-18")
	h := &rawHistory{currency: "PESOS"}
	for i, d := range []rawDay{{contributed: 5, quota: 2}, {quota: 2}, {withdrawn: 3, quota: 3},
		{contributed: 1, withdrawn: 1, quota: 2}} {
		d.date = friday.AddDate(0, 0, i)
		h.days = append(h.days, d)
	}
	business := rawDays{series: map[string]*rawHistory{"1": h}}.businessDays()
	if sum, known := business.flow(h, 0); !known || sum != 5*2-3*3 {
		t.Errorf("the flow from Friday to Sunday is %v (%t)", sum, known)
	}
	if _, known := business.flow(h, 2); known {
		t.Error("Sunday has a flow of its own")
	}
}
