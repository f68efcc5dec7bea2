package backtests

import (
	"github.com/spf13/cobra"

	"cuota/cmd/cuota/environment"
)

func New(s environment.Settings) *cobra.Command {
	command := &cobra.Command{
		Use:   "backtest",
		Short: "Replay the history of the market",
		Long:  "Replay the history of the market from the published batch. docs/backtests.md says what is computed.",
	}
	command.AddCommand(newBacktestSummary(s), newBacktestStrategy(s))
	return command
}
