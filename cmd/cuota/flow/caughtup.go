package flow

import (
	"context"
	"time"

	"cuota/internal/loop"
	"cuota/model"
)

// caughtUpEvery is how often a copy checks whether it has stored the whole topic of batches. It is a small part of the
// time for which query servers may answer after a check.
const caughtUpEvery = 3 * time.Second

// keepCaughtUp states again and again up to when this copy has stored the topic of batches.
func (p *Projection) keepCaughtUp(ctx context.Context) {
	loop.EveryLogged(ctx, caughtUpEvery, p.log, "can't check whether this copy has read the topic of batches to its "+
		"end; after 12 seconds its query servers answer 503 copy_behind", "this copy can check again whether it has read the "+
		"topic of batches to its end", p.stateCaughtUp)
}

// stateCaughtUp states that this copy has stored the whole topic of batches, if nothing waits in it. The moment is
// taken before the brokers are asked.
func (p *Projection) stateCaughtUp(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, caughtUpEvery)
	defer cancel()
	now := time.Now()
	// Only of this topic: the leaders of others may be away.
	lags, err := p.Group.Lag(ctx, model.BatchesTopic)
	if err != nil {
		return err
	}
	for _, lag := range lags {
		if lag.Lag > 0 || lag.Ahead > 0 {
			return nil // it is being read
		}
	}
	return p.Projector.CaughtUp(ctx, now)
}
