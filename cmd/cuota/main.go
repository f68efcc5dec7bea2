// Command cuota is a read-model server for Chilean fund data: it takes the files
// that the market publishes, sends them through Kafka, projects them into
// ClickHouse tables and answers a public API from these.
//
// One binary holds every role. "cuota up" runs all of them in one process over
// one data directory, and starts ClickHouse beside it; "cuota ingest", "cuota project"
// and "cuota query" are the same components as processes of their own. This
// package is the only one that wires them together: one file a subcommand.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"cuota/internal/embedded/clickhouse"
)

// Exit codes that scripts can rely on.
const (
	exitFailed     = 1 // the command could not do what it was asked
	exitRejected   = 2 // ingest, scrape, rejected retry: it did, and some rows were rejected
	exitIncomplete = 2 // the others: the command line lacks something, and the usage was printed
	exitRefused    = 3 // what was published is stored, and the batch was refused by its checks
	exitTimedOut   = 4 // the batch did not come within --timeout
)

// errRejected says that a command ended well but for rows that were rejected,
// of which it has told already.
var errRejected = errors.New("some rows were rejected")

func main() {
	clickhouse.Host() // this program is also started as the engine; Host does not return then
	os.Exit(run(time.Now))
}

// incomplete says what a command line lacks.
type incomplete struct {
	command *cobra.Command
	lacks   string
}

func (i *incomplete) Error() string { return i.lacks }

// run carries out the command line; now is the clock that archived files, batches and alerts are dated by.
func run(now func() time.Time) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	root, err := newRoot(now)
	if err != nil {
		fmt.Fprintln(os.Stderr, "cuota:", err)
		return exitFailed
	}
	var lacking *incomplete
	switch err := root.ExecuteContext(ctx); {
	case err == nil:
		return 0
	case only(err, errRejected):
		return exitRejected
	case errors.Is(err, errRefused):
		fmt.Fprintln(os.Stderr, "cuota:", err)
		return exitRefused
	case errors.Is(err, errTimedOut):
		fmt.Fprintln(os.Stderr, "cuota:", err)
		return exitTimedOut
	case errors.As(err, &lacking):
		fmt.Fprintf(os.Stderr, "cuota: %s\n\n%s", lacking.lacks, lacking.command.UsageString())
		return exitIncomplete
	default:
		fmt.Fprintln(os.Stderr, "cuota:", err)
		return exitFailed
	}
}

// only tells whether an error is one, or joins nothing else: beside another error it does
// not tell all.
func only(err, one error) bool {
	if joined, is := err.(interface{ Unwrap() []error }); is {
		return !slices.ContainsFunc(joined.Unwrap(), func(part error) bool { return !only(part, one) })
	}
	return err == one
}

func newRoot(now func() time.Time) (*cobra.Command, error) {
	settings, err := loadSettings()
	if err != nil {
		return nil, err
	}
	settings.now = now
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
		newUp(settings), newIngest(settings), newScrape(settings), newProject(settings), newQuery(settings),
		newRebuild(settings), newRepair(settings), newVerify(settings), newKey(settings), newStatus(settings), newRejected(settings),
		newBackup(settings), newRestore(settings), newSynth(),
	)
	root.InitDefaultCompletionCmd()
	completeEach(root)
	return root, nil
}

// completeEach has commands that are only the beginning of others say so.
func completeEach(command *cobra.Command) {
	if command.HasSubCommands() && !command.Runnable() {
		command.Args = cobra.NoArgs // anything else is an unknown command
		command.RunE = func(command *cobra.Command, _ []string) error {
			return &incomplete{command, command.CommandPath() + " needs a command"}
		}
	}
	for _, below := range command.Commands() {
		completeEach(below)
	}
}
