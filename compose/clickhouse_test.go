package compose

import (
	"encoding/xml"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"cuota/internal/embedded/clickhouse"
	"cuota/internal/embedded/clickhouse/chdb"
	"cuota/sql"
)

// usersFile is what the ClickHouse server reads.
type usersFile struct {
	Profiles section `xml:"profiles"`
	Roles    section `xml:"roles"`
	Users    section `xml:"users"`
}

// section is a list of elements whose names are those of what they define.
type section struct {
	Text  string `xml:",innerxml"`
	Items []struct {
		XMLName  xml.Name
		Password struct {
			FromEnv string `xml:"from_env,attr"`
			Text    string `xml:",chardata"`
		} `xml:"password"`
		Profile  string   `xml:"profile"`
		ReadOnly string   `xml:"readonly"`
		Grants   []string `xml:"grants>query"`
	} `xml:",any"`
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

// engine boots the embedded engine with the roles of the file. It has no users to
// sign in, so a session takes a role; passwords and networks are not tried.
func engine(t *testing.T, users usersFile) func(role string) *chdb.Conn {
	t.Helper()
	path, err := clickhouse.Locate("")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	library, err := chdb.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	config, list := filepath.Join(dir, "config.xml"), filepath.Join(dir, "users.xml")
	for file, text := range map[string]string{
		config: "<clickhouse><users_config>" + list + "</users_config></clickhouse>",
		list: "<clickhouse><profiles><default/></profiles><quotas><default/></quotas><roles>" + users.Roles.Text +
			"<maker><grants><query>GRANT CREATE DATABASE ON *.*</query></grants></maker></roles><users><default><password/><networks><ip>::/0</ip></networks>" +
			"<profile>default</profile><quota>default</quota><grants><query>GRANT maker, cuota_projector, cuota_reader</query></grants></default></users></clickhouse>",
	} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return func(role string) *chdb.Conn {
		t.Helper()
		conn, err := library.Connect("--path="+filepath.Join(dir, "data"), "--config-file="+config)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(conn.Close)
		if _, err := run(conn, "SET ROLE "+role); err != nil {
			t.Fatal(err)
		}
		return conn
	}
}

func run(conn *chdb.Conn, statement string, params ...chdb.Param) (string, error) {
	result, err := conn.Query(statement, "TSV", params)
	if err != nil {
		return "", err
	}
	defer result.Free()
	return string(result.Bytes()), nil
}

var comment = regexp.MustCompile(`(?m)^\s*--.*$`)

// statements of the migrations, in their order.
func migrations(t *testing.T) []string {
	t.Helper()
	var list []string
	err := fs.WalkDir(sql.Schema, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(sql.Schema, path)
		if err != nil {
			return err
		}
		up, _, _ := strings.Cut(string(text), "-- +goose Down")
		for _, statement := range regexp.MustCompile(`;\s*\n`).Split(up, -1) {
			if strings.TrimSpace(comment.ReplaceAllString(statement, "")) != "" {
				list = append(list, statement)
			}
		}
		return nil
	})
	if err != nil || len(list) < 50 {
		t.Fatalf("%d statements (%v)", len(list), err)
	}
	return list
}

func TestTheProjectorMakesTheSchemaAndReadersReadItAndNothingElse(t *testing.T) {
	session := engine(t, readUsers(t))
	if _, err := run(session("maker"), "CREATE DATABASE cuota"); err != nil {
		t.Fatal(err)
	}
	projector, reader := session("cuota_projector"), session("cuota_reader")
	for _, conn := range []*chdb.Conn{projector, reader} {
		if _, err := run(conn, "USE cuota"); err != nil {
			t.Fatal(err)
		}
	}
	// What the profile of readers adds.
	if _, err := run(reader, "SET readonly = 2"); err != nil {
		t.Fatal(err)
	}

	scripts := migrations(t)
	for _, script := range append(sql.Functions(), sql.Views()...) {
		scripts = append(scripts, script.Text, script.Text) // replaced at each start
	}
	for _, statement := range scripts {
		if _, err := run(projector, statement); err != nil {
			t.Fatalf("the projector may not: %v\n%s", err, statement)
		}
	}
	for _, statement := range []string{
		"INSERT INTO batch SELECT * FROM batch",
		"ALTER TABLE screener DROP PARTITION 1",
		"DELETE FROM batch WHERE batch = 1",
		"SELECT count() FROM system.parts WHERE database = 'cuota'",
	} {
		if _, err := run(projector, statement); err != nil {
			t.Errorf("the projector may not: %v", err)
		}
	}

	names, err := run(reader, "SELECT name FROM system.tables WHERE database = 'cuota' AND parameterized_view_parameters = [] ORDER BY name")
	if err != nil {
		t.Fatal(err)
	}
	list := strings.Fields(names)
	if len(list) < 50 {
		t.Errorf("only %d tables and views are seen", len(list))
	}
	for _, name := range list {
		if _, err := run(reader, fmt.Sprintf("SELECT * FROM %s LIMIT 0", name)); err != nil {
			t.Errorf("a reader may not read %s: %v", name, err)
		}
	}
	for query, params := range map[string][]chdb.Param{
		"published_batch": {{Name: "batch_id", Value: ""}},
		"files_held":      {{Name: "batch_id", Value: ""}, {Name: "files", Value: "['a']"}},
		"status_batch":    nil, "status_datasets": nil,
		"labels": {{Name: "batch", Value: "1"}},
	} {
		if _, err := run(reader, sql.Query(query), params...); err != nil {
			t.Errorf("a reader may not run %s: %v", query, err)
		}
	}
	if _, err := run(reader, "SELECT 1 SETTINGS max_result_bytes = 1000000, log_comment = 'query/x'"); err != nil {
		t.Errorf("a reader may not limit a statement: %v", err)
	}

	// The grants alone refuse it, and so does the profile with them.
	unbound := session("cuota_reader")
	if _, err := run(unbound, "USE cuota"); err != nil {
		t.Fatal(err)
	}
	for _, conn := range []*chdb.Conn{projector, unbound, reader} {
		refuse(t, conn, "CREATE DATABASE other", "CREATE USER other", "GRANT cuota_projector TO cuota_reader", "SELECT * FROM system.users",
			"SELECT * FROM url('http://127.0.0.1:1/', 'CSV', 'a UInt8')", "SELECT * FROM remote('127.0.0.1:1', system.one)",
			"SELECT * FROM file('/etc/passwd', 'LineAsString', 'line String')", "SYSTEM FLUSH LOGS", "DROP DATABASE cuota")
	}
	for _, conn := range []*chdb.Conn{unbound, reader} {
		refuse(t, conn,
			"INSERT INTO batch SELECT * FROM batch", "CREATE TABLE other (a UInt8) ENGINE = Memory", "CREATE VIEW other AS SELECT 1",
			"CREATE FUNCTION other AS x -> x", "DROP FUNCTION cuota_fold", "ALTER TABLE batch DELETE WHERE 1", "DELETE FROM batch WHERE 1",
			"TRUNCATE TABLE batch", "DROP TABLE batch", "OPTIMIZE TABLE batch")
	}
	refuse(t, reader, "SET readonly = 0", "SELECT 1 SETTINGS readonly = 0")
}

// refuse wants statements to fail for want of rights, and for no other reason.
func refuse(t *testing.T, conn *chdb.Conn, statements ...string) {
	t.Helper()
	for _, statement := range statements {
		if out, err := run(conn, statement); err == nil || !strings.Contains(err.Error(), "ACCESS_DENIED") && !strings.Contains(err.Error(), "READONLY") {
			t.Errorf("not refused: %s\n%s%v", statement, out, err)
		}
	}
}
