package main

import (
	"context"
	"io/fs"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"cuota/cmd/cuota/exit"
	"cuota/internal/testkit/longtest"
	"cuota/internal/testkit/waittest"
)

func TestADamagedBackupIsFoundAndNotRestored(t *testing.T) {
	longtest.Skip(t)
	dir, store := filepath.Join(t.TempDir(), "data"), filepath.Join(t.TempDir(), "backups")
	succeed(t, "ingest", "cartola", smallFile, "--data", dir, "--wait")
	succeed(t, "backup", store, "--data", dir)
	var objects []string
	err := filepath.WalkDir(filepath.Join(store, "objects"), func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			objects = append(objects, path)
		}
		return err
	})
	if err != nil || len(objects) < 10 {
		t.Fatalf("%d objects (%v)", len(objects), err)
	}
	damaged := objects[rand.IntN(len(objects))]
	content, err := os.ReadFile(damaged)
	if err != nil {
		t.Fatal(err)
	}
	if len(content) == 0 {
		content = []byte{0}
	} else {
		content[len(content)/2] ^= 1
	}
	if err := os.WriteFile(damaged, content, 0o600); err != nil {
		t.Fatal(err)
	}
	restored := filepath.Join(t.TempDir(), "restored")
	if r := cuota(t, "restore", store, "--data", restored); r.code != exit.Failed ||
		!strings.Contains(r.stderr, filepath.Base(damaged)) {
		t.Errorf("the restore ended with %d: %s", r.code, r.stderr)
	}
	// The directory is marked, so no command works on it.
	for _, command := range [][]string{{"up", "--no-demo"}, {"status"}, {"ingest", "cartola", smallFile},
		{"key", "list"}, {"backup", filepath.Join(t.TempDir(), "x")}} {
		if r := cuota(t, append(command, "--data", restored)...); r.code != exit.Failed ||
			!strings.Contains(r.stderr, "cuota restore") {
			t.Errorf("cuota %s on a half restored directory ended with %d: %s", command[0], r.code, r.stderr)
		}
	}
	if r := cuota(t, "backup", store, "--verify"); r.code != exit.Failed ||
		!strings.Contains(r.stdout, filepath.Base(damaged)) {
		t.Errorf("verify ended with %d: %s", r.code, r.stdout)
	}
	// The next backup stores the file again, and then the same restore succeeds.
	succeed(t, "backup", store, "--data", dir)
	succeed(t, "backup", store, "--verify")
	id := strings.TrimSuffix(filepath.Base(first(t, filepath.Join(store, "backups", "*.json"))), ".json")
	succeed(t, "restore", store, "--data", restored, "--backup", id)
	if told := succeed(t, "status", "--data", restored); cartolaFiles(t, told) != 1 {
		t.Errorf("the restored directory tells\n%s", told)
	}
}

func first(t *testing.T, pattern string) string {
	t.Helper()
	found, err := filepath.Glob(pattern)
	if err != nil || len(found) == 0 {
		t.Fatalf("no %s (%v)", pattern, err)
	}
	return found[0]
}

func TestAKilledBackupOrRestoreIsTakenUpByTheNext(t *testing.T) {
	longtest.Skip(t)
	dir, store := filepath.Join(t.TempDir(), "data"), filepath.Join(t.TempDir(), "backups")
	original := up(t, dir, "--no-demo")
	key := strings.TrimSpace(succeed(t, "key", "create", "--email", "someone@example.org", "--data", dir))
	succeed(t, "ingest", "cartola", smallFile, "--data", dir, "--wait")
	want := projections(t, original)
	seed := time.Now().UnixNano()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(uint64(seed), 0))
	// killed starts a command and kills it at a random moment of its usual duration.
	killed := func(took time.Duration, args ...string) {
		t.Helper()
		command := program(context.Background(), nil, args...)
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		moment := time.AfterFunc(time.Duration(random.Int64N(int64(took))), func() {
			_ = command.Process.Signal(syscall.SIGKILL)
		})
		_ = command.Wait() // it may have ended before
		moment.Stop()
	}
	backing := []string{"backup", store, "--data", dir}
	begun := time.Now()
	succeed(t, backing...)
	took := time.Since(begun)
	if err := os.RemoveAll(store); err != nil {
		t.Fatal(err)
	}
	for range kills(t, 3) {
		killed(took, backing...)
	}
	succeed(t, backing...)
	succeed(t, "backup", store, "--verify")
	if left, err := filepath.Glob(filepath.Join(store, "*", ".incoming-*")); err != nil || len(left) > 0 {
		t.Errorf("killed backups left %v (%v)", left, err)
	}
	waittest.Until(t, "the engine's copies are gone", func() bool {
		left, err := os.ReadDir(filepath.Join(dir, "clickhouse", "backups"))
		return err == nil && len(left) == 0
	})

	pepper := filepath.Join(dir, "accounts", "pepper")
	measured := filepath.Join(t.TempDir(), "measured")
	begun = time.Now()
	succeed(t, "restore", store, "--data", measured, "--pepper", pepper)
	took = time.Since(begun)
	restored := filepath.Join(t.TempDir(), "restored")
	restoring := []string{"restore", store, "--data", restored, "--pepper", pepper}
	for range kills(t, 3) {
		killed(took, restoring...)
		if r := cuota(t, "status", "--data", restored); r.code == 0 {
			t.Logf("a restore was done before it was killed")
			if err := os.RemoveAll(restored); err != nil {
				t.Fatal(err)
			}
		}
	}
	succeed(t, restoring...)
	again := up(t, restored, "--no-demo")
	if got := projections(t, again); !maps.Equal(got, want) {
		t.Errorf("the projections after killed restores are\n%v\nthose of the original\n%v", got, want)
	}
	if status, body := ask(t, again.api+"/api/key/info", key); status != http.StatusOK {
		t.Errorf("the key gives %d at the restored server: %s", status, body)
	}
	again.interrupt(t)

	// Kill the process that was asked for the copy.
	command := program(context.Background(), nil, backing...)
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	waittest.Until(t, "the copy is begun", func() bool {
		left, err := os.ReadDir(filepath.Join(dir, "clickhouse", "backups"))
		return err == nil && len(left) > 0
	})
	original.kill()
	_ = command.Wait() // it may have received the whole copy before
	original = up(t, dir, "--no-demo")
	if left, err := os.ReadDir(filepath.Join(dir, "clickhouse", "backups")); err != nil || len(left) > 0 {
		t.Errorf("after a kill the engine's copies are %v (%v)", left, err)
	}
	succeed(t, backing...)
	succeed(t, "backup", store, "--verify")
	original.interrupt(t)
}
