package marketpages

import (
	"context"
	"slices"
	"strconv"

	"golang.org/x/sync/errgroup"

	"cuota/internal/httpapi"
	"cuota/internal/site/chart"
	"cuota/internal/site/locale"
	"cuota/internal/site/shortname"
	"cuota/query/funds"
	"cuota/query/operation"
)

// The parameters that filter investment funds are those of the operation.
var investmentFilters = []string{"q", "provider_id", "regulatory_type", "status", "is_etf"}

// investmentsPage lists the instruments of investment funds.
var investmentsPage = page{
	path: "/fondos-de-inversion", keys: append([]string{pageKey}, investmentFilters...), template: "investments",
	load: func(ctx context.Context, v *visit) (any, error) {
		pairs := []string{"limit", strconv.Itoa(pageSize), "offset", v.pageOffset()}
		for _, name := range investmentFilters {
			pairs = append(pairs, name, v.Text(name))
		}
		var list funds.InstrumentList
		var managers httpapi.Items[funds.Provider]
		loading, ctx := errgroup.WithContext(ctx)
		loading.Go(func() (err error) {
			list, err = find(ctx, v, funds.FIInstruments, pairs...)
			return err
		})
		loading.Go(func() (err error) {
			managers, err = findKept(ctx, v, funds.AssetProviders, "scope", "investment_fund")
			return err
		})
		if err := loading.Wait(); err != nil {
			return nil, err
		}
		total := int(list.Meta.Total)
		out := investmentsView{
			Text: v.Text("q"), Table: v.instrumentTable(list), Pager: v.pagerOf(len(list.Data), total, "instrumentos"),
			Total: v.count(total).Text, Current: v.Text("status") == "" || v.Text("status") == "active",
			Types:    v.options("regulatory_type", investmentTypes, "", "RES", "FINRE", "FI"),
			Statuses: v.options("status", investmentStatuses, "active", "inactive", "unknown", "all"),
			ETF:      v.options("is_etf", tradedWords, "", "true", "false"),
		}
		out.Managers = append(out.Managers, formOption{"", v.Say("todas", "all"), v.Text("provider_id") == ""})
		for _, m := range managers.Data {
			out.Managers = append(out.Managers,
				formOption{m.ID, locale.Shown(m.Attributes.Name), m.ID == v.Text("provider_id")})
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
	Current                        bool // only funds in force are listed
}

// The words for the values of filters.
var (
	investmentTypes = map[string]locale.Phrase{
		"": {"todos", "all"}, "RES": {"rescatable", "redeemable"}, "FINRE": {"no rescatable", "not redeemable"},
		"FI": {"no se sabe si es rescatable", "not known whether redeemable"},
	}
	investmentStatuses = map[string]locale.Phrase{
		"active": {"vigente", "active"}, "inactive": {"no vigente", "inactive"}, "unknown": {"no se sabe", "unknown"},
		"all": {"todos", "all"},
	}
	tradedWords = map[string]locale.Phrase{"": {"cualquiera", "any"}, "true": {"sí", "yes"}, "false": {"no", "no"}}
)

// options returns the values of a select, of which the one of the address is chosen, else the first.
func (v *visit) options(name string, words map[string]locale.Phrase, values ...string) (list []formOption) {
	for i, value := range values {
		list = append(list, formOption{value, worded(words, value).In(v.Lang), value == v.Text(name) ||
			i == 0 && v.Text(name) == ""})
	}
	return list
}

func (v *visit) instrumentTable(list funds.InstrumentList) table {
	t := table{
		ID: "instrumentos", Cards: true,
		Caption: v.Say("Fondos de inversión y sus series, por nombre", "Investment funds and their series, by name"),
		Empty:   v.Say("Ningún fondo cumple los filtros.", "No fund matches."),
		Columns: []column{
			{Title: v.Say("Fondo", "Fund")}, {Title: "RUN"}, {Title: v.Say("Rescate", "Redemption")},
			{Title: v.Say("Estado", "Status")}, {Title: v.Say("Moneda", "Currency")},
			{Title: v.Say("Valor libro", "Book value"), Numeric: true,
				Hint: v.Say("De una cuota, en su moneda; no es un precio de mercado",
					"Of one unit, in its currency; not a market price")},
			{Title: v.Say("Fecha", "Date")}, {Title: v.Say("Patrimonio", "Equity"), Numeric: true,
				Unit: v.Say("millones de su moneda", "millions of its currency")},
			{Title: v.Say("Aportantes", "Contributors"), Numeric: true},
		},
	}
	for _, i := range list.Data {
		a := i.Attributes
		name := linked(a.Name, v.Link(instrumentPath(i.ID)))
		if a.Administrator != nil {
			name.Sub, name.FullSub = locale.Shown(shortname.Manager(*a.Administrator)), locale.Shown(*a.Administrator)
		}
		last, none := funds.FIValues{}, v.Say("no hay valores publicados", "no values are published")
		if a.LastDay != nil {
			last, none = *a.LastDay, v.Say("no se informó ese día", "it was not stated for that day")
		}
		t.Rows = append(t.Rows, row{Cells: []cell{
			name, runCell(a.RUN), word(worded(investmentTypes, a.RegulatoryType).In(v.Lang)),
			word(worded(investmentStatuses, a.Status).In(v.Lang)),
			v.currencyName(a.Currency),
			v.number(amount(last.BookValue), 4, none), v.day(last.Date, none),
			v.millionsCell(millionsOf(amount(last.Equity)), 0, none), v.number(whole(last.Contributors), 0, none),
		}})
	}
	t.foldEqual(v, 2, 3, 4)
	return t
}

// investmentPage shows one instrument: its values and what its fund holds.
var investmentPage = page{
	path: "/fondos-de-inversion/{id}", keys: []string{dateKey, monthKey}, template: "investment",
	load: func(ctx context.Context, v *visit) (any, error) {
		id := v.Text("id")
		one, err := find(ctx, v, funds.FIInstrument, "instrument_id", id)
		if err != nil {
			return nil, err
		}
		of := one.Data.Attributes
		fund, err := find(ctx, v, funds.FundProfile, "run", of.RUN)
		if err != nil && !isUnknown(err) { // the registers may lack a fund that publishes values
			return nil, err
		}
		months, month := v.portfolioMonth(fund)
		var values funds.InstrumentHistory
		var types funds.Portfolio[funds.HeldType]
		var held funds.Portfolio[funds.Holding]
		loading, ctx := errgroup.WithContext(ctx)
		loading.Go(func() (err error) {
			values, err = newestValues(ctx, v, id)
			return err
		})
		if month != "" {
			loading.Go(func() (err error) {
				types, err = find(ctx, v, funds.FISummary, "instrument_id", id, "month", month)
				return err
			})
			loading.Go(func() (err error) {
				held, err = find(ctx, v, funds.FIHoldings, "instrument_id", id, "month", month)
				return err
			})
		}
		if err := loading.Wait(); err != nil {
			return nil, err
		}
		out := v.investmentView(of, values)
		out.Portfolio = v.portfolioPart(months, month, of.Currency, types, held)
		return out, nil
	},
}

// mostValues is how many days the operation returns at once.
const mostValues = 5000

// newestValues returns the values of an instrument up to the date of the page, the oldest first. Of
// more than mostValues days it returns the newest.
func newestValues(ctx context.Context, v *visit, id string) (funds.InstrumentHistory, error) {
	limit := strconv.Itoa(mostValues)
	values, err := find(ctx, v, funds.FIPrices, "instrument_id", id, "to_date", v.Date(), "limit", limit)
	if more := int(values.Meta.Total) - mostValues; err == nil && more > 0 {
		values, err = find(ctx, v, funds.FIPrices, "instrument_id", id, "to_date", v.Date(), "limit", limit, "offset",
			strconv.Itoa(more))
	}
	return values, err
}

type investmentView struct {
	Name      string
	Facts     []fact
	Chart     *lineChart
	Values    table
	Portfolio portfolioPart
}

func (i investmentView) charts() []*lineChart { return []*lineChart{i.Chart} }

func (v *visit) investmentView(of funds.Instrument, values funds.InstrumentHistory) investmentView {
	out := investmentView{Name: locale.Shown(of.Name), Facts: v.instrumentFacts(of)}
	line := chart.Line{Name: v.Say("Valor libro", "Book value")}
	for _, day := range values.Data {
		if day.Attributes.BookValue != nil && day.Attributes.Date != nil {
			line.Points = append(line.Points,
				chart.Point{Day: *day.Attributes.Date, Value: day.Attributes.BookValue.InexactFloat64()})
		}
	}
	unit := ""
	if of.Currency != nil {
		unit = worded(moneyNames, *of.Currency).In(v.Lang)
	}
	out.Chart = &lineChart{Chart: chart.Chart{ID: "valor", Title: line.Name, Unit: unit, Axis: chart.Automatic,
		Label: chart.NumberLabels(v.Lang), Description: v.span(line.Points, 4)}, Decimals: 4}
	if len(line.Points) > 0 {
		out.Chart.Lines = []chart.Line{line}
		out.Chart.Table = v.endsTable("valor-tabla", v.Say("Valor libro, fines de mes", "Book value, ends of months"),
			4, line)
		out.Chart.draw(v)
	}
	out.Values = v.valueTable(values, of.Currency)
	return out
}

func (v *visit) instrumentFacts(of funds.Instrument) []fact {
	unknown := v.Say("no se sabe", "it is not known")
	traded := missing(unknown)
	if of.ETF != nil {
		traded = word(worded(tradedWords, strconv.FormatBool(*of.ETF)).In(v.Lang))
	}
	manager := missing(unknown)
	if of.Administrator != nil {
		manager = linked(*of.Administrator, v.Link("/administradoras", managerKey, *of.Administrator))
	}
	facts := []fact{
		{"RUN", word(of.RUN)},
		{v.Say("Serie", "Series"), optional(of.Serie,
			v.Say("no se conoce ninguna serie con valores", "no series with values is known"))},
		{v.Say("Administradora", "Manager"), manager},
		{v.Say("Rescate", "Redemption"), word(worded(investmentTypes, of.RegulatoryType).In(v.Lang))},
		{v.Say("Se transa en bolsa (ETF)", "Exchange-traded (ETF)"), traded},
		{v.Say("Estado", "Status"), word(worded(investmentStatuses, of.Status).In(v.Lang))},
		{v.Say("Moneda", "Currency"), v.currencyName(of.Currency)},
		{v.Say("Primer valor", "First value"),
			v.day(of.FirstDate, v.Say("no hay valores publicados", "no values are published"))},
	}
	return facts
}

func (v *visit) valueTable(values funds.InstrumentHistory, currency *string) table {
	unit := v.Say("millones de la moneda", "millions of the currency")
	if currency != nil {
		unit = v.Say("millones de ", "millions of ") + worded(moneyNames, *currency).In(v.Lang)
	}
	t := table{
		ID: "valores-libro", Caption: v.Say("Últimos valores", "Latest values"), Cards: true,
		Empty: v.Say("No hay valores publicados hasta esa fecha.", "No values are published up to that date."),
		Columns: []column{
			{Title: v.Say("Fecha", "Date")}, {Title: v.Say("Valor libro", "Book value"), Numeric: true,
				Hint: v.Say("De una cuota", "Of one unit")},
			{Title: v.Say("Valor económico", "Economic value"), Numeric: true,
				Hint: v.Say("De una cuota, tasado", "Of one unit, appraised")},
			{Title: v.Say("Patrimonio", "Equity"), Numeric: true, Unit: unit},
			{Title: v.Say("Activo", "Assets"), Numeric: true, Unit: unit},
			{Title: v.Say("Aportantes", "Contributors"), Numeric: true},
			{Title: v.Say("Institucionales", "Institutional"), Numeric: true},
		},
	}
	if len(values.Data) > pageSize {
		t.Note = v.Say("Son los "+strconv.Itoa(pageSize)+" días más recientes. ",
			"These are the newest "+strconv.Itoa(pageSize)+" days. ") +
			v.Say("Los fines de todos los meses están en la tabla del gráfico.",
				"The ends of all months are in the table of the chart.")
	} else if len(values.Data) > 0 {
		t.Note = v.Say("Son todos los días con valores publicados hasta esa fecha.",
			"These are all days with values published up to that date.")
	}
	none := v.Say("no se informó ese día", "it was not stated for that day")
	newest := slices.Clone(values.Data[max(0, len(values.Data)-pageSize):])
	slices.Reverse(newest)
	for _, d := range newest {
		a := d.Attributes
		t.Rows = append(t.Rows, row{Cells: []cell{
			v.day(a.Date, none), v.number(amount(a.BookValue), 4, none), v.number(amount(a.EconomicValue), 4, none),
			v.millionsCell(millionsOf(amount(a.Equity)), 0, none),
			v.millionsCell(millionsOf(amount(a.TotalAssets)), 0, none),
			v.number(whole(a.Contributors), 0, none), v.number(whole(a.Institutional), 0, none),
		}})
	}
	return t
}

// percentOf is a cell with a percentage that the source states.
func (v *visit) percentOf(percent *operation.Amount) cell {
	if percent == nil {
		return missing(v.Say("la fuente no lo informa", "the source does not state it"))
	}
	part := percent.InexactFloat64() / 100
	return v.fraction(&part, 2, "")
}
