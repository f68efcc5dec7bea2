package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/rs/zerolog"

	"cuota/cmd/cuota/datadir"
	"cuota/cmd/cuota/environment"
	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
)

// The steps are those of docs/operations.md, "Moving to servers".
func TestTheFilesOfABackupMoveADirectoryToServers(t *testing.T) {
	longtest.Skip(t)
	dir, store := filepath.Join(t.TempDir(), "data"), filepath.Join(t.TempDir(), "backups")
	original := up(t, dir, "--no-demo")
	key := strings.TrimSpace(succeed(t, "key", "create", "--email", "someone@example.org", "--data", dir))
	succeed(t, "ingest", "cartola", wholeYear, "--data", dir, "--wait")
	want := projections(t, original)
	original.interrupt(t)
	if out := succeed(t, "backup", store, "--data", dir); !strings.Contains(out, " 0 messages") {
		t.Errorf("messages are left: %s", out)
	}
	files := filepath.Join(t.TempDir(), "files")
	succeed(t, "restore", store, "--files", files)

	// The servers: another engine, whose folder for backups receives the files of
	// ClickHouse.
	ctx := t.Context()
	servers := &datadir.Directory{Path: t.TempDir()}
	running, err := datadir.StartEnginesAlone(ctx, environment.Settings{}, servers, zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := running.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	if err := os.CopyFS(filepath.Join(servers.ClickHouse(), "backups", "moved"),
		os.DirFS(filepath.Join(files, "clickhouse"))); err != nil {
		t.Fatal(err)
	}
	options := running.Options()
	conn, err := clickhouse.Open(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.Exec(ctx, "RESTORE DATABASE cuota FROM File('moved')"); err != nil {
		t.Fatal(err)
	}
	env := installation{
		"CUOTA_KAFKA=" + openBroker(t),
		fmt.Sprintf("CUOTA_CLICKHOUSE=clickhouse://%s:%s@%s/%s", options.Auth.Username, options.Auth.Password,
			options.Addr[0], options.Auth.Database),
		"CUOTA_ACCOUNTS=sqlite://" + filepath.Join(files, "accounts.db"),
		"CUOTA_PEPPER=" + filepath.Join(dir, "accounts", "pepper"),
		"CUOTA_ARCHIVE=" + filepath.Join(files, "archive"),
	}
	projecting := env.serve(t, "project")
	awaitText(t, projecting, `"message":"projecting"`)
	var batch uint64
	if err := conn.QueryRow(ctx, "SELECT max(batch) FROM batch").Scan(&batch); err != nil {
		t.Fatal(err)
	}
	if got := demotest.Checksums(t, conn, batch); !maps.Equal(got, want) {
		t.Errorf("the projections on the servers are\n%v\nthose of the directory\n%v", got, want)
	}
	if out := env.finish(t, []string{"key", "list"}); !strings.Contains(out, key[len(key)-4:]) {
		t.Errorf("the keys are %s", out)
	}
	// Files that were ingested before are known, and new ones are stored.
	if out := env.finish(t, []string{"ingest", "cartola", smallFile, wholeYear, "--wait"}); !strings.Contains(out,
		"in published batch 20201231-2-") {
		t.Errorf("ingest said:\n%s", out)
	}
}
