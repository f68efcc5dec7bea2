package projector_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"cuota/internal/embedded/clickhouse/clickhousetest"
	"cuota/projector/schema"
	"cuota/sql"
)

// schemaStatements returns every statement that schema.Make runs.
func schemaStatements(t *testing.T, cluster sql.Cluster) (statements []string) {
	t.Helper()
	tables, tablesErr := cluster.Tables()
	functions, functionsErr := cluster.Functions()
	views, viewsErr := cluster.Views()
	if err := errors.Join(tablesErr, functionsErr, viewsErr); err != nil {
		t.Fatal(err)
	}
	for _, script := range slices.Concat(tables, functions, views) {
		statements = append(statements, script.Text)
	}
	if cluster != "" {
		comments, err := cluster.Render("view_comments",
			"ALTER TABLE current_market_completeness COMMENT COLUMN `date` 'it''s', COMMENT COLUMN `complete` 'a, b'")
		if err != nil {
			t.Fatal(err)
		}
		statements = append(statements, comments)
	}
	return statements
}

func openTest(t *testing.T) driver.Conn {
	t.Helper()
	conn, err := clickhouse.Open(clickhousetest.Database(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// parsed lets the engine parse a statement and print it in its own form. What a test finds
// in it then does not depend on how the program writes or reads SQL.
func parsed(t *testing.T, conn driver.Conn, statement string) string {
	t.Helper()
	rows, err := conn.Query(t.Context(), "EXPLAIN AST "+statement)
	if err != nil {
		t.Fatalf("the engine does not parse\n%s\n%v", statement, err)
	}
	if err := rows.Close(); err != nil {
		t.Fatal(err)
	}
	var form string
	values := clickhouse.Context(t.Context(),
		clickhouse.WithParameters(clickhouse.Parameters{"statement": parameterText(statement)}))
	if err := conn.QueryRow(values, "SELECT formatQuerySingleLine({statement:String})").Scan(&form); err != nil {
		t.Fatalf("the engine does not parse\n%s\n%v", statement, err)
	}
	return form
}

// parameterText writes a text in the form in which ClickHouse reads the value of a
// parameter.
func parameterText(text string) string {
	return strings.NewReplacer("\\", "\\\\", "\n", "\\n", "\t", "\\t").Replace(text)
}

// clusterFault tells what a statement, as the engine prints it, lacks for a cluster.
func clusterFault(form string) string {
	defines := regexp.MustCompile("^(CREATE|ALTER|DROP|RENAME|EXCHANGE|TRUNCATE|ATTACH|DETACH|UNDROP|GRANT) ")
	everywhere := regexp.MustCompile(
		"^(CREATE TABLE IF NOT EXISTS|CREATE OR REPLACE VIEW|CREATE OR REPLACE FUNCTION|ALTER TABLE|DROP TABLE IF " +
			"EXISTS|TRUNCATE TABLE|RENAME TABLE IF EXISTS `?[a-z_0-9]+`? TO) `?[a-z_0-9]+`? ON CLUSTER `?replicas`?( |$)")
	replicated := regexp.MustCompile(
		`ENGINE = Replicated(Replacing)?MergeTree\('/clickhouse/tables/\{shard\}/\{database\}/\{table\}', '\{replica\}'[,)]`)
	switch {
	case defines.MatchString(form) && !everywhere.MatchString(form):
		return "is not made on the cluster"
	case strings.HasPrefix(form, "CREATE TABLE ") && !replicated.MatchString(form):
		return "makes a table that is not replicated"
	}
	return ""
}

func TestTheEngineParsesEveryStatementOfBothRenderings(t *testing.T) {
	conn := openTest(t)
	server, cluster := schemaStatements(t, ""), schemaStatements(t, "replicas")
	if len(server) < 200 || len(cluster) != len(server)+1 {
		t.Errorf("%d statements for a server and %d for a cluster", len(server), len(cluster))
	}
	for _, statement := range server {
		if form := parsed(t, conn, statement); strings.Contains(form, "ON CLUSTER") ||
			strings.Contains(form, "Replicated") {
			t.Errorf("a single server would run\n%s", form)
		}
	}
	tables := 0
	for _, statement := range cluster {
		form := parsed(t, conn, statement)
		if fault := clusterFault(form); fault != "" {
			t.Errorf("a statement %s:\n%s", fault, form)
		}
		if strings.HasPrefix(form, "CREATE TABLE ") {
			tables++
		}
	}
	if tables < 60 {
		t.Errorf("only %d tables were found", tables)
	}
}

func TestTheEngineParsesWhatTheDocumentTellsAnOperatorToRun(t *testing.T) {
	text, err := os.ReadFile("../docs/servers.md")
	if err != nil {
		t.Fatal(err)
	}
	conn := openTest(t)
	found := 0
	for _, block := range regexp.MustCompile("(?s)```sql\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
		for _, statement := range strings.Split(strings.TrimSpace(block[1]), ";") {
			if statement = strings.TrimSpace(statement); statement != "" {
				parsed(t, conn, statement)
				found++
			}
		}
	}
	if found < 5 {
		t.Errorf("only %d statements were found", found)
	}
}

// The check of both renderings finds a fault if there is one.
func TestAStatementThatMissesTheClusterIsNoticed(t *testing.T) {
	conn := openTest(t)
	noticed := 0
	for _, statement := range schemaStatements(t, "replicas") {
		without := strings.Replace(statement, " ON CLUSTER 'replicas'", "", 1)
		if without != statement {
			if clusterFault(parsed(t, conn, without)) == "" {
				t.Errorf("nobody noticed\n%s", without)
			}
			noticed++
		}
		alone := regexp.MustCompile(`Replicated(\w*MergeTree)\('[^']*', '[^']*'(, )?`).ReplaceAllString(statement,
			"$1(")
		if alone != statement && clusterFault(parsed(t, conn, alone)) == "" {
			t.Errorf("nobody noticed\n%s", alone)
		}
	}
	if noticed < 200 {
		t.Errorf("only %d statements were tried", noticed)
	}
}

func TestAClusterThatTheServerDoesNotKnowIsRefused(t *testing.T) {
	err := schema.MakeOnCluster(context.Background(), clickhousetest.Database(t), "nowhere")
	if err == nil || !strings.Contains(err.Error(), "has no cluster nowhere") {
		t.Errorf("got %v", err)
	}
}

// The settings of a cluster are sent with every statement, and the engine knows them.
func TestTheSettingsOfAClusterReachTheEngine(t *testing.T) {
	options := clickhousetest.Database(t)
	if options.Settings == nil {
		options.Settings = clickhouse.Settings{}
	}
	want := []string{}
	for name, value := range sql.Cluster("replicas").Settings() {
		options.Settings[name] = value
		want = append(want, fmt.Sprintf("%s=%v", name, value))
	}
	conn, err := clickhouse.Open(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	var got []string
	query := "SELECT groupArray(concat(name, '=', value)) FROM system.settings WHERE has({names:Array(String)}, name)"
	names := "["
	for name := range sql.Cluster("replicas").Settings() {
		names += "'" + name + "',"
	}
	bound := clickhouse.Context(t.Context(),
		clickhouse.WithParameters(clickhouse.Parameters{"names": strings.TrimSuffix(names, ",") + "]"}))
	if err := conn.QueryRow(bound, query).Scan(&got); err != nil {
		t.Fatal(err)
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("the engine works with %q, want %q", got, want)
	}
	if sql.Cluster("").Settings() != nil {
		t.Error("a single server needs settings")
	}
}
