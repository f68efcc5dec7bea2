package ingest

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/klauspost/compress/zstd"

	"cuota/internal/unfinished"
	"cuota/model"
)

// maxPayload bounds a payload. The whole market of a month has 16 MB.
const maxPayload = 512 << 20

// Archive keeps every payload that was ever ingested, compressed, under its
// hash: `<dir>/<two hex digits>/<sha256>.zst`. Beside it `<sha256>.json` notes
// what the payload was taken for and when, once and for all, because events
// are made from these notes and the same bytes must always give the same ones.
type Archive struct {
	dir   string
	now   func() time.Time
	limit int64 // of one payload, bytes
	usage usage

	sweeping sync.Mutex
	swept    time.Time // when it was last swept; zero: not by this process
}

// NewArchive gives the archive in dir, which is made when it is first needed.
// now is the clock that tells when a payload is first seen.
func NewArchive(dir string, now func() time.Time) *Archive {
	return &Archive{dir: dir, now: now, limit: maxPayload, usage: usage{limit: DefaultArchiveLimit}}
}

// Entry is what the archive notes of a payload.
type Entry struct {
	SHA256    string        `json:"-"`
	Size      int64         `json:"size"` // bytes, uncompressed
	Dataset   model.Dataset `json:"dataset"`
	File      string        `json:"file"` // base name
	FirstSeen time.Time     `json:"first_seen"`
	Published time.Time     `json:"published,omitzero"` // as stated; zero when unknown
	Revision  int64         `json:"revision"`           // Published, else FirstSeen, Unix milliseconds
	// Refused is why the file as a whole is not of the dataset. Nothing was
	// published from it, so such an entry binds nothing: the file may be
	// ingested anew under its right dataset, name or date.
	Refused string `json:"refused,omitempty"`
}

func (e Entry) source(line uint32) model.Source {
	return model.Source{SHA256: e.SHA256, Line: line, Revision: e.Revision}
}

// Open gives the payload after reading it whole once, so that nothing is made
// from an archive that has rotted.
func (a *Archive) Open(ctx context.Context, sha string) (io.ReadCloser, error) {
	path := a.path(sha, ".zst")
	payload, err := openPayload(path)
	if err != nil {
		return nil, err
	}
	sum := sha256.New()
	_, err = io.Copy(sum, &interruptible{ctx, payload})
	if closeErr := payload.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return nil, fmt.Errorf("read the archived payload %s: %w", path, err)
	}
	if found := hex.EncodeToString(sum.Sum(nil)); found != sha {
		return nil, fmt.Errorf("the archived payload %s has sha256 %s: it is damaged, restore it from a backup or ingest the original file again", path, found)
	}
	return openPayload(path)
}

// keep stores the bytes of the file at path and tells their hash, their size
// and when that was.
// Bytes that are there already are written again: should the stored copy have
// rotted, this mends it.
func (a *Archive) keep(ctx context.Context, path string) (Entry, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Entry{}, err
	}
	if !info.Mode().IsRegular() { // opening a pipe could wait for ever
		return Entry{}, fmt.Errorf("%s is not a regular file", path)
	}
	file, err := os.Open(path)
	if err != nil {
		return Entry{}, err
	}
	defer func() { _ = file.Close() }()

	entry := Entry{File: strings.ToValidUTF8(filepath.Base(path), "?"), FirstSeen: a.now().UTC().Truncate(time.Millisecond)}
	payload := &measured{from: io.LimitReader(&interruptible{ctx, file}, a.limit+1), sum: sha256.New()}
	write := func(temp *os.File) error {
		compressed, err := zstd.NewWriter(temp)
		if err != nil {
			return err
		}
		if _, err := io.Copy(compressed, payload); err != nil {
			_ = compressed.Close() // the copy's error is the one to tell
			return err
		}
		if payload.size > a.limit {
			_ = compressed.Close()
			return fmt.Errorf("%s has more than %d MiB: split it by days", path, a.limit>>20)
		}
		return compressed.Close()
	}
	place := func(temp string) error {
		entry.SHA256, entry.Size = hex.EncodeToString(payload.sum.Sum(nil)), payload.size
		if err := a.admit(temp, a.path(entry.SHA256, ".zst")); err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Dir(a.path(entry.SHA256, "")), 0o750); err != nil {
			return err
		}
		return os.Rename(temp, a.path(entry.SHA256, ".zst"))
	}
	err = a.write(write, place)
	if err == nil {
		err = syncDir(filepath.Dir(a.path(entry.SHA256, "")))
	}
	if err == nil {
		err = syncDir(a.dir) // its folder may be new
	}
	if err != nil {
		return Entry{}, fmt.Errorf("archive the file: %w", err)
	}
	return entry, nil
}

// enter notes what the payload is, or gives the note that stands. A note that
// contradicts the standing one is refused, for events may be out already.
func (a *Archive) enter(e Entry) (Entry, error) {
	standing, err := a.entry(e.SHA256)
	switch {
	case errors.Is(err, fs.ErrNotExist): // seen for the first time just now
	case err != nil:
		return Entry{}, err
	case standing.Refused == "":
		return standing, standing.agrees(e)
	default:
		e.FirstSeen = standing.FirstSeen
	}
	if e.Revision, err = e.revision(); err != nil {
		return Entry{}, err
	}
	note, err := json.MarshalIndent(e, "", "  ")
	if err != nil {
		return Entry{}, fmt.Errorf("encode the archive's note: %w", err)
	}
	write := func(temp *os.File) error {
		_, err := temp.Write(append(note, '\n'))
		return err
	}
	place := func(temp string) error { return os.Rename(temp, a.path(e.SHA256, ".json")) }
	if standing.Refused == "" {
		// A link, unlike a rename, fails when another process was first.
		place = func(temp string) error { return os.Link(temp, a.path(e.SHA256, ".json")) }
	}
	err = a.write(write, place)
	if errors.Is(err, fs.ErrExist) {
		return a.enter(e)
	}
	if err != nil {
		return Entry{}, fmt.Errorf("note the file in the archive: %w", err)
	}
	a.usage.add(int64(len(note)) + 1)
	return e, syncDir(filepath.Dir(a.path(e.SHA256, "")))
}

// ErrDated says that a file comes with another publication date than the first time.
var ErrDated = errors.New("the same bytes were ingested before, and keep the date of that time")

// agrees tells what of a newer note contradicts the standing one.
func (e Entry) agrees(newer Entry) error {
	if e.Dataset != newer.Dataset {
		return fmt.Errorf("the same bytes were ingested as dataset %s (file %s): they cannot be %s too", e.Dataset, e.File, newer.Dataset)
	}
	if !newer.Published.IsZero() && newer.Published.UnixMilli() != e.Revision {
		return fmt.Errorf("%w, which is %s", ErrDated, time.UnixMilli(e.Revision).UTC().Format(time.RFC3339Nano))
	}
	return nil
}

// revision is the publication date where one is known, else the first sight.
func (e Entry) revision() (int64, error) {
	if e.Published.IsZero() {
		return e.FirstSeen.UnixMilli(), nil
	}
	// A revision in the future would stand above every correction to come.
	if e.Published.After(e.FirstSeen.Add(24*time.Hour)) || e.Published.UnixMilli() <= 0 {
		return 0, fmt.Errorf("published date %s is not between 1970 and now", e.Published.Format(time.RFC3339))
	}
	return e.Published.UnixMilli(), nil
}

// entry gives the standing note; fs.ErrNotExist when there is none.
func (a *Archive) entry(sha string) (Entry, error) {
	path := a.path(sha, ".json")
	note, err := os.ReadFile(path)
	if err != nil {
		return Entry{}, err
	}
	e := Entry{SHA256: sha}
	if err := json.Unmarshal(note, &e); err != nil {
		return Entry{}, fmt.Errorf("read the archive's note %s: %w; restore it from a backup", path, err)
	}
	return e, nil
}

func (a *Archive) path(sha, extension string) string {
	return filepath.Join(a.dir, sha[:2], sha+extension)
}

// write fills a temporary file, makes it durable and lets place put it where
// it belongs: whoever looks sees the whole file or none.
func (a *Archive) write(fill func(*os.File) error, place func(temp string) error) (err error) {
	if err := os.MkdirAll(a.dir, 0o750); err != nil {
		return err
	}
	temp, err := unfinished.Create(a.dir, incoming)
	if err != nil {
		return err
	}
	defer func() {
		// Gone already if it was renamed.
		if removeErr := os.Remove(temp.Name()); err == nil && !errors.Is(removeErr, fs.ErrNotExist) {
			err = removeErr
		}
		// Open until now, so that no sweep took it.
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

// incoming begins the names of files that are being written.
const incoming = ".incoming-"

// SweepEvery is the pause between two sweeps of an archive that is written to.
const SweepEvery = time.Hour

// sweepWhenDue sweeps before the first file is ingested and then every SweepEvery, so
// that the leftovers of killed processes do not add up from one run to the next.
func (a *Archive) sweepWhenDue() error {
	a.sweeping.Lock()
	defer a.sweeping.Unlock()
	now := time.Now() // not the archive's clock, which is for what it notes
	if !a.swept.IsZero() && now.Sub(a.swept) < SweepEvery {
		return nil
	}
	a.swept = now
	_, err := a.Sweep()
	return err
}

// Sweep removes what processes were writing into the archive when they were killed, and
// gives how many files it removed. What living processes write stays.
func (a *Archive) Sweep() (removed int, err error) {
	removed, err = unfinished.Sweep(a.dir, incoming)
	if err != nil {
		err = fmt.Errorf("remove what killed processes left in the archive %s: %w", a.dir, err)
	}
	return removed, err
}

// syncDir makes a new name in dir survive a power cut.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = d.Sync()
	if closeErr := d.Close(); err == nil {
		err = closeErr
	}
	return err
}

// measured passes bytes through, hashing and counting them.
type measured struct {
	from io.Reader
	sum  hash.Hash
	size int64
}

func (m *measured) Read(p []byte) (int, error) {
	n, err := m.from.Read(p)
	m.sum.Write(p[:n])
	m.size += int64(n)
	return n, err
}

// interruptible ends a long read when the context does.
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
