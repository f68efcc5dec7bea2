package ingest

import (
	"context"
	"time"

	"cuota/ingest/archive"
	"cuota/ingest/parse"
	"cuota/model"
)

// From copies a file from another archive, and publishes its events. The file keeps its publication date,
// the instant at which it was first seen, and what a person decided on it. A file that was refused, and
// that nobody decided on, is judged anew, because a newer program may accept it. From may be interrupted
// and called again.
func (i *Ingester) From(ctx context.Context, other *archive.Archive, entry archive.Entry,
	progress func(Progress)) (Report, error) {
	return i.logged(entry.File, func() (Report, error) {
		if err := i.archive.Take(ctx, other, entry.SHA256); err != nil {
			return Report{}, err
		}
		if entry.Decision == model.FileDeclined {
			entry, err := i.archive.Enter(entry)
			if err != nil {
				return Report{}, err
			}
			return i.file(ctx, entry, &parse.Refusal{Reason: entry.Refused}, progress)
		}
		var standing archive.Entry
		if entry.Refused == "" {
			standing = entry // it was taken, so its judgement stays
		} else {
			entry.Judged, entry.Compared, entry.Findings, entry.Profile = time.Time{}, "", nil, nil
		}
		entry, refused, err := i.judge(ctx, entry, standing)
		if err != nil {
			return Report{}, err
		}
		return i.file(ctx, entry, refused, progress)
	})
}
