package marketpages

import (
	"strconv"

	"cuota/query/series"
)

// yearsTable shows what a series returned in each calendar year.
func (v *visit) yearsTable(years []series.CalendarYear) table {
	t := table{
		ID: "tabla-anios", Caption: v.Say("Rentabilidad de cada año", "Return of each year"),
		Empty: v.Say("No hay valores cuota.", "There are no quotas."),
		Columns: []column{
			{Title: v.Say("Año", "Year")},
			{Title: v.Say("Del valor cuota", "Of the quota"), Numeric: true,
				Hint: v.Say("Cambio del valor cuota en la moneda de la serie, sin repartos",
					"Change of the quota in the currency of the series, without distributions")},
			{Title: v.Say("Desde", "From"), Numeric: true}, {Title: v.Say("Hasta", "To"), Numeric: true},
		},
	}
	for _, y := range years {
		year := word(strconv.Itoa(int(y.Year)))
		if y.Partial {
			year.Sub = v.Say("en curso, incompleto", "in progress, partial")
		}
		why := v.reason(y.Reason)
		if y.Value == nil { // the quotas that were looked at are no ends of a return
			y.Start, y.End = nil, nil
		}
		t.Rows = append(t.Rows, row{Cells: []cell{year, v.change(y.Value, why), v.day(y.Start, why),
			v.day(y.End, why)}})
	}
	return t
}

// fallsTable shows the deepest falls of a series.
func (v *visit) fallsTable(falls []series.Fall) table {
	t := table{
		ID: "tabla-caidas", Caption: v.Say("Las cinco mayores caídas", "The five deepest falls"),
		Empty: v.Say("El valor cuota nunca ha caído en la historia que se conoce.",
			"The quota has never fallen in the history that is known."),
		Columns: []column{
			{Title: v.Say("Máximo", "Highest"),
				Hint: v.Say("Día del máximo desde el que cae", "Day of the highest quota")},
			{Title: v.Say("Mínimo", "Lowest"), Numeric: true},
			{Title: v.Say("Recuperación", "Recovery"), Numeric: true,
				Hint: v.Say("Primer día en que vuelve al máximo", "First day on which it is back at the highest")},
			{Title: v.Say("Profundidad", "Depth"), Numeric: true},
			{Title: v.Say("Duración", "Length"), Numeric: true, Unit: v.Say("días", "days"),
				Hint: v.Say("Del máximo a la recuperación o, si falta, al último valor cuota",
					"From the highest quota to the recovery or, without one, to the last quota")},
		},
	}
	for _, f := range falls {
		recovery := v.day(f.Recovered, v.Say("la historia se quiebra antes", "the history breaks before"))
		if f.Status == "open" {
			recovery = cell{Text: v.Say("todavía no", "not yet")}
		}
		t.Rows = append(t.Rows, row{Cells: []cell{
			v.day(&f.Peak, ""), v.day(&f.Lowest, ""), recovery, v.change(&f.Depth, ""), v.count(int(f.Days)),
		}})
	}
	return t
}
