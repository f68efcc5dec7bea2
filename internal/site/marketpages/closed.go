package marketpages

import (
	"context"
	"strconv"

	"cuota/internal/httpapi"
	"cuota/internal/site/locale"
	"cuota/internal/site/shortname"
	"cuota/model"
	"cuota/query/funds"
	"cuota/query/operation"
)

// yearKey is the parameter with a year, YYYY.
const yearKey = "anio"

// closedPage lists the funds and series of mutual funds that have closed.
var closedPage = page{
	path: "/cerrados", keys: []string{yearKey, managerKey, dateKey, pageKey}, template: "closed",
	load: func(ctx context.Context, v *visit) (any, error) {
		if year := v.Text(yearKey); year != "" {
			if n, err := strconv.Atoi(year); err != nil || n < 1900 || n > 9999 {
				return nil, httpapi.Invalid{{Loc: []string{"query", yearKey}, Type: "int_parsing",
					Input: httpapi.Echo(year), Msg: "Must be a year in the form YYYY"}}
			}
		}
		list, err := find(ctx, v, funds.Closed, "date", v.Date(), "year", v.Text(yearKey),
			"administrator", v.Text(managerKey), "limit", strconv.Itoa(pageSize), "offset", v.pageOffset())
		if err != nil {
			return nil, err
		}
		out := closedView{Date: list.Date, Title: v.closedTitle(list.Total), Table: v.closedTable(list.Data),
			Pager: v.pagerOf(len(list.Data), list.Total, "cerrados")}
		years := make([]string, len(list.Years))
		for i, year := range list.Years {
			years[i] = strconv.Itoa(year)
		}
		out.Years = chosenOptions(v.Say("todos", "all"), v.Text(yearKey), years)
		out.Managers = chosenOptions(v.Say("todas", "all"), v.Text(managerKey), list.Managers)
		return out, nil
	},
}

// chosenOptions returns the values of a select: any, the given ones, and the chosen one if it is none of these.
func chosenOptions(any, chosen string, values []string) []formOption {
	options, found := []formOption{{"", any, chosen == ""}}, chosen == ""
	for _, value := range values {
		is := chosen != "" && model.Fold(value) == model.Fold(chosen)
		options, found = append(options, formOption{value, locale.Shown(value), is}), found || is
	}
	if !found {
		options = append(options, formOption{chosen, locale.Shown(chosen), true})
	}
	return options
}

type closedView struct {
	Date            *model.Date
	Title           string
	Years, Managers []formOption
	Table           table
	Pager           *listPager
}

// closedTitle says how many rows the list has: one for each series, and one for a fund without unit prices.
func (v *visit) closedTitle(rows int) string {
	if rows == 1 {
		return v.Say("Una serie o un fondo cerrado", "One closed series or fund")
	}
	return v.Count(rows) + v.Say(" series o fondos cerrados", " closed series or funds")
}

// endWords say what ended a series.
var endWords = map[string]locale.Phrase{
	"exchanged": {"fusión o canje: sus cuotas pasaron a ser de otra serie",
		"merger or exchange: its units became those of another series"},
	"register": {"el fondo terminó, según el registro", "the fund ended, according to the register"},
	"stated":   {"término documentado", "documented end"},
	"redeemed": {"sus partícipes rescataron todo", "its shareholders redeemed everything"},
	"silent": {"dejó de publicar valores cuota; el motivo no se informa",
		"it stopped publishing unit prices; the reason is not stated"},
}

func (v *visit) closedTable(closed []funds.ClosedSeries) table {
	t := table{
		ID: "cerrados", Caption: v.Say("Fondos y series cerrados, por fondo, del cierre más reciente al más antiguo",
			"Closed funds and series, by fund, from the latest closing to the earliest"), Cards: true,
		Empty: v.Say("Nada cerró en esta selección.", "Nothing closed in this selection."),
		Columns: []column{
			{Title: v.Say("Fondo", "Fund")}, {Title: v.Say("Serie", "Series")},
			{Title: v.Say("Día del último valor cuota", "Day of the last unit price"), Numeric: true},
			{Title: v.Say("Por qué cerró", "Why it closed"), Long: true},
			{Title: v.Say("Día del cierre", "Closing date"), Numeric: true,
				Hint: v.Say("Del canje, del término del fondo en el registro o del documento",
					"Of the exchange, of the end of the fund in the register, or of the document")},
			{Title: v.Say("Familia", "Family"), Long: true},
			{Title: v.Say("Último patrimonio", "Last equity"), Numeric: true, Unit: v.millions(),
				Hint: v.Say("El del último día con valor cuota, al dólar de ese día",
					"That of the last day with a unit price, at the dollar rate of that day")},
		},
	}
	unquoted := v.Say("ningún archivo tiene valores cuota del fondo", "no file has unit prices of the fund")
	named := make([]shortname.Fund, len(closed))
	for i, c := range closed {
		named[i] = shortname.Fund{RUN: c.RUN, Name: c.Fund, Manager: operation.Value(c.Manager)}
	}
	names := shortname.Of(named)
	for i, c := range closed {
		fund := linked(names[i], v.Link(fundPath(c.RUN)))
		fund.Full = locale.Shown(c.Fund)
		if c.Manager != nil {
			fund.Sub, fund.FullSub = locale.Shown(shortname.Manager(*c.Manager)), locale.Shown(*c.Manager)
		}
		serie, noFamily, noEquity := missing(unquoted), unquoted, unquoted
		if c.Serie != "" {
			serie = linked(c.Serie, v.Link(seriesPath(c.ID)))
			noFamily = v.Say("ningún comparador de la CMF la clasificó", "no comparator of the CMF classified it")
			noEquity = v.Say("no se informó el patrimonio, o no se convierte a pesos",
				"the equity was not stated, or can't be converted to pesos")
		}
		why := v.inWords(endWords, &c.Reason, "")
		why.Class = "across"
		if c.Reason == "exchanged" {
			other := c.OtherRUN
			if c.OtherFund != "" {
				other = locale.Shown(c.OtherFund)
			}
			why.Text = v.Say("canjeada por la serie ", "exchanged for series ") + locale.Shown(c.OtherSerie) +
				v.Say(" de ", " of ") + other
			if c.OtherID != "" {
				why.Link = v.Link(seriesPath(c.OtherID))
			}
		}
		t.Rows = append(t.Rows, row{Cells: []cell{
			fund, serie, v.day(c.LastDate, unquoted), why,
			v.day(c.EndedOn, v.Say("no se informa un día de cierre", "no closing date is stated")),
			optional(c.Family, noFamily), v.millionsCell(millionsOf(c.EquityCLP), 0, noEquity),
		}})
	}
	t.fold(v)
	return t
}
