package build

import (
	"context"

	"golang.org/x/sync/errgroup"

	"cuota/sql"
)

// sideBySide is how many statements of a batch run at once. Most of the time of a daily
// batch is spent planning them, which uses one processor for each.
const sideBySide = 2

// inOrder runs projections in the order of their numbers. Those of one number may run at once,
// because none reads what another one fills. limit returns how many. After an error it begins no
// projection, waits for the running ones, and returns the first error.
func inOrder(ctx context.Context, list []sql.Projection,
	limit func() int64, run func(context.Context, sql.Projection) error) error {
	for len(list) > 0 {
		next := 0
		group, running := errgroup.WithContext(ctx)
		group.SetLimit(int(limit()))
		for next < len(list) && list[next].Number == list[0].Number {
			p := list[next]
			group.Go(func() error {
				if running.Err() != nil {
					return context.Cause(running)
				}
				return run(running, p)
			})
			next++
		}
		if err := group.Wait(); err != nil {
			return err
		}
		list = list[next:]
	}
	return nil
}
