// Package backtests has the subcommands of cuota backtest. They read strategies from files and flags, replay
// them over the published batch, and write the results.
package backtests

import (
	"github.com/spf13/cobra"

	"cuota/cmd/cuota/environment"
)

// New returns the command cuota backtest.
func New(s environment.Settings) *cobra.Command {
	command := &cobra.Command{
		Use:   "backtest",
		Short: "Replay the history of the market",
		Long:  "Replay the history of the market from the published batch. docs/backtests.md says what is computed.",
	}
	command.AddCommand(newBacktestSummary(s), newBacktestStrategy(s))
	return command
}
