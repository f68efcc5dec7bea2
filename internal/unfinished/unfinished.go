// Package unfinished writes files that are either finished or removed, even if the process that
// writes them is killed. A writer holds a lock on its file, which the kernel releases when the
// process ends. Sweep removes the files that nobody has locked. So neither clocks nor the age
// of a file matter.
package unfinished

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// mostTries is how often Create tries again if a sweep removed its file.
const mostTries = 100

// Create makes a file in dir with mode 0600, whose name begins with prefix, and locks it until
// it is closed. The caller must rename or link the file while it is open: once it is closed, a
// sweep may remove it.
func Create(dir, prefix string) (*os.File, error) {
	for range mostTries {
		file, err := os.CreateTemp(dir, prefix+"*")
		if err != nil {
			return nil, err
		}
		ours, err := hold(file)
		if err == nil && ours {
			return file, nil
		}
		if err != nil {
			return nil, errors.Join(err, file.Close(), os.Remove(file.Name()))
		}
		_ = file.Close() // a sweep locked the file first, and removes it
	}
	return nil, fmt.Errorf("create a temporary file in %s: another process removed each of %d files", dir, mostTries)
}

// hold locks a file. It reports whether it got the lock and the file still has its name. On a
// file system without locks it reports true without a lock.
func hold(file *os.File) (bool, error) {
	err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	switch {
	case errors.Is(err, syscall.EWOULDBLOCK):
		return false, nil
	case withoutLocks(err):
		return true, nil
	case err != nil:
		return false, fmt.Errorf("lock %s: %w", file.Name(), err)
	}
	return named(file)
}

func withoutLocks(err error) bool {
	return errors.Is(err, syscall.ENOTSUP) || errors.Is(err, syscall.ENOSYS) || errors.Is(err, syscall.ENOLCK)
}

// named reports whether the file's name still leads to this file.
func named(file *os.File) (bool, error) {
	open, err := file.Stat()
	if err != nil {
		return false, err
	}
	there, err := os.Lstat(file.Name())
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return os.SameFile(open, there), nil
}

// Sweep removes the regular files in dir whose names begin with prefix and that nobody has
// locked. It returns how many it removed. On a file system without locks it removes none. A
// missing dir is no error.
func Sweep(dir, prefix string) (removed int, err error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	var failures []error
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), prefix) || !entry.Type().IsRegular() {
			continue
		}
		gone, err := removeUnheld(filepath.Join(dir, entry.Name()))
		if err != nil {
			failures = append(failures, err)
		}
		if gone {
			removed++
		}
	}
	return removed, errors.Join(failures...)
}

func removeUnheld(path string) (bool, error) {
	file, err := os.OpenFile(path, os.O_RDWR|syscall.O_NOFOLLOW, 0)
	if errors.Is(err, fs.ErrNotExist) { // its writer has renamed it
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer func() { _ = file.Close() }() // nothing was written
	switch err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); {
	case errors.Is(err, syscall.EWOULDBLOCK), withoutLocks(err):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("lock %s: %w", path, err)
	}
	// Its writer may have renamed it after it was opened here.
	if same, err := named(file); err != nil || !same {
		return false, err
	}
	return true, os.Remove(path)
}
