package backups

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/rs/zerolog"

	"cuota/cmd/cuota/datadir"
	"cuota/internal/embedded/clickhouse"
)

func TestACopyOfTheTablesIsForItsOwnerAndConnection(t *testing.T) {
	dir, err := datadir.Make(filepath.Join(t.TempDir(), "data"))
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(t.TempDir(), "copy")
	fails := errors.New("the disk is full")
	var failing atomic.Bool
	serving, err := ServeCopies(dir, func(context.Context) (*clickhouse.Backup, error) {
		if failing.Load() {
			return nil, fails
		}
		return &clickhouse.Backup{Dir: copied, Tables: []clickhouse.Table{{Name: "t", Rows: 1, Checksum: 1<<64 - 1}}},
			os.Mkdir(copied, 0o700)
	}, zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(dir.Control()); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the folder of the socket has %v (%v)", info.Mode(), err)
	}
	gone := func() bool {
		_, err := os.Stat(copied)
		return errors.Is(err, os.ErrNotExist)
	}
	for range 2 {
		made, release, err := askForCopy(t.Context(), dir)
		if err != nil || made.Dir != copied || made.Tables[0].Checksum != 1<<64-1 || gone() {
			t.Fatalf("the copy is %+v (%v)", made, err)
		}
		if _, _, err := askForCopy(t.Context(), dir); err == nil ||
			!strings.Contains(err.Error(), "another cuota backup") {
			t.Errorf("a second copy at the same time: %v", err)
		}
		if err := release(); err != nil || !gone() {
			t.Errorf("a copy that was released is gone: %t (%v)", gone(), err)
		}
	}
	failing.Store(true)
	if _, _, err := askForCopy(t.Context(), dir); err == nil || !strings.Contains(err.Error(), fails.Error()) {
		t.Errorf("a copy that fails: %v", err)
	}
	failing.Store(false)
	if _, _, err := askForCopy(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	if err := serving.Close(); err != nil { // while a client reads a copy
		t.Error(err)
	}
	if !gone() {
		t.Error("a copy is left after the end")
	}
	if _, _, err := askForCopy(t.Context(), dir); err == nil || !strings.Contains(err.Error(), "try again") {
		t.Errorf("without anybody who serves: %v", err)
	}
}
