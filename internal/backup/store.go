// Package backup keeps backups of an installation in a directory, the store:
//
//	cuota-backups   marks the directory as a store; a command locks it while it works
//	objects/        files, each stored once under the hash of its content
//	backups/        one manifest for each backup, which lists its files
//
// Backups share unchanged files, so a second backup needs only the space of the difference.
// Each can be restored or deleted without the others. A backup exists once its manifest exists.
// An interrupted backup leaves objects, which the next one reuses.
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

	"cuota/internal/durable"
)

// File describes one file of a backup.
type File struct {
	Path   string `json:"path"` // relative, with slashes
	Size   int64  `json:"size"` // bytes
	SHA256 string `json:"sha256"`
	// modification time of the original; zero if the content came from a reader
	Modified time.Time `json:"modified,omitzero"`
}

// Manifest describes a backup.
type Manifest struct {
	Format  int       `json:"format"`
	ID      string    `json:"id"` // time at which the backup began; ids sort by time
	Began   time.Time `json:"began"`
	Program string    `json:"program"` // version of the program that made it
	Files   []File    `json:"files"`
	// Content is data of the caller, which it compares after a restore.
	Content json.RawMessage `json:"content"`
}

// format is the version of the manifests that this program writes, and the newest that it
// reads.
const format = 1

// sealed is a manifest as it is stored, with the hash of its text.
type sealed struct {
	SHA256   string          `json:"sha256"`
	Manifest json.RawMessage `json:"manifest"`
}

const (
	markName = "cuota-backups"
	incoming = ".incoming-"
)

// Store is a directory of backups. It is locked: one writer, or several readers.
type Store struct {
	dir  string
	mark *os.File // locked

	mu      sync.Mutex
	folders map[string]bool // folders with new entries that are not synced to disk yet
}

// Create opens the store in dir for writing. It creates the store if dir is missing or empty.
// It fails if dir contains other files or if another command works on the store.
func Create(dir string) (*Store, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("open the directory of backups: %w", err)
	}
	if _, err := os.Stat(filepath.Join(dir, markName)); len(entries) > 0 && errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s has other files and no backups: give an empty directory, or one that does not exist",
			dir)
	}
	for _, folder := range []string{dir, filepath.Join(dir, "objects"), filepath.Join(dir, "backups")} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return nil, fmt.Errorf("create the directory of backups: %w", err)
		}
	}
	mark, err := os.OpenFile(filepath.Join(dir, markName), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("create the directory of backups: %w", err)
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
		return nil, errors.Join(fmt.Errorf("remove temporary files from the directory of backups: %w", err), s.Close())
	}
	return s, nil
}

// Open opens an existing store for reading. It writes nothing, so the store may be on a
// read-only disk. It fails if dir is not a store or if another command writes to it.
func Open(dir string) (*Store, error) {
	mark, err := os.Open(filepath.Join(dir, markName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there are no backups in %s", dir)
	}
	if err != nil {
		return nil, fmt.Errorf("open the directory of backups: %w", err)
	}
	return lock(dir, mark, syscall.LOCK_SH)
}

// lock locks a store with how, LOCK_EX or LOCK_SH. It fails if another command holds the lock.
// On some file systems a file that is open for reading can't get an exclusive lock.
func lock(dir string, mark *os.File, how int) (*Store, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("directory of backups: %w", err), mark.Close())
	}
	err = syscall.Flock(int(mark.Fd()), how|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		err = errors.New("another command is using it; try again when that one has finished")
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("lock the directory of backups %s: %w", dir, err), mark.Close())
	}
	return &Store{dir: dir, mark: mark, folders: map[string]bool{}}, nil
}

// Close closes the store and releases its lock.
func (s *Store) Close() error { return s.mark.Close() }

// NewID returns the id of a backup that begins now. The id is not used yet.
func (s *Store) NewID(now time.Time) (string, error) {
	for {
		id := strings.Replace(now.UTC().Format("20060102T150405.000"), ".", "-", 1)
		_, err := os.Stat(s.manifestPath(id))
		if errors.Is(err, fs.ErrNotExist) {
			return id, nil
		}
		if err != nil {
			return "", fmt.Errorf("choose the id of the backup: %w", err)
		}
		now = now.Add(time.Millisecond)
	}
}

var idForm = regexp.MustCompile(`^\d{8}T\d{6}-\d{3}$`)

// IDs lists the ids of the backups, oldest first.
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

// Finish writes the manifest of files that were added. The backup exists only after Finish has
// returned without an error.
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
		if err := durable.SyncFolder(folder); err != nil {
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
		err = durable.SyncFolder(folder)
	}
	if err != nil {
		return fmt.Errorf("write the manifest: %w", err)
	}
	return nil
}

// Load reads the manifest of a backup, or of the newest backup if id is "". It returns an error
// that wraps ErrNoBackup if there is none. It fails if the manifest is damaged or was written
// by a newer program.
func (s *Store) Load(id string) (Manifest, error) {
	if id == "" {
		ids, err := s.IDs()
		if err != nil {
			return Manifest{}, err
		}
		if len(ids) == 0 {
			return Manifest{}, fmt.Errorf("%w in %s: no backup has been completed there", ErrNoBackup, s.dir)
		}
		id = ids[len(ids)-1]
	}
	if !idForm.MatchString(id) {
		return Manifest{}, fmt.Errorf("%q is not the id of a backup: ids look like 20261122T163833-123", id)
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
		return Manifest{}, fmt.Errorf("backup %s was made by a newer program (%s): restore it with that one", id,
			m.Program)
	}
	for _, file := range m.Files {
		if !filepath.IsLocal(filepath.FromSlash(file.Path)) || path.Clean(file.Path) != file.Path ||
			!hashForm.MatchString(file.SHA256) || file.Size < 0 {
			return Manifest{}, damaged
		}
	}
	return m, nil
}

// ErrNoBackup says that a store does not contain the backup.
var ErrNoBackup = errors.New("there is no backup")

// Keep deletes all but the given number of newest backups, and the objects that no remaining
// backup needs. It deletes nothing if a remaining manifest can't be read.
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
		// All remaining manifests must be readable: otherwise the objects that they need are
		// unknown.
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
	if err := durable.SyncFolder(filepath.Join(s.dir, "backups")); err != nil {
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
