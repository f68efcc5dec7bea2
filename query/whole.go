package query

import (
	"context"
	"errors"
)

// whole makes sure of every answer that was read of a batch that the batch was
// there to the end: of one that is dropped meanwhile, rows may have been missing,
// and what is made of the rest would be kept, or says that something is unknown.
func (s *Server) whole(answer func(context.Context, *call) (reply, error)) func(context.Context, *call) (reply, error) {
	return func(ctx context.Context, c *call) (reply, error) {
		out, err := answer(ctx, c)
		if failed := (*readError)(nil); errors.As(err, &failed) {
			return out, err
		}
		if gone := s.stillReadable(ctx, c.batch); gone != nil {
			if current := s.follower.current.Load(); errors.Is(gone, errRetired) && c.has("batch_id") && c.batch.ID != current.ID {
				gone = batchGone(current) // the caller named it: asking again won't bring it back
			}
			return reply{}, gone
		}
		return out, err
	}
}
