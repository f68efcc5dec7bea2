// Package exit ends the program: within which time each component stops, and with which status, on which
// scripts may rely.
package exit

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"cuota/cmd/cuota/output"
)

// Exit codes that scripts may rely on.
const (
	Failed     = 1 // the command failed
	Rejected   = 2 // ingest, scrape, rejected retry: it succeeded, and some rows were rejected
	Incomplete = 2 // other commands: an argument is missing, and the usage was printed
	Refused    = 3 // what was published is stored, but the checks refused the batch
	TimedOut   = 4 // the batch did not come within --timeout
	Differing  = 5 // copies diff: the rows of the copies differ
)

// Errors that stand for an exit code.
var (
	// ErrRejected says that a command succeeded but some rows were rejected. The command has
	// reported them.
	ErrRejected = errors.New("some rows were rejected")
	// ErrRefused says that the checks refused the batch that a command waited for.
	ErrRefused = errors.New("refused")
	// ErrTimedOut says that the batch did not come within --timeout.
	ErrTimedOut = errors.New("timed out")
	// ErrDiffering says that the rows of two copies differ. The command has listed them.
	ErrDiffering = errors.New("the copies differ")
)

// incomplete is the error for a missing argument or subcommand.
type incomplete struct {
	command *cobra.Command
	lacks   string
}

func (i *incomplete) Error() string { return i.lacks }

// Lacking returns the error for a command line that lacks something. lacks says what to give.
func Lacking(command *cobra.Command, lacks string) error { return &incomplete{command, lacks} }

// OneArgument accepts exactly one argument. lacks says what to give if there is none.
func OneArgument(lacks string) cobra.PositionalArgs {
	return func(command *cobra.Command, args []string) error {
		if len(args) == 0 {
			return Lacking(command, lacks)
		}
		return cobra.ExactArgs(1)(command, args)
	}
}

// Status returns the exit code for what a command returned, and writes to standard error what the
// command has not reported itself.
func Status(err error) int {
	var missing *incomplete
	var logged *loggedError
	switch {
	case err == nil:
		return 0
	case onlyOf(err, func(part error) bool { return part == ErrRejected }):
		return Rejected
	case errors.Is(err, ErrRefused):
		fmt.Fprintln(os.Stderr, "cuota:", err)
		return Refused
	case errors.Is(err, ErrTimedOut):
		fmt.Fprintln(os.Stderr, "cuota:", err)
		return TimedOut
	case errors.Is(err, ErrDiffering):
		fmt.Fprintln(os.Stderr, "cuota:", err)
		return Differing
	case errors.As(err, &missing):
		fmt.Fprintf(os.Stderr, "cuota: %s\n\n%s", missing.lacks, missing.command.UsageString())
		return Incomplete
	case errors.As(err, &logged):
		return Failed
	default:
		fmt.Fprintln(os.Stderr, "cuota:", err)
		return Failed
	}
}

// OfRole returns the error with which a role ends. A role that is told to end while it
// starts breaks off its start. That is no failure: a service manager expects status 0. Where
// the log is JSON, the error is its last line, so that a collector of logs reads it.
func OfRole(ctx context.Context, logger func() zerolog.Logger, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil && onlyOf(err, func(part error) bool { return errors.Is(part, context.Canceled) }):
		return nil
	case output.OnTerminal(os.Stderr):
		return err
	}
	log := logger()
	log.WithLevel(zerolog.FatalLevel).Err(err).Msg("cuota has failed and ends")
	return &loggedError{err}
}

// loggedError is an error that the log has already.
type loggedError struct{ error }

func (e *loggedError) Unwrap() error { return e.error }

// onlyOf reports whether every error that is joined in err is of a kind.
func onlyOf(err error, kind func(error) bool) bool {
	if joined, is := err.(interface{ Unwrap() []error }); is {
		return !slices.ContainsFunc(joined.Unwrap(), func(part error) bool { return !onlyOf(part, kind) })
	}
	return kind(err)
}
