package kafka

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

const lockName = "LOCK"

// dirLock is an advisory lock on a file in the directory. The kernel releases it when the
// process ends, so a killed server leaves no lock.
type dirLock struct{ f *os.File }

// lockDir locks the directory and writes this process's id into the lock file. If another
// process holds the lock, the error contains that process's id.
func lockDir(dir string) (*dirLock, error) {
	f, err := os.OpenFile(filepath.Join(dir, lockName), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		holder := "another process"
		if b, _ := io.ReadAll(io.LimitReader(f, 20)); len(b) > 0 {
			holder = "process " + strings.TrimSpace(string(b))
		}
		_ = f.Close()
		if errors.Is(err, unix.EWOULDBLOCK) {
			return nil, fmt.Errorf("the directory is in use by %s: stop it, or give this one another directory", holder)
		}
		return nil, fmt.Errorf("lock %s: %w", f.Name(), err)
	}
	l := &dirLock{f}
	if err := errors.Join(f.Truncate(0), writePID(f)); err != nil {
		return nil, errors.Join(fmt.Errorf("write process id to %s: %w", f.Name(), err), l.release())
	}
	return l, nil
}

func writePID(f *os.File) error {
	_, err := f.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	return err
}

// release releases the directory. The file stays: after removing it, two processes could lock
// two different files of the same name.
func (l *dirLock) release() error { return l.f.Close() }

// checkDir fails if the directory contains something other than a log, or if it is larger than
// the cap. It also fails if meta.json is missing, by which the engine recognises its log.
// Without that file the engine would start a new log over the old partitions.
func checkDir(dir string, maxBytes int64) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	known, strange := false, ""
	for _, e := range entries {
		switch name := e.Name(); {
		case name == "meta.json":
			known = true
		case name != lockName && !strings.HasSuffix(name, ".tmp"):
			strange = name
		}
	}
	if !known && strange != "" {
		return fmt.Errorf("%w, or it is not a log: the directory has %q but no meta.json; give an empty directory, "+
			"or restore meta.json", ErrDamaged, strange)
	}
	size, err := dirSize(dir)
	if err != nil {
		return err
	}
	if size > maxBytes {
		return fmt.Errorf("the log has %d bytes, more than its limit of %d bytes: raise the limit, or delete the "+
			"directory if the projector has stored every event in it", size, maxBytes)
	}
	return nil
}

// dirSize returns the total size of the files below dir, in bytes. Files may appear and disappear
// meanwhile.
func dirSize(dir string) (int64, error) {
	var total int64
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		total += info.Size()
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("measure %s: %w", dir, err)
	}
	return total, nil
}
