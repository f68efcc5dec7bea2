package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/rs/zerolog"

	"cuota/cmd/cuota/datadir"
	"cuota/cmd/cuota/environment"
	"cuota/cmd/cuota/exit"
	"cuota/cmd/cuota/output"
	"cuota/internal/embedded/kafka"
	"cuota/internal/testkit/longtest"
)

// openBroker starts a Kafka broker in which every process of the machine may do everything, as on
// servers. It returns the broker's address.
func openBroker(t *testing.T) string {
	t.Helper()
	broker, err := kafka.New(kafka.Config{Dir: t.TempDir(), Listen: "127.0.0.1:0"}, zerolog.Nop())
	if err == nil {
		err = broker.Start(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := broker.Stop(context.Background()); err != nil {
			t.Errorf("the broker did not end cleanly: %v", err)
		}
	})
	return broker.Addr()
}

// onServers starts ClickHouse and Kafka as servers for the time of a test. It returns
// the environment that names them and a connection that may write.
func onServers(t *testing.T) (installation, driver.Conn) {
	t.Helper()
	ctx := context.Background()
	running, err := datadir.StartEnginesAlone(ctx, environment.Settings{}, &datadir.Directory{Path: t.TempDir()},
		zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := running.Stop(ctx); err != nil {
			t.Errorf("the engines did not end cleanly: %v", err)
		}
	})
	options := running.Options()
	conn, err := clickhouse.Open(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return installation{
		"CUOTA_KAFKA=" + openBroker(t),
		fmt.Sprintf("CUOTA_CLICKHOUSE=clickhouse://%s:%s@%s/%s", options.Auth.Username, options.Auth.Password,
			options.Addr[0], options.Auth.Database),
		"CUOTA_ARCHIVE=" + filepath.Join(t.TempDir(), "archive"),
	}, conn
}

const (
	firstYear  = "../../demo/files/cartola/cartola_9809_9810_20191014_20191231.txt"
	secondYear = "../../demo/files/cartola/cartola_9809_9810_20200101_20201231.txt"
)

func TestAWaitForARefusedBatchEndsWithTheReason(t *testing.T) {
	longtest.Skip(t)
	env, conn := onServers(t)
	projecting := env.serve(t, "project")
	awaitText(t, projecting, `"message":"projecting"`)
	env.finish(t, []string{"ingest", "cartola", firstYear, "--wait"})
	// Add a series to the published batch that the facts do not have, so that the checks
	// refuse the next batch.
	if err := conn.Exec(t.Context(),
		"INSERT INTO series (batch, series_id, first_date) SELECT max(batch), 1, '2019-10-14' FROM batch"); err != nil {
		t.Fatal(err)
	}
	const reason = "series 1 was in batch 1"
	for _, args := range [][]string{{"ingest", "cartola", secondYear, "--wait"}, {"project", "--now"}, {"rebuild"}} {
		if r := cuotaIn(t, env, args...); r.code != exit.Refused || !strings.Contains(r.stderr, reason) {
			t.Errorf("cuota %v ended with %d:\n%s%s", args, r.code, r.stdout, r.stderr)
		}
	}
	// The earlier refusals must not affect a command that comes after the fault was
	// removed.
	if err := conn.Exec(t.Context(),
		"ALTER TABLE series DELETE WHERE series_id = 1 SETTINGS mutations_sync = 2"); err != nil {
		t.Fatal(err)
	}
	if out := env.finish(t, []string{"ingest", "cartola", secondYear, "--wait"}); !strings.Contains(out,
		"in published batch 20201231-") {
		t.Errorf("after the fault was mended ingest said:\n%s", out)
	}
}

func TestACommandThatWaitsEndsWhenItsTimeIsOver(t *testing.T) {
	longtest.InTurns(t)
	env, _ := onServers(t)
	// Nobody stores what is published, but the tables exist.
	projecting := program(t.Context(), env, "project")
	log := &transcript{}
	projecting.Stderr = log
	if err := projecting.Start(); err != nil {
		t.Fatal(err)
	}
	awaitText(t, log, `"message":"projecting"`)
	endGently(t, projecting, log)
	for _, args := range [][]string{{"ingest", "cartola", firstYear, "--wait"}, {"project", "--now"}, {"rebuild"}} {
		r := cuotaIn(t, env, append(args, "--timeout", "2s")...)
		if r.code != exit.TimedOut || !strings.Contains(r.stderr, "timed out after 2s") {
			t.Errorf("cuota %v ended with %d:\n%s%s", args, r.code, r.stdout, r.stderr)
		}
	}
	for _, args := range [][]string{{"ingest", "cartola", firstYear, "--timeout", "2s"}, {"project", "--timeout", "2s"},
		{"rebuild", "--timeout", "-2s"}} {
		if r := cuotaIn(t, env, args...); r.code != exit.Failed || !strings.Contains(r.stderr, "--timeout") {
			t.Errorf("cuota %v ended with %d:\n%s%s", args, r.code, r.stdout, r.stderr)
		}
	}
}

func TestAWaitEndsWithTheProcessThatRanTheProjector(t *testing.T) {
	dir := directoryWithTables(t)
	r := up(t, dir, "--no-demo")
	held := targetOf(t, dir)
	awaiting, err := held.Await(t.Context(), time.Hour, output.ProgressTo(func(string) {}), zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	r.kill()
	_, err = awaiting.Files(t.Context(), []string{strings.Repeat("0", 64)})
	if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("process %d", held.Holder)) ||
		!strings.Contains(err.Error(), "start cuota up") {
		t.Errorf("the wait ended with %v", err)
	}
}
