package main

import (
	"context"
	"time"

	"github.com/rs/zerolog"

	"cuota/internal/loop"
)

// sweeping runs a sweep at once and then at intervals, until stop is called. Errors of a
// sweep are logged, and the next sweep tries again.
func sweeping(every time.Duration, log zerolog.Logger,
	sweep func() (removed int, err error)) (stop func(context.Context) error) {
	sweepOnce := func() {
		removed, err := sweep()
		if err != nil {
			log.Warn().Err(err).Msg("some temporary files of killed processes could not be removed")
		}
		if removed > 0 {
			log.Info().Int("files", removed).Msg("removed temporary files of killed processes")
		}
	}
	var sweeps loop.Loop
	_ = sweeps.Start(func(ctx context.Context) { loop.Every(ctx, every, sweepOnce) }) // only a second start fails
	return sweeps.Stop
}
