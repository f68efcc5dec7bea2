package marketpages

import (
	"math"
	"slices"
	"strings"

	"cuota/internal/httpapi"
	"cuota/internal/site/chart"
	"cuota/internal/site/familyname"
	"cuota/internal/site/locale"
	"cuota/model"
	"cuota/query/series"
)

// grown says in a sentence what lines that begin at 100 gained or lost over a span. at has their values by day. A
// line without a value on the last day is left out.
func (v *visit) grown(lines []chart.Line, at []map[model.Date]float64, first, last model.Date) string {
	var parts []string
	for i, line := range lines {
		if value, there := at[i][last]; there {
			change := value/100 - 1
			parts = append(parts, line.Name+" "+v.change(&change, "").Text)
		}
	}
	if len(parts) == 0 || first == last {
		return ""
	}
	return v.Say("Del ", "From ") + v.Lang.Day(first) + v.Say(" al ", " to ") + v.Lang.Day(last) + ": " +
		strings.Join(parts, "; ") + "."
}

// grownPoints are the points of a line that begins at 100, on the days of which the growth is known.
func grownPoints(days []series.GrowthPoint) (points []chart.Point) {
	for _, d := range days {
		if d.Growth != nil {
			points = append(points, chart.Point{Day: d.Date, Value: 100 * (1 + *d.Growth)})
		}
	}
	return points
}

// quotaCharts draw the growth of a series and how far it is below its highest quota of the span.
// Both are nil without a quota. With the quota of one day only, growth has no drawing but a sentence
// with that quota, and drawdown is nil.
func (v *visit) quotaCharts(of series.Profiled, parts seriesParts) (growth, drawdown *lineChart) {
	longest := longestOf(of)
	money := v.inMoney(of.Currency)
	own := chart.Line{Name: strings.TrimSpace(v.Say("valor cuota ", "unit price ") + money),
		Short: v.Say("valor cuota", "unit price"), Longest: longest}
	falls := chart.Line{Name: v.Say("caída", "fall"), Longest: longest}
	quotas := map[model.Date]float64{}
	var base, peak float64
	for _, d := range parts.days {
		day, quota := d.Date, d.Quota
		if quota <= 0 {
			continue
		}
		if base == 0 {
			base = quota
		}
		peak = max(peak, quota)
		quotas[day] = quota
		own.Points = append(own.Points, chart.Point{Day: day, Value: quota / base * 100})
		falls.Points = append(falls.Points, chart.Point{Day: day, Value: quota/peak - 1})
	}
	if len(own.Points) == 0 {
		return nil, nil
	}
	first, last := own.Points[0], own.Points[len(own.Points)-1]
	lines := []chart.Line{own}
	real := chart.Line{Name: v.Say("real, sobre UF", "real, net of UF inflation"),
		Short: v.Say("real, sobre UF", "real, net of UF"), Longest: longest, Aside: true}
	if of.Currency != nil && *of.Currency != "PESOS" {
		real.Name += v.Say(", convertida a pesos", ", converted to pesos")
	}
	real.Points = grownPoints(parts.days)
	family := chart.Line{Name: v.Say("su familia", "its family"), Short: v.Say("su familia", "its family"),
		Longest: longestOfIndex, Aside: true}
	var level float64
	for _, p := range parts.family {
		if p.Date.Compare(first.Day) < 0 || p.Date.Compare(last.Day) > 0 {
			continue
		}
		if level == 0 {
			if p.Date.DaysSince(first.Day) > 7 {
				break // an index that begins later can't begin at 100 beside the series
			}
			level = p.Value
		}
		family.Points = append(family.Points, chart.Point{Day: p.Date, Value: p.Value / level * 100})
	}
	if of.Family != nil {
		family.Name = commaJoined(v.Say("familia ", "family ")+locale.Shown(familyname.Spelt(*of.Family)), money)
	}
	for _, line := range []chart.Line{real, family} {
		if len(line.Points) > 1 {
			lines = append(lines, line)
		}
	}

	growth = &lineChart{Chart: chart.Chart{
		ID: "crecimiento", Title: v.Say("Crecimiento de 100", "Growth of 100"), Lines: lines,
		Label: chart.NumberLabels(v.Lang),
		Unit: v.Say("primer día del período = 100; sin repartos",
			"first day of the span = 100; without distributions"),
		Description: v.Say("Del ", "From ") + v.Lang.Day(first.Day) + v.Say(" al ", " to ") + v.Lang.Day(last.Day) +
			": 100 → " + v.Lang.Number(last.Value, 2) +
			v.Say(". La tabla que sigue tiene los mismos valores.", ". The table below has the same values."),
	}, Decimals: 2}
	plain := chart.Line{Name: v.Say("Valor cuota", "Unit price")}
	for _, p := range own.Points {
		plain.Points = append(plain.Points, chart.Point{Day: p.Day, Value: quotas[p.Day]})
	}
	growth.Also = []chart.Line{plain}
	if first.Day == last.Day {
		growth.OneDay = v.Say("Hay valor cuota de un solo día, el ", "There is a unit price of one day only, ") +
			v.Lang.Day(first.Day) + ": " + v.Lang.Number(quotas[first.Day], 4) + " " +
			strings.ToLower(v.inWords(currencyWords, of.Currency, "").Text) +
			v.Say(". Un gráfico necesita al menos dos.", ". A chart takes at least two.")
		growth.Lines = lines[:1]
		growth.draw(v)
		return growth, nil
	}
	if v.Text(scaleKey) == "log" {
		growth.Axis = chart.Logarithmic
	}
	growth.Table = table{ID: "tabla-crecimiento", Cards: true,
		Caption: v.Say("Valores al final de cada período", "Values at the end of each period"), Columns: []column{
			{Title: v.Say("Fecha", "Date")}, {Title: v.Say("Valor cuota", "Unit price"), Numeric: true, Unit: money},
		}}
	at := make([]map[model.Date]float64, len(lines))
	for i, line := range lines {
		titled := column{Title: line.Name, Numeric: true, Hint: v.Say("primer día = 100", "first day = 100")}
		if i == 0 {
			titled.Title, titled.Unit = v.Say("Crecimiento", "Growth"), money
		}
		growth.Table.Columns = append(growth.Table.Columns, titled)
		at[i] = map[model.Date]float64{}
		for _, p := range line.Points {
			at[i][p.Day] = p.Value
		}
	}
	ends := endsOf(own.Points)
	for _, i := range ends {
		day := own.Points[i].Day
		quota := quotas[day]
		cells := []cell{v.day(&day, ""), v.number(&quota, 4, "")}
		for _, values := range at {
			value, there := values[day]
			if !there {
				cells = append(cells, missing(v.Say("ese día no tiene valor", "that day has no value")))
				continue
			}
			cells = append(cells, v.number(&value, 2, ""))
		}
		growth.Table.Rows = append(growth.Table.Rows, row{Cells: cells, Day: day.String()})
	}
	for _, e := range parts.events.Data {
		if breaks[e.Kind] && e.Date.Compare(first.Day) > 0 && e.Date.Compare(last.Day) <= 0 {
			growth.Note = v.Say("Hay un quiebre o un cambio de unidad de la cuota en este período (",
				"There is a break or a change of what one unit is in this span (") +
				v.Lang.Day(e.Date) + v.Say("). El gráfico no lo corrige.", "). The chart does not correct it.")
		}
	}
	if growth.Note == "" {
		growth.Sum = v.grown(lines, at, first.Day, last.Day)
	}
	growth.draw(v)

	deepest := falls.Points[0]
	for _, p := range falls.Points {
		if p.Value < deepest.Value {
			deepest = p
		}
	}
	drawdown = &lineChart{Chart: chart.Chart{
		ID: "caida", Title: v.Say("Caída desde el máximo", "Fall from the highest unit price"), Lines: []chart.Line{falls},
		FromZero: true, Label: chart.PercentLabels(v.Lang),
		Unit: v.Say("por ciento, desde el mayor valor cuota del período hasta ese día; sin repartos",
			"percent, from the highest unit price of the span up to that day; without distributions"),
		Description: v.Say("La mayor caída es de ", "The deepest fall is ") + v.Lang.Percent(deepest.Value, 1) +
			v.Say(", el ", ", on ") + v.Lang.Day(deepest.Day) +
			v.Say(". La tabla que sigue tiene los mismos valores.", ". The table below has the same values."),
	}, Decimals: 2, Percent: true}
	drawdown.Note = growth.Note
	if math.Round(deepest.Value*1000) < 0 && growth.Note == "" { // a fall across a break is none
		drawdown.Marks = []chart.Mark{{At: deepest,
			Text: v.Lang.Percent(deepest.Value, 1) + ", " + v.Lang.Day(deepest.Day)}}
	}
	drawdown.Table = table{ID: "tabla-caida",
		Caption: v.Say("Caída al final de cada período", "Fall at the end of each period"), Columns: []column{
			{Title: v.Say("Fecha", "Date")}, {Title: v.Say("Caída", "Fall"), Numeric: true},
		}}
	for _, i := range ends {
		p := falls.Points[i]
		drawdown.Table.Rows = append(drawdown.Table.Rows,
			row{Cells: []cell{v.day(&p.Day, ""), v.fraction(&p.Value, 2, "")}, Day: p.Day.String()})
	}
	drawdown.draw(v)
	chart.Align(&growth.Chart, &drawdown.Chart)
	return growth, drawdown
}

// breaks are the kinds of events across which quotas do not compare.
var breaks = map[string]bool{"unit": true, "currency_change": true, "gap": true, "restart": true, "unit_change": true,
	"curated": true}

// costChart draws the cost of each month, and says in words of which kinds it is.
func (v *visit) costChart(of series.Profiled, history []httpapi.Resource[series.CostMonth]) (*lineChart, string) {
	line := chart.Line{Name: "TAC", Longest: longestOfMonths}
	costs := table{ID: "tabla-costos", Caption: v.Say("Costo anual por mes", "Annual cost by month"), Columns: []column{
		{Title: v.Say("Mes", "Month")}, {Title: "TAC", Numeric: true}, {Title: v.Say("Tipo", "Kind")},
	}}
	kinds := map[string]bool{}
	for _, m := range history {
		day, err := model.ParseCompactDate(m.Attributes.Date)
		if err != nil || v.Date() != "" && day.String() > v.Date() {
			continue
		}
		kinds[m.Attributes.Kind] = true
		if m.Attributes.TAC != nil {
			line.Points = append(line.Points, chart.Point{Day: day, Value: *m.Attributes.TAC})
		}
		costs.Rows = append(costs.Rows, row{Cells: []cell{
			{Text: v.Lang.Month(day)}, v.fraction(m.Attributes.TAC, 2,
				v.Say("lo calculado no es una tasa entre 0 y 1", "what was computed is no rate between 0 and 1")),
			v.inWords(tacKinds, &m.Attributes.Kind, ""),
		}, Day: day.String()})
	}
	if len(costs.Rows) > mostEnds {
		costs.Rows = costs.Rows[len(costs.Rows)-mostEnds:]
		costs.Note = v.Say("Solo los últimos cien meses; todos están en la API.",
			"Only the last hundred months; all are in the API.")
	}
	if len(line.Points) == 0 {
		return nil, ""
	}
	first, last := line.Points[0], line.Points[len(line.Points)-1]
	title := v.Say("Costo anual (TAC) de cada mes", "Annual cost (TAC) of each month")
	if len(kinds) == 1 {
		for kind := range kinds {
			name := worded(tacKinds, kind)
			title = v.Say("Costo anual (TAC "+name[0]+") de cada mes", "Annual cost ("+name[1]+" TAC) of each month")
		}
	}
	c := &lineChart{Chart: chart.Chart{
		ID: "costos-grafico", Title: title, Marks: []chart.Mark{{At: last, Text: v.Lang.Percent(last.Value, 2), Above: true}},
		Lines: []chart.Line{line}, Label: chart.PercentLabels(v.Lang), FromZero: true,
		Unit: v.Say("por ciento del patrimonio por año", "percent of equity per year"),
		Description: v.Lang.MonthInWords(first.Day) + ": " + v.Lang.Percent(first.Value, 2) + "; " +
			v.Lang.MonthInWords(last.Day) + ": " + v.Lang.Percent(last.Value, 2) +
			v.Say(". La tabla que sigue tiene los mismos valores.", ". The table below has the same values."),
	}, Table: costs, Decimals: 2, Percent: true, Monthly: true}
	c.draw(v)
	text := v.kindsInWords(kinds)
	if of.TACKind != nil && !kinds[*of.TACKind] {
		if name, known := tacKinds[*of.TACKind]; known {
			text += v.Say(" La TAC del comienzo de la página es "+name[0]+".",
				" The TAC at the top of the page is "+name[1]+".")
		}
	}
	return c, text
}

// kindsInWords says what kinds of cost rates are.
func (v *visit) kindsInWords(kinds map[string]bool) (text string) {
	for _, kind := range []struct {
		key string
		locale.Phrase
	}{
		{"synthetic", locale.Phrase{
			"Sintética: la publica el comparador de la CMF, con los costos de los fondos en que el fondo invierte. ",
			"Synthetic: stated by the CMF's comparator, with the costs of the funds in which the fund invests. "}},
		{"stated", locale.Phrase{
			"Informada: está en la planilla mensual o el comparador, sin los costos de los fondos en que invierte. ",
			"Stated: in the monthly sheet or the comparator, without the costs of the funds in which it invests. "}},
		{"computed", locale.Phrase{"Calculada: el promedio de los costos diarios del mes, si hay al menos quince. ",
			"Computed: the mean of the daily costs of the month, if there are at least fifteen. "}},
	} {
		if kinds[kind.key] {
			text += kind.In(v.Lang)
		}
	}
	return text + v.Say("Tasas de tipos distintos no se comparan.", "Rates of different kinds cannot be compared.")
}

// mostRolled is how many month ends the table behind rollingChart has: the newest five years. Its file has all.
const mostRolled = 60

// fewestRolled is how many windows of a length are shown at least, as in the table of what they come to
// (rolling_returns.sql).
const fewestRolled = 12

// rollingChart draws the returns of the windows that end on each month end. It is nil if there are few of each length.
func (v *visit) rollingChart(windows []series.RolledWindow, closed closing) *lineChart {
	windows = slices.DeleteFunc(slices.Clone(windows),
		func(w series.RolledWindow) bool { return w.Windows < fewestRolled })
	c := &lineChart{Chart: chart.Chart{
		ID: "ventanas-grafico", Title: v.Say("Rentabilidad hasta cada fin de mes", "Return to each month end"),
		Unit: v.Say("por ciento; la de 3 años, por año", "percent; that of 3 years, per year"), Axis: chart.Linear,
		Label: chart.PercentLabels(v.Lang),
	}, Percent: true, Monthly: true, Decimals: 2}
	if len(windows) == 1 { // with one line there is no legend
		name := worded(rolledNames, windows[0].Window)
		c.Title = v.Say("Rentabilidad de "+name[0]+", hasta cada fin de mes", "Return of "+name[1]+", to each month end")
		c.Unit = v.Say("por ciento", "percent")
	}
	values := table{ID: "ventanas-tabla", Caption: c.Title, Columns: []column{{Title: v.Say("Hasta", "To")}}}
	at := map[model.Date]map[int]cell{}
	var ends []model.Date
	for i, w := range windows {
		name := worded(rolledNames, w.Window).In(v.Lang)
		values.Columns = append(values.Columns, column{Title: name, Numeric: true})
		line := chart.Line{Name: name, Class: lineClasses[i], Longest: longestOfMonths}
		for _, end := range w.Ends {
			if at[end.Date] == nil {
				at[end.Date], ends = map[int]cell{}, append(ends, end.Date)
			}
			at[end.Date][i] = v.change(end.Value, closed.reason(v, end.Reason, end.Date))
			if end.Value != nil {
				line.Points = append(line.Points, chart.Point{Day: end.Date, Value: *end.Value})
			}
		}
		if len(line.Points) > 0 {
			c.Lines = append(c.Lines, line)
		}
	}
	if len(c.Lines) == 0 {
		return nil
	}
	slices.SortFunc(ends, model.Date.Compare)
	for _, end := range ends[max(0, len(ends)-mostRolled):] {
		cells := []cell{{Text: v.Lang.Month(end)}}
		for i := range windows {
			cells = append(cells, at[end][i])
		}
		values.Rows = append(values.Rows, row{Cells: cells, Day: end.String()})
	}
	for len(values.Rows) > 0 && !hasValue(values.Rows[0]) { // the history is too short for these
		values.Rows = values.Rows[1:]
	}
	first, last := c.Lines[0].Points[0], c.Lines[0].Points[len(c.Lines[0].Points)-1]
	c.Description = v.Lang.MonthInWords(first.Day) + ": " + v.Lang.Percent(first.Value, 1) + "; " +
		v.Lang.MonthInWords(last.Day) + ": " + v.Lang.Percent(last.Value, 1) +
		v.Say(". La tabla que sigue tiene los mismos valores.", ". The table below has the same values.")
	c.Table = values
	c.draw(v)
	return c
}

// hasValue reports whether a row has a number.
func hasValue(r row) bool {
	return slices.ContainsFunc(r.Cells, func(c cell) bool { return c.Number != nil })
}
