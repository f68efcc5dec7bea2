package query

import (
	"context"
	"time"

	"cuota/internal/loop"
	"cuota/sql"
)

// The files of a batch are begun this long after it was computed, so that of batches that follow each other at once
// only the last one is written.
const (
	filesAfter = 30 * time.Second
	filesLook  = 5 * time.Second
)

// spareBytes stay free on the disk of the files, besides room for files as large as the newest ones.
const spareBytes = 2 << 30

// followFiles makes the files of each batch after its publication, until Stop.
func (s *Server) followFiles() {
	if s.files.folder == nil || s.host.ClickHouse == nil {
		return
	}
	_ = s.files.ahead.Start(func(ctx context.Context) {
		full := "" // the batch of which the log says that the disk has no room
		loop.Every(ctx, filesLook, func() { full, _ = s.filesAhead(ctx, full) })
	})
}

// filesAhead begins the files of the current batch, if it is time for them and the disk has room. It takes and returns
// the batch of which the log says that the disk has no room.
func (s *Server) filesAhead(ctx context.Context, full string) (stillFull string, begun bool) {
	current, now := s.host.Follower.Current(), s.host.Now()
	if current == nil || current.Damaged || current.Rules != sql.Rules() ||
		now.Sub(current.CalculatedAt) < filesAfter || s.files.rest(current.ID, now) > 0 {
		return full, false
	}
	if _, err := s.files.folder.Manifest(current.ID); err == nil {
		return full, false
	}
	free, need, err := s.files.folder.Room()
	if err == nil && free < need+spareBytes && full != current.ID {
		s.sweepFiles(ctx) // files of earlier batches may take the room
		free, need, err = s.files.folder.Room()
	}
	if err == nil && free < need+spareBytes {
		if full != current.ID {
			s.log.Warn().Str("batch_id", current.ID).Int64("free_bytes", free).Int64("need_bytes", need+spareBytes).
				Msg("the files of the batch are not made yet, because the disk has no room; a request for them makes " +
					"them all the same")
		}
		return current.ID, false
	}
	return full, s.beginFiles(s.host.PinnedTo(current))
}
