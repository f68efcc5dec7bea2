package backtest

import (
	"fmt"

	"cuota/model"
)

// Result is a run of a strategy, with all that is needed to repeat it. Values of the portfolio
// begin with 100. Returns and rates are fractions. A figure that can't be computed is nil.
type Result struct {
	Strategy Strategy `json:"strategy"` // complete: with all defaults
	// of the strategy, the batch and the method, SHA-256 in hex: equal ones give equal bytes
	Fingerprint string  `json:"fingerprint"`
	Method      string  `json:"method"`
	Batch       Batch   `json:"batch"`
	Vintage     Vintage `json:"vintage"`

	Curve        []Day         `json:"curve"`
	Rebalancings []Rebalancing `json:"rebalancings"`
	Statistics   Statistics    `json:"statistics"`
	Months       []Month       `json:"months"`
	Ledger       []LedgerLine  `json:"ledger"`
	Notes        []Note        `json:"notes"` // why the result is empty or incomplete
}

// Note says why a result is empty or incomplete.
type Note struct {
	// no_dates, empty_universe, nothing_selected, sometimes_nothing, unclassified or no_reference
	Code   string   `json:"code"`
	Values []string `json:"values"` // in the order in which the text has them
	Text   string   `json:"text"`   // in English
}

// note makes a note from the form of its text and its values.
func note(code, form string, values ...string) Note {
	parts := make([]any, len(values))
	for i, value := range values {
		parts[i] = value
	}
	return Note{code, values, fmt.Sprintf(form, parts...)}
}

// Method names the rules of docs/backtests.md. It changes when they do.
const Method = "backtest_v3"

// Vintage says what the values of the candidates that the strategy reads were known from (section 2). A
// candidate counts in each of the last three that is true of it.
type Vintage struct {
	Candidates   int `json:"candidates"`     // series on signal dates
	LaterHistory int `json:"later_history"`  // of these, with values from a history that was loaded later
	Corrected    int `json:"corrected"`      // of these, with values that were corrected later
	NotKnownThen int `json:"not_known_then"` // left out, because their quote was not known yet
}

// Day is the portfolio at the end of a day; on the first day, before the first trade.
type Day struct {
	Date      model.Date `json:"date"`
	Value     float64    `json:"value"`
	Cash      float64    `json:"cash"` // with money on its way
	Benchmark *float64   `json:"benchmark"`
}

// Rebalancing is what happened for one signal date.
type Rebalancing struct {
	Date     model.Date     `json:"date"`
	Day      model.Date     `json:"day"`      // that answered for it
	Sold     model.Date     `json:"sold"`     // order day of sales
	Bought   model.Date     `json:"bought"`   // purchase day
	Universe int            `json:"universe"` // number of candidates
	Selected []Selected     `json:"selected"`
	Trades   []Trade        `json:"trades"`
	Excluded map[string]int `json:"excluded"` // number of candidates by reason
	Left     []Excluded     `json:"left"`     // each excluded series, by ascending id
}

// Selected is a series that was selected, in the order of the selection.
type Selected struct {
	Series   uint32  `json:"series_id"`
	RUN      string  `json:"run"`
	Serie    string  `json:"serie"`
	FundName string  `json:"fund"`
	Value    float64 `json:"value"`  // by which it was sorted
	Weight   float64 `json:"weight"` // goal, a part of 1
}

// Excluded is a series that was not selected.
type Excluded struct {
	Series uint32 `json:"series_id"`
	Reason string `json:"reason"`
}

// Trade is a sale, a purchase, an exit or an exchange. Amounts are in units of the portfolio,
// before costs.
type Trade struct {
	Date   model.Date `json:"date"` // of the quote
	Series uint32     `json:"series_id"`
	Kind   string     `json:"kind"`   // buy, sell, exit, exchange, no_quote
	Reason string     `json:"reason"` // selected, not_selected, above_goal, closed, break, exchanged, no_quote
	Quota  float64    `json:"quota"`  // in the currency of the series
	Amount float64    `json:"amount"`
	Cost   float64    `json:"cost"`
	Into   uint32     `json:"into,omitempty"` // destination of an exchange
}

// Statistics are the figures of section 6.
type Statistics struct {
	First          model.Date `json:"first"`
	Last           model.Date `json:"last"`
	TotalReturn    *float64   `json:"total_return"`
	CAGR           *float64   `json:"cagr"`
	Volatility     *float64   `json:"volatility"`
	Sharpe         *float64   `json:"sharpe"`
	Sortino        *float64   `json:"sortino"`
	MaxDrawdown    *Drawdown  `json:"max_drawdown"`
	HitRate        *float64   `json:"hit_rate"`
	Turnover       *float64   `json:"turnover"` // per year
	BenchmarkTotal *float64   `json:"benchmark_total_return"`
	BenchmarkCAGR  *float64   `json:"benchmark_cagr"`
	TrackingError  *float64   `json:"tracking_error"`
	UpCapture      *float64   `json:"up_capture"`
	DownCapture    *float64   `json:"down_capture"`
	BestMonth      *Month     `json:"best_month"`
	WorstMonth     *Month     `json:"worst_month"`
	Rolling12      []Month    `json:"rolling_12m"` // Month is the last of the twelve
	Rolling36      []Month    `json:"rolling_36m"`
	Costs          float64    `json:"costs"` // paid in all, in units of the portfolio
}

// Drawdown is the deepest fall below an earlier value.
type Drawdown struct {
	Fall      float64     `json:"fall"` // fraction, 0 or less
	Peak      model.Date  `json:"peak"`
	Trough    model.Date  `json:"trough"`
	Recovered *model.Date `json:"recovered"` // nil if it did not
}

// Month is the return of a calendar month, or of the months that end with it.
type Month struct {
	Month     model.Date `json:"month"` // its last day, or the last day of the run
	Return    float64    `json:"return"`
	Benchmark *float64   `json:"benchmark"`
	Whole     bool       `json:"whole"` // a complete calendar month, which statistics count
}

// LedgerLine is the same strategy with one thing changed (section 7). The first line is the run
// itself.
type LedgerLine struct {
	Run              string   `json:"run"` // as_stated, survivors_only, revised_data, without_costs
	TotalReturn      *float64 `json:"total_return"`
	ReturnDifference *float64 `json:"return_difference"`
	Rank             int      `json:"rank"` // 1 is best; 0: nothing to rank
	RankDifference   int      `json:"rank_difference"`
	Of               int      `json:"of"` // number of ranked series and the strategy
}
