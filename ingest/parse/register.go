package parse

import (
	"strconv"

	"cuota/model"
)

// registerFormat reads the regulator's register of mutual funds. It contains a fund up
// to three times, in identical lines.
func registerFormat() *format {
	return &format{
		columns: []string{
			"RUT Administradora", "Raz. Social Administradora", "RUN Fondo", "Nombre Fondo", "Nombre Corto",
			"Fecha Res. Aprobación del RI", "Nro. Res. Aprobación del RI", "Tipo de Fondo Mutuo",
			"Fecha Inicio Operaciones", "Fecha Término Operaciones", "Moneda",
		},
		key:       []int{2},
		separator: ';',
		parse: func(r *row) (model.Event, model.Date) {
			return &model.Fund{
				Source:     r.source,
				ManagerRUT: r.rut(0),
				Manager:    r.text(1, 200),
				RUN:        r.run(2),
				Name:       r.text(3, 300),
				ShortName:  r.text(4, 200),
				Approved:   r.dateOrNone(5),
				Resolution: r.text(6, 40),
				Kind:       r.kind(7),
				Started:    r.maybeDate(8),
				Ended:      r.maybeDate(9),
				Currency:   r.currency(10),
			}, model.Date{}
		},
	}
}

// kind reads the type of a mutual fund. No number depends on it, so a new one is kept, and
// a text becomes 0.
func (r *row) kind(column int) uint8 {
	kind, err := strconv.ParseUint(r.fields[column], 10, 8)
	if err != nil {
		kind = 0
	}
	if kind < 1 || kind > 8 {
		r.unknown = append(r.unknown, column)
	}
	return uint8(kind)
}

// dateOrNone reads a date that no number depends on. What is no date becomes none.
func (r *row) dateOrNone(column int) model.Date {
	date, err := model.ParseSlashDate(r.fields[column])
	if err != nil && r.fields[column] != "" {
		r.unknown = append(r.unknown, column)
	}
	if err != nil {
		return model.Date{}
	}
	return date
}
