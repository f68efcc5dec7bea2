package marketpages

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"

	"cuota/internal/httpapi"
	"cuota/internal/site/chart"
	"cuota/internal/site/locale"
	"cuota/model"
	"cuota/query/funds"
	"cuota/query/operation"
	"cuota/query/summary"
)

// managerKey is the parameter with the name of a manager.
const managerKey = "administradora"

// periodKey is the parameter with the period over which managers are compared.
const periodKey = "periodo"

// managersPage ranks the managers on a day, or shows how they changed over a period. With a name it shows one of them.
var managersPage = page{
	path: "/administradoras", keys: []string{managerKey, periodKey, dateKey, sortKey, orderKey}, template: "managers",
	load: func(ctx context.Context, v *visit) (any, error) {
		if period := v.Text(periodKey); period != "" && v.Text(managerKey) == "" {
			return v.changesView(ctx, period)
		}
		ranking, err := findKept(ctx, v, summary.Ranking, "metric", "patrimony", "date", v.Date())
		if err != nil {
			return nil, err
		}
		if name := v.Text(managerKey); name != "" {
			one, err := v.managerView(ctx, name, ranking)
			return managersView{Date: ranking.Meta.Date, One: one}, err
		}
		t := v.rankingTable(ranking)
		t.sort(v)
		return managersView{Date: ranking.Meta.Date, Table: t, Periods: v.periodChoices()}, nil
	},
}

type managersView struct {
	Date    *model.Date
	Start   *model.Date // of the period; nil without a period
	Changes bool        // over a period
	Nothing bool        // of no manager the change is known
	Periods []choice
	Table   table
	One     *managerView
}

// managerPeriods are the periods over which managers are compared, as addresses and operations have them.
var managerPeriods = []struct {
	key, period string
	name        locale.Phrase
}{
	{"", "", locale.Phrase{"por patrimonio", "by equity"}},
	{"mes", "month", locale.Phrase{"cambio en un mes", "change in a month"}},
	{"anio", "year", locale.Phrase{"cambio en el año", "change this year"}},
	{"12m", "12m", locale.Phrase{"cambio en doce meses", "change in twelve months"}},
}

// periodChoices links the periods. What sorts one table may be no column of the other.
func (v *visit) periodChoices() []choice {
	var list []choice
	for _, p := range managerPeriods {
		list = append(list, choice{p.name.In(v.Lang), v.Here(periodKey, p.key, sortKey, "", orderKey, ""),
			p.key == v.Text(periodKey)})
	}
	return list
}

// changesView shows how the managers changed over a period.
func (v *visit) changesView(ctx context.Context, asked string) (any, error) {
	period, keys := "", []string{}
	for _, p := range managerPeriods[1:] {
		keys = append(keys, p.key)
		if p.key == asked {
			period = p.period
		}
	}
	if period == "" {
		return nil, httpapi.Invalid{{Loc: []string{"query", periodKey}, Type: "enum", Input: httpapi.Echo(asked),
			Msg: "Must be one of " + strings.Join(keys, ", ")}}
	}
	found, err := find(ctx, v, summary.ManagerChanges, "period", period, "date", v.Date())
	if err != nil {
		return nil, err
	}
	t := v.changesTable(found)
	t.sort(v)
	t.fold(v)
	nothing := !slices.ContainsFunc(found.Data, func(m summary.ChangedManager) bool { return m.Change != nil })
	return managersView{Date: found.Date, Start: found.Start, Changes: true, Periods: v.periodChoices(), Table: t,
		Nothing: nothing && len(found.Data) > 0}, nil
}

// changeReasons say why a change or the flow of a manager is not known.
var changeReasons = map[string]locale.Phrase{
	"no_start_day": {"ningún día de la semana anterior al período está completo",
		"no day of the week before the period is complete"},
	"no_equity_now": {"no tiene series al final del período", "it has no series at the end of the period"},
	"no_equity_at_start": {"ningún archivo tiene sus series al inicio del período",
		"no file has its series at the start of the period"},
	"unconverted_series": {"parte del patrimonio no se convierte a pesos",
		"a part of the equity can't be converted to pesos"},
	"incomplete_start": {"al inicio faltan fondos con más del 2\u00a0% del patrimonio final: el registro dice que ya existían, o no dice " +
		"desde cuándo existen",
		"at the start, funds with over 2% of the final equity are missing: the register says that they existed, or " +
			"does not say since when"},
	"shorter_than_a_month": {"el período es más corto que un mes, y una mitad de un día hábil pesaría demasiado",
		"the period is shorter than a month, and one half of a business day would weigh too much"},
	"incomplete_flows": {"se conocen los flujos de menos del 98\u00a0% del patrimonio",
		"the flows of less than 98% of the equity are known"},
}

// changesTable is the table of managers over a period, by equity.
func (v *visit) changesTable(found summary.ChangedManagers) table {
	caption := v.Say("Administradoras, cambio en el período", "Managers, change over the period")
	if found.Start != nil && found.Date != nil {
		caption = v.Say("Administradoras, cambio del ", "Managers, change from ") + v.Day(found.Start) +
			v.Say(" al ", " to ") + v.Day(found.Date)
	}
	t := table{
		ID: "cambios", Caption: caption,
		Empty: v.Say("No hay datos de administradoras ese día.", "That day has no managers."), Cards: true,
		Columns: []column{
			{Key: "administradora", Title: v.Say("Administradora", "Manager")},
			{Key: "patrimonio", Title: v.Say("Patrimonio", "Equity"), Numeric: true, Unit: v.millions()},
			{Key: "cambio", Title: v.Say("Cambio", "Change"), Numeric: true, Unit: v.millions(),
				Hint: v.Say("Del patrimonio desde el inicio del período, con rentabilidad y flujos",
					"Of the equity since the start of the period, with returns and flows")},
			{Key: "relativo", Title: v.Say("Cambio relativo", "Relative change"), Numeric: true,
				Hint: v.Say("Cambio como parte del patrimonio inicial", "Change as a part of the equity at the start")},
			{Key: "flujo", Title: v.Say("Flujo neto", "Net flow"), Numeric: true, Unit: v.millions(),
				Hint: v.Say("Aportes menos rescates de sus series", "Contributions less redemptions of its series")},
			{Key: "cobertura", Title: v.Say("Flujos conocidos", "Known flows"), Numeric: true,
				Hint: v.Say("Parte del patrimonio cuyos flujos se conocen por completo, y de cuántas series",
					"Part of the equity whose flows are wholly known, and of how many series")},
		},
	}
	noRate := v.Say("falta el tipo de cambio a pesos", "an exchange rate to pesos is missing")
	for _, m := range found.Data {
		why := v.inWords(changeReasons, m.ChangeReason, noRate).Text
		noFlow := v.inWords(changeReasons, m.FlowReason, noRate).Text
		noEquity := noRate
		if operation.Value(m.ChangeReason) == "no_equity_now" {
			noEquity = why
		}
		noRelative := why
		if m.Change != nil {
			noRelative = v.Say("el patrimonio inicial era cero", "the equity at the start was zero")
		}
		known := v.fraction(m.FlowCoverage.EquityShare, 1, v.Say("no hay patrimonio ni período que comparar",
			"there is neither equity nor a period to compare"))
		if m.FlowCoverage.EquityShare != nil {
			known.Text = v.equityShare(*m.FlowCoverage.EquityShare)
			known.Sub = v.count(int(m.FlowCoverage.Series)).Text + v.Say(" de ", " of ") +
				v.count(int(m.FlowCoverage.OfSeries)).Text + " series"
		}
		t.Rows = append(t.Rows, row{Cells: []cell{
			v.managerCell(m.Name), v.number(millionsOf(m.Equity), 0, noEquity), v.signed(millionsOf(m.Change), 0, why),
			v.change(m.Relative, noRelative), v.signed(millionsOf(m.Flow), 0, noFlow), known,
		}})
	}
	return t
}

func (m managersView) charts() []*lineChart {
	if m.One == nil {
		return nil
	}
	return []*lineChart{m.One.Equity, m.One.Shareholders}
}

// managerView is one manager.
type managerView struct {
	Name         string
	Facts        []fact
	Equity       *lineChart
	Shareholders *lineChart
	Months       table
	Funds        table
	All, Search  string // the ranking, and its series in the table of funds
	Closed       string // its closed funds and series
	Cut          bool   // the months end before the date
}

// totalEquity sums the equity of all managers of a ranking. It is nil if none has any.
func totalEquity(ranking *summary.Managers) *float64 {
	total := 0.0
	for _, m := range ranking.Data {
		if m.Attributes.Patrimony != nil {
			total += *m.Attributes.Patrimony
		}
	}
	if total <= 0 {
		return nil
	}
	return &total
}

// share returns the part of the market that an amount is, and nil if either is unknown.
func share(part, whole *float64) *float64 {
	if part == nil || whole == nil {
		return nil
	}
	ratio := *part / *whole
	return &ratio
}

// managersCaption is the caption of a table of managers on a day, which is nil if no day has data.
func (v *visit) managersCaption(day *model.Date) string {
	caption := v.Say("Administradoras por patrimonio", "Managers by equity")
	if day != nil {
		caption += ", " + v.Day(day)
	}
	return caption
}

func (v *visit) rankingTable(ranking *summary.Managers) table {
	t := table{
		ID: "administradoras", Caption: v.managersCaption(ranking.Meta.Date),
		Empty: v.Say("No hay datos de administradoras ese día.", "That day has no managers."),
		Columns: []column{
			{Key: "lugar", Title: v.Say("Lugar", "Rank"), Numeric: true, Rank: true,
				Hint: v.Say("Por patrimonio", "By equity")},
			{Key: "administradora", Title: v.Say("Administradora", "Manager")},
			{Key: "patrimonio", Title: v.Say("Patrimonio", "Equity"), Numeric: true, Unit: v.millions()},
			{Key: "parte", Title: v.Say("Participación de mercado", "Market share"), Numeric: true,
				Hint: v.Say("De la suma de los patrimonios", "Of the sum of all equity")},
			{Key: "participes", Title: v.Say("Partícipes", "Shareholders"), Numeric: true,
				Unit: v.Say("sumados por serie", "summed over series"),
				Hint: v.Say("Sumados por serie: quien está en dos series cuenta dos veces",
					"Summed over series: an investor in two series counts twice")},
			{Key: "fondos", Title: v.Say("Fondos", "Funds"), Numeric: true},
		},
	}
	noRate, total := v.Say("falta el tipo de cambio a pesos", "an exchange rate to pesos is missing"),
		totalEquity(ranking)
	for _, m := range ranking.Data {
		a := m.Attributes
		t.Rows = append(t.Rows, row{Cells: []cell{
			v.count(int(a.Rank)), v.managerCell(a.Administrator),
			v.number(millionsOf(a.Patrimony), 0, noRate),
			v.fraction(share(a.Patrimony, total), 1, noRate),
			v.count(int(a.Shareholders)), v.count(int(a.Funds)),
		}})
	}
	return t
}

// monthsOf returns the months of an evolution, and the values of its first manager, which may be nil.
func monthsOf(evolution summary.Months) (months []string, values []*float64) {
	for _, of := range evolution.Data {
		if _, err := model.ParseDate(of.Name() + "-01"); err != nil || len(evolution.Meta.Administrators) == 0 {
			continue
		}
		months, values = append(months, of.Name()), append(values, of.Of(evolution.Meta.Administrators[0]))
	}
	return months, values
}

// lastOf returns the last day of a month, YYYY-MM.
func lastOf(month string) model.Date {
	first, _ := model.ParseDate(month + "-01")
	return model.NewDate(first.Time().Year(), first.Time().Month()+1, 0)
}

// managerView reads one manager, by its name in any case and with or without accents.
func (v *visit) managerView(ctx context.Context, asked string, ranking *summary.Managers) (*managerView, error) {
	var equity, shareholders summary.Months
	var listed httpapi.Items[funds.ListedFund]
	day, err := v.givenDay()
	if err != nil {
		return nil, err
	}
	if ranking.Meta.Date != nil {
		day = ranking.Meta.Date // the day that answers for the given one
	}
	last := v.lastMonth(day)
	loading, ctx := errgroup.WithContext(ctx)
	loading.Go(func() (err error) {
		equity, err = find(ctx, v, summary.Evolution, "administrator", asked, "metric", "patrimony", "to_month", last)
		return err
	})
	loading.Go(func() (err error) {
		shareholders, err = find(ctx, v, summary.Evolution, "administrator", asked, "metric", "shareholders",
			"to_month", last)
		return err
	})
	loading.Go(func() error {
		all, err := findKept(ctx, v, funds.AssetProviders, "scope", "all")
		if err != nil {
			return err
		}
		for _, m := range all.Data {
			if model.Fold(m.Attributes.Name) == model.Fold(asked) {
				listed, err = findKept(ctx, v, funds.ConceptualAssets, "provider_id", m.ID)
				return err
			}
		}
		return httpapi.NotFound("There is no manager of this name. GET /api/asset_providers lists them.")
	})
	if err := loading.Wait(); err != nil {
		if isUnknownManager(err) {
			return nil, httpapi.NotFound("There is no manager of this name. GET /api/asset_providers lists them.")
		}
		return nil, err
	}
	name := asked
	if len(equity.Meta.Administrators) > 0 {
		name = equity.Meta.Administrators[0]
	}
	out := &managerView{
		Name: locale.Shown(name), All: v.Link("/administradoras"), Search: v.Link("/fondos", "administrator", name),
		Closed: v.Link("/cerrados", managerKey, name), Cut: v.Date() != "",
		Facts: v.managerFacts(name, ranking), Funds: v.fundTable(listed),
	}
	months, amounts := monthsOf(equity)
	_, counts := monthsOf(shareholders)
	out.Equity = v.monthChart("patrimonio", v.Say("Patrimonio", "Equity"),
		v.millions(), months, amounts, 1e6)
	out.Shareholders = v.monthChart("participes", v.Say("Partícipes", "Shareholders"),
		v.Say("sumados por serie", "summed over series"), months, counts, 1)
	out.Months = v.monthTable(months, amounts, counts)
	return out, nil
}

// isUnknownManager reports whether the evolution refused the name of the manager.
func isUnknownManager(err error) bool {
	for _, wrong := range violationsOf(err) {
		if wrong.Type == "unknown_administrator" {
			return true
		}
	}
	return false
}

// lastMonth returns the last month whose end the chosen date has seen, as YYYY-MM; "" without a
// date.
func (v *visit) lastMonth(day *model.Date) string {
	if v.Date() == "" || day == nil {
		return ""
	}
	t := day.Time()
	if end := lastOf(t.Format("2006-01")); *day != end {
		return model.NewDate(t.Year(), t.Month(), 0).Time().Format("2006-01")
	}
	return t.Format("2006-01")
}

func (v *visit) managerFacts(name string, ranking *summary.Managers) []fact {
	i := slices.IndexFunc(ranking.Data, func(m httpapi.Resource[summary.Manager]) bool {
		return m.Attributes.Administrator == name
	})
	if i < 0 {
		return nil
	}
	a, noRate := ranking.Data[i].Attributes,
		v.Say("falta el tipo de cambio a pesos", "an exchange rate to pesos is missing")
	counted := v.count(int(a.Funds))
	counted.Sub = v.Say("con valor cuota ese día o en los siete anteriores, también los que cerraron después",
		"with a unit price on that day or in the seven before, also those that closed later")
	return []fact{
		{v.Say("Lugar por patrimonio", "Rank by equity"),
			cell{Text: v.count(int(a.Rank)).Text + v.Say(" de ", " of ") + v.count(len(ranking.Data)).Text}},
		{v.Say("Patrimonio, millones de pesos", "Equity, millions of pesos"),
			v.number(millionsOf(a.Patrimony), 0, noRate)},
		{v.Say("Participación de mercado", "Market share"),
			v.fraction(share(a.Patrimony, totalEquity(ranking)), 1, noRate)},
		{v.Say("Partícipes, sumados por serie", "Shareholders, summed over series"), v.count(int(a.Shareholders))},
		{v.Say("Fondos", "Funds"), counted},
	}
}

func (v *visit) fundTable(listed httpapi.Items[funds.ListedFund]) table {
	t := table{
		ID: "fondos", Caption: v.Say("Sus fondos mutuos vigentes hoy según el registro, también los que no tienen valor cuota",
			"Its mutual funds that the register has as current today, also those without a unit price"),
		Empty: v.Say("No tiene fondos mutuos vigentes.", "It has no current mutual funds."),
		Columns: []column{{Title: v.Say("Fondo", "Fund")}, {Title: "RUN"}, {Title: v.Say("Categoría", "Category")},
			{Title: v.Say("Moneda", "Currency")}},
	}
	for _, f := range listed.Data {
		a := f.Attributes
		t.Rows = append(t.Rows, row{Cells: []cell{
			linked(a.Name, v.Link(fundPath(a.RUN))), runCell(a.RUN),
			v.namedCell(categoryWords, a.Category, v.Say("sin clasificar", "unclassified")),
			v.currencyName(a.Currency),
		}})
	}
	return t
}

// monthChart draws a value by month, divided by a unit. Its table is monthTable.
func (v *visit) monthChart(id, title, unit string, months []string, values []*float64, by float64) *lineChart {
	line := chart.Line{Name: title, Longest: longestOfMonths}
	for i, month := range months {
		if i < len(values) && values[i] != nil {
			day := lastOf(month)
			if cutoff := v.Batch.Cutoff(); cutoff != nil && day.Compare(*cutoff) > 0 {
				day = *cutoff // the month is not over
			}
			line.Points = append(line.Points, chart.Point{Day: day, Value: *values[i] / by})
		}
	}
	c := &lineChart{Chart: chart.Chart{ID: id, Title: title, Unit: unit, FromZero: true,
		Label: chart.NumberLabels(v.Lang), Description: v.span(line.Points, 0)},
		Monthly: true}
	if len(line.Points) == 0 {
		return c
	}
	c.Lines = []chart.Line{line}
	c.Table = v.endsTable(id+"-tabla", title+", "+unit, 0, c.Lines...)
	c.draw(v)
	return c
}

// mostMonths is how many months a table has.
const mostMonths = 36

func (v *visit) monthTable(months []string, amounts, counts []*float64) table {
	t := table{
		ID: "meses", Caption: v.Say("Por mes, el último día completo", "By month, on its last complete day"), Cards: true,
		Empty: v.Say("Ningún mes tiene datos.", "No month has data."),
		Columns: []column{
			{Title: v.Say("Mes", "Month")}, {Title: v.Say("Patrimonio", "Equity"), Numeric: true, Unit: v.millions()},
			{Title: v.Say("Partícipes", "Shareholders"), Numeric: true},
		},
	}
	none := v.Say("no tiene series ese mes", "it has no series in that month")
	for i := len(months) - 1; i >= 0 && len(t.Rows) < mostMonths; i-- {
		var count *float64
		if i < len(counts) {
			count = counts[i]
		}
		end := lastOf(months[i])
		month := word(v.Lang.Month(end))
		if cutoff := v.Batch.Cutoff(); cutoff != nil && end.Compare(*cutoff) > 0 { // the month is not over
			month.Text += v.Say(" (hasta el ", " (up to day ") + strconv.Itoa(cutoff.Time().Day()) + ")"
		}
		t.Rows = append(t.Rows, row{Cells: []cell{
			month,
			v.number(millionsOf(amounts[i]), 0, none), v.number(count, 0, none),
		}})
	}
	return t
}
