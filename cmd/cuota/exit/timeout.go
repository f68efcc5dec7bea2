package exit

import (
	"errors"
	"time"

	"github.com/spf13/cobra"
)

// TimeoutVar adds the flag --timeout to a command that waits for a batch. when begins its description,
// if the command does not always wait.
func TimeoutVar(command *cobra.Command, timeout *time.Duration, when string) {
	command.Flags().Var(&waitLimit{timeout}, "timeout",
		when+"end with exit status 4 if the batch is not published within this time, as in 90s or 10m")
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
