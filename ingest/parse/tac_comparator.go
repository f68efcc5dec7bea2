package parse

import "cuota/model"

// tacComparatorFormat reads the regulator's cost comparator: the synthetic TAC
// of each series and its investor class.
func tacComparatorFormat() *format {
	return &format{
		columns: []string{
			"fo_run", "fm_serie", "pat_total", "fm_fecha_num", "moneda_funcional", "clase_inversionista",
			"nombre_fondo", "nombre_agf", "serie_digital", "tac_sintetica",
		},
		key:       []int{0, 1, 3},
		separator: ',',
		ahead:     oneDayAhead,
		parse: func(r *row) (model.Event, model.Date) {
			tac := &model.SyntheticTAC{
				Source:        r.source,
				RUN:           r.run(0),
				Serie:         r.serie(1),
				EquityStated:  r.numberOrNull(2, comparatorShape),
				Date:          r.day(3, model.ParseCompactDate),
				Currency:      r.currency(4),
				InvestorClass: r.name(5),
				Fund:          r.text(6, 300),
				Manager:       r.text(7, 200),
				Digital:       r.word(8, "0", "1"),
				Percent:       r.number(9, syntheticShape),
			}
			return tac, tac.Date
		},
	}
}
