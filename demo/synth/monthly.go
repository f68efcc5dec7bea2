package synth

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"cuota/model"
)

// writeMonthEnd writes the files that are published for a whole month: costs and portfolios.
func (m *market) writeMonthEnd(out *output, d int) error {
	if err := m.writeMonthlyTACs(out, d); err != nil {
		return err
	}
	return m.writeHoldings(out, d)
}

// writeMonthlyTACs writes the monthly cost sheet. It identifies funds by name, not by RUN.
func (m *market) writeMonthlyTACs(out *output, d int) error {
	date := compact(m.days[d].date)
	return out.write(model.TACMonthly, "tac/tac_mensual_sintetico_"+date[:6]+".csv", m.days[d].date.AddDays(1),
		func(f *file) {
			f.csv.Comma = ';'
			f.table("periodo", "administradora", "nombre_fondo", "tipo_fondo", "moneda", "serie", "caracteristicas",
				"rem_fija",
				"rem_var", "gastos_op", "tac_rem_fija", "tac_rem_var", "tac_gastos_op", "tac_total", "cond_colocacion",
				"com_colocacion", "cond_diferida", "com_diferida")
			for _, s := range m.series {
				if !s.shown || s.units == 0 {
					continue
				}
				of := s.month.mean()
				f.table(date+".0", s.fund.manager.name, s.fund.name, strconv.Itoa(int(s.fund.family.kind)),
					s.fund.moneda,
					s.name(d),
					s.class.word, "Hasta "+strings.Replace(rounded(100*s.tac, 2), ".", ",", 1), "NA", "NA",
					rounded(100*of.fixed, 4),
					rounded(100*of.variable, 4), rounded(100*(of.affected+of.unaffected), 4),
					rounded(100*of.total(), 4),
					"NA", "NA", "NA", "NA")
			}
		})
}

// position is what a fund holds of one instrument. weight is a share of the fund's assets.
type position struct {
	foreign             bool
	nemo, issuer        string
	rut                 model.RUT
	country, instrument string
	weight              float64
}

// The instruments that families hold, by their mover (RULES 9).
var (
	debtCodes    = []string{"BB", "BE", "DPC", "BTU", "LH", "PDBC", "BU"}
	shareCodes   = []string{"ACC", "ACC", "ACC", "CFI", "DPC"}
	foreignDebt  = []string{"BEE", "BEBCE", "ETFB"}
	foreignOther = []string{"ACE", "ETFA", "CFME"}
)

// positions draws the portfolio of a fund, which stays the same in all months.
func positions(rng *rand.Rand, f *family) []position {
	list := make([]position, 4+rng.IntN(14))
	total := 0.
	for i := range list {
		p := position{foreign: rng.Float64() < f.abroad, country: "CL", weight: .2 + rng.Float64()}
		codes := shareCodes
		switch {
		case p.foreign && f.mover == rates:
			codes = foreignDebt
		case p.foreign:
			codes = foreignOther
		case f.mover == rates:
			codes = debtCodes
		}
		p.instrument = codes[rng.IntN(len(codes))]
		number := rng.IntN(400)
		p.issuer = fmt.Sprintf("EMISOR %s %d", mark, number)
		p.rut = firstIssuer + model.RUT(number)
		p.nemo = fmt.Sprintf("SINT%s-%03d%02d", p.instrument, number, i)
		if p.foreign {
			p.country = []string{"US", "LU", "IE", "BR", "MX"}[number%5]
		}
		total += p.weight
		list[i] = p
	}
	for i := range list {
		list[i].weight /= total
	}
	return list
}

// writeHoldings writes the national and the foreign portfolios of a month's end.
func (m *market) writeHoldings(out *output, d int) error {
	month := compact(m.days[d].date)[:6]
	for _, foreign := range []bool{false, true} {
		name := "holdings/naci_sintetico_" + month + ".txt"
		if foreign {
			name = "holdings/extr_sintetico_" + month + ".txt"
		}
		if !m.holdsAny(foreign) {
			continue
		}
		if err := out.write(model.Holdings, name, m.days[d].date.AddDays(1), func(f *file) {
			f.text(holdingsHeader(foreign))
			for _, fund := range m.funds {
				for _, p := range fund.positions {
					if p.foreign == foreign && fund.assets > 0 {
						f.text(holdingLine(fund, p))
					}
				}
			}
		}); err != nil {
			return err
		}
	}
	return nil
}

// holdsAny reports whether a portfolio file would have any row.
func (m *market) holdsAny(foreign bool) bool {
	return slices.ContainsFunc(m.funds, func(fund *fund) bool {
		return fund.assets > 0 && slices.ContainsFunc(fund.positions, func(p position) bool {
			return p.foreign == foreign
		})
	})
}

func holdingsHeader(foreign bool) string {
	if foreign {
		return "Run Fondo;Nombre " +
			"Fondo;FFM_6020100;FFM_6020200;FFM_6020300;FFM_6020400;FFM_6020500;FFM_6020600;FFM_6020700;" +
			"FFM_6020800;FFM_6020900;FFM_6021000;FFM_TIR_6021111;FFM_PAR_6021111;FFM_REL_6021111;FFM_6021112;FFM_6021113;" +
			"FFM_6021114;FFM_6021200;FFM_6021300;FFM_6021400;FFM_6021511;FFM_6021512;FFM_6021513\n"
	}
	return "Run Fondo;Nombre Fondo;FFM_6010100;FFM_6010211;FFM_6010212;FFM_6010300;FFM_6010400;FFM_6010500;FFM_6010600;" +
		"FFM_6010700;FFM_6010800;FFM_6010900;FFM_6011000;FFM_TIR_6011111;FFM_PAR_6011111;FFM_REL_6011111;FFM_6011112;" +
		"FFM_6011113;FFM_6011114;FFM_6011200;FFM_6011300;FFM_6011400;FFM_6011511;FFM_6011512;FFM_6011513\n"
}

// holdingLine returns the line of one position. Valuations are in thousands.
func holdingLine(fund *fund, p position) string {
	value := int64(p.weight * float64(fund.assets) / 1000 / scale)
	percent := string(appendNumber(nil, int64(p.weight*100_000), 3))
	number, digit, _ := strings.Cut(p.rut.String(), "-")
	issuer := []string{number, digit}
	if p.foreign {
		issuer = []string{p.issuer}
	}
	fields := append([]string{strconv.Itoa(int(fund.run)), fund.short, p.nemo}, issuer...)
	fields = append(fields, p.country, p.instrument, "99999999", "1", "NA", "99999999", strconv.FormatInt(value, 10),
		fund.moneda,
		"", "", "", "3", "0", "NA", strconv.FormatInt(value, 10), fund.moneda, p.country, "0", "0", percent)
	return strings.Join(fields, ";") + "\n"
}
