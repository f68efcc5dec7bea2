package synth

import (
	"fmt"
	"strconv"
	"strings"

	"cuota/model"
)

// cutTo is how many characters of a series' name the association's sheet contains.
const cutTo = 12

// writeSheet writes the association's daily sheet of the last day.
func (m *market) writeSheet(out *output) error {
	d := len(m.days) - 1
	name := fmt.Sprintf("aafm/aafm_resumen_diario_sintetico_%s.csv", compact(m.config.End))
	return out.write(model.AAFM, name, m.config.End.AddDays(1), func(f *file) {
		f.table("administradora", "run", "codigo_bloomberg", "fondo", "serie", "patrimonio_neto_clp",
			"cuotas_circulacion",
			"cuotas_aportadas", "cuotas_rescatadas", "valor_cuota", "participes", "categoria_aafm", "serie_apv",
			"moneda")
		for _, s := range m.series {
			if !s.story.present(d) {
				continue
			}
			serie := s.serie
			if len(serie) > cutTo {
				serie = strings.TrimSpace(serie[:cutTo])
			}
			if serie == model.SoleSerie { // the sheet leaves it blank
				serie = ""
			}
			equity, moneda := float64(s.equity)/scale, "PESOS"
			if s.fund.dollars() {
				moneda = "DOLAR"
				equity *= float64(m.climate.dolarOn[m.config.End]) / 100
				if !m.days[d].working { // the sheet has no rate on such a day
					equity = 0
				}
			}
			holders, apv := s.holders, "No"
			if s.units == 0 {
				holders = 0
			}
			if s.class.word == "APV" {
				apv = "Si"
			}
			f.table(s.fund.manager.short, s.fund.run.String(), "", s.fund.short, serie, rounded(equity, 0),
				plainNumber(s.units), plainNumber(s.contributed), plainNumber(s.redeemed), plainNumber(s.quota),
				strconv.FormatInt(holders, 10), s.fund.family.sheet, apv, moneda)
		}
	})
}

// plainNumber writes a number of 1/10,000s with a zero before the point.
func plainNumber(v int64) string { return withZero(appendNumber(nil, v, 4)) }
