package exit

import (
	"context"
	"errors"
	"os"
	"slices"
	"time"

	"github.com/rs/zerolog"

	"cuota/cmd/cuota/output"
)

// Time limits for stopping. Requests under way have a limit of their own, because their
// time depends on the client, which may take a minute to read a reply. The limit for a
// component is longer than that for a mail under way (5 s).
const (
	AnswerPatience = 10 * time.Second
	StopPatience   = 8 * time.Second
)

// ShutDown stops one component within its own time limit. The limit does not depend on ctx,
// which may be cancelled already, or on the time that other components took, because the
// things that this component uses are closed next.
func ShutDown(ctx context.Context, patience time.Duration, stop func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	return stop(ctx)
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
