// Package schema makes what the statements of the program run on: tables, functions, views, and the
// database for people. It runs at each start, before the projector.
package schema

import (
	"context"
	stdsql "database/sql"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ClickHouse/clickhouse-go/v2"

	"cuota/internal/sqlrows"
	"cuota/sql"
)

// component is the beginning of the names of statements in ClickHouse's query log.
const component = "projector"

// Make makes the tables that are missing, and replaces the functions and views. It may run at
// every start. It fails if the tables are of another version of the schema, and then changes nothing.
func Make(ctx context.Context, options *clickhouse.Options) (err error) {
	db := clickhouse.OpenDB(sql.NamedOptions(options, component+"/schema"))
	defer func() { err = errors.Join(err, db.Close()) }()

	version, err := storedVersion(ctx, db)
	if err != nil {
		return err
	}
	for _, script := range slices.Concat(sql.Tables(), sql.Functions(), sql.Views()) {
		if _, err := db.ExecContext(sql.As(ctx, component+"/"+script.Name), script.Text); err != nil {
			return fmt.Errorf("create %s: %w", script.Name, err)
		}
	}
	if version == 0 {
		version := clickhouse.Named("version", strconv.Itoa(sql.SchemaVersion))
		if _, err := db.ExecContext(sql.As(ctx, component+"/note_schema_version"), sql.Query("note_schema_version"),
			version); err != nil {
			return fmt.Errorf("note the version of the schema: %w", err)
		}
	}
	return errors.Join(runStated(ctx, db, "interrupted_views"), describeViews(ctx, db), makePeoplesViews(ctx, db))
}

// storedVersion returns the version of the tables, and 0 if there are none yet or their version was lost. It
// fails if this program does not know the version.
func storedVersion(ctx context.Context, db *stdsql.DB) (uint32, error) {
	var versioned, before bool
	if err := db.QueryRowContext(sql.As(ctx, component+"/schema_found"), sql.Query("schema_found")).Scan(&versioned,
		&before); err != nil {
		return 0, fmt.Errorf("look for the version of the ClickHouse schema: %w", err)
	}
	if before {
		return 0, outdated("a version before 0.1.0")
	}
	if !versioned {
		return 0, nil
	}
	var version uint32
	err := db.QueryRowContext(sql.As(ctx, component+"/schema_newest"), sql.Query("schema_newest")).Scan(&version)
	switch {
	case isUnreadable(err): // the inspection that follows mends the table
		return sql.SchemaVersion, nil
	case err != nil:
		return 0, fmt.Errorf("read the version of the ClickHouse schema: %w", err)
	case version > sql.SchemaVersion:
		return 0, fmt.Errorf("a newer cuota has made these tables, of version %d of the schema, and this program "+
			"knows versions up to %d: run the newer program, or restore a backup that was made before", version,
			sql.SchemaVersion)
	case version > 0 && version < sql.SchemaVersion:
		return 0, outdated(fmt.Sprintf("version %d of the schema", version))
	}
	return version, nil
}

// outdated is the error about tables of a version that this program does not read.
func outdated(version string) error {
	return errors.New("these tables are of " + version + ", whose tables this program does not read: " +
		"start with a new data directory, or a new database, and bring over what was ingested: " +
		"cuota ingest --archive OLD, where OLD is the data directory of before; " +
		"copy OLD/accounts to keep accounts and keys")
}

// makePeoplesViews makes the database for people and replaces its views. It fails if the
// database has a table of somebody else under the name of a view.
func makePeoplesViews(ctx context.Context, db *stdsql.DB) error {
	var own string
	if err := db.QueryRowContext(ctx, "SELECT currentDatabase()").Scan(&own); err != nil {
		return fmt.Errorf("ask for the name of the database: %w", err)
	}
	people := sql.PeoplesDatabase(own)
	views, err := sql.PeoplesViews(people)
	if err != nil {
		return err
	}
	names := make([]string, len(views))
	for i, view := range views {
		names[i] = view.Name
	}
	var made bool
	var foreign []string
	arguments := []any{clickhouse.Named("database", people), clickhouse.Named("views", names)}
	if err := db.QueryRowContext(sql.As(ctx, component+"/peoples_database"), sql.Query("peoples_database"),
		arguments...).Scan(&made, &foreign); err != nil {
		return fmt.Errorf("look at the database %s: %w", people, err)
	}
	if len(foreign) > 0 {
		return fmt.Errorf("the database %s is for views that cuota makes for people, but it has tables of others "+
			"with their names: %s; rename or drop these, and start again", people, strings.Join(foreign, ", "))
	}
	if !made {
		if _, err := db.ExecContext(ctx, sql.MakePeoplesDatabase(people)); err != nil {
			return fmt.Errorf("create the database %s, in which people find the tables of the published batch; "+
				"docs/servers.md says which rights that needs: %w", people, err)
		}
	}
	for _, view := range views {
		if _, err := db.ExecContext(sql.As(ctx, component+"/funds/"+view.Name), view.Text); err != nil {
			return fmt.Errorf("create %s.%s; docs/servers.md says which rights that needs: %w", people, view.Name, err)
		}
	}
	return runStated(ctx, db, "peoples_leftovers", clickhouse.Named("database", people))
}

// isUnreadable reports whether a statement failed because the files of a table can't be read.
func isUnreadable(err error) bool {
	exception := (*clickhouse.Exception)(nil)
	return errors.As(err, &exception) && slices.Contains(unreadable, exception.Code)
}

// unreadable are the ClickHouse error codes for a table whose files can't be read. Other
// errors are temporary, or have another cause.
var unreadable = []int32{
	32,  // ATTEMPT_TO_READ_AFTER_EOF
	33,  // CANNOT_READ_ALL_DATA
	40,  // CHECKSUM_DOESNT_MATCH
	74,  // CANNOT_READ_FROM_FILE_DESCRIPTOR
	76,  // CANNOT_OPEN_FILE
	107, // FILE_DOESNT_EXIST
	246, // BAD_SIZE_OF_FILE_IN_DATA_PART
	271, // CANNOT_DECOMPRESS
	740, // POTENTIALLY_BROKEN_DATA_PART
}

// describeViews returns the columns of each current_ view the comments of its table, which
// ClickHouse does not copy to views.
func describeViews(ctx context.Context, db *stdsql.DB) error {
	return runStated(ctx, db, "view_comments")
}

// runStated runs the statements that a query returns as text.
func runStated(ctx context.Context, db *stdsql.DB, query string, arguments ...any) error {
	statements, err := sqlrows.Column[string](ctx, db, sql.Query(query), arguments...)
	if err != nil {
		return fmt.Errorf("run %s.sql: %w", query, err)
	}
	for _, statement := range statements {
		if _, err := db.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("run the statement that %s.sql returned: %w", query, err)
		}
	}
	return nil
}
