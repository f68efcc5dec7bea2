package main

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// smallDisk mounts a file system of the given size and returns its directory. If
// mounting is not allowed, it skips the test, except when root runs it with CI=true.
func smallDisk(t *testing.T, size string) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+size); err != nil {
		if os.Getenv("CI") == "true" && os.Geteuid() == 0 {
			t.Fatalf("mount a small disk: %v", err)
		}
		t.Skipf("a small disk can't be mounted: %v; run this as root", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Errorf("unmount the small disk: %v", err)
		}
	})
	return dir
}

// fillDisk fills the storm's disk for a while.
func fillDisk(s *storm) {
	path := filepath.Join(s.disk, "filler")
	if err := fill(path); !errors.Is(err, syscall.ENOSPC) {
		s.t.Errorf("the disk is not full: %v", err)
	}
	s.wait(2*time.Second, 10*time.Second)
	if err := os.Remove(path); err != nil {
		s.t.Error(err)
	}
}

// fill writes to a file until writing fails.
func fill(path string) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	for piece := make([]byte, 1<<20); ; {
		if _, err := file.Write(piece); err != nil {
			return err
		}
	}
}
