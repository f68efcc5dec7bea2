package synth

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"cuota/model"
)

// investmentFund is a fund of the register of investment funds. Redeemable ones publish a value
// each day, the others one each quarter.
type investmentFund struct {
	run     model.RUN
	manager *manager
	daily   bool
	family  int
	rng     *rand.Rand
	value   float64
	units   float64
	holders int
}

func (m *market) drawInvestmentFunds() {
	rng := stream(m.config.Seed, investmentStream)
	for i := range max(1, int(investmentFundsPerSeries*float64(len(m.series)))) {
		m.investment = append(m.investment, &investmentFund{
			run: firstInvestmentRUN + model.RUN(i), manager: m.funds[rng.IntN(len(m.funds))].manager,
			daily: rng.Float64() < redeemable, family: rng.IntN(len(families)), rng: stream(m.config.Seed, investmentFundStream+uint64(i)),
			value: 1000 * math.Exp(rng.NormFloat64()), units: math.Exp(15 + 1.5*rng.NormFloat64()), holders: 1 + rng.IntN(300),
		})
	}
}

// writeFIRegister writes the register of investment funds.
func (m *market) writeFIRegister(out *output) error {
	return out.write(model.FIRegister, "fi/fondos_inversion_sintetico.csv", m.config.End.AddDays(1), func(f *file) {
		f.table("run", "nombre", "administradora", "tipo")
		for i, fund := range m.investment {
			kind := "FINRE"
			if fund.daily {
				kind = "FIRES"
			}
			f.table(strconv.Itoa(int(fund.run)), fmt.Sprintf("FONDO DE INVERSION %s %d", mark, i+1), fund.manager.name, kind)
		}
	})
}

// writeFIValues writes the book values, one file for each year.
func (m *market) writeFIValues(out *output) error {
	for from := 0; from < len(m.days); {
		to, year := from, m.days[from].date.Time().Year()
		for to < len(m.days) && m.days[to].date.Time().Year() == year {
			to++
		}
		if err := m.writeFIYear(out, from, to); err != nil {
			return err
		}
		from = to
	}
	return nil
}

func (m *market) writeFIYear(out *output, from, to int) error {
	if !m.publishesAny(from, to) {
		return nil
	}
	last := m.days[to-1].date
	name := fmt.Sprintf("fi/valores_sintetico_%s_%s.csv", compact(m.days[from].date), compact(last))
	return out.write(model.FIValues, name, last.AddDays(1), func(f *file) {
		f.text("RUN;Fecha;Serie;Moneda;Valor Libro;Valor Economico;Patrimonio Neto;Activo Total;N Aportantes;N Aportantes Institucionales;Agencia\n")
		for _, fund := range m.investment {
			for d := from; d < to; d++ {
				day := m.days[d]
				move := m.climate.families[d][fund.family].pesos
				if day.working {
					move += .002 * fund.rng.NormFloat64()
				}
				fund.value *= 1 + max(move, -.3)
				if !fund.publishes(day) {
					continue
				}
				equity := fund.units * fund.value
				f.text(fmt.Sprintf("%s;%s;UNICA;$$;%s;;%s;%s;%s;%s;\n", fund.run, slashed(day.date), chilean(fixed(fund.value)),
					chilean(int64(equity)*scale), chilean(int64(equity*1.02)*scale), chilean(int64(fund.holders)*scale), chilean(int64(fund.holders/10)*scale)))
			}
		}
	})
}

func (f *investmentFund) publishes(on day) bool {
	return f.daily || on.date.AddDays(1).Time().Day() == 1 && on.date.Time().Month()%3 == 0
}

// publishesAny tells whether any fund publishes a value on the days.
func (m *market) publishesAny(from, to int) bool {
	return slices.ContainsFunc(m.investment, func(fund *investmentFund) bool {
		return slices.ContainsFunc(m.days[from:to], fund.publishes)
	})
}

// chilean writes a number of 1/10,000s in the Chilean form, as in 1.234.567,89.
func chilean(v int64) string {
	whole, part := strconv.FormatInt(v/scale, 10), number(v%scale)
	grouped := make([]byte, 0, len(whole)+len(whole)/3+len(part))
	for i := range len(whole) {
		if i > 0 && (len(whole)-i)%3 == 0 {
			grouped = append(grouped, '.')
		}
		grouped = append(grouped, whole[i])
	}
	if part != "0" {
		grouped = append(append(grouped, ','), part[1:]...)
	}
	return string(grouped)
}
