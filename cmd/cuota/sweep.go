package main

import (
	"context"
	"time"

	"github.com/rs/zerolog"
)

// sweeping runs a sweep at once and then at intervals, until stop is called. Errors of a
// sweep are logged, and the next sweep tries again.
func sweeping(every time.Duration, log zerolog.Logger, sweep func() (removed int, err error)) (stop func(context.Context) error) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			removed, err := sweep()
			if err != nil {
				log.Warn().Err(err).Msg("some temporary files of killed processes could not be removed")
			}
			if removed > 0 {
				log.Info().Int("files", removed).Msg("removed temporary files of killed processes")
			}
			select {
			case <-tick.C:
			case <-ctx.Done():
				return
			}
		}
	}()
	return func(stopping context.Context) error {
		cancel()
		select {
		case <-done:
			return nil
		case <-stopping.Done():
			return stopping.Err()
		}
	}
}
