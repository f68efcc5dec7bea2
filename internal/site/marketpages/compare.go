package marketpages

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"

	"cuota/internal/httpapi"
	"cuota/internal/site/locale"
	"cuota/internal/site/shortname"
	"cuota/model"
	"cuota/query/market"
	"cuota/query/series"
)

// comparePage shows up to ten series side by side.
var comparePage = page{
	path: "/comparar", template: "compare",
	keys: []string{comparedKey, spanKey, moneyKey, linesKey, rateKey, correlationKey, dateKey, addKey},
	load: func(ctx context.Context, v *visit) (any, error) {
		out := compareView{Add: v.Text(addKey)}
		chosen, err := chosenSeries(v.Texts[comparedKey])
		if err != nil {
			return nil, err
		}
		if len(chosen) > mostCompared {
			chosen, out.TooMany = chosen[:mostCompared], true
		}
		if out.span, err = v.compareSpan(); err != nil {
			return nil, err
		}
		if out.lines, err = v.addedLines(); err != nil {
			return nil, err
		}
		if wrong := v.notAmong(correlationKey, seen); wrong != nil {
			return nil, wrong
		}
		if strings.TrimSpace(out.Add) != "" {
			if out.found, err = find(ctx, v, market.Screener, "q", out.Add, "as_of_date", v.Date(), "limit",
				strconv.Itoa(mostAdded)); err != nil {
				return nil, err
			}
		}
		if len(chosen) > 0 {
			if err := out.compare(ctx, v, chosen); err != nil {
				return nil, err
			}
		}
		out.complete(v)
		return out, nil
	},
}

// The parameters of the page besides the span and the currency of the chart: ids of series, words of series to add,
// and lines beside those of the series (comparechart.go).
const (
	comparedKey = "series"
	addKey      = "buscar"
	linesKey    = "linea" // some of uf, dolar and familia
	rateKey     = "tasa"  // percent a year

	correlationKey = "correlacion" // ver, or absent
)

const (
	mostCompared = 10 // of /api/compare
	mostAdded    = 20 // series that a search shows
)

// compareView is the data of the page.
type compareView struct {
	Series  []chosenView
	Missing []chosenView // not among the series that can be compared
	TooMany bool
	Add     string
	Found   []addedView
	More    bool
	IDs     string // of the compared series, with commas between them
	Full    bool   // no more can be added

	Spans   []spanView
	Moneys  []choice // in which currency the lines are
	Lines   []lineView
	Rate    string // as it was given
	Chart   *lineChart
	OneDay  string   // the quotas of the only common day, in place of a chart
	Money   string   // pesos or dolares if all lines are in them
	Unequal bool     // the lines have different currencies
	Breaks  []string // series with a break within the span
	Left    []string // what the chart leaves out, and why
	Short   string   // says that the span is not whole, before the reasons in Limits
	NoDays  bool     // there is no day on which all series have a quota
	Limits  []limitView
	Shorter bool // the days of the series fit badly: no single one of them makes the span short
	Table   table

	Correlations table
	// SeeCorrelations is the address of the page with the correlations, "" if it has them or there are none.
	SeeCorrelations string
	Together        string // over which months the correlations are, or why there are none

	Difference string // address of what a difference in cost is worth, of two series

	span     spanChoice
	lines    addedLines
	found    market.Screened
	compared market.Compared
	profiles []series.Profiled // of the compared series, at the cutoff, because memory has that
	kinds    map[string]string // of the cost rates, by id of the series
	together market.Correlated
	young    youngSeries // too young for correlations
	shared   sharedSpan
	drawn    []drawnLine
	ends     []string // names of the compared series at the ends of their lines

	familyNote string // what the line of the family is; "" without it
}

func (out compareView) charts() []*lineChart { return []*lineChart{out.Chart} }

// chosenView is a series of the comparison, with the link that removes it.
type chosenView struct{ ID, Name, Sub, Link, Remove, Why string }

// addedView is a series that a search found.
type addedView struct{ ID, Name, Sub, Link string }

// spanChoice is a span of the chart. The window is that of the returns that has the same start.
type spanChoice struct {
	key, window string
	name, short locale.Phrase // short says that the chart has less than the span
}

var compareSpans = []spanChoice{
	{"1y", "1y", locale.Phrase{"1 año", "1 year"}, locale.Phrase{"No es un año completo", "Not a full year"}},
	{"3y", "3y_ann", locale.Phrase{"3 años", "3 years"},
		locale.Phrase{"No son tres años completos", "Not three full years"}},
	{"5y", "5y_ann", locale.Phrase{"5 años", "5 years"},
		locale.Phrase{"No son cinco años completos", "Not five full years"}},
	{"all", "", locale.Phrase{"Todo", "All"},
		locale.Phrase{"El período es más corto que el de otra serie", "The span is shorter than that of another series"}},
}

// spanView is a link that chooses a span.
type spanView struct {
	Name, Link string
	Here       bool
}

func (v *visit) compareSpan() (spanChoice, error) {
	given := v.Text(spanKey)
	if given == "" {
		return compareSpans[0], nil
	}
	for _, s := range compareSpans {
		if s.key == given {
			return s, nil
		}
	}
	return spanChoice{}, httpapi.Invalid{{Loc: []string{"query", spanKey}, Type: "literal_error",
		Msg: "Must be 1y, 3y, 5y or all", Input: httpapi.Echo(given)}}
}

// chosenSeries reads ids of series that stand in one text with commas between them, or in several
// texts. What is not a decimal number is refused.
func chosenSeries(texts []string) ([]string, error) {
	var ids []string
	for _, text := range texts {
		for _, part := range strings.Split(text, ",") {
			part = strings.TrimSpace(part)
			if part == "" {
				continue
			}
			id, err := strconv.ParseUint(part, 10, 32)
			if err != nil {
				return nil, httpapi.Invalid{{Loc: []string{"query", comparedKey}, Type: "int_parsing",
					Input: httpapi.Echo(part),
					Msg:   "Must be ids of series, whole numbers with commas between them"}}
			}
			if name := strconv.FormatUint(id, 10); !slices.Contains(ids, name) {
				ids = append(ids, name)
			}
		}
	}
	return ids, nil
}

// compare asks for the comparison and for the quotas of the chart. Series that can't be compared,
// because they are closed or unknown, are left out and named. If none is left, that is an error.
func (out *compareView) compare(ctx context.Context, v *visit, chosen []string) error {
	asked := func(ids []string) (market.Compared, error) {
		return find(ctx, v, market.Compare, "series", strings.Join(ids, ","), "as_of_date", v.Date())
	}
	var err error
	out.compared, err = asked(chosen)
	if isUnknown(err) && len(chosen) > 1 {
		var there []string
		for _, id := range chosen {
			switch _, single := asked([]string{id}); {
			case single == nil:
				there = append(there, id)
			case isUnknown(single):
				name, why, err := v.leftOut(ctx, id)
				if err != nil {
					return err
				}
				out.Missing = append(out.Missing, chosenView{ID: id, Name: name, Why: why, Link: v.Link(seriesPath(id)),
					Remove: v.without(chosen, id)})
			default:
				return single
			}
		}
		if len(there) > 0 {
			out.compared, err = asked(there)
		}
	}
	if err != nil {
		return err
	}
	out.kinds = out.compared.Meta.TACKinds.ByID()
	from := ""
	if out.span.window != "" && len(out.compared.Data) > 0 {
		if start := out.compared.Data[0].Attributes.Returns.Periods.Of(out.span.window).TargetStart; start != nil {
			from = start.AddDays(-quoteTolerance).String()
		}
	}
	var ids []string
	for _, s := range out.compared.Data {
		profile, err := find(ctx, v, series.Profile, "asset_id", s.ID)
		if err != nil {
			return err
		}
		ids, out.profiles = append(ids, s.ID), append(out.profiles, profile)
	}
	loading, ctx := errgroup.WithContext(ctx)
	if len(ids) > 1 {
		loading.Go(func() (err error) {
			if out.young = youngest(out.profiles, *out.compared.Meta.AsOf); out.young.days > 0 {
				return nil
			}
			if v.Text(correlationKey) == "" { // the statement takes several times as long as all else
				out.SeeCorrelations = v.Here(correlationKey, seen) + "#correlacion"
				return nil
			}
			valuation := ""
			if out.lines.money.currency == "PESOS" {
				valuation = out.lines.money.valuation
			}
			out.together, err = find(ctx, v, market.Correlations, "series", strings.Join(ids, ","), "valuation", valuation,
				"as_of_date", v.Date())
			return err
		})
	}
	loading.Go(func() error {
		quotas, err := find(ctx, v, series.ChartQuotas, "series", strings.Join(ids, ","), "from_date", from, "to_date",
			out.compared.Meta.AsOf.String())
		if err != nil {
			return err
		}
		out.shared = out.sharedSpan(quotas)
		return out.findLines(ctx, v)
	})
	return loading.Wait()
}

// leftOut returns the name of a series that can't be compared, and why it can't. The name is the id if there is no such
// series.
func (v *visit) leftOut(ctx context.Context, id string) (name, why string, err error) {
	known, err := find(ctx, v, series.Profile, "asset_id", id) // at the cutoff, because memory has that
	switch {
	case isUnknown(err):
		return v.Say("Serie ", "Series ") + id, v.Say("no existe", "it does not exist"), nil
	case err != nil:
		return "", "", err
	}
	day, err := v.givenDay()
	if err != nil {
		return "", "", err
	}
	name = word(textOf(known.Fund)).Text + " · " + word(known.Serie).Text
	if known.Fund == nil {
		name = "RUN " + known.RUN + " · " + word(known.Serie).Text
	}
	switch {
	case textOf(known.Vehicle) == "investment_fund":
		return name, v.Say("es de un fondo de inversión", "it is of an investment fund"), nil
	case known.Last == nil:
		return name, v.Say("no tiene valores cuota", "it has no unit prices"), nil
	case day != nil && known.First != nil && known.First.Compare(*day) > 0:
		return name, v.Say("su primer valor cuota es del ", "its first unit price is of ") + v.Day(known.First), nil
	case known.Alive:
		return name, v.Say("no tiene valor cuota a la fecha", "it has no unit price at the date"), nil
	}
	found, err := find(ctx, v, series.Events, "asset_id", id)
	if err != nil && !isUnknown(err) {
		return "", "", err
	}
	for _, e := range found.Data {
		if e.Kind == "exchange_out" {
			return name, v.Say("cerró: el ", "it closed: on ") + v.Day(&e.Date) +
				v.Say(" sus cuotas pasaron a ser de la serie ", " its units became those of series ") +
				locale.Shown(e.OtherSerie) + v.Say(" del fondo ", " of the fund ") + e.OtherRUN, nil
		}
	}
	return name, v.Say("cerró: su último valor cuota es del ", "it closed: its last unit price is of ") +
		v.Day(known.Last), nil
}

// leastCorrelated is how many days a history has at least that has the 24 monthly returns of a correlation.
const leastCorrelated = 24 * 28

// youngSeries is the place of a series among those of a comparison, and how many days its history has.
type youngSeries struct{ at, days int }

// youngest returns the series whose history up to a day is the shortest, if it is too short for a correlation: then no
// statement is asked for one. It has no days if all are long enough.
func youngest(profiles []series.Profiled, until model.Date) (young youngSeries) {
	for i, known := range profiles {
		if known.First == nil || known.Last == nil {
			continue
		}
		last := *known.Last
		if last.Compare(until) > 0 {
			last = until
		}
		days := last.DaysSince(*known.First) + 1
		if days < leastCorrelated && (young.days == 0 || days < young.days) {
			young = youngSeries{i, days}
		}
	}
	return young
}

// quoteTolerance is how many days a quota may be older than the day for which it stands. The
// returns have the same tolerance.
const quoteTolerance = 7

// without returns the address of this page without a series.
func (v *visit) without(ids []string, id string) string {
	rest := slices.DeleteFunc(slices.Clone(ids), func(other string) bool { return other == id })
	return v.Here(comparedKey, strings.Join(rest, ","), addKey, "")
}

// chosen names the compared series.
func (out *compareView) chosen(v *visit, ids []string) (list []chosenView) {
	for _, s := range out.compared.Data {
		a := s.Attributes
		sub := joined("RUN "+a.RUN, shortname.Manager(a.AGF))
		if isUnheld(s) {
			sub = joined(sub, v.UnheldMark())
		}
		list = append(list, chosenView{
			ID: s.ID, Name: seriesName(s), Sub: sub, Link: v.Link(seriesPath(s.ID)),
			Remove: v.without(ids, s.ID),
		})
	}
	return list
}

// complete makes what the template shows.
func (out *compareView) complete(v *visit) {
	var ids []string
	for _, s := range out.compared.Data {
		ids = append(ids, s.ID)
	}
	out.IDs, out.Full = strings.Join(ids, ","), len(ids) >= mostCompared
	out.Series = out.chosen(v, ids)
	for _, s := range out.found.Data {
		if !slices.Contains(ids, s.ID) {
			sub := "RUN " + s.Attributes.RUN + " · " + shortname.Manager(s.Attributes.AGF)
			if isUnheld(s) {
				sub += " · " + v.UnheldMark()
			}
			out.Found = append(out.Found,
				addedView{ID: s.ID, Name: locale.Shown(s.Attributes.FundName) + " · " +
					locale.Shown(s.Attributes.Serie),
					Sub: sub, Link: v.Link(seriesPath(s.ID))})
		}
	}
	out.More = int(out.found.Meta.Total) > len(out.found.Data)
	if len(ids) == 0 {
		return
	}
	for _, s := range compareSpans {
		out.Spans = append(out.Spans, spanView{Name: s.name.In(v.Lang),
			Link: v.Here(spanKey, s.key, addKey, "") + "#crecimiento", Here: s.key == out.span.key})
	}
	out.Short = out.span.short.In(v.Lang)
	out.draw(v, ids)
	out.Table = out.compareTable(v)
	out.correlate(v)
	if len(ids) == 2 && len(out.costsDiffer(v)) == 0 {
		out.Difference = v.Link("/costos/diferencia", serieKey, ids[0], serieKey, ids[1])
	}
}

func seriesName(s market.Resource) string {
	return locale.Shown(s.Attributes.FundName) + " · " + locale.Shown(s.Attributes.Serie)
}

// joined puts a dot between texts that are not empty.
func joined(texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(text string) bool { return text == "" }), " · ")
}

// compareTable has a column for each series, and one that says whether the values of a row can be
// compared.
func (out *compareView) compareTable(v *visit) table {
	t := table{ID: "comparacion", Caption: v.Say("Las series lado a lado", "The series side by side"),
		Columns: []column{{Title: v.Say("Dato", "Figure")}}}
	several := len(out.compared.Data) > 1
	for _, s := range out.compared.Data {
		t.Columns = append(t.Columns, column{Title: seriesName(s), Numeric: true, Link: v.Link(seriesPath(s.ID))})
	}
	if several {
		t.Columns = append(t.Columns, column{Title: v.Say("¿Se pueden comparar?", "Can they be compared?")})
	}
	add := func(name, sub string, of func(market.Resource) cell, judge func(values []cell) cell) {
		head := word(name)
		head.Sub = sub
		cells := []cell{head}
		for _, s := range out.compared.Data {
			cells = append(cells, of(s))
		}
		if several {
			verdict := cell{}
			if judge != nil {
				verdict = judge(cells[1:])
			}
			verdict.Class = "verdict"
			cells = append(cells, verdict)
			switch {
			case verdict.Sub != "":
				cells[0].Narrow = v.Say("No se compara: ", "Not comparable: ") + verdict.Sub
			case verdict.Text != "":
				cells[0].Narrow = v.Say("Se compara", "Comparable")
			}
		}
		t.Rows = append(t.Rows, row{Cells: cells})
	}
	noSource := v.Say("ninguna fuente lo dice", "no source states it")
	add(v.Say("Administradora", "Manager"), "", func(s market.Resource) cell {
		if s.Attributes.AGF == "" {
			return missing(noSource)
		}
		return v.managerCell(s.Attributes.AGF)
	}, nil)
	add(v.Say("Familia", "Family"), "", func(s market.Resource) cell {
		if s.Attributes.FundFamily == nil {
			return missing(v.Say("la CMF no la clasifica", "the CMF does not classify it"))
		}
		return familyCell(*s.Attributes.FundFamily, v.Link(familyPath(*s.Attributes.FundFamily)))
	}, nil)
	add(v.Say("Inversionista", "Investor class"), "", func(s market.Resource) cell {
		return v.namedCell(classNames, classOf(s), v.noClass())
	}, nil)
	add(v.Say("Moneda", "Currency"), "", func(s market.Resource) cell {
		return v.currencyName(s.Attributes.Currency)
	}, nil)
	inMoney := func(values []cell) cell { return v.notBecause(out.moneysDiffer(v, values)) }
	ofUnits := func(values []cell) cell {
		return v.notBecause(cmp.Or(out.moneysDiffer(v, values),
			v.Say("una cuota no es lo mismo en cada serie", "a unit is not the same in each series")))
	}
	judged := func(verdict cell) func([]cell) cell { return func([]cell) cell { return verdict } }
	add(v.Say("Valor cuota", "Unit price"), "", func(s market.Resource) cell {
		c := v.number(amount(s.Attributes.Price), 4, v.Say("sin valor cuota", "no unit price"))
		if s.Attributes.Price != nil {
			c.Sub = v.moneySub(s, v.Day(s.Attributes.PriceAsOf))
		}
		return c
	}, ofUnits)
	add(v.Say("Cambio del día", "Day's change"), "", func(s market.Resource) cell {
		return v.points(s.Attributes.DailyChange,
			v.Say("no hay valor cuota el día anterior", "there is no unit price on the day before"))
	}, inMoney)
	for _, window := range v.comparedWindows() {
		dates, same := out.windowDates(v, window.Key)
		add(v.Say("Rentabilidad, ", "Return, ")+strings.ToLower(window.Title), dates, func(s market.Resource) cell {
			c := v.windowReturn(s, window.Key)
			if period := s.Attributes.Returns.Periods.Of(window.Key); !same && period.Value != nil {
				c.Sub = v.Day(period.EffectiveStart) + " – " + v.Day(period.EffectiveEnd)
			}
			return c
		}, judged(v.verdictCell(out.compared.Meta.Verdicts.Periods[window.Key])))
	}
	add("TAC", v.costHint(), func(s market.Resource) cell { return v.costCell(s, out.kinds) },
		judged(out.costVerdict(v)))
	add(v.Say("Esferas", "Spheres"), v.spheresHint(), v.spheresCell,
		judged(v.verdictCell(out.compared.Meta.Verdicts.Spheres)))
	add(v.Say("Volatilidad, 12 meses", "Volatility, 12 months"), v.Say("anualizada", "annualised"),
		func(s market.Resource) cell {
			return v.fraction(s.Attributes.VolatilityAnnual12, 2, v.noRisk("12"))
		}, inMoney)
	add(v.Say("Volatilidad, 36 meses", "Volatility, 36 months"), v.Say("anualizada", "annualised"),
		func(s market.Resource) cell {
			return v.fraction(s.Attributes.VolatilityAnnual36, 2, v.noRisk("36"))
		}, inMoney)
	add(v.Say("Mayor caída, 36 meses", "Maximum drawdown, 36 months"), "", func(s market.Resource) cell {
		return v.fraction(s.Attributes.MaxDrawdown36, 2, v.noRisk("36"))
	}, inMoney)
	add(v.Say("Riesgo", "Risk"), v.Say("según volatilidad y caída, entre todas las series",
		"by volatility and fall, among all series"), func(s market.Resource) cell {
		return v.riskLevel(s.Attributes.RiskLevel)
	}, nil)
	add(v.Say("Patrimonio", "Equity"), v.Say("millones", "millions"),
		func(s market.Resource) cell {
			c := v.millionsCell(amount(s.Attributes.Patrimony), 1,
				v.Say("sin patrimonio informado", "no equity was stated"))
			if s.Attributes.Patrimony != nil {
				c.Sub = v.moneySub(s, "")
			}
			return c
		}, inMoney)
	add(v.Say("Partícipes", "Shareholders"), "", func(s market.Resource) cell {
		return v.number(whole(s.Attributes.Shareholders), 0,
			v.Say("sin partícipes informados", "no shareholders were stated"))
	}, nil)
	return t
}

// windowDates returns the dates of the returns of a window if all series that have one share them.
func (out *compareView) windowDates(v *visit, window string) (text string, same bool) {
	for _, s := range out.compared.Data {
		period := s.Attributes.Returns.Periods.Of(window)
		if period.Value == nil {
			continue
		}
		dates := v.Day(period.EffectiveStart) + " – " + v.Day(period.EffectiveEnd)
		if text != "" && text != dates {
			return "", false
		}
		text = dates
	}
	return text, true
}

// comparabilityReasons says in words why values of series can't be compared, by the reason of the
// API.
var comparabilityReasons = map[string]locale.Phrase{
	"unavailable_return":       {"alguna serie no tiene la rentabilidad", "a series does not have the return"},
	"currency_mismatch":        {"están en monedas distintas", "they are in different currencies"},
	"effective_dates_mismatch": {"empiezan o terminan en días distintos", "they start or end on different days"},
	"return_basis_mismatch":    {"se calculan de maneras distintas", "they are computed in different ways"},
	"unavailable_indicator":    {"alguna serie no tiene calificación", "a series has no rating"},
	"comparison_group_mismatch": {"son de familias o clases de inversionista distintas",
		"they are of different families or investor classes"},
	"as_of_date_mismatch":  {"son de fechas distintas", "they are of different dates"},
	"methodology_mismatch": {"tienen metodologías distintas", "they have different methods"},
}

// verdictCell reports whether values can be compared, and every reason why not.
func (v *visit) verdictCell(of market.Comparability) cell {
	if of.Comparable {
		return v.notBecause("")
	}
	var because []string
	for _, reason := range of.Reasons {
		text, known := comparabilityReasons[reason]
		if !known {
			text = locale.Phrase{reason, reason}
		}
		because = append(because, text.In(v.Lang))
	}
	return v.notBecause(strings.Join(because, "; "))
}

// costVerdict reports whether the cost rates can be compared. Those of different kinds can't.
func (out *compareView) costVerdict(v *visit) cell {
	return v.notBecause(strings.Join(out.costsDiffer(v), "; "))
}

// notBecause is the cell of a verdict: yes without a reason why not.
func (v *visit) notBecause(reason string) cell {
	if reason == "" {
		return word(v.Say("Sí", "Yes"))
	}
	c := word(v.Say("No", "No"))
	c.Sub = reason
	return c
}

// moneysDiffer returns why the figures of a row, which are in the currency of each series, do not compare, and "" if
// they do. As with returns (RULES 4), only the currencies of series that have the figure count.
func (out *compareView) moneysDiffer(v *visit, values []cell) string {
	var because []string
	moneys := map[string]bool{}
	for i, s := range out.compared.Data {
		if values[i].Reason != "" {
			because = []string{v.Say("alguna serie no tiene este dato", "a series does not have this figure")}
			continue
		}
		moneys[textOf(s.Attributes.Currency)] = true
	}
	switch {
	case moneys[""]:
		because = append(because, v.Say("no se conoce la moneda de alguna serie", "the currency of a series is unknown"))
	case len(moneys) > 1:
		because = append(because, comparabilityReasons["currency_mismatch"].In(v.Lang))
	}
	return strings.Join(because, "; ")
}

// moneySub adds the currency of a series to a second line of a cell.
func (v *visit) moneySub(s market.Resource, sub string) string {
	if s.Attributes.Currency == nil {
		return sub
	}
	return strings.TrimPrefix(sub+", "+worded(moneyNames, *s.Attributes.Currency).In(v.Lang), ", ")
}

// costsDiffer returns why the cost rates do not compare, and nothing if they do.
func (out *compareView) costsDiffer(v *visit) (because []string) {
	kinds := map[string]bool{}
	for _, s := range out.compared.Data {
		if s.Attributes.TAC == nil {
			because = []string{v.Say("alguna serie no tiene TAC", "a series has no TAC")}
			continue
		}
		kinds[out.kinds[s.ID]] = true
	}
	if len(kinds) > 1 {
		because = append(because, v.Say("son TAC de distinto tipo", "the TACs are of different kinds"))
	}
	return because
}

// correlate makes the table of correlations. If there are too few months for any, Together says so, and which series
// has the fewest.
func (out *compareView) correlate(v *visit) {
	of := out.together
	if out.young.days > 0 {
		out.Together = v.Say("No se calcula: hacen falta 24 meses en que todas tengan rentabilidad, y los valores de ",
			"Not computed: it takes 24 months in which all have a return, and the values of ") +
			seriesName(out.compared.Data[out.young.at]) + v.Say(" abarcan ", " span ") + v.Count(out.young.days) +
			v.Say(" días.", " days.")
		if out.young.days == 1 {
			out.Together = strings.TrimSuffix(out.Together, v.Say("días.", "days.")) + v.Say("día.", "day.")
		}
		return
	}
	if len(of.Pairs) == 0 || len(of.Own) != len(out.compared.Data) {
		return
	}
	values := map[[2]string]market.Pair{}
	none := true
	for _, p := range of.Pairs {
		values[[2]string{idText(p.First), idText(p.Second)}] = p
		values[[2]string{idText(p.Second), idText(p.First)}] = p
		none = none && textOf(p.Reason) == "under_24_months"
	}
	fewest := 0
	for i := range of.Own {
		if of.Own[i] < of.Own[fewest] {
			fewest = i
		}
	}
	short := seriesName(out.compared.Data[fewest]) + v.Say(" tiene ", " has ") + v.Count(int(of.Own[fewest])) + "."
	if none {
		out.Together = v.Say("No se calcula: hacen falta 24 meses en que todas tengan rentabilidad, y hay ",
			"Not computed: it takes 24 months in which all have a return, and there are ") +
			v.Count(int(of.Months)) + ". " + short
		return
	}
	out.Together = v.Count(int(of.Months)) + v.Say(" meses comunes, de ", " months in common, from ") +
		v.Lang.MonthInWords(*of.First) + v.Say(" a ", " to ") + v.Lang.MonthInWords(*of.Last) +
		v.Say(". La que menos meses tiene por sí sola: ", ". The one with the fewest months by itself: ") + short
	t := table{ID: "correlaciones", Caption: v.Say("Correlación de las rentabilidades mensuales",
		"Correlation of the monthly returns") + v.Say(", en ", ", in ") + worded(moneyNames, of.Currency).In(v.Lang),
		Columns: []column{{Title: v.Say("Serie", "Series")}}, Note: out.Together}
	for i, s := range out.compared.Data {
		number := strconv.Itoa(i + 1)
		t.Columns = append(t.Columns, column{Title: number, Numeric: true, Hint: seriesName(s)})
		cells := []cell{linked(number+". "+seriesName(s), v.Link(seriesPath(s.ID)))}
		for _, other := range out.compared.Data {
			p := values[[2]string{s.ID, other.ID}]
			if s.ID == other.ID {
				p.Value = new(1.0)
			}
			cells = append(cells, v.number(p.Value, 2, v.reason(p.Reason)))
		}
		t.Rows = append(t.Rows, row{Cells: cells})
	}
	out.Correlations, out.Together = t, ""
}
