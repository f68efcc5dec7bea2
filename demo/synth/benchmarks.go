package synth

import (
	"fmt"
	"math"
	"strings"

	"cuota/model"
)

// benchmark is the invented index of a family, and the instrument that follows it.
type benchmark struct {
	family int // in families
	symbol string
	dollar bool
	active bool
}

// firstClose is the price of every instrument on the day before the market begins.
const firstClose = 100.

// benchmarks lists an index for each family of the comparators, except for "Otros", which
// has nothing in common to be compared with. Families that are mostly in dollars have theirs
// in dollars. The first family also has one that is no longer used.
func benchmarks() []benchmark {
	var list []benchmark
	seen := map[string]bool{"Otros": true}
	for i := range families {
		if f := &families[i]; !seen[f.rar] {
			seen[f.rar] = true
			list = append(list, benchmark{i, fmt.Sprintf("SINT%02d", i+1), f.abroad >= .5, true})
		}
	}
	return append(list, benchmark{list[0].family, "SINT99", false, false})
}

// writeBenchmarks writes the catalogue of indices.
func (m *market) writeBenchmarks(out *output) error {
	return out.write(model.Benchmarks, "benchmarks/indices_sintetico.csv", m.config.End.AddDays(1), func(f *file) {
		f.table("family_rar", "symbol", "index_name", "instrument_name", "native_currency", "asset_class", "active")
		for _, b := range benchmarks() {
			of := families[b.family]
			currency, instrument, class, active := "CLP", "", "fixed_income", "yes"
			if b.dollar {
				currency, instrument = "USD", "ETF "+mark+" "+strings.ToUpper(of.rar)
			}
			if of.mover != rates {
				class = "equity"
			}
			if !b.active {
				active = "no"
			}
			f.table(of.rar, b.symbol, "INDICE "+mark+" "+strings.ToUpper(of.rar), instrument, currency, class, active)
		}
	})
}

// writeBenchmarkPrices writes the close of every working day. An index has the returns of its
// family before costs.
func (m *market) writeBenchmarkPrices(out *output) error {
	list := benchmarks()
	level := make([]float64, len(list))
	m.closes = make([]BenchmarkClose, len(list))
	for i, b := range list {
		level[i] = firstClose
		m.closes[i] = BenchmarkClose{Family: families[b.family].rar, Symbol: b.symbol, Active: b.active}
	}
	if !m.worksAny() {
		return nil
	}
	return out.write(model.Benchmarks, "benchmarks/precios_sintetico.csv", m.config.End.AddDays(1), func(f *file) {
		f.table("symbol", "date", "close")
		for d, day := range m.days {
			for i, b := range list {
				change := m.climate.families[d][b.family].pesos
				if b.dollar {
					change = m.climate.families[d][b.family].dollars
				}
				level[i] *= 1 + max(change, -.3)
				if !day.working {
					continue
				}
				written := rounded(max(level[i], 1e-6), 6)
				f.table(b.symbol, day.date.String(), written)
				last := &m.closes[i]
				last.Prices, last.Date, last.Close = last.Prices+1, day.date, math.Round(max(level[i], 1e-6)*1e6)/1e6
			}
		}
	})
}

// worksAny reports whether any day of the market is a working day.
func (m *market) worksAny() bool {
	for _, day := range m.days {
		if day.working {
			return true
		}
	}
	return false
}
