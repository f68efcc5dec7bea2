package sql_test

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"cuota/sql"
)

var update = flag.Bool("update", false, "write the golden files anew")

// replicas is the cluster for which the tests render statements.
const replicas = sql.Cluster("replicas")

// The golden file has the lines that a cluster changes: another test shows that the rest of each statement
// stays as it is.
func TestTheSchemaOfAClusterIsRenderedAsTheGoldenFileShows(t *testing.T) {
	path := filepath.Join("testdata", "schema_cluster.sql")
	got := "-- tables\n\n" + heads(tables(t, replicas)) + "\n-- functions\n\n" + heads(functions(t, replicas)) +
		"\n-- views\n\n" + heads(views(t, replicas))
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (go test ./sql -update writes it anew): %s", path, diff)
	}
}

// heads returns the first line of each statement, and the engine of a table.
func heads(scripts []sql.Script) string {
	var lines strings.Builder
	for _, script := range scripts {
		first := true
		for line := range strings.Lines(script.Text) {
			if strings.HasPrefix(line, "--") {
				continue
			}
			if first && strings.TrimSpace(line) != "" || strings.HasPrefix(line, "ENGINE = ") {
				lines.WriteString(strings.TrimSpace(line) + "\n")
				first = false
			}
		}
	}
	return lines.String()
}

func tables(t *testing.T, cluster sql.Cluster) []sql.Script {
	t.Helper()
	scripts, err := cluster.Tables()
	if err != nil {
		t.Fatal(err)
	}
	return scripts
}

func functions(t *testing.T, cluster sql.Cluster) []sql.Script {
	t.Helper()
	scripts, err := cluster.Functions()
	if err != nil {
		t.Fatal(err)
	}
	return scripts
}

func views(t *testing.T, cluster sql.Cluster) []sql.Script {
	t.Helper()
	scripts, err := cluster.Views()
	if err != nil {
		t.Fatal(err)
	}
	return scripts
}

func TestASingleServerGetsNoClusterClauses(t *testing.T) {
	for i, script := range tables(t, "") {
		if script != sql.Tables()[i] {
			t.Errorf("table %s is changed for a single server", script.Name)
		}
	}
	for i, script := range functions(t, "") {
		if script != sql.Functions()[i] {
			t.Errorf("function %s is changed for a single server", script.Name)
		}
	}
	for i, script := range views(t, "") {
		if script != sql.Views()[i] {
			t.Errorf("view %s is changed for a single server", script.Name)
		}
	}
}

// Each clause that a cluster adds is listed here. Without these clauses the original text
// must remain.
func TestAClusterAddsItsClausesAndChangesNothingElse(t *testing.T) {
	const path = "'/clickhouse/tables/{shard}/{database}/{table}', '{replica}'"
	without := strings.NewReplacer(
		" ON CLUSTER 'replicas' SYNC", "",
		" ON CLUSTER 'replicas'", "",
		"ReplicatedReplacingMergeTree("+path+", ", "ReplacingMergeTree(",
		"ReplicatedReplacingMergeTree("+path+")", "ReplacingMergeTree",
		"ReplicatedMergeTree("+path+")", "MergeTree",
	)
	originals := slices.Concat(sql.Tables(), sql.Functions(), sql.Views())
	for i, script := range slices.Concat(tables(t, replicas), functions(t, replicas), views(t, replicas)) {
		if strings.Count(script.Text, "ON CLUSTER") != 1 {
			t.Errorf("%s is not made on the cluster once", script.Name)
		}
		if diff := cmp.Diff(originals[i].Text, without.Replace(script.Text)); diff != "" {
			t.Errorf("%s: %s", script.Name, diff)
		}
	}
}

func TestAStatementThatCannotBeRenderedForAClusterIsRefused(t *testing.T) {
	for statement, reason := range map[string]string{
		"CREATE TABLE a (b UInt8) ENGINE = MergeTree ORDER BY b;":                                   "give CREATE TABLE IF NOT EXISTS a name and columns",
		"ALTER TABLE a ADD COLUMN b UInt8;":                                                         "ALTER TABLE with ADD COLUMN b",
		"DROP TABLE a;":                                                                             "give DROP TABLE IF EXISTS a name",
		"CREATE MATERIALIZED VIEW a TO b AS SELECT 1;":                                              "statements that begin with CREATE MATERIALIZED VIEW a",
		"CREATE VIEW a AS SELECT 1;":                                                                "statements that begin with CREATE VIEW",
		"CREATE DICTIONARY a (b UInt8);":                                                            "statements that begin with CREATE DICTIONARY",
		"CREATE TABLE IF NOT EXISTS a (b UInt8) ENGINE = Log;":                                      "engine Log is not supported",
		"CREATE TABLE IF NOT EXISTS a (b UInt8) ENGINE = SummingMergeTree ORDER BY b;":              "engine SummingMergeTree is not supported",
		"CREATE TABLE IF NOT EXISTS a (b UInt8) ENGINE = ReplicatedMergeTree('x', 'y') ORDER BY b;": "engine ReplicatedMergeTree is not supported",
		"CREATE TABLE IF NOT EXISTS a (b UInt8 COMMENT 'ENGINE = MergeTree') ORDER BY b;":           "has no engine",
		"CREATE TABLE IF NOT EXISTS a (b UInt8) ENGINE MergeTree ORDER BY b;":                       "has no engine",
		"CREATE TABLE IF NOT EXISTS a (b UInt8) ENGINE = MergeTree ENGINE = MergeTree ORDER BY b;":  "has two engines",
		"CREATE TABLE IF NOT EXISTS a AS b ENGINE = MergeTree ORDER BY c;":                          "give CREATE TABLE IF NOT EXISTS a name and columns",
		"CREATE TABLE IF NOT EXISTS a ON CLUSTER other (b UInt8) ENGINE = MergeTree ORDER BY b;":    "give CREATE TABLE IF NOT EXISTS a name and columns",
		"CREATE OR REPLACE VIEW a TO b AS SELECT 1;":                                                "give CREATE OR REPLACE a name, and then AS",
		"CREATE OR REPLACE FUNCTION a (b) AS b;":                                                    "give CREATE OR REPLACE a name, and then AS",
		"ALTER TABLE a DROP COLUMN b;":                                                              "ALTER TABLE with DROP COLUMN b",
		"ALTER TABLE a COMMENT COLUMN b 'c', DELETE WHERE c IN (SELECT d FROM e);":                  "ALTER TABLE with DELETE WHERE",
		"RENAME TABLE a TO b;":                                                                      "statements that begin with RENAME TABLE",
		"INSERT INTO a (b) VALUES (1);":                                                             "statements that begin with INSERT INTO",
		"ALTER TABLE a MODIFY COLUMN b UInt16;":                                                     "ALTER TABLE with MODIFY COLUMN",
		"DROP TABLE IF EXISTS a, b;":                                                                "give DROP TABLE IF EXISTS a name and nothing else",
		"SELECT 1 /* ; DROP */;":                                                                    "write comments with --",
		"SELECT 'a;":                                                                                "has no closing quote",
		"CREATE TABLE a (b UInt8;":                                                                  "a bracket has no closing bracket",
		"SELECT 1);":                                                                                "has no opening bracket",
		"DROP TABLE IF EXISTS a;\nOPTIMIZE TABLE a":                                                 "line 2: statements that begin with OPTIMIZE",
	} {
		got, err := replicas.Render("99999_new.sql", statement)
		if err == nil || !strings.Contains(err.Error(), reason) || !strings.Contains(err.Error(), "99999_new.sql") {
			t.Errorf("%s\n gives %q and %v, want an error with %q", statement, got, err, reason)
		}
	}
}

func TestWordsInCommentsAndTextsAreNoStatements(t *testing.T) {
	original := "-- It's not; ENGINE = Log\nCREATE TABLE IF NOT EXISTS a\n(\n    b UInt8 COMMENT 'it''s; ENGINE = " +
		"Log \\' )'\n)\nENGINE = MergeTree -- ; DROP\nORDER BY b\nCOMMENT 'ON CLUSTER (';\n"
	want := "-- It's not; ENGINE = Log\nCREATE TABLE IF NOT EXISTS a ON CLUSTER 'replicas'\n(\n    b UInt8 COMMENT " +
		"'it''s; ENGINE = Log \\' )'\n)\n" +
		"ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}') -- ; DROP\nORDER " +
		"BY b\nCOMMENT 'ON CLUSTER (';\n"
	got, err := replicas.Render("a.sql", original)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestANameOfAClusterCannotHoldSQL(t *testing.T) {
	for name, valid := range map[string]bool{"": true, "prod-1.eu_west": true, "a b": false, "a'; DROP": false,
		"{cluster}": false, strings.Repeat("x", 65): false} {
		if err := sql.Cluster(name).Validate(); (err == nil) != valid {
			t.Errorf("%q: %v", name, err)
		}
	}
	if _, err := sql.Cluster("a'b").Render("x", "SELECT 1"); err == nil {
		t.Error("a statement was rendered for a cluster that cannot be")
	}
}
