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
	listed  listing
	closed  bool // it ended before the market begins
	silent  bool // it is in the register and never publishes a value
	// positions are what it holds, the same each quarter. assets has the value of all assets in
	// pesos at the close of each quarter, by day.
	positions []position
	assets    map[int]int64
}

// listing says what the curated list says of a fund.
type listing byte

const (
	unlisted  listing = iota
	exchanged         // it is traded on an exchange
	notExchanged
)

func (m *market) drawInvestmentFunds() {
	rng := stream(m.config.Seed, investmentStream)
	for i := range max(1, int(investmentFundsPerSeries*float64(len(m.series)))) {
		m.investment = append(m.investment, &investmentFund{
			run: firstInvestmentRUN + model.RUN(i), manager: m.funds[rng.IntN(len(m.funds))].manager,
			daily: rng.Float64() < redeemable, family: rng.IntN(len(families)),
			rng:   stream(m.config.Seed, investmentFundStream+uint64(i)),
			value: 1000 * math.Exp(rng.NormFloat64()), units: math.Exp(15 + 1.5*rng.NormFloat64()),
			holders: 1 + rng.IntN(300),
		})
	}
	for i, fund := range m.investment {
		fund.positions = positions(stream(m.config.Seed, portfolioStream+uint64(i)), &families[fund.family])
		fund.assets = map[int]int64{}
	}
	m.drawFundsWithoutValues()
}

// drawFundsWithoutValues adds funds that the register has and that publish nothing: some ended
// long ago, and a few are in force all the same.
func (m *market) drawFundsWithoutValues() {
	rng := stream(m.config.Seed, closedInvestmentStream)
	publishing := len(m.investment)
	ended, silent := (publishing+9)/10, (publishing+39)/40
	for i := range ended + silent {
		fund := &investmentFund{run: firstInvestmentRUN + model.RUN(len(m.investment)),
			manager: m.funds[rng.IntN(len(m.funds))].manager}
		fund.daily = rng.Float64() < redeemable
		fund.closed = i < ended
		fund.silent = !fund.closed
		m.investment = append(m.investment, fund)
	}
}

// exchangeTraded is the share of the redeemable investment funds that are traded on an
// exchange. It is an estimate, as is the share of those that are known not to be.
const exchangeTraded = .25

// drawVehicles draws which redeemable funds the curated list names. The first one is traded on
// an exchange, so that every market with such a fund has one.
func (m *market) drawVehicles() {
	rng := stream(m.config.Seed, vehicleStream)
	any := false
	for _, fund := range m.investment {
		at := rng.Float64()
		switch {
		case !fund.daily || fund.closed || fund.silent:
		case !any || at < exchangeTraded:
			fund.listed, any = exchanged, true
		case at < 2*exchangeTraded:
			fund.listed = notExchanged
		}
	}
}

// writeVehicles writes the curated list of funds that are traded on an exchange or are not.
func (m *market) writeVehicles(out *output) error {
	if !slices.ContainsFunc(m.investment, func(fund *investmentFund) bool { return fund.listed != unlisted }) {
		return nil
	}
	return out.write(model.Vehicles, "fi/etf_sintetico.csv", m.config.End.AddDays(1), func(f *file) {
		f.table("run", "is_etf", "source_url", "source_sha256", "note")
		for _, fund := range m.investment {
			if fund.listed == unlisted {
				continue
			}
			is := "no"
			if fund.listed == exchanged {
				is = "yes"
			}
			url, sum := evidence("vehicle", fund.run)
			f.table(fund.run.String(), is, url, sum, mark)
		}
	})
}

// writeFIRegister writes the register of investment funds.
func (m *market) writeFIRegister(out *output) error {
	return out.write(model.FIRegister, "fi/fondos_inversion_sintetico.csv", m.config.End.AddDays(1), func(f *file) {
		f.table("run", "nombre", "administradora", "tipo", "estado")
		for i, fund := range m.investment {
			kind := "FINRE"
			if fund.daily {
				kind = "FIRES"
			}
			state := "vigente"
			if fund.closed {
				state = "no vigente"
			}
			f.table(strconv.Itoa(int(fund.run)), fmt.Sprintf("FONDO DE INVERSION %s %d", mark, i+1), fund.manager.name,
				kind, state)
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
		f.text("RUN;Fecha;Serie;Moneda;Valor Libro;Valor Economico;Patrimonio Neto;Activo Total;N Aportantes;N " +
			"Aportantes Institucionales;Agencia\n")
		for _, fund := range m.investment {
			if fund.rng == nil {
				continue // it never publishes a value
			}
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
				economic := "" // redeemable funds state no second value
				if !fund.daily {
					economic = chilean(fixed(1.01 * fund.value))
				}
				if quarterEnd(day.date) {
					fund.assets[d] = int64(equity * 1.02)
				}
				f.text(fmt.Sprintf("%s;%s;UNICA;$$;%s;%s;%s;%s;%s;%s;\n", fund.run, slashed(day.date),
					chilean(fixed(fund.value)), economic,
					chilean(int64(equity)*scale), chilean(int64(equity*1.02)*scale), chilean(int64(fund.holders)*scale),
					chilean(int64(fund.holders/10)*scale)))
			}
		}
	})
}

func (f *investmentFund) publishes(on day) bool {
	return !f.closed && !f.silent && (f.daily || quarterEnd(on.date))
}

// quarterEnd reports whether the date is the last day of a quarter.
func quarterEnd(date model.Date) bool {
	return date.AddDays(1).Time().Day() == 1 && date.Time().Month()%3 == 0
}

// portfolioDelay is how many days after its close a quarterly portfolio is published.
const portfolioDelay = 60

// writeFIHoldings writes the portfolios of each quarter's end that were published by the day
// after the market's end.
func (m *market) writeFIHoldings(out *output) error {
	for d, day := range m.days {
		published := day.date.AddDays(portfolioDelay)
		if !quarterEnd(day.date) || published.Compare(m.config.End.AddDays(1)) > 0 {
			continue
		}
		if !slices.ContainsFunc(m.investment, func(fund *investmentFund) bool { return fund.assets[d] > 0 }) {
			continue
		}
		m.portfolios = nil // only those of the last quarter are expected
		name := "holdings/fi_sintetico_" + compact(day.date)[:6] + ".csv"
		if err := out.write(model.Holdings, name, published, func(f *file) {
			f.text("run;market;nemotecnico;rut_emisor;emisor;pais;tipo_instrumento;valorizacion;pct_activo\n")
			for _, fund := range m.investment {
				if fund.assets[d] > 0 {
					m.portfolios = append(m.portfolios, fund.writePortfolio(f, d, day.date))
				}
			}
		}); err != nil {
			return err
		}
	}
	return nil
}

// writePortfolio writes the positions of the fund, and the row with their total that portfolio
// files have. Valuations are in thousands of pesos.
func (f *investmentFund) writePortfolio(to *file, d int, month model.Date) Portfolio {
	sum := Portfolio{Run: f.run, Month: month, Positions: len(f.positions)}
	for _, p := range f.positions {
		market := "N"
		if p.foreign {
			market = "E"
		}
		thousands := int64(p.weight * float64(f.assets[d]) / 1000)
		sum.Thousands += thousands
		to.text(fmt.Sprintf("%s;%s;%s;%s;%s;%s;%s;%s;%s\n", f.run, market, p.nemo, p.rut, p.issuer, p.country,
			p.instrument,
			chilean(thousands*scale), chilean(fixed(100*p.weight))))
	}
	to.text(fmt.Sprintf("%s;N;TOTAL;;;;;%s;100\n", f.run, chilean(sum.Thousands*scale)))
	return sum
}

// publishesAny reports whether any fund publishes a value on the days.
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
