package projector_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/ClickHouse/clickhouse-go/v2"

	"cuota/internal/embedded/clickhouse/clickhousetest"
	"cuota/internal/testkit/demotest"
	"cuota/projector/schema"
	"cuota/sql"
)

func TestEveryColumnTellsItsMeaning(t *testing.T) {
	t.Parallel()
	m := demotest.New(t)
	rows, err := m.Conn.Query(context.Background(), `
		SELECT columns.table, columns.name
		FROM system.columns AS columns
		INNER JOIN system.tables AS tables ON tables.database = columns.database AND tables.name = columns.table
		WHERE columns.database = currentDatabase() AND tables.engine NOT LIKE '%View'
		  AND columns.comment = ''`)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var table, column string
		if err := rows.Scan(&table, &column); err != nil {
			t.Fatal(err)
		}
		t.Errorf("%s.%s has no comment", table, column)
	}
	var tables uint64
	if err := m.Conn.QueryRow(context.Background(),
		"SELECT count() FROM system.tables WHERE database = currentDatabase() AND comment != ''").Scan(
		&tables); err != nil {
		t.Fatal(err)
	}
	if tables < 25 {
		t.Errorf("only %d tables have a comment", tables)
	}
}

func TestEveryStatementBeginsWithWhatItIsFor(t *testing.T) {
	t.Parallel()
	projections, err := sql.Projections()
	if err != nil {
		t.Fatal(err)
	}
	scripts := slices.Concat(sql.Functions(), sql.Views(), sql.Checks())
	for _, p := range projections {
		scripts = append(scripts, p.Script)
	}
	for _, script := range scripts {
		if !strings.HasPrefix(script.Text, "-- ") {
			t.Errorf("%s does not begin with a comment", script.Name)
		}
	}
}

func TestMakingACurrentSchemaAgainChangesNothing(t *testing.T) {
	t.Parallel()
	options := clickhousetest.Database(t)
	ctx := context.Background()
	if err := schema.Make(ctx, options); err != nil {
		t.Fatal(err)
	}
	conn, err := clickhouse.Open(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	described := func() (hash uint64) {
		t.Helper()
		query := "SELECT sum(cityHash64(name, create_table_query)) FROM system.tables WHERE database = " +
			"currentDatabase()"
		if err := conn.QueryRow(ctx, query).Scan(&hash); err != nil {
			t.Fatal(err)
		}
		return hash
	}
	before := described()
	if err := schema.Make(ctx, options); err != nil {
		t.Fatal(err)
	}
	if after := described(); after != before {
		t.Error("the second time changed the schema")
	}
}

func TestTablesFromBeforeTheFirstVersionAreRefused(t *testing.T) {
	t.Parallel()
	options := clickhousetest.Database(t)
	conn := openConn(t, options)
	if err := conn.Exec(t.Context(),
		"CREATE TABLE goose_db_version (version_id Int64) ENGINE = MergeTree ORDER BY version_id"); err != nil {
		t.Fatal(err)
	}
	err := schema.Make(t.Context(), options)
	if err == nil || !strings.Contains(err.Error(), "cuota ingest --archive OLD,") {
		t.Errorf("it says %v", err)
	}
	var tables uint64
	if err := conn.QueryRow(t.Context(),
		"SELECT count() FROM system.tables WHERE database = currentDatabase()").Scan(&tables); err != nil ||
		tables != 1 {
		t.Errorf("%d tables (%v): something was made", tables, err)
	}
}
