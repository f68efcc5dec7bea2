package marketpages

import (
	"context"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"cuota/internal/httpapi"
	"cuota/internal/site/locale"
	"cuota/model"
	"cuota/query/series"
	"cuota/query/summary"
)

// seriesPage shows a series: its quotas, returns, costs, risk, rating and events, and from which
// files they come.
var seriesPage = page{
	path: "/series/{id}", template: "series",
	keys: []string{dateKey, spanKey, scaleKey, valuationKey, officialKey, historyKey},
	load: loadSeries,
}

// The parameters of the page, besides the date.
const (
	spanKey      = "plazo"
	scaleKey     = "escala" // log, or absent
	valuationKey = "valor"
	officialKey  = "regulador" // comparar, or absent
	historyKey   = "historia"  // ver: years, falls and rolling returns; or absent
)

// seen is the value of a parameter that adds a part to a page.
const seen = "ver"

func loadSeries(ctx context.Context, v *visit) (any, error) {
	if wrong := v.checkSeries(); wrong != nil {
		return nil, wrong
	}
	id := v.Text("id")
	var parts seriesParts
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	loading, ctx := errgroup.WithContext(ctx)
	loading.Go(func() error {
		found, err := find(ctx, v, series.Returns, "asset_id", id, "as_of_date", v.Date())
		parts.returns = found.Data.Attributes
		return err
	})
	known, err := find(ctx, v, series.Profile, "asset_id", id, "as_of_date", v.Date())
	if err != nil {
		// If the returns failed first, they stopped this request too: their error is the cause.
		stopped := ctx.Err() != nil
		stop()
		if cause := loading.Wait(); stopped && cause != nil {
			err = cause
		}
		return nil, err
	}
	if parts.last, err = v.lastQuote(ctx, known); err != nil {
		return nil, err
	}
	out := seriesView{Of: known, Spans: v.spanChoices(known), Scales: v.scaleChoices(),
		Valuations: v.valuationChoices()}
	from, to := v.chartDays(known)
	// A value of one day has no growth, no year and no fall. Most series of the demo have one day.
	out.OneDay = known.First != nil && known.Last != nil && known.Quota != nil && *known.First == *known.Last
	if out.OneDay {
		parts.days = []series.GrowthPoint{{Date: *known.Last, Quota: *known.Quota}}
	} else if known.Last != nil {
		loading.Go(func() error {
			found, err := find(ctx, v, series.ValuedGrowth, "asset_id", id, "from_date", from, "to_date", to)
			parts.days = found.Data
			return err
		})
		if known.Family != nil && known.Currency != nil {
			loading.Go(func() error {
				found, err := find(ctx, v, summary.FamilyIndex, "family_rar", *known.Family, "currency",
					*known.Currency, "from_date", from)
				parts.family = found.Data
				return err
			})
		}
	}
	if chosen := v.valuation(); chosen.key != "" {
		loading.Go(func() error {
			found, err := find(ctx, v, series.Returns, "asset_id", id, "as_of_date", v.Date(), "valuation",
				chosen.valuation, "return_basis", chosen.basis)
			parts.valued = found.Data.Attributes
			if refused := refusal(err); refused != nil {
				parts.refused, err = true, nil
			}
			return err
		})
	}
	loading.Go(func() error {
		found, err := find(ctx, v, series.ExpenseRatioHistory, "asset_id", id)
		parts.costs = found.Data
		return err
	})
	loading.Go(func() error {
		found, err := find(ctx, v, series.RiskMetrics, "asset_id", id, "as_of_date", v.Date())
		parts.risk = found.Data.Attributes
		return err
	})
	// These take four times as long as all else together, so they are done only on demand.
	if v.Text(historyKey) != "" && !out.OneDay {
		loading.Go(func() (err error) {
			parts.past, err = find(ctx, v, series.YearsAndFalls, "asset_id", id, "as_of_date", v.Date())
			return err
		})
		loading.Go(func() error {
			found, err := find(ctx, v, series.RollingReturns, "asset_id", id, "as_of_date", v.Date())
			parts.rolled = found.Data
			return err
		})
	}
	loading.Go(func() (err error) {
		parts.events, err = find(ctx, v, series.Events, "asset_id", id, "as_of_date", v.Date())
		return err
	})
	loading.Go(func() error {
		found, err := find(ctx, v, series.Sources, "asset_id", id, "as_of_date", v.Date(),
			"last_date", dateText(known.Last), "tac_kind", textOf(known.TACKind), "tac_date", dateText(known.TACDate))
		parts.sources = found.Data
		return err
	})
	// This takes as long as all else together, so it is done only on demand.
	if v.Text(officialKey) != "" {
		loading.Go(func() error {
			found, err := find(ctx, v, series.OfficialReturns, "asset_id", id, "as_of_date", v.Date())
			parts.official = found.Data
			return err
		})
	}
	if err := loading.Wait(); err != nil {
		return nil, err
	}
	out.fill(v, parts, to)
	return out, nil
}

// refusal returns the problem with which an operation refuses a kind of returns: it is not enabled
// on this server, or there is none of such a series. It returns nil for any other error.
func refusal(err error) error {
	switch problem := err.(type) {
	case *httpapi.Problem:
		if problem.Code == "valuation_not_enabled" {
			return problem
		}
	case httpapi.Invalid:
		if len(problem) == 1 && problem[0].Type == "unverified_factors" {
			return problem
		}
	}
	return nil
}

// seriesParts is what the page shows of a series besides its profile.
type seriesParts struct {
	last     *model.Date          // of all its quotas, also of those after the date of the page
	days     []series.GrowthPoint // beyond the growth of the UF
	family   []summary.IndexPoint
	returns  series.AnyReturns
	valued   series.AnyReturns // of the chosen valuation; nil if it is that of returns, or refused
	refused  bool
	costs    []httpapi.Resource[series.CostMonth]
	risk     series.RiskFigures
	events   series.EventList
	past     series.YearsFalls
	rolled   []series.RolledWindow
	sources  []series.Source
	official []series.OfficialReturn
}

// seriesView is the data of the page.
type seriesView struct {
	Of                         series.Profiled
	Title                      string
	OneDay                     bool   // it has a value of one day only
	Past                       string // of a past date, in words; "" for the newest data
	SeeHistory                 string // address of the page with years, falls and rolling returns; "" if it has them
	HistoryHas                 string // which of these there are, as the text of the link; "" if there are none
	Facts                      []fact
	Closed                     string // in words; "" for a series that is alive
	Successor                  string // address of the series for whose quotas its own were exchanged
	Spans, Scales, Valuations  []choice
	Growth, Drawdown, CostsNow *lineChart
	Returns                    table
	Years, Falls, Rolled       table
	Rolling                    *lineChart // nil without a window
	Refused                    string
	Costs                      string
	Risk, Official             table
	Events, Sources            table
	MoreEvents                 bool
	Compare                    string // address of the page with our returns beside the official ones
	Spheres                    string
	Requests                   []string
	Watch                      string
}

func (s seriesView) charts() []*lineChart {
	return []*lineChart{s.Growth, s.Drawdown, s.Rolling, s.CostsNow}
}

// spans are the spans of the charts, the longest last.
var spans = []struct {
	key    string
	months int // 0: all days
	name   locale.Phrase
}{
	{"1m", 1, locale.Phrase{"1 mes", "1 month"}}, {"3m", 3, locale.Phrase{"3 meses", "3 months"}},
	{"6m", 6, locale.Phrase{"6 meses", "6 months"}},
	{"1y", 12, locale.Phrase{"1 año", "1 year"}}, {"3y", 36, locale.Phrase{"3 años", "3 years"}},
	{"5y", 60, locale.Phrase{"5 años", "5 years"}},
	{wholeSpan, 0, locale.Phrase{"todo", "all"}},
}

const (
	usualSpan = "1y"
	wholeSpan = "all"
)

// valuations are the kinds of returns beside those of the quota.
var valuations = []struct {
	key, valuation, basis string
	name                  locale.Phrase
}{
	{"", "", "", locale.Phrase{"valor cuota", "unit price"}},
	{"pesos", "clp", "", locale.Phrase{"en pesos", "in pesos"}},
	{"uf", "real_uf", "", locale.Phrase{"reales, sobre UF", "real, net of UF inflation"}},
	{"total", "", "total", locale.Phrase{"totales, con repartos", "total, with distributions"}},
}

// checkSeries refuses parameters that the page does not know.
func (v *visit) checkSeries() error {
	var keys []string
	for _, s := range spans {
		keys = append(keys, s.key)
	}
	wrong := slices.Concat(v.notAmong(spanKey, keys...), v.notAmong(scaleKey, "log"),
		v.notAmong(valuationKey, "pesos", "uf", "total"), v.notAmong(officialKey, "comparar"),
		v.notAmong(historyKey, seen))
	if len(wrong) == 0 {
		return nil
	}
	return wrong
}

// notAmong says what is wrong with a parameter that may be absent or one of some words.
func (v *visit) notAmong(key string, words ...string) httpapi.Invalid {
	given := v.Text(key)
	if given == "" || slices.Contains(words, given) {
		return nil
	}
	return httpapi.Invalid{{Loc: []string{"query", key}, Type: "enum", Input: httpapi.Echo(given),
		Msg: "Must be one of " + strings.Join(words, ", ")}}
}

func (v *visit) chosenSpan() string {
	if chosen := v.Text(spanKey); chosen != "" {
		return chosen
	}
	return usualSpan
}

// chartDays returns the first and the last day of the charts.
func (v *visit) chartDays(of series.Profiled) (from, to string) {
	if of.Last == nil {
		return "", ""
	}
	for _, s := range spans {
		if s.key == v.chosenSpan() && s.months > 0 {
			from = monthsBefore(*of.Last, s.months).String()
		}
	}
	return from, of.Last.String()
}

// monthsBefore returns the same day some months earlier, or the last day of that month.
func monthsBefore(d model.Date, months int) model.Date {
	year, month, day := d.Time().Date()
	before := model.NewDate(year, month, 1).Time().AddDate(0, -months, 0)
	last := before.AddDate(0, 1, -1).Day()
	return model.NewDate(before.Year(), before.Month(), min(day, last))
}

// spanChoices are the spans of the charts. The one of all days is chosen where the series has no more.
func (v *visit) spanChoices(of series.Profiled) []choice {
	var list []choice
	chosen := v.chosenSpan()
	if from, _ := v.chartDays(of); of.First != nil && from != "" && from < of.First.String() {
		chosen = wholeSpan
	}
	for _, s := range spans {
		key := s.key
		if key == usualSpan {
			key = ""
		}
		list = append(list, choice{s.name.In(v.Lang), v.Here(spanKey, key) + "#grafico", s.key == chosen})
	}
	return list
}

func (v *visit) scaleChoices() []choice {
	log := v.Text(scaleKey) == "log"
	return []choice{
		{v.Say("escala lineal", "linear scale"), v.Here(scaleKey, "") + "#grafico", !log},
		{v.Say("logarítmica", "logarithmic"), v.Here(scaleKey, "log") + "#grafico", log},
	}
}

func (v *visit) valuation() (chosen struct {
	key, valuation, basis string
	name                  locale.Phrase
}) {
	for _, kind := range valuations {
		if kind.key == v.Text(valuationKey) {
			chosen = kind
		}
	}
	return chosen
}

func (v *visit) valuationChoices() []choice {
	var list []choice
	for _, kind := range valuations {
		list = append(list, choice{kind.name.In(v.Lang), v.Here(valuationKey, kind.key) + "#rentabilidades",
			kind.key == v.Text(valuationKey)})
	}
	return list
}

// fill makes what the page shows of its parts.
func (s *seriesView) fill(v *visit, parts seriesParts, to string) {
	of := s.Of
	s.Title = v.seriesTitle(of)
	s.Facts = v.seriesFacts(of, parts.returns)
	s.Closed, s.Successor = v.whyClosed(of, parts.events.Data)
	s.Growth, s.Drawdown = v.quotaCharts(of, parts)
	closed := v.closingOf(of, parts.events.Data, parts.last)
	s.Returns = v.returnsTable(of, parts.returns, parts.valued, closed)
	s.Past = v.pastInWords()
	if parts.refused {
		s.Refused = v.Say("Este servidor no ofrece estas rentabilidades de la serie: "+v.valuation().name[0]+".",
			"This server does not offer these returns of the series: "+v.valuation().name[1]+".")
	}
	switch {
	case s.OneDay:
	case v.Text(historyKey) == "":
		s.SeeHistory, s.HistoryHas = v.Here(historyKey, seen)+"#historia", v.historyHas(of)
	default:
		s.Years, s.Falls = v.yearsTable(of.Currency, parts.past.Years, closed), v.fallsTable(parts.past.Falls, of.Alive)
		s.Rolled, s.Rolling = v.rolledTable(parts.rolled), v.rollingChart(parts.rolled, closed)
	}
	s.CostsNow, s.Costs = v.costChart(of, parts.costs)
	s.Risk = v.riskTable(of.ID, parts.risk)
	s.Spheres = v.spheresInWords(parts.returns.Rating())
	if v.Text(officialKey) != "" {
		s.Official = v.comparedTable(parts.official)
	} else {
		s.Official = v.officialTable(parts.sources)
		if len(s.Official.Rows) > 0 {
			s.Compare = v.Here(officialKey, "comparar") + "#oficial"
		}
	}
	s.Events, s.MoreEvents = v.eventTable(of.Currency, parts.events.Data), parts.events.More
	s.Sources = v.sourceTable(of, parts.sources)
	s.Requests = v.seriesRequests(of)
	if v.Accounts {
		s.Watch = v.Visit.Link("/account/watchlist", "q", of.ID)
	}
}

// pastInWords says that the page is of a past date, "" if it is of the newest data.
func (v *visit) pastInWords() string {
	day, err := v.givenDay()
	if cutoff := v.Batch.Cutoff(); err != nil || day == nil || cutoff == nil || day.Compare(*cutoff) >= 0 {
		return ""
	}
	return v.Say("Datos hasta el ", "Data up to ") + v.Day(day) +
		v.Say("; no es lo más reciente.", "; this is not the newest.")
}

func (v *visit) seriesTitle(of series.Profiled) string {
	fund := "RUN " + of.RUN
	if of.Fund != nil {
		fund = *of.Fund
	}
	return word(fund).Text + " · " + v.Say("serie ", "series ") + word(of.Serie).Text
}

// levelWords are levels of risk.
var levelWords = map[string]locale.Phrase{"low": {"bajo", "low"}, "medium": {"medio", "medium"},
	"high": {"alto", "high"}}

// inWords is a cell with the words for a value, or the value itself if there are none.
func (v *visit) inWords(words map[string]locale.Phrase, value *string, reason string) cell {
	if value != nil {
		if text, known := words[*value]; known {
			return word(text.In(v.Lang))
		}
	}
	return optional(value, reason)
}

// later says that something was first stated after the past date of the page; "" if it was not.
func (v *visit) later(since *model.Date) string {
	day, err := v.givenDay()
	if err != nil || day == nil || since == nil || since.Compare(*day) <= 0 {
		return ""
	}
	return v.Say("se informó después de esa fecha, el ", "stated after that date, on ") + v.Day(since)
}

func (v *visit) seriesFacts(of series.Profiled, returns series.AnyReturns) []fact {
	unstated := v.Say("ningún archivo lo dice", "no file states it")
	unstatedThen := unstated
	if v.pastInWords() != "" {
		unstatedThen = v.Say("ningún archivo lo decía a esa fecha", "no file stated it by that date")
	}
	unquoted := v.Say("no hay valor cuota a esa fecha", "there is no unit price at that date")
	manager := optional(of.Manager, unstated)
	if of.Manager != nil {
		manager = linked(*of.Manager, v.Link("/administradoras", "administradora", *of.Manager))
	}
	// The family is the one in force at the date of the page, if the comparator has the series.
	family, later := of.Family, v.later(of.FamilySince)
	if in := returns.Rating().Family; in != nil {
		family, later = in, ""
	}
	ofFamily := optional(family, v.Say("ningún comparador de rentabilidades de la CMF la clasifica",
		"no returns comparator of the CMF classifies it"))
	if family != nil {
		ofFamily = familyCell(*family, v.Link(familyPath(*family)))
		ofFamily.Sub = later
	}
	category := v.inWords(categoryWords, of.Category, v.Say("sin clasificar", "unclassified"))
	if of.Category != nil {
		category.Sub = v.later(of.CategorySince)
	}
	class := v.namedCell(classNames, of.InvestorClass, unstated)
	if of.ClassLater {
		class.Sub = v.Say("se informó después de esa fecha", "stated after that date")
	}
	fund := optional(of.Fund, unstated)
	if of.Vehicle != nil && *of.Vehicle == "mutual_fund" {
		fund = linked(fund.Text, v.Link("/fondos/"+url.PathEscape(of.RUN)))
	} else {
		fund = linked(fund.Text, v.Link("/fondos-de-inversion/"+url.PathEscape(of.ID)))
	}
	tac := v.fraction(of.TAC, 2, unstated)
	if of.TAC != nil {
		tac.Sub = v.inWords(tacKinds, of.TACKind, "").Text + ", " + v.Day(of.TACDate)
		tac.Link = v.costReceiptLink(of.ID, v.Date())
	}
	quota := v.number(of.Quota, 4, unquoted)
	if of.Quota != nil && of.Last != nil {
		quota.Link = v.receiptLink(of.ID, "", "", of.Last.String())
	}
	if of.Quota != nil {
		quota.Sub = v.Say("al ", "on ") + v.Day(of.Last)
		if of.Currency != nil {
			quota.Sub = worded(moneyNames, *of.Currency).In(v.Lang) + ", " + quota.Sub
		}
	}
	equity := v.millionsCell(millionsOf(of.Equity), 1, v.Say("sin patrimonio informado", "no equity was stated"))
	if of.Equity != nil {
		equity.Sub = v.Say("millones de ", "millions of ") +
			strings.ToLower(v.inWords(currencyWords, of.Currency, "").Text)
	}
	list := []fact{
		{v.Say("Fondo", "Fund"), fund},
		{"RUN", word(of.RUN)},
		{v.Say("Administradora", "Manager"), manager},
		{v.Say("Familia", "Family"), ofFamily},
		{v.Say("Categoría", "Category"), category},
		{v.Say("Moneda", "Currency"), v.inWords(currencyWords, of.Currency,
			v.Say("ni pesos ni dólares, o desconocida", "neither pesos nor dollars, or unknown"))},
		{v.Say("Inversionista", "Investor class"), class},
	}
	if of.Vehicle == nil || *of.Vehicle != "investment_fund" { // of these no file says more
		for _, stated := range []struct {
			name string
			flag *bool
		}{{"apv", of.APV}, {"digital", of.Digital}, {"qualified", of.Qualified}} {
			name := screenerWords[stated.name].label.In(v.Lang)
			list = append(list, fact{name, v.flagCell(stated.flag, unstatedThen)})
		}
	}
	lastDay := v.Say("Último día con valor cuota", "Last day with a unit price")
	if v.pastInWords() != "" {
		lastDay = v.Say("Último valor cuota hasta esa fecha", "Last unit price up to that date")
	}
	list = append(list, []fact{
		{v.Say("Valor cuota", "Unit price"), quota},
		{v.Say("Patrimonio", "Equity"), equity},
		{v.Say("Partícipes", "Shareholders"),
			v.number(whole(of.Shareholders), 0, v.Say("sin partícipes informados", "no shareholders were stated"))},
		{v.Say("Costo anual (TAC)", "Annual cost (TAC)"), tac},
		{v.Say("Primer día con valor cuota", "First day with a unit price"), v.day(of.First, unquoted)},
		{lastDay, v.day(of.Last, unquoted)},
	}...)
	if len(of.Names) > 1 {
		list = append(list, fact{v.Say("Nombres anteriores", "Former names"), word(strings.Join(of.Names[1:], ", "))})
	}
	return list
}

// flagCell says yes or no.
func (v *visit) flagCell(flag *bool, reason string) cell {
	switch {
	case flag == nil:
		return missing(reason)
	case *flag:
		return word(v.Say("sí", "yes"))
	}
	return word(v.Say("no", "no"))
}

func dateText(date *model.Date) string {
	if date == nil {
		return ""
	}
	return date.String()
}

func textOf(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// whyClosed says that a series is closed, and why, and returns the address of the series that
// replaced it. It returns "" for a series that is alive.
func (v *visit) whyClosed(of series.Profiled, events []series.Event) (text, successor string) {
	if of.Alive || of.Last == nil {
		return "", ""
	}
	for _, e := range events {
		if e.Kind != "exchange_out" {
			continue
		}
		if e.OtherID != nil && *e.OtherID != 0 {
			successor = v.Link(seriesPath(idText(*e.OtherID)))
		}
		other := locale.Shown(e.OtherSerie)
		return v.Say("Cerrada: el "+v.Day(&e.Date)+" sus cuotas se canjearon por las de la serie "+other+" del fondo "+
			e.OtherRUN+".",
			"Closed: on "+v.Day(&e.Date)+" its units were exchanged for those of series "+other+" of the fund "+
				e.OtherRUN+"."), successor
	}
	cutoff := v.Batch.Cutoff()
	if of.FundEnded != nil && cutoff != nil && of.FundEnded.Compare(*cutoff) <= 0 {
		return v.Say("Cerrada: según el registro, el fondo terminó el "+v.Day(of.FundEnded)+".",
			"Closed: according to the register the fund ended on "+v.Day(of.FundEnded)+"."), ""
	}
	return v.Say("Cerrada: no tiene valor cuota en los siete días anteriores al "+v.Day(cutoff)+".",
		"Closed: it has no unit price within the seven days before "+v.Day(cutoff)+"."), ""
}

// lastQuote returns the last day with a quota of a series, also after the date of the page. Of an open one it is that
// of the profile.
func (v *visit) lastQuote(ctx context.Context, of series.Profiled) (*model.Date, error) {
	if of.Alive || of.Last == nil || v.Date() == "" {
		return of.Last, nil
	}
	newest, err := find(ctx, v, series.Profile, "asset_id", of.ID) // at the cutoff, because memory has that
	return newest.Last, err
}

// closing is the last day with a quota of a series that had closed by the date of the page, and when it closed in
// words. It is zero of any other series.
type closing struct {
	last  model.Date
	words string
}

// closingOf says when a series closed. last is the last day of all its quotas: one that has later ones than those of
// the page had not closed then.
func (v *visit) closingOf(of series.Profiled, events []series.Event, last *model.Date) closing {
	if of.Alive || of.Last == nil || last == nil || last.Compare(*of.Last) > 0 {
		return closing{}
	}
	on := closing{*of.Last, v.Say("la serie cerró: su último valor cuota es del ",
		"the series closed: its last unit price is of ") + v.Day(of.Last)}
	for _, e := range events {
		if e.Kind == "exchange_out" {
			on.words = v.Say("la serie cerró: sus cuotas se canjearon el ", "the series closed: its units were exchanged on ") +
				v.Day(&e.Date)
			return on
		}
	}
	if end := v.lastDay(); of.FundEnded != nil && end != nil && of.FundEnded.Compare(*end) <= 0 {
		on.words = v.Say("la serie cerró: su fondo terminó el ", "the series closed: its fund ended on ") +
			v.Day(of.FundEnded)
	}
	return on
}

// reason says why the return of a window that ends on a day is null. After the last quota of a closed series there is
// none because it closed, and not because its quota is old.
func (c closing) reason(v *visit, code *string, end model.Date) string {
	if c.words != "" && textOf(code) == "stale_end_quote" && end.Compare(c.last) > 0 {
		return c.words
	}
	return v.reason(code)
}

// lastDay is the last day that the page shows: the given one, else the cutoff; nil if neither is known.
func (v *visit) lastDay() *model.Date {
	if day, err := v.givenDay(); err == nil && day != nil {
		return day
	}
	return v.Batch.Cutoff()
}

// historyHas says what a reader finds behind the link to the history of a series: falls, and what its days are enough
// for.
func (v *visit) historyHas(of series.Profiled) string {
	if of.First == nil || of.Last == nil {
		return ""
	}
	end := *of.Last
	if day := v.lastDay(); day != nil {
		end = *day
	}
	has := func(from, to model.Date) bool { // quotas that stand for both ends of a window
		return of.First.Compare(from) <= 0 && to.DaysSince(*of.Last) <= quoteTolerance
	}
	years := false
	for year := of.First.Time().Year() + 1; year <= end.Time().Year(); year++ {
		closes := model.NewDate(year, time.December, 31)
		if closes.Compare(end) > 0 {
			closes = end
		}
		years = years || has(model.NewDate(year-1, time.December, 31), closes)
	}
	windows := map[int]int{} // by their months
	for day := lastOf(of.First.Time().Format("2006-01")); day.Compare(end) <= 0; day = nextMonthEnd(day) {
		for _, months := range []int{12, 36} {
			if has(monthsBefore(day, months), day) {
				windows[months]++
			}
		}
	}
	falls := v.Say("las mayores caídas", "the deepest falls")
	list := []string{falls}
	if years {
		list = []string{v.Say("la rentabilidad de cada año", "the return of each year"), falls}
	}
	switch {
	case windows[36] >= fewestRolled:
		list = append(list, v.Say("lo que rindieron todas las ventanas de 1 y de 3 años",
			"what all windows of 1 and of 3 years returned"))
	case windows[12] >= fewestRolled:
		list = append(list, v.Say("lo que rindieron todas las ventanas de 1 año", "what all windows of 1 year returned"))
	}
	last := len(list) - 1
	text := strings.Join(list[:last], ", ")
	if last > 0 {
		text += v.Say(" y ", " and ")
	}
	return v.Say("Ver ", "See ") + text + list[last]
}

// nextMonthEnd returns the end of the month after that of a month end.
func nextMonthEnd(day model.Date) model.Date { return lastOf(day.AddDays(1).Time().Format("2006-01")) }

// seriesRequests are commands that ask the API for what the page shows.
func (v *visit) seriesRequests(of series.Profiled) []string {
	base := v.base
	if base == "" {
		base = "http://127.0.0.1:8080"
	}
	about := base + "/api/real_assets/" + url.PathEscape(of.ID)
	from, to := v.chartDays(of)
	query := func(pairs ...string) string {
		texts := url.Values{}
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i+1] != "" {
				texts.Set(pairs[i], pairs[i+1])
			}
		}
		if len(texts) == 0 {
			return ""
		}
		return "?" + texts.Encode()
	}
	chosen := v.valuation()
	list := []string{
		about + "/days" + query("from_date", from, "to_date", to),
		about + "/returns" + query("as_of_date", v.Date(), "valuation", chosen.valuation, "return_basis", chosen.basis),
		about + "/expense_ratio/history",
		about + "/risk_metrics" + query("as_of_date", v.Date()),
	}
	if of.Family != nil && of.Currency != nil {
		list = append(list, base+"/api/families/"+url.PathEscape(*of.Family)+"/index"+
			query("currency", *of.Currency, "from_date", from))
	}
	for i, address := range list {
		list[i] = `curl -H "X-Api-Key: $KEY" ` + strconv.Quote(address)
	}
	return list
}
