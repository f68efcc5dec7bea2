package projector

import (
	"context"
	"errors"
	"fmt"
)

// noteTrouble keeps why a step failed, until one succeeds.
func (p *Projector) noteTrouble(ctx context.Context, err error) {
	var superseded supersededError
	switch {
	case ctx.Err() != nil || errors.Is(err, errArriving) || errors.Is(err, errIncomplete) || errors.As(err, &superseded):
		// The end, or nothing wrong: files arrive, or another projector builds.
	case err != nil:
		p.trouble.Store(&err)
	default:
		p.trouble.Store(nil)
	}
}

// Alive gives an error if the loop that builds batches has ended by itself. How long a
// batch takes is not bounded, so one that takes long is not held against it.
func (p *Projector) Alive() error {
	select {
	case <-p.done:
		return errors.New("its loop has ended")
	default:
		return nil
	}
}

// Ready gives why the projector could not do its last step: ClickHouse did not answer, or
// the batch that it built did not pass its checks.
func (p *Projector) Ready() error {
	if why := p.trouble.Load(); why != nil {
		return fmt.Errorf("the last step failed: %w", *why)
	}
	return nil
}
