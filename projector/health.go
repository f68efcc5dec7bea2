package projector

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"cuota/projector/build"
)

// noteTrouble stores why a step failed, and clears it when a step succeeds. That a batch was refused stays until one
// is published, or until this projector no longer leads.
func (p *Projector) noteTrouble(ctx context.Context, err error) {
	switch {
	case ctx.Err() != nil || errors.Is(err, errArriving) || errors.Is(err, errIncomplete) ||
		errors.As(err, new(build.SupersededError)):
		// The projector stops, or nothing is wrong: files are still arriving, or another
		// projector builds.
	case build.Refused(err):
		p.refused.Store(&err)
		p.trouble.Store(nil)
	case err != nil:
		p.trouble.Store(&err)
	default:
		p.trouble.Store(nil)
	}
}

// Alive fails if the loop that builds batches has ended by itself. A long build is no
// failure, because the time of a build has no limit.
func (p *Projector) Alive() error { return p.loop.Alive() }

// Ready fails with the reason if the last step failed: ClickHouse did not answer, this copy waits for others, or the
// batch was refused.
func (p *Projector) Ready() error {
	if why := cmp.Or(p.trouble.Load(), p.refused.Load()); why != nil {
		return fmt.Errorf("the last step failed: %w", *why)
	}
	return nil
}
