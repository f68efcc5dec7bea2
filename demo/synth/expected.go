package synth

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"strings"
	"time"

	"cuota/model"
)

// Expected is the content of expected.json: the results that the projections of the market must
// have. Counts and lists of stories are of the whole market. Results that need a history are
// given for a sample in which every story occurs.
type Expected struct {
	Series       int        `json:"series"` // a renamed series counts once
	SeriesNames  int        `json:"series_names"`
	Funds        int        `json:"funds"`            // funds in the cartola
	Registered   int        `json:"registered_funds"` // funds in the register
	Investment   int        `json:"investment_funds"`
	Managers     int        `json:"managers"`
	First        model.Date `json:"first_date"`
	Last         model.Date `json:"last_date"` // also the latest complete date
	Rows         uint64     `json:"cartola_rows"`
	RejectedRows uint64     `json:"rejected_rows"`

	Cartola         []CartolaFile   `json:"cartola"`
	Rejects         []Reject        `json:"rejects"` // only those of the sample
	Discontinuities []Discontinuity `json:"discontinuities"`
	Renames         []Rename        `json:"renames"`
	Corrections     []Correction    `json:"corrections"`
	Exchanges       []Exchange      `json:"exchanges"`
	Sample          []Sample        `json:"sample"`
	Strategies      []Strategy      `json:"strategies"`

	Benchmarks []BenchmarkClose `json:"benchmarks"`
	Articles   []Article107     `json:"article107"`  // funds that are not listed were never assessed
	ETFs       []model.RUN      `json:"etfs"`        // investment funds that are traded on an exchange
	Closed     int              `json:"fi_inactive"` // investment funds that are no longer in force
	Silent     int              `json:"fi_unknown"`  // investment funds in force that never published a value
	Portfolios []Portfolio      `json:"portfolios"`  // of investment funds, at the last quarter that is published
}

// BenchmarkClose is the last close of a benchmark.
type BenchmarkClose struct {
	Family string     `json:"family_rar"`
	Symbol string     `json:"symbol"`
	Active bool       `json:"active"`
	Prices int        `json:"prices"` // number of closes
	Date   model.Date `json:"date"`
	Close  float64    `json:"close"` // six decimals
}

// Article107 is what a fund's regulation declares about article 107.
type Article107 struct {
	Run             model.RUN `json:"run"`
	Status          string    `json:"status"`
	Section         string    `json:"section,omitempty"`
	SeriesException bool      `json:"series_exception,omitempty"`
}

// Portfolio is the portfolio of an investment fund at the close of a quarter.
type Portfolio struct {
	Run       model.RUN  `json:"run"`
	Month     model.Date `json:"month"`
	Positions int        `json:"positions"`
	Thousands int64      `json:"thousands"` // sum of the valuations, thousands of pesos
}

// CartolaFile has the counts of a cartola file.
type CartolaFile struct {
	File string `json:"file"`
	Rows int    `json:"rows"`
	// by fault: columns, comma, negative_quota, words_for_quota, impossible_date
	Rejected map[string]int `json:"rejected"`
}

// Reject is a row that was broken on purpose. The series still has an invalid quote on that
// day, unless the fault is an impossible date.
type Reject struct {
	File  string     `json:"file"`
	Line  int        `json:"line"`
	Fault string     `json:"fault"`
	Run   model.RUN  `json:"run"`
	Serie string     `json:"serie"` // its name on that day
	Date  model.Date `json:"date"`
}

// Discontinuity is a day across which there is no price return.
type Discontinuity struct {
	Run   model.RUN  `json:"run"`
	Serie string     `json:"serie"`
	Date  model.Date `json:"date"`
	Kind  string     `json:"kind"` // gap, restart or adjustment
}

// Rename is a series that continues under another name.
type Rename struct {
	Run          model.RUN  `json:"run"`
	Previous     string     `json:"previous_serie"`
	Current      string     `json:"current_serie"`
	FirstCurrent model.Date `json:"first_current_date"`
}

// Correction is a quota that a later file corrects.
type Correction struct {
	Run   model.RUN  `json:"run"`
	Serie string     `json:"serie"`
	Date  model.Date `json:"date"`
	Old   string     `json:"old"`
	New   string     `json:"new"`
}

// Exchange is a series whose holders got quotas of another one.
type Exchange struct {
	OriginRun        model.RUN  `json:"origin_run"`
	OriginSerie      string     `json:"origin_serie"`
	DestinationRun   model.RUN  `json:"destination_run"`
	DestinationSerie string     `json:"destination_serie"`
	Effective        model.Date `json:"effective_date"`
	Factor           string     `json:"factor"` // quotas of the destination for one of the origin
}

// Sample is one series of the sample. Its returns are those of one identity under all its
// names.
type Sample struct {
	Run           model.RUN      `json:"run"`
	Serie         string         `json:"serie"`
	Previous      string         `json:"previous_serie,omitempty"`
	Story         string         `json:"story"`
	Returns       []Return       `json:"returns"`
	TAC           []MonthlyTAC   `json:"tac,omitempty"`
	Distributions []Distribution `json:"distributions,omitempty"`
	// Multiplier is the exact product of all distributions.
	Multiplier string `json:"distribution_multiplier,omitempty"`
}

// Return is the price return of a window in accounting currency, or the reason why there is
// none. A zero date means null.
type Return struct {
	AsOf           model.Date `json:"as_of"`
	Window         string     `json:"window"`
	Value          *float64   `json:"value"` // fraction
	Currency       string     `json:"currency,omitempty"`
	Reason         string     `json:"reason,omitempty"`
	Total          *float64   `json:"total,omitempty"` // total return; only for series with verified factors
	TargetStart    model.Date `json:"target_start"`
	TargetEnd      model.Date `json:"target_end"`
	EffectiveStart model.Date `json:"effective_start,omitzero"`
	EffectiveEnd   model.Date `json:"effective_end,omitzero"`
}

// MonthlyTAC is the mean of the yearly cost rates from which the rows of a whole month were
// written. The mean of the rates of the rows differs from it by at most Tolerance: the greatest
// effect of rounding costs to whole pesos or cents, and that of days without a row.
type MonthlyTAC struct {
	Month     model.Date `json:"month"` // last day of the month
	Drawn     float64    `json:"drawn"` // fraction
	Tolerance float64    `json:"tolerance"`
}

// Distribution is a day with a factor de reparto.
type Distribution struct {
	Date   model.Date `json:"date"`
	Factor string     `json:"factor"`
}

// trace holds the quotas of a sampled series by day. Instead of a quota it may hold absent or
// invalid.
type trace struct {
	quotas []int64
	months []monthTrace
}

const (
	absent  = 0  // no row
	invalid = -1 // a row that was broken
)

type monthTrace struct {
	days, rows int
	irregular  bool    // on one of its days nobody held a unit at the beginning
	rates      float64 // sum of the yearly rates of the days
	unread     float64 // sum of those of the days without a row that can be read
	rounding   float64 // sum of the rounding errors of the rows
}

// sampled is the greatest size of the sample, in series.
const sampled = 64

// perStory is how many series of each story are chosen first.
const perStory = 4

// chooseTraces chooses the sample: first some series of every story, then any others.
func (m *market) chooseTraces() {
	chosen, of := 0, [kinds]int{}
	months := m.days[len(m.days)-1].month + 1
	choose := func(s *series) {
		s.trace = &trace{quotas: make([]int64, len(m.days)), months: make([]monthTrace, months)}
		of[s.story.kind]++
		chosen++
	}
	for _, s := range m.series {
		if k := s.story.kind; k != ordinary && of[k] < perStory {
			choose(s)
		}
	}
	for _, s := range m.series {
		if s.trace == nil && chosen < sampled {
			choose(s)
		}
	}
}

// note records the state of a series on a day, for expected.json.
func (m *market) note(s *series, d int) {
	m.compare(s, d)
	if s.trace == nil || d < s.story.start || d >= s.story.end {
		return
	}
	month := &s.trace.months[m.days[d].month]
	month.days++
	rate := s.rates.total() * m.days[d].yearDays
	month.rates += rate
	if !s.shown {
		month.unread += rate
		return
	}
	s.trace.quotas[d] = s.quota
	month.rows++
	before := s.units + s.redeemed - s.contributed
	if before <= 0 {
		month.irregular = true
		return
	}
	if s.rates.total() > 0 {
		month.rounding += float64(s.costUnit()) * scale / (float64(before) * float64(s.quota)) * m.days[d].yearDays
	}
}

// noteBroken records that the row just written is broken.
func (m *market) noteBroken(s *series, d int, broken fault, f *file) {
	if s.trace == nil {
		return
	}
	month := &s.trace.months[m.days[d].month]
	month.rows--
	month.unread += s.rates.total() * m.days[d].yearDays
	s.trace.quotas[d] = invalid
	if broken == date {
		s.trace.quotas[d] = absent
	}
	m.rejects = append(m.rejects, Reject{
		File: f.truth.File, Line: f.line, Fault: faultNames[broken], Run: s.fund.run, Serie: s.name(d),
		Date: m.days[d].date,
	})
}

func (m *market) writeExpected(out *output) error {
	text, err := json.MarshalIndent(m.expected(), "", " ")
	if err != nil {
		return fmt.Errorf("encode the expected figures: %w", err)
	}
	return out.create("expected.json", func(f *file) { f.text(string(text) + "\n") })
}

func (m *market) expected() Expected {
	e := Expected{
		Series: len(m.series), SeriesNames: len(m.series), Funds: len(m.funds), Registered: m.registered,
		Investment: len(m.investment), Managers: m.managersInUse(), First: m.days[0].date, Last: m.config.End,
		Rows: m.rows, RejectedRows: m.rejected, Cartola: m.cartola, Rejects: m.rejects,
	}
	for _, s := range m.series {
		if on, word := s.story.broken(); on >= 0 {
			e.Discontinuities = append(e.Discontinuities, Discontinuity{s.fund.run, s.serie, m.days[on].date, word})
		}
		if s.story.kind == renamed {
			e.SeriesNames++
			e.Renames = append(e.Renames, Rename{s.fund.run, s.story.previous, s.serie, m.days[s.story.renamedOn].date})
		}
		if s.trace != nil {
			e.Sample = append(e.Sample, m.sample(s))
		}
	}
	for _, c := range m.corrections {
		e.Corrections = append(e.Corrections, Correction{c.run, c.serie, c.date, number(c.old), number(c.new)})
	}
	for _, x := range m.exchanges {
		e.Exchanges = append(e.Exchanges, Exchange{
			x.origin.fund.run, x.origin.serie, x.destination.fund.run, x.destination.serie, x.effective,
			exchangeFactor(x),
		})
	}
	e.Strategies = m.expectedStrategies()
	e.Benchmarks, e.Portfolios = m.closes, m.portfolios
	for _, a := range m.articles107 {
		e.Articles = append(e.Articles, a.expected())
	}
	for _, fund := range m.investment {
		switch {
		case fund.listed == exchanged:
			e.ETFs = append(e.ETFs, fund.run)
		case fund.closed:
			e.Closed++
		case fund.silent:
			e.Silent++
		}
	}
	return e
}

func (m *market) sample(s *series) Sample {
	x := Sample{Run: s.fund.run, Serie: s.serie, Previous: s.story.previous, Story: kindNames[s.story.kind]}
	for _, asOf := range m.examined {
		if m.quoted(s, asOf) < 0 {
			continue // before its first quote a series is unknown to the API
		}
		for _, w := range windows(asOf) {
			x.Returns = append(x.Returns, m.priceReturn(s, asOf, w))
		}
	}
	for i, month := range s.trace.months {
		first := m.days[0].date.Time()
		last := model.NewDate(first.Year(), first.Month()+time.Month(i)+1, 0)
		if month.days == last.Time().Day() && month.rows > 0 && !month.irregular {
			drawn, unread := month.rates/float64(month.days), float64(month.days-month.rows)
			allowed := (month.rounding + math.Abs(month.unread-unread*drawn)) / float64(month.rows)
			x.TAC = append(x.TAC, MonthlyTAC{last, drawn, allowed + 1e-9})
		}
	}
	if len(s.story.distributions) > 0 {
		product := big.NewInt(1)
		for _, paid := range s.story.distributions {
			x.Distributions = append(x.Distributions,
				Distribution{m.days[paid.on].date, string(appendNumber(nil, paid.factor, 9))})
			product.Mul(product, big.NewInt(paid.factor))
		}
		x.Multiplier = decimalPoint(product.String(), 9*len(s.story.distributions))
	}
	return x
}

// decimalPoint divides a number above one, given as digits, by a power of ten.
func decimalPoint(digits string, places int) string {
	at := len(digits) - places
	return strings.TrimRight(strings.TrimRight(digits[:at]+"."+digits[at:], "0"), ".")
}

// window is one return window of the API at a date.
type window struct {
	name       string
	start, end model.Date
	years      int // years over which the return is annualised; 0 if it is not
}

// windows returns the eight return windows of a date (RULES 1).
func windows(asOf model.Date) []window {
	closed := monthEnd(asOf)
	return []window{
		{"1m", monthsBefore(asOf, 1), asOf, 0},
		{"3m", monthsBefore(asOf, 3), asOf, 0},
		{"6m", monthsBefore(asOf, 6), asOf, 0},
		{"1y", monthsBefore(asOf, 12), asOf, 0},
		{"ytd", model.NewDate(asOf.Time().Year()-1, 12, 31), asOf, 0},
		{"3y_ann", monthsBefore(asOf, 36), asOf, 3},
		{"5y_ann", monthsBefore(asOf, 60), asOf, 5},
		{"last_closed_month", monthEnd(closed.AddDays(-1)), closed, 0},
	}
}

// quoted returns the last day on or before the date on which the series has a row, or -1.
func (m *market) quoted(s *series, date model.Date) int {
	for d := m.index(date); d >= 0; d-- {
		if s.trace.quotas[d] != absent {
			return d
		}
	}
	return -1
}

// tolerance is how many days older than a target date a quote may be (RULES 1).
const tolerance = 7

func (m *market) priceReturn(s *series, asOf model.Date, w window) Return {
	r := Return{AsOf: asOf, Window: w.name, TargetStart: w.start, TargetEnd: w.end}
	from, to := m.quoted(s, w.start), m.quoted(s, w.end)
	if from >= 0 {
		r.EffectiveStart = m.days[from].date
	}
	if to >= 0 {
		r.EffectiveEnd = m.days[to].date
	}
	on, _ := s.story.broken()
	switch {
	case to < 0:
		r.Reason = "missing_end_quote"
	case s.trace.quotas[to] == invalid:
		r.Reason = "invalid_end_quote"
	case between(r.EffectiveEnd, w.end) > tolerance:
		r.Reason = "stale_end_quote"
	case from < 0:
		r.Reason = "missing_start_quote"
	case s.trace.quotas[from] == invalid:
		r.Reason = "invalid_start_quote"
	case between(r.EffectiveStart, w.start) > tolerance:
		r.Reason = "stale_start_quote"
	case on > from && on <= to:
		r.Reason = "known_discontinuity"
	default:
		r.Currency = s.fund.accounting()
		r.Value = new(yearly(float64(s.trace.quotas[to])/float64(s.trace.quotas[from]), w.years) - 1)
	}
	if s.verified() && (r.Value != nil || r.Reason == "known_discontinuity") {
		r.Total = new(yearly(float64(s.trace.quotas[to])/float64(s.trace.quotas[from])*s.story.multiplied(from, to),
			w.years) - 1)
	}
	return r
}

func yearly(gain float64, years int) float64 {
	if years == 0 {
		return gain
	}
	return math.Pow(gain, 1/float64(years))
}
