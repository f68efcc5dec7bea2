package marketpages

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"cuota/internal/site/familyname"
	"cuota/internal/site/locale"
	"cuota/model"
	"cuota/query/facts"
	"cuota/query/series"
)

// windowWords are the windows in the order of the tables.
var windowWords = []struct {
	key  string
	name locale.Phrase
}{
	{"1m", locale.Phrase{"1 mes", "1 month"}},
	{"last_closed_month", locale.Phrase{"último mes cerrado", "last closed month"}},
	{"3m", locale.Phrase{"3 meses", "3 months"}},
	{"6m", locale.Phrase{"6 meses", "6 months"}}, {"ytd", locale.Phrase{"este año", "this year"}},
	{"1y", locale.Phrase{"1 año", "1 year"}},
	{"3y_ann", locale.Phrase{"3 años, por año", "3 years, per year"}},
	{"5y_ann", locale.Phrase{"5 años, por año", "5 years, per year"}},
}

// returnsTable shows the returns of the quota of a series, and beside them those of the chosen kind, if there are any.
// Each return of the quota, in any valuation, leads to its receipt, and so does the dash where there is none.
func (v *visit) returnsTable(known series.Profiled, price, valued series.AnyReturns, closed closing) table {
	of, money := known.ID, v.inMoney(known.Currency)
	t := table{
		ID: "tabla-rentabilidades", Caption: v.Say("Rentabilidades al ", "Returns as of ") + v.Day(price.End()),
		Columns: []column{
			{Title: v.Say("Período", "Window")},
			{Title: v.Say("Del valor cuota", "Of the unit price"), Numeric: true,
				Unit: commaJoined(money, v.Say("sin repartos", "without distributions")),
				Hint: v.Say("Cambio del valor cuota en la moneda de la serie",
					"Change of the unit price in the currency of the series")},
		},
	}
	own, others := price.Windows(), facts.ReturnPeriods(nil)
	if valued != nil {
		others = valued.Windows()
		unit := v.Say("sin repartos", "without distributions")
		if v.valuation().basis != "" {
			unit = money
		}
		t.Columns = append(t.Columns,
			column{Title: upperFirst(v.valuation().name.In(v.Lang)), Unit: unit, Numeric: true})
	}
	t.Columns = append(t.Columns, column{Title: v.Say("Desde", "From"), Numeric: true,
		Hint: v.Say("Día del valor cuota con que empieza", "Day of the unit price with which it begins")},
		column{Title: v.Say("Hasta", "To"), Numeric: true,
			Hint: v.Say("Día del valor cuota con que termina", "Day of the unit price with which it ends")})
	why := func(period facts.ReturnPeriod) string {
		end := price.End()
		if period.TargetEnd != nil {
			end = period.TargetEnd
		}
		if end == nil {
			return v.reason(period.Reason)
		}
		return closed.reason(v, period.Reason, *end)
	}
	for _, w := range windowWords {
		period := own.Of(w.key)
		cells := []cell{word(w.name.In(v.Lang)), v.change(period.Value, why(period))}
		cells[1].Link = v.receiptLink(of, w.key, "", v.Date())
		if valued != nil {
			other := others.Of(w.key)
			cells = append(cells, v.change(other.Value, why(other)))
			cells[2].Link = v.receiptLink(of, w.key, v.valuation().key, v.Date())
			if period.Value == nil && other.Value != nil { // as a total return across an exchange
				period = other
			}
		}
		none := v.Say("no hay valor cuota", "there is no unit price")
		if period.Value == nil { // the quotas that were looked at are no ends of a return
			period.EffectiveStart, period.EffectiveEnd, none = nil, nil, why(period)
		}
		t.Rows = append(t.Rows, row{Cells: append(cells, v.day(period.EffectiveStart, none),
			v.day(period.EffectiveEnd, none))})
	}
	t.orReasons(1, len(t.Columns))
	return t
}

// inMoney says in which currency a figure is, "" if it is unknown.
func (v *visit) inMoney(currency *string) string {
	if currency == nil {
		return ""
	}
	return v.Say("en ", "in ") + worded(moneyNames, *currency).In(v.Lang)
}

// commaJoined puts a comma between texts that are not empty.
func commaJoined(texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(text string) bool { return text == "" }), ", ")
}

// upperFirst makes the first letter of a text a capital.
func upperFirst(text string) string {
	letters := []rune(text)
	if len(letters) == 0 {
		return ""
	}
	return strings.ToUpper(string(letters[:1])) + string(letters[1:])
}

// orReasons puts the reasons in place of a table that has none of its values: those in the columns from one to before
// another. A column of dashes says less.
func (t *table) orReasons(from, to int) {
	var reasons []string
	for _, r := range t.Rows {
		for _, c := range r.Cells[from:to] {
			if c.Reason == "" {
				return
			}
			if !slices.Contains(reasons, c.Reason) {
				reasons = append(reasons, c.Reason)
			}
		}
	}
	if len(reasons) > 0 {
		t.Rows, t.Empty = nil, upperFirst(strings.Join(reasons, "; "))+"."
	}
}

// spheresInWords says how the regulator rates the series.
func (v *visit) spheresInWords(s facts.Spheres) string {
	if s.Value == nil {
		return v.Say("Sin esferas CMF: ", "No CMF spheres: ") + v.reason(s.Reason) + "."
	}
	n := v.Lang.Number(float64(*s.Value), 0)
	among := ""
	if s.Family != nil && s.InvestorType != nil {
		among = v.Say(" entre las series de la familia ", " among the series of the family ") +
			locale.Shown(familyname.Spelt(*s.Family)) + v.Say(" para ", " for ") +
			locale.Shown(worded(classNames, *s.InvestorType).In(v.Lang))
	}
	return n + v.Say(" de 5 esferas", " of 5 spheres") + among +
		v.Say(", según el comparador de la CMF del ", ", by the comparator of the CMF of ") + v.Day(s.AsOfDate) + "."
}

func (v *visit) riskTable(id string, a series.RiskFigures) table {
	t := table{
		ID: "tabla-riesgo", Caption: v.Say("Riesgo al ", "Risk as of ") + v.Day(a.AsOf),
		Columns: []column{{Title: v.Say("Medida", "Measure")}, {Title: v.Say("Valor", "Value"), Numeric: true},
			{Title: v.Say("Qué dice", "What it says")}},
		Empty: v.Say("Todavía no hay un mes cerrado con cifras de riesgo.",
			"There is no closed month with figures of risk yet."),
	}
	if a.AsOf == nil {
		t.Caption = v.Say("Riesgo", "Risk")
		return t
	}
	short := v.Say("la historia es demasiado corta o tiene un quiebre", "the history is too short or has a break")
	unrelated := v.Say("se necesitan al menos 24 meses en común con el índice de su familia, y el índice, al menos tres series de dos fondos",
		"it takes at least 24 months in common with the index of its family, and the index at least three series of two funds")
	level := v.inWords(levelWords, a.RiskLevel, short)
	if a.RiskScore != nil {
		level.Sub = v.Lang.Number(float64(*a.RiskScore), 0) + v.Say(" de 100", " of 100") + v.rankedAmong(a.ScoreCoverage)
		if ofMutualFund(id) {
			level.Link = v.riskReceiptLink(id, "risk_score", v.Date())
		}
	}
	for _, m := range []struct {
		name, says string
		cell       cell
	}{
		{v.Say("Nivel", "Level"), v.Say("Lugar por volatilidad y caída de 36 meses, entre las series que las tienen",
			"Rank by volatility and fall of 36 months, among the series that have them"), level},
		{v.Say("Volatilidad, 12 meses", "Volatility, 12 months"),
			v.Say("Cuánto varía la rentabilidad de un mes a otro, llevada a un año",
				"How much the return varies from month to month, scaled to a year"),
			v.explainedRisk(a.VolatilityAnnual12, short, id, "volatility_annualized_12m")},
		{v.Say("Volatilidad, 36 meses", "Volatility, 36 months"),
			v.Say("Lo mismo sobre tres años", "The same over three years"),
			v.explainedRisk(a.VolatilityAnnual36, short, id, "volatility_annualized_36m")},
		{v.Say("Mayor caída, 36 meses", "Deepest fall, 36 months"),
			v.Say("Desde un máximo hasta el valor más bajo que lo siguió",
				"From a highest unit price to the lowest one that followed"),
			v.explainedRisk(a.MaxDrawdown36, short, id, "max_drawdown_36m")},
		{v.Say("Desviación a la baja", "Downside deviation"),
			v.Say("Como la volatilidad, solo con los meses de pérdida", "Like volatility, of months with a loss only"),
			v.fraction(a.Downside36, 2, short)},
		{v.Say("VaR de un mes (5"+locale.NoBreak+"%)", "VaR of one month (5%)"),
			v.Say("Uno de cada veinte meses fue peor", "One of twenty months was worse"),
			v.fraction(a.VaR95, 2, short)},
		{v.Say("Beta con su familia", "Beta with its family"),
			v.Say("Cuánto se movió por cada punto que se movió su familia",
				"How much it moved for each point that its family moved"), v.number(a.Beta36, 2, unrelated)},
		{v.Say("Tracking error con su familia", "Tracking error to its family"),
			v.Say("Cuánto varía la diferencia con su familia, llevada a un año",
				"How much the difference from its family varies, scaled to a year"),
			v.fraction(a.TrackingError36, 2, unrelated)},
	} {
		t.Rows = append(t.Rows, row{Cells: []cell{{Text: m.name}, m.cell, {Text: m.says, Class: "words"}}})
	}
	t.orReasons(1, 2)
	return t
}

// explainedRisk is a cell with a figure of risk, which leads to its receipt.
func (v *visit) explainedRisk(value *float64, reason, id, field string) cell {
	out := v.fraction(value, 2, reason)
	out.Link = v.riskReceiptLink(id, field, v.Date())
	return out
}

// rankedAmong says among how many series a rank is, and which part of the equity they hold. There may be no rank.
func (v *visit) rankedAmong(of *facts.Coverage) string {
	if of == nil {
		return ""
	}
	text := v.Say(", entre ", ", among ") + v.count(int(of.Series)).Text + v.Say(" de ", " of ") +
		v.count(int(of.OfSeries)).Text + " series"
	if of.EquityShare == nil {
		return text
	}
	return text + " (" + v.equityShare(*of.EquityShare) + v.Say(" del patrimonio)", " of the equity)")
}

// causeWords say why our return differs from that of the regulator.
var causeWords = map[string]locale.Phrase{
	"different_date": {"son de otros días que los que pide el comparador",
		"they are of other days than the comparator asks for"},
	"distributions": {"la CMF cuenta los repartos; con ellos reinvertidos es igual",
		"the CMF counts distributions; with them reinvested it is the same"},
	"missing_history":      {"nos falta historia", "we lack history"},
	"break":                {"hay un quiebre en el período", "there is a break within the period"},
	"invalid_quote":        {"un valor cuota no sirve", "a unit price can't be used"},
	"missing_rate":         {"falta un tipo de cambio o la UF", "an exchange rate or the UF is missing"},
	"absent_there":         {"la CMF no la publica", "the CMF states none"},
	"absent_on_both_sides": {"no hay cifra en ninguno de los dos", "there is no figure on either side"},
	"unexplained":          {"sin explicación", "unexplained"},
}

// officialWords are the six returns of a comparator, in the order of the API: of each window the nominal one and the
// real one.
var officialWords = []locale.Phrase{
	{"1 año, nominal", "1 year, nominal"}, {"1 año, real", "1 year, real"},
	{"3 años, por año, nominal", "3 years, per year, nominal"}, {"3 años, por año, real", "3 years, per year, real"},
	{"5 años, por año, nominal", "5 years, per year, nominal"}, {"5 años, por año, real", "5 years, per year, real"},
}

// officialWindow names a return of a comparator by its position among these, and says in what it is measured: only a
// nominal one is in pesos.
func (v *visit) officialWindow(position int) cell {
	c := cell{Text: officialWords[position].In(v.Lang), Sub: v.Say("en pesos", "in pesos")}
	if position%2 == 1 {
		c.Sub = v.Say("sobre UF", "net of UF inflation")
	}
	return c
}

func (v *visit) officialColumns() table {
	until := ""
	if day, err := v.givenDay(); err == nil && day != nil {
		until = v.Say(" hasta el ", " up to ") + v.Day(day)
	} else if cutoff := v.Batch.Cutoff(); cutoff != nil {
		until = v.Say(" hasta el ", " up to ") + v.Day(cutoff)
	}
	return table{
		ID: "tabla-oficial", Caption: v.Say("Rentabilidades que publica la CMF", "Returns that the CMF states"),
		Columns: []column{
			{Title: v.Say("Período", "Window")},
			{Title: v.Say("CMF", "CMF"), Numeric: true,
				Unit: v.Say("con repartos", "with distributions")},
		},
		Empty: v.Say("Ningún comparador de rentabilidades de la CMF"+until+" tiene esta serie.",
			"No returns comparator of the CMF"+until+" has this series."),
	}
}

// statedUntil says on which day the windows of a comparator end.
func (v *visit) statedUntil(day model.Date) string {
	return v.Say(", con períodos hasta el ", ", of windows up to ") + v.Lang.Day(day) +
		v.Say(" (fecha del comparador)", " (date of the comparator)")
}

// officialTable shows what the regulator states.
func (v *visit) officialTable(sources []series.Source) table {
	t := v.officialColumns()
	for _, s := range sources {
		if s.Item != "rating" || len(s.Official) != len(officialWords) {
			continue
		}
		t.Caption += v.statedUntil(s.Date)
		for i := range officialWords {
			t.Rows = append(t.Rows, row{Cells: []cell{v.officialWindow(i),
				v.change(s.Official[i], v.Say("la CMF no la publica", "the CMF states none"))}})
		}
	}
	return t
}

// comparedTable shows what the regulator states beside our returns.
func (v *visit) comparedTable(official []series.OfficialReturn) table {
	t := v.officialColumns()
	t.Columns = append(t.Columns,
		column{Title: v.Say("Calculada aquí", "Computed here"), Numeric: true,
			Unit: v.Say("sin repartos", "without distributions"),
			Hint: v.Say("Del valor cuota", "Of the unit price")},
		column{Title: v.Say("Con repartos", "With distributions"), Numeric: true,
			Unit: v.Say("calculada aquí", "computed here"),
			Hint: v.Say("Reinvertidos los repartos aceptados", "With accepted distributions reinvested")},
		column{Title: v.Say("Diferencia", "Difference"), Hint: v.Say("Por qué difieren", "Why they differ")})
	for i, f := range official {
		if i == 0 {
			t.Caption += v.statedUntil(f.Date)
		}
		position := int(f.Years) - 1 // of 1, 3 and 5 years
		if f.Basis == "real" {
			position++
		}
		if position < 0 || position >= len(officialWords) {
			continue
		}
		same := cell{Text: v.Say("igual", "same")}
		if f.Cause != nil {
			same = v.inWords(causeWords, f.Cause, "")
		}
		same.Class = "words"
		ours := v.change(f.Price, v.reason(f.Reason))
		if f.Compared != nil && *f.Compared != f.Date {
			ours.Sub = v.Say("al ", "as of ") + v.Lang.Day(*f.Compared)
		}
		t.Rows = append(t.Rows, row{Cells: []cell{
			v.officialWindow(position),
			v.change(f.Official, v.Say("la CMF no la publica", "the CMF states none")),
			ours, v.change(f.Reinvested, v.reason(f.Reason)), same,
		}})
	}
	return t
}

var eventWords = map[string]locale.Phrase{
	"rename":          {"cambio de nombre", "rename"},
	"exchange_out":    {"canje por otra serie", "exchange for another series"},
	"exchange_in":     {"canje desde otra serie", "exchange from another series"},
	"distribution":    {"reparto", "distribution"},
	"verified":        {"reparto verificado", "verified distribution"},
	"unit":            {"cambio de unidad de la cuota", "change of what one unit is"},
	"currency_change": {"cambio de moneda", "change of currency"},
	"gap":             {"más de 31 días sin valor cuota", "more than 31 days without a unit price"},
	"restart":         {"vuelve a tener patrimonio", "equity begins again"},
	"unit_change": {"la cuota pasa a otra unidad, sin factor publicado",
		"the unit was changed, without a published factor"},
	"curated": {"quiebre documentado", "documented break"},
}

// refusedRenames say why a rename is not applied.
var refusedRenames = map[string]locale.Phrase{
	"several_previous":   {"no aplicado: dos nombres pasan a ser este", "not applied: two names become this one"},
	"cycle":              {"no aplicado: los nombres forman un círculo", "not applied: the names form a circle"},
	"chain_too_long":     {"no aplicado: son demasiados cambios", "not applied: there are too many renames"},
	"dates_out_of_order": {"no aplicado: las fechas no están en orden", "not applied: the dates are out of order"},
	"unknown_series":     {"no aplicado: la serie no se conoce", "not applied: the series is unknown"},
	"both_quoted": {"no aplicado: ambas tienen valor cuota a la vez",
		"not applied: both have unit prices at the same time"},
}

func (v *visit) eventTable(currency *string, events []series.Event) table {
	t := table{
		ID: "tabla-eventos", Caption: v.Say("Eventos", "Events"),
		Columns: []column{
			{Title: v.Say("Fecha", "Date")}, {Title: v.Say("Evento", "Event")}, {Title: v.Say("Detalle", "Detail")},
			{Title: v.Say("Factor", "Factor"), Numeric: true},
			{Title: v.Say("Pago por cuota", "Payment per unit"), Numeric: true, Unit: v.inMoney(currency),
				Hint: v.Say("En la moneda de la serie", "In the currency of the series")},
		},
		Empty: v.Say("No se conoce ningún cambio de nombre, canje, reparto ni quiebre.",
			"No rename, exchange, distribution or break is known."),
	}
	for _, e := range events {
		// What the cartola states and a document proves is one distribution.
		if e.Kind == "distribution" && slices.ContainsFunc(events, func(other series.Event) bool {
			return other.Kind == "verified" && other.Date == e.Date && e.Factor != nil && other.Factor != nil &&
				*other.Factor == *e.Factor
		}) {
			continue
		}
		detail := cell{}
		switch {
		case e.Kind == "rename":
			detail = word(e.OtherSerie)
			if !e.Applied {
				detail.Sub = v.inWords(refusedRenames, &e.Reason, "").Text
			}
		case e.Kind == "unit_change":
			detail = word(e.Reason)
		case e.OtherSerie != "":
			detail = word(e.OtherRUN + " " + e.OtherSerie)
			if e.OtherID != nil && *e.OtherID != 0 {
				detail.Link = v.Link(seriesPath(idText(*e.OtherID)))
			}
		}
		if e.Evidence != "" {
			detail.Sub = strings.TrimSpace(detail.Sub + " " + locale.Shown(e.Evidence))
			detail.Breaks = true
		}
		if detail.Text == "" && detail.Sub != "" {
			detail.Text = v.Say("documento", "document")
		}
		none := v.Say("no aplica", "does not apply")
		t.Rows = append(t.Rows, row{Cells: []cell{
			v.day(&e.Date, ""), v.inWords(eventWords, &e.Kind, ""), detail, v.number(e.Factor, 6, none),
			v.number(e.Payment, 4, none),
		}})
	}
	return t
}

var sourceWords = map[string]locale.Phrase{
	"quota":  {"Valor cuota", "Unit price"},
	"rating": {"Familia, clase y esferas", "Family, class and spheres"},
	"tac":    {"Costo anual (TAC)", "Annual cost (TAC)"},
}

// datasetWords say what a dataset is.
var datasetWords = map[string]locale.Phrase{
	"cartola":            {"archivo diario de la CMF (cartola)", "daily file of the CMF (cartola)"},
	"fi-values":          {"valores de fondos de inversión de la CMF", "values of investment funds of the CMF"},
	"returns-comparator": {"comparador de rentabilidades de la CMF", "returns comparator of the CMF"},
	"tac-comparator":     {"comparador de costos de la CMF", "cost comparator of the CMF"},
	"tac-monthly":        {"planilla mensual de costos", "monthly sheet of costs"},
	"uf":                 {"archivo de la UF", "file of the UF"},
	"dolar":              {"archivo del dólar observado", "file of the dólar observado"},
	"events":             {"archivo de factores y canjes verificados", "file of verified factors and exchanges"},
}

func (v *visit) sourceTable(of series.Profiled, sources []series.Source) table {
	t := table{
		ID: "tabla-fuentes", Caption: v.Say("De dónde viene cada número", "Where each number comes from"),
		Columns: []column{
			{Title: v.Say("Número", "Number")}, {Title: v.Say("De", "Of")}, {Title: v.Say("Archivo", "File")},
			{Title: v.Say("Línea", "Line"), Numeric: true},
			{Title: v.Say("Publicado", "Published"),
				Hint: v.Say("Cuándo lo publicó la fuente, en hora de Santiago",
					"When the source published it, time of Santiago")},
			{Title: v.Say("Visto", "Seen"), Hint: v.Say("Cuándo se publicó el primer lote que lo tiene",
				"When the first batch that has it was published")},
		},
		Empty: v.Say("Ningún archivo de este lote tiene esta serie.", "No file of this batch has this series."),
	}
	stated := false // the line of the cost rate is there
	for _, s := range sources {
		stated = stated || s.Item == "tac"
		file := optional(s.File, v.Say("no se guarda su nombre", "its name is not kept"))
		file.Breaks = true
		file.Sub = v.inWords(datasetWords, &s.Dataset, "").Text + " · " + v.Say("hash ", "hash ") +
			s.SHA256[:min(12, len(s.SHA256))]
		line := float64(s.Line)
		seen := missing(v.Say("antes de que se guardara ese momento", "before that moment was kept"))
		if s.Seen != nil {
			seen = v.moment(*s.Seen)
		}
		t.Rows = append(t.Rows, row{Cells: []cell{
			v.inWords(sourceWords, &s.Item, ""), v.day(&s.Date, ""), file, v.number(&line, 0, ""),
			v.moment(s.Published), seen,
		}})
	}
	switch {
	case of.TACKind == nil || stated:
	case *of.TACKind != "computed": // a batch that was built before tac_month had the line
		t.Note = v.Say("Este lote no dice qué línea informa el costo. El próximo lo dirá.",
			"This batch does not say which line states the cost. The next one will.")
	default:
		t.Note = v.Say("El costo es calculado: el promedio de los costos diarios de las cartolas de ese mes.",
			"The cost is computed: the mean of the daily costs in the daily files of that month.")
	}
	return t
}

// yearsTable shows what a series returned in each calendar year.
func (v *visit) yearsTable(currency *string, years []series.CalendarYear, closed closing) table {
	t := table{
		ID: "tabla-anios", Caption: v.Say("Rentabilidad de cada año", "Return of each year"),
		Empty: v.Say("No hay valores cuota.", "There are no unit prices."),
		Columns: []column{
			{Title: v.Say("Año", "Year")},
			{Title: v.Say("Del valor cuota", "Of the unit price"), Numeric: true,
				Unit: commaJoined(v.inMoney(currency), v.Say("sin repartos", "without distributions"))},
			{Title: v.Say("Desde", "From"), Numeric: true}, {Title: v.Say("Hasta", "To"), Numeric: true},
		},
	}
	for _, y := range years {
		year := word(strconv.Itoa(int(y.Year)))
		if y.Partial {
			year.Sub = v.Say("en curso, incompleto", "in progress, partial")
		}
		why := closed.reason(v, y.Reason, model.NewDate(int(y.Year), time.December, 31))
		if y.Value == nil { // the quotas that were looked at are no ends of a return
			y.Start, y.End = nil, nil
		}
		t.Rows = append(t.Rows, row{Cells: []cell{year, v.change(y.Value, why), v.day(y.Start, why),
			v.day(y.End, why)}})
	}
	t.orReasons(1, 4)
	return t
}

// fallsTable shows the deepest falls of a series.
func (v *visit) fallsTable(falls []series.Fall, alive bool) table {
	t := table{
		ID: "tabla-caidas", Caption: v.Say("Las cinco mayores caídas, con los repartos reinvertidos",
			"The five deepest falls, with distributions reinvested"),
		Empty: v.Say("El valor cuota nunca ha caído en la historia que se conoce.",
			"The unit price has never fallen in the history that is known."),
		Columns: []column{
			{Title: v.Say("Máximo", "Highest"),
				Hint: v.Say("Día del máximo desde el que cae", "Day of the highest unit price")},
			{Title: v.Say("Profundidad", "Depth"), Numeric: true},
			{Title: v.Say("Mínimo", "Lowest"), Numeric: true},
			{Title: v.Say("Recuperación", "Recovery"), Numeric: true,
				Hint: v.Say("Primer día en que vuelve al máximo", "First day on which it is back at the highest")},
			{Title: v.Say("Duración", "Length"), Numeric: true, Unit: v.Say("días", "days"),
				Hint: v.Say("Del máximo a la recuperación o, si falta, al último valor cuota",
					"From the highest unit price to the recovery or, without one, to the last unit price")},
		},
	}
	for _, f := range falls {
		recovery := v.day(f.Recovered, v.Say("la historia se quiebra antes", "the history breaks before"))
		switch {
		case f.Status == "open" && alive:
			recovery = cell{Text: v.Say("todavía no", "not yet")}
		case f.Status == "open":
			recovery = cell{Text: v.Say("no se recuperó antes de cerrar", "it did not recover before it closed")}
		}
		t.Rows = append(t.Rows, row{Cells: []cell{
			v.day(&f.Peak, ""), v.change(&f.Depth, ""), v.day(&f.Lowest, ""), recovery, v.count(int(f.Days)),
		}})
	}
	t.Note = v.verifiedDepths(falls)
	return t
}

// verifiedDepths says how deep falls are with the verified distributions, where these are others than those that the
// cartola states; "" if they are not.
func (v *visit) verifiedDepths(falls []series.Fall) string {
	var depths []string
	for _, f := range falls {
		if f.VerifiedDepth != nil {
			depths = append(depths, v.Say("la que empieza el ", "the one that begins on ")+v.Day(&f.Peak)+
				v.Say(" es de ", " is ")+v.change(f.VerifiedDepth, "").Text)
		}
	}
	if len(depths) == 0 {
		return ""
	}
	return v.Say("Los factores verificados tienen otros repartos que la cartola. Con ellos, y entre los mismos días: ",
		"The verified factors have other distributions than the cartola. With them, and between the same days: ") +
		strings.Join(depths, "; ") + "."
}

// rolledNames are the windows of rolling returns.
var rolledNames = map[string]locale.Phrase{"1y": {"1 año", "1 year"}, "3y_ann": {"3 años, por año", "3 years, per year"}}

// rolledTable shows what the returns over all windows of a length come to.
func (v *visit) rolledTable(windows []series.RolledWindow) table {
	t := table{
		ID: "tabla-ventanas", Caption: v.Say("Rentabilidad de todas las ventanas que terminan a fin de mes",
			"Returns of all windows that end on a month end"),
		Empty: v.Say("Ningún fin de mes tiene valor cuota.", "No month end has a unit price."),
		Columns: []column{
			{Title: v.Say("Plazo", "Period")}, {Title: v.Say("Cuántas", "How many"), Numeric: true,
				Hint: v.Say("Ventanas que tienen rentabilidad", "Windows that have a return")},
			{Title: v.Say("Peor", "Worst"), Numeric: true}, {Title: v.Say("Mediana", "Median"), Numeric: true},
			{Title: v.Say("Mejor", "Best"), Numeric: true},
			{Title: v.Say("Negativas", "Negative"), Numeric: true,
				Hint: v.Say("Parte de las ventanas con rentabilidad bajo cero",
					"Share of the windows with a return below zero")},
		},
	}
	few := v.Say("son menos de doce ventanas", "there are fewer than twelve windows")
	for _, w := range windows {
		worst, best := v.change(w.Lowest, few), v.change(w.Highest, few)
		if w.LowestOn != nil && w.HighestOn != nil {
			worst.Sub = v.Say("hasta ", "to ") + v.Lang.Month(*w.LowestOn)
			best.Sub = v.Say("hasta ", "to ") + v.Lang.Month(*w.HighestOn)
		}
		t.Rows = append(t.Rows, row{Cells: []cell{word(worded(rolledNames, w.Window).In(v.Lang)),
			v.count(int(w.Windows)), worst, v.change(w.Median, few), best, v.fraction(w.Negative, 1, few)}})
	}
	t.orReasons(2, len(t.Columns))
	return t
}
