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
	"time"
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

// Check reads a payload whole and compares it with its hash, and reads its note.
func (a *Archive) Check(ctx context.Context, sha string) (Entry, error) {
	entry, err := a.entry(sha)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("the archive has no note %s", a.path(sha, ".json"))
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

// ErrRefused says that nothing was ever published of a payload, because it is not a file
// of its dataset.
var ErrRefused = errors.New("the file was refused as a whole")

// Again publishes an archived payload once more: the same events and the same manifest as
// the first time. It fails if the payload or its note is missing or damaged, and with
// ErrRefused if nothing was published of it.
func (i *Ingester) Again(ctx context.Context, sha string, progress func(Progress)) (Report, error) {
	started := time.Now()
	entry, err := i.archive.Check(ctx, sha)
	if err != nil {
		return Report{}, err
	}
	if entry.Refused != "" {
		return Report{}, ErrRefused
	}
	report := Report{Dataset: entry.Dataset, File: entry.File, SHA256: sha, Revision: entry.Revision}
	payload, err := openPayload(i.archive.path(sha, ".zst"))
	if err != nil {
		return report, err
	}
	defer func() { _ = payload.Close() }() // opened for reading: nothing can be lost
	parser, err := newParser(entry, payload)
	if err != nil {
		return report, err
	}
	report, err = i.publish(ctx, Request{Dataset: entry.Dataset, Path: entry.File, Progress: progress}, report, entry, parser)
	report.Elapsed = time.Since(started)
	if err != nil {
		return report, fmt.Errorf("publish %s again: %w", entry.File, err)
	}
	return report, nil
}
