package marketpages

import (
	"cmp"
	"context"
	"math"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"cuota/internal/httpapi"
	"cuota/internal/site/locale"
	"cuota/internal/site/shortname"
	"cuota/model"
	"cuota/query/savings"
	"cuota/query/series"
	"cuota/query/summary"
)

// The parameters of the page of cost changes.
const (
	monthKey     = "mes"       // YYYY-MM; also the month of a fund's portfolio
	directionKey = "direccion" // alzas or bajas; both by default
	categoryKey  = "categoria"
)

// costsPage shows whose cost rate rose and fell most from one month to the next.
var costsPage = page{
	path: "/tac", keys: []string{monthKey, directionKey, categoryKey, dateKey}, template: "costs",
	load: func(ctx context.Context, v *visit) (any, error) {
		chosen, limit := v.Text(directionKey), "25"
		if chosen == "alzas" || chosen == "bajas" {
			limit = "100"
		}
		day := v.Text(monthKey)
		if day != "" {
			day += "-01"
		}
		asked := func(ctx context.Context, direction, day, limit string) (summary.Changes, error) {
			return find(ctx, v, summary.TACChanges, "direction", direction, "date", day, "limit", limit,
				"category", v.Text(categoryKey), "as_of_date", v.Date())
		}
		var up, down summary.Changes
		loading, ctx := errgroup.WithContext(ctx)
		if chosen != "bajas" {
			loading.Go(func() (err error) { up, err = asked(ctx, "up", day, limit); return err })
		}
		if chosen != "alzas" {
			loading.Go(func() (err error) { down, err = asked(ctx, "down", day, limit); return err })
		}
		err := loading.Wait()
		if err != nil {
			return nil, err
		}
		out := costsView{Month: up.Meta.Date, Previous: up.Meta.PreviousDate}
		if out.Month == nil {
			out.Month, out.Previous = down.Meta.Date, down.Meta.PreviousDate
		}
		if chosen != "bajas" {
			out.Tables = append(out.Tables, titledTable{v.Say("Subieron su TAC", "Raised their TAC"),
				v.costTable("alzas", v.Say("Alzas, la mayor primero; de cada fondo, la serie que más cambió",
					"Rises, the largest first; of each fund, the series that changed most"),
					v.Say("De ninguna serie de esta selección se conoce un alza entre estos dos meses.",
						"No rise between these two months is known of any series of this selection."), up)})
		}
		if chosen != "alzas" {
			out.Tables = append(out.Tables, titledTable{v.Say("Bajaron su TAC", "Lowered their TAC"),
				v.costTable("bajas", v.Say("Bajas, la mayor primero; de cada fondo, la serie que más cambió",
					"Falls, the largest first; of each fund, the series that changed most"),
					v.Say("De ninguna serie de esta selección se conoce una baja entre estos dos meses.",
						"No fall between these two months is known of any series of this selection."), down)})
		}
		if out.Months, err = v.monthOptions(out.Month); err != nil {
			return nil, err
		}
		for _, direction := range []formOption{{"", v.Say("alzas y bajas", "rises and falls"), false},
			{"alzas", v.Say("solo alzas", "only rises"), false}, {"bajas", v.Say("solo bajas", "only falls"), false}} {
			direction.Selected = direction.Value == chosen
			out.Directions = append(out.Directions, direction)
		}
		out.Categories = append(out.Categories, formOption{"", v.Say("todas", "all"), v.Text(categoryKey) == ""})
		for _, category := range []string{"money_market", "fixed_income", "balanced", "equity", "structured", "other"} {
			out.Categories = append(out.Categories,
				formOption{category, worded(categoryWords, category).In(v.Lang), category == v.Text(categoryKey)})
		}
		return out, nil
	},
}

type costsView struct {
	Month, Previous                *model.Date
	Tables                         []titledTable
	Months, Directions, Categories []formOption
}

// titledTable is a table under a heading of its own.
type titledTable struct {
	Title string
	Table table
}

func (v *visit) costTable(id, caption, empty string, changes summary.Changes) table {
	t := table{
		ID: id, Caption: caption, Empty: empty,
		Columns: []column{
			{Title: v.Say("Serie", "Series")},
			{Title: v.Say("Diferencia", "Difference"), Numeric: true,
				Unit: v.Say("puntos porcentuales", "percentage points")},
			{Title: v.Say("Antes", "Before"), Numeric: true}, {Title: v.Say("Ahora", "Now"), Numeric: true},
			{Title: v.Say("Variación", "Relative"), Numeric: true,
				Hint: v.Say("Diferencia como porcentaje de la TAC anterior", "Difference as a percentage of the rate before")},
			{Title: v.Say("Tipo", "Kind"), Hint: v.Say("Tipo de TAC, el mismo en ambos meses",
				"Kind of TAC, the same in both months")},
			{Title: v.Say("Moneda", "Currency")},
			{Title: v.Say("Patrimonio", "Equity"), Numeric: true,
				Unit: v.Say("millones de su moneda al fin del mes",
					"millions of its currency at the end of the month")},
		},
	}
	kinds := changes.Meta.TACKinds.ByID()
	unheld := 0
	named := make([]listedSeries, len(changes.Data))
	for i, c := range changes.Data {
		named[i] = listedSeries{ID: c.SerieID, RUN: c.RUN, Fund: c.FundName, Serie: c.Serie, Manager: c.AGF}
	}
	names := v.seriesCells(named)
	for i, c := range changes.Data {
		if c.Patrimony != nil && c.Patrimony.IsZero() {
			unheld++
			continue
		}
		kind, there := kinds[c.SerieID]
		of := word(worded(tacKinds, kind).In(v.Lang))
		if !there {
			of = missing(v.Say("no se conoce el tipo", "the kind is unknown"))
		}
		points := c.Delta * 100
		delta := v.signed(&points, 3, "")
		if math.Abs(points) < .0005 {
			delta.Text = v.Say("menos de 0,001", "less than 0.001")
		}
		var relative *float64
		if c.DeltaPercent != nil {
			part := *c.DeltaPercent / 100
			relative = &part
		}
		change := v.fraction(relative, 1, v.Say("la TAC anterior era cero", "the rate before was zero"))
		if relative != nil {
			change.Text = locale.Signed(*relative, change.Text)
		}
		t.Rows = append(t.Rows, row{Cells: []cell{
			names[i], delta, v.fraction(&c.Previous, 3, ""), v.fraction(&c.TAC, 3, ""), change, of,
			v.currencyName(c.Currency),
			v.millionsCell(amount(c.Patrimony), 0,
				v.Say("no hay patrimonio de fin de mes", "there is no equity at the end of the month")),
		}})
	}
	if len(t.Rows) > 0 {
		t.Caption += " (" + v.Count(len(t.Rows)) + ")"
		t.foldSame(v.Say("Tipo", "Kind"), v.Say("Moneda", "Currency"))
		t.Note = v.Say("La diferencia está calculada con los valores sin redondear.",
			"The difference is computed with the unrounded values.")
	}
	if unheld > 0 {
		t.Note = strings.TrimSpace(t.Note + " " + v.Say("Series sin patrimonio, que no se muestran: ",
			"Series without equity, which are not shown: ") + strconv.Itoa(unheld) + ".")
	}
	return t
}

// monthsBack is how many months can be chosen.
const monthsBack = 36

// monthOptions returns the newest month with costs, which is the choice of an address without one,
// and the months that were over at the cutoff, or at the chosen date. shown is the month on the
// page.
func (v *visit) monthOptions(shown *model.Date) ([]formOption, error) {
	chosen := v.Text(monthKey)
	newest := v.Say("el más reciente", "the newest")
	if chosen == "" && shown != nil { // it may be newer than the months of the list, which end at the cutoff
		newest += ": " + v.Lang.Month(*shown)
	}
	options := []formOption{{"", newest, chosen == ""}}
	last, err := v.givenDay()
	if err != nil {
		return nil, err
	}
	if cutoff := v.Batch.Cutoff(); last == nil || cutoff != nil && last.Compare(*cutoff) > 0 {
		last = cutoff
	}
	if last == nil {
		return options, nil
	}
	year, month, _ := last.AddDays(1).Time().Date() // of which the month before is over
	found := chosen == ""
	for back := range monthsBack {
		end := model.NewDate(year, month-time.Month(back), 0)
		value := end.Time().Format("2006-01")
		found = found || value == chosen
		options = append(options, formOption{value, v.Lang.Month(end), value == chosen})
	}
	if !found && shown != nil { // an older or a newer month, which the address names
		options = append(options, formOption{chosen, v.Lang.Month(*shown), true})
	}
	return options, nil
}

// The parameters of the page of a difference in cost.
const (
	serieKey  = "serie"        // ids of two series
	chargeKey = "costo"        // two cost rates in percent a year, in place of series
	amountKey = "monto"        // pesos
	yearsKey  = "anios"        // how many
	grossKey  = "rentabilidad" // percent a year before costs
)

// The greatest amount, in pesos, and number of years of a difference in cost.
const (
	mostPesos = 1e12
	mostYears = 50
)

// rateDecimals is how many decimals a cost rate has in percent, so that the amounts can be followed.
const rateDecimals = 3

// plainNumber writes a number in digits.
func plainNumber(value float64) string { return strconv.FormatFloat(value, 'f', -1, 64) }

// differencePage shows what a difference in cost is worth over years.
var differencePage = page{
	path: "/costos/diferencia", keys: []string{serieKey, chargeKey, amountKey, yearsKey, grossKey, dateKey},
	template: "difference",
	load: func(ctx context.Context, v *visit) (any, error) {
		var wrong httpapi.Invalid
		refuse := func(key, text, message string) {
			wrong = append(wrong, httpapi.Violation{Loc: []string{"query", key}, Type: "value_error",
				Input: httpapi.Echo(text), Msg: message})
		}
		number := func(key, text, usual string, least, most float64) float64 {
			value, err := strconv.ParseFloat(strings.ReplaceAll(cmp.Or(strings.TrimSpace(text), usual), ",", "."), 64)
			if err != nil || !(value >= least && value <= most) {
				refuse(key, text, "Must be a number from "+plainNumber(least)+" to "+plainNumber(most))
			}
			return value
		}
		if _, err := v.givenDay(); err != nil {
			return nil, err
		}
		out := differenceView{Gross: number(grossKey, v.Text(grossKey), "5", -50, 100)}
		digits := strings.NewReplacer(" ", "", locale.NoBreak, "").Replace(v.Text(amountKey))
		amount, fault := savings.ParseAmount(cmp.Or(digits, "1000000"), false)
		switch {
		case fault == savings.AmbiguousAmount:
			refuse(amountKey, digits, "Must be written so that it has one meaning, as 1500 or 1.500.000")
		case fault != "" || amount < 1 || amount > mostPesos:
			refuse(amountKey, digits, "Must be an amount from 1 to "+plainNumber(mostPesos)+" pesos")
		}
		out.Amount = amount
		years, err := strconv.Atoi(cmp.Or(strings.TrimSpace(v.Text(yearsKey)), "20"))
		if err != nil || years < 1 || years > mostYears {
			refuse(yearsKey, v.Text(yearsKey), "Must be a whole number of years from 1 to "+strconv.Itoa(mostYears))
		}
		out.Years = years
		if len(v.Texts[chargeKey]) > 2 {
			refuse(chargeKey, "", "Must be at most two cost rates")
		}
		for _, text := range v.Texts[chargeKey] {
			if strings.TrimSpace(text) != "" && len(out.Sides) < 2 {
				rate := number(chargeKey, text, "", 0, 100) / 100
				decimals := rateDecimals
				if math.Abs(rate*1e4-math.Round(rate*1e4)) < 1e-9 { // as somebody types 1.25
					decimals = 2
				}
				out.Sides = append(out.Sides, costSide{Rate: &rate, Text: text,
					Name: v.Say("Costo de ", "Cost of ") + v.Lang.Percent(rate, decimals)})
			}
		}
		if len(v.Texts[serieKey]) > 2 {
			wrong = append(wrong, httpapi.Violation{Loc: []string{"query", serieKey}, Type: "too_long",
				Msg: "Must be at most two series"})
		}
		if wrong != nil {
			return nil, wrong
		}
		if ids := v.Texts[serieKey]; len(ids) > 0 {
			out.Sides = nil
			for _, id := range ids {
				of, err := find(ctx, v, series.Profile, "asset_id", id, "as_of_date", v.Date())
				if err != nil {
					return nil, err
				}
				side := costSide{ID: of.ID, Name: v.seriesTitle(of), Link: v.Link(seriesPath(of.ID)), Rate: of.TAC,
					Short: shortname.Fund{RUN: of.RUN, Name: textOf(of.Fund), Manager: textOf(of.Manager)}.Short() +
						" · " + of.Serie}
				if of.TAC != nil {
					side.kind = textOf(of.TACKind)
					side.Says = v.inWords(tacKinds, of.TACKind, "").Text + ", " + v.Day(of.TACDate)
				}
				if of.Currency != nil && *of.Currency != "PESOS" {
					side.Says = strings.TrimPrefix(side.Says+v.Say(", serie en ", ", series in ")+
						worded(moneyNames, *of.Currency).In(v.Lang), ", ")
					out.Foreign = append(out.Foreign, locale.Shown(side.Short)+v.Say(" está en ", " is in ")+
						worded(moneyNames, *of.Currency).In(v.Lang))
				}
				out.Sides = append(out.Sides, side)
			}
		}
		for i, side := range out.Sides {
			out.Sides[i].Cost = v.fraction(side.Rate, rateDecimals, v.Say("no se conoce su costo", "its cost is not known"))
		}
		if len(out.Sides) != 2 || out.Sides[0].Rate == nil || out.Sides[1].Rate == nil {
			return out, nil
		}
		out.Kinds = out.Sides[0].kind != out.Sides[1].kind
		found, err := find(ctx, v, series.CostDifference, "amount", plainNumber(math.Round(out.Amount)),
			"years", strconv.Itoa(out.Years), "gross", plainNumber(out.Gross/100),
			"first", plainNumber(*out.Sides[0].Rate), "second", plainNumber(*out.Sides[1].Rate))
		out.fill(v, found.Years)
		return out, err
	},
}

// differenceView is the data of the page. Gross is in percent.
type differenceView struct {
	Amount, Gross float64
	Years         int
	Sides         []costSide
	Kinds         bool     // the rates are of different kinds
	Foreign       []string // which series are in another currency than the amounts
	Table         *table
	Sum           string // the difference after the last year, in words
}

// AmountText, GrossText and RateTexts are what the form shows.
func (d differenceView) AmountText() string {
	return plainNumber(math.Round(d.Amount))
}
func (d differenceView) GrossText() string { return plainNumber(d.Gross) }

// RateTexts are the two rates of the form; "" where none is given.
func (d differenceView) RateTexts() []string {
	texts := []string{"", ""}
	for i, side := range d.Sides {
		texts[i] = side.Text
	}
	return texts
}

// Chosen reports whether the sides are series.
func (d differenceView) Chosen() bool { return len(d.Sides) > 0 && d.Sides[0].ID != "" }

// costSide is one of the two that are compared: a series, or a rate.
type costSide struct {
	ID, Name, Link, Says, Text string
	Short                      string // of a series, in the table
	Rate                       *float64
	Cost                       cell
	kind                       string
}

// inWords says what the difference after the last year is, with its direction and what it assumes.
func (d *differenceView) inWords(v *visit, difference float64) string {
	first, second := v.Say("el primero", "the first"), v.Say("el segundo", "the second")
	if d.Chosen() {
		first, second = v.Say("la primera serie", "the first series"), v.Say("la segunda serie", "the second series")
	}
	more := v.Say(" más que ", " more than ")
	if difference < 0 {
		more = v.Say(" menos que ", " less than ")
	}
	years := v.Say(" años ", " years ")
	if d.Years == 1 {
		years = v.Say(" año ", " year ")
	}
	size := math.Abs(difference)
	return v.Say("Con una rentabilidad supuesta de ", "With an assumed return of ") + v.Lang.Percent(d.Gross/100, 2) +
		v.Say(" al año antes de costos, después de ", " a year before costs, after ") + strconv.Itoa(d.Years) + years +
		second + v.Say(" dejaría ", " would leave ") + v.Lang.Number(size, 0) + v.Say(" pesos", " pesos") + more + first +
		v.Say(", en pesos nominales.", ", in nominal pesos.")
}

// fill makes the table of the years. Rates of different kinds do not compare (RULES 2): it then has no difference.
func (d *differenceView) fill(v *visit, years []series.CostYear) {
	d.Table = &table{
		ID: "anios-diferencia", Caption: v.Say("Lo que quedaría después de cada año, en pesos",
			"What would be left after each year, in pesos"),
		Empty:   v.Say("Sin años.", "No years."),
		Columns: []column{{Title: v.Say("Año", "Year"), Numeric: true}},
	}
	if len(d.Foreign) > 0 {
		d.Table.Note = strings.Join(d.Foreign, "; ") +
			v.Say(". Los montos son en pesos, y la rentabilidad supuesta también.",
				". The amounts are in pesos, and so is the assumed return.")
	}
	for _, side := range d.Sides {
		d.Table.Columns = append(d.Table.Columns,
			column{Title: locale.Shown(cmp.Or(side.Short, side.Name)), Numeric: true, Unit: "pesos"})
	}
	if !d.Kinds {
		d.Table.Columns = append(d.Table.Columns, column{Title: v.Say("Diferencia", "Difference"), Numeric: true,
			Unit: "pesos"})
		less := v.Say("La diferencia es lo del segundo menos lo del primero, calculada con los valores sin redondear.",
			"The difference is that of the second less that of the first, computed with the unrounded values.")
		if d.Chosen() {
			less = v.Say("La diferencia es la segunda serie menos la primera, calculada con los valores sin redondear.",
				"The difference is the second series less the first, computed with the unrounded values.")
		}
		d.Table.Note = strings.TrimSpace(d.Table.Note + " " + less)
	}
	for _, y := range years {
		cells := []cell{word(strconv.Itoa(int(y.Year))), v.number(&y.First, 0, ""), v.number(&y.Second, 0, "")}
		if !d.Kinds {
			cells = append(cells, v.signed(&y.Difference, 0, ""))
		}
		d.Table.Rows = append(d.Table.Rows, row{Cells: cells})
		d.Sum = d.inWords(v, y.Difference)
	}
}
