package backup

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
	"regexp"
)

var hashForm = regexp.MustCompile(`^[0-9a-f]{64}$`)

func (s *Store) objectPath(hash string) string {
	return filepath.Join(s.dir, "objects", hash[:2], hash)
}

// Add copies a file into the store, unless its content is already there. path is its path in
// the backup. Several goroutines may add files. It fails if source is not a regular file or
// changes while it is read.
func (s *Store) Add(ctx context.Context, source, path string) (_ File, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("back up %s: %w", source, err)
		}
	}()
	// If the file is replaced meanwhile, the open one keeps its content.
	original, err := os.Open(source)
	if err != nil {
		return File{}, err
	}
	defer func() { err = errors.Join(err, original.Close()) }()
	info, err := original.Stat()
	if err != nil {
		return File{}, err
	}
	if !info.Mode().IsRegular() {
		return File{}, errors.New("it is not a regular file")
	}
	hash, size, err := copyHashed(ctx, io.Discard, original)
	if err != nil {
		return File{}, err
	}
	file := File{Path: path, Size: size, SHA256: hash, Modified: info.ModTime().UTC()}
	if s.Holds(file) {
		return file, nil
	}
	if _, err := original.Seek(0, io.SeekStart); err != nil {
		return File{}, err
	}
	again, _, err := s.put(ctx, original)
	if err == nil && again != hash {
		err = errors.New("it changed while it was read")
	}
	return file, err
}

// AddReader copies the content of a reader into the store. path is its path in the backup.
func (s *Store) AddReader(ctx context.Context, from io.Reader, path string) (File, error) {
	hash, size, err := s.put(ctx, from)
	if err != nil {
		return File{}, fmt.Errorf("back up %s: %w", path, err)
	}
	return File{Path: path, Size: size, SHA256: hash}, nil
}

// Scratch makes an empty file in the store for content that is produced later, and returns its
// absolute path. The caller must remove it. A file that is left behind is deleted when the
// store is next opened for writing.
func (s *Store) Scratch() (path string, err error) {
	file, err := os.CreateTemp(filepath.Join(s.dir, "objects"), incoming+"*") // mode 0600
	if err != nil {
		return "", fmt.Errorf("create a file in the directory of backups: %w", err)
	}
	return file.Name(), file.Close()
}

// Holds reports whether the store has an object with the hash and size of a file. It does not
// read the object.
func (s *Store) Holds(f File) bool {
	info, err := os.Stat(s.objectPath(f.SHA256))
	return err == nil && info.Mode().IsRegular() && info.Size() == f.Size
}

// put stores content under its hash. A reader finds the whole object or none.
func (s *Store) put(ctx context.Context, from io.Reader) (hash string, size int64, err error) {
	next, err := os.CreateTemp(filepath.Join(s.dir, "objects"), incoming+"*") // mode 0600
	if err != nil {
		return "", 0, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(next.Name()))
		}
	}()
	hash, size, err = copyHashed(ctx, next, from)
	if err = errors.Join(err, next.Sync(), next.Close()); err != nil {
		return "", 0, err
	}
	folder := filepath.Dir(s.objectPath(hash))
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", 0, err
	}
	if err := os.Rename(next.Name(), s.objectPath(hash)); err != nil {
		return "", 0, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.folders[folder], s.folders[filepath.Dir(folder)] = true, true
	return hash, size, nil
}

// damagedError says that the object of a file is missing or damaged.
type damagedError struct{ file File }

func (e damagedError) Error() string {
	return fmt.Sprintf("the copy of %s in the backup (object %s) is damaged or missing: use another backup, or make "+
		"a new one", e.file.Path, e.file.SHA256)
}

// Read writes the content of a file to a writer. After an error the content may be damaged or
// incomplete, and must not be used.
func (s *Store) Read(ctx context.Context, f File, to io.Writer) (err error) {
	object, err := os.Open(s.objectPath(f.SHA256))
	if errors.Is(err, fs.ErrNotExist) {
		return damagedError{f}
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, object.Close()) }()
	hash, _, err := copyHashed(ctx, to, object)
	if err == nil && hash != f.SHA256 {
		err = damagedError{f}
	}
	return err
}

// Copy writes a file of a backup to a path, with mode 0600. A file that already has this
// content stays as it is.
func (s *Store) Copy(ctx context.Context, f File, to string) error {
	if same(ctx, f, to) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o750); err != nil {
		return err
	}
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	err = s.Read(ctx, f, out)
	return errors.Join(err, out.Sync(), out.Close())
}

// same reports whether the file at path has the content that the backup has.
func same(ctx context.Context, f File, path string) bool {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() != f.Size {
		return false
	}
	there, err := os.Open(path)
	if err != nil {
		return false
	}
	defer func() { _ = there.Close() }()
	hash, _, err := copyHashed(ctx, io.Discard, there)
	return err == nil && hash == f.SHA256
}

// Verify reads every object that a backup needs, and describes those that are damaged or
// missing. It renames a damaged object, so that the next backup stores the content again if the
// installation still has it.
func (s *Store) Verify(ctx context.Context) (damaged []string, err error) {
	ids, err := s.IDs()
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, id := range ids {
		m, err := s.Load(id)
		if err != nil {
			damaged = append(damaged, err.Error())
			continue
		}
		for _, file := range m.Files {
			if seen[file.SHA256] {
				continue
			}
			seen[file.SHA256] = true
			err := s.Read(ctx, file, io.Discard)
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if err == nil {
				continue
			}
			damaged = append(damaged, fmt.Sprintf("backup %s: %s", id, err))
			if !errors.As(err, new(damagedError)) {
				continue // a read error does not mean that the content is damaged
			}
			if aside := os.Rename(s.objectPath(file.SHA256), s.objectPath(file.SHA256)+".damaged"); aside != nil &&
				!errors.Is(aside, fs.ErrNotExist) {
				return damaged, fmt.Errorf("rename a damaged object: %w", aside)
			}
		}
	}
	return damaged, nil
}

// eachObject calls a function for every file below objects.
func (s *Store) eachObject(do func(path, hash string) error) error {
	err := filepath.WalkDir(filepath.Join(s.dir, "objects"), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		return do(path, entry.Name())
	})
	if err != nil {
		return fmt.Errorf("list the objects: %w", err)
	}
	return nil
}

// copyHashed copies until the end of the reader, and returns the hash and the number of bytes.
// It fails if the context ends first.
func copyHashed(ctx context.Context, to io.Writer, from io.Reader) (hash string, size int64, err error) {
	sum := sha256.New()
	size, err = io.Copy(io.MultiWriter(sum, to), readerFunc(func(p []byte) (int, error) {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		return from.Read(p)
	}))
	return hex.EncodeToString(sum.Sum(nil)), size, err
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }
