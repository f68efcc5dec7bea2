package report

import (
	"encoding/json"
	"fmt"
	"io"

	"cuota/backtest"
)

// JSON writes a result as one object, indented by two spaces. Lists without elements are [], not
// null. It fails if a number of the result is not finite, or if w fails.
func JSON(w io.Writer, r *backtest.Result) error {
	full := *r
	full.Curve = list(r.Curve)
	full.Months = list(r.Months)
	full.Ledger = list(r.Ledger)
	full.Notes = list(r.Notes)
	full.Statistics.Rolling12 = list(r.Statistics.Rolling12)
	full.Statistics.Rolling36 = list(r.Statistics.Rolling36)
	full.Rebalancings = make([]backtest.Rebalancing, len(r.Rebalancings))
	for i, date := range r.Rebalancings {
		date.Selected, date.Trades, date.Left = list(date.Selected), list(date.Trades), list(date.Left)
		if date.Excluded == nil {
			date.Excluded = map[string]int{}
		}
		full.Rebalancings[i] = date
	}
	return encode(w, full)
}

// run is what the tables of a result do not have. It is written beside them.
type run struct {
	Strategy    backtest.Strategy `json:"strategy"`
	Fingerprint string            `json:"fingerprint"`
	Method      string            `json:"method"`
	Batch       backtest.Batch    `json:"batch"`
	Vintage     backtest.Vintage  `json:"vintage"`
	Notes       []backtest.Note   `json:"notes"`
}

func writeRun(w io.Writer, r *backtest.Result) error {
	return encode(w, run{r.Strategy, r.Fingerprint, r.Method, r.Batch, r.Vintage, list(r.Notes)})
}

func encode(w io.Writer, value any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(value); err != nil {
		return fmt.Errorf("write the backtest as JSON: %w", err)
	}
	return nil
}

// list returns an empty list instead of nil.
func list[T any](values []T) []T {
	if values == nil {
		return []T{}
	}
	return values
}
