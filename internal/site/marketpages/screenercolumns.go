package marketpages

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"cuota/internal/site/locale"
	"cuota/internal/site/shortname"
	"cuota/query/market"
)

// columnsKey is the parameter with the names of the columns that the reader has chosen, separated by commas or given
// once for each. Names of no column are ignored.
const columnsKey = "columnas"

// mostColumns is how many columns the reader may choose, with the one that sorts. A page with more could be above
// 150 KB.
const mostColumns = 11

// screenerColumn is a column of the screener that the reader may choose. The table always has fund and series.
type screenerColumn struct {
	name        string // in the address; if it sorts, that of what the operation sorts by
	sorts       bool
	title, hint locale.Phrase
	unit        locale.Phrase // shown under the title
	text        bool          // its values are words
	long        bool          // they have long or many words
	cell        func(v *visit, of screenedSeries) cell
}

// screenedSeries is a series of the screener with the kind of its cost rate, "" if it has none, and with the returns of
// 1, 3 and 5 years that the regulator states.
type screenedSeries struct {
	market.Resource
	tacKind string
	stated  [3]*float64
	ranked  string // the window by whose stated returns the rows are sorted, "" if they are not
}

// usualColumns are shown if the reader has chosen none. With them, the table fits a window of 1280 pixels.
var usualColumns = []string{"tac", "category", "currency", "1m", "1y", "3y_ann", "5y_ann", "cmf_spheres", "equity",
	"shareholders"}

// screenerColumns are the columns that the reader may choose, in their order in the table.
var screenerColumns = []screenerColumn{
	{name: "tac", sorts: true, title: locale.Phrase{"TAC", "TAC"},
		hint: locale.Phrase{"Costos de un año como parte del patrimonio, con su tipo",
			"Costs of a year as a part of the equity, with their kind"},
		cell: func(v *visit, of screenedSeries) cell {
			tac := v.fraction(of.Attributes.TAC, 2, v.Say("sin TAC informada", "no TAC was stated"))
			if of.tacKind != "" {
				tac.Sub = worded(tacKinds, of.tacKind).In(v.Lang)
			}
			return tac
		}},
	{name: "category", text: true, long: true, title: locale.Phrase{"Categoría", "Category"},
		cell: func(v *visit, of screenedSeries) cell {
			return v.namedCell(categoryWords, of.Attributes.Category, v.Say("sin categoría", "no category"))
		}},
	{name: "family", text: true, long: true, title: locale.Phrase{"Familia", "Family"},
		hint: locale.Phrase{"La que le da la CMF", "That of the CMF"},
		cell: func(v *visit, of screenedSeries) cell {
			if of.Attributes.FundFamily == nil {
				return missing(v.Say("la CMF no la ha clasificado", "the CMF has not classified it"))
			}
			return familyCell(*of.Attributes.FundFamily, "")
		}},
	{name: "currency", text: true, title: locale.Phrase{"Moneda", "Currency"},
		cell: func(v *visit, of screenedSeries) cell { return v.currencyName(of.Attributes.Currency) }},
	{name: "run", text: true, title: locale.Phrase{"RUN", "RUN"},
		hint: locale.Phrase{"Número del fondo en el registro de la CMF", "Number of the fund in the register of the CMF"},
		cell: func(_ *visit, of screenedSeries) cell { return runCell(of.Attributes.RUN) }},
	{name: "price", title: locale.Phrase{"Valor cuota", "Unit price"},
		hint: locale.Phrase{"En la moneda de la serie", "In the currency of the series"},
		cell: func(v *visit, of screenedSeries) cell {
			return v.number(amount(of.Attributes.Price), 2, v.Say("sin valor cuota", "no unit price"))
		}},
	returnColumn("1m", locale.Phrase{"1 mes", "1 month"}),
	returnColumn("3m", locale.Phrase{"3 meses", "3 months"}),
	returnColumn("6m", locale.Phrase{"6 meses", "6 months"}),
	returnColumn("ytd", locale.Phrase{"En el año", "This year"}),
	returnColumn("1y", locale.Phrase{"1 año", "1 year"}),
	returnColumn("3y_ann", locale.Phrase{"3 años", "3 years"}),
	returnColumn("5y_ann", locale.Phrase{"5 años", "5 years"}),
	returnColumn("last_closed_month", locale.Phrase{"Mes cerrado", "Closed month"}),
	{name: "cmf_spheres", sorts: true, title: locale.Phrase{"Esferas CMF", "CMF spheres"},
		hint: locale.Phrase{"Calificación de la CMF de 1 a 5, dentro de una familia y una clase",
			"Rating of the CMF from 1 to 5, within one family and class"},
		cell: func(v *visit, of screenedSeries) cell {
			rated := v.spheresCell(of.Resource)
			if reason := of.Attributes.Spheres.Reason; reason != nil && *reason == "not_rated_by_cmf" {
				rated = missing(v.Say("sin calificación", "not rated"))
			}
			return rated
		}},
	{name: "volatility", title: locale.Phrase{"Volatilidad", "Volatility"},
		hint: locale.Phrase{"Anualizada, de las últimas 12 rentabilidades mensuales",
			"Annualised, of the last 12 monthly returns"},
		cell: func(v *visit, of screenedSeries) cell {
			return v.fraction(of.Attributes.VolatilityAnnual12, 1, v.noRisk("12"))
		}},
	{name: "drawdown", title: locale.Phrase{"Mayor caída", "Maximum drawdown"},
		hint: locale.Phrase{"Desde un máximo, con los valores cuota diarios de 36 meses",
			"From a peak, by the daily unit prices of 36 months"},
		cell: func(v *visit, of screenedSeries) cell {
			return v.fraction(of.Attributes.MaxDrawdown36, 1, v.noRisk("36"))
		}},
	{name: "equity", title: locale.Phrase{"Patrimonio", "Equity"}, unit: locale.Phrase{"millones", "millions"},
		hint: locale.Phrase{"En millones de la moneda de la serie", "In millions of the currency of the series"},
		cell: func(v *visit, of screenedSeries) cell {
			return v.ownMillions(amount(of.Attributes.Patrimony), textOf(of.Attributes.Currency))
		}},
	{name: "shareholders", title: locale.Phrase{"Partícipes", "Shareholders"},
		cell: func(v *visit, of screenedSeries) cell {
			return v.number(whole(of.Attributes.Shareholders), 0,
				v.Say("sin partícipes informados", "no shareholders were stated"))
		}},
}

// returnColumn is the column of a window.
func returnColumn(window string, title locale.Phrase) screenerColumn {
	hint := locale.Phrase{"Rentabilidad del valor cuota en la moneda de la serie",
		"Return of the unit price in the currency of the series"}
	if strings.HasSuffix(window, "_ann") {
		hint = locale.Phrase{"Rentabilidad anualizada del valor cuota en la moneda de la serie",
			"Annualised return of the unit price in the currency of the series"}
	}
	return screenerColumn{name: window, sorts: true, title: title, hint: hint,
		cell: func(v *visit, of screenedSeries) cell {
			period := of.Attributes.Returns.Periods.Of(window)
			years := slices.Index(market.OfficialWindows, window)
			if of.ranked == window && of.stated[years] == nil && period.Value != nil {
				c := v.change(period.Value, "")
				c.Sub = v.Say("del valor cuota", "of the unit price")
				return c
			}
			if years < 0 || of.stated[years] == nil || period.Value != nil && of.ranked != window {
				return v.change(period.Value, v.reason(period.Reason))
			}
			c := v.change(of.stated[years], "")
			if c.Sub = ofRegulator; textOf(of.Attributes.Currency) != "PESOS" {
				c.Sub += v.Say(", en pesos", ", in pesos")
			}
			return c
		}}
}

// ofRegulator marks a return as the regulator's. The page shows these where our own history has none.
const ofRegulator = "CMF"

// readColumns returns the columns that the reader has chosen, and whether some were left out because they are too many.
// What sorts the rows is shown even if the reader has not chosen it, and before the others. The address has the chosen
// ones in one way: in their order, and not at all if they are the usual ones.
func (v *visit) readColumns() (shown []screenerColumn, cut bool) {
	named := strings.Split(strings.Join(v.Texts[columnsKey], ","), ",")
	if !slices.ContainsFunc(screenerColumns, func(c screenerColumn) bool { return slices.Contains(named, c.name) }) {
		named = usualColumns
	}
	var names []string
	room := mostColumns
	if slices.ContainsFunc(screenerColumns, v.sortsBy) {
		room--
	}
	for _, c := range screenerColumns {
		chosen := slices.Contains(named, c.name)
		switch {
		case v.sortsBy(c):
		case chosen && room == 0:
			chosen, cut = false, true
		case chosen:
			room--
		}
		if chosen {
			names = append(names, c.name)
		}
		if chosen || v.sortsBy(c) {
			shown = append(shown, c)
		}
	}
	// Where the table is wider than the window, the column that sorts is in sight.
	slices.SortStableFunc(shown, func(a, b screenerColumn) int { return cmp.Compare(v.place(a), v.place(b)) })
	v.Texts.Del(columnsKey)
	if !sameNames(names, usualColumns) {
		v.Texts.Set(columnsKey, strings.Join(names, ","))
	}
	return shown, cut
}

// sortsBy reports whether the rows are sorted by a column.
func (v *visit) sortsBy(c screenerColumn) bool {
	return c.sorts && (c.name == v.sort() || c.name == "tac" && v.sort() == usualSort)
}

// place is 0 for the column by which the rows are sorted, which comes first, and 1 for every other one.
func (v *visit) place(of screenerColumn) int {
	if v.sortsBy(of) {
		return 0
	}
	return 1
}

// sameNames reports whether two lists have the same names, each once.
func sameNames(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// columnForm is the form that chooses the columns.
type columnForm struct {
	Name   string // of the parameter
	Boxes  []formOption
	Most   int
	Cut    bool // more were chosen
	Hidden []namedText
	Usual  string // address with the usual columns; "" if they are shown
}

func (v *visit) columnForm(shown []screenerColumn, cut bool) columnForm {
	form := columnForm{Name: columnsKey, Most: mostColumns, Cut: cut, Hidden: v.Kept(columnsKey)}
	for _, c := range screenerColumns {
		form.Boxes = append(form.Boxes, formOption{c.name, c.title.In(v.Lang),
			slices.ContainsFunc(shown, func(of screenerColumn) bool { return of.name == c.name })})
	}
	if v.Text(columnsKey) != "" {
		form.Usual = v.Here(columnsKey, "") + "#resultado"
	}
	return form
}

// screenerTable shows the rows. Links of its columns sort all rows, not only those of the page.
func (v *visit) screenerTable(of screenedRows, columns []screenerColumn) table {
	shown, ranked := of.Screened, ""
	if of.Source == market.OfficialReturns {
		ranked = v.sort()
	}
	t := table{
		ID: "series", Caption: v.Say("Series", "Series"), Cards: true,
		Columns: []column{
			{Title: v.Say("Fondo", "Fund"), Hint: v.Say("Con su administradora", "With its manager")},
			{Key: "id", Title: v.Say("Serie", "Series"), Long: true,
				Hint: v.Say("Con su clase de inversionista; se ordena por el id de la serie",
					"With its investor class; sorted by the id of the series")},
		},
		Empty: v.Say("Ninguna serie cumple todo lo elegido. Quite algún filtro.",
			"No series has all that was chosen. Remove a filter."),
	}
	for _, c := range columns {
		titled := column{Title: c.title.In(v.Lang), Hint: c.hint.In(v.Lang), Unit: c.unit.In(v.Lang), Numeric: !c.text,
			Long: c.long}
		if c.sorts {
			titled.Key = c.name
		}
		t.Columns = append(t.Columns, titled)
	}
	v.linkSorts(t.Columns)
	kinds := shown.Meta.TACKinds.ByID()
	var funds []shortname.Fund
	for _, s := range shown.Data {
		of := s.Attributes
		funds = append(funds, shortname.Fund{RUN: of.RUN, Name: of.FundName, Manager: of.AGF})
	}
	names := shortname.Of(funds)
	for i, s := range shown.Data {
		cells := []cell{v.shortFund(s, names[i]), v.serieCell(s)}
		var returns [3]*float64
		if id, err := strconv.ParseUint(s.ID, 10, 32); err == nil {
			returns, _ = of.Stated.Of(uint32(id))
		}
		for _, c := range columns {
			cells = append(cells, c.cell(v, screenedSeries{s, kinds[s.ID], returns, ranked}))
		}
		t.Rows = append(t.Rows, row{Cells: cells})
	}
	return t
}

// shortFund is the cell of a fund with its manager, under short names.
func (v *visit) shortFund(s market.Resource, name string) cell {
	c := linked(name, v.Link("/fondos/"+url.PathEscape(s.Attributes.RUN)))
	c.Text = locale.Bound(c.Text)
	c.Sub = shortname.Manager(s.Attributes.AGF)
	c.Full, c.FullSub = locale.Shown(s.Attributes.FundName), locale.Shown(s.Attributes.AGF)
	return c
}

// serieCell is the cell of a series with its investor class.
func (v *visit) serieCell(s market.Resource) cell {
	c := linked(s.Attributes.Serie, v.Link(seriesPath(s.ID)))
	c.Series = s.ID
	c.Sub = v.Say("sin clase", "no class")
	if class := classOf(s); class != nil {
		c.Sub = worded(classNames, *class).In(v.Lang)
	}
	v.markUnheld(&c, s)
	return c
}

// UnheldMark is the mark of series of which the newest day states no shareholders or no equity.
func (v *visit) UnheldMark() string {
	return v.Say("sin partícipes o patrimonio", "no shareholders or equity")
}

// isUnheld reports whether the newest day of a series states no shareholders or no equity.
func isUnheld(s market.Resource) bool {
	a := s.Attributes
	return a.Shareholders != nil && *a.Shareholders == 0 || a.Patrimony != nil && a.Patrimony.IsZero()
}

// markUnheld marks the cell of a series that nobody holds.
func (v *visit) markUnheld(c *cell, s market.Resource) {
	if !isUnheld(s) {
		return
	}
	c.Sub = strings.TrimPrefix(c.Sub+" · "+v.UnheldMark(), " · ")
	if c.FullSub != "" {
		c.FullSub += " · " + v.UnheldMark()
	}
}
