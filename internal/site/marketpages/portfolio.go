package marketpages

import (
	"context"
	"fmt"
	"strconv"

	"cuota/internal/httpapi"
	"cuota/internal/site/locale"
	"cuota/model"
	"cuota/query/portfolio"
	"cuota/query/savings"
)

// The fields of the form of a portfolio. The names of the columns are in the lines.
const (
	movementsField = "movimientos"
	valuationField = "al"
)

// portfolioPage has the form in which readers write their purchases and sales.
var portfolioPage = page{
	path: "/mi-cartera", template: "portfolio",
	load: func(context.Context, *visit) (any, error) { return portfolioView{}, nil },
}

// portfolioAnswer answers the form. Nothing of it is kept.
var portfolioAnswer = page{
	path: "/mi-cartera", template: "portfolio", fields: []string{movementsField, valuationField},
	load: func(ctx context.Context, v *visit) (any, error) {
		out := portfolioView{Text: v.Text(movementsField), AsOf: v.Text(valuationField)}
		if out.Text == "" {
			out.Nothing = true
			return out, nil
		}
		found, err := find(ctx, v, portfolio.OfText, "csv", out.Text, "as_of_date", out.AsOf)
		if wrong := violationsOf(err); wrong != nil {
			return nil, httpapi.Invalid(wrong)
		}
		if err != nil {
			return nil, err
		}
		for _, line := range found.Wrong {
			out.Wrong = append(out.Wrong, v.wrongLine(line))
		}
		switch reply := found.Reply; {
		case reply != nil:
			out.Answer = v.portfolioOf(reply)
		default:
			out.Nothing = len(found.Wrong) == 0
		}
		return out, nil
	},
}

// portfolioView is what the page shows. Answer is nil if nothing was computed.
type portfolioView struct {
	Text, AsOf string
	Wrong      []string // lines
	Nothing    bool     // the form has no line
	Answer     *portfolioText
}

// portfolioText is what became of a portfolio.
type portfolioText struct {
	AsOf     string
	Refused  int
	Facts    []portfolioFact
	Compared table
	Holdings table
	Moves    table
	Notes    []string
}

type portfolioFact struct {
	Name string
	Cell cell
}

// faults says what is wrong with a line.
var faults = map[string]locale.Phrase{
	savings.WrongColumns: {"necesita cuatro columnas: fecha;serie;tipo;monto",
		"needs four columns: date;series;kind;amount"},
	savings.WrongDate: {"necesita una fecha, como 2024-03-15 o 15-03-2024", "needs a date, as 2024-03-15 or 15-03-2024"},
	savings.WrongSeries: {"necesita el número de una serie, o el RUN de su fondo y su nombre, como 9809-4 B",
		"needs the number of a series, or the RUN of its fund and its name, as 9809-4 B"},
	savings.WrongKind: {"necesita compra o venta", "needs buy or sell"},
	savings.WrongAmount: {
		"necesita un monto mayor que 0, como 1.500.000, un número como 12,5 cuotas, o todo en una venta",
		"needs an amount above 0, as 1500000, a number as 12.5 units, or all in a sale"},
	savings.AmbiguousAmount: {
		"puede significar miles o decimales: escríbalo como 1500, o con otros decimales, como 1,50",
		"may mean thousands or decimals: write it as 1500, or with other decimals, as 1.50"},
	savings.BuyAll:  {"no se puede comprar todo: escriba el monto", "all can't be bought: write the amount"},
	savings.TooMany: {"pasa de los 500 movimientos que se calculan", "is beyond the 500 transactions that are calculated"},
	savings.TooManyWrong: {"tampoco se entiende, después de otras 50: puede haber más, que no se muestran",
		"can't be understood either, after 50 others: there may be more, which are not shown"},
	savings.TooManySeries: {"pasa de las 50 series que se calculan", "is beyond the 50 series that are calculated"},
}

func (v *visit) wrongLine(line savings.LineError) string {
	text := v.Say("Línea ", "Line ") + strconv.Itoa(line.Line) + ": " + worded(faults, line.Fault).In(v.Lang)
	if line.Text != "" {
		text += " (" + line.Text + ")"
	}
	return text
}

// money is a cell with pesos, and signedMoney one with a sign and a colour.
func (v *visit) money(of savings.Figure) cell { return v.number(of.Value, 0, v.reason(of.Reason)) }

func (v *visit) signedMoney(of savings.Figure) cell {
	c := v.signed(of.Value, 0, v.reason(of.Reason))
	switch {
	case of.Value == nil:
	case *of.Value >= 0.5:
		c.Class = "gain"
	case *of.Value <= -0.5:
		c.Class = "loss"
	}
	return c
}

// rate is a cell with a return.
func (v *visit) rate(of savings.Figure) cell { return v.change(of.Value, v.reason(of.Reason)) }

func (v *visit) portfolioOf(reply *portfolio.Reply) *portfolioText {
	total := reply.Data.Total
	out := &portfolioText{AsOf: v.Lang.Day(reply.Meta.AsOf), Refused: reply.Meta.Refused}
	fact := func(es, en string, c cell) {
		out.Facts = append(out.Facts, portfolioFact{v.Say(es, en), c})
	}
	fact("Valor, en pesos", "Value, in pesos", v.money(total.Value))
	fact("Invertido, en pesos", "Invested, in pesos", v.money(total.Invested))
	fact("Retirado, en pesos", "Withdrawn, in pesos", v.money(total.Withdrawn))
	fact("Ganancia, en pesos", "Gain, in pesos", v.signedMoney(total.Gain))
	fact("Rentabilidad de su dinero, al año", "Return of your money, a year", v.rate(total.MoneyWeighted))
	fact("La misma sobre la UF, al año", "The same above UF, a year", v.rate(total.RealMoney))
	fact("Rentabilidad de los fondos en todo el tiempo (no depende de cuándo puso o sacó dinero)",
		"Return of the funds over the whole time (independent of when you paid in or out)", v.rate(total.TimeWeighted))
	fact("Rentabilidad de los fondos, al año", "Return of the funds, per year", v.rate(total.TimeWeightedYear))
	fact("Rentabilidad de los fondos sobre la UF, en todo el tiempo",
		"Return of the funds above UF, over the whole time", v.rate(total.RealTime))
	fact("Rentabilidad de los fondos sobre la UF, al año", "Return of the funds above UF, per year",
		v.rate(total.RealTimeYear))
	costs := v.money(total.Costs.Amount)
	costs.Sub = v.Say("estimado; ya está descontado del valor", "estimated; the value is after it already")
	if n := total.Costs.Rated; costs.Reason == "" && n < total.Costs.Days {
		costs.Sub += v.Say(", con TAC en ", ", with a TAC on ") + v.count(n).Text + v.Say(" de ", " of ") +
			v.count(total.Costs.Days).Text + v.Say(" días", " days")
	}
	fact("Costos estimados según la TAC, en pesos", "Costs estimated from the TAC, in pesos", costs)
	out.Compared = v.alternativesTable(total)
	out.Holdings = v.holdingsOf(reply.Data.Holdings)
	out.Moves = v.movementsTable(reply.Data.Movements)
	out.Notes = v.portfolioNotes(reply)
	return out
}

func (v *visit) alternativesTable(total savings.Figures) table {
	t := table{ID: "en-otra-cosa", Cards: true,
		Caption: v.Say("Los mismos montos, en los mismos días, puestos en otra cosa",
			"The same amounts, on the same days, put into something else"),
		Columns: []column{
			{Title: v.Say("En", "In")},
			{Title: v.Say("Valdría", "Would be worth"), Unit: "pesos", Numeric: true},
			{Title: v.Say("Su diferencia", "Your difference"), Unit: "pesos", Numeric: true,
				Hint: v.Say("Su valor menos lo que valdría", "Your value less what it would be worth")},
		}}
	for _, of := range []struct {
		name string
		savings.Comparison
	}{
		{"UF", total.UF},
		{v.Say("El índice de la familia de cada fondo", "The index of each fund's family"), total.Family},
		{v.Say("La serie más barata de la misma familia y clase que se conocía entonces",
			"The cheapest series of the same family and class that was known then"), total.Cheapest},
	} {
		name := word(of.name)
		if of.RanOutOn != nil {
			name.Sub = v.Say("no habría alcanzado desde el ", "would not have sufficed from ") + v.Lang.Day(*of.RanOutOn)
		}
		t.Rows = append(t.Rows, row{Cells: []cell{name, v.money(of.EndValue), v.signedMoney(of.Difference)}})
	}
	return t
}

func (v *visit) holdingsOf(list []portfolio.Holding) table {
	t := table{ID: "series", Cards: true, Caption: v.Say("Cada serie", "Each series"),
		Empty: v.Say("No se ejecutó ningún movimiento.", "No transaction was executed."),
		Columns: []column{
			{Title: v.Say("Serie", "Series")},
			{Title: v.Say("Cuotas", "Units"), Numeric: true},
			{Title: v.Say("Valor", "Value"), Unit: "pesos", Numeric: true},
			{Title: v.Say("Ganancia", "Gain"), Unit: "pesos", Numeric: true},
			{Title: v.Say("De su dinero", "Of your money"), Unit: v.Say("al año", "a year"), Numeric: true},
			{Title: v.Say("Frente a la UF", "Against UF"), Unit: "pesos", Numeric: true},
			{Title: v.Say("Frente a la familia", "Against the family"), Unit: "pesos",
				Numeric: true},
			{Title: v.Say("Frente a la más barata", "Against the cheapest"), Unit: "pesos",
				Numeric: true},
		}}
	for _, h := range list {
		name := linked(h.FundName+" · "+h.Serie, v.Link(seriesPath(h.SerieID)))
		name.Text = locale.Together(locale.Shown(h.FundName), locale.Shown(h.Serie))
		quotas := v.number(&h.Quotas, 4, "")
		value := v.money(h.Value)
		if h.ClosedOn != nil {
			value.Sub = v.Say("último valor cuota: ", "last unit price: ") + v.Lang.Day(*h.ClosedOn)
		} else if h.End != nil && h.Quota != nil {
			value.Sub = v.Say("al ", "on ") + v.Lang.Day(*h.End)
		}
		cheapest := v.signedMoney(h.Cheapest.Difference)
		switch of := h.Compared; {
		case h.Cheapest.Difference.Value == nil || of.SerieID == nil:
		case *of.SerieID == h.SerieID:
			cheapest.Sub = v.Say("es esta", "it is this one")
		default:
			cheapest.Sub = v.Say("TAC de la más barata: ", "TAC of the cheapest: ") + v.Lang.Percent(*of.CheapestTAC, 2)
		}
		t.Rows = append(t.Rows, row{Cells: []cell{name, quotas, value, v.signedMoney(h.Gain), v.rate(h.MoneyWeighted),
			v.signedMoney(h.UF.Difference), v.signedMoney(h.Family.Difference), cheapest}})
	}
	return t
}

func (v *visit) movementsTable(list []portfolio.Movement) table {
	t := table{ID: "ejecutados", Cards: true, Caption: v.Say("Cada movimiento", "Each transaction"),
		Columns: []column{
			{Title: v.Say("Línea", "Line"), Numeric: true, Rank: true},
			{Title: v.Say("Serie", "Series")},
			{Title: v.Say("Tipo", "Kind")},
			{Title: v.Say("Su fecha", "Your date")},
			{Title: v.Say("Ejecutado", "Executed"), Hint: v.Say("El día del valor cuota con que se calculó",
				"The day of the unit price it was calculated with")},
			{Title: v.Say("Valor cuota", "Unit price"), Numeric: true},
			{Title: v.Say("Cuotas", "Units"), Numeric: true},
			{Title: v.Say("Monto", "Amount"), Numeric: true, Unit: "pesos"},
		}}
	for _, m := range list {
		series := word(m.Series)
		if m.SerieID != nil {
			series = linked(m.Series, v.Link(seriesPath(*m.SerieID)))
		}
		reason := v.reason(m.Reason)
		t.Rows = append(t.Rows, row{Cells: []cell{
			v.count(m.Line), series, word(worded(movementKinds, string(m.Kind)).In(v.Lang)), v.day(&m.Date, ""),
			v.day(m.Executed, reason), v.number(m.Quota, 4, reason), v.number(m.Quotas, 4, reason),
			v.number(m.AmountCLP, 0, v.amountReason(m)),
		}})
	}
	return t
}

func (v *visit) amountReason(m portfolio.Movement) string {
	if m.Reason != nil {
		return v.reason(m.Reason)
	}
	return v.Say("falta el dólar de ese día", "the dollar rate of that day is missing")
}

var movementKinds = map[string]locale.Phrase{"buy": {"compra", "purchase"}, "sell": {"venta", "sale"}}

// portfolioNotes say what the figures rest on.
func (v *visit) portfolioNotes(reply *portfolio.Reply) (notes []string) {
	familyLater, classLater, paid := false, false, 0
	for _, h := range reply.Data.Holdings {
		familyLater = familyLater || h.Compared.FamilyLater
		classLater = classLater || h.Compared.ClassLater
		paid += h.DistributionDays
		if of := h.Compared; of.SerieID != nil && *of.SerieID != h.SerieID {
			notes = append(notes, fmt.Sprintf(v.Say("Para %s, la serie más barata era %s, con una TAC de %s en vez de %s.",
				"For %s, the cheapest series was %s, with a TAC of %s instead of %s."), locale.Shown(h.FundName+" · "+h.Serie),
				locale.Shown(*of.FundName+" · "+*of.Serie), v.Lang.Percent(*of.CheapestTAC, 2),
				v.Lang.Percent(*of.TAC, 2)))
		}
	}
	switch {
	case paid == 1:
		notes = append(notes, v.Say("Hubo un reparto en un día mientras usted tenía cuotas; estas cifras no lo cuentan.",
			"There was a distribution on one day while you held units; these figures do not count it."))
	case paid > 1:
		notes = append(notes, fmt.Sprintf(v.Say(
			"Hubo repartos en %s días mientras usted tenía cuotas; estas cifras no los cuentan.",
			"There were distributions on %s days while you held units; these figures do not count them."),
			v.count(paid).Text))
	}
	if familyLater {
		notes = append(notes, v.Say(
			"El día de la primera compra la CMF no había informado la familia de alguna serie: cuenta la primera posterior.",
			"On the day of the first purchase the CMF had not stated the family of some series: the first later one counts."))
	}
	if classLater {
		notes = append(notes, v.Say(
			"La clase de inversionista de alguna serie es la del comparador más reciente: entonces no se conocía.",
			"The investor class of some series is that of the newest comparator: it was not known then."))
	}
	return notes
}

// Example is how lines are written in a language, with a series that is there to try.
func (portfolioView) Example(in locale.Language) string {
	if in == locale.English {
		return "date;series;kind;amount\n2021-03-15;9809-4 B;buy;1000000\n2024-06-28;9809-4 B;sell;12.5 units"
	}
	return "fecha;serie;tipo;monto\n2021-03-15;9809-4 B;compra;1.000.000\n2024-06-28;9809-4 B;venta;12,5 cuotas"
}

// Max is the last day of a valuation: that of the data.
func (v *visit) Max() *model.Date { return v.Batch.Cutoff() }
