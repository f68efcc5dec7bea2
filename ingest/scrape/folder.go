package scrape

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// maxFiles bounds the number of files in one folder. A folder is for new files and not
// an archive.
const maxFiles = 10_000

// partial lists the name endings of files that are still being written.
var partial = []string{".part", ".partial", ".crdownload", ".download", ".tmp", ".temp", ".filepart", ".next", "~"}

// nextLook returns when to list the folder next. underway says that this is part of work
// in progress: a file counts as complete when a second look finds it unchanged.
func (s *source) nextLook(now time.Time) (at time.Time, underway bool) {
	if s.rest.Looked.Before(s.slot(now)) || s.rest.Failures > 0 {
		return now, true
	}
	for _, d := range s.documents {
		if s.sighted(d) {
			return s.rest.Looked.Add(settle), true
		}
	}
	return s.schedule.next(now), false
}

// sighted reports whether the file was seen and is soon to be read. A file that keeps
// changing is looked at again only by the schedule.
func (s *source) sighted(d *document) bool {
	return !d.Taken && d.Waiting == "" && d.Failures <= s.retries && d.Name != folderItself
}

// look lists the folder and takes the complete files. It leaves the files in place,
// unchanged.
func (s *source) look(ctx context.Context, now time.Time) error {
	files, err := s.list()
	if err != nil {
		s.summary.Failed++
		return s.failed(s.document(folderItself, string(s.dataset)), troubled("the folder cannot be read: %v", err))
	}
	if s.documents[folderItself] != nil {
		if err := s.forget(folderItself); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.documents)) {
		if _, there := files[name]; !there && s.documents[name].Waiting == "" {
			if err := s.gone(s.documents[name]); err != nil {
				return err
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := s.see(ctx, name, files[name], now); err != nil {
			return err
		}
	}
	s.rest = rest{Looked: now}
	return s.store.saveRest(s.rest)
}

// folderItself is the name under which troubles of the folder itself are recorded. No
// file has this name.
const folderItself = "."

// gone records that a file is no longer in the folder. Its published hashes are kept;
// its failures are deleted.
func (s *source) gone(d *document) error {
	switch {
	case d.SHA256 == "":
		return s.forget(d.Name)
	case d.Size == unseen && d.Trouble == "":
		return nil
	}
	d.Size, d.Taken, d.Trouble, d.Failures = unseen, true, "", 0
	return s.keep(d)
}

func (s *source) forget(name string) error {
	delete(s.documents, name)
	return s.store.remove(name)
}

// unseen is a size that no file has, so that a new file under the name is read.
const unseen = -1

// list returns the files that may be taken, by name.
func (s *source) list() (map[string]fs.FileInfo, error) {
	dir, err := os.Open(s.folder)
	if err != nil {
		return nil, err
	}
	defer func() { _ = dir.Close() }() // only read from: no data can be lost
	entries, err := dir.ReadDir(maxFiles + 1)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if len(entries) > maxFiles {
		return nil, fmt.Errorf("%s has more than %d entries; move files that were already published elsewhere",
			s.folder, maxFiles)
	}
	files := map[string]fs.FileInfo{}
	for _, entry := range entries {
		if !s.wanted(entry.Name()) {
			continue
		}
		info, err := entry.Info() // of a link itself and not of its target
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return nil, err
		case info.Mode().IsRegular() && info.Size() > 0:
			files[entry.Name()] = info
		case info.Mode()&fs.ModeSymlink != 0:
			s.log.Warn().Str("file", entry.Name()).Msg("links are not followed; put the file itself into the folder")
		}
	}
	return files, nil
}

// wanted reports whether the name is that of a finished file of the source.
func (s *source) wanted(name string) bool {
	if strings.HasPrefix(name, ".") || strings.EqualFold(filepath.Ext(name), ".md") {
		return false
	}
	if slices.ContainsFunc(partial, func(ending string) bool {
		return strings.HasSuffix(strings.ToLower(name), ending)
	}) {
		return false
	}
	if s.match == "" {
		return true
	}
	matches, err := filepath.Match(s.match, name)
	return err == nil && matches
}

// see takes a file that has not changed since the last look. Otherwise it records how
// the file is now.
func (s *source) see(ctx context.Context, name string, info fs.FileInfo, now time.Time) error {
	d := s.document(name, string(s.dataset))
	same := s.documents[name] != nil && d.Size == info.Size() && d.Modified.Equal(info.ModTime())
	switch {
	case d.Waiting != "": // publish what waits before reading a newer version
		return nil
	case same && d.Taken:
		return nil
	case !same:
		d.Modified = info.ModTime()
		return s.stirs(d, info.Size(), now)
	case now.Sub(d.Looked) < settle:
		return nil
	}
	path := filepath.Join(s.scraper.incoming, name)
	defer s.scraper.clear(path)
	sha, err := s.copy(ctx, d, path)
	var t *trouble
	switch {
	case errors.As(err, &t):
		return s.unusable(d, t, now)
	case err != nil:
		return err
	}
	s.summary.Fetched++
	d.Taken = true
	if s.knows(sha, d) {
		s.summary.Unchanged++
		return s.well(d, now)
	}
	return s.take(ctx, d, period{}, path, sha, now)
}

// knows reports whether another file of the folder had the same bytes: a copy, or the same
// file under another name.
func (s *source) knows(sha string, d *document) bool {
	for _, other := range s.documents {
		if other != d && (other.SHA256 == sha || other.Waiting == sha || slices.Contains(other.Earlier, sha)) {
			return true
		}
	}
	return false
}

// copy writes the bytes of a file to the file at path. It fails with a trouble if the
// file has changed since it was seen.
func (s *source) copy(ctx context.Context, d *document, path string) (sha string, err error) {
	if d.Size > s.maxBytes {
		return "", troubled("the file has %d bytes, but max_bytes is %d", d.Size, s.maxBytes)
	}
	// A link or a pipe may have replaced the file meanwhile.
	from, err := os.OpenFile(filepath.Join(s.folder, d.Name), os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return "", troubled("the file cannot be opened: %v", err)
	}
	defer func() { _ = from.Close() }() // only read from: no data can be lost
	if err := d.stands(from); err != nil {
		return "", err
	}
	to, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o640)
	if err != nil {
		return "", fmt.Errorf("copy the file: %w", err)
	}
	sum := sha256.New()
	source := &watched{from: io.LimitReader(from, d.Size+1)}
	size, err := io.Copy(io.MultiWriter(to, sum), source)
	err = errors.Join(err, to.Close(), ctx.Err())
	switch {
	case source.err != nil:
		return "", troubled("the file cannot be read: %v", source.err)
	case err != nil:
		return "", fmt.Errorf("copy the file: %w", err)
	case size != d.Size:
		return "", errStirred
	}
	return hex.EncodeToString(sum.Sum(nil)), d.stands(from)
}

// errStirred says that a file has changed since it was seen.
var errStirred = troubled("the file is still being written")

// stands fails with errStirred if an open file has changed since it was seen.
func (d *document) stands(file *os.File) error {
	info, err := file.Stat()
	if err != nil {
		return troubled("the file cannot be read: %v", err)
	}
	if !info.Mode().IsRegular() || info.Size() != d.Size || !info.ModTime().Equal(d.Modified) {
		return errStirred
	}
	return nil
}

// unusable records a file that cannot be used. A file that is being written is looked at
// again; any other stays in trouble until it changes.
func (s *source) unusable(d *document, t *trouble, now time.Time) error {
	if errors.Is(t, errStirred) {
		return s.stirs(d, unseen, now)
	}
	s.summary.Failed++
	d.Taken = true
	return s.refuse(d, t)
}

// stirs records a file that has changed since the last look, and logs one that never
// stops changing.
func (s *source) stirs(d *document, size int64, now time.Time) error {
	switch {
	case s.documents[d.Name] == nil, d.Taken: // the file is new, or is a new version
		d.Taken, d.Failures, d.Trouble = false, 0, ""
	default:
		if d.Failures++; d.Failures > s.retries {
			d.Trouble = errStirred.reason
		}
	}
	d.Size, d.Looked = size, now
	return s.keep(d)
}

// refuse records a file that is not data. Reading it again would give the same bytes, so
// neither the file nor the folder is retried.
func (s *source) refuse(d *document, t *trouble) error {
	d.Failures++
	d.Trouble = t.reason
	s.log.Warn().Str("document", d.Name).Str("reason", t.reason).
		Msg("file not published; replace it, or remove it from the folder")
	return s.keep(d)
}
