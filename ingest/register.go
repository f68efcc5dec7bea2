package ingest

import (
	"fmt"
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
				Manager:    r.name(1),
				RUN:        r.run(2),
				Name:       r.name(3),
				ShortName:  r.name(4),
				Approved:   r.maybeDate(5),
				Resolution: r.name(6),
				Kind:       r.kind(7),
				Started:    r.maybeDate(8),
				Ended:      r.maybeDate(9),
				Currency:   r.currency(10),
			}, model.Date{}
		},
	}
}

// kind reads the type of a mutual fund, 1 to 8.
func (r *row) kind(column int) uint8 {
	kind, err := strconv.ParseUint(r.fields[column], 10, 8)
	if err != nil || len(r.fields[column]) != 1 || kind < 1 || kind > 8 {
		r.fail(column, fmt.Errorf("%s is not a fund type, expected 1 to 8; if the source has a new type, report it", shown(r.fields[column])))
	}
	return uint8(kind)
}
