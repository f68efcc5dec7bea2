package marketpages

import (
	"cmp"
	"context"
	"net/url"
	"slices"

	"golang.org/x/sync/errgroup"

	"cuota/internal/httpapi"
	"cuota/internal/site/chart"
	"cuota/internal/site/familyname"
	"cuota/model"
	"cuota/query/summary"
)

// universeKey chooses which series count on a past date: those alive today, or with the value everySeries every one
// that existed then.
const (
	universeKey = "universo"
	everySeries = "entonces"
)

// marketPage shows the market on one day: families, the greatest rises and falls, and managers.
var marketPage = page{
	path: "/", keys: []string{dateKey, universeKey, sortKey, orderKey}, template: "market",
	load: func(ctx context.Context, v *visit) (any, error) {
		var of *summary.Summary
		var managers *summary.Managers
		var flows summary.Flows
		var official summary.OfficialReturns
		var history summary.History
		loading, ctx := errgroup.WithContext(ctx)
		// What takes longest is asked first.
		loading.Go(func() (err error) {
			flows, err = find(ctx, v, summary.FlowsOfDay, "date", v.Date())
			return err
		})
		loading.Go(func() (err error) {
			official, err = find(ctx, v, summary.OfficialReturnsOfFamilies, "date", v.Date())
			return err
		})
		loading.Go(func() (err error) {
			history, err = find(ctx, v, summary.HistoryOfMarket)
			return err
		})
		loading.Go(func() (err error) {
			if v.Text(universeKey) == everySeries && v.Date() != "" {
				of, err = find(ctx, v, summary.OfDayThen, "date", v.Date())
			} else {
				of, err = findKept(ctx, v, summary.OfDay, "date", v.Date())
			}
			return err
		})
		loading.Go(func() (err error) {
			managers, err = findKept(ctx, v, summary.Ranking, "metric", "patrimony", "date", v.Date())
			return err
		})
		if err := loading.Wait(); err != nil {
			return nil, err
		}
		families := v.familyTable(of, flows, official)
		families.sort(v)
		families.fold(v)
		apart := unclassifiedOf(of)
		families.addUnclassified(v, apart)
		then, living := "", ""
		switch {
		case of.Meta.SurvivorshipBias:
			then = v.Here(universeKey, everySeries)
		case v.Text(universeKey) == everySeries && v.Date() != "":
			living = v.Here(universeKey, "")
		}
		oneDay, among := "", ""
		if 2*history.OfOneDay > history.Series {
			oneDay = v.Count(int(history.OfOneDay))
		}
		if oneDay != "" && v.Date() == "" { // the counts are those of the cutoff
			// Without it a rise of one of a few series would be read as the greatest of the market.
			longer := v.Count(int(history.Series - history.OfOneDay))
			among = v.Say(", entre las "+longer+" series con más de un día de datos",
				", among the "+longer+" series with more than one day of data")
		}
		day, month := "", ""
		if of.Meta.Date != nil {
			day = ", " + v.Day(of.Meta.Date)
			since := monthBefore(*of.Meta.Date)
			month = v.Say(", del ", ", from ") + v.Day(&since) + v.Say(" al ", " to ") + v.Day(of.Meta.Date)
		}
		return marketView{
			Then: then, Living: living, OneDay: oneDay, AllSeries: v.Count(int(history.Series)),
			Summary: of, Families: families, Treemap: v.familyTreemap(of.Families, official, apart),
			Movers: []table{
				v.moverTable("alzas", v.Say("Mayores alzas del día", "Greatest rises of the day")+day+among,
					of.GainersDaily, false),
				v.moverTable("bajas", v.Say("Mayores bajas del día", "Greatest falls of the day")+day+among,
					of.LosersDaily, false),
				v.moverTable("alzas-mes", v.Say("Mayores alzas en un mes", "Greatest rises in a month")+month+among,
					of.GainersMonthly, true),
				v.moverTable("bajas-mes", v.Say("Mayores bajas en un mes", "Greatest falls in a month")+month+among,
					of.LosersMonthly, true),
			},
			Managers: v.managerTable(managers.Data[:min(10, len(managers.Data))], managers.Meta.Date),
		}, nil
	},
}

// marketView is the data of the page.
type marketView struct {
	// Then is the address with every series that existed on a past day, if only those alive today are shown; Living is
	// the address with these, if all are shown.
	Then, Living string
	// OneDay is of how many of the AllSeries only one day is there; "" if these are less than half.
	OneDay, AllSeries string
	Summary           *summary.Summary
	Families          table
	Treemap           chart.Treemap
	Movers            []table
	Managers          table
}

func familyPath(family string) string { return "/familias/" + url.PathEscape(family) }

func seriesPath(id string) string { return "/series/" + url.PathEscape(id) }

// millions says that amounts are in millions of pesos.
func (v *visit) millions() string {
	return v.Say("millones de pesos", "millions of pesos")
}

// monthBefore returns the day one month before a day, or the last one of that month if it is shorter.
func monthBefore(day model.Date) model.Date {
	of := day.Time()
	last := model.NewDate(of.Year(), of.Month(), 0)
	return last.AddDays(min(of.Day()-last.Time().Day(), 0))
}

// unclassified are the series of a day without a family. Equity is in millions of pesos.
type unclassified struct {
	Series uint64
	Equity float64
}

// unclassifiedOf returns the series without a family, and nil if there are none, or if the families do not count the
// same series as the coverage of the classification. It states which part of the equity has a family, so the rest
// follows from the families.
func unclassifiedOf(of *summary.Summary) *unclassified {
	coverage := of.Meta.Classification.Coverage
	if of.Meta.SurvivorshipBias || of.Meta.Classification.Unclassified == 0 || coverage == nil || *coverage <= 0 {
		return nil
	}
	classified := 0.0
	for _, f := range of.Families {
		if f.PatrimonyClp != nil {
			classified += *f.PatrimonyClp
		}
	}
	return &unclassified{of.Meta.Classification.Unclassified, max(0, classified*(1 / *coverage - 1))}
}

// name says what the series are, and how many.
func (u *unclassified) name(v *visit) string {
	text := v.Say("Sin familia (", "Without a family (") + v.count(int(u.Series)).Text
	if u.Series == 1 {
		return text + v.Say(" serie)", " series)")
	}
	return text + " series)"
}

// addUnclassified adds the series without a family as the last row of a table of families, however it is sorted.
func (t *table) addUnclassified(v *visit, of *unclassified) {
	if of == nil || len(t.Rows) == 0 {
		return
	}
	var cells []cell
	for _, c := range t.Columns {
		switch c.Key {
		case familyColumn:
			cells = append(cells, word(of.name(v)))
		case equityColumn:
			cells = append(cells, v.number(&of.Equity, 0, ""))
		case seriesColumn:
			cells = append(cells, v.count(int(of.Series)))
		default:
			cells = append(cells, missing(v.Say("solo se calcula de familias", "only families have it")))
		}
	}
	t.Rows = append(t.Rows, row{Cells: cells})
}

// The columns of the table of families that series without a family have, too.
const (
	familyColumn = "familia"
	equityColumn = "patrimonio"
	seriesColumn = "series"
)

func (v *visit) familyTable(of *summary.Summary, flows summary.Flows, official summary.OfficialReturns) table {
	families, until, caption := of.Families, "", v.Say("Familias por patrimonio", "Families by equity")
	if of.Meta.Date != nil {
		caption += ", " + v.Day(of.Meta.Date)
		until = v.Say(", hasta el ", ", up to ") + v.Day(of.Meta.Date)
	}
	stated := v.Say("Media de las rentabilidades que informa la CMF de sus series, en pesos, ponderada por patrimonio; si no "+
		"es de casi todas, de cuántas y con qué parte del patrimonio",
		"Mean of the returns that the CMF states of its series, in pesos, weighted by equity; if not of nearly all, of how "+
			"many, and with which part of the equity")
	if official.Date != nil {
		stated += v.Say(", al ", ", on ") + v.Day(official.Date)
	}
	yearly := stated + v.Say(". Por año", ". Per year")
	ofCMF := v.Say("según la CMF", "by the CMF")
	if official.Date != nil {
		ofCMF += v.Say(", al ", ", on ") + v.Day(official.Date)
	}
	t := table{
		ID: "familias", Caption: caption,
		Columns: []column{
			{Key: familyColumn, Title: v.Say("Familia", "Family")},
			{Key: "dia", Title: v.Say("Día", "Day"), Numeric: true,
				Hint: v.Say("Cambio medio de sus series desde el día anterior, ponderado por patrimonio. Si no es de "+
					"casi todas, se dice de cuántas y con qué parte del patrimonio",
					"Mean change of its series since the day before, weighted by equity. If it is not of nearly "+
						"all, the table says of how many, and with which part of the equity")},
			{Key: "mes", Title: v.Say("Mes", "Month"), Numeric: true,
				Hint: v.Say("Cambio medio de sus series en un mes, ponderado por patrimonio",
					"Mean change of its series in a month, weighted by equity")},
			{Key: "1y", Title: v.Say("1 año", "1 year"), Numeric: true, Unit: ofCMF, Hint: stated},
			{Key: "3y", Title: v.Say("3 años", "3 years"), Numeric: true, Unit: ofCMF, Hint: yearly},
			{Key: "5y", Title: v.Say("5 años", "5 years"), Numeric: true, Unit: ofCMF, Hint: yearly},
			{Key: equityColumn, Title: v.Say("Patrimonio", "Equity"), Numeric: true, Unit: v.millions()},
			{Key: "flujo", Title: v.Say("Flujo día hábil", "Flow, business day"), Numeric: true, Unit: v.millions(),
				Hint: v.Say("Aportes menos rescates del último día hábil y de los días sin operaciones que le siguen",
					"Contributions less redemptions of the newest business day and of the days without business "+
						"after it") + until},
			{Key: "flujo-mes", Title: v.Say("Flujo mes", "Flow, month"), Numeric: true, Unit: v.millions(),
				Hint: v.Say("Aportes menos rescates de un mes", "Contributions less redemptions of a month") + until},
			{Key: "tac", Title: v.Say("TAC media", "Mean TAC"), Numeric: true,
				Hint: v.Say("Ponderada por patrimonio. Solo cuenta el tipo de TAC con más patrimonio; el porcentaje "+
					"es la parte del patrimonio que lo tiene, si no es todo",
					"Weighted by equity. Only the kind of TAC with the most equity counts; the percentage is the "+
						"part of the equity that has it, if not all")},
			{Key: "tac-mediana", Title: v.Say("TAC mediana", "Median TAC"), Numeric: true,
				Hint: v.Say("De las series con una TAC de ese tipo", "Of the series with a TAC of that kind")},
			{Key: seriesColumn, Title: v.Say("Series", "Series"), Numeric: true},
			{Key: "fondos", Title: v.Say("Fondos", "Funds"), Numeric: true},
		},
		Empty: v.Say("Ese día no tiene familias.", "That day has no families."),
	}
	for _, f := range families {
		daily, monthly, mean, median := v.flowCells(flowsOf(flows, f.Family))
		ofCMF := official.Of(f.Family)
		t.Rows = append(t.Rows, row{Cells: []cell{
			familyCell(f.Family, v.Link(familyPath(f.Family))),
			v.changeOf(f.DailyChange, f.Coverage.Daily), v.changeOf(f.MonthlyChange, f.Coverage.Monthly),
			v.officialReturn(ofCMF[0]), v.officialReturn(ofCMF[1]), v.officialReturn(ofCMF[2]),
			v.number(f.PatrimonyClp, 0, v.Say("falta el tipo de cambio a pesos",
				"an exchange rate to pesos is missing")),
			daily, monthly, mean, median, v.count(int(f.SeriesCount)), v.count(int(f.FundCount)),
		}})
	}
	return t
}

// familyTreemap shows the change of each family in a month. If it is known of no family, it shows the return of a
// year that the regulator states.
// The series without a family have no colour.
func (v *visit) familyTreemap(families []summary.Family, official summary.OfficialReturns,
	apart *unclassified) chart.Treemap {
	measure, full := v.Say("el cambio en un mes", "the change in a month"), 4.0
	ofYear := !slices.ContainsFunc(families, func(f summary.Family) bool { return f.MonthlyChange != nil }) &&
		slices.ContainsFunc(families, func(f summary.Family) bool { return official.Of(f.Family)[0].Value != nil })
	if ofYear {
		measure, full = v.Say("la rentabilidad de un año al ", "the return of one year on ")+v.Day(official.Date)+
			v.Say(" según la CMF", " by the CMF"), 20
	}
	var items []chart.TreemapItem
	for _, f := range families {
		if f.PatrimonyClp == nil || *f.PatrimonyClp <= 0 {
			continue
		}
		change, points := v.points(f.MonthlyChange, ""), f.MonthlyChange
		if ofYear {
			value := official.Of(f.Family)[0].Value
			change, points = v.change(value, ""), nil
			if value != nil {
				points = new(100 * *value)
			}
		}
		items = append(items, chart.TreemapItem{
			Name: familyname.Spelt(f.Family), Size: *f.PatrimonyClp, Link: v.Link(familyPath(f.Family)),
			Shade: chart.Shade(points, full), Text: change.Text,
		})
	}
	if apart != nil && apart.Equity > 0 && len(items) > 0 {
		items = append(items, chart.TreemapItem{Name: v.Say("Sin familia", "Without a family"), Size: apart.Equity,
			Shade: chart.Shade(nil, full), Text: v.count(int(apart.Series)).Text + " series"})
	}
	slices.SortStableFunc(items, func(a, b chart.TreemapItem) int { return cmp.Compare(b.Size, a.Size) })
	return chart.NewTreemap(items, measure, full)
}

func (v *visit) moverTable(id, caption string, movers []summary.Mover, monthly bool) table {
	t := table{
		ID: id, Caption: caption, Empty: v.Say("Ninguna serie.", "No series."),
		Columns: []column{
			{Title: v.Say("Serie", "Series")},
			{Title: v.Say("Cambio", "Change"), Numeric: true},
			{Title: v.Say("Patrimonio", "Equity"), Numeric: true,
				Unit: v.Say("millones de su moneda", "millions of its currency")},
		},
	}
	list := make([]listedSeries, len(movers))
	for i, m := range movers {
		list[i] = listedSeries{ID: m.SerieID, RUN: m.RUN, Fund: m.FundName, Serie: m.Serie, Manager: m.AGF}
	}
	names := v.seriesCells(list)
	for i, m := range movers {
		change := m.DailyChange
		if monthly {
			change = m.MonthlyChange
		}
		moved := v.points(change, "")
		if moved.Class == "" { // it would be shown as a zero, which is no rise and no fall (RULES 7)
			continue
		}
		t.Rows = append(t.Rows, row{Cells: []cell{
			names[i], moved, v.ownMillions(amount(m.Patrimony), m.Currency),
		}})
	}
	return t
}

func (v *visit) managerTable(managers []httpapi.Resource[summary.Manager], day *model.Date) table {
	t := table{
		ID: "administradoras", Caption: v.managersCaption(day),
		Columns: []column{
			{Title: v.Say("Administradora", "Manager")},
			{Title: v.Say("Patrimonio", "Equity"), Numeric: true, Unit: v.millions()},
			{Title: v.Say("Partícipes", "Shareholders"), Numeric: true,
				Unit: v.Say("sumados por serie", "summed over series"),
				Hint: v.Say("Sumados por serie: quien está en dos series cuenta dos veces",
					"Summed over series: an investor in two series counts twice")},
			{Title: v.Say("Fondos", "Funds"), Numeric: true},
		},
		Empty: v.Say("No hay datos de administradoras ese día.", "That day has no managers."),
	}
	for _, m := range managers {
		t.Rows = append(t.Rows, row{Cells: []cell{
			v.managerCell(m.Attributes.Administrator),
			v.number(millionsOf(m.Attributes.Patrimony), 0,
				v.Say("falta el tipo de cambio a pesos", "an exchange rate to pesos is missing")),
			v.count(int(m.Attributes.Shareholders)),
			v.count(int(m.Attributes.Funds)),
		}})
	}
	return t
}
