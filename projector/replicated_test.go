package projector_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/ebitengine/purego"

	"cuota/internal/testkit/waittest"
	"cuota/projector/schema"
	"cuota/sql"
)

// keeperChild is the environment variable of the process in which hostWithKeeper runs. Its
// value is the directory of the process.
const keeperChild = "CUOTA_TEST_KEEPER_CHILD"

// keeperConfig gives the engine a Keeper in its own memory. Replicated tables can then be
// created, with all checks of their definition. They stay read-only, because this engine
// has no listener for other replicas.
const keeperConfig = `<clickhouse>
  <logger><level>none</level></logger>
  <path>%[1]s/data</path>
  <listen_host>127.0.0.1</listen_host><tcp_port>%[2]d</tcp_port>
  <users_config>%[1]s/users.xml</users_config>
  <zookeeper><implementation>testkeeper</implementation></zookeeper>
  <macros><shard>01</shard><replica>one</replica></macros>
  <remote_servers>
    <replicas><shard><replica><host>127.0.0.1</host><port>%[2]d</port></replica></shard></replicas>
    <shards>
      <shard><replica><host>127.0.0.1</host><port>%[2]d</port></replica></shard>
      <shard><replica><host>127.0.0.1</host><port>%[2]d</port></replica></shard>
    </shards>
  </remote_servers>
</clickhouse>`

const keeperUsers = `<clickhouse>
  <profiles><default/></profiles><quotas><default/></quotas>
  <users><default><no_password/><networks><ip>127.0.0.1</ip><ip>::1</ip></networks><profile>default</profile><quota>default</quota></default></users>
</clickhouse>`

// hostWithKeeper runs the engine in this process until its standard input is closed.
func hostWithKeeper(dir string) {
	runtime.LockOSThread()
	library, err := purego.Dlopen(os.Getenv("CHDB_LIB_PATH"), purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	var run func(count int32, arguments **byte) unsafe.Pointer
	purego.RegisterLibFunc(&run, library, "chdb_query_cmdline")
	var arguments []*byte
	for _, argument := range []string{
		"clickhouse", "--config-file=" + filepath.Join(dir, "config.xml"),
		"--query", "SYSTEM START LISTEN TCP; SELECT count() FROM file('/dev/stdin', 'LineAsString') FORMAT Null",
	} {
		text := append([]byte(argument), 0)
		arguments = append(arguments, &text[0])
	}
	run(int32(len(arguments)), &append(arguments, nil)[0])
	os.Exit(0)
}

// withKeeper starts the engine with a Keeper, and gives the options for a new database in
// it.
func withKeeper(t *testing.T) *clickhouse.Options {
	t.Helper()
	if os.Getenv("CHDB_LIB_PATH") == "" {
		if os.Getenv("CI") == "true" {
			t.Fatal("CHDB_LIB_PATH must name the engine's library")
		}
		t.Skip("CHDB_LIB_PATH does not name the engine's library")
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := listener.Addr().(*net.TCPAddr).Port
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"config.xml": fmt.Sprintf(keeperConfig, dir, port),
		"users.xml": keeperUsers} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), keeperChild+"="+dir)
	var said strings.Builder
	command.Stdout, command.Stderr = &said, &said
	life, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { endEngine(t, command, life, &said) })

	options := &clickhouse.Options{Addr: []string{fmt.Sprintf("127.0.0.1:%d", port)},
		Auth: clickhouse.Auth{Username: "default"}}
	conn, err := clickhouse.Open(options)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	waittest.Until(t, "the engine answers", func() bool { return conn.Ping(context.Background()) == nil })
	if err := conn.Exec(context.Background(), "CREATE DATABASE cuota ENGINE = Atomic"); err != nil {
		t.Fatal(err)
	}
	of := *options
	of.Auth.Database = "cuota"
	of.Settings = clickhouse.Settings(sql.Cluster("replicas").Settings())
	return &of
}

// endEngine kills the engine. A normal stop would wait, because its tables wait for
// replicas that do not exist.
func endEngine(t *testing.T, command *exec.Cmd, life io.Closer, said *strings.Builder) {
	t.Helper()
	_ = life.Close()
	_ = command.Process.Kill()
	var ended *exec.ExitError
	if err := command.Wait(); err != nil && !errors.As(err, &ended) {
		t.Errorf("the engine: %v\n%s", err, said)
	}
}

func TestTheEngineMakesEveryTableOfAClusterReplicated(t *testing.T) {
	options := withKeeper(t)
	conn, err := clickhouse.Open(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	made := makeReplicated(t, conn)

	rows, err := conn.Query(t.Context(), `
		SELECT table, zookeeper_path, replica_name, engine
		FROM system.replicas INNER JOIN system.tables ON tables.database = replicas.database AND tables.name = replicas.table
		WHERE database = 'cuota'`)
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for rows.Next() {
		var table, path, replica, engine string
		if err := rows.Scan(&table, &path, &replica, &engine); err != nil {
			t.Fatal(err)
		}
		if path != "/clickhouse/tables/01/cuota/"+table || replica != "one" ||
			!strings.HasPrefix(engine, "Replicated") {
			t.Errorf("%s has engine %s at %s, as replica %q", table, engine, path, replica)
		}
		found++
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		t.Fatal(err)
	}
	if found != made || made < 60 {
		t.Errorf("%d tables are replicated of %d that were made", found, made)
	}
	t.Run("and takes the deletes of the projector", func(t *testing.T) { takesTheDeletes(t, conn) })
	t.Run("and reads them with the settings of a cluster", func(t *testing.T) {
		var batches uint64
		if err := conn.QueryRow(t.Context(), "SELECT max(batch) FROM batch_attempt").Scan(&batches); err != nil {
			t.Error(err)
		}
	})
	t.Run("and the first statement of the schema is for the whole cluster", func(t *testing.T) {
		err := schema.MakeOnCluster(t.Context(), options, "replicas")
		if err == nil || codeOf(err) != onClusterDisabled {
			t.Errorf("got %v, want error %d: this engine has no queue of statements for a cluster", err,
				onClusterDisabled)
		}
	})
	t.Run("and a cluster of two shards is refused", func(t *testing.T) {
		err := schema.MakeOnCluster(t.Context(), options, "shards")
		if err == nil || !strings.Contains(err.Error(), "has 2 shards") {
			t.Errorf("got %v", err)
		}
	})
}

// makeReplicated creates the tables on this server only, and returns their number.
func makeReplicated(t *testing.T, conn driver.Conn) int {
	t.Helper()
	made := 0
	for _, statement := range schemaStatements(t, "replicas") {
		here := strings.Replace(statement, " ON CLUSTER 'replicas'", "", 1)
		if !strings.Contains(here, "CREATE TABLE ") {
			continue
		}
		if err := conn.Exec(t.Context(), here); err != nil {
			t.Fatalf("%v\n%s", err, here)
		}
		made++
	}
	return made
}

// Error codes of ClickHouse. The first two mean that a statement is valid, but the table
// can't execute it now.
const (
	readOnly          = 242
	aborted           = 236
	badArguments      = 36
	onClusterDisabled = 392
)

func codeOf(err error) int32 {
	if exception := (*clickhouse.Exception)(nil); errors.As(err, &exception) {
		return exception.Code
	}
	return 0
}

func takesTheDeletes(t *testing.T, conn driver.Conn) {
	t.Helper()
	tried := 0
	for _, script := range slices.Concat(sql.AbandonedGarbage(), sql.RetiredGarbage(), sql.SupersededGarbage(),
		sql.DoubledGarbage()) {
		if strings.Contains(script.Text, "INSERT INTO") {
			continue
		}
		tables := []string{""}
		if kind := script.EachTable(); kind != "" {
			ofKind := clickhouse.Context(t.Context(), clickhouse.WithParameters(clickhouse.Parameters{"kind": kind}))
			if err := conn.QueryRow(ofKind, "SELECT groupArray(table) FROM ("+sql.Query("built_tables")+
				")").Scan(&tables); err != nil {
				t.Fatal(err)
			}
		}
		for _, table := range tables {
			values := clickhouse.Context(t.Context(), clickhouse.WithParameters(clickhouse.Parameters{
				"batch": "7", "table": table, "days": "[('2020-01-01',3),('2020-01-02',4)]",
				"rejects": "[('7566','6162')]", "failures": "[3]", "ids": "[(1,2,3)]",
			}))
			if code := codeOf(conn.Exec(values, script.Text)); code != readOnly && code != aborted {
				t.Errorf("%s is refused for the table %q with code %d", script.Name, table, code)
			}
			tried++
		}
	}
	if tried < 30 {
		t.Errorf("only %d deletes were tried", tried)
	}
	for statement, want := range map[string][]int32{
		"DELETE FROM series_day_version WHERE date IN (SELECT date FROM market_completeness)": {badArguments},
		"ALTER TABLE series UPDATE tac = 1 WHERE batch IN (SELECT batch FROM tac_month)":      {badArguments},
		"ALTER TABLE series UPDATE tac = 1 WHERE batch IN (SELECT batch FROM tac_month) SETTINGS mutations_sync = 2, " +
			"allow_nondeterministic_mutations = 1": {readOnly, aborted},
	} {
		if code := codeOf(conn.Exec(t.Context(), statement)); code != want[0] && code != want[len(want)-1] {
			t.Errorf("%s gives code %d, want one of %d", statement, code, want)
		}
	}
}
