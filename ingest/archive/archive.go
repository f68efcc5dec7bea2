// Package archive keeps the payload of every file that was ever ingested, with a note about it.
package archive

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/klauspost/compress/zstd"

	"cuota/ingest/drift"
	"cuota/ingest/parse"
	"cuota/internal/durable"
	"cuota/internal/santiago"
	"cuota/internal/unfinished"
	"cuota/model"
)

// maxPayload bounds a payload, in bytes. A month of the whole market has 16 MB.
const maxPayload = 512 << 20

// Archive keeps every payload that was ever ingested, compressed, under its hash:
// `<dir>/<two hex digits>/<sha256>.zst`. Beside it, a note in `<sha256>.json` records
// the dataset of the payload, when it was first seen, and what it looks like (drift.Profile).
// What events are made from is written once and does not change, because the same bytes
// must always give the same events. A person's decision on a file in quarantine is added.
type Archive struct {
	dir   string
	now   func() time.Time
	limit int64 // of one payload, bytes
	usage usage
	index noteIndex
	// under is another archive whose notes are seen as well, and which is never written to. nil: none.
	under *Archive

	sweeping sync.Mutex
	swept    time.Time // when this process last swept the archive; zero: not yet
}

// New returns the archive in dir. The directory is made when it is first needed.
// now is the clock that returns the instant at which a payload is first seen.
func New(dir string, now func() time.Time) *Archive {
	return &Archive{dir: dir, now: now, limit: maxPayload, usage: usage{limit: DefaultLimit}}
}

// Entry is the archive's note about one payload.
type Entry struct {
	SHA256    string        `json:"-"`
	Size      int64         `json:"size"` // bytes, uncompressed
	Dataset   model.Dataset `json:"dataset"`
	File      string        `json:"file"` // base name
	FirstSeen time.Time     `json:"first_seen"`
	Published time.Time     `json:"published,omitzero"` // publication date as stated; zero when unknown
	// Published, or FirstSeen where that is unknown; Unix milliseconds
	Revision int64 `json:"revision"`
	// Refused is why nothing of the file was published: it is not of the dataset, it is in
	// quarantine, or a person refused it. In the first case it may be ingested again under its right
	// dataset, name or date. Empty: not refused.
	Refused string `json:"refused,omitempty"`
	// Quarantined says that it was refused because its shapes differ from those of the
	// files before it where figures are computed from. A person decides on it.
	Quarantined bool `json:"quarantined,omitempty"`
	// Decision is what a person decided on it: accepted or declined. Empty: nothing.
	Decision model.FileState `json:"decision,omitempty"`
	// Judged is when its shapes were compared, or when a person decided. Zero: they were
	// not, by an earlier version of the program.
	Judged   time.Time       `json:"judged,omitzero"`
	Compared string          `json:"compared,omitempty"` // hash of the newest file that it was compared with
	Findings []model.Finding `json:"findings,omitempty"`
	Profile  *drift.Profile  `json:"profile,omitempty"`
}

// ToParse returns what a parser must know of the payload.
func (e Entry) ToParse() parse.File {
	return parse.File{Dataset: e.Dataset, Name: e.File, SHA256: e.SHA256, Revision: e.Revision, Latest: e.latestDay()}
}

// Now is the clock of the archive.
func (a *Archive) Now() time.Time { return a.now() }

// Open opens the payload with this hash for reading, until ctx ends. It first reads the payload whole
// and fails if the bytes no longer have that hash, so that no events are made from a
// damaged archive.
func (a *Archive) Open(ctx context.Context, sha string) (io.ReadCloser, error) {
	path := a.path(sha, ".zst")
	payload, err := openPayload(path)
	if err != nil {
		return nil, err
	}
	sum := sha256.New()
	_, err = io.Copy(sum, &interruptible{ctx, payload})
	if err = errors.Join(err, payload.Close()); err != nil {
		return nil, fmt.Errorf("read the archived payload %s: %w", path, err)
	}
	if found := hex.EncodeToString(sum.Sum(nil)); found != sha {
		return nil, fmt.Errorf("the archived payload %s is damaged, its sha256 is %s: restore it from a backup, or "+
			"ingest the original file again", path, found)
	}
	return a.OpenAgain(ctx, sha)
}

// OpenAgain opens a payload that Open has just compared with its hash, until ctx ends.
func (a *Archive) OpenAgain(ctx context.Context, sha string) (io.ReadCloser, error) {
	payload, err := openPayload(a.path(sha, ".zst"))
	if err != nil {
		return nil, err
	}
	return struct {
		io.Reader
		io.Closer
	}{&interruptible{ctx, payload}, payload}, nil
}

// Keep stores the bytes of the file at path and returns their hash, their size and the
// instant at which they were seen. It writes bytes that the archive already holds again,
// which repairs a damaged copy.
func (a *Archive) Keep(ctx context.Context, path string) (Entry, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Entry{}, err
	}
	if !info.Mode().IsRegular() { // opening a pipe could block for ever
		return Entry{}, fmt.Errorf("%s is not a regular file", path)
	}
	file, err := os.Open(path)
	if err != nil {
		return Entry{}, err
	}
	defer func() { _ = file.Close() }()

	entry := Entry{File: strings.ToValidUTF8(filepath.Base(path), "?"),
		FirstSeen: a.now().UTC().Truncate(time.Millisecond)}
	sum := sha256.New()
	payload := io.TeeReader(io.LimitReader(&interruptible{ctx, file}, a.limit+1), sum)
	write := func(temp *os.File) error {
		compressed, err := zstd.NewWriter(temp)
		if err != nil {
			return err
		}
		if entry.Size, err = io.Copy(compressed, payload); err != nil {
			_ = compressed.Close() // report the error of the copy
			return err
		}
		if entry.Size > a.limit {
			_ = compressed.Close()
			return fmt.Errorf("%s is larger than %d MiB: split it by days", path, a.limit>>20)
		}
		return compressed.Close()
	}
	entry.SHA256, err = a.store(write, func() string { return hex.EncodeToString(sum.Sum(nil)) })
	return entry, err
}

// store writes a compressed payload and makes it durable. It returns the hash of the payload, which is
// known once the payload is written.
func (a *Archive) store(write func(*os.File) error, hash func() string) (sha string, err error) {
	place := func(temp string) error {
		sha = hash()
		if err := a.admit(temp, a.path(sha, ".zst")); err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Dir(a.path(sha, "")), 0o750); err != nil {
			return err
		}
		return os.Rename(temp, a.path(sha, ".zst"))
	}
	err = a.write(write, place)
	if err == nil {
		err = durable.SyncFolder(filepath.Dir(a.path(sha, "")))
	}
	if err == nil {
		err = durable.SyncFolder(a.dir) // the directory of the payload may be new
	}
	if err != nil {
		return "", fmt.Errorf("archive the file: %w", err)
	}
	return sha, nil
}

// Enter writes the note of the payload, or returns the note that exists. It fails if the
// new note contradicts the existing one, because events may have been published from
// that one.
func (a *Archive) Enter(e Entry) (Entry, error) {
	standing, err := a.Note(e.SHA256)
	switch {
	case errors.Is(err, fs.ErrNotExist): // seen for the first time
	case err != nil:
		return Entry{}, err
	case standing.Refused == "" && (standing.Profile != nil || e.Profile == nil):
		return standing, standing.agrees(e)
	case standing.Refused == "": // an earlier version of the program kept no profiles
		if err := standing.agrees(e); err != nil {
			return standing, err
		}
		standing.Profile = e.Profile
		e = standing
	default:
		e.FirstSeen = standing.FirstSeen
	}
	if e.Revision, err = e.StatedRevision(); err != nil {
		return Entry{}, err
	}
	note, err := json.MarshalIndent(e, "", "  ")
	if err != nil {
		return Entry{}, fmt.Errorf("encode the archive entry of the file: %w", err)
	}
	write := func(temp *os.File) error {
		_, err := temp.Write(append(note, '\n'))
		return err
	}
	place := func(temp string) error { return os.Rename(temp, a.path(e.SHA256, ".json")) }
	if standing.SHA256 == "" {
		// Link, unlike rename, fails if another process has written the note first.
		place = func(temp string) error { return os.Link(temp, a.path(e.SHA256, ".json")) }
	}
	err = a.write(write, place)
	if errors.Is(err, fs.ErrExist) {
		return a.Enter(e)
	}
	if err != nil {
		return Entry{}, fmt.Errorf("write the archive entry of the file: %w", err)
	}
	a.usage.add(int64(len(note)) + 1)
	return e, durable.SyncFolder(filepath.Dir(a.path(e.SHA256, "")))
}

// ErrDated is wrapped by the error for a file that was ingested before with another
// publication date.
var ErrDated = errors.New("the same bytes were ingested before, and their publication date can't change")

// agrees fails if the newer note contradicts this one, and says in what.
func (e Entry) agrees(newer Entry) error {
	if e.Dataset != newer.Dataset {
		return fmt.Errorf("the same bytes were ingested before as dataset %s (file %s), so they can't be ingested as "+
			"%s: check the dataset", e.Dataset, e.File, newer.Dataset)
	}
	if !newer.Published.IsZero() && newer.Published.UnixMilli() != e.Revision {
		return fmt.Errorf("%w, which is %s", ErrDated, time.UnixMilli(e.Revision).UTC().Format(time.RFC3339Nano))
	}
	return nil
}

// latestDay returns the day on which the file was published, or first seen where that is
// unknown or earlier. Rows are about days up to it, and not up to the present: a second
// ingestion of the same bytes judges each row in the same way. A publication date is
// often given without a time, so it counts as it is written, in UTC.
func (e Entry) latestDay() model.Date {
	day := model.DateOf(e.FirstSeen.In(santiago.Zone))
	if published := model.DateOf(e.Published.UTC()); !e.Published.IsZero() && published.Compare(day) < 0 {
		return published
	}
	return day
}

// StatedRevision returns the publication date, or the first sight where that is unknown, in
// Unix milliseconds.
func (e Entry) StatedRevision() (int64, error) {
	if e.Published.IsZero() {
		return e.FirstSeen.UnixMilli(), nil
	}
	// A revision in the future would outrank every later correction.
	if e.Published.After(e.FirstSeen.Add(24*time.Hour)) || e.Published.UnixMilli() <= 0 {
		return 0, fmt.Errorf("the publication date %s is not between 1970 and now", e.Published.Format(time.RFC3339))
	}
	return e.Published.UnixMilli(), nil
}

// Note returns the note of a payload. The error is fs.ErrNotExist if there is none.
func (a *Archive) Note(sha string) (Entry, error) {
	path := a.path(sha, ".json")
	note, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) && a.under != nil {
		return a.under.Note(sha)
	}
	if err != nil {
		return Entry{}, err
	}
	e := Entry{SHA256: sha}
	if err := json.Unmarshal(note, &e); err != nil {
		return Entry{}, fmt.Errorf("read the archive entry %s: %w; restore it from a backup", path, err)
	}
	return e, nil
}

func (a *Archive) path(sha, extension string) string {
	return filepath.Join(a.dir, sha[:2], sha+extension)
}

// write fills a temporary file and makes it durable. Then place moves it to its final
// name, so that readers see the whole file or none.
func (a *Archive) write(fill func(*os.File) error, place func(temp string) error) (err error) {
	if err := os.MkdirAll(a.dir, 0o750); err != nil {
		return err
	}
	temp, err := unfinished.Create(a.dir, incoming)
	if err != nil {
		return err
	}
	defer func() {
		// The file is gone already if place renamed it.
		if removeErr := os.Remove(temp.Name()); err == nil && !errors.Is(removeErr, fs.ErrNotExist) {
			err = removeErr
		}
		// The file stays open until now, because a sweep removes temporary files that no
		// process holds open.
		if closeErr := temp.Close(); err == nil {
			err = closeErr
		}
	}()
	if err := fill(temp); err != nil {
		return err
	}
	if err := temp.Sync(); err != nil {
		return err
	}
	return place(temp.Name())
}

// Lock lets no other process decide on files of the archive until unlock. The kernel unlocks if the
// process ends.
func (a *Archive) Lock() (unlock func() error, err error) {
	dir, err := os.Open(a.dir)
	if err != nil {
		return nil, fmt.Errorf("open the archive: %w", err)
	}
	if err := syscall.Flock(int(dir.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = dir.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, errors.New("another process is deciding on a file of the archive: run the command again when " +
				"it has ended")
		}
		return nil, fmt.Errorf("lock the archive: %w", err)
	}
	return dir.Close, nil
}

// incoming is the prefix of the names of files that are being written.
const incoming = ".incoming-"

// SweepEvery is the pause between two sweeps of an archive that is being written to.
const SweepEvery = time.Hour

// SweepWhenDue sweeps before the first file is ingested and then every SweepEvery, so
// that the leftovers of killed processes do not accumulate.
func (a *Archive) SweepWhenDue() error {
	a.sweeping.Lock()
	defer a.sweeping.Unlock()
	now := time.Now() // not a.now, which returns the instants of notes
	if !a.swept.IsZero() && now.Sub(a.swept) < SweepEvery {
		return nil
	}
	a.swept = now
	_, err := a.Sweep()
	return err
}

// Sweep removes the temporary files of processes that were killed while they wrote into
// the archive, and returns how many. It leaves the files of running processes.
func (a *Archive) Sweep() (removed int, err error) {
	removed, err = unfinished.Sweep(a.dir, incoming)
	if err != nil {
		err = fmt.Errorf("remove temporary files of killed processes from the archive %s: %w", a.dir, err)
	}
	return removed, err
}

// interruptible is a reader that fails when the context ends.
type interruptible struct {
	ctx  context.Context
	from io.Reader
}

func (i *interruptible) Read(p []byte) (int, error) {
	if err := i.ctx.Err(); err != nil {
		return 0, err
	}
	return i.from.Read(p)
}

// archived is an open payload.
type archived struct {
	*zstd.Decoder
	file *os.File
}

func openPayload(path string) (io.ReadCloser, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open the archived payload: %w", err)
	}
	decoder, err := zstd.NewReader(bufio.NewReader(file), zstd.WithDecoderConcurrency(1))
	if err != nil {
		_ = file.Close()
		return nil, fmt.Errorf("open the archived payload %s: %w", path, err)
	}
	return &archived{decoder, file}, nil
}

func (a *archived) Close() error {
	a.Decoder.Close()
	return a.file.Close()
}
