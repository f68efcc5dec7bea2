// Package durable changes files so that the change survives a power failure.
package durable

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Replace replaces the content of a file, or creates it with a mode. After a crash of the
// process or the machine the file has the old content or the new one. Two processes must not
// replace a file at once.
func Replace(path string, content []byte, mode fs.FileMode) error {
	// A file that a crash left has the mode of its time, and may be a link to another file.
	if err := os.Remove(path + ".next"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	next, err := os.OpenFile(path+".next", os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	_, err = next.Write(content)
	if err = errors.Join(err, next.Sync(), next.Close()); err == nil {
		err = os.Rename(next.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(next.Name()))
	}
	return SyncFolder(filepath.Dir(path))
}

// SyncFolder writes the names in a folder to disk.
func SyncFolder(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}
