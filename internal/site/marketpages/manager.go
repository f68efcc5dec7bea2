package marketpages

import (
	"context"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"cuota/internal/httpapi"
	"cuota/internal/site/chart"
	"cuota/internal/site/locale"
	"cuota/model"
	"cuota/query/funds"
	"cuota/query/summary"
)

// managerKey is the parameter with the name of a manager.
const managerKey = "administradora"

// managersPage ranks the managers on a day. With a name it shows one of them.
var managersPage = page{
	path: "/administradoras", keys: []string{managerKey, dateKey, sortKey, orderKey}, template: "managers",
	load: func(ctx context.Context, v *visit) (any, error) {
		ranking, err := findKept(ctx, v, summary.Ranking, "metric", "patrimony", "date", v.Date())
		if err != nil {
			return nil, err
		}
		if name := v.Text(managerKey); name != "" {
			one, err := v.managerView(ctx, name, ranking)
			return managersView{Ranking: ranking, One: one}, err
		}
		t := v.rankingTable(ranking)
		t.sort(v)
		return managersView{Ranking: ranking, Table: t}, nil
	},
}

type managersView struct {
	Ranking *summary.Managers
	Table   table
	One     *managerView
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

func (v *visit) rankingTable(ranking *summary.Managers) table {
	t := table{
		ID: "administradoras", Caption: v.Say("Administradoras", "Managers"),
		Empty: v.Say("Ese día no tiene administradoras.", "That day has no managers."),
		Columns: []column{
			{Key: "lugar", Title: v.Say("Lugar", "Rank"), Numeric: true, Rank: true,
				Hint: v.Say("Por patrimonio", "By equity")},
			{Key: "administradora", Title: v.Say("Administradora", "Manager")},
			{Key: "patrimonio", Title: v.Say("Patrimonio", "Equity"), Numeric: true, Unit: v.millions()},
			{Key: "parte", Title: v.Say("Participación de mercado", "Market share"), Numeric: true,
				Hint: v.Say("De la suma de los patrimonios", "Of the sum of all equity")},
			{Key: "participes", Title: v.Say("Partícipes", "Shareholders"), Numeric: true,
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
			v.count(int(a.Rank)), linked(a.Administrator, v.Link("/administradoras", managerKey, a.Administrator)),
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
		Cut:   v.Date() != "",
		Facts: v.managerFacts(name, ranking), Funds: v.fundTable(listed),
	}
	months, amounts := monthsOf(equity)
	_, counts := monthsOf(shareholders)
	out.Equity = v.monthChart("patrimonio", v.Say("Patrimonio", "Equity"),
		v.Say("miles de millones de pesos", "billions of pesos"), months, amounts, 1e9)
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
	return []fact{
		{v.Say("Lugar por patrimonio", "Rank by equity"),
			cell{Text: v.count(int(a.Rank)).Text + v.Say(" de ", " of ") + v.count(len(ranking.Data)).Text}},
		{v.Say("Patrimonio, millones de pesos", "Equity, millions of pesos"),
			v.number(millionsOf(a.Patrimony), 0, noRate)},
		{v.Say("Participación de mercado", "Market share"),
			v.fraction(share(a.Patrimony, totalEquity(ranking)), 1, noRate)},
		{v.Say("Partícipes, sumados por serie", "Shareholders, summed over series"), v.count(int(a.Shareholders))},
		{v.Say("Fondos con valor cuota", "Funds with a quota"), v.count(int(a.Funds))},
	}
}

func (v *visit) fundTable(listed httpapi.Items[funds.ListedFund]) table {
	t := table{
		ID: "fondos", Caption: v.Say("Sus fondos mutuos vigentes", "Its current mutual funds"),
		Empty: v.Say("No tiene fondos mutuos vigentes.", "It has no current mutual funds."),
		Columns: []column{{Title: v.Say("Fondo", "Fund")}, {Title: "RUN"}, {Title: v.Say("Categoría", "Category")},
			{Title: v.Say("Moneda", "Currency")}},
	}
	for _, f := range listed.Data {
		a := f.Attributes
		t.Rows = append(t.Rows, row{Cells: []cell{
			linked(a.Name, v.Link(fundPath(a.RUN))), runCell(a.RUN),
			v.namedCell(categoryWords, a.Category, v.Say("sin clasificar", "unclassified")),
			v.namedCell(moneyNames, a.Currency, v.Say("no se conoce la moneda", "the currency is unknown")),
		}})
	}
	return t
}

// monthChart draws a value by month, divided by a unit. Its table is monthTable.
func (v *visit) monthChart(id, title, unit string, months []string, values []*float64, by float64) *lineChart {
	line := chart.Line{Name: title}
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
		Label: chart.NumberLabels(v.Lang), Description: v.span(line.Points, 0), Longest: longestOfMonths}, Monthly: true}
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
		ID: "meses", Caption: v.Say("Por mes, el último día completo", "By month, on its last complete day"),
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
		t.Rows = append(t.Rows, row{Cells: []cell{
			word(strings.ReplaceAll(v.Lang.Month(lastOf(months[i])), locale.NoBreak, " ")),
			v.number(millionsOf(amounts[i]), 0, none), v.number(count, 0, none),
		}})
	}
	return t
}
