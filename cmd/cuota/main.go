// Command cuota is a read-model server for Chilean fund data. It reads the files that
// the market publishes, sends their rows through Kafka, projects them into ClickHouse
// tables, and answers a public API from these tables.
//
// One binary holds every role. "cuota up" runs all roles in one process over one data
// directory, and starts ClickHouse in another process. "cuota ingest", "cuota project"
// and "cuota query" run the same components as separate processes. This package has the
// table of subcommands, and connects the components of the roles up, project and query.
// The other subcommands, and what they stand on, are rooms in the folders beside it.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"cuota/cmd/cuota/agents"
	"cuota/cmd/cuota/backtests"
	"cuota/cmd/cuota/backups"
	"cuota/cmd/cuota/environment"
	"cuota/cmd/cuota/exit"
	"cuota/cmd/cuota/firststart"
	"cuota/cmd/cuota/ingesting"
	"cuota/cmd/cuota/notaries"
	"cuota/cmd/cuota/receipts"
	"cuota/cmd/cuota/upkeep"
	"cuota/internal/embedded/clickhouse"
)

func main() {
	clickhouse.Host() // this program is also started as the engine; then Host does not return
	os.Exit(run(time.Now))
}

// run runs the command line and returns the exit code. now is the clock that dates
// archived files, batches and alerts.
func run(now func() time.Time) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	root, err := newRoot(now)
	if err != nil {
		fmt.Fprintln(os.Stderr, "cuota:", err)
		return exit.Failed
	}
	return exit.Status(root.ExecuteContext(ctx))
}

func newRoot(now func() time.Time) (*cobra.Command, error) {
	settings, err := environment.Load()
	if err != nil {
		return nil, err
	}
	settings.Now = now
	root := &cobra.Command{
		Use:           "cuota",
		Short:         "A read-model server for Chilean fund data",
		SilenceUsage:  true,
		SilenceErrors: true,
		Version:       version(),
	}
	root.SetVersionTemplate("{{.Version}}")
	root.SetFlagErrorFunc(func(command *cobra.Command, err error) error {
		return fmt.Errorf("%w; see %s --help", err, command.CommandPath())
	})
	root.AddCommand(
		newUp(settings), ingesting.NewIngest(settings), ingesting.NewScrape(settings), newProject(settings),
		newQuery(settings),
		newRebuild(settings), upkeep.NewRepair(settings), upkeep.NewVerify(settings), upkeep.NewKey(settings),
		upkeep.NewLink(settings),
		upkeep.NewStatus(settings), upkeep.NewCopies(settings), ingesting.NewRejected(settings),
		backups.NewBackup(settings, programVersion()), backups.NewRestore(settings), firststart.NewSynth(),
		notaries.NewProve(settings), notaries.NewCheckProof(), backtests.New(settings),
		receipts.New(settings, programVersion()), receipts.NewAffected(settings, programVersion()),
		agents.New(settings, programVersion()),
	)
	root.InitDefaultCompletionCmd()
	completeEach(root)
	return root, nil
}

// completeEach makes a command without its subcommand fail as incomplete.
func completeEach(command *cobra.Command) {
	if command.HasSubCommands() && !command.Runnable() {
		command.Args = cobra.NoArgs // any argument is an unknown command
		command.RunE = func(command *cobra.Command, _ []string) error {
			return exit.Lacking(command, command.CommandPath()+" needs a command")
		}
	}
	for _, below := range command.Commands() {
		completeEach(below)
	}
}
