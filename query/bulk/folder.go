package bulk

import (
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
	"slices"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"cuota/internal/durable"
	"cuota/internal/unfinished"
)

// File is one file of a batch.
type File struct {
	Name   string `json:"name"`
	Table  string `json:"table"`
	Year   int    `json:"year,omitempty"` // 0: the file has all rows of the table
	Rows   uint64 `json:"rows"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"` // in hex
}

// Manifest lists the files of a batch. It is written when all of them are complete.
type Manifest struct {
	BatchID string    `json:"batch_id"`
	MadeAt  time.Time `json:"made_at"`
	Files   []File    `json:"files"`
}

// Folder holds the files of batches, each batch in a folder of its own, with its manifest. Several
// processes may use one folder.
type Folder struct {
	path  string
	limit int64 // bytes of all files together

	mu    sync.Mutex
	known map[string]Manifest // by batch; manifests never change
}

// NewFolder makes a Folder. It creates nothing: Make does.
func NewFolder(path string, limit int64) *Folder {
	return &Folder{path: path, limit: limit, known: map[string]Manifest{}}
}

// The errors of a folder.
var (
	ErrNotMade = errors.New("the files of the batch are not made")
	ErrMaking  = errors.New("another process makes files in this folder")
	ErrFull    = errors.New("the files of the batch would exceed the limit of the folder")
)

const (
	manifestName = "manifest.json"
	partPrefix   = ".unfinished-"
	lockName     = "making.lock"
	maxManifest  = 4 << 20
)

// Manifest returns the manifest of a batch, and ErrNotMade if there is none.
func (f *Folder) Manifest(batch string) (Manifest, error) {
	if !plain(batch) {
		return Manifest{}, ErrNotMade
	}
	path := filepath.Join(f.path, batch, manifestName)
	info, err := os.Stat(path) // the folder of a batch may be gone, whatever is known of it
	switch {
	case errors.Is(err, fs.ErrNotExist):
		f.forget(batch)
		return Manifest{}, ErrNotMade
	case err != nil:
		return Manifest{}, err
	case info.Size() > maxManifest:
		return Manifest{}, fmt.Errorf("%s is too long for a manifest", path)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if m, there := f.known[batch]; there {
		return m, nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return Manifest{}, err
	}
	var m Manifest
	if err := json.Unmarshal(text, &m); err != nil || m.BatchID != batch {
		return Manifest{}, errors.Join(fmt.Errorf("%s is not the manifest of its batch: delete the folder of the batch",
			path), err)
	}
	f.known[batch] = m
	return m, nil
}

func (f *Folder) forget(batch string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.known, batch)
}

// plain reports whether a text is the name of a file and no path.
func plain(name string) bool {
	return name != "" && name[0] != '.' && filepath.IsLocal(name) && filepath.Base(name) == name
}

// Open opens a file that a manifest lists. It fails with fs.ErrNotExist if the batch has no such
// file, and with ErrNotMade if the batch has none.
func (f *Folder) Open(batch, name string) (*os.File, File, error) {
	m, err := f.Manifest(batch)
	if err != nil {
		return nil, File{}, err
	}
	at := slices.IndexFunc(m.Files, func(one File) bool { return one.Name == name })
	if at < 0 {
		return nil, File{}, fs.ErrNotExist
	}
	file, err := os.Open(filepath.Join(f.path, batch, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, File{}, ErrNotMade
	}
	return file, m.Files[at], err
}

// Part is a file to be made. Write writes its content and returns the number of rows.
type Part struct {
	Name, Table string
	Year        int
	Write       func(context.Context, io.Writer) (rows uint64, err error)
}

// Make makes the files of a batch and then its manifest. Until the manifest is there, nobody
// sees the files, so a process that is killed leaves nothing that is served. It does nothing
// if the batch has its manifest. It removes the files of other batches, the oldest first, as
// far as the limit of the folder needs it. It fails with ErrMaking if another process makes
// files, and with ErrFull if the files of this batch alone exceed the limit.
func (f *Folder) Make(ctx context.Context, batch string, now time.Time, parts []Part) (err error) {
	if !plain(batch) {
		return fmt.Errorf("%q is no name of a folder", batch)
	}
	dir := filepath.Join(f.path, batch)
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return err
	}
	lock, err := os.OpenFile(filepath.Join(f.path, lockName), os.O_CREATE|os.O_RDWR, 0o640)
	if err != nil {
		return err
	}
	defer func() { _ = lock.Close() }() // this also unlocks it
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return ErrMaking
		}
		return fmt.Errorf("lock %s: %w", lock.Name(), err)
	}
	if _, err := f.Manifest(batch); !errors.Is(err, ErrNotMade) {
		return err
	}
	if _, err := unfinished.Sweep(dir, partPrefix); err != nil {
		return err
	}
	defer func() {
		if err != nil { // perhaps the disk is full, and others need it
			err = errors.Join(err, f.remove(batch))
		}
	}()
	m := Manifest{BatchID: batch, MadeAt: now.UTC(), Files: []File{}}
	for _, part := range parts {
		file, err := f.write(ctx, dir, batch, part)
		if err != nil {
			return fmt.Errorf("make %s of batch %s: %w", part.Name, batch, err)
		}
		m.Files = append(m.Files, file)
	}
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return durable.Replace(filepath.Join(dir, manifestName), text, 0o640)
}

func (f *Folder) write(ctx context.Context, dir, batch string, part Part) (_ File, err error) {
	if !plain(part.Name) {
		return File{}, errors.New("the name is no name of a file")
	}
	out, err := unfinished.Create(dir, partPrefix)
	if err != nil {
		return File{}, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(out.Name()))
		}
		err = errors.Join(err, out.Close())
	}()
	hash := sha256.New()
	to := &bounded{to: io.MultiWriter(out, hash), more: func(need int64) (int64, error) { return f.room(batch, need) }}
	rows, err := part.Write(ctx, to)
	if err != nil {
		return File{}, err
	}
	if err := out.Sync(); err != nil {
		return File{}, err
	}
	if err := os.Rename(out.Name(), filepath.Join(dir, part.Name)); err != nil {
		return File{}, err
	}
	return File{part.Name, part.Table, part.Year, rows, to.written, hex.EncodeToString(hash.Sum(nil))}, nil
}

// step is how many bytes are written before the folder is measured again.
const step = 16 << 20

// bounded asks for room before it writes.
type bounded struct {
	to      io.Writer
	more    func(need int64) (int64, error) // returns the bytes that may be written now
	left    int64
	written int64
}

// Write implements io.Writer.
func (b *bounded) Write(part []byte) (int, error) {
	if int64(len(part)) > b.left {
		room, err := b.more(int64(len(part)))
		if err != nil {
			return 0, err
		}
		b.left = min(room, max(step, int64(len(part))))
	}
	count, err := b.to.Write(part)
	b.left -= int64(count)
	b.written += int64(count)
	return count, err
}

// room returns the bytes that may be added to a batch, and removes files of other batches, the
// oldest first, until there are as many as needed.
func (f *Folder) room(batch string, need int64) (int64, error) {
	for {
		used, others, err := f.used(batch)
		if err != nil {
			return 0, err
		}
		if left := f.limit - used; left >= need {
			return left, nil
		}
		if len(others) == 0 {
			return 0, ErrFull
		}
		if err := f.remove(others[0]); err != nil {
			return 0, err
		}
	}
}

// used measures the folder, and lists the batches in it besides one, the oldest first.
func (f *Folder) used(batch string) (bytes int64, others []string, err error) {
	entries, err := os.ReadDir(f.path)
	if err != nil {
		return 0, nil, err
	}
	made := map[string]time.Time{}
	for _, entry := range entries {
		if !entry.IsDir() {
			continue
		}
		files, err := os.ReadDir(filepath.Join(f.path, entry.Name()))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return 0, nil, err
		}
		for _, file := range files {
			if info, err := file.Info(); err == nil { // another process may have removed it
				bytes += info.Size()
				if made[entry.Name()].Before(info.ModTime()) {
					made[entry.Name()] = info.ModTime()
				}
			}
		}
		if entry.Name() != batch {
			others = append(others, entry.Name())
		}
	}
	slices.SortFunc(others, func(a, b string) int { return made[a].Compare(made[b]) })
	return bytes, others, nil
}

// Room measures the disk of the folder: the bytes that are free, and those that the newest files take, so that those of
// the next batch need about as many.
func (f *Folder) Room() (free, need int64, err error) {
	at := f.path
	_, batches, err := f.used("")
	switch {
	case errors.Is(err, fs.ErrNotExist):
		at = filepath.Dir(f.path) // nothing was made yet
	case err != nil:
		return 0, 0, err
	}
	for _, newest := range slices.Backward(batches) {
		m, err := f.Manifest(newest)
		if err != nil {
			continue // its files could not be made
		}
		for _, file := range m.Files {
			need += file.Bytes
		}
		break
	}
	var disk unix.Statfs_t
	if err := unix.Statfs(at, &disk); err != nil {
		return 0, 0, fmt.Errorf("measure the disk of %s: %w", at, err)
	}
	return int64(disk.Bavail) * int64(disk.Bsize), need, nil
}

// remove removes the files of a batch, its manifest first, so that no list names a file that is
// gone. Readers that have a file open read it to its end.
func (f *Folder) remove(batch string) error {
	dir := filepath.Join(f.path, batch)
	if err := os.Remove(filepath.Join(dir, manifestName)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f.forget(batch)
	return os.RemoveAll(dir)
}

// Sweep removes the files of all batches that are not kept. It does nothing while a process
// makes files.
func (f *Folder) Sweep(kept func(batch string) (bool, error)) error {
	lock, err := os.OpenFile(filepath.Join(f.path, lockName), os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // nothing was ever made
	}
	if err != nil {
		return err
	}
	defer func() { _ = lock.Close() }() // this also unlocks it
	if syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil {
		return nil
	}
	_, batches, err := f.used("")
	if err != nil {
		return err
	}
	for _, batch := range batches {
		keep, err := kept(batch)
		if err != nil {
			return err
		}
		if !keep {
			if err := f.remove(batch); err != nil {
				return err
			}
		}
	}
	return nil
}
