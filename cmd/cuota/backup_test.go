package main

import (
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/rs/zerolog"

	"cuota/cmd/cuota/datadir"
	"cuota/cmd/cuota/environment"
	"cuota/cmd/cuota/exit"
	"cuota/cmd/cuota/flow"
	"cuota/ingest"
	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/internal/testkit/waittest"
	"cuota/model"
)

const (
	smallFile = "../../demo/files/cartola/cartola_9809_9810_20191014_20191231.txt" // 299 rows
	wholeYear = "../../demo/files/cartola/cartola_9809_9810_20200101_20201231.txt"
)

// restoredFrom restores the newest backup of a directory, with a copy of its pepper.
func restoredFrom(t *testing.T, store, original string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "restored")
	succeed(t, "restore", store, "--data", dir, "--pepper", filepath.Join(original, "accounts", "pepper"))
	return dir
}

// projections returns a checksum of every projection of the published batch.
func projections(t *testing.T, r *running) map[string]string {
	t.Helper()
	conn, err := clickhouse.Open(tablesOf(t, r.greeting))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	var batch uint64
	if err := conn.QueryRow(t.Context(), "SELECT max(batch) FROM batch").Scan(&batch); err != nil {
		t.Fatal(err)
	}
	return demotest.Checksums(t, conn, batch)
}

// sizeOf adds up the sizes of the files below a folder, in bytes.
func sizeOf(t *testing.T, folder string) (bytes int64) {
	t.Helper()
	err := filepath.WalkDir(folder, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err == nil {
			bytes += info.Size()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return bytes
}

func TestABackupMadeUnderLoadIsRestoredWithoutLossAndGoesOn(t *testing.T) {
	longtest.Skip(t)
	files, err := filepath.Glob("../../demo/files/cartola/*.txt")
	if err != nil || len(files) < 4 {
		t.Fatalf("%d files (%v)", len(files), err)
	}
	published := []string{"--published", "2025-09-01"}
	// This path is too long for the address of a Unix socket.
	dir, store := filepath.Join(t.TempDir(), strings.Repeat("long", 25), "data"), filepath.Join(t.TempDir(), "backups")
	original := up(t, dir, "--no-demo")
	key := strings.TrimSpace(succeed(t, "key", "create", "--email", "someone@example.org", "--tier", "internal",
		"--data", dir))
	succeed(t, append([]string{"ingest", "cartola", files[0], "--data", dir, "--wait"}, published...)...)
	// The file is published to Kafka and may not be stored yet when the backup begins.
	succeed(t, append([]string{"ingest", "cartola", files[1], "--data", dir}, published...)...)
	var load sync.WaitGroup
	load.Go(func() {
		for _, file := range files[2:] {
			if r := cuota(t, append([]string{"ingest", "cartola", file, "--data", dir}, published...)...); r.code != 0 {
				t.Errorf("ingest beside a backup ended with %d: %s", r.code, r.stderr)
			}
		}
	})
	for range 2 {
		if out := succeed(t, "backup", store, "--data", dir); !strings.Contains(out, "does not contain the pepper") {
			t.Errorf("the backup says nothing of the pepper: %s", out)
		}
	}
	load.Wait()
	if secret, err := os.ReadFile(filepath.Join(dir, "accounts", "pepper")); err != nil || holds(t, store, secret) {
		t.Errorf("the backup holds the pepper (%v)", err)
	}
	if left, err := os.ReadDir(filepath.Join(dir, "clickhouse", "backups")); err != nil || len(left) > 0 {
		t.Errorf("the engine's copies are still there: %v (%v)", left, err)
	}
	if told := succeed(t, "backup", store, "--verify"); !strings.Contains(told, "2 backups") {
		t.Errorf("verify says %s", told)
	}

	again := up(t, restoredFrom(t, store, dir), "--no-demo")
	if status, body := ask(t, again.api+"/api/key/info", key); status != http.StatusOK {
		t.Errorf("the key gives %d at the restored server: %s", status, body)
	}
	// All rows acknowledged before the backup are there without being ingested again.
	restored := again.command.Args[3]
	waittest.Until(t, "the files from before the backup are in a batch", func() bool {
		told := cuota(t, "status", "--data", restored)
		return told.code == 0 && cartolaFiles(t, told.stdout) >= 2 &&
			!strings.Contains(told.stdout, "wait for the next batch")
	})
	// Ingesting the same files in both directories leads to the same projections.
	for _, data := range []string{dir, restored} {
		succeed(t, append([]string{"ingest", "cartola", "../../demo/files/cartola", "--data", data, "--wait"},
			published...)...)
	}
	if want, got := projections(t, original), projections(t, again); !maps.Equal(got, want) {
		t.Errorf("the projections of the restored directory are\n%v\nthose of the original\n%v", got, want)
	}
	again.interrupt(t)
	original.interrupt(t)
}

// cartolaFiles reads the number of complete files from the output of status.
func cartolaFiles(t *testing.T, told string) (files int) {
	t.Helper()
	for line := range strings.Lines(told) {
		if fields := strings.Fields(line); len(fields) > 6 && fields[0] == "cartola" {
			files, err := strconv.Atoi(fields[len(fields)-6]) // the column before may say late, with a space
			if err != nil {
				t.Fatal(err)
			}
			return files
		}
	}
	t.Fatalf("status tells nothing of cartola:\n%s", told)
	return 0
}

// holds reports whether a file below a folder contains a text.
func holds(t *testing.T, folder string, text []byte) (found bool) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		found = found || strings.Contains(string(content), string(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestMessagesThatAreNotStoredYetAreInTheBackup(t *testing.T) {
	longtest.Skip(t)
	ctx := t.Context()
	dir, err := datadir.Make(filepath.Join(t.TempDir(), "data"))
	if err != nil {
		t.Fatal(err)
	}
	running, err := datadir.StartEnginesAlone(ctx, environment.Settings{}, dir, zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	if err := flow.Prepare(ctx, running.Options(), running.Brokers()); err != nil {
		t.Fatal(err)
	}
	ingester, closed := flow.NewIngester(environment.Settings{Now: time.Now}.ArchiveIn(dir.Archive()),
		running.Brokers(), "", zerolog.Nop(), zerolog.Nop())
	_, err = ingester.File(ctx, ingest.Request{Dataset: model.Cartola, Path: smallFile})
	closed()
	if err != nil {
		t.Fatal(err)
	}
	if err := running.Stop(ctx); err != nil {
		t.Fatal(err)
	}
	store, restored := filepath.Join(t.TempDir(), "backups"), filepath.Join(t.TempDir(), "restored")
	// 299 rows and the manifest of their file.
	if out := succeed(t, "backup", store, "--data", dir.Path); !strings.Contains(out, " 300 messages") {
		t.Errorf("the backup says %s", out)
	}
	if out := succeed(t, "restore", store, "--data", restored); !strings.Contains(out, " 300 messages") {
		t.Errorf("the restore says %s", out)
	}
	succeed(t, "project", "--now", "--data", restored)
	if told := succeed(t, "status", "--data", restored); cartolaFiles(t, told) != 1 ||
		!strings.Contains(told, " 299 facts") {
		t.Errorf("the restored directory tells\n%s", told)
	}
}

func TestASecondBackupIsSmallAndOldOnesCanBeDeleted(t *testing.T) {
	longtest.Skip(t)
	dir, store := filepath.Join(t.TempDir(), "data"), filepath.Join(t.TempDir(), "backups")
	succeed(t, "ingest", "cartola", wholeYear, "--data", dir, "--wait")
	succeed(t, "backup", store, "--data", dir)
	first := sizeOf(t, store)
	succeed(t, "ingest", "cartola", smallFile, "--data", dir)
	succeed(t, "backup", store, "--data", dir)
	if grown := sizeOf(t, store) - first; grown*2 > first {
		t.Errorf("the first backup has %d bytes, the second takes %d more", first, grown)
	}
	succeed(t, "backup", store, "--data", dir, "--keep", "1")
	if told := succeed(t, "backup", store, "--verify"); !strings.Contains(told, "1 backups") {
		t.Errorf("verify says %s", told)
	}
	restored := filepath.Join(t.TempDir(), "restored")
	succeed(t, "restore", store, "--data", restored)
	succeed(t, "project", "--now", "--data", restored) // the second file may not be stored yet
	if told := succeed(t, "status", "--data", restored); cartolaFiles(t, told) != 2 {
		t.Errorf("the restored directory tells\n%s", told)
	}
}

func TestABackupIsRefusedWhereItCannotBeWhole(t *testing.T) {
	longtest.InTurns(t)
	dir, store := directoryWithBatch(t), filepath.Join(t.TempDir(), "backups")
	succeed(t, "key", "create", "--email", "someone@example.org", "--data", dir)
	full := t.TempDir()
	if err := os.WriteFile(filepath.Join(full, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	refused := func(env []string, say string, args ...string) {
		t.Helper()
		if r := cuotaIn(t, env, args...); r.code != exit.Failed || !strings.Contains(r.stderr, say) {
			t.Errorf("cuota %s ended with %d, want it to say %q: %s", strings.Join(args, " "), r.code, say, r.stderr)
		}
	}
	refused(nil, "inside the data directory", "backup", filepath.Join(dir, "backups"), "--data", dir)
	refused(nil, "has other files", "backup", full, "--data", dir)
	refused(nil, "no data directory", "backup", store, "--data", full)
	refused([]string{"CUOTA_CLICKHOUSE=clickhouse://u:secret@127.0.0.1:1/cuota"}, "operations.md", "backup", store,
		"--data", dir)
	refused([]string{"CUOTA_ACCOUNTS=postgres://u:secret@127.0.0.1:1/accounts"}, "--data", "backup", store)
	refused(nil, "there are no backups in", "restore", full, "--data", filepath.Join(t.TempDir(), "new"))

	succeed(t, "backup", store, "--data", dir)
	pepper := filepath.Join(dir, "accounts", "pepper")
	refused(nil, "--pepper", "restore", store, "--data", filepath.Join(t.TempDir(), "new"))
	refused(nil, "is not empty", "restore", store, "--data", full, "--pepper", pepper)
	refused(nil, "no backup 20010101T000000-000", "restore", store, "--backup", "20010101T000000-000", "--data",
		filepath.Join(t.TempDir(), "new"), "--pepper", pepper)
	other := filepath.Join(t.TempDir(), "pepper")
	if err := os.WriteFile(other, []byte(strings.Repeat("x", 32)), 0o600); err != nil {
		t.Fatal(err)
	}
	refused(nil, "restore the pepper file of this store", "restore", store, "--data", filepath.Join(t.TempDir(), "new"),
		"--pepper", other)

	// A damaged file of the archive is left out and reported; the rest is copied.
	payload := first(t, filepath.Join(dir, "archive", "*", "*.zst"))
	if err := os.WriteFile(payload, []byte("rot"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := cuota(t, "backup", filepath.Join(t.TempDir(), "other"), "--data", dir)
	if r.code != exit.Failed || !strings.Contains(r.stdout, "damaged: read the archived payload") ||
		!strings.Contains(r.stdout, filepath.Base(payload)) || !strings.Contains(r.stdout, "made in") {
		t.Errorf("a backup of a damaged archive ended with %d: %s%s", r.code, r.stdout, r.stderr)
	}
}
