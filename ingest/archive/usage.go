package archive

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// DefaultLimit is how many bytes the files of an archive may take together unless
// Limit sets another number. It is about twenty times what the market publishes in ten
// years.
const DefaultLimit int64 = 20 << 30

// usage is how many bytes an archive takes on its disk. It is counted once and then
// updated, because looking at every file for each new one would take longer than
// ingesting it. Files that other processes add are found by the next count.
type usage struct {
	mu      sync.Mutex
	limit   int64
	bytes   int64
	counted bool
}

// Limit sets how many bytes the files of the archive may take together, and returns the
// archive. Call it before the archive is used.
func (a *Archive) Limit(bytes int64) *Archive {
	a.usage.limit = bytes
	return a
}

// Usage counts the bytes of the archive's files and returns them with the limit.
func (a *Archive) Usage() (bytes, limit int64, err error) {
	err = filepath.WalkDir(a.dir, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if errors.Is(err, fs.ErrNotExist) { // another process has renamed or removed its temporary file
			return nil
		}
		if err == nil {
			bytes += info.Size()
		}
		return err
	})
	if errors.Is(err, fs.ErrNotExist) { // nothing was archived yet
		err = nil
	}
	if err != nil {
		return 0, 0, fmt.Errorf("measure the size of the archive %s: %w", a.dir, err)
	}
	return bytes, a.usage.limit, nil
}

// admit fails if the payload, written to temp, would take the archive beyond its limit.
// A payload that the archive already holds needs no more space.
func (a *Archive) admit(temp, target string) error {
	if _, err := os.Stat(target); err == nil {
		return nil
	}
	info, err := os.Stat(temp)
	if err != nil {
		return err
	}
	a.usage.mu.Lock()
	defer a.usage.mu.Unlock()
	if !a.usage.counted || a.usage.bytes+info.Size() > a.usage.limit {
		if a.usage.bytes, _, err = a.Usage(); err != nil {
			return err
		}
		a.usage.bytes -= info.Size() // the count includes temp
		a.usage.counted = true
	}
	if a.usage.bytes+info.Size() > a.usage.limit {
		return fmt.Errorf("the archive %s is full: it has %.2f GiB of at most %.2f GiB, and this file needs %.2f "+
			"MiB. The file was not "+
			"ingested. Set CUOTA_ARCHIVE_GIB higher, or move .zst files elsewhere but keep their .json files, then "+
			"ingest the file again",
			a.dir, gib(a.usage.bytes), gib(a.usage.limit), 1024*gib(info.Size()))
	}
	a.usage.bytes += info.Size()
	return nil
}

// add counts bytes that were written without a call of admit: notes, which are small and
// which an admitted payload needs.
func (u *usage) add(bytes int64) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.bytes += bytes
}

func gib(bytes int64) float64 { return float64(bytes) / (1 << 30) }
