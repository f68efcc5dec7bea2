package ingest

import "cuota/model"

// fiRegisterFormat reads the register of investment funds.
func fiRegisterFormat() *format {
	return &format{
		columns:   []string{"run", "nombre", "administradora", "tipo"},
		separator: ',',
		parse: func(r *row) (model.Event, model.Date) {
			return &model.InvestmentFund{
				Source:  r.source,
				RUN:     r.run(0),
				Name:    r.name(1),
				Manager: r.name(2),
				Kind:    r.oneOf(3, "FIRES", "FINRE"),
			}, model.Date{}
		},
	}
}
