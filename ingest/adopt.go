package ingest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"cuota/model"
)

// Entries returns the notes of all payloads, in the order in which they were first seen. It fails if
// a note is missing or can't be read.
func (a *Archive) Entries(ctx context.Context) ([]Entry, error) {
	kept, err := a.Kept(ctx)
	if err != nil {
		return nil, err
	}
	entries := make([]Entry, 0, len(kept))
	for _, sha := range kept {
		entry, err := a.entry(sha)
		if err != nil {
			return nil, fmt.Errorf("read the note of the archived file %.12s: %w", sha, err)
		}
		entries = append(entries, entry)
	}
	slices.SortStableFunc(entries, func(a, b Entry) int { return a.FirstSeen.Compare(b.FirstSeen) })
	return entries, nil
}

// From copies a file from another archive, and publishes its events. The file keeps its publication date,
// the instant at which it was first seen, and what a person decided on it. A file that was refused, and
// that nobody decided on, is judged anew, because a newer program may accept it. From may be interrupted
// and called again.
func (i *Ingester) From(ctx context.Context, other *Archive, entry Entry, progress func(Progress)) (Report, error) {
	return i.logged(entry.File, func() (Report, error) {
		if err := i.archive.take(ctx, other, entry.SHA256); err != nil {
			return Report{}, err
		}
		if entry.Decision == model.FileDeclined {
			entry, err := i.archive.enter(entry)
			if err != nil {
				return Report{}, err
			}
			return i.file(ctx, entry, &refusal{reason: entry.Refused}, progress)
		}
		var standing Entry
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

// take copies a payload of another archive, after it has compared its bytes with their hash.
func (a *Archive) take(ctx context.Context, other *Archive, sha string) error {
	if _, err := other.Check(ctx, sha); err != nil {
		return err
	}
	payload, err := os.Open(other.path(sha, ".zst"))
	if err != nil {
		return err
	}
	write := func(temp *os.File) error {
		_, err := io.Copy(temp, &interruptible{ctx, payload})
		return err
	}
	_, err = a.store(write, func() string { return sha })
	return errors.Join(err, payload.Close())
}
