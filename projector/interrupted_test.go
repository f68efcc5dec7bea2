package projector_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/google/go-cmp/cmp"

	embedded "cuota/internal/embedded/clickhouse"
	"cuota/internal/embedded/clickhouse/clickhousetest"
	"cuota/internal/testkit/waittest"
	"cuota/projector/schema"
)

// contents returns a checksum of each table, over its rows and its definition.
func contents(t *testing.T, conn driver.Conn) map[string]string {
	t.Helper()
	var tables []struct {
		Name string `ch:"name"`
		Made string `ch:"made"`
	}
	err := conn.Select(t.Context(), &tables, `
		SELECT name, replaceAll(create_table_query, database, '') AS made FROM system.tables WHERE database = currentDatabase()`)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, table := range tables {
		found[table.Name] = table.Made
		if strings.HasPrefix(table.Made, "CREATE VIEW") {
			continue
		}
		columns := "*"
		if table.Name == "schema_version" {
			columns = "DISTINCT version"
		}
		var sum string
		query := fmt.Sprintf("SELECT toString((count(), sum(cityHash64(toString(tuple(*)))))) FROM (SELECT %s FROM %s)",
			columns, table.Name)
		if err := conn.QueryRow(t.Context(), query).Scan(&sum); err != nil {
			t.Fatal(err)
		}
		found[table.Name] += " " + sum
	}
	return found
}

func openConn(t *testing.T, options *clickhouse.Options) driver.Conn {
	t.Helper()
	conn, err := clickhouse.Open(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// killsVariable is the environment variable with the number of times that the engine is
// killed while it makes the schema. The default is fewKills.
const (
	killsVariable = "CUOTA_TEST_KILLS"
	fewKills      = 2
)

func TestASchemaCutOffByAKillIsMadeAtTheNextStart(t *testing.T) {
	kills := fewKills
	if told := os.Getenv(killsVariable); told != "" {
		var err error
		if kills, err = strconv.Atoi(told); err != nil {
			t.Fatal(err)
		}
	}
	calm := clickhousetest.Database(t)
	if err := schema.Make(t.Context(), calm); err != nil {
		t.Fatal(err)
	}
	want := contents(t, openConn(t, calm))
	server := clickhousetest.Start(t, embedded.Config{Dir: t.TempDir()})
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 12))
	for kill := range kills {
		options := server.Options()
		name := fmt.Sprintf("killed_%d", kill)
		if err := openConn(t, options).Exec(t.Context(), "CREATE DATABASE "+name); err != nil {
			t.Fatal(err)
		}
		options.Auth.Database = name
		before := server.State()
		over := make(chan struct{})
		go func() {
			defer close(over)
			_ = schema.Make(context.Background(), options) // fails if the engine is killed before its end
		}()
		pause := time.Duration(random.IntN(800)) * time.Millisecond // any moment
		select {
		case <-over:
		case <-time.After(pause):
		}
		if err := syscall.Kill(before.PID, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		<-over
		waittest.Until(t, "the engine serves again", func() bool {
			now := server.State()
			return now.Running && now.Restarts > before.Restarts
		})
		if err := schema.Make(t.Context(), options); err != nil {
			t.Fatalf("killed after %s: %v", pause, err)
		}
		got := contents(t, openConn(t, options))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("killed after %s (-calm, +killed):\n%s", pause, diff)
		}
		if err := openConn(t, options).Exec(t.Context(), "DROP DATABASE "+name+" SYNC"); err != nil {
			t.Fatal(err)
		}
	}
}
