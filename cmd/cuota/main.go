// Command cuota is a read-model server for Chilean fund data. It reads the files that
// the market publishes, sends their rows through Kafka, projects them into ClickHouse
// tables, and answers a public API from these tables.
//
// One binary holds every role. "cuota up" runs all roles in one process over one data
// directory, and starts ClickHouse in another process. "cuota ingest", "cuota project"
// and "cuota query" run the same components as separate processes. Only this package
// connects the components; it has one file for each subcommand.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"cuota/internal/embedded/clickhouse"
)

// Exit codes that scripts may rely on.
const (
	exitFailed     = 1 // the command failed
	exitRejected   = 2 // ingest, scrape, rejected retry: it succeeded, and some rows were rejected
	exitIncomplete = 2 // other commands: an argument is missing, and the usage was printed
	exitRefused    = 3 // what was published is stored, but the checks refused the batch
	exitTimedOut   = 4 // the batch did not come within --timeout
)

// errRejected says that a command succeeded but some rows were rejected. The command has
// reported them.
var errRejected = errors.New("some rows were rejected")

func main() {
	clickhouse.Host() // this program is also started as the engine; then Host does not return
	os.Exit(run(time.Now))
}

// incomplete is the error for a missing argument or subcommand.
type incomplete struct {
	command *cobra.Command
	lacks   string
}

func (i *incomplete) Error() string { return i.lacks }

// oneArgument accepts exactly one argument. lacks says what to give if there is none.
func oneArgument(lacks string) cobra.PositionalArgs {
	return func(command *cobra.Command, args []string) error {
		if len(args) == 0 {
			return &incomplete{command, lacks}
		}
		return cobra.ExactArgs(1)(command, args)
	}
}

// run runs the command line and returns the exit code. now is the clock that dates
// archived files, batches and alerts.
func run(now func() time.Time) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	root, err := newRoot(now)
	if err != nil {
		fmt.Fprintln(os.Stderr, "cuota:", err)
		return exitFailed
	}
	var lacking *incomplete
	var logged *loggedError
	switch err := root.ExecuteContext(ctx); {
	case err == nil:
		return 0
	case onlyOf(err, func(part error) bool { return part == errRejected }):
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
	case errors.As(err, &logged):
		return exitFailed
	default:
		fmt.Fprintln(os.Stderr, "cuota:", err)
		return exitFailed
	}
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
		newBackup(settings), newRestore(settings), newSynth(), newBacktest(settings),
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
			return &incomplete{command, command.CommandPath() + " needs a command"}
		}
	}
	for _, below := range command.Commands() {
		completeEach(below)
	}
}
