package oracle

import (
	"cmp"
	"maps"
	"math/big"
	"slices"
	"time"
)

// ManagerDay describes a manager on one day (RULES 8).
type ManagerDay struct {
	Manager      int      // RUT without check digit
	Patrimony    *float64 // equity of its series in pesos; nil if none can be converted
	Shareholders int      // sum over its series, so not unique people
	Funds        int
	Unconverted  int // series that are not in Patrimony, because their equity can't be converted to pesos
	Rank         int // from 1; RankManagers sets it
}

// Managers returns the managers on a day, by RUT, from the quotes that stand for their series.
// Dollars are converted at the rate of the day.
func (m *Market) Managers(on time.Time, dolar Dolar) map[int]ManagerDay {
	on = midnight(on)
	all, sums, funds := map[int]ManagerDay{}, map[int]*big.Rat{}, map[[2]int]bool{}
	for series := range m.quotes {
		q, ok := m.standing(series, on)
		if !ok || q.void {
			continue
		}
		of := all[q.manager]
		of.Manager = q.manager
		of.Shareholders += q.shareholders
		if fund := [2]int{q.manager, series.Run}; !funds[fund] {
			funds[fund] = true
			of.Funds++
		}
		if pesos, ok := q.pesos(dolar, on); !ok {
			of.Unconverted++
		} else if sums[q.manager] == nil {
			sums[q.manager] = pesos
		} else {
			sums[q.manager].Add(sums[q.manager], pesos)
		}
		all[q.manager] = of
	}
	for manager, sum := range sums {
		of := all[manager]
		pesos, _ := sum.Float64()
		of.Patrimony = &pesos
		all[manager] = of
	}
	return all
}

// RankManagers sorts the managers of a day, the largest first: by shareholders, or by equity in
// pesos with those without any last. Ties are sorted by name.
func (m *Market) RankManagers(on time.Time, dolar Dolar, byShareholders bool, names map[int]string) []ManagerDay {
	ranked := slices.SortedFunc(maps.Values(m.Managers(on, dolar)), func(a, b ManagerDay) int {
		order := 0
		switch {
		case byShareholders:
			order = cmp.Compare(b.Shareholders, a.Shareholders)
		case a.Patrimony != nil && b.Patrimony != nil:
			order = cmp.Compare(*b.Patrimony, *a.Patrimony)
		case a.Patrimony != nil:
			order = -1
		case b.Patrimony != nil:
			order = 1
		}
		return cmp.Or(order, cmp.Compare(names[a.Manager], names[b.Manager]))
	})
	for i := range ranked {
		ranked[i].Rank = i + 1
	}
	return ranked
}

// LastCompleteDays returns the last complete day of each month that has one, in order. The
// evolution of managers uses these days.
func (m *Market) LastCompleteDays(dolar Dolar) []time.Time {
	days := map[time.Time]bool{}
	for _, quotes := range m.quotes {
		for _, q := range quotes {
			days[q.day] = true
		}
	}
	var last []time.Time
	for _, day := range slices.SortedFunc(maps.Keys(days), time.Time.Compare) {
		if !m.Complete(day, dolar) {
			continue
		}
		if n := len(last); n > 0 && last[n-1].Year() == day.Year() && last[n-1].Month() == day.Month() {
			last[n-1] = day
		} else {
			last = append(last, day)
		}
	}
	return last
}
