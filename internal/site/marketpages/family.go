package marketpages

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"

	"cuota/internal/httpapi"
	"cuota/internal/site/chart"
	"cuota/internal/site/familyname"
	"cuota/internal/site/locale"
	"cuota/model"
	"cuota/query/funds"
	"cuota/query/market"
	"cuota/query/summary"
)

// moneyKey is the parameter with the currency of an index.
const moneyKey = "moneda"

// familyPage shows one family: its index, changes, flows, costs and series.
var familyPage = page{
	path: "/familias/{family}", keys: []string{dateKey, moneyKey, pageKey}, template: "family",
	load: func(ctx context.Context, v *visit) (any, error) {
		name := v.Text("family")
		var index summary.Index
		var of *summary.Summary
		var flows summary.Flows
		var series market.Screened
		var prices funds.BenchmarkHistory
		loading, ctx := errgroup.WithContext(ctx)
		loading.Go(func() (err error) {
			index, err = find(ctx, v, summary.FamilyIndex, "family_rar", name, "currency", v.Text(moneyKey))
			return err
		})
		loading.Go(func() (err error) {
			of, err = findKept(ctx, v, summary.OfDay, "date", v.Date())
			return err
		})
		loading.Go(func() (err error) {
			flows, err = find(ctx, v, summary.FlowsOfDay, "date", v.Date(), "family", name)
			return err
		})
		loading.Go(func() (err error) {
			series, err = find(ctx, v, market.Screener, "fund_family", name, "as_of_date", v.Date(), "sort", usualSort,
				"limit", strconv.Itoa(pageSize), "offset", v.pageOffset())
			return err
		})
		loading.Go(func() (err error) {
			prices, err = find(ctx, v, funds.BenchmarkPrices, "family_rar", name)
			return err
		})
		if err := loading.Wait(); err != nil {
			return nil, err
		}
		return v.familyView(index, of, flows, series, prices)
	},
}

// flowsOf returns the flows and costs of a family, and nil if none of its series is quoted on the day.
func flowsOf(flows summary.Flows, family string) *summary.FamilyFlows {
	i := slices.IndexFunc(flows.Families, func(of summary.FamilyFlows) bool { return of.Family == family })
	if i < 0 {
		return nil
	}
	return &flows.Families[i]
}

// flowCells are the flow of the day, that of the month, the mean and the median of the costs.
func (v *visit) flowCells(f *summary.FamilyFlows) (daily, monthly, mean, median cell) {
	if f == nil {
		none := missing(v.Say("ninguna de sus series tiene valor cuota ese día",
			"none of its series has a unit price on that day"))
		return none, none, none, none
	}
	unknown := fmt.Sprintf(v.Say("solo se conocen los flujos de %s de sus %s series",
		"the flows of only %s of its %s series are known"),
		v.count(int(f.MonthlyKnown)).Text, v.count(int(f.Series)).Text)
	noCost := v.Say("ninguna de sus series tiene TAC conocida", "no series of it has a known TAC")
	if f.TACKind != "" {
		noCost = v.Say("sus series con TAC no informan patrimonio", "its series with a TAC state no equity")
	}
	daily, monthly = v.signed(f.DailyFlow, 0, v.reason(f.DailyReason)), v.signed(f.MonthlyFlow, 0, unknown)
	mean, median = v.fraction(f.TACMean, 2, noCost), v.fraction(f.TACMedian, 2, noCost)
	if f.TACMean != nil {
		mean.Sub = worded(tacKinds, f.TACKind).In(v.Lang)
		if f.TACShare != nil && *f.TACShare < .995 {
			mean.Sub += ", " + v.Lang.Percent(*f.TACShare, 0)
		}
	}
	return daily, monthly, mean, median
}

type familyView struct {
	Name       string
	Summary    *summary.Summary
	Choices    []choice // currencies of the index
	Chart      *lineChart
	Coverage   string // of the last point of the index; empty if it has no change
	Facts      []fact
	Costs      []fact
	Currencies table
	Series     table
	Pager      *listPager
	All        string // in the table of funds
	Benchmark  *familyBenchmark
	Past       bool
	Cheapest   string // address of the comparison of the cheapest series for retail, "" if there are too few
}

func (f familyView) charts() []*lineChart { return []*lineChart{f.Chart} }

// familyBenchmark is the benchmark of a family.
type familyBenchmark struct {
	Name, Link string
	Drawn      bool   // in the chart of the index
	Currency   string // in words
}

func (v *visit) familyView(index summary.Index, on *summary.Summary, flows summary.Flows, series market.Screened,
	prices funds.BenchmarkHistory) (familyView, error) {
	name := index.Meta.Family
	var of *summary.Family
	if i := slices.IndexFunc(on.Families, func(f summary.Family) bool { return f.Family == name }); i >= 0 {
		of = &on.Families[i]
	}
	if of == nil && len(index.Meta.Currencies) == 0 && series.Meta.Total == 0 {
		return familyView{}, httpapi.NotFound("There is no family of this name. GET /api/market-summary lists them.")
	}
	out := familyView{
		Name: locale.Shown(familyname.Spelt(name)), Summary: on, Past: v.Date() != "", Series: v.seriesList(series),
		Pager: v.pagerOf(len(series.Data), int(series.Meta.Total), "series"),
		All:   v.Link("/fondos", "fund_family", name),
	}
	if three := cheapestRetail(series, 3); series.Meta.Offset == 0 && len(three) > 1 {
		out.Cheapest = v.Link("/comparar", comparedKey, strings.Join(three, ","))
	}
	money := ""
	if index.Meta.Currency != nil {
		money = *index.Meta.Currency
	}
	for _, currency := range index.Meta.Currencies {
		out.Choices = append(out.Choices, choice{v.Say("en ", "in ") + worded(moneyNames, currency).In(v.Lang),
			v.Here(moneyKey, currency) + "#indice", currency == money})
	}
	day, err := v.givenDay()
	if err != nil {
		return familyView{}, err
	}
	if day != nil && on.Meta.Date != nil {
		day = on.Meta.Date // the day that answers for the given one
	}
	var points []chart.Point
	for _, p := range index.Data {
		points = append(points, chart.Point{Day: p.Date, Value: p.Value})
	}
	out.Benchmark = v.benchmarkOf(name, prices)
	points = until(points, day)
	out.Chart = v.familyChart(out.Name, money, points, until(closes(prices), day), out.Benchmark)
	if last := len(points) - 1; last >= 0 && index.Data[last].Coverage != nil {
		out.Coverage = v.coverageText(*index.Data[last].Coverage)
	}
	out.Facts, out.Costs = v.familyFacts(of, flowsOf(flows, name))
	out.Currencies = v.familyCurrencies(of)
	return out, nil
}

func (v *visit) benchmarkOf(family string, prices funds.BenchmarkHistory) *familyBenchmark {
	if !prices.Meta.HasBenchmark {
		return nil
	}
	b := &familyBenchmark{Link: v.Link(benchmarkPath(family)), Name: locale.Shown(benchmarkName(prices.Meta))}
	if prices.Meta.Currency != nil {
		b.Currency = worded(moneyNames, *prices.Meta.Currency).In(v.Lang)
	}
	return b
}

// familyChart draws the index, and beside it the benchmark if it is in the same currency. The
// benchmark then begins at the level of the index of its first day.
func (v *visit) familyChart(family, money string, points, prices []chart.Point, benchmark *familyBenchmark) *lineChart {
	c := &lineChart{Chart: chart.Chart{
		ID: "indice", Title: v.Say("Índice de la familia", "Index of the family"),
		Unit: v.Say("100 al inicio", "100 at the start"), Axis: chart.Automatic,
		Label: chart.NumberLabels(v.Lang), Description: v.span(points, 2), Longest: longestOfDays,
	}, Decimals: 2}
	if len(points) == 0 {
		return c
	}
	c.Lines = []chart.Line{{Name: family, Points: points}}
	if benchmark != nil && benchmark.Currency == worded(moneyNames, money).In(v.Lang) {
		levels := make(map[model.Date]float64, len(points))
		for _, p := range points {
			levels[p.Day] = p.Value
		}
		var drawn []chart.Point
		factor := 0.0
		for _, p := range prices {
			level, common := levels[p.Day]
			if factor == 0 && common && p.Value > 0 {
				factor = level / p.Value
			}
			if factor > 0 {
				drawn = append(drawn, chart.Point{Day: p.Day, Value: p.Value * factor})
			}
		}
		if len(drawn) > 0 {
			benchmark.Drawn = true
			c.Lines = append(c.Lines, chart.Line{Name: benchmark.Name, Points: drawn})
			c.Note = v.Say("El índice de referencia parte del nivel de la familia en su primer día común.",
				"The benchmark begins at the level of the family on their first common day.")
		}
	}
	c.Table = v.endsTable("indice-tabla", c.Title, 2, c.Lines...)
	c.draw(v)
	return c
}

// familyFacts are the changes and size of a family on the day, and its flows and costs.
func (v *visit) familyFacts(of *summary.Family, flow *summary.FamilyFlows) (facts, costs []fact) {
	daily, monthly, mean, median := v.flowCells(flow)
	if of != nil {
		facts = []fact{
			{v.Say("Cambio en el día", "Change of the day"), v.changeOf(of.DailyChange, of.Coverage.Daily)},
			{v.Say("Cambio en un mes", "Change in a month"), v.changeOf(of.MonthlyChange, of.Coverage.Monthly)},
			{v.Say("Patrimonio, millones de pesos", "Equity, millions of pesos"),
				v.number(of.PatrimonyClp, 0, v.Say("falta el tipo de cambio a pesos",
					"an exchange rate to pesos is missing"))},
			{v.Say("Series", "Series"), v.count(int(of.SeriesCount))},
			{v.Say("Fondos", "Funds"), v.count(int(of.FundCount))},
		}
	}
	costs = []fact{
		{v.Say("Flujo neto del último día hábil, millones de pesos",
			"Net flow of the newest business day, millions of pesos"), daily},
		{v.Say("Flujo neto de un mes, millones de pesos", "Net flow of a month, millions of pesos"), monthly},
		{v.Say("TAC media, ponderada por patrimonio", "Mean TAC, weighted by equity"), mean},
		{v.Say("TAC mediana de sus series", "Median TAC of its series"), median},
	}
	if flow != nil && flow.TACSeries > 0 {
		costs = append(costs, fact{v.Say("Series con esa TAC", "Series with such a TAC"),
			cell{Text: v.count(int(flow.TACSeries)).Text + v.Say(" de ", " of ") + v.count(int(flow.Series)).Text}})
	}
	return facts, costs
}

func (v *visit) familyCurrencies(of *summary.Family) table {
	t := table{
		ID: "monedas", Caption: v.Say("Por moneda de sus series", "By currency of its series"),
		Empty: v.Say("Ese día no tiene series.", "It has no series on that day."),
		Columns: []column{
			{Title: v.Say("Moneda", "Currency")}, {Title: v.Say("Día", "Day"), Numeric: true},
			{Title: v.Say("Mes", "Month"), Numeric: true},
			{Title: v.Say("Patrimonio", "Equity"), Numeric: true,
				Unit: v.Say("millones de la moneda", "millions of the currency")},
			{Title: v.Say("Series", "Series"), Numeric: true},
		},
	}
	if of == nil {
		return t
	}
	var currencies []string
	for currency := range of.ByCurrency {
		currencies = append(currencies, currency)
	}
	slices.SortFunc(currencies, func(a, b string) int { return strings.Compare(b, a) }) // PESOS before DOLAR
	for _, currency := range currencies {
		in := of.ByCurrency[currency]
		equity := in.Patrimony
		t.Rows = append(t.Rows, row{Cells: []cell{
			word(worded(moneyNames, currency).In(v.Lang)), v.changeOf(in.DailyChange, in.Coverage.Daily),
			v.changeOf(in.MonthlyChange, in.Coverage.Monthly),
			v.number(&equity, 0, ""), v.count(int(in.SeriesCount)),
		}})
	}
	return t
}

// cheapestRetail returns the ids of the cheapest series for retail, each of another fund, and at most so many. They are
// in pesos and their cost rates are synthetic, because others do not compare with these (RULES 2). list is sorted by
// cost, and may be cut.
func cheapestRetail(list market.Screened, most int) (ids []string) {
	kinds := list.Meta.TACKinds.ByID()
	funds := map[string]bool{}
	for _, s := range list.Data {
		a := s.Attributes
		if len(ids) == most || textOf(a.ClassificationClass) != "Retail" || textOf(a.Currency) != "PESOS" ||
			kinds[s.ID] != "synthetic" || funds[a.RUN] || a.Patrimony == nil || a.Patrimony.IsZero() {
			continue
		}
		funds[a.RUN] = true
		ids = append(ids, s.ID)
	}
	return ids
}

// seriesList is a table of series.
func (v *visit) seriesList(list market.Screened) table {
	t := table{
		ID: "series", Caption: v.Say("Series, por tipo de TAC y la más barata primero", "Series, by kind of TAC and the cheapest first"),
		Columns: []column{
			{Title: v.Say("Serie", "Series")},
			{Title: v.Say("Clase", "Class"), Hint: v.Say("Clase de inversionista", "Class of investor")},
			{Title: v.Say("Moneda", "Currency")},
			{Title: "TAC", Numeric: true, Hint: v.Say("Costo anual, con su tipo", "Yearly cost, with its kind")},
			{Title: v.Say("1 mes", "1 month"), Numeric: true}, {Title: v.Say("1 año", "1 year"), Numeric: true},
			{Title: v.Say("Patrimonio", "Equity"), Numeric: true,
				Unit: v.Say("millones de su moneda", "millions of its currency")},
			{Title: v.Say("Partícipes", "Shareholders"), Numeric: true},
		},
		Empty: v.Say("Ninguna serie.", "No series."),
	}
	kinds := list.Meta.TACKinds.ByID()
	for _, s := range list.Data {
		a := s.Attributes
		name := linked(a.FundName+" · "+a.Serie, v.Link(seriesPath(s.ID)))
		name.Sub = locale.Shown(a.AGF)
		cost := v.fraction(a.TAC, 2, v.Say("sin TAC conocida", "no known TAC"))
		if kind, there := kinds[s.ID]; there {
			cost.Sub = worded(tacKinds, kind).In(v.Lang)
		}
		month, year := a.Returns.Periods.Of("1m"), a.Returns.Periods.Of("1y")
		t.Rows = append(t.Rows, row{Cells: []cell{
			name, v.namedCell(classNames, a.ClassificationClass,
				v.Say("la CMF no la ha clasificado", "the CMF has not classified it")),
			v.namedCell(moneyNames, a.Currency, v.Say("no se conoce la moneda", "the currency is unknown")), cost,
			v.change(month.Value, v.reason(month.Reason)), v.change(year.Value, v.reason(year.Reason)),
			v.number(amount(a.Patrimony), 0, v.Say("sin patrimonio informado", "no equity was stated")),
			v.number(whole(a.Shareholders), 0, v.Say("sin partícipes informados", "no shareholders were stated")),
		}})
	}
	return t
}
