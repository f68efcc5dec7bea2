package compose

import (
	"encoding/xml"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	clickhousego "github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/shopspring/decimal"

	"cuota/internal/embedded/clickhouse"
	"cuota/internal/embedded/clickhouse/clickhousetest"
	"cuota/sql"
)

func TestMain(m *testing.M) { os.Exit(clickhousetest.Main(m)) }

// usersFile is the part of the ClickHouse server's users.xml that the test needs.
type usersFile struct {
	Profiles section `xml:"profiles"`
	Roles    section `xml:"roles"`
	Users    section `xml:"users"`
}

type section struct {
	Text  string `xml:",innerxml"`
	Items []item `xml:",any"`
}

// item is an element that is named after the thing it defines: a user, a profile or a
// quota.
type item struct {
	XMLName  xml.Name
	Password struct {
		FromEnv string `xml:"from_env,attr"`
		Text    string `xml:",chardata"`
	} `xml:"password"`
	Profile         string   `xml:"profile"`
	ReadOnly        string   `xml:"readonly"`
	AndCompareChain string   `xml:"optimize_and_compare_chain"`
	Grants          []string `xml:"grants>query"`
}

func readUsers(t *testing.T) usersFile {
	t.Helper()
	text, err := os.ReadFile("clickhouse-users.xml")
	if err != nil {
		t.Fatal(err)
	}
	var users usersFile
	if err := xml.Unmarshal(text, &users); err != nil {
		t.Fatal(err)
	}
	return users
}

// engine starts an engine that has the users of the file beside its own. It returns a
// function that returns a connection as one of these users.
func engine(t *testing.T) func(user string) driver.Conn {
	t.Helper()
	text, err := os.ReadFile("clickhouse-users.xml")
	if err != nil {
		t.Fatal(err)
	}
	// In compose the server takes the passwords from its environment.
	const password = "of a test"
	fromEnvironment := regexp.MustCompile(`<password from_env="\w+"/>`)
	users := fromEnvironment.ReplaceAll(text, []byte("<password>"+password+"</password>"))
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "users.d"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "users.d", "compose.xml"), users, 0o600); err != nil {
		t.Fatal(err)
	}
	// What an operator makes for a person.
	analyst := "<clickhouse><users><analyst><password>" + password +
		"</password><networks><ip>::/0</ip></networks><grants><query>GRANT " +
		"cuota_people</query></grants></analyst></users></clickhouse>"
	if err := os.WriteFile(filepath.Join(dir, "users.d", "people.xml"), []byte(analyst), 0o600); err != nil {
		t.Fatal(err)
	}
	server := clickhousetest.Start(t, clickhouse.Config{Dir: dir})
	return func(user string) driver.Conn {
		t.Helper()
		options := server.Options()
		options.Auth.Username, options.Auth.Password = user, password
		conn, err := clickhousego.Open(options)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		return conn
	}
}

func TestTheProjectorMakesTheSchemaAndReadersReadIt(t *testing.T) {
	of := engine(t)
	projector, readers := of("project"), []driver.Conn{of("query"), of("ingest")}
	run := func(conn driver.Conn, statement string) error {
		t.Helper()
		return conn.Exec(t.Context(), statement)
	}
	var scripts []string
	for _, script := range slices.Concat(sql.Tables(), sql.Functions(), sql.Views()) {
		scripts = append(scripts, script.Text, script.Text) // run twice, as at each start
	}
	views, err := sql.PeoplesViews("funds")
	if err != nil {
		t.Fatal(err)
	}
	scripts = append(scripts, sql.MakePeoplesDatabase("funds"))
	for _, view := range views {
		scripts = append(scripts, view.Text, view.Text)
	}
	for _, statement := range scripts {
		if err := run(projector, statement); err != nil {
			t.Fatalf("the projector may not: %v\n%s", err, statement)
		}
	}
	for _, statement := range []string{
		"INSERT INTO batch SELECT * FROM batch",
		"ALTER TABLE screener DROP PARTITION 1",
		"DELETE FROM batch WHERE batch = 1",
		"SELECT count() FROM system.parts WHERE database = 'cuota'",
		"INSERT INTO schema_version (version) VALUES (1)", sql.Query("schema_found"), sql.Query("schema_newest"),
		sql.Query("interrupted_views"),
	} {
		if err := run(projector, statement); err != nil {
			t.Errorf("the projector may not: %v", err)
		}
	}
	analyst := of("analyst")
	for _, view := range views {
		if strings.Contains(view.Text, "{") {
			continue // it takes arguments
		}
		if err := run(analyst, "SELECT * FROM funds."+view.Name+" LIMIT 0"); err != nil {
			t.Errorf("a person may not: %v", err)
		}
	}
	refuse(t, analyst, "SELECT * FROM cuota.series LIMIT 0", "SELECT * FROM cuota.current_series LIMIT 0",
		"DROP VIEW funds.series", "CREATE VIEW funds.mine AS SELECT 1")
	refused := []string{
		"CREATE DATABASE other", "CREATE USER other", "GRANT cuota_projector TO cuota_reader",
		"SELECT * FROM system.users",
		"SELECT * FROM url('http://127.0.0.1:1/', 'CSV', 'a UInt8')", "SELECT * FROM remote('127.0.0.1:1', system.one)",
		"SELECT * FROM file('/etc/passwd', 'LineAsString', 'line String')", "SYSTEM FLUSH LOGS", "DROP DATABASE cuota",
	}
	refuse(t, projector, refused...)
	for _, reader := range readers {
		var names []struct {
			Name string `ch:"name"`
		}
		if err := reader.Select(t.Context(), &names,
			"SELECT name FROM system.tables WHERE database = 'cuota' AND parameterized_view_parameters = [] ORDER BY "+
				"name"); err != nil {
			t.Fatal(err)
		}
		if len(names) < 50 {
			t.Errorf("only %d tables and views are seen", len(names))
		}
		for _, table := range names {
			if err := run(reader, fmt.Sprintf("SELECT * FROM %s LIMIT 0", table.Name)); err != nil {
				t.Errorf("a reader may not read %s: %v", table.Name, err)
			}
		}
		for query, values := range map[string]clickhousego.Parameters{
			"published_batch": {"batch_id": "", "until": "2200-01-01 00:00:00.000"},
			"files_held":      {"batch_id": "", "files": "['a']"},
			"status_batch":    nil, "copies": nil, "copies_differing": nil, "copies_newest": nil, "compared_tables": nil,
			"status_datasets": {"today": "2026-08-20"},
			"series_names":    {"batch": "1"},
			"stated_batch":    nil,
			"stated_columns":  {"table": "fact_quota"},
			"stated_series": {"batch": "1", "runs": "[1]", "series_names": "['A']",
				"dataset": "cartola"},
			"stated_returns": {"batch": "1", "as_of": "2026-08-20", "series": "[1]"},
		} {
			if err := reader.Exec(clickhousego.Context(t.Context(), clickhousego.WithParameters(values)),
				sql.Query(query)); err != nil {
				t.Errorf("a reader may not run %s: %v", query, err)
			}
		}
		stated, err := sql.Table("stated", sql.Column{Type: "code String", Values: []string{"uf"}},
			sql.Column{Type: "date Date", Values: []time.Time{time.Unix(86400, 0)}},
			sql.Column{Type: "revision DateTime64(3, 'UTC')", Values: []time.Time{time.Unix(86400, 0)}},
			sql.Column{Type: "source_sha256 String", Values: []string{"a"}},
			sql.Column{Type: "source_line UInt32", Values: []uint32{1}},
			sql.Column{Type: "value Decimal(18, 6)", Values: []decimal.Decimal{decimal.New(1, 0)}})
		if err != nil {
			t.Fatal(err)
		}
		if rows, err := sql.Count(t.Context(), sql.NewCommandReader(reader, "dry-run", false), "stated_facts", stated,
			sql.Arg("batch", uint64(1)), sql.Arg("table", "fact_indicator"), sql.Arg("key_1", "code"),
			sql.Arg("key_2", "date"), sql.Arg("key_3", "date"), sql.Arg("key_4", "date")); rows != 1 || err != nil {
			t.Errorf("a reader may not compare a file with what counts: %d rows, %v", rows, err)
		}
		supposed, err := sql.Table("supposed", sql.Column{Type: "series_id UInt32", Values: []uint32{1}},
			sql.Column{Type: "date Date", Values: []time.Time{time.Unix(86400, 0)}},
			sql.Column{Type: "quota Nullable(Decimal(18, 6))", Values: []*decimal.Decimal{nil}},
			sql.Column{Type: "currency String", Values: []string{""}},
			sql.Column{Type: "equity Nullable(Decimal(18, 4))", Values: []*decimal.Decimal{nil}},
			sql.Column{Type: "adjustment_factor Nullable(Decimal(18, 9))", Values: []*decimal.Decimal{nil}},
			sql.Column{Type: "distribution_factor Nullable(Decimal(18, 9))", Values: []*decimal.Decimal{nil}})
		if err != nil {
			t.Fatal(err)
		}
		if rows, err := sql.Count(t.Context(), sql.NewCommandReader(reader, "dry-run", false), "stated_breaks", supposed,
			sql.Arg("batch", uint64(1)), sql.Arg("series", []uint32{1})); rows != 1 || err != nil {
			t.Errorf("a reader may not look for breaks of a file: %d rows, %v", rows, err)
		}
		if err := run(reader, "SELECT 1 SETTINGS max_result_bytes = 1000000, log_comment = 'query/x'"); err != nil {
			t.Errorf("a reader may not limit a statement: %v", err)
		}
		refuse(t, reader, append(refused,
			"INSERT INTO batch SELECT * FROM batch", "CREATE TABLE other (a UInt8) ENGINE = Memory",
			"CREATE VIEW other AS SELECT 1",
			"CREATE FUNCTION other AS x -> x", "DROP FUNCTION cuota_fold", "ALTER TABLE batch DELETE WHERE 1",
			"DELETE FROM batch WHERE 1",
			"TRUNCATE TABLE batch", "DROP TABLE batch", "OPTIMIZE TABLE batch", "SET readonly = 0",
			"SELECT 1 SETTINGS readonly = 0")...)
	}
}

// refuse expects each statement to fail, and only because the user lacks the rights.
func refuse(t *testing.T, conn driver.Conn, statements ...string) {
	t.Helper()
	for _, statement := range statements {
		err := conn.Exec(t.Context(), statement)
		var exception *clickhousego.Exception
		if !errors.As(err, &exception) || exception.Code != accessDenied && exception.Code != readOnly {
			t.Errorf("not refused: %s: %v", statement, err)
		}
	}
}

// Error codes of ClickHouse.
const (
	accessDenied = 497
	readOnly     = 164
)
