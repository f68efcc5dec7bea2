package synth

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"cuota/model"
)

// comparedYears are the return periods of the comparator in years. The first, 0, stands for the
// comparator's date itself.
var comparedYears = [5]int{0, 1, 3, 5, 10}

// milestone is the state of a series on a day that the comparators use.
type milestone struct {
	shown         bool
	quota, equity int64
	tac           float64
	gained        float64
}

// comparatorDate returns the last month end of the market, or its last day if it has no month
// end.
func (m *market) comparatorDate() model.Date {
	if end := monthEnd(m.config.End); end.Compare(m.days[0].date) >= 0 {
		return end
	}
	return m.config.End
}

func (m *market) comparedDays() (list [5]int) {
	for i, years := range comparedYears {
		list[i] = m.index(monthsBefore(m.comparatorDate(), 12*years))
	}
	return list
}

// compare keeps the state of a series on a day that the comparators use.
func (m *market) compare(s *series, d int) {
	for i, on := range m.compared {
		if on == d {
			s.marks[i] = milestone{shown: s.shown, quota: s.quota, equity: s.equity, tac: s.tac, gained: s.gained}
		}
	}
}

// comparable lists the series that the comparators contain.
func (m *market) comparable() []*series {
	return slices.DeleteFunc(slices.Clone(m.series), func(s *series) bool {
		return s.class.word == "" || !s.marks[0].shown || s.marks[0].equity == 0
	})
}

// writeTACs writes the cost comparator. Its TAC is synthetic: it includes the costs of the
// funds in which the fund invests.
func (m *market) writeTACs(out *output) error {
	list := m.comparable()
	if len(list) == 0 {
		return nil
	}
	date := compact(m.comparatorDate())
	return out.write(model.TACComparator, "comparator/cmf_tac_sintetico_"+date+".csv", m.config.End.AddDays(1),
		func(f *file) {
			f.table("fo_run", "fm_serie", "pat_total", "fm_fecha_num", "moneda_funcional", "clase_inversionista",
				"nombre_fondo", "nombre_agf", "serie_digital", "tac_sintetica")
			for _, s := range list {
				stated := float64(s.marks[0].equity) / scale / 1e9 // thousand millions of pesos
				if s.fund.dollars() {
					stated *= 1e3 // millions of dollars
				}
				f.table(number(int64(s.fund.run)*scale), s.serie, rounded(stated, 6), date, s.fund.moneda, s.class.word,
					s.fund.short, s.fund.manager.short, s.digital(), rounded(100*s.marks[0].tac*(1+.2*s.rating), 6))
			}
		})
}

func (s *series) digital() string {
	switch s.serie {
	case "DIGITAL", "WEB", "APVDIG":
		return "1"
	}
	return "0"
}

// writeReturns writes the return comparator: families, classes, spheres, and returns in pesos
// with distributions, nominal and real.
func (m *market) writeReturns(out *output) error {
	list := m.comparable()
	if len(list) == 0 {
		return nil
	}
	date := compact(m.comparatorDate())
	given := m.spheres(list)
	return out.write(model.ReturnsComparator, "comparator/cmf_rentabilidades_sintetico_"+date+".csv",
		m.config.End.AddDays(1), func(f *file) {
			f.table("fo_run", "fm_serie", "rent_nominal_1a", "rent_real_1a", "rent_nominal_3a_ann", "rent_real_3a_ann",
				"rent_nominal_5a_ann", "rent_real_5a_ann", "rent_nominal_10a_ann", "rent_real_10a_ann", "ind_rar_pond",
				"familia_estudios", "familia_visualizador", "familia_rar", "clase_inversionista", "nombre_fondo",
				"nombre_agf",
				"serie_digital", "fm_fecha")
			for i, s := range list {
				row := []string{number(int64(s.fund.run) * scale), s.serie}
				for span := 1; span < len(comparedYears); span++ {
					nominal, real, known := m.officialReturn(s, span)
					if !known {
						row = append(row, "", "")
						continue
					}
					row = append(row, rounded(100*nominal, 4), rounded(100*real, 4))
				}
				sphere := ""
				if given[i] > 0 {
					sphere = strconv.Itoa(given[i])
				}
				f.table(append(row, sphere, s.fund.family.studies, s.fund.family.display, s.fund.family.rar,
					s.class.word,
					s.fund.short, s.fund.manager.short, s.digital(), date)...)
			}
		})
}

// officialReturn returns the yearly return over one of comparedYears, nominal and real. known is
// false if the series has no such history.
func (m *market) officialReturn(s *series, span int) (nominal, real float64, known bool) {
	from, to := s.marks[span], s.marks[0]
	if !from.shown || s.story.kind == longGap || s.story.kind == restart {
		return 0, 0, false
	}
	end := m.comparatorDate()
	start := monthsBefore(end, 12*comparedYears[span])
	gain := float64(to.quota) / float64(from.quota) * to.gained / from.gained
	if s.fund.dollars() {
		gain *= float64(m.climate.dolarOn[end]) / float64(m.climate.dolarOn[start])
	}
	year := 1 / float64(comparedYears[span])
	inflation := float64(m.climate.ufOn[end]) / float64(m.climate.ufOn[start])
	nominal = math.Pow(gain, year) - 1
	return nominal, (1+nominal)/math.Pow(inflation, year) - 1, true
}

// leastGroup is the least number of rated series in a group. Smaller groups get no spheres.
const leastGroup = 10

// spheres rates about as many series of each family and class as the regulator does, by the
// rank of their three-year return. A market that is younger uses the one-year return. It returns
// the sphere of each series in list, or 0 for none.
func (m *market) spheres(list []*series) []int {
	given := make([]int, len(list))
	span := 2
	if m.compared[span] < 0 {
		span = 1
	}
	type candidate struct {
		at     int
		group  string
		result float64
	}
	var candidates []candidate
	for i, s := range list {
		if result, _, known := m.officialReturn(s, span); known && s.rating < s.class.rated {
			candidates = append(candidates, candidate{i, fmt.Sprintf("%s;%s", s.fund.family.rar, s.class.word), result})
		}
	}
	slices.SortFunc(candidates, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.group, b.group), cmp.Compare(a.result, b.result), cmp.Compare(a.at, b.at))
	})
	for from := 0; from < len(candidates); {
		to := from
		for to < len(candidates) && candidates[to].group == candidates[from].group {
			to++
		}
		for rank := range to - from {
			if to-from >= leastGroup {
				given[candidates[from+rank].at] = sphereOf((float64(rank) + .5) / float64(to-from))
			}
		}
		from = to
	}
	return given
}

// sphereOf returns the sphere of a rank between 0, the worst, and 1.
func sphereOf(place float64) int {
	total, below := 0, 0
	for _, n := range spheres {
		total += n
	}
	for i, n := range spheres {
		if below += n; place*float64(total) <= float64(below) {
			return i + 1
		}
	}
	return len(spheres)
}
