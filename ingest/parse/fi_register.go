package parse

import "cuota/model"

// fiRegisterFormats reads the register of investment funds, with or without the column
// that says whether a fund is in force.
func fiRegisterFormats() []*format {
	columns := []string{"run", "nombre", "administradora", "tipo"}
	return []*format{
		fiRegisterFormat(columns, func(*row) string { return "" }),
		fiRegisterFormat(append(columns, "estado"), func(r *row) string {
			return r.word(len(columns), "vigente", "no vigente")
		}),
	}
}

func fiRegisterFormat(columns []string, state func(*row) string) *format {
	return &format{
		columns:   columns,
		key:       []int{0},
		separator: ',',
		parse: func(r *row) (model.Event, model.Date) {
			fund := &model.InvestmentFund{
				Source:  r.source,
				RUN:     r.run(0),
				Name:    r.repairedText(1, 300),
				Manager: r.repairedText(2, 200),
				Kind:    r.word(3, "FIRES", "FINRE"),
				State:   state(r),
			}
			fund.Closed = fund.State == "no vigente"
			return fund, model.Date{}
		},
	}
}
