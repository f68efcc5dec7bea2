// Package backup keeps backups of an installation in a directory, the store:
//
//	cuota-backups   marks the directory as a store; locked by who works on it
//	objects/        files by the hash of their content, each once
//	backups/        one manifest for each backup, which lists its files
//
// Backups share what did not change between them, so that a second one takes the room
// of the difference, and each can be restored or deleted without the others. A backup
// is there once its manifest is: an interrupted one leaves objects that the next one
// uses.
package backup

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// File is a file of a backup.
type File struct {
	Path     string    `json:"path"` // relative, with slashes
	Size     int64     `json:"size"` // bytes
	SHA256   string    `json:"sha256"`
	Modified time.Time `json:"modified,omitzero"` // of the original, where Kept may compare it
}

// Manifest describes a backup.
type Manifest struct {
	Format  int       `json:"format"`
	ID      string    `json:"id"` // the instant of its beginning; later ones sort after earlier ones
	Began   time.Time `json:"began"`
	Program string    `json:"program"` // version
	Files   []File    `json:"files"`
	// Content is what the caller wants to find the same after a restore.
	Content json.RawMessage `json:"content"`
}

// format is that of the manifests that this program writes, and the newest it reads.
const format = 1

// sealed is a manifest as it is stored: with the hash of its text.
type sealed struct {
	SHA256   string          `json:"sha256"`
	Manifest json.RawMessage `json:"manifest"`
}

const (
	markName = "cuota-backups"
	incoming = ".incoming-"
)

// Store is a directory of backups. One process at a time works on it.
type Store struct {
	dir  string
	mark *os.File // locked

	mu      sync.Mutex
	folders map[string]bool // with new names that are not synced yet
}

// Create opens the store in dir for writing, and makes it where dir is missing or empty.
func Create(dir string) (*Store, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("open the directory of backups: %w", err)
	}
	if _, err := os.Stat(filepath.Join(dir, markName)); len(entries) > 0 && errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s holds other files and no backups: name an empty directory, or one that does not exist", dir)
	}
	for _, folder := range []string{dir, filepath.Join(dir, "objects"), filepath.Join(dir, "backups")} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return nil, fmt.Errorf("make the directory of backups: %w", err)
		}
	}
	mark, err := os.OpenFile(filepath.Join(dir, markName), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("make the directory of backups: %w", err)
	}
	s, err := lock(dir, mark, syscall.LOCK_EX)
	if err != nil {
		return nil, err
	}
	left, err := filepath.Glob(filepath.Join(dir, "*", incoming+"*"))
	for _, path := range left {
		err = errors.Join(err, os.Remove(path))
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("clear the directory of backups: %w", err), s.Close())
	}
	return s, nil
}

// Open opens a store that exists. Nothing is written to it, so that it may be on a disk
// that can only be read.
func Open(dir string) (*Store, error) {
	mark, err := os.Open(filepath.Join(dir, markName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s holds no backups", dir)
	}
	if err != nil {
		return nil, fmt.Errorf("open the directory of backups: %w", err)
	}
	return lock(dir, mark, syscall.LOCK_SH)
}

// lock takes the lock of a store. A file that is open for reading can't have an exclusive
// one on every file system.
func lock(dir string, mark *os.File, how int) (*Store, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("directory of backups: %w", err), mark.Close())
	}
	err = syscall.Flock(int(mark.Fd()), how|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		err = errors.New("another command works on it; wait until that one has ended")
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("lock the directory of backups %s: %w", dir, err), mark.Close())
	}
	return &Store{dir: dir, mark: mark, folders: map[string]bool{}}, nil
}

// Close gives the store up.
func (s *Store) Close() error { return s.mark.Close() }

// NewID gives the id of a backup that begins now.
func (s *Store) NewID(now time.Time) (string, error) {
	for {
		id := strings.Replace(now.UTC().Format("20060102T150405.000"), ".", "-", 1)
		_, err := os.Stat(s.manifestPath(id))
		if errors.Is(err, fs.ErrNotExist) {
			return id, nil
		}
		if err != nil {
			return "", fmt.Errorf("name the backup: %w", err)
		}
		now = now.Add(time.Millisecond)
	}
}

var idForm = regexp.MustCompile(`^\d{8}T\d{6}-\d{3}$`)

// IDs lists the backups, the oldest first.
func (s *Store) IDs() ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(s.dir, "backups"))
	if err != nil {
		return nil, fmt.Errorf("list the backups: %w", err)
	}
	var ids []string
	for _, entry := range entries {
		if id, is := strings.CutSuffix(entry.Name(), ".json"); is && idForm.MatchString(id) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids, nil
}

// Finish makes a backup of files that were added. Before it, there is none.
func (s *Store) Finish(m Manifest) error {
	m.Format = format
	text, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("write the manifest: %w", err)
	}
	whole, err := json.Marshal(sealed{sumOf(text), text})
	if err != nil {
		return fmt.Errorf("write the manifest: %w", err)
	}
	for folder := range s.folders {
		if err := syncFolder(folder); err != nil {
			return fmt.Errorf("write the backup to the disk: %w", err)
		}
	}
	clear(s.folders)
	folder := filepath.Join(s.dir, "backups")
	next, err := os.CreateTemp(folder, incoming+"*")
	if err != nil {
		return fmt.Errorf("write the manifest: %w", err)
	}
	_, err = next.Write(whole)
	if err = errors.Join(err, next.Sync(), next.Close()); err == nil {
		err = os.Rename(next.Name(), s.manifestPath(m.ID))
	}
	if err == nil {
		err = syncFolder(folder)
	}
	if err != nil {
		return fmt.Errorf("write the manifest: %w", err)
	}
	return nil
}

// Load reads the manifest of a backup, of the newest one if the id is "". It refuses one
// that was damaged.
func (s *Store) Load(id string) (Manifest, error) {
	if id == "" {
		ids, err := s.IDs()
		if err != nil {
			return Manifest{}, err
		}
		if len(ids) == 0 {
			return Manifest{}, fmt.Errorf("%w in %s: none was ever finished", ErrNoBackup, s.dir)
		}
		id = ids[len(ids)-1]
	}
	if !idForm.MatchString(id) {
		return Manifest{}, fmt.Errorf("%q is no id of a backup: ids look like 20261122T163833-123", id)
	}
	text, err := os.ReadFile(s.manifestPath(id))
	if errors.Is(err, fs.ErrNotExist) {
		return Manifest{}, fmt.Errorf("%w %s in %s", ErrNoBackup, id, s.dir)
	}
	if err != nil {
		return Manifest{}, fmt.Errorf("read the manifest of backup %s: %w", id, err)
	}
	damaged := fmt.Errorf("the manifest of backup %s is damaged: use another backup", id)
	var whole sealed
	if err := json.Unmarshal(text, &whole); err != nil || sumOf(whole.Manifest) != whole.SHA256 {
		return Manifest{}, damaged
	}
	var m Manifest
	if err := json.Unmarshal(whole.Manifest, &m); err != nil || m.ID != id {
		return Manifest{}, damaged
	}
	if m.Format > format {
		return Manifest{}, fmt.Errorf("backup %s was made by a newer program (%s): restore it with that one", id, m.Program)
	}
	for _, file := range m.Files {
		if !filepath.IsLocal(filepath.FromSlash(file.Path)) || path.Clean(file.Path) != file.Path || !hashForm.MatchString(file.SHA256) || file.Size < 0 {
			return Manifest{}, damaged
		}
	}
	return m, nil
}

// ErrNoBackup says that a store has no such backup.
var ErrNoBackup = errors.New("there is no backup")

// Keep deletes all backups but the newest, and what only they hold.
func (s *Store) Keep(newest int) error {
	ids, err := s.IDs()
	if err != nil {
		return err
	}
	if len(ids) <= newest {
		return nil
	}
	old, kept := ids[:len(ids)-newest], ids[len(ids)-newest:]
	used := map[string]bool{}
	for _, id := range kept {
		// Unless every manifest can be read, nobody knows what is needed.
		m, err := s.Load(id)
		if err != nil {
			return fmt.Errorf("delete old backups: %w", err)
		}
		for _, file := range m.Files {
			used[file.SHA256] = true
		}
	}
	for _, id := range old {
		if err := os.Remove(s.manifestPath(id)); err != nil {
			return fmt.Errorf("delete backup %s: %w", id, err)
		}
	}
	if err := syncFolder(filepath.Join(s.dir, "backups")); err != nil {
		return fmt.Errorf("delete old backups: %w", err)
	}
	return s.eachObject(func(path, hash string) error {
		if used[hash] {
			return nil
		}
		return os.Remove(path)
	})
}

func (s *Store) manifestPath(id string) string {
	return filepath.Join(s.dir, "backups", id+".json")
}

func sumOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// syncFolder makes the names in a folder survive a power cut.
func syncFolder(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}
