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

// maxFiles bounds the files of one folder. A folder is a place to drop files
// into, not an archive.
const maxFiles = 10_000

// partial ends the names of files that are being written.
var partial = []string{".part", ".partial", ".crdownload", ".download", ".tmp", ".temp", ".filepart", ".next", "~"}

// nextLook tells when the folder is to be listed, and whether that is part of
// work under way: a file is whole when a second look finds it as the first did.
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

// sighted tells of a file that was seen and is soon to be read. One that never
// stands still is left to the schedule.
func (s *source) sighted(d *document) bool {
	return !d.Taken && d.Waiting == "" && d.Failures <= s.retries && d.Name != folderItself
}

// look lists the folder and takes the files that are whole. They stay where they
// are, as they are.
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

// folderItself stands for the folder among its files, none of which has such a
// name.
const folderItself = "."

// gone notes that a file is no longer there. What was published of it is known
// further; its troubles are over.
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

// unseen is the size of no file: whatever comes under the name is read.
const unseen = -1

// list gives the files that may be taken, by name.
func (s *source) list() (map[string]fs.FileInfo, error) {
	dir, err := os.Open(s.folder)
	if err != nil {
		return nil, err
	}
	defer func() { _ = dir.Close() }() // opened for reading: nothing can be lost
	entries, err := dir.ReadDir(maxFiles + 1)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if len(entries) > maxFiles {
		return nil, fmt.Errorf("%s holds more than %d entries; move the files that were taken elsewhere", s.folder, maxFiles)
	}
	files := map[string]fs.FileInfo{}
	for _, entry := range entries {
		if !s.wanted(entry.Name()) {
			continue
		}
		info, err := entry.Info() // of a link, not of what it leads to
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

// wanted tells whether a name is that of a finished file of the source.
func (s *source) wanted(name string) bool {
	if strings.HasPrefix(name, ".") || strings.EqualFold(filepath.Ext(name), ".md") {
		return false
	}
	for _, ending := range partial {
		if strings.HasSuffix(strings.ToLower(name), ending) {
			return false
		}
	}
	if s.match == "" {
		return true
	}
	matches, err := filepath.Match(s.match, name)
	return err == nil && matches
}

// see takes a file that stands as it stood at the look before; else it notes how
// it stands now.
func (s *source) see(ctx context.Context, name string, info fs.FileInfo, now time.Time) error {
	d := s.document(name, string(s.dataset))
	same := s.documents[name] != nil && d.Size == info.Size() && d.Modified.Equal(info.ModTime())
	switch {
	case d.Waiting != "": // first what is waiting, then what came after it
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

// knows tells whether another file of the folder brought the bytes already: a
// copy, or the same file under another name.
func (s *source) knows(sha string, d *document) bool {
	for _, other := range s.documents {
		if other != d && (other.SHA256 == sha || other.Waiting == sha || slices.Contains(other.Earlier, sha)) {
			return true
		}
	}
	return false
}

// copy writes a file's bytes to the file at path, and is troubled when they are
// not those that were seen.
func (s *source) copy(ctx context.Context, d *document, path string) (sha string, err error) {
	if d.Size > s.maxBytes {
		return "", troubled("the file has %d bytes, more than max_bytes, which is %d", d.Size, s.maxBytes)
	}
	// A link or a pipe may have taken its place meanwhile.
	from, err := os.OpenFile(filepath.Join(s.folder, d.Name), os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return "", troubled("the file cannot be opened: %v", err)
	}
	defer func() { _ = from.Close() }() // opened for reading: nothing can be lost
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

// errStirred says that a file is not what it was when it was seen.
var errStirred = troubled("the file is being written")

// stands tells whether an open file is still as it was seen.
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

// unusable notes a file that cannot be taken as it is. One that is being written
// is seen anew; any other stays in trouble until it changes.
func (s *source) unusable(d *document, t *trouble, now time.Time) error {
	if errors.Is(t, errStirred) {
		return s.stirs(d, unseen, now)
	}
	s.summary.Failed++
	d.Taken = true
	return s.refuse(d, t)
}

// stirs notes a file that is not as it was seen before, and tells of one that
// never is.
func (s *source) stirs(d *document, size int64, now time.Time) error {
	switch {
	case s.documents[d.Name] == nil, d.Taken: // new, or a new version
		d.Taken, d.Failures, d.Trouble = false, 0, ""
	default:
		if d.Failures++; d.Failures > s.retries {
			d.Trouble = errStirred.reason
		}
	}
	d.Size, d.Looked = size, now
	return s.keep(d)
}

// refuse notes a file that is not data. Asking a folder again gives the same
// bytes, so that neither the file nor the folder waits for another attempt.
func (s *source) refuse(d *document, t *trouble) error {
	d.Failures++
	d.Trouble = t.reason
	s.log.Warn().Str("document", d.Name).Str("reason", t.reason).
		Msg("file not taken; replace it, or take it out of the folder")
	return s.keep(d)
}
