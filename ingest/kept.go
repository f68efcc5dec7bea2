package ingest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
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
		if digits, err := hex.DecodeString(hash); err == nil && len(digits) == sha256.Size && (extension == "zst" || extension == "json") {
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
	entry, err := a.entry(sha)
	return err == nil && entry.Refused != ""
}

// Check reads a payload whole, compares it with its hash, and returns its note. It fails
// if either is damaged or missing.
func (a *Archive) Check(ctx context.Context, sha string) (Entry, error) {
	entry, err := a.entry(sha)
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
