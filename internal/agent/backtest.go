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

// summarised returns the answer with the parts of a result that a model needs. The days of the curve, the trades and
// the rolling returns are left out.
func summarised(result json.RawMessage) (string, error) {
	var of struct {
		Batch struct {
			ID     string `json:"id"`
			Cutoff string `json:"cutoff"`
		} `json:"batch"`
		Method       string `json:"method"`
		Rebalancings []struct {
			Date     string    `json:"date"`
			Universe int       `json:"universe"`
			Selected []holding `json:"selected"`
		} `json:"rebalancings"`
		Statistics struct {
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
		} `json:"statistics"`
		Ledger []map[string]any `json:"ledger"`
		Notes  []any            `json:"notes"`
	}
	if err := json.Unmarshal(result, &of); err != nil {
		return "", fmt.Errorf("read the result of the backtest: %w", err)
	}
	var date string
	var universe int
	var selected []holding
	if n := len(of.Rebalancings); n > 0 {
		last := of.Rebalancings[n-1]
		date, universe, selected = last.Date, last.Universe, last.Selected
	}
	notes := of.Notes[:min(len(of.Notes), 5)]
	return fitting(len(selected), func(n int) any {
		o := origin{BatchID: of.Batch.ID, AsOfDate: of.Batch.Cutoff, Source: "POST /api/backtests, " + of.Method}
		if left := len(selected) - n; left > 0 {
			o.Left = fmt.Sprintf("%d of the series last selected; POST /api/backtests has all", left)
		}
		return struct {
			Statistics   any               `json:"statistics"`
			Units        map[string]string `json:"units"`
			Rebalancings int               `json:"rebalancings"`
			LastDate     string            `json:"last_rebalancing"`
			Universe     int               `json:"last_universe"`
			Selected     []holding         `json:"last_selected"`
			Ledger       []map[string]any  `json:"ledger"`
			Notes        []any             `json:"notes,omitempty"`
			origin
		}{of.Statistics, map[string]string{"returns, volatility, drawdown": "fraction; cagr and volatility a year",
			"ledger": "the result as stated, and with each source of bias changed"},
			len(of.Rebalancings), date, universe, selected[:n], of.Ledger, notes, o}
	})
}
