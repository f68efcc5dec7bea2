package main

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"cuota/ingest/archive"
	"cuota/internal/testkit/waittest"
)

func TestLeftoversInTheArchiveAreRemovedAtTheStartAndAtIntervals(t *testing.T) {
	dir := t.TempDir()
	left := filepath.Join(dir, ".incoming-1")
	leave := func() {
		t.Helper()
		if err := os.WriteFile(left, []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	gone := func() bool {
		_, err := os.Stat(left)
		return os.IsNotExist(err)
	}
	leave()
	files := archive.New(dir, time.Now)
	stop := sweeping(10*time.Millisecond, zerolog.Nop(), files.Sweep)
	waittest.Until(t, "the file is removed that was there at the start", gone)
	leave()
	waittest.Until(t, "a file is removed that came later", gone)
	if err := stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	leave()
	if err := stop(context.Background()); err != nil || gone() {
		t.Errorf("a file is removed after the end, or %v", err)
	}
}
