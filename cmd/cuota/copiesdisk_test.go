//go:build linux

package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// sizeOfSmallDisk is the size of the disk of the ClickHouse server that has a small one.
const sizeOfSmallDisk = "768m"

// makeDiskSmall gives the ClickHouse server of the last copy a disk that can be filled, if that is allowed.
func (c *copiesInstallation) makeDiskSmall(t *testing.T) {
	t.Helper()
	dir := filepath.Join(c.dir, "clickhouse-"+c.copies[len(c.copies)-1], "data")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+sizeOfSmallDisk); err != nil {
		t.Logf("no disk is filled, because a small one can't be mounted: %v; run this as root", err)
		return
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Errorf("unmount the small disk: %v", err)
		}
	})
	c.smallDisk = dir
}

// fillDisk fills the small disk, and returns what makes it empty again.
func (s *copiesStorm) fillDisk() (end func()) {
	path := filepath.Join(s.smallDisk, "filler")
	if err := fill(path); !errors.Is(err, syscall.ENOSPC) {
		s.t.Errorf("the disk is not full: %v", err)
	}
	return func() {
		if err := os.Remove(path); err != nil {
			s.t.Error(err)
		}
	}
}

// partsToDamage lists the parts of tables that batches compute. A part of facts would have to be restored by a person.
const partsToDamage = `
	SELECT path FROM system.parts
	WHERE active AND database = 'cuota' AND rows > 0 AND table IN (SELECT table FROM cuota.built_table)
	ORDER BY table, path`

// anyPart returns the directory of a part of a copy.
func (s *copiesStorm) anyPart(name string) string {
	conn := s.connect(name)
	defer func() { _ = conn.Close() }()
	var parts []string
	s.await("ClickHouse of copy "+name+" lists its parts", func() bool {
		err := conn.QueryRow(s.t.Context(), "SELECT groupArray(path) FROM ("+partsToDamage+")").Scan(&parts)
		return err == nil && len(parts) > 0
	})
	return parts[s.random.IntN(len(parts))]
}

// flipped changes a byte of the values of a part, and says of which file. ClickHouse may have merged the part with
// others meanwhile.
func flipped(part string) string {
	path, size, err := largest(part, ".bin")
	if err == nil {
		err = flip(path)
	}
	if err != nil {
		return fmt.Sprintf("nothing: %v", err)
	}
	return fmt.Sprintf("a byte of %s, which has %d", path, size)
}
