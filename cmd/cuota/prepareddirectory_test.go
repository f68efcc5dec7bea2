package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"cuota/cmd/cuota/connect"
	"cuota/cmd/cuota/datadir"
	"cuota/cmd/cuota/environment"
	"cuota/cmd/cuota/flow"
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
		if out, err := program(ctx, nil, "ingest", "cartola", firstYear, "--data", dir,
			"--wait").CombinedOutput(); err != nil {
			return fmt.Errorf("%w: %s", err, out)
		}
		return nil
	})
}

// tablesAlone makes a data directory as the first command on it does.
func tablesAlone(dir string) error {
	if _, err := datadir.Make(dir); err != nil {
		return err
	}
	return connect.With(context.Background(), environment.Settings{Now: time.Now}, dir, zerolog.Nop(), connect.ToRead,
		func(*connect.Target) error {
			return nil
		})
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

// targetOf opens a data directory until the test ends, as a command does while it works.
func targetOf(t *testing.T, dir string) *connect.Target {
	t.Helper()
	opened, left, ended := make(chan *connect.Target), make(chan struct{}), make(chan error, 1)
	go func() {
		ended <- connect.With(context.Background(), environment.Settings{Now: time.Now}, dir, zerolog.Nop(),
			connect.ToRead, func(found *connect.Target) error {
				opened <- found
				<-left
				return nil
			})
	}()
	select {
	case found := <-opened:
		t.Cleanup(func() {
			close(left)
			if err := <-ended; err != nil {
				t.Errorf("the engines did not end cleanly: %v", err)
			}
		})
		return found
	case err := <-ended:
		t.Fatal(err)
		return nil
	}
}

// enginesOf runs the engines of a data directory until the test ends, as a command does while it
// works, so that the commands of the test start none. The function that it returns starts a
// projector, without which nothing is stored.
func enginesOf(t *testing.T, dir string) (project func()) {
	t.Helper()
	opened := targetOf(t, dir)
	return func() {
		t.Helper()
		projecting, err := flow.StartProjection(context.WithoutCancel(t.Context()), projector.Config{Now: time.Now},
			opened.Brokers, opened.Conn, zerolog.Nop())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { // before the engines end
			if err := projecting.Stop(context.Background()); err != nil {
				t.Errorf("the projector did not end cleanly: %v", err)
			}
		})
	}
}
