package flow

import (
	"context"
	"time"

	"cuota/internal/loop"
	"cuota/model"
)

// heardEvery is how often a copy checks whether it has stored the whole topic of batches. It is a small part of the
// time for which query servers may answer after a check.
const heardEvery = 3 * time.Second

// followLog states again and again up to when this copy has heard what batches there are.
func (p *Projection) followLog(ctx context.Context) {
	loop.EveryLogged(ctx, heardEvery, p.log, "can't check whether this copy has read the topic of batches to its "+
		"end; after 12 seconds its query servers answer 503 copy_behind", "this copy can check again whether it has read the "+
		"topic of batches to its end", p.hear)
}

// hear states that the copy has heard everything until now, if nothing waits in the topic of batches. The moment is
// taken before the brokers are asked.
func (p *Projection) hear(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, heardEvery)
	defer cancel()
	now := time.Now()
	lags, err := p.Group.Lag(ctx)
	if err != nil {
		return err
	}
	for _, lag := range lags {
		if lag.Topic == model.BatchesTopic && (lag.Lag > 0 || lag.Ahead > 0) {
			return nil // it is being read
		}
	}
	return p.Projector.Heard(ctx, now)
}
