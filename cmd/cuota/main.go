// Command cuota is a read-model server for Chilean fund data: it takes the files
// that the market publishes, sends them through Kafka, projects them into
// ClickHouse tables and answers a public API from these.
//
// One binary holds every role. "cuota up" runs all of them in one process over
// one data directory, with both engines inside; "cuota ingest", "cuota project"
// and "cuota query" are the same components as processes of their own. This
// package is the only one that wires them together: one file a subcommand.
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
)

// Exit codes that scripts can rely on.
const (
	exitFailed   = 1 // the command could not do what it was asked
	exitRejected = 2 // it did, and some rows were rejected
)

// errRejected says that a command ended well but for rows that were rejected,
// of which it has told already.
var errRejected = errors.New("some rows were rejected")

func main() { os.Exit(run(time.Now)) }

// run carries out the command line; now is the clock that says what is still news.
func run(now func() time.Time) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	root, err := newRoot(now)
	if err != nil {
		fmt.Fprintln(os.Stderr, "cuota:", err)
		return exitFailed
	}
	switch err := root.ExecuteContext(ctx); {
	case err == nil:
		return 0
	case errors.Is(err, errRejected):
		return exitRejected
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
	}
	root.CompletionOptions.DisableDefaultCmd = true
	root.AddCommand(
		newUp(settings), newIngest(settings), newScrape(settings), newProject(settings), newQuery(settings),
		newRebuild(settings), newKey(settings), newStatus(settings), newSynth(),
	)
	return root, nil
}
