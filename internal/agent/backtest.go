package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

func (s *server) backtest() tool {
	return tool{name: "backtest", run: func(ctx context.Context, arguments json.RawMessage) (string, error) {
		strategy, err := newStrategy(arguments)
		if err != nil {
			return "", err
		}
		result, err := s.api.Backtest(ctx, strategy, "")
		if err != nil {
			return "", err
		}
		return summarised(result)
	}}
}

// newStrategy reads the arguments as a strategy. The API checks its members, so only their words are translated.
func newStrategy(arguments json.RawMessage) (map[string]any, error) {
	if len(arguments) > maxArguments {
		return nil, fmt.Errorf("the arguments have %d bytes, more than %d", len(arguments), maxArguments)
	}
	strategy := map[string]any{}
	if err := json.Unmarshal(arguments, &strategy); err != nil || strategy == nil {
		return nil, errors.New("the arguments must be one JSON object")
	}
	if _, named := strategy["name"]; !named {
		strategy["name"] = "asked by an agent"
	}
	if text, is := strategy["sort"].(string); is {
		if window, err := windowWords.read("sort", text); err == nil && window != "" {
			strategy["sort"] = window
		}
	}
	if filter, is := strategy["filter"].(map[string]any); is {
		for name, known := range map[string]words{"currency": currencyWords, "category": categoryWords} {
			if text, is := filter[name].(string); is {
				value, err := known.read("filter."+name, text)
				if err != nil {
					return nil, err
				}
				filter[name] = value
			}
		}
	}
	return strategy, nil
}

// month is a month of a backtest, whose returns are fractions.
type month struct {
	Month  string   `json:"month"`
	Return *float64 `json:"return"`
}

// holding is a series that a backtest selected.
type holding struct {
	Run    string  `json:"run"`
	Serie  string  `json:"serie"`
	Fund   string  `json:"fund"`
	Weight float64 `json:"weight"`
}

// rebalancing is a date on which a backtest selected.
type rebalancing struct {
	Date     string    `json:"date"`
	Universe int       `json:"universe"` // series that could be selected
	Selected []holding `json:"selected"`
	// Excluded counts the series that were left out, by reason.
	Excluded map[string]int `json:"excluded"`
}

// statistics are the figures of a backtest that its answer has.
type statistics struct {
	First                *string  `json:"first"`
	Last                 *string  `json:"last"`
	TotalReturn          *float64 `json:"total_return"`
	CAGR                 *float64 `json:"cagr"`
	Volatility           *float64 `json:"volatility"`
	Sharpe               *float64 `json:"sharpe"`
	MaxDrawdown          any      `json:"max_drawdown"`
	Turnover             *float64 `json:"turnover"`
	BenchmarkTotalReturn *float64 `json:"benchmark_total_return"`
	BenchmarkCAGR        *float64 `json:"benchmark_cagr"`
	Costs                *float64 `json:"costs"`
	BestMonth            *month   `json:"best_month"`
	WorstMonth           *month   `json:"worst_month"`
}

var backtestUnits = map[string]string{
	"returns, volatility, drawdown": "fraction; cagr and volatility a year",
	"ledger":                        "the result as stated, and with each source of bias changed",
}

// summarised returns the answer with the parts of a result that a model needs. The days of the curve, the trades and
// the rolling returns are left out.
func summarised(result json.RawMessage) (string, error) {
	var of struct {
		Batch struct {
			ID     string `json:"id"`
			Cutoff string `json:"cutoff"`
		} `json:"batch"`
		Method       string           `json:"method"`
		Rebalancings []rebalancing    `json:"rebalancings"`
		Statistics   statistics       `json:"statistics"`
		Ledger       []map[string]any `json:"ledger"`
		Notes        []any            `json:"notes"`
	}
	if err := json.Unmarshal(result, &of); err != nil {
		return "", fmt.Errorf("read the result of the backtest: %w", err)
	}
	var last rebalancing
	held := 0 // dates on which something was selected
	for _, last = range of.Rebalancings {
		held += min(1, len(last.Selected))
	}
	if held == 0 { // its return of zero would be taken for a result
		why, err := encode(last.Excluded)
		if err != nil {
			return "", err
		}
		return "",
			fmt.Errorf("no series was selected on any of %d dates, so there is nothing to report. On the last one, "+
				"%s, %d series could be selected, and these were left out: %s", len(of.Rebalancings), last.Date,
				last.Universe,
				why)
	}
	selected, notes := last.Selected, of.Notes[:min(len(of.Notes), 5)]
	return fitting(len(selected), func(n int) any {
		o := origin{BatchID: of.Batch.ID, AsOfDate: of.Batch.Cutoff, Source: "POST /api/backtests, " + of.Method}
		if left := len(selected) - n; left > 0 {
			o.Left = fmt.Sprintf("%d of the series last selected; POST /api/backtests has all", left)
		}
		last.Selected = selected[:n]
		return struct {
			Statistics   statistics        `json:"statistics"`
			Units        map[string]string `json:"units"`
			Rebalancings int               `json:"rebalancings"`
			Held         int               `json:"rebalancings_with_selection"`
			Last         rebalancing       `json:"last_rebalancing"`
			Ledger       []map[string]any  `json:"ledger"`
			Notes        []any             `json:"notes,omitempty"`
			origin
		}{of.Statistics, backtestUnits, len(of.Rebalancings), held, last, of.Ledger, notes, o}
	})
}
