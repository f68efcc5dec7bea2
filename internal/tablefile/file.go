package tablefile

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"cuota/internal/durable"
	"cuota/internal/unfinished"
)

// partPrefix begins the name of a file that is not finished.
const partPrefix = ".cuota-unfinished-"

// File is a file that is being written. Nobody sees it under its name before Finish.
type File struct {
	path  string
	force bool
	file  *os.File
	to    *bufio.Writer
	end   func() error // writes what comes last
}

// Create begins a file. If the file exists, it fails, unless force is set; then Finish replaces the
// file.
func Create(path string, force bool) (*File, error) {
	f := &File{path: path, force: force, end: func() error { return nil }}
	if err := f.mayReplace(); err != nil {
		return nil, err
	}
	dir := filepath.Dir(path)
	if _, err := unfinished.Sweep(dir, partPrefix); err != nil {
		return nil, err
	}
	var err error
	if f.file, err = unfinished.Create(dir, partPrefix); err != nil {
		return nil, err
	}
	f.to = bufio.NewWriterSize(f.file, 1<<20)
	return f, nil
}

// Write implements io.Writer.
func (f *File) Write(content []byte) (int, error) { return f.to.Write(content) }

// ErrExists says that a file exists that would be replaced.
var ErrExists = errors.New("exists already: choose another name, or give --force to replace it")

// MayReplace fails if Finish would not give a file this name, as things are now.
func MayReplace(path string, force bool) error { return (&File{path: path, force: force}).mayReplace() }

func (f *File) mayReplace() error {
	info, err := os.Lstat(f.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.IsDir():
		return fmt.Errorf("%s is a directory: name a file", f.path)
	case !f.force:
		return fmt.Errorf("%s %w", f.path, ErrExists)
	}
	return nil
}

// Path returns the name that the file has when it is finished.
func (f *File) Path() string { return f.path }

// Finish completes files and gives them their names, in their order. If one can't be completed, none
// appears. It must be called once, or Abandon of each.
func Finish(files ...*File) (err error) {
	defer func() {
		for _, f := range files {
			err = errors.Join(err, f.Abandon())
		}
	}()
	for _, f := range files {
		if err := f.complete(); err != nil {
			return fmt.Errorf("finish %s: %w", f.path, err)
		}
	}
	for _, f := range files {
		if err := os.Rename(f.file.Name(), f.path); err != nil {
			return err
		}
		file := f.file
		f.file = nil
		if err := errors.Join(file.Close(), durable.SyncFolder(filepath.Dir(f.path))); err != nil {
			return err
		}
	}
	return nil
}

// readable is the mode of finished files. What they hold is public.
const readable = 0o644

func (f *File) complete() error {
	if err := f.end(); err != nil {
		return err
	}
	if err := errors.Join(f.to.Flush(), f.file.Chmod(readable), f.file.Sync()); err != nil {
		return err
	}
	return f.mayReplace() // another process may have made it meanwhile
}

// Abandon removes a file that was not finished. After Finish it does nothing.
func (f *File) Abandon() error {
	if f.file == nil {
		return nil
	}
	file := f.file
	f.file = nil
	return errors.Join(os.Remove(file.Name()), file.Close())
}
