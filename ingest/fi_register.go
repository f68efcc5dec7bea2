package ingest

import "cuota/model"

// fiRegisterFormats reads the register of investment funds, with or without the column
// that says whether a fund is in force.
func fiRegisterFormats() []*format {
	columns := []string{"run", "nombre", "administradora", "tipo"}
	return []*format{
		fiRegisterFormat(columns, func(*row) bool { return false }),
		fiRegisterFormat(append(columns, "estado"), func(r *row) bool {
			return r.oneOf(len(columns), "vigente", "no vigente") == "no vigente"
		}),
	}
}

func fiRegisterFormat(columns []string, closed func(*row) bool) *format {
	return &format{
		columns:   columns,
		key:       []int{0},
		separator: ',',
		parse: func(r *row) (model.Event, model.Date) {
			return &model.InvestmentFund{
				Source:  r.source,
				RUN:     r.run(0),
				Name:    r.name(1),
				Manager: r.name(2),
				Kind:    r.oneOf(3, "FIRES", "FINRE"),
				Closed:  closed(r),
			}, model.Date{}
		},
	}
}
