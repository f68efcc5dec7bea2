package marketpages

import (
	"context"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"cuota/internal/httpapi"
	"cuota/internal/santiago"
	"cuota/internal/site/familyname"
	"cuota/internal/site/locale"
	"cuota/model"
	"cuota/query/funds"
	"cuota/query/market"
)

// fundPage shows a fund: its series side by side, what it holds, and what its regulation declares
// about article 107.
var fundPage = page{
	path: "/fondos/{run}", keys: []string{dateKey, monthKey, sortKey, orderKey, classKey}, template: "fund",
	load: func(ctx context.Context, v *visit) (any, error) {
		fund, err := find(ctx, v, funds.FundProfile, "run", v.Text("run"))
		if err != nil {
			return nil, err
		}
		out := fundView{Fund: fund}
		months, month := v.portfolioMonth(fund)
		var listed httpapi.Items[funds.RealAsset]
		var instruments funds.InstrumentList
		var types funds.Portfolio[funds.HeldType]
		var holdings funds.Portfolio[funds.Holding]
		loading, ctx := errgroup.WithContext(ctx)
		loading.Go(func() (err error) {
			out.series, err = seriesOfFund(ctx, v, fund.RUN)
			return err
		})
		loading.Go(func() (err error) {
			listed, err = findKept(ctx, v, funds.RealAssets, "concept_id", fund.ID)
			return err
		})
		loading.Go(func() (err error) {
			out.Article107.Assessment, err = find(ctx, v, funds.Article107, "run", fund.RUN)
			return err
		})
		if fund.Vehicle != mutualFund {
			loading.Go(func() (err error) {
				instruments, err = find(ctx, v, funds.FIInstruments, "q", fund.RUN, "status", "all")
				return err
			})
		}
		if month != "" {
			loading.Go(func() (err error) {
				types, err = find(ctx, v, funds.PortfolioSummary, "run", fund.RUN, "month", month)
				return err
			})
			loading.Go(func() (err error) {
				holdings, err = find(ctx, v, funds.PortfolioHoldings, "run", fund.RUN, "month", month)
				return err
			})
		}
		if err := loading.Wait(); err != nil {
			return nil, err
		}
		out.complete(v, listed, instruments)
		out.Portfolio = v.portfolioPart(months, month, fund.Currency, types, holdings)
		return out, nil
	},
}

// mutualFund is the vehicle of most funds.
const mutualFund = "mutual_fund"

// These are the greatest numbers of rows in the tables of the page.
const (
	mostFundSeries = 100
	mostHoldings   = 50
)

// fundView is the data of the page.
type fundView struct {
	Fund        funds.FundFacts
	Families    []found
	Classes     []choice // of investor; none if no class of its series is known
	Values      table
	Returns     table
	Others      table
	Instruments []found
	Compare     string // link to the comparison of its series; "" if there is none to compare
	Portfolio   portfolioPart
	Article107  article107
	series      fundSeries
}

// fundSeries are the series of a fund that the screener has, with the kinds of their cost rates by id.
type fundSeries struct {
	Data  []market.Resource
	Kinds map[string]string
}

// mostScreened is the greatest number of series in a reply of /api/screener.
const mostScreened = 200

// seriesOfFund returns the series of a fund that the screener has on the date of the page. The
// screener finds parts of names and RUNs, so a short RUN finds those of other funds as well.
func seriesOfFund(ctx context.Context, v *visit, run string) (fundSeries, error) {
	all := fundSeries{Kinds: map[string]string{}}
	for offset := 0; ; offset += mostScreened {
		part, err := find(ctx, v, market.Screener, "q", run, "as_of_date", v.Date(), "limit",
			strconv.Itoa(mostScreened), "offset", strconv.Itoa(offset))
		if err != nil {
			return fundSeries{}, err
		}
		for _, s := range part.Data {
			if s.Attributes.RUN == run {
				all.Data = append(all.Data, s)
			}
		}
		maps.Copy(all.Kinds, part.Meta.TACKinds.ByID())
		if offset+mostScreened >= int(part.Meta.Total) {
			break
		}
	}
	slices.SortStableFunc(all.Data, func(a, b market.Resource) int {
		return strings.Compare(a.Attributes.Serie, b.Attributes.Serie)
	})
	return all, nil
}

// monthsUntil returns the months that were over on a date, YYYY-MM-DD; "" is now.
func monthsUntil(months []string, date string) []string {
	day, err := model.ParseDate(date)
	if err != nil {
		return months // the screener refuses what is no date
	}
	var over []string
	for _, month := range months {
		if first, err := time.Parse("2006-01", month); err == nil &&
			model.DateOf(first.AddDate(0, 1, -1)).Compare(day) <= 0 {
			over = append(over, month)
		}
	}
	return over
}

// portfolioMonth returns the months of which a fund has a portfolio on the date of the page, the newest first, and the
// one to show: that of the address, else the newest; "" if there is none.
func (v *visit) portfolioMonth(fund funds.FundFacts) (months []string, month string) {
	months = monthsUntil(fund.Months, v.Date())
	if month = v.Text(monthKey); month == "" && len(months) > 0 {
		month = months[0]
	}
	return months, month
}

// complete makes the links of the page, and the tables of series.
func (out *fundView) complete(v *visit, listed httpapi.Items[funds.RealAsset], instruments funds.InstrumentList) {
	out.Fund.Name = locale.Shown(out.Fund.Name)
	shown := map[string]bool{}
	families := map[string]bool{}
	var compared []string
	chosen := fundSeries{Kinds: out.series.Kinds}
	for _, s := range out.series.Data {
		shown[s.ID] = true
		class := textOf(classOf(s))
		if given := v.Text(classKey); given == "" || class == given || class == "" && given == noClassKey {
			chosen.Data = append(chosen.Data, s)
		}
	}
	if out.Classes = v.classChoices(out.series.Data, "#series"); out.Classes != nil {
		out.Classes[0].Text += counted(v, len(out.series.Data))
		unclassed := 0
		for _, s := range out.series.Data {
			if textOf(classOf(s)) == "" {
				unclassed++
			}
		}
		if unclassed > 0 {
			out.Classes = append(out.Classes, choice{v.Say("sin clase", "no class") + counted(v, unclassed),
				v.Here(classKey, noClassKey) + "#series", v.Text(classKey) == noClassKey})
		}
	}
	for _, s := range chosen.Data {
		if len(compared) < mostCompared {
			compared = append(compared, s.ID)
		}
	}
	for _, s := range out.series.Data {
		if family := s.Attributes.FundFamily; family != nil && !families[*family] {
			families[*family] = true
			name := locale.Shown(familyname.Spelt(*family))
			out.Families = append(out.Families, found{Name: name, Link: v.Link(familyPath(*family))})
		}
	}
	if len(compared) > 0 {
		out.Compare = v.Link("/comparar", comparedKey, strings.Join(compared, ","))
	}
	out.Values, out.Returns = v.fundValueTable(chosen), v.fundReturnTable(chosen)
	for _, t := range []*table{&out.Values, &out.Returns} {
		t.sort(v)
		if len(chosen.Data) < len(out.series.Data) {
			t.Empty = v.Say("Ninguna serie del fondo es de esa clase.", "No series of the fund is of that class.")
		}
		if len(t.Rows) > mostFundSeries {
			t.Rows = t.Rows[:mostFundSeries]
			t.Note = v.Say("Se muestran 100 series.", "100 series are shown.")
		}
	}
	out.Others = v.otherSeriesTable(listed, shown)
	for _, i := range instruments.Data {
		if i.Attributes.RUN == out.Fund.RUN {
			out.Instruments = append(out.Instruments,
				found{Name: locale.Shown(i.Attributes.Name), Link: v.Link(instrumentPath(i.ID))})
		}
	}
}

// noClassKey chooses the series of which no source states the class of investor.
const noClassKey = "sin-clase"

func fundPath(run string) string { return "/fondos/" + url.PathEscape(run) }

// instrumentPath is the page of a series of an investment fund, or of such a fund.
func instrumentPath(id string) string { return "/fondos-de-inversion/" + url.PathEscape(id) }

// comparedWindows are the columns or rows with returns.
func (v *visit) comparedWindows() []column {
	return []column{
		{Key: "1m", Title: v.Say("1 mes", "1 month")},
		{Key: "3m", Title: v.Say("3 meses", "3 months")},
		{Key: "6m", Title: v.Say("6 meses", "6 months")},
		{Key: "ytd", Title: v.Say("En el año", "Year to date")},
		{Key: "1y", Title: v.Say("1 año", "1 year")},
		{Key: "3y_ann", Title: v.Say("3 años, anual", "3 years, annual")},
		{Key: "5y_ann", Title: v.Say("5 años, anual", "5 years, annual")},
		{Key: "last_closed_month", Title: v.Say("Último mes cerrado", "Last closed month")},
	}
}

// windowReturn is the cell of a return. If there is none, the cell has the reason.
func (v *visit) windowReturn(s market.Resource, window string) cell {
	period := s.Attributes.Returns.Periods.Of(window)
	return v.change(period.Value, v.reason(period.Reason))
}

// currencyName returns a currency in words.
func (v *visit) currencyName(code *string) cell {
	if code == nil {
		return missing(v.Say("no se conoce la moneda", "the currency is unknown"))
	}
	switch *code {
	case "CLP": // as the lists of a fund's series have it
		return word(currencyWords["PESOS"].In(v.Lang))
	case "USD":
		return word(currencyWords["DOLAR"].In(v.Lang))
	case "EUR":
		return word(v.Say("Euros", "Euros"))
	}
	return word(worded(currencyWords, *code).In(v.Lang))
}

// costCell is a TAC with its kind and month.
func (v *visit) costCell(s market.Resource, kinds map[string]string) cell {
	c := v.fraction(s.Attributes.TAC, 2, v.Say("ninguna fuente informa la TAC", "no source states the TAC"))
	if s.Attributes.TAC == nil {
		return c
	}
	c.Sub = worded(tacKinds, kinds[s.ID]).In(v.Lang)
	if date := s.Attributes.TACAsOf; date != nil {
		c.Sub = strings.TrimPrefix(c.Sub+", "+v.Lang.Month(*date), ", ")
	}
	return c
}

// noRisk says why a figure of risk is missing.
func (v *visit) noRisk(months string) string {
	return v.Say("falta la rentabilidad de alguno de sus "+months+" meses",
		"one of its "+months+" months has no return")
}

func (v *visit) spheresCell(s market.Resource) cell {
	return v.number(whole(s.Attributes.Spheres.Value), 0, v.reason(s.Attributes.Spheres.Reason))
}

func (v *visit) riskLevel(level *string) cell {
	if level == nil {
		return missing(v.noRisk("36"))
	}
	switch *level {
	case "low":
		return word(v.Say("bajo", "low"))
	case "medium":
		return word(v.Say("medio", "medium"))
	case "high":
		return word(v.Say("alto", "high"))
	}
	return word(*level)
}

// The hints of values that both pages show.
func (v *visit) spheresHint() string {
	return v.Say("Calificación de la CMF, de 1 a 5, dentro de la familia y la clase de inversionista",
		"Rating by the CMF, 1 to 5, within the family and investor class")
}

func (v *visit) volatilityHint() string {
	return v.Say("Desviación estándar de las rentabilidades mensuales de 12 meses, anualizada",
		"Standard deviation of the monthly returns of 12 months, annualised")
}

func (v *visit) costHint() string {
	return v.Say("Tasa anual de costos. Solo la sintética incluye los costos de los fondos en que invierte",
		"Annual cost rate. Only the synthetic one includes costs of the funds in which it invests")
}

// fundValueTable shows the values of the series of a fund on the date of the page, with their costs and risk. They are
// those that the screener has of each series.
func (v *visit) fundValueTable(series fundSeries) table {
	t := table{
		ID: "valores", Caption: v.Say("Valores, costos y riesgo", "Values, costs and risk"),
		Columns: []column{
			{Key: "serie", Title: v.Say("Serie", "Series")},
			{Key: "clase", Title: v.Say("Inversionista", "Investor class")},
			{Key: "moneda", Title: v.Say("Moneda", "Currency")},
			{Key: "cuota", Title: v.Say("Valor cuota", "Unit price"), Numeric: true},
			{Key: "dia", Title: v.Say("1 día", "1 day"), Numeric: true,
				Hint: v.Say("Cambio desde el día anterior", "Change since the day before")},
			{Key: "tac", Title: "TAC", Numeric: true, Hint: v.costHint()},
			{Key: "esferas", Title: v.Say("Esferas", "Spheres"), Numeric: true, Hint: v.spheresHint()},
			{Key: "volatilidad", Title: v.Say("Volatilidad", "Volatility"), Numeric: true, Hint: v.volatilityHint()},
			{Key: "patrimonio", Title: v.Say("Patrimonio", "Equity"), Numeric: true,
				Unit: v.Say("millones de su moneda", "millions of its currency")},
			{Key: "participes", Title: v.Say("Partícipes", "Shareholders"), Numeric: true},
		},
		Empty: v.Say("Ninguna serie del fondo tiene valor cuota a esa fecha.",
			"No series of the fund has a unit price at that date."),
	}
	for _, s := range series.Data {
		a := s.Attributes
		quota := v.number(amount(a.Price), 4, v.Say("sin valor cuota", "no unit price"))
		quota.Sub = v.Day(a.PriceAsOf)
		name := linked(a.Serie, v.Link(seriesPath(s.ID)))
		name.Series = s.ID
		v.markUnheld(&name, s)
		t.Rows = append(t.Rows, row{Quiet: isUnheld(s), Cells: []cell{
			name,
			v.namedCell(classNames, classOf(s), v.noClass()),
			v.currencyName(a.Currency),
			quota,
			v.points(a.DailyChange, v.Say("no hay valor cuota el día anterior", "there is no unit price on the day before")),
			v.costCell(s, series.Kinds),
			v.spheresCell(s),
			v.fraction(a.VolatilityAnnual12, 2, v.noRisk("12")),
			v.millionsCell(amount(a.Patrimony), 1, v.Say("sin patrimonio informado", "no equity was stated")),
			v.number(whole(a.Shareholders), 0, v.Say("sin partícipes informados", "no shareholders were stated")),
		}})
	}
	v.alignMillions(&t, 8)
	return t
}

// alignMillions gives the amounts of a column of millionsCell the same decimals: as many as the smallest of them
// needs. Zero stays 0.
func (v *visit) alignMillions(t *table, i int) {
	decimals := 0
	for _, r := range t.Rows {
		if c := r.Cells[i]; c.Number != nil && *c.Number != 0 {
			decimals = max(decimals, millionsDecimals(*c.Number, 1))
		}
	}
	for _, r := range t.Rows {
		switch c := &r.Cells[i]; {
		case c.Number == nil:
		case *c.Number == 0:
			c.Text = "0"
		default:
			*c = v.millionsCell(c.Number, decimals, "")
		}
	}
}

// fundReturnTable shows the returns of the series of a fund over each window, in the currency of the series.
func (v *visit) fundReturnTable(series fundSeries) table {
	t := table{
		ID: "rentabilidades-series", Caption: v.Say("Rentabilidades en su moneda", "Returns in its currency"),
		Columns: []column{{Key: "nombre", Title: v.Say("Serie", "Series")}},
		Empty: v.Say("Ninguna serie del fondo tiene valor cuota a esa fecha.",
			"No series of the fund has a unit price at that date."),
	}
	for _, window := range v.comparedWindows() {
		window.Numeric = true
		t.Columns = append(t.Columns, window)
	}
	for _, s := range series.Data {
		name := linked(s.Attributes.Serie, v.Link(seriesPath(s.ID)))
		v.markUnheld(&name, s)
		cells := []cell{name}
		for _, window := range t.Columns[1:] {
			cells = append(cells, v.windowReturn(s, window.Key))
		}
		t.Rows = append(t.Rows, row{Quiet: isUnheld(s), Cells: cells})
	}
	return t
}

// noClass says why the investor class of a series is missing.
func (v *visit) noClass() string {
	if v.Date() != "" {
		return v.Say("ninguna fuente la había dado a esa fecha", "no source had given it by that date")
	}
	return v.Say("ninguna fuente la da", "no source gives it")
}

// otherSeriesTable shows the series that are closed, or have no quota on the date of the page. The
// operation takes no date, so their values are the newest ones.
func (v *visit) otherSeriesTable(listed httpapi.Items[funds.RealAsset], shown map[string]bool) table {
	t := table{
		ID: "otras", Caption: v.Say("Cerradas o sin valor cuota", "Closed or without a unit price"),
		Columns: []column{
			{Title: v.Say("Serie", "Series")},
			{Title: v.Say("Inversionista", "Investor class")},
			{Title: v.Say("Moneda", "Currency")},
			{Title: v.Say("Último día", "Last day"), Numeric: true},
			{Title: v.Say("Valor cuota", "Unit price"), Numeric: true},
			{Title: v.Say("Patrimonio", "Equity"), Numeric: true,
				Unit: v.Say("millones de su moneda", "millions of its currency")},
		},
	}
	if v.Date() != "" {
		t.Caption = v.Say("Hoy cerradas, o sin valor cuota a la fecha, con sus valores más recientes",
			"Closed today, or without a unit price at the date, with their newest values")
	}
	others := 0
	for _, s := range listed.Data {
		if shown[s.ID] {
			continue
		}
		if others++; others > mostFundSeries {
			t.Note = v.Say("Se muestran 100 series.", "100 series are shown.")
			break
		}
		link := seriesPath(s.ID)
		if strings.Contains(s.ID, "-") { // a UUID: a series of an investment fund
			link = instrumentPath(s.ID)
		}
		never := v.Say("nunca tuvo un valor cuota", "it never had a unit price")
		cells := []cell{
			linked(s.Attributes.Serie, v.Link(link)),
			v.namedCell(classNames, s.Attributes.InvestorClass, v.Say("ninguna fuente la informa", "no source states it")),
			v.currencyName(s.Attributes.Currency),
			missing(never), missing(never), missing(never),
		}
		if last := s.Attributes.LastDay; last != nil {
			cells[3] = v.day(last.Date, never)
			cells[4] = v.number(amount(last.NetAssetValue), 4,
				v.Say("el valor cuota no se pudo leer", "the unit price could not be read"))
			cells[5] = v.millionsCell(millionsOf(amount(last.TotalNetAssets)), 1,
				v.Say("sin patrimonio informado", "no equity was stated"))
		}
		t.Rows = append(t.Rows, row{Cells: cells})
	}
	v.alignMillions(&t, 5)
	return t
}

// instrumentNames says what the codes of the most frequent types of instruments mean. The sources
// explain no others.
var instrumentNames = map[string]locale.Phrase{
	"ACC":  {"Acciones", "Shares"},
	"ACE":  {"Acciones extranjeras", "Foreign shares"},
	"ADR":  {"ADR", "ADR"},
	"ETFA": {"ETF de acciones", "Equity ETFs"},
	"ETFB": {"ETF de deuda", "Debt ETFs"},
	"BB":   {"Bonos bancarios", "Bank bonds"},
	"BE":   {"Bonos de empresas", "Corporate bonds"},
	"BS":   {"Bonos subordinados", "Subordinated bonds"},
	"BTP":  {"Bonos de la Tesorería en pesos", "Treasury bonds in pesos"},
	"BTU":  {"Bonos de la Tesorería en UF", "Treasury bonds in UF"},
	"PDBC": {"Pagarés del Banco Central", "Central bank notes"},
	"DPC":  {"Depósitos a plazo de corto plazo", "Short time deposits"},
	"DPL":  {"Depósitos a plazo de largo plazo", "Long time deposits"},
	"LH":   {"Letras hipotecarias", "Mortgage bills"},
	"CFM":  {"Cuotas de fondos mutuos", "Units of mutual funds"},
	"CFI":  {"Cuotas de fondos de inversión", "Units of investment funds"},
	"CFME": {"Cuotas de fondos mutuos extranjeros", "Units of foreign mutual funds"},
	"CFIE": {"Cuotas de fondos de inversión extranjeros", "Units of foreign investment funds"},
}

// instrument is the cell of a type of instrument, by its code.
func (v *visit) instrument(code string) cell {
	c := word(code)
	if name, known := instrumentNames[code]; known {
		c.Sub = name.In(v.Lang)
	}
	return c
}

// portfolioPart is what a page says about the portfolio of a fund in a month.
type portfolioPart struct {
	Path      string
	Kept      []namedText // parameters of the page, for the form that chooses the month
	Months    []formOption
	Month     string // as a sentence has it; "" without one
	Unit      string // of amounts
	None      string // why there is no portfolio; "" if there is one
	Types     table
	Positions table
}

// portfolioPart puts together what a fund held in a month, of the months of which it has a portfolio.
func (v *visit) portfolioPart(months []string, month string, currency *string,
	types funds.Portfolio[funds.HeldType], held funds.Portfolio[funds.Holding]) portfolioPart {
	out := portfolioPart{Path: v.Path, Kept: v.Kept(monthKey), Unit: v.thousandsOf(currency)}
	for _, m := range months {
		out.Months = append(out.Months, formOption{m, v.MonthName(m), m == month})
	}
	if month != "" {
		out.Month = v.monthInWords(month)
	}
	switch {
	case month == "" && v.Date() != "":
		out.None = v.Say("No se conoce ninguna cartera de este fondo hasta esa fecha.",
			"No portfolio of this fund is known up to that date.")
	case month == "":
		out.None = v.Say("No se conoce ninguna cartera de este fondo.", "No portfolio of this fund is known.")
	case len(types.Data)+len(held.Data) == 0:
		out.None = v.Say("No hay cartera de ese mes.", "There is no portfolio of that month.")
	default:
		out.Types, out.Positions = v.heldTypeTable(types, out.Unit), v.positionTable(held, out.Unit)
	}
	return out
}

// thousandsOf returns the unit of the amounts of a portfolio.
func (v *visit) thousandsOf(currency *string) string {
	if currency == nil {
		return v.Say("miles de la moneda del fondo", "thousands of the fund's currency")
	}
	return v.Say("miles de ", "thousands of ") + worded(moneyNames, *currency).In(v.Lang)
}

func (v *visit) heldTypeTable(types funds.Portfolio[funds.HeldType], unit string) table {
	t := table{
		ID: "tipos", Caption: v.Say("Por tipo de instrumento", "By type of instrument"), Cards: true,
		Columns: []column{
			{Title: v.Say("Tipo", "Type"), Hint: v.Say("Código de la CMF", "Code of the CMF")},
			{Title: v.Say("% del activo", "% of assets"), Numeric: true},
			{Title: v.Say("Nacional", "Domestic"), Numeric: true, Unit: unit},
			{Title: v.Say("Extranjera", "Foreign"), Numeric: true, Unit: unit},
			{Title: v.Say("Posiciones", "Positions"), Numeric: true},
		},
	}
	notStated := v.Say("la fuente no lo informa", "the source does not state it")
	for i, item := range types.Data {
		if i == mostFundSeries {
			t.Note = v.Say("Se muestran los 100 mayores.", "The 100 largest are shown.")
			break
		}
		a := item.Attributes
		t.Rows = append(t.Rows, row{Cells: []cell{
			v.instrument(a.Instrument), v.percentOf(a.Percent), v.number(amount(&a.National), 0, notStated),
			v.number(amount(&a.Foreign), 0, notStated), v.count(int(a.Holdings)),
		}})
	}
	return t
}

func (v *visit) positionTable(held funds.Portfolio[funds.Holding], unit string) table {
	t := table{
		ID: "posiciones", Caption: v.Say("Todas las posiciones", "All positions"), Cards: true,
		Columns: []column{
			{Title: v.Say("Instrumento", "Instrument")},
			{Title: v.Say("% del activo", "% of assets"), Numeric: true},
			{Title: v.Say("Valorización", "Valuation"), Numeric: true, Unit: unit},
			{Title: v.Say("Emisor", "Issuer"), Long: true},
			{Title: v.Say("Tipo", "Type")},
			{Title: v.Say("País", "Country")},
		},
	}
	notStated := v.Say("la fuente no lo informa", "the source does not state it")
	for i, item := range held.Data {
		if i == mostHoldings {
			t.Caption = v.Say("Mayores posiciones", "Largest positions")
			t.Note = v.Say("Se muestran las mayores "+strconv.Itoa(mostHoldings)+" de "+
				v.count(len(held.Data)).Text+" posiciones. La API las da todas.",
				"The largest "+strconv.Itoa(mostHoldings)+" of "+v.count(len(held.Data)).Text+
					" positions are shown. The API gives all.")
			break
		}
		a := item.Attributes
		issuer := optional(a.Issuer, notStated)
		switch {
		case a.IssuerRUT == nil || *a.IssuerRUT == "":
		case a.Issuer == nil || *a.Issuer == "":
			issuer = word("RUT " + *a.IssuerRUT)
		default:
			issuer.Sub = "RUT " + locale.Shown(*a.IssuerRUT)
		}
		issuer.Class = "across"
		t.Rows = append(t.Rows, row{Cells: []cell{
			optional(a.Nemo, notStated), v.percentOf(a.Percent), v.number(amount(a.Valuation), 0, notStated), issuer,
			v.instrument(a.Instrument), optional(a.Country, notStated),
		}})
	}
	return t
}

// MonthName returns a month, YYYY-MM, as an option of a form.
func (v *visit) MonthName(month string) string { return namedMonth(month, v.Lang.Month) }

// monthInWords returns a month, YYYY-MM, as a sentence has it.
func (v *visit) monthInWords(month string) string { return namedMonth(month, v.Lang.MonthInWords) }

func namedMonth(month string, name func(model.Date) string) string {
	first, err := time.Parse("2006-01", month)
	if err != nil {
		return locale.Shown(month)
	}
	return name(model.DateOf(first))
}

// Moment returns the day of a moment in Santiago as text, and a dash for nil.
func (v *visit) Moment(at *time.Time) string {
	if at == nil {
		return locale.Dash
	}
	return v.Lang.Day(model.DateOf(at.In(santiago.Zone)))
}

// Closed reports whether the fund has ended.
func (out fundView) Closed() bool { return !out.Fund.Current }

// IsInvestment reports whether the fund is an investment fund or traded on an exchange.
func (out fundView) IsInvestment() bool { return out.Fund.Vehicle != mutualFund }

// article107 is what a fund's regulation declares, with what the template asks about it.
type article107 struct{ funds.Assessment }

// Known reports whether somebody has assessed the regulation.
func (a article107) Known() bool { return a.AssessedAt != nil }

// Changed reports whether the regulator shows another document than the assessed one.
func (a article107) Changed() bool {
	return a.Source.ObservedDocumentID != nil && a.Source.DocumentID != nil &&
		*a.Source.ObservedDocumentID != *a.Source.DocumentID
}

// WebURL returns the address of the assessed document if it is one of the web, and "" if not.
func (a article107) WebURL() string {
	if a.Source.URL != nil && (strings.HasPrefix(*a.Source.URL, "https://") ||
		strings.HasPrefix(*a.Source.URL, "http://")) {
		return *a.Source.URL
	}
	return ""
}

// Shown makes a text of a source fit for the page.
func (v *visit) Shown(text *string) string {
	if text == nil {
		return locale.Dash
	}
	return locale.Bounded(*text, longestQuoted)
}

// longestQuoted is how many characters of a clause are shown.
const longestQuoted = 1500

// CategoryName returns a category in words.
func (v *visit) CategoryName(category *string) string {
	if category == nil {
		return locale.Dash
	}
	return locale.Shown(worded(categoryWords, *category).In(v.Lang))
}

// CurrencyText returns a currency as text.
func (v *visit) CurrencyText(code *string) string { return v.currencyName(code).Text }

// ManagerLink returns the page of a manager.
func (v *visit) ManagerLink(name string) string {
	return v.Link("/administradoras", "administradora", name)
}

// ReviewWord says what a person decided about an assessment.
func (v *visit) ReviewWord(status *string) string {
	switch *status {
	case "pending":
		return v.Say("pendiente", "pending")
	case "approved":
		return v.Say("aprobada", "approved")
	case "rejected":
		return v.Say("rechazada", "rejected")
	}
	return locale.Shown(*status)
}

// classChoices lets the reader choose series by the class of investor that the CMF states of them. It is empty if
// none has one.
func (v *visit) classChoices(series []market.Resource, anchor string) (list []choice) {
	count := map[string]int{}
	for _, s := range series {
		if class := textOf(classOf(s)); class != "" {
			count[class]++
		}
	}
	given := v.Text(classKey)
	if len(count) == 0 && given == "" {
		return nil
	}
	list = append(list, choice{v.Say("todas las clases", "all classes"), v.Here(classKey, "") + anchor, given == ""})
	for _, class := range slices.Sorted(maps.Keys(count)) {
		list = append(list, choice{worded(classNames, class).In(v.Lang) + counted(v, count[class]),
			v.Here(classKey, class) + anchor, class == given})
	}
	return list
}
