package projector_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"cuota/internal/testkit/oracle"
)

// The families of the generated market.
const (
	equity   = "Accionario nacional"
	abroad   = "Accionario eeuu"
	money    = "Deuda < 90 dias nacional"
	bonds    = "Deuda < 365 dias nacional en pesos"
	flexible = "Deuda > 365 dias orig. flex"
)

// member is a series of the generated market.
type member struct {
	manager, run int
	serie        string
	moneda       string
	family       string // empty if no comparator names the series
}

func (m member) String() string { return fmt.Sprint(m.run, m.serie) }

// members returns twelve series in pesos, which are enough to find outliers among them, three
// of the same family in dollars, two money-market series, three of bonds, one without a
// family, and one in euros.
func members() (list []member) {
	add := func(manager, run int, series, moneda, family string) {
		for _, serie := range strings.Split(series, "") {
			list = append(list, member{manager, run, serie, moneda, family})
		}
	}
	add(0, 70001, "ABCD", "$$", equity)
	add(0, 70002, "ABCD", "$$", equity)
	add(0, 70003, "ABCD", "$$", equity)
	add(76000001, 70004, "ABC", "PROM", equity)
	add(76000001, 70005, "AB", "$$", money)
	add(76000002, 70006, "ABC", "$$", bonds)
	add(76000002, 70007, "A", "$$", "")
	add(76000002, 70008, "A", "EUR", equity)
	// The second funds of families, which have no index without them.
	add(76000001, 70014, "AB", "PROM", equity)
	add(76000001, 70015, "AB", "$$", money)
	add(76000002, 70016, "ABC", "$$", bonds)
	return list
}

// First and last day of the generated market.
const firstQuoted, lastQuoted = "2025-01-01", "2025-03-20"

// eventful returns the rows of the generated market. Quotas change by less than 0.3 % a day,
// except for the events below.
func eventful(t *testing.T) (rows []cartolaDay) {
	t.Helper()
	random := rand.New(rand.NewPCG(7, 7))
	for i, m := range members() {
		quota := 1000 + 10*float64(i)
		for day := date(t, firstQuoted); !day.After(date(t, lastQuoted)); day = day.AddDate(0, 0, 1) {
			drift := 1 + 0.002*math.Sin(float64(day.YearDay())) + 0.0004*(random.Float64()-0.5)
			if m.family == money {
				drift = 1 + (drift-1)/10
			}
			row := cartolaDay{manager: m.manager, run: m.run, serie: m.serie, moneda: m.moneda, day: day, units: 1}
			shown := 1.0 // factor of the quota, for an error of a single day
			missing := false
			on := func(days ...string) bool {
				for _, d := range days {
					if day.Format("01-02") == d {
						return true
					}
				}
				return false
			}
			between := func(from, to string) bool { return day.Format("01-02") >= from && day.Format("01-02") <= to }
			still := m.moneda == "$$" && m.family == equity && on("03-10") // the median change is 0
			if still {
				drift = 1
			}
			switch m.String() {
			case "70001B": // a spike, which its peers make visible
				if on("02-12") {
					shown = 1.15
				}
			case "70001C": // a distribution of five percent
				if on("02-14") {
					drift, row.payout = 0.951, "1.05"
				}
			case "70001D": // begins
				missing = between("01-01", "01-31")
			case "70002A":
				if still {
					drift = 1.006 // above the least distance of an outlier
				}
			case "70002B": // each quota becomes two
				if on("02-17") {
					drift, row.adjust = 0.5005, "2"
				}
			case "70002C": // a factor that does not explain the change
				if on("02-18") {
					row.adjust = "1.3"
				}
			case "70002D": // ends
				missing = between("02-21", "12-31")
			case "70003A": // a jump that stays
				if on("02-05") {
					drift = 1.04
				}
				if still {
					drift = 1.004 // below the least distance of an outlier
				}
			case "70003B": // a jump that is not accepted
				if on("02-10") {
					drift = 1.25
				}
			case "70003C": // a distribution that is not accepted
				if on("02-19") {
					row.payout = "1.6"
				}
			case "70003D": // seven days between two quotes
				missing = between("02-03", "02-08")
			case "70004A":
				missing = between("02-22", "02-23")
				if on("02-27") {
					row.moneda = " " // rejected
				}
			case "70004B": // a spike with too few peers to find it
				missing = between("02-22", "02-23")
				if on("02-12") {
					shown = 1.12
				}
			case "70004C": // like B and A: the family has no quotes for two days
				missing = between("02-22", "02-23")
			case "70005A": // the only quote on the 25th, and none on the 26th
				missing = on("02-26")
				if on("02-03") {
					drift = 1.011 // beyond the cap of its category
				}
			case "70005B": // no quote on the 25th and on the ten days before it
				missing = on("02-25") || between("01-20", "01-29")
			case "70006B": // no equity for a day
				if on("03-03") {
					row.equity = -1
				}
			case "70006C":
				if between("03-01", "12-31") {
					row.moneda = "PROM"
				}
			}
			quota *= drift
			row.quota = math.Round(quota*shown*1e4) / 1e4
			switch row.equity {
			case 0:
				row.equity = math.Round(1e5 * (1 + 0.1*float64(i)) * (1 + 0.2*random.Float64()))
			default:
				row.equity = 0
			}
			if !missing {
				rows = append(rows, row)
			}
		}
	}
	return rows
}

// comparator writes the regulator's return comparator with the family of each series. Series whose names have
// an odd number of letters are digital.
func comparator(t *testing.T, day string, families map[member]string) string {
	t.Helper()
	lines := []string{"fo_run,fm_serie,rent_nominal_1a,rent_real_1a,rent_nominal_3a_ann,rent_real_3a_ann,rent_nominal_5a_ann,rent_real_5a_ann," +
		"rent_nominal_10a_ann,rent_real_10a_ann,ind_rar_pond,familia_estudios,familia_visualizador,familia_rar,clase_inversionista,nombre_fondo," +
		"nombre_agf,serie_digital,fm_fecha"}
	for m, family := range families {
		if family != "" {
			lines = append(lines, fmt.Sprintf("%d,%s,,,,,,,,,,%s,%[3]s,%[3]s,Retail,FONDO,ADMINISTRADORA,%d,%s",
				m.run, m.serie, family, len(m.serie)%2, strings.ReplaceAll(day, "-", "")))
		}
	}
	return fileOf(t, "comparator_"+day+".csv", lines...)
}

// classify adds the same classifications to the oracle.
func classify(t *testing.T, market *oracle.Market, day string, families map[member]string) {
	t.Helper()
	for m, family := range families {
		if family != "" {
			market.Classify(oracle.Classification{Run: m.run, Serie: m.serie, Day: date(t, day), Family: family,
				Category: categoryOf(family)})
		}
	}
}

// categoryOf returns the category of a family by the words in its name (RULES 6).
func categoryOf(family string) string {
	for _, c := range []struct{ words, category string }{
		{"Deuda < 90", "money_market"}, {"Deuda", "fixed_income"}, {"Balanceado", "balanced"}, {"Accionario", "equity"},
		{"Estructurado", "structured"},
	} {
		if strings.HasPrefix(family, c.words) {
			return c.category
		}
	}
	return "other"
}
