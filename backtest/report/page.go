package report

import (
	"bytes"
	"cuota/internal/site/chart"
	"cuota/internal/site/locale"
	"embed"
	"fmt"
	"html/template"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"cuota/backtest"
	"cuota/model"
)

//go:embed page/*.html page/*.css
var pageFiles embed.FS

// How much of a result the page shows. The data files have everything.
const (
	mostNotes   = 100
	mostReasons = 60
	mostDates   = 1000  // dates with their holdings
	mostRows    = 10000 // rows of holdings and trades of all dates together
	mostMonths  = 240   // rows of a table behind a chart
	mostText    = 2000  // characters of a note
)

// page is what the template shows. All texts are in one language; the template escapes them.
type page struct {
	language Language
	err      error // the first text that is missing

	Lang, Name, Period string
	Lead               []string
	Notes              []string
	NotesMore          string
	Figures            []figure
	LedgerSummary      string
	Ledger             []ledgerRow
	Curve, Drawdown    *tabledChart
	DrawdownSays       string
	Rolling            []*tabledChart
	RollingNone        []string
	Calendar           calendar
	Strategy           []words
	TOML               string
	CostsLead          []string
	Costs              grid
	Dates              []dateBlock
	DatesBound         string
	RowsBound          string
	SortedBy           string
	Excluded           grid
	ExcludedMore       string
	Source             []words
}

// figure is a key figure with its definition.
type figure struct{ Name, Value, Detail, How string }

// grid is a table of texts. The first column names the rows.
type grid struct {
	Caption string
	Columns []string
	Rows    [][]string
	Note    string
}

// HTML writes the report of a result: one page that needs nothing else. It fails if w fails.
func HTML(w io.Writer, r *backtest.Result, language Language) error {
	p := newPage(r, language)
	if p.err != nil {
		return p.err
	}
	texts := func(key string, values ...any) (string, error) { return say(language, key, values...) }
	files, err := template.New("").Funcs(template.FuncMap{"say": texts, "name": locale.Name}).ParseFS(pageFiles,
		"page/*")
	if err == nil {
		files, err = files.Parse(chart.Template)
	}
	if err != nil {
		return fmt.Errorf("read the template of the report: %w", err)
	}
	var out bytes.Buffer
	if err := files.ExecuteTemplate(&out, "report.html", p); err != nil {
		return fmt.Errorf("make the report: %w", err)
	}
	if _, err := out.WriteTo(w); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}

func newPage(r *backtest.Result, language Language) *page {
	p := &page{language: language, Lang: string(language), Name: locale.Shown(r.Strategy.Name)}
	p.Period = p.say("period", language.Day(r.Strategy.From), language.Day(r.Strategy.To))
	p.Lead = p.lead(r)
	for i, note := range r.Notes {
		if i == mostNotes {
			p.NotesMore = p.say("notes_more", p.count(len(r.Notes)-mostNotes))
			break
		}
		p.Notes = append(p.Notes, p.note(note))
	}
	p.Figures = p.figures(r)
	p.Ledger, p.LedgerSummary = p.ledgerRows(r), p.ledgerSummary(r)
	p.Curve = p.curve(r)
	p.Drawdown = p.drawdown(r)
	p.rolling(r)
	p.Calendar = p.calendar(r.Months)
	p.Strategy = p.strategyWords(&r.Strategy)
	text, err := strategyTOML(r.Strategy)
	if err != nil && p.err == nil {
		p.err = err
	}
	p.TOML = text
	p.costs(r)
	p.dates(r)
	p.exclusions(r)
	p.Source = p.source(r)
	return p
}

// say returns a text and keeps the first error.
func (p *page) say(key string, values ...any) string {
	text, err := say(p.language, key, values...)
	if err != nil && p.err == nil {
		p.err = err
	}
	return text
}

// coded returns the text of a code of a result, or the code itself if there is none.
func (p *page) coded(kind, code string, values ...any) string {
	text, err := say(p.language, kind+"."+code, values...)
	if err != nil {
		return locale.Shown(code)
	}
	return text
}

// note returns the text of a note in the language of the report, or as it is if there is none.
func (p *page) note(of backtest.Note) string {
	values := make([]any, len(of.Values))
	for i, value := range of.Values {
		values[i] = locale.Shown(value)
	}
	if text := p.coded("note", of.Code, values...); text != locale.Shown(of.Code) {
		return locale.Bounded(text, mostText)
	}
	return locale.Bounded(of.Text, mostText)
}

func (p *page) count(n int) string { return p.language.Number(float64(n), 0) }

// lead says the result in a few sentences.
func (p *page) lead(r *backtest.Result) []string {
	l, s := p.language, r.Statistics
	if len(r.Curve) == 0 {
		return []string{p.say("lead_nothing")}
	}
	first, last := r.Curve[0], r.Curve[len(r.Curve)-1]
	lead := []string{p.say("lead", l.Number(first.Value, 2), l.Day(first.Date), l.Number(last.Value, 2),
		l.Day(last.Date), l.Share(s.TotalReturn, 1))}
	selected := 0
	for _, date := range r.Rebalancings {
		selected += len(date.Selected)
	}
	if selected == 0 {
		return append(lead, p.say("lead_empty", p.count(len(r.Rebalancings))))
	}
	if s.CAGR != nil {
		lead = append(lead, p.say("lead_year", l.Percent(*s.CAGR, 1)))
	}
	if s.BenchmarkTotal != nil {
		lead = append(lead, p.say("lead_benchmark", p.index(r.Strategy.Benchmark), l.Percent(*s.BenchmarkTotal, 1)))
	}
	for _, line := range r.Ledger {
		if line.Run == "as_stated" && line.Rank != 0 {
			lead = append(lead, p.say("lead_rank", p.count(line.Rank), p.count(line.Of)))
		}
	}
	return lead
}

func (p *page) figures(r *backtest.Result) []figure {
	l, s := p.language, r.Statistics
	yearly := func(value *float64) string {
		if value == nil {
			return locale.Dash
		}
		return l.Percent(*value, 1) + " " + p.say("per_year")
	}
	month := func(m *backtest.Month) string {
		if m == nil {
			return locale.Dash
		}
		return p.say("of_month", l.Percent(m.Return, 1), l.Month(m.Month))
	}
	fall, fallDates := locale.Dash, ""
	if d := s.MaxDrawdown; d != nil {
		fall, fallDates = l.Percent(d.Fall, 1), p.drawdownDates(d)
	}
	all := []figure{
		{p.say("total_return"), l.Share(s.TotalReturn, 1), "", p.say("total_return_how")},
		{p.say("cagr"), yearly(s.CAGR), "", p.say("cagr_how")},
		{p.say("volatility"), yearly(s.Volatility), "", p.say("volatility_how")},
		{p.say("sharpe"), l.Ratio(s.Sharpe), "", p.say("sharpe_how")},
		{p.say("sortino"), l.Ratio(s.Sortino), "", p.say("sortino_how")},
		{p.say("max_drawdown"), fall, fallDates, p.say("max_drawdown_how")},
		{p.say("hit_rate"), l.Share(s.HitRate, 1), "", p.say("hit_rate_how")},
		{p.say("best_month"), month(s.BestMonth), "", p.say("month_how")},
		{p.say("worst_month"), month(s.WorstMonth), "", p.say("month_how")},
		{p.say("turnover"), yearly(s.Turnover), "", p.say("turnover_how")},
		{p.say("costs_paid"), p.say("units", l.Number(s.Costs, 2)), "", p.say("costs_paid_how")},
	}
	if r.Strategy.Benchmark == "" {
		return all
	}
	return append(all,
		figure{p.say("benchmark_total"), l.Share(s.BenchmarkTotal, 1), "", p.say("benchmark_how")},
		figure{p.say("benchmark_cagr"), yearly(s.BenchmarkCAGR), "", p.say("benchmark_how")},
		figure{p.say("tracking_error"), yearly(s.TrackingError), "", p.say("tracking_error_how")},
		figure{p.say("up_capture"), l.Share(s.UpCapture, 1), "", p.say("up_capture_how")},
		figure{p.say("down_capture"), l.Share(s.DownCapture, 1), "", p.say("down_capture_how")},
	)
}

func (p *page) drawdownDates(d *backtest.Drawdown) string {
	if d.Recovered == nil {
		return p.say("drawdown_open", p.language.Day(d.Peak), p.language.Day(d.Trough))
	}
	return p.say("drawdown_dates", p.language.Day(d.Peak), p.language.Day(d.Trough), p.language.Day(*d.Recovered))
}

// costs says what trading cost, by year.
func (p *page) costs(r *backtest.Result) {
	l, s := p.language, r.Strategy
	redemption := 0
	if s.RedemptionDays != nil {
		redemption = *s.RedemptionDays
	}
	p.CostsLead = []string{
		p.say("costs_lead", l.Percent(s.Costs.Buy, 2), l.Percent(s.Costs.Sell, 2), p.days(redemption),
			l.Number(r.Statistics.Costs, 2)),
		p.say("costs_in_quota"),
	}
	for _, line := range r.Ledger {
		if line.Run == "without_costs" && line.ReturnDifference != nil {
			p.CostsLead = append(p.CostsLead, p.say("costs_difference", p.change(line.ReturnDifference)))
		}
	}
	type year struct {
		trades             int
		bought, sold, cost float64
	}
	years := map[int]*year{}
	first, last := math.MaxInt, math.MinInt
	for _, date := range r.Rebalancings {
		for _, trade := range date.Trades {
			if trade.Kind == "no_quote" {
				continue
			}
			n := trade.Date.Time().Year()
			if years[n] == nil {
				years[n] = &year{}
			}
			first, last = min(first, n), max(last, n)
			of := years[n]
			of.trades++
			of.cost += trade.Cost
			switch trade.Kind {
			case "buy":
				of.bought += trade.Amount
			case "sell", "exit":
				of.sold += trade.Amount
			}
		}
	}
	p.Costs = grid{Caption: p.say("costs_table"),
		Columns: []string{p.say("costs_year"), p.say("costs_trades"), p.say("costs_bought"), p.say("costs_sold"),
			p.say("costs_cost")}}
	for n := first; n <= last; n++ {
		if of := years[n]; of != nil {
			p.Costs.Rows = append(p.Costs.Rows, []string{strconv.Itoa(n), p.count(of.trades), l.Number(of.bought, 2),
				l.Number(of.sold, 2), l.Number(of.cost, 2)})
		}
	}
}

// exclusions counts the excluded series by reason.
func (p *page) exclusions(r *backtest.Result) {
	if len(r.Rebalancings) == 0 {
		return
	}
	all, last := total(r.Rebalancings), r.Rebalancings[len(r.Rebalancings)-1].Excluded
	if len(all) == 0 {
		return
	}
	candidates := 0
	for _, date := range r.Rebalancings {
		candidates += date.Universe
	}
	share := func(n int) string {
		if candidates == 0 {
			return locale.Dash
		}
		return p.language.Percent(float64(n)/float64(candidates), 1)
	}
	p.Excluded.Columns = []string{p.say("reason"), p.say("excluded_total"), p.say("excluded_share"),
		p.say("excluded_last")}
	for i, reason := range reasons(all) {
		if i == mostReasons {
			p.ExcludedMore = p.say("excluded_bound", p.count(len(all)-mostReasons))
			break
		}
		p.Excluded.Rows = append(p.Excluded.Rows,
			[]string{p.reason(reason), p.count(all[reason]), share(all[reason]), p.count(last[reason])})
	}
	p.Excluded.Rows = append(p.Excluded.Rows,
		[]string{p.say("all"), p.count(sum(all)), share(sum(all)), p.count(sum(last))})
}

// source says what the run was computed from.
func (p *page) source(r *backtest.Result) []words {
	published := locale.Dash
	if !r.Batch.PublishedAt.IsZero() {
		published = r.Batch.PublishedAt.UTC().Format(time.RFC3339)
	}
	return []words{
		{p.say("source_batch"), locale.Shown(r.Batch.ID)},
		{p.say("source_cutoff"), p.language.Day(r.Batch.Cutoff)},
		{p.say("source_published"), published},
		{p.say("source_fingerprint"), locale.Shown(r.Batch.Fingerprint)},
		{p.say("source_result"), locale.Shown(r.Fingerprint)},
		{p.say("source_method"), locale.Shown(r.Method)},
		{p.say("source_candidates"), p.count(r.Vintage.Candidates)},
		{p.say("source_later"), p.count(r.Vintage.LaterHistory)},
		{p.say("source_corrected"), p.count(r.Vintage.Corrected)},
		{p.say("source_not_known"), p.count(r.Vintage.NotKnownThen)},
	}
}

// dateBlock is a signal date with its holdings and trades.
type dateBlock struct {
	Date, Summary, Days, Excluded string
	Missing                       string // what the bound on rows leaves out
	Selected                      []holding
	Trades                        []tradeRow
	None                          bool // nothing was selected
	Open                          bool
}

type holding struct{ Fund, Series, Value, Weight string }

type tradeRow struct{ Date, Fund, Series, Kind, Reason, Quota, Amount, Cost string }

// dates lists the signal dates, the newest first, until the bound on rows is reached.
func (p *page) dates(r *backtest.Result) {
	names := map[uint32]backtest.Selected{}
	for _, date := range r.Rebalancings {
		for _, s := range date.Selected {
			names[s.Series] = s
		}
	}
	p.SortedBy = p.say("sorted_by", p.coded("sort", r.Strategy.Sort))
	shownRows, missing := 0, 0
	take := func(n int) int {
		n = min(n, mostRows-shownRows)
		shownRows += n
		return n
	}
	for i := len(r.Rebalancings) - 1; i >= 0; i-- {
		date := &r.Rebalancings[i]
		if len(p.Dates) == mostDates {
			missing += len(date.Selected) + len(date.Trades)
			continue
		}
		block := p.dateBlock(date)
		block.Open = len(p.Dates) == 0
		for _, s := range date.Selected[:take(len(date.Selected))] {
			block.Selected = append(block.Selected,
				holding{locale.Shown(s.FundName), p.seriesName(s), p.sorted(r.Strategy.Sort, s.Value),
					p.language.Percent(s.Weight, 2)})
		}
		for _, t := range date.Trades[:take(len(date.Trades))] {
			block.Trades = append(block.Trades, p.tradeRow(t, names))
		}
		if left := len(date.Selected) + len(date.Trades) - len(block.Selected) - len(block.Trades); left > 0 {
			missing += left
			block.Missing = p.say("date_rows", p.count(left))
		}
		p.Dates = append(p.Dates, block)
	}
	if len(r.Rebalancings) > mostDates {
		p.DatesBound = p.say("dates_bound", p.count(mostDates), p.count(len(r.Rebalancings)))
	}
	if missing > 0 {
		p.RowsBound = p.say("holdings_bound", p.count(shownRows), p.count(missing))
	}
}

func (p *page) dateBlock(date *backtest.Rebalancing) dateBlock {
	l := p.language
	block := dateBlock{
		Date: l.Day(date.Date),
		Summary: p.say("date_summary", p.count(len(date.Selected)), p.count(date.Universe),
			p.counted("trade", len(date.Trades)), l.Number(cost(date.Trades), 2)),
		Days: p.say("date_days", l.Day(date.Day), l.Day(date.Sold), l.Day(date.Bought)),
		None: len(date.Selected) == 0,
	}
	var left []string
	for i, reason := range reasons(date.Excluded) {
		if i == mostReasons {
			left = append(left, "…")
			break
		}
		left = append(left, p.reason(reason)+" "+p.count(date.Excluded[reason]))
	}
	if len(left) > 0 {
		block.Excluded = p.say("date_excluded", strings.Join(left, "; "))
	}
	return block
}

func (p *page) seriesName(s backtest.Selected) string {
	return p.say("serie_of", locale.Shown(s.Serie)) + " · RUN" + locale.NoBreak + locale.Shown(s.RUN)
}

func (p *page) tradeRow(t backtest.Trade, names map[uint32]backtest.Selected) tradeRow {
	l := p.language
	row := tradeRow{Date: l.Day(t.Date), Fund: p.fund(t.Series, names), Kind: p.coded("trade", t.Kind),
		Reason: p.coded("why", t.Reason),
		Quota:  l.Number(t.Quota, 4), Amount: l.Number(t.Amount, 4), Cost: l.Number(t.Cost, 4)}
	if s, found := names[t.Series]; found {
		row.Series = p.seriesName(s)
	}
	if t.Into != 0 {
		row.Reason += ", " + p.say("trade_into", p.fund(t.Into, names))
	}
	return row
}

// fund returns the name of the fund of a series, or the id of a series that was never selected.
func (p *page) fund(series uint32, names map[uint32]backtest.Selected) string {
	if s, found := names[series]; found {
		return locale.Shown(s.FundName)
	}
	return p.say("series_id", strconv.FormatUint(uint64(series), 10))
}

// monthEnds returns the last day of each month of a curve, at most so many of the newest, and how
// many there are.
func monthEnds(curve []backtest.Day, most int) (ends []int, all int) {
	for i, d := range curve {
		if i == len(curve)-1 || month(d.Date) != month(curve[i+1].Date) {
			ends = append(ends, i)
		}
	}
	all = len(ends)
	return ends[max(0, all-most):], all
}

// month returns a number for each calendar month.
func month(d model.Date) int {
	year, month, _ := d.Time().Date()
	return year*12 + int(month)
}
