package marketpages

import (
	"cmp"
	"context"
	"fmt"
	"maps"
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
	path: "/familias/{family}", template: "family",
	keys: []string{dateKey, moneyKey, pageKey, plotKey, spanKey, sourceKey, classKey, kindKey, heldKey},
	load: func(ctx context.Context, v *visit) (any, error) {
		if wrong := v.checkPoints(); wrong != nil {
			return nil, wrong
		}
		name := v.Text("family")
		var index summary.Index
		var of *summary.Summary
		var flows summary.Flows
		var series market.Screened
		var prices funds.BenchmarkHistory
		var all market.Screened
		var stated summary.StatedReturns
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
				heldKey, v.heldOnly(), "limit", strconv.Itoa(pageSize), "offset", v.pageOffset())
			return err
		})
		loading.Go(func() (err error) {
			prices, err = find(ctx, v, funds.BenchmarkPrices, "family_rar", name)
			return err
		})
		loading.Go(func() (err error) {
			all, err = v.wholeFamily(ctx, name)
			return err
		})
		loading.Go(func() (err error) {
			stated, err = find(ctx, v, summary.OfficialReturnsOfSeries, "date", v.Date())
			return err
		})
		if err := loading.Wait(); err != nil {
			return nil, err
		}
		out, err := v.familyView(index, of, flows, series, prices)
		out.Points = v.familyPoints(all, stated, cmp.Or(textOf(index.Meta.Currency), "PESOS"))
		return out, err
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
		if f.TACShare != nil && *f.TACShare < nearlyAll {
			mean.Sub += ", " + v.Lang.Percent(*f.TACShare, 0)
		}
	}
	return daily, monthly, mean, median
}

type familyView struct {
	Name     string
	Summary  *summary.Summary
	Choices  []choice // currencies of the index
	Chart    *lineChart
	Money    string // of the index, in words; "" if it is unknown
	Coverage string // of the last point of the index; empty if it has no change
	Last     cell   // the last point of the index, which leads to its receipt
	Facts    []fact
	Costs    []fact
	// PartialCosts is set if a percentage says which part of the equity has the cost rate.
	PartialCosts bool

	Currencies table
	Points     seriesPoints
	Series     table
	Pager      *listPager
	All        string // in the table of funds
	WithUnheld string // address with the series that nobody holds; "" if they are shown
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
	if v.Text(heldKey) == "" {
		out.WithUnheld = v.Here(heldKey, allHeld, pageKey, "") + "#series-familia"
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
	if last := len(points) - 1; last >= 0 {
		of := index.Data[last]
		out.Last = linked(v.number(&of.Value, 2, "").Text, v.indexReceiptLink(name, money, of.Date.String()))
		out.Last.Sub = v.Say("al ", "on ") + v.Day(&of.Date)
		if of.Coverage != nil {
			out.Coverage = v.coverageText(*of.Coverage)
		}
	}
	out.Facts, out.Costs = v.familyFacts(of, flows.Date, flowsOf(flows, name))
	if of := flowsOf(flows, name); of != nil && of.TACMean != nil {
		out.PartialCosts = of.TACShare != nil && *of.TACShare < nearlyAll
	}
	if money != "" {
		out.Money = worded(moneyNames, money).In(v.Lang)
	}
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
		Label: chart.NumberLabels(v.Lang), Description: v.span(points, 2),
	}, Decimals: 2}
	if len(points) == 0 {
		return c
	}
	c.Lines = []chart.Line{{Name: family, Points: points, Longest: longestOfIndex}}
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
			c.Lines = append(c.Lines, chart.Line{Name: benchmark.Name, Points: drawn, Longest: longestOfDays})
			c.Note = v.Say("El índice de referencia parte del nivel de la familia en su primer día común.",
				"The benchmark begins at the level of the family on their first common day.")
		}
	}
	c.Table = v.endsTable("indice-tabla", c.Title, 2, c.Lines...)
	c.draw(v)
	return c
}

// familyFacts are the changes and size of a family on the day, and its flows and costs.
func (v *visit) familyFacts(of *summary.Family, day *model.Date, flow *summary.FamilyFlows) (facts, costs []fact) {
	until := ""
	if day != nil {
		until = v.Say(", hasta el ", ", up to ") + v.Day(day)
	}
	daily, monthly, mean, median := v.flowCells(flow)
	if of != nil {
		facts = []fact{
			{v.Say("Cambio en el día", "Day's change"), v.changeOf(of.DailyChange, of.Coverage.Daily)},
			{v.Say("Cambio en un mes", "Change in a month"), v.changeOf(of.MonthlyChange, of.Coverage.Monthly)},
			{v.Say("Patrimonio, millones de pesos", "Equity, millions of pesos"),
				v.number(of.PatrimonyClp, 0, v.Say("falta el tipo de cambio a pesos",
					"an exchange rate to pesos is missing"))},
			{v.Say("Series", "Series"), v.count(int(of.SeriesCount))},
			{v.Say("Fondos", "Funds"), v.count(int(of.FundCount))},
		}
	}
	costs = []fact{
		{v.Say("Flujo neto del último día hábil", "Net flow of the newest business day") + v.businessDay(flow) +
			v.Say(", millones de pesos", ", millions of pesos"), daily},
		{v.Say("Flujo neto de un mes", "Net flow of a month") + until + v.Say(", millones de pesos", ", millions of pesos"),
			monthly},
		{v.Say("TAC media, ponderada por patrimonio", "Mean TAC, weighted by equity"), mean},
		{v.Say("TAC mediana de sus series", "Median TAC of its series"), median},
	}
	if flow != nil && flow.TACSeries > 0 {
		costs = append(costs, fact{v.Say("Series con esa TAC", "Series with such a TAC"),
			cell{Text: v.count(int(flow.TACSeries)).Text + v.Say(" de ", " of ") + v.count(int(flow.Series)).Text}})
	}
	return facts, costs
}

// businessDay names the day of the newest flows of a family; "" if it is not known.
func (v *visit) businessDay(of *summary.FamilyFlows) string {
	switch {
	case of == nil || of.DailyFrom == nil || of.DailyTo == nil:
		return ""
	case *of.DailyFrom == *of.DailyTo:
		return ", " + v.Day(of.DailyFrom)
	}
	return ", " + v.Day(of.DailyFrom) + v.Say(" o ", " or ") + v.Day(of.DailyTo) +
		v.Say(" según la moneda de la serie", " by the currency of the series")
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
			v.millionsCell(&equity, 0, ""), v.count(int(in.SeriesCount)),
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
	named := make([]listedSeries, len(list.Data))
	for i, s := range list.Data {
		a := s.Attributes
		named[i] = listedSeries{ID: s.ID, RUN: a.RUN, Fund: a.FundName, Serie: a.Serie, Manager: a.AGF}
	}
	names := v.seriesCells(named)
	for i, s := range list.Data {
		a, name := s.Attributes, names[i]
		name.Series = s.ID
		v.markUnheld(&name, s)
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
			v.millionsCell(amount(a.Patrimony), 0, v.Say("sin patrimonio informado", "no equity was stated")),
			v.number(whole(a.Shareholders), 0, v.Say("sin partícipes informados", "no shareholders were stated")),
		}})
	}
	t.fold(v)
	t.foldSame(v.Say("Clase", "Class"), v.Say("Moneda", "Currency"))
	return t
}

// The parameters of the chart of a family's series as points. The window of the returns is that of spanKey.
const (
	plotKey   = "puntos" // riesgo, or absent for costs
	sourceKey = "fuente" // whose returns: cuota or cmf; absent for whose there are more of
	classKey  = "clase"  // of investor; absent for all
	kindKey   = "tipo"   // of cost rates, as in tacKinds; absent for synthetic ones, if there are any
)

const (
	byRisk     = "riesgo"
	ownReturns = "cuota"
	ofCMF      = "cmf"
)

// mostPoints is how many series the chart shows, so that the page stays small.
const mostPoints = 300

// pointWindow is a window of returns, with the months over which risk is measured beside it.
type pointWindow struct {
	key, window, months string
	official            int // position among the returns that the regulator states
	name                locale.Phrase
}

var pointWindows = []pointWindow{
	{"1y", "1y", "12", 0, locale.Phrase{"1 año", "1 year"}},
	{"3y", "3y_ann", "36", 1, locale.Phrase{"3 años", "3 years"}},
	{"5y", "5y_ann", "36", 2, locale.Phrase{"5 años", "5 years"}},
}

// kindOrder are the kinds of cost rates, in the order in which the chart takes one.
var kindOrder = []string{"synthetic", "stated", "computed"}

// checkPoints refuses parameters that the chart does not know.
func (v *visit) checkPoints() error {
	wrong := slices.Concat(v.notAmong(plotKey, byRisk), v.notAmong(sourceKey, ownReturns, ofCMF),
		v.notAmong(spanKey, "1y", "3y", "5y"), v.notAmong(kindKey, kindOrder...), v.notAmong(heldKey, allHeld))
	if len(wrong) > 0 {
		return wrong
	}
	return nil
}

// heldOnly is the value of the screener's filter that leaves out series that nobody holds, "" if the reader wants all.
func (v *visit) heldOnly() string {
	if v.Text(heldKey) == allHeld {
		return ""
	}
	return "true"
}

// wholeFamily returns the series of a family that the page counts, as the screener has them.
func (v *visit) wholeFamily(ctx context.Context, family string) (all market.Screened, err error) {
	for {
		part, err := find(ctx, v, market.Screener, "fund_family", family, "as_of_date", v.Date(), heldKey, v.heldOnly(),
			"limit", "200", "offset", strconv.Itoa(len(all.Data)))
		if err != nil {
			return all, err
		}
		data, kinds := append(all.Data, part.Data...), append(all.Meta.TACKinds, part.Meta.TACKinds...)
		all = part
		all.Data, all.Meta.TACKinds = slices.Clip(data), slices.Clip(kinds)
		if len(part.Data) == 0 || len(data) >= int(part.Meta.Total) {
			return all, nil
		}
	}
}

// seriesPoints is a chart of series as points, with what a reader may choose of it.
type seriesPoints struct {
	chart.Scatter
	Plots, Windows, Sources, Classes, Kinds []choice
	Shown                                   string   // how many series are points
	Lacks                                   []string // how many are none, and why
	Table                                   table    // of the values, at most mostEnds rows
	Whole                                   table    // with all rows, for files; without rows if Table has them
	Hint                                    string
}

// pointChoice is what a chart of points shows.
type pointChoice struct {
	pointWindow
	risk         bool
	source       string
	kind         string // of cost rates
	class, money string
}

// seriesPoint is a series with its two values.
type seriesPoint struct {
	of   market.Resource
	x, y *float64
}

// familyPoints draws the series of a family. Returns of the quota are those of the series in the currency money.
func (v *visit) familyPoints(all market.Screened, stated summary.StatedReturns, money string) seriesPoints {
	kinds := all.Meta.TACKinds.ByID()
	chosen := pointChoice{pointWindow: pointWindows[0], risk: v.Text(plotKey) == byRisk, kind: v.Text(kindKey),
		class: v.Text(classKey), money: money}
	for _, w := range pointWindows {
		if w.key == v.Text(spanKey) {
			chosen.pointWindow = w
		}
	}
	series, kindCount := all.Data[:0:0], map[string]int{}
	for _, s := range all.Data {
		if chosen.class == "" || textOf(classOf(s)) == chosen.class {
			series = append(series, s)
			kindCount[kinds[s.ID]]++
		}
	}
	there := slices.DeleteFunc(slices.Clone(kindOrder), func(kind string) bool { return kindCount[kind] == 0 })
	if chosen.kind == "" {
		chosen.kind = append(there, kindOrder[0])[0]
	}
	var points []seriesPoint
	var lacks map[string]int
	own, ownLacks := v.placed(chosen.from(ownReturns), series, kinds, stated)
	cmf, cmfLacks := v.placed(chosen.from(ofCMF), series, kinds, stated)
	chosen.source = v.Text(sourceKey)
	if chosen.source == "" {
		chosen.source = ownReturns
		if len(cmf) > len(own) {
			chosen.source = ofCMF
		}
	}
	if points, lacks = own, ownLacks; chosen.source == ofCMF {
		points, lacks = cmf, cmfLacks
	}
	out := seriesPoints{Plots: []choice{
		{v.Say("costo y rentabilidad", "cost and return"), v.Here(plotKey, "") + "#puntos", !chosen.risk},
		{v.Say("riesgo y rentabilidad", "risk and return"), v.Here(plotKey, byRisk) + "#puntos", chosen.risk},
	}, Sources: []choice{
		{v.Say("del valor cuota", "of the unit price") + counted(v, len(own)), v.Here(sourceKey, ownReturns) + "#puntos",
			chosen.source == ownReturns},
		{v.Say("oficiales, de la CMF", "official, of the CMF") + counted(v, len(cmf)), v.Here(sourceKey, ofCMF) + "#puntos",
			chosen.source == ofCMF},
	}}
	for _, w := range pointWindows {
		out.Windows = append(out.Windows,
			choice{w.name.In(v.Lang), v.Here(spanKey, w.key) + "#puntos", w == chosen.pointWindow})
	}
	out.Classes = v.classChoices(all.Data, "#puntos")
	if !chosen.risk && (len(there) > 1 || v.Text(kindKey) != "") {
		for _, kind := range there {
			name := worded(tacKinds, kind)
			out.Kinds = append(out.Kinds, choice{v.Say("TAC "+name[0], name[1]+" TAC") + counted(v, kindCount[kind]),
				v.Here(kindKey, kind) + "#puntos", kind == chosen.kind})
		}
	}
	out.show(v, chosen, points, stated.Date, all.Meta.AsOf)
	out.Shown = v.Say("Puntos: ", "Points: ") + v.Count(len(out.Points)) + v.Say(" de ", " of ") +
		v.Count(len(series)) + " series."
	if len(out.Points) < len(points) {
		out.Shown = v.Say("Puntos: las ", "Points: the ") + v.Count(len(out.Points)) +
			v.Say(" series con más partícipes, de ", " series with the most shareholders, of ") + v.Count(len(points)) +
			v.Say(" que tienen ambos valores.", " that have both values.")
	}
	out.Lacks = v.countedReasons(lacks)
	return out
}

func (c pointChoice) from(source string) pointChoice {
	c.source = source
	return c
}

func counted(v *visit, n int) string { return " (" + v.Count(n) + ")" }

// countedReasons lists the reasons why series lack a value, each with their number, the most frequent reason first.
func (v *visit) countedReasons(lacks map[string]int) (list []string) {
	reasons := slices.Collect(maps.Keys(lacks))
	slices.SortFunc(reasons, func(a, b string) int {
		return cmp.Or(cmp.Compare(lacks[b], lacks[a]), strings.Compare(a, b))
	})
	for _, why := range reasons {
		list = append(list, v.Count(lacks[why])+": "+why)
	}
	return list
}

// placed returns the series that have both values, and how many lack one, by the reason.
func (v *visit) placed(chosen pointChoice, series []market.Resource, kinds map[string]string,
	stated summary.StatedReturns) (points []seriesPoint, lacks map[string]int) {
	lacks = map[string]int{}
	for _, s := range series {
		x, y, why := v.pointOf(chosen, s, kinds[s.ID], stated)
		if why != "" {
			lacks[why]++
			continue
		}
		points = append(points, seriesPoint{s, x, y})
	}
	return points, lacks
}

// pointOf returns the two values of a series, or why it lacks one.
func (v *visit) pointOf(chosen pointChoice, s market.Resource, kind string,
	stated summary.StatedReturns) (x, y *float64, why string) {
	a := s.Attributes
	// Official returns are in pesos, whatever the currency of the series. All else is in that currency.
	money := chosen.money
	if chosen.source == ofCMF {
		money = "PESOS"
	}
	if textOf(a.Currency) != money && (chosen.risk || chosen.source == ownReturns) {
		return nil, nil, v.Say("no está en ", "it is not in ") + worded(moneyNames, money).In(v.Lang)
	}
	switch {
	case chosen.risk && chosen.months == "12":
		x = a.VolatilityAnnual12
	case chosen.risk:
		x = a.VolatilityAnnual36
	case a.TAC != nil && kind != chosen.kind:
		return nil, nil, v.Say("su TAC es ", "its TAC is ") + worded(tacKinds, kind).In(v.Lang)
	default:
		x = a.TAC
	}
	if x == nil {
		if chosen.risk {
			return nil, nil, v.Say("sin volatilidad: ", "without volatility: ") + v.noRisk(chosen.months)
		}
		return nil, nil, v.Say("ninguna fuente informa su TAC", "no source states its TAC")
	}
	if chosen.source == ownReturns {
		period := a.Returns.Periods.Of(chosen.window)
		if period.Value == nil {
			return nil, nil, v.reason(period.Reason)
		}
		return x, period.Value, ""
	}
	id, err := strconv.ParseUint(s.ID, 10, 32)
	returns, there := stated.Of(uint32(id))
	if stated.Date == nil {
		why = v.Say("no hay comparador de la CMF", "there is no comparator of the CMF")
		if v.Date() != "" {
			why += v.Say(" hasta la fecha", " up to the date")
		}
		return nil, nil, why
	}
	if y = returns[chosen.official]; err != nil || !there {
		return nil, nil, worded(reasons, "not_in_source").In(v.Lang)
	} else if y == nil {
		return nil, nil, v.Say("la CMF no informa su rentabilidad de ese plazo",
			"the CMF states no return of it over that span")
	}
	return x, y, ""
}

// pointNames are the names beside points: those at the ends of lines, and of a single fund only those of its series.
func pointNames(points []seriesPoint) []string {
	list := make([]market.Resource, len(points))
	single := true
	for i, p := range points {
		list[i] = p.of
		single = single && p.of.Attributes.RUN == list[0].Attributes.RUN
	}
	if !single {
		return lineEnds(list)
	}
	names := make([]string, len(points))
	for i, s := range list {
		names[i] = s.Attributes.Serie
	}
	return names
}

// show draws the points and makes the table of their values.
func (out *seriesPoints) show(v *visit, chosen pointChoice, points []seriesPoint, comparator, asOf *model.Date) {
	of := func(s market.Resource) uint64 {
		if s.Attributes.Shareholders == nil {
			return 0
		}
		return uint64(*s.Attributes.Shareholders)
	}
	slices.SortStableFunc(points, func(a, b seriesPoint) int { return cmp.Compare(of(b.of), of(a.of)) })
	points = points[:min(mostPoints, len(points))]
	slices.SortStableFunc(points, func(a, b seriesPoint) int { return cmp.Compare(*a.x, *b.x) })

	span := chosen.name.In(v.Lang)
	nominal := v.Say("Rentabilidad de "+span, "Return of "+span)
	if chosen.key != "1y" {
		nominal = v.Say("Rentabilidad por año, de "+span, "Return per year, over "+span)
	}
	out.Up = nominal + v.Say(" del valor cuota, en ", " of the unit price, in ") + worded(moneyNames, chosen.money).In(v.Lang)
	day := asOf
	if chosen.source == ofCMF {
		out.Up, day = nominal+v.Say(" según la CMF, nominal en pesos", " by the CMF, nominal in pesos"), comparator
	}
	if day != nil {
		out.Up += v.Say(", al ", ", on ") + v.Day(day)
	}
	out.Up += v.Say(", en por ciento", ", in percent")
	kind := worded(tacKinds, chosen.kind)
	out.ID, out.Title = "costo-rentabilidad", v.Say("Costo y rentabilidad", "Cost and return")
	out.Across = v.Say("Costo anual (TAC "+kind[0]+"), en por ciento del patrimonio",
		"Yearly cost ("+kind[1]+" TAC), in percent of equity")
	out.Hint = v.Say("La rentabilidad ya descuenta el costo de la serie.", "The return is after the cost of the series.")
	measure := "TAC"
	if chosen.risk {
		measure = v.Say("Volatilidad", "Volatility")
		out.ID, out.Title = "riesgo-rentabilidad", v.Say("Riesgo y rentabilidad", "Risk and return")
		out.Across = v.Say("Volatilidad anualizada de "+chosen.months+" meses, en por ciento",
			"Annualised volatility of "+chosen.months+" months, in percent")
		out.Hint = v.Say("La volatilidad es la nuestra, de las rentabilidades mensuales del valor cuota hasta el último mes "+
			"cerrado.", "The volatility is ours, of the monthly returns of the unit price up to the last closed month.")
		if chosen.source == ofCMF {
			out.Hint += v.Say(" La rentabilidad es de la CMF y termina en su propia fecha.",
				" The return is the CMF's and ends on its own date.")
		}
	}
	whole := table{ID: out.ID, Caption: out.Title + v.Say(" de cada serie", " of each series"),
		Note: out.Across + ". " + out.Up + ".",
		Columns: []column{{Title: v.Say("Serie", "Series")}, {Title: v.Say("Clase", "Class")},
			{Title: measure, Numeric: true, Hint: out.Across},
			{Title: v.Say("Rentabilidad", "Return"), Numeric: true, Hint: out.Up}},
		Empty: v.Say("Ninguna serie tiene ambos valores.", "No series has both values."),
	}
	names := pointNames(points)
	for i, p := range points {
		a := p.of.Attributes
		across, up := v.fraction(p.x, 2, ""), v.change(p.y, "")
		out.Points = append(out.Points, chart.ScatterPoint{X: *p.x, Y: *p.y, Link: v.Link(seriesPath(p.of.ID)),
			Name: names[i],
			Title: fundShort(a) + " · " + a.Serie + ": " + measure + " " + across.Text + ", " +
				v.Say("rentabilidad ", "return ") + up.Text})
		name := linked(a.FundName+" · "+a.Serie, v.Link(seriesPath(p.of.ID)))
		name.Sub = joined("RUN "+a.RUN, locale.Shown(a.AGF))
		class := v.namedCell(classNames, classOf(p.of), v.noClass())
		whole.Rows = append(whole.Rows, row{Cells: []cell{name, class, across, up}})
	}
	out.Draw(v.Lang)
	out.Table = whole
	if len(whole.Rows) > mostEnds {
		out.Whole = whole
		out.Table.ID += "-parte"
		out.Table.Rows = whole.Rows[:mostEnds]
		out.Table.Caption += v.Say(", las "+v.Count(mostEnds)+" primeras", ", the first "+v.Count(mostEnds))
	}
}
