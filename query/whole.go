package query

import (
	"context"
	"errors"
)

// whole checks after every read of a batch that the batch was not retired meanwhile. If it
// was, rows may have been missing, and a wrong reply would be cached or would say that
// something is unknown. It fails with 410 if the caller named the batch, else with a
// *readError.
func (s *Server) whole(answer func(context.Context, *call) (reply, error)) func(context.Context, *call) (reply, error) {
	return func(ctx context.Context, c *call) (reply, error) {
		out, err := answer(ctx, c)
		if failed := (*readError)(nil); errors.As(err, &failed) {
			return out, err
		}
		if gone := s.stillReadable(ctx, c.batch); gone != nil {
			if current := s.follower.current.Load(); errors.Is(gone, errRetired) && c.has("batch_id") && c.batch.ID != current.ID {
				gone = batchGone(current) // the caller named the batch, so asking again does not help
			}
			return reply{}, gone
		}
		return out, err
	}
}
