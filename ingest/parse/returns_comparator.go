package parse

import (
	"strconv"

	"cuota/model"
)

// returnsComparatorFormat reads the regulator's return comparator: families,
// spheres and the official returns of each series, in percent.
func returnsComparatorFormat() *format {
	return &format{
		columns: []string{
			"fo_run", "fm_serie", "rent_nominal_1a", "rent_real_1a", "rent_nominal_3a_ann", "rent_real_3a_ann",
			"rent_nominal_5a_ann", "rent_real_5a_ann", "rent_nominal_10a_ann", "rent_real_10a_ann", "ind_rar_pond",
			"familia_estudios", "familia_visualizador", "familia_rar", "clase_inversionista", "nombre_fondo",
			"nombre_agf", "serie_digital", "fm_fecha",
		},
		key:       []int{0, 1, 18},
		separator: ',',
		ahead:     oneDayAhead,
		parse: func(r *row) (model.Event, model.Date) {
			official := &model.OfficialReturn{
				Source:        r.source,
				RUN:           r.run(0),
				Serie:         r.serie(1),
				Nominal1Y:     r.maybe(2, returnShape),
				Real1Y:        r.maybe(3, returnShape),
				Nominal3Y:     r.maybe(4, returnShape),
				Real3Y:        r.maybe(5, returnShape),
				Nominal5Y:     r.maybe(6, returnShape),
				Real5Y:        r.maybe(7, returnShape),
				Nominal10Y:    r.maybe(8, returnShape),
				Real10Y:       r.maybe(9, returnShape),
				Spheres:       r.spheres(10),
				FamilyStudies: r.name(11),
				FamilyDisplay: r.name(12),
				FamilyRAR:     r.name(13),
				InvestorClass: r.name(14),
				Fund:          r.text(15, 300),
				Manager:       r.text(16, 200),
				Digital:       r.word(17, "0", "1"),
				Date:          r.day(18, model.ParseCompactDate),
			}
			return official, official.Date
		},
	}
}

// spheres reads the scale of 1 to 5; blank becomes 0, not rated.
func (r *row) spheres(column int) uint8 {
	word := r.oneOf(column, "", "1", "2", "3", "4", "5")
	if word == "" {
		return 0
	}
	n, _ := strconv.Atoi(word) // cannot fail: word is a digit of the list above
	return uint8(n)
}
