package exit

import (
	"context"
	"time"
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
