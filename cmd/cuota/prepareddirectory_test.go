package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"cuota/projector"
)

// Making the tables of a data directory, and the first batch of one, takes seconds. So most tests
// work on a copy of a directory that is made once. The first start on a directory that does not
// exist yet has tests of its own.
var preparedDirectories struct {
	sync.Mutex
	root  string // of all of them; "" before the first
	tries map[string]error
}

// directoryWithTables returns a data directory of the test's own that has tables and topics, and
// no data.
func directoryWithTables(t *testing.T) string {
	t.Helper()
	return copyOf(t, "tables", tablesAlone)
}

// directoryWithBatch returns a data directory of the test's own in which firstYear was ingested and
// is in a published batch.
func directoryWithBatch(t *testing.T) string {
	t.Helper()
	return copyOf(t, "batch", func(dir string) error {
		if err := tablesAlone(dir); err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if out, err := program(ctx, nil, "ingest", "cartola", firstYear, "--data", dir, "--wait").CombinedOutput(); err != nil {
			return fmt.Errorf("%w: %s", err, out)
		}
		return nil
	})
}

// tablesAlone makes a data directory as the first command on it does.
func tablesAlone(dir string) error {
	opened, err := openTarget(context.Background(), settings{now: time.Now}, dir, zerolog.Nop(), toFill)
	if err != nil {
		return err
	}
	return opened.close(context.Background())
}

// copyOf returns a copy of the directory of this name. The first call makes the directory.
func copyOf(t *testing.T, name string, make func(dir string) error) string {
	t.Helper()
	prepared := &preparedDirectories
	prepared.Lock()
	defer prepared.Unlock()
	if prepared.root == "" {
		root, err := os.MkdirTemp("", "cuota-prepared-")
		if err != nil {
			t.Fatal(err)
		}
		prepared.root, prepared.tries = root, map[string]error{}
	}
	from := filepath.Join(prepared.root, name)
	err, tried := prepared.tries[name]
	if !tried {
		err = make(from)
		prepared.tries[name] = err
	}
	if err != nil {
		t.Fatalf("prepare a directory: %v", err)
	}
	to := filepath.Join(t.TempDir(), "data")
	// os.CopyFS would not keep the modes of the files.
	if out, err := exec.CommandContext(t.Context(), "cp", "-a", from, to).CombinedOutput(); err != nil {
		t.Fatalf("copy a directory: %v: %s", err, out)
	}
	return to
}

// removePrepared removes the directories that were copied.
func removePrepared() error {
	if preparedDirectories.root == "" {
		return nil
	}
	return os.RemoveAll(preparedDirectories.root)
}

// enginesOf runs the engines of a data directory until the test ends, as a command does while it
// works, so that the commands of the test start none. The function that it returns starts a
// projector, without which nothing is stored.
func enginesOf(t *testing.T, dir string) (project func()) {
	t.Helper()
	opened, err := openTarget(t.Context(), settings{now: time.Now}, dir, zerolog.Nop(), toRead)
	if err != nil {
		t.Fatal(err)
	}
	var projecting *projection
	t.Cleanup(func() {
		ctx := context.Background()
		var err error
		if projecting != nil {
			err = projecting.stop(ctx)
		}
		if err := errors.Join(err, opened.close(ctx)); err != nil {
			t.Errorf("the engines did not end cleanly: %v", err)
		}
	})
	return func() {
		t.Helper()
		if projecting, err = startProjection(context.WithoutCancel(t.Context()), projector.Config{Now: time.Now}, opened.brokers, opened.conn, zerolog.Nop()); err != nil {
			t.Fatal(err)
		}
	}
}
