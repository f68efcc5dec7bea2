package exit

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"
)

// Exit codes that scripts may rely on.
const (
	Failed     = 1 // the command failed
	Rejected   = 2 // ingest, scrape, rejected retry: it succeeded, and some rows were rejected
	Incomplete = 2 // other commands: an argument is missing, and the usage was printed
	Refused    = 3 // what was published is stored, but the checks refused the batch
	TimedOut   = 4 // the batch did not come within --timeout
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

// TimeoutVar adds the flag --timeout to a command that waits for a batch.
func TimeoutVar(command *cobra.Command, timeout *time.Duration, when string) {
	command.Flags().Var(&waitLimit{timeout}, "timeout", when+"end with exit status 4 if the batch is not published within this time, as in 90s or 10m")
}

// waitLimit is the value of --timeout.
type waitLimit struct{ *time.Duration }

func (l *waitLimit) String() string {
	if l.Duration == nil || *l.Duration == 0 {
		return ""
	}
	return l.Duration.String()
}

func (l *waitLimit) Type() string { return "duration" }

func (l *waitLimit) Set(text string) error {
	limit, err := time.ParseDuration(text)
	if err != nil || limit <= 0 {
		return errors.New("give a duration above 0, as in 90s or 10m")
	}
	*l.Duration = limit
	return nil
}
