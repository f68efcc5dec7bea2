package explorer

import (
	"context"
	"slices"
	"strconv"

	"golang.org/x/sync/errgroup"

	"cuota/internal/chart"
	"cuota/internal/locale"
	"cuota/model"
)

// The parameters that filter investment funds are those of the operation.
var investmentFilters = []string{"q", "provider_id", "regulatory_type", "status", "is_etf"}

// investmentsPage lists the instruments of investment funds.
var investmentsPage = page{
	path: "/fondos-de-inversion", keys: append([]string{pageKey}, investmentFilters...), template: "investments",
	load: func(ctx context.Context, v *visit) (any, error) {
		pairs := []string{"limit", strconv.Itoa(pageSize), "offset", v.pageOffset()}
		for _, name := range investmentFilters {
			pairs = append(pairs, name, v.text(name))
		}
		var list instrumentList
		var managers identified
		loading, ctx := errgroup.WithContext(ctx)
		loading.Go(func() (err error) {
			list, err = ask[instrumentList](ctx, v, "/api/fi/instruments", pairs...)
			return err
		})
		loading.Go(func() (err error) {
			managers, err = ask[identified](ctx, v, "/api/asset_providers", "scope", "investment_fund")
			return err
		})
		if err := loading.Wait(); err != nil {
			return nil, err
		}
		out := investmentsView{
			Text: v.text("q"), Table: v.instrumentTable(list), Pager: v.pagerOf(len(list.Data), list.Meta.Total, "instrumentos"), Total: v.count(list.Meta.Total).Text,
			Types: v.options("regulatory_type", investmentTypes, "", "RES", "FINRE", "FI"), Statuses: v.options("status", investmentStatuses, "active", "inactive", "unknown", "all"),
			ETF: v.options("is_etf", tradedWords, "", "true", "false"),
		}
		out.Managers = append(out.Managers, formOption{"", v.say("todas", "all"), v.text("provider_id") == ""})
		for _, m := range managers.Data {
			out.Managers = append(out.Managers, formOption{m.ID, locale.Shown(m.Attributes.Name), m.ID == v.text("provider_id")})
		}
		return out, nil
	},
}

type investmentsView struct {
	Text                           string
	Managers, Types, Statuses, ETF []formOption
	Table                          table
	Pager                          *listPager
	Total                          string
}

// The words for the values of filters.
var (
	investmentTypes = map[string]phrase{
		"": {"todos", "all"}, "RES": {"rescatable", "redeemable"}, "FINRE": {"no rescatable", "not redeemable"}, "FI": {"no se sabe si es rescatable", "not known whether redeemable"},
	}
	investmentStatuses = map[string]phrase{
		"active": {"vigente", "active"}, "inactive": {"no vigente", "inactive"}, "unknown": {"no se sabe", "unknown"}, "all": {"todos", "all"},
	}
	tradedWords = map[string]phrase{"": {"cualquiera", "any"}, "true": {"sí", "yes"}, "false": {"no", "no"}}
)

// options returns the values of a select, of which the one of the address is chosen, else the first.
func (v *visit) options(name string, words map[string]phrase, values ...string) (list []formOption) {
	for i, value := range values {
		list = append(list, formOption{value, worded(words, value).in(v.Lang), value == v.text(name) || i == 0 && v.text(name) == ""})
	}
	return list
}

// instrumentList is the reply of /api/fi/instruments.
type instrumentList struct {
	Data []struct {
		ID         string     `json:"id"`
		Attributes instrument `json:"attributes"`
	} `json:"data"`
	Meta struct {
		Total int `json:"total"`
	} `json:"meta"`
}

// instrument is a series of an investment fund, or a fund of which no series is known.
type instrument struct {
	Name      string      `json:"name"`
	Fund      string      `json:"fund_name"`
	RUN       string      `json:"run"`
	Serie     *string     `json:"serie"`
	Manager   *string     `json:"administrator"`
	Vehicle   string      `json:"vehicle"`
	Type      string      `json:"regulatory_type"`
	ETF       *bool       `json:"is_etf"`
	Status    string      `json:"status"`
	Currency  *string     `json:"currency"`
	FirstDate *model.Date `json:"first_date"`
	LastDay   *bookValues `json:"last_day"`
	ETFSource *struct {
		URL string `json:"url"`
	} `json:"etf_source"`
}

// bookValues are the values of an instrument on a day, in its currency.
type bookValues struct {
	Date          *model.Date `json:"date"`
	Book          *float64    `json:"valor_libro"`
	Economic      *float64    `json:"valor_economico"`
	Equity        *float64    `json:"patrimonio_neto"` // full units
	Assets        *float64    `json:"activo_total"`    // full units
	Contributors  *float64    `json:"n_aportantes"`
	Institutional *float64    `json:"n_aportantes_institucionales"`
}

func (v *visit) instrumentTable(list instrumentList) table {
	t := table{
		ID: "instrumentos", Caption: v.say("Fondos de inversión y sus series", "Investment funds and their series"), Empty: v.say("Ningún fondo cumple los filtros.", "No fund matches."),
		Columns: []column{
			{Title: v.say("Fondo", "Fund")}, {Title: "RUN"}, {Title: v.say("Tipo", "Type")}, {Title: v.say("Estado", "Status")}, {Title: v.say("Moneda", "Currency")},
			{Title: v.say("Valor libro", "Book value"), Numeric: true, Hint: v.say("De una cuota, en su moneda; no es un precio de mercado", "Of one quota, in its currency; it is no market price")},
			{Title: v.say("Fecha", "Date")}, {Title: v.say("Patrimonio", "Equity"), Numeric: true, Unit: v.say("millones de su moneda", "millions of its currency")},
			{Title: v.say("Aportantes", "Contributors"), Numeric: true},
		},
	}
	for _, i := range list.Data {
		a := i.Attributes
		name := linked(a.Name, v.Link(instrumentPath(i.ID)))
		if a.Manager != nil {
			name.Sub = locale.Shown(*a.Manager)
		}
		last, none := bookValues{}, v.say("no hay valores publicados", "no values are published")
		if a.LastDay != nil {
			last, none = *a.LastDay, v.say("no se informó ese día", "it was not stated for that day")
		}
		t.Rows = append(t.Rows, row{Cells: []cell{
			name, runCell(a.RUN), word(worded(investmentTypes, a.Type).in(v.Lang)), word(worded(investmentStatuses, a.Status).in(v.Lang)),
			v.namedCell(moneyNames, a.Currency, v.say("no se conoce la moneda", "the currency is unknown")),
			v.number(last.Book, 4, none), v.day(last.Date, none), v.number(millionsOf(last.Equity), 0, none), v.number(last.Contributors, 0, none),
		}})
	}
	return t
}

// investmentPage shows one instrument: its values and what its fund holds.
var investmentPage = page{
	path: "/fondos-de-inversion/{id}", keys: []string{dateKey, monthKey}, template: "investment",
	load: func(ctx context.Context, v *visit) (any, error) {
		id := v.text("id")
		var one instrumentReply
		var values valueList
		var types heldTypes
		var held heldPositions
		month := v.text(monthKey)
		loading, ctx := errgroup.WithContext(ctx)
		loading.Go(func() (err error) {
			one, err = ask[instrumentReply](ctx, v, "/api/fi/instruments/{instrument_id}", "instrument_id", id)
			return err
		})
		loading.Go(func() (err error) {
			values, err = newestValues(ctx, v, id)
			return err
		})
		loading.Go(func() (err error) {
			types, err = ask[heldTypes](ctx, v, "/api/fi/instruments/{instrument_id}/cartera/resumen", "instrument_id", id, "month", month)
			return err
		})
		loading.Go(func() (err error) {
			held, err = ask[heldPositions](ctx, v, "/api/fi/instruments/{instrument_id}/cartera/holdings", "instrument_id", id, "month", month)
			return err
		})
		if err := loading.Wait(); err != nil {
			return nil, err
		}
		return v.investmentView(one.Data.Attributes, values, types, held), nil
	},
}

// mostValues is how many days the operation gives at once.
const mostValues = 5000

// newestValues returns the values of an instrument up to the date of the page, the oldest first. Of
// more than mostValues days it gives the newest.
func newestValues(ctx context.Context, v *visit, id string) (valueList, error) {
	const path = "/api/fi/instruments/{instrument_id}/prices"
	limit := strconv.Itoa(mostValues)
	values, err := ask[valueList](ctx, v, path, "instrument_id", id, "to_date", v.Date(), "limit", limit)
	if more := values.Meta.Total - mostValues; err == nil && more > 0 {
		values, err = ask[valueList](ctx, v, path, "instrument_id", id, "to_date", v.Date(), "limit", limit, "offset", strconv.Itoa(more))
	}
	return values, err
}

type instrumentReply struct {
	Data struct {
		Attributes instrument `json:"attributes"`
	} `json:"data"`
}

// valueList is the reply of the prices of an instrument.
type valueList struct {
	Data []struct {
		Attributes bookValues `json:"attributes"`
	} `json:"data"`
	Meta struct {
		Total int `json:"total"`
	} `json:"meta"`
}

// heldTypes is the reply of the summary of a portfolio.
type heldTypes struct {
	Data []struct {
		Attributes struct {
			Type     string   `json:"tipo_instrumento"`
			Number   int      `json:"num_holdings"`
			National *float64 `json:"valorizacion_nacional"`   // thousands of the currency
			Foreign  *float64 `json:"valorizacion_extranjera"` // thousands of the currency
			Percent  *float64 `json:"pct_activo_fondo"`        // percent
		} `json:"attributes"`
	} `json:"data"`
	Meta struct {
		Month *string `json:"month"`
	} `json:"meta"`
}

// heldPositions is the reply of the positions of a portfolio.
type heldPositions struct {
	Data []struct {
		Attributes struct {
			Symbol    *string  `json:"nemotecnico"`
			Issuer    *string  `json:"emisor"`
			IssuerRUT *string  `json:"rut_emisor"`
			Country   *string  `json:"pais"`
			Type      string   `json:"tipo_instrumento"`
			Value     *float64 `json:"valorizacion"`     // thousands of the currency
			Percent   *float64 `json:"pct_activo_fondo"` // percent
		} `json:"attributes"`
	} `json:"data"`
}

type investmentView struct {
	Name                     string
	Facts                    []fact
	Chart                    *lineChart
	Values, Types, Positions table
	Month                    string // as people read it; "" without a portfolio
	MonthValue               string
	Asked                    string // the month of the address
	More                     int    // positions that are not shown
	Dated                    bool
}

func (v *visit) investmentView(of instrument, values valueList, types heldTypes, held heldPositions) investmentView {
	out := investmentView{Name: locale.Shown(of.Name), Facts: v.instrumentFacts(of), Asked: locale.Shown(v.text(monthKey)), Dated: v.Date() != ""}
	line := chart.Line{Name: v.say("Valor libro", "Book value")}
	for _, day := range values.Data {
		if day.Attributes.Book != nil && day.Attributes.Date != nil {
			line.Points = append(line.Points, chart.Point{Day: *day.Attributes.Date, Value: *day.Attributes.Book})
		}
	}
	unit := ""
	if of.Currency != nil {
		unit = worded(moneyNames, *of.Currency).in(v.Lang)
	}
	out.Chart = &lineChart{Chart: chart.Chart{ID: "valor", Title: line.Name, Unit: unit, Axis: chart.Automatic, Label: chart.NumberLabels(v.Lang), Description: v.span(line.Points, 4)}}
	if len(line.Points) > 0 {
		out.Chart.Lines = []chart.Line{line}
		out.Chart.Table = v.endsTable("valor-tabla", v.say("Valor libro, fines de mes", "Book value, ends of months"), 4, line)
		out.Chart.draw(v)
	}
	out.Values = v.valueTable(values)
	if types.Meta.Month != nil {
		out.Month, out.MonthValue = v.Lang.Month(lastOf(*types.Meta.Month)), *types.Meta.Month
	}
	out.Types, out.Positions = v.typeTable(types), v.positionTable(held)
	out.More = max(0, len(held.Data)-mostPositions)
	return out
}

func (v *visit) instrumentFacts(of instrument) []fact {
	unknown := v.say("no se sabe", "it is not known")
	traded := missing(unknown)
	if of.ETF != nil {
		traded = word(worded(tradedWords, strconv.FormatBool(*of.ETF)).in(v.Lang))
	}
	manager := missing(unknown)
	if of.Manager != nil {
		manager = linked(*of.Manager, v.Link("/administradoras", managerKey, *of.Manager))
	}
	facts := []fact{
		{"RUN", word(of.RUN)},
		{v.say("Serie", "Series"), optional(of.Serie, v.say("no se conoce ninguna serie con valores", "no series with values is known"))},
		{v.say("Administradora", "Manager"), manager},
		{v.say("Tipo", "Type"), word(worded(investmentTypes, of.Type).in(v.Lang))},
		{v.say("Se transa en bolsa (ETF)", "Exchange-traded (ETF)"), traded},
		{v.say("Estado", "Status"), word(worded(investmentStatuses, of.Status).in(v.Lang))},
		{v.say("Moneda", "Currency"), v.namedCell(moneyNames, of.Currency, unknown)},
		{v.say("Primer valor", "First value"), v.day(of.FirstDate, v.say("no hay valores publicados", "no values are published"))},
	}
	return facts
}

func (v *visit) valueTable(values valueList) table {
	t := table{
		ID: "valores-libro", Caption: v.say("Últimos valores", "Last values"), Empty: v.say("No hay valores publicados hasta esa fecha.", "No values are published up to that date."),
		Columns: []column{
			{Title: v.say("Fecha", "Date")}, {Title: v.say("Valor libro", "Book value"), Numeric: true, Hint: v.say("De una cuota", "Of one quota")},
			{Title: v.say("Valor económico", "Economic value"), Numeric: true, Hint: v.say("De una cuota, tasado", "Of one quota, appraised")},
			{Title: v.say("Patrimonio", "Equity"), Numeric: true, Unit: v.say("millones de la moneda", "millions of the currency")},
			{Title: v.say("Activo", "Assets"), Numeric: true, Unit: v.say("millones de la moneda", "millions of the currency")},
			{Title: v.say("Aportantes", "Contributors"), Numeric: true}, {Title: v.say("Institucionales", "Institutional"), Numeric: true},
		},
	}
	none := v.say("no se informó ese día", "it was not stated for that day")
	newest := slices.Clone(values.Data[max(0, len(values.Data)-pageSize):])
	slices.Reverse(newest)
	for _, d := range newest {
		a := d.Attributes
		t.Rows = append(t.Rows, row{Cells: []cell{
			v.day(a.Date, none), v.number(a.Book, 4, none), v.number(a.Economic, 4, none), v.number(millionsOf(a.Equity), 0, none), v.number(millionsOf(a.Assets), 0, none),
			v.number(a.Contributors, 0, none), v.number(a.Institutional, 0, none),
		}})
	}
	return t
}

// percentOf is a cell with a percentage that the source states.
func (v *visit) percentOf(percent *float64) cell {
	if percent == nil {
		return missing(v.say("la fuente no lo informa", "the source does not state it"))
	}
	part := *percent / 100
	return v.fraction(&part, 2, "")
}

func (v *visit) typeTable(types heldTypes) table {
	t := table{
		ID: "tipos", Caption: v.say("Por tipo de instrumento", "By type of instrument"), Empty: v.say("No hay cartera de ese mes.", "There is no portfolio of that month."),
		Columns: []column{
			{Title: v.say("Tipo", "Type"), Hint: v.say("Código de la CMF", "Code of the CMF")}, {Title: v.say("Posiciones", "Positions"), Numeric: true},
			{Title: v.say("Nacional", "National"), Numeric: true, Unit: v.say("miles de la moneda del fondo", "thousands of the fund's currency")},
			{Title: v.say("Extranjera", "Foreign"), Numeric: true, Unit: v.say("miles de la moneda del fondo", "thousands of the fund's currency")},
			{Title: v.say("% del activo", "% of assets"), Numeric: true},
		},
	}
	none := v.say("la fuente no lo informa", "the source does not state it")
	for _, d := range types.Data {
		a := d.Attributes
		t.Rows = append(t.Rows, row{Cells: []cell{v.instrument(a.Type), v.count(a.Number), v.number(a.National, 0, none), v.number(a.Foreign, 0, none), v.percentOf(a.Percent)}})
	}
	return t
}

// mostPositions is how many positions of a portfolio a page shows.
const mostPositions = 50

func (v *visit) positionTable(held heldPositions) table {
	t := table{
		ID: "posiciones", Caption: v.say("Mayores posiciones", "Largest positions"), Empty: v.say("No hay cartera de ese mes.", "There is no portfolio of that month."),
		Columns: []column{
			{Title: v.say("Emisor", "Issuer")}, {Title: v.say("Instrumento", "Instrument")}, {Title: v.say("Tipo", "Type")}, {Title: v.say("País", "Country")},
			{Title: v.say("Valor", "Value"), Numeric: true, Unit: v.say("miles de la moneda del fondo", "thousands of the fund's currency")}, {Title: v.say("% del activo", "% of assets"), Numeric: true},
		},
	}
	none := v.say("la fuente no lo informa", "the source does not state it")
	for _, d := range held.Data[:min(mostPositions, len(held.Data))] {
		a := d.Attributes
		issuer := optional(a.Issuer, none)
		switch {
		case a.IssuerRUT == nil || *a.IssuerRUT == "":
		case a.Issuer == nil || *a.Issuer == "":
			issuer = word("RUT " + *a.IssuerRUT)
		default:
			issuer.Sub = "RUT " + locale.Shown(*a.IssuerRUT)
		}
		t.Rows = append(t.Rows, row{Cells: []cell{issuer, optional(a.Symbol, none), v.instrument(a.Type), optional(a.Country, none), v.number(a.Value, 0, none), v.percentOf(a.Percent)}})
	}
	return t
}
