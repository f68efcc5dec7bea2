package archive

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Kept lists the hashes of all payloads and notes that the archive holds, in ascending
// order.
func (a *Archive) Kept(ctx context.Context) ([]string, error) {
	var hashes []string
	err := filepath.WalkDir(a.dir, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return errors.Join(err, ctx.Err())
		}
		hash, extension, _ := strings.Cut(entry.Name(), ".")
		if digits, err := hex.DecodeString(hash); err == nil && len(digits) == sha256.Size &&
			(extension == "zst" || extension == "json") {
			hashes = append(hashes, hash)
		}
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) { // nothing was archived yet
		err = nil
	}
	if err != nil {
		return nil, fmt.Errorf("list the archive %s: %w", a.dir, err)
	}
	slices.Sort(hashes)
	return slices.Compact(hashes), nil
}

// WasRefused reports whether the file with this hash was refused as a whole, so that
// nothing of it was published. It is false if there is no note.
func (a *Archive) WasRefused(sha string) bool {
	entry, err := a.Note(sha)
	return err == nil && entry.Refused != ""
}

// Check reads a payload whole, compares it with its hash, and returns its note. It fails
// if either is damaged or missing.
func (a *Archive) Check(ctx context.Context, sha string) (Entry, error) {
	entry, err := a.Note(sha)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("the archive has no entry %s", a.path(sha, ".json"))
	}
	if err != nil {
		return Entry{}, err
	}
	payload, err := a.Open(ctx, sha)
	if err != nil {
		return Entry{}, err
	}
	return entry, payload.Close()
}

// Entries returns the notes of all payloads, in the order in which they were first seen. It fails if
// a note is missing or can't be read.
func (a *Archive) Entries(ctx context.Context) ([]Entry, error) {
	kept, err := a.Kept(ctx)
	if err != nil {
		return nil, err
	}
	entries := make([]Entry, 0, len(kept))
	for _, sha := range kept {
		entry, err := a.Note(sha)
		if err != nil {
			return nil, fmt.Errorf("read the note of the archived file %.12s: %w", sha, err)
		}
		entries = append(entries, entry)
	}
	slices.SortStableFunc(entries, func(a, b Entry) int { return a.FirstSeen.Compare(b.FirstSeen) })
	return entries, nil
}

// Take copies a payload of another archive, after it has compared its bytes with their hash.
func (a *Archive) Take(ctx context.Context, other *Archive, sha string) error {
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
