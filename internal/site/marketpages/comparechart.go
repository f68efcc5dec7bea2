package marketpages

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"

	"cuota/internal/httpapi"
	"cuota/internal/site/chart"
	"cuota/internal/site/familyname"
	"cuota/internal/site/locale"
	"cuota/internal/site/shortname"
	"cuota/model"
	"cuota/query/market"
	"cuota/query/series"
	"cuota/query/summary"
)

// quoted is the quota of a series on a day.
type quoted struct {
	Date  model.Date
	Quota float64
}

// usableQuotas returns the quotas of a series that a line can be made of.
func usableQuotas(of series.ChartedQuotas, id string) []quoted {
	var days []quoted
	for _, s := range of.Data {
		for i, day := range s.Days {
			if s.SerieID == id && i < len(s.Quotas) && s.Quotas[i] > 0 {
				days = append(days, quoted{of.From.AddDays(int(day)), s.Quotas[i]})
			}
		}
	}
	return days
}

// sharedSpan is the span that all of the drawn series share.
type sharedSpan struct {
	start  *model.Date // that the reader wants; nil for the first day of all
	quotas [][]quoted  // of each compared series
	drawn  []int       // positions of the series with quotas
	days   []model.Date
}

func (s sharedSpan) first() model.Date { return s.days[0] }
func (s sharedSpan) last() model.Date  { return s.days[len(s.days)-1] }

// sharedSpan finds the days of the chart: those on which all series have a quota, from the last one up to the start of
// the span on.
func (out *compareView) sharedSpan(quotas series.ChartedQuotas) sharedSpan {
	shared := sharedSpan{quotas: make([][]quoted, len(out.compared.Data))}
	if out.span.window != "" {
		shared.start = out.compared.Data[0].Attributes.Returns.Periods.Of(out.span.window).TargetStart
	}
	for i, s := range out.compared.Data {
		if shared.quotas[i] = usableQuotas(quotas, s.ID); len(shared.quotas[i]) > 0 {
			shared.drawn = append(shared.drawn, i)
		}
	}
	common := commonDays(shared.quotas, shared.drawn)
	shared.days = common[firstOf(common, shared.start):]
	return shared
}

// commonDays returns the days on which all of the series have a quota, in order.
func commonDays(days [][]quoted, of []int) []model.Date {
	count := map[model.Date]int{}
	for _, i := range of {
		for _, day := range days[i] {
			count[day.Date]++
		}
	}
	var common []model.Date
	for day, n := range count {
		if n == len(of) {
			common = append(common, day)
		}
	}
	slices.SortFunc(common, model.Date.Compare)
	return common
}

// firstOf returns the position of the day at which a span starts: the last one up to its start,
// else the first one after it.
func firstOf(days []model.Date, start *model.Date) int {
	if start == nil {
		return 0
	}
	at := 0
	for i, day := range days {
		if day.Compare(*start) <= 0 {
			at = i
		}
	}
	return at
}

// addedLines are the lines that a reader adds to those of the series.
type addedLines struct {
	money             chosenMoney
	uf, dollar, peers bool
	rate              string // percent a year, as the operation takes it; "" for none
}

// Words of the parameters.
const (
	ufLine     = "uf"
	dollarLine = "dolar"
	peersLine  = "familia"
)

// chosenMoney is the currency in which all lines are drawn, and the valuation of ValuedGrowth with it. Both are "" if
// each series is drawn in its own.
type chosenMoney struct {
	key, currency, valuation string
	name                     locale.Phrase
}

var chosenMoneys = []chosenMoney{
	{name: locale.Phrase{"cada serie en su moneda", "each series in its currency"}},
	{"pesos", "PESOS", "clp", locale.Phrase{"todo en pesos", "all in pesos"}},
	{"dolares", "DOLAR", "usd", locale.Phrase{"todo en dólares", "all in dollars"}},
}

// addedLines reads which lines the address names.
func (v *visit) addedLines() (lines addedLines, err error) {
	var wrong httpapi.Invalid
	refuse := func(key, text, msg string) {
		wrong = append(wrong, httpapi.Violation{Loc: []string{"query", key}, Type: "literal_error", Msg: msg,
			Input: httpapi.Echo(text)})
	}
	for _, name := range v.Texts[linesKey] {
		switch name {
		case ufLine:
			lines.uf = true
		case dollarLine:
			lines.dollar = true
		case peersLine:
			lines.peers = true
		default:
			refuse(linesKey, name, "Must be uf, dolar or familia")
		}
	}
	if text := strings.TrimSpace(v.Text(rateKey)); text != "" {
		lines.rate = strings.Replace(text, ",", ".", 1)
		if rate, err := strconv.ParseFloat(lines.rate, 64); err != nil || !(rate >= -99 && rate <= 1000) {
			refuse(rateKey, text, "Must be percent a year, a number from -99 to 1000")
		}
	}
	key := v.Text(moneyKey)
	chosen := slices.IndexFunc(chosenMoneys, func(of chosenMoney) bool { return of.key == key })
	if chosen < 0 {
		refuse(moneyKey, key, "Must be pesos or dolares, or absent for the currency of each series")
		return lines, wrong
	}
	lines.money = chosenMoneys[chosen]
	if wrong != nil {
		return lines, wrong
	}
	return lines, nil
}

// drawnLine is a line of the chart, 100 on the first day.
type drawnLine struct {
	chart.Line
	series   int    // position of its series; -1 for an added line
	currency string // PESOS, DOLAR or another code; "" if it has none
	named    bool   // its name has the currency
	at       map[model.Date]float64
}

func newLine(line chart.Line, position int, currency string) drawnLine {
	of := drawnLine{Line: line, series: position, currency: currency, at: map[model.Date]float64{}}
	for _, p := range line.Points {
		of.at[p.Day] = p.Value
	}
	return of
}

// findLines makes the lines of the series and of what the reader adds. What has no value to begin with is named in
// Left.
func (out *compareView) findLines(ctx context.Context, v *visit) error {
	for i, s := range out.compared.Data {
		if !slices.Contains(out.shared.drawn, i) {
			out.Left = append(out.Left, seriesName(s)+v.Say(": no tiene valores cuota en el período.",
				": has no unit prices in the span."))
		}
	}
	if len(out.shared.days) < 2 {
		return nil
	}
	out.ends = lineEnds(out.compared.Data)
	var grown [][]series.GrowthPoint
	var rates []series.RateLevel
	var family summary.Index
	loading, ctx := errgroup.WithContext(ctx)
	first, last := out.shared.first(), out.shared.last()
	money := out.lines.money
	if money.key != "" {
		grown = make([][]series.GrowthPoint, len(out.compared.Data))
		for _, i := range out.shared.drawn {
			loading.Go(func() error {
				found, err := find(ctx, v, series.ValuedGrowth, "asset_id", out.compared.Data[i].ID, "from_date",
					first.String(), "to_date", last.String(), "valuation", money.valuation)
				grown[i] = found.Data
				return err
			})
		}
	}
	if out.lines.uf || out.lines.dollar || out.lines.rate != "" {
		loading.Go(func() error {
			found, err := find(ctx, v, series.RateLevels, "from_date", first.String(), "to_date", last.String(),
				"rate", out.lines.rate, "currency", money.currency)
			rates = found.Data
			return err
		})
	}
	name, currency := out.peers()
	if out.lines.peers && name != "" && currency != "" {
		loading.Go(func() (err error) {
			family, err = find(ctx, v, summary.FamilyIndex, "family_rar", name, "currency", currency, "from_date",
				first.AddDays(-quoteTolerance).String(), "to_date", last.String())
			return err
		})
	}
	if err := loading.Wait(); err != nil {
		return err
	}
	for _, i := range out.shared.drawn {
		if money.key != "" {
			out.addConverted(v, i, grown[i])
		} else {
			out.addQuotas(i)
		}
	}
	out.addRates(v, rates)
	if out.lines.peers {
		out.addFamily(v, name, currency, family)
	}
	return nil
}

// addQuotas draws a series by its quotas.
func (out *compareView) addQuotas(i int) {
	s, first, last := out.compared.Data[i], out.shared.first(), out.shared.last()
	var points []chart.Point
	for _, day := range out.shared.quotas[i] {
		if day.Date.Compare(first) >= 0 && day.Date.Compare(last) <= 0 {
			points = append(points, chart.Point{Day: day.Date, Value: day.Quota})
		}
	}
	out.drawn = append(out.drawn, newLine(chart.Line{Name: seriesName(s), Short: out.ends[i],
		Points: from100(points, first), Longest: longestOf(out.profiles[i])}, i, textOf(s.Attributes.Currency)))
}

// addConverted draws a series by its growth in the chosen currency.
func (out *compareView) addConverted(v *visit, i int, grown []series.GrowthPoint) {
	s, first := out.compared.Data[i], out.shared.first()
	points := grownPoints(grown)
	if len(points) == 0 || points[0].Day != first {
		out.Left = append(out.Left, seriesName(s)+v.Say(": no hay con qué convertirla el ",
			": there is no rate to convert it on ")+v.Lang.Day(first)+".")
		return
	}
	out.drawn = append(out.drawn, newLine(chart.Line{Name: seriesName(s), Short: out.ends[i], Points: points,
		Longest: longestOf(out.profiles[i])}, i, out.lines.money.currency))
}

// addRates draws the UF, the dollar and a fixed rate.
func (out *compareView) addRates(v *visit, rates []series.RateLevel) {
	first := out.shared.first()
	percent := strings.TrimSpace(v.Text(rateKey)) + v.Say(locale.NoBreak+"%", "%")
	money := cmp.Or(out.lines.money.currency, "PESOS")
	for _, of := range []struct {
		asked       bool
		line        chart.Line
		currency    string
		value       func(series.RateLevel) *float64
		missingWhat string
	}{
		{out.lines.uf, chart.Line{Name: "UF", Short: "UF", Class: "line-uf"}, money,
			func(r series.RateLevel) *float64 { return r.UF }, "UF"},
		{out.lines.dollar, chart.Line{Name: v.Say("Dólar observado", "Observed dollar"), Short: v.Say("Dólar", "Dollar"),
			Class: "line-dollar"}, money, func(r series.RateLevel) *float64 { return r.Dollar },
			v.Say("dólar observado", "observed dollar")},
		{out.lines.rate != "", chart.Line{Name: percent + v.Say(" al año", " a year"), Class: "line-rate"}, "",
			func(r series.RateLevel) *float64 { return r.Fixed }, ""},
	} {
		if !of.asked {
			continue
		}
		var points []chart.Point
		for _, r := range rates {
			if value := of.value(r); value != nil && *value > 0 {
				points = append(points, chart.Point{Day: r.Date, Value: *value})
			}
		}
		of.line.Longest, of.line.Aside = longestOfRates, true
		if of.line.Points = from100(points, first); len(of.line.Points) < 2 {
			out.Left = append(out.Left, of.line.Name+v.Say(": no se conoce el valor del ", ": the value is unknown on ")+
				v.Lang.Day(first)+".")
			continue
		}
		out.drawn = append(out.drawn, newLine(of.line, -1, of.currency))
	}
}

// peers is the family of the first series, and the currency of those of its series whose index is drawn: a family has
// an index of the series of each currency, and none of all (RULES 7).
func (out *compareView) peers() (name, currency string) {
	of := out.compared.Data[0].Attributes
	return textOf(of.FundFamily), cmp.Or(out.lines.money.currency, textOf(of.Currency))
}

// addFamily draws the index of the family of the first series. It begins with its last level of at most a week before.
// Its name and a note say of which series it is, because beside converted lines a reader takes it for one of all.
func (out *compareView) addFamily(v *visit, name, currency string, index summary.Index) {
	first := out.shared.first()
	if name == "" {
		out.Left = append(out.Left, v.Say("Familia: la CMF no clasifica la primera serie.",
			"Family: the CMF does not classify the first series."))
		return
	}
	if currency == "" {
		out.Left = append(out.Left, v.Say("Familia: no se conoce la moneda de la primera serie.",
			"Family: the currency of the first series is unknown."))
		return
	}
	family, money := locale.Shown(familyname.Spelt(name)), worded(moneyNames, currency).In(v.Lang)
	line := chart.Line{
		Name:  v.Say("Series en ", "Series in ") + money + v.Say(" de la familia ", " of the family ") + family,
		Short: v.Say("Su familia", "Its family"), Class: "line-family", Longest: longestOfIndex, Aside: true,
	}
	var points []chart.Point
	for _, p := range index.Data {
		points = append(points, chart.Point{Day: p.Date, Value: p.Value})
	}
	if line.Points = from100(points, first); len(line.Points) < 2 {
		out.Left = append(out.Left, line.Name+v.Say(": no tienen índice al comienzo del período.",
			": they have no index at the start of the span."))
		return
	}
	drawn := newLine(line, -1, currency)
	drawn.named = true
	out.drawn = append(out.drawn, drawn)
	out.familyNote = v.Say("La línea de la familia es el índice de sus series en ",
		"The line of the family is the index of its series in ") + money +
		v.Say("; las que tiene en otra moneda no están en él ni se convierten.",
			"; those that it has in another currency are not in it, nor are they converted.")
}

// from100 makes values begin at 100 on a day. The value of that day is the last one up to it, of at most a week before;
// without one there are no values.
func from100(points []chart.Point, first model.Date) (grown []chart.Point) {
	hundred := 0.0
	for _, p := range points {
		switch {
		case p.Day.Compare(first) > 0 && hundred == 0:
			return nil
		case p.Day.Compare(first) > 0:
			grown = append(grown, chart.Point{Day: p.Day, Value: 100 * (p.Value / hundred)})
		case first.DaysSince(p.Day) <= quoteTolerance && p.Value > 0:
			hundred, grown = p.Value, []chart.Point{{Day: first, Value: 100}}
		}
	}
	return grown
}

// The letters of a name at the end of a line, and those of them for the series of the fund.
const (
	endLetters      = 17
	mostEndOfSeries = 7
)

// lineEnds are the names of series at the ends of their lines, which have little room. Where a fund's name is cut so
// that it could be that of another one, the words are left out that both share at their start.
func lineEnds(list []market.Resource) []string {
	ends, funds := make([]string, len(list)), make([]string, len(list))
	for i, s := range list {
		funds[i] = fundShort(s.Attributes)
	}
	shorten := func(i int, fund string) (cut string) {
		serie := locale.Bounded(list[i].Attributes.Serie, mostEndOfSeries-1)
		cut = locale.Bounded(fund, endLetters-len([]rune(serie))-4)
		ends[i] = cut + " · " + serie
		return cut
	}
	for i := range list {
		seen, cut := strings.CutSuffix(shorten(i, funds[i]), "…")
		shared := 0
		for _, other := range funds {
			if cut && other != funds[i] && strings.HasPrefix(other, seen) {
				shared = max(shared, sharedWords(funds[i], other))
			}
		}
		if shared > 0 {
			shorten(i, "…"+funds[i][shared:])
		}
	}
	for i := range ends { // the names differ only further on, or not at all
		if slices.Index(ends, ends[i]) == i && !slices.Contains(ends[i+1:], ends[i]) {
			continue
		}
		for j, same := i, ends[i]; j < len(ends); j++ {
			if ends[j] == same {
				letters := []rune(locale.Shown(list[j].Attributes.Serie))
				ends[j] = list[j].Attributes.RUN + " · " + string(letters[max(0, len(letters)-mostEndOfSeries):])
			}
		}
	}
	return ends
}

// sharedWords returns how many bytes of whole words two texts have in common at their start.
func sharedWords(a, b string) (bytes int) {
	for at, r := range a {
		if !strings.HasPrefix(b, a[:at]) {
			break
		}
		if r == ' ' {
			bytes = at + 1
		}
	}
	return bytes
}

// fundShort is the short name of the fund of a series.
func fundShort(a market.Attributes) string {
	return shortname.Fund{RUN: a.RUN, Name: locale.Shown(a.FundName), Manager: a.AGF}.Short()
}

// draw makes the chart and the table behind it: each series is 100 on the first day that all of them share.
func (out *compareView) draw(v *visit, ids []string) {
	out.Rate, out.Money = strings.TrimSpace(v.Text(rateKey)), out.lines.money.key
	out.Lines = []lineView{{ufLine, "UF", out.lines.uf},
		{dollarLine, v.Say("Dólar observado", "Observed dollar"), out.lines.dollar},
		{peersLine, v.Say("La familia de la primera serie", "The family of the first series"), out.lines.peers}}
	for _, of := range chosenMoneys {
		out.Moneys = append(out.Moneys, choice{of.name.In(v.Lang), v.Here(moneyKey, of.key, addKey, "") + "#crecimiento",
			of.key == out.lines.money.key})
	}
	out.explain(v, ids)
	out.NoDays = len(out.shared.days) == 0
	switch {
	case len(out.shared.days) == 1:
		out.OneDay = out.onlyDay(v)
		return
	case len(out.drawn) == 0:
		return
	}
	first, last, l := out.shared.first(), out.shared.last(), v.Lang
	c := &lineChart{Chart: chart.Chart{
		ID: "crecimiento", Title: v.Say("Valores cuota desde 100", "Unit prices from 100"), Axis: chart.Automatic,
		Unit: v.Say("100 al ", "100 on ") + l.Day(first), Label: chart.NumberLabels(l),
	}, Decimals: 2, Note: out.familyNote}
	currencies := map[string]bool{}
	var said []string
	for i := range out.drawn {
		line := &out.drawn[i]
		if value, there := line.at[last]; there {
			said = append(said, line.Name+" "+l.Number(value, 2))
		}
		if line.series >= 0 && isBroken(out.compared.Data[line.series], first) {
			out.Breaks = append(out.Breaks, line.Name)
		}
		if line.currency != "" {
			currencies[line.currency] = true
		}
		if line.currency != "" && !line.named {
			line.Name += ", " + v.currencyName(&line.currency).Text
		}
		c.Lines = append(c.Lines, line.Line)
	}
	out.Unequal = len(currencies) > 1
	c.Description = v.Say("Valor el ", "Value on ") + l.Day(last) + ": " + strings.Join(said, "; ") + "."
	c.Table = v.growthTable(out.drawn, out.shared.days)
	c.draw(v)
	out.Chart = c
}

// lineView is a line that can be added, for the form.
type lineView struct {
	Key, Name string
	On        bool
}

// onlyDay tells the quotas of the only common day.
func (out *compareView) onlyDay(v *visit) string {
	day := out.shared.first()
	var parts []string
	for _, i := range out.shared.drawn {
		s := out.compared.Data[i]
		for _, q := range out.shared.quotas[i] {
			if q.Date == day {
				text := seriesName(s) + " " + v.Lang.Number(q.Quota, 4)
				if s.Attributes.Currency != nil {
					text += " " + strings.ToLower(v.currencyName(s.Attributes.Currency).Text)
				}
				parts = append(parts, text)
			}
		}
	}
	return v.Say("Hay valor cuota de un solo día del período, el ", "There are unit prices of one day of the span only, ") +
		v.Lang.Day(day) + ": " + strings.Join(parts, "; ") +
		v.Say(". Un gráfico necesita al menos dos.", ". A chart takes at least two.")
}

// limitView says which series make the span short, with a link to the comparison without them.
type limitView struct {
	Text, Link, Name string
	Several          bool // it names several series
}

// explain says why the span is shorter than that of some series.
func (out *compareView) explain(v *visit, ids []string) {
	if len(out.shared.drawn) == 0 {
		return
	}
	firsts, lasts := map[int]model.Date{}, map[int]model.Date{}
	for _, i := range out.shared.drawn {
		days := out.shared.quotas[i]
		firsts[i], lasts[i] = days[0].Date, days[len(days)-1].Date
	}
	wanted := model.Date{}
	latest, earliest, newest := out.shared.drawn[0], out.shared.drawn[0], out.shared.drawn[0]
	for _, i := range out.shared.drawn {
		if wanted.IsZero() || firsts[i].Compare(wanted) < 0 {
			wanted = firsts[i]
		}
		if firsts[i].Compare(firsts[latest]) > 0 {
			latest = i
		}
		if lasts[i].Compare(lasts[earliest]) < 0 {
			earliest = i
		}
		if lasts[i].Compare(lasts[newest]) > 0 {
			newest = i
		}
	}
	if out.shared.start != nil {
		wanted = *out.shared.start
	}
	if begin := firsts[latest]; begin.Compare(wanted) > 0 {
		out.limit(v, ids, firsts, begin, v.Say("empieza más tarde que las demás", "begins later than the others"),
			v.Say("no hay valor cuota antes del ", "there is no unit price before "))
	} else if len(out.shared.days) > 0 && out.shared.first().Compare(wanted) > 0 {
		out.Shorter = true
	}
	if end := lasts[earliest]; end.Compare(lasts[newest]) < 0 {
		out.limit(v, ids, lasts, end, v.Say("termina antes que las demás", "ends before the others"),
			v.Say("no hay valor cuota después del ", "there is no unit price after "))
	}
}

// limit names the series that have a day, which is an end of the span.
func (out *compareView) limit(v *visit, ids []string, days map[int]model.Date, day model.Date, among, quotas string) {
	var names, rest []string
	for i, s := range out.compared.Data {
		if of, there := days[i]; there && of == day {
			names = append(names, seriesName(s))
		}
	}
	for i, id := range ids {
		if of, there := days[i]; !there || of != day {
			rest = append(rest, id)
		}
	}
	text := strings.Join(names, "; ") + ": " + quotas + v.Lang.Day(day) + "."
	switch {
	case len(names) == len(days):
		rest = nil
	case len(names) == 1:
		text = names[0] + " " + among + ": " + quotas + v.Lang.Day(day) + "."
	}
	limit := limitView{Text: text, Name: strings.Join(names, "; "), Several: len(names) > 1}
	if len(rest) > 0 {
		limit.Link = v.Here(comparedKey, strings.Join(rest, ","), addKey, "") + "#crecimiento"
	}
	out.Limits = append(out.Limits, limit)
}

// isBroken reports whether returns of a series that start on a day or later are not given because of a break.
func isBroken(s market.Resource, first model.Date) bool {
	for _, period := range s.Attributes.Returns.Periods {
		if period.Reason != nil && (*period.Reason == "known_discontinuity" || *period.Reason == "currency_change") &&
			period.TargetStart != nil && period.TargetStart.Compare(first.AddDays(-quoteTolerance)) >= 0 {
			return true
		}
	}
	return false
}

// growthTable has the values of the chart at its first day, at the ends of months or of longer
// spans, and at its last day. All series have a quota on each of the days.
func (v *visit) growthTable(lines []drawnLine, days []model.Date) table {
	t := table{
		ID: "crecimiento-tabla", Caption: v.Say("Crecimiento de 100 a fin de mes", "Growth of 100 at month ends"),
		Columns: []column{{Title: v.Say("Día", "Day")}},
	}
	for _, line := range lines {
		t.Columns = append(t.Columns, column{Title: line.Name, Numeric: true})
	}
	points := make([]chart.Point, len(days))
	for i, day := range days {
		points[i].Day = day
	}
	ends := endsOf(points)
	if ends[0] != 0 {
		ends = slices.Insert(ends, 0, 0)
	}
	for _, end := range ends {
		cells := []cell{v.day(&days[end], "")}
		for _, line := range lines {
			var value *float64
			if of, there := line.at[days[end]]; there {
				value = &of
			}
			cells = append(cells, v.number(value, 2, v.Say("ese día no tiene valor", "that day has no value")))
		}
		t.Rows = append(t.Rows, row{Cells: cells})
	}
	return t
}
