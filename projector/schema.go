package projector

import (
	"context"
	stdsql "database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/database"

	"cuota/internal/sqlrows"
	"cuota/sql"
)

// Migrate brings the tables of the database to the current schema, and replaces its
// functions and views. It may run at every start. On a current schema it changes no tables.
func Migrate(ctx context.Context, options *clickhouse.Options) error {
	return MigrateCluster(ctx, options, "")
}

// MigrateCluster does what Migrate does on all replicas of a cluster, with replicated
// tables. The options must have the settings of the cluster. It fails if a replica is down,
// and can then be run again.
func MigrateCluster(ctx context.Context, options *clickhouse.Options, cluster sql.Cluster) (err error) {
	db := clickhouse.OpenDB(sql.NamedOptions(options, component+"/schema"))
	defer func() { err = errors.Join(err, db.Close()) }()

	if err := checkCluster(ctx, db, cluster); err != nil {
		return err
	}
	// The migrations know only the names of today.
	if err := checkNames(ctx, db); err != nil {
		return err
	}
	if err := runStated(ctx, db, cluster, "former_tables"); err != nil {
		return fmt.Errorf("rename tables of an earlier version: %w", err)
	}
	migrations, err := newMigrations(ctx, db, cluster)
	if err != nil {
		return fmt.Errorf("prepare the migrations: %w", err)
	}
	if err := checkVersion(ctx, migrations); err != nil {
		return err
	}
	again, err := gaps(ctx, migrations)
	if err != nil {
		return fmt.Errorf("list the completed migrations: %w", err)
	}
	if again {
		// Before and after, so that a process that is killed in between leaves no batch
		// that is answered from. The first call may fail, because tables of an old schema
		// may lack batch_damage.
		_ = condemn(ctx, db)
		if migrations, err = forgetVersions(ctx, db, cluster); err != nil {
			return fmt.Errorf("prepare to run every migration again: %w", err)
		}
	}
	if _, err := migrations.Up(ctx); err != nil {
		return fmt.Errorf("migrate the ClickHouse schema: %w", err)
	}
	if again {
		if err := condemn(ctx, db); err != nil {
			return err
		}
	}
	// If the notes can't be read, the inspection that follows mends them, and the next start
	// renames those that are left.
	if err := renameNotes(ctx, db); err != nil && !isUnreadable(err) {
		return fmt.Errorf("note the rows of renamed tables: %w", err)
	}
	functions, functionsErr := cluster.Functions()
	views, viewsErr := cluster.Views()
	if err := errors.Join(functionsErr, viewsErr); err != nil {
		return err
	}
	for _, script := range append(functions, views...) {
		if _, err := db.ExecContext(sql.As(ctx, component+"/"+script.Name), script.Text); err != nil {
			return fmt.Errorf("create %s: %w", script.Name, err)
		}
	}
	return errors.Join(sweepViews(ctx, db, cluster), describeViews(ctx, db, cluster), makePeoplesViews(ctx, db, cluster))
}

// makePeoplesViews makes the database for people and replaces its views. It fails if the
// database has a table of somebody else under the name of a view.
func makePeoplesViews(ctx context.Context, db *stdsql.DB, cluster sql.Cluster) error {
	var own string
	if err := db.QueryRowContext(ctx, "SELECT currentDatabase()").Scan(&own); err != nil {
		return fmt.Errorf("ask for the name of the database: %w", err)
	}
	people := sql.PeoplesDatabase(own)
	views, err := cluster.PeoplesViews(people)
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
	if err := db.QueryRowContext(sql.As(ctx, component+"/peoples_database"), sql.Query("peoples_database"), arguments...).Scan(&made, &foreign); err != nil {
		return fmt.Errorf("look at the database %s: %w", people, err)
	}
	if len(foreign) > 0 {
		return fmt.Errorf("the database %s is for views that cuota makes for people, but it has tables of others with their names: %s; rename or drop these, and start again", people, strings.Join(foreign, ", "))
	}
	if !made || cluster != "" {
		statement, err := cluster.MakePeoplesDatabase(people)
		if err != nil {
			return err
		}
		if _, err := db.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("create the database %s, in which people find the tables of the published batch; docs/servers.md says which rights that needs: %w", people, err)
		}
	}
	for _, view := range views {
		if _, err := db.ExecContext(sql.As(ctx, component+"/funds/"+view.Name), view.Text); err != nil {
			return fmt.Errorf("create %s.%s; docs/servers.md says which rights that needs: %w", people, view.Name, err)
		}
	}
	return runStated(ctx, db, cluster, "peoples_leftovers", clickhouse.Named("database", people))
}

// checkNames fails if a table exists under its former name and under its name of today, since
// either may have rows that the other lacks.
func checkNames(ctx context.Context, db *stdsql.DB) error {
	var both []string
	if err := db.QueryRowContext(sql.As(ctx, component+"/tables_twice"), sql.Query("tables_twice")).Scan(&both); err != nil {
		return fmt.Errorf("look for tables of an earlier version: %w", err)
	}
	if len(both) > 0 {
		return fmt.Errorf("the database has tables under a former name and under the name of today: %s; drop of each pair the one whose rows you do not need, and start again", strings.Join(both, ", "))
	}
	return nil
}

// condemn records every published batch as damaged.
func condemn(ctx context.Context, db *stdsql.DB) error {
	if _, err := db.ExecContext(sql.As(ctx, component+"/condemn_batches"), sql.Query("condemn_batches")); err != nil {
		return fmt.Errorf("record that the migrations are run again: %w", err)
	}
	return nil
}

// renameNotes gives the notes about the rows of renamed tables the names of today. It may be
// interrupted anywhere and run again.
func renameNotes(ctx context.Context, db *stdsql.DB) error {
	var former []string
	as := func(query string) context.Context { return sql.As(ctx, component+"/"+query) }
	if err := db.QueryRowContext(as("former_notes"), sql.Query("former_notes")).Scan(&former); err != nil || len(former) == 0 {
		return err
	}
	if _, err := db.ExecContext(as("rename_notes"), sql.Query("rename_notes")); err != nil {
		return err
	}
	_, err := db.ExecContext(as("forget_former_notes"), sql.Query("forget_former_notes"), clickhouse.Named("tables", former))
	return err
}

// checkCluster fails if the cluster is unknown, or if not all of its replicas would hold
// every row.
func checkCluster(ctx context.Context, db *stdsql.DB, cluster sql.Cluster) error {
	if cluster == "" {
		return nil
	}
	if err := cluster.Validate(); err != nil {
		return err
	}
	named := clickhouse.Context(ctx, clickhouse.WithParameters(clickhouse.Parameters{"cluster": string(cluster)}))
	var shards uint64
	if err := db.QueryRowContext(named, sql.Query("cluster_shards")).Scan(&shards); err != nil {
		return fmt.Errorf("query cluster %s: %w", cluster, err)
	}
	switch {
	case shards == 0:
		return fmt.Errorf("the ClickHouse server has no cluster %s: set CUOTA_CLICKHOUSE_CLUSTER to a name in system.clusters", cluster)
	case shards > 1:
		return fmt.Errorf("cluster %s has %d shards: set CUOTA_CLICKHOUSE_CLUSTER to a cluster with one shard, whose replicas all hold every table", cluster, shards)
	}
	return nil
}

// newMigrations prepares the migrations. For a cluster it makes the table of versions
// itself, because goose would not make it replicated.
func newMigrations(ctx context.Context, db *stdsql.DB, cluster sql.Cluster) (*goose.Provider, error) {
	files, err := cluster.Migrations()
	if err != nil {
		return nil, err
	}
	// Migrations were not always added in the order of their numbers. If a database lacks
	// one below its version, it is run now.
	anyOrder := goose.WithAllowOutofOrder(true)
	if cluster == "" {
		return goose.NewProvider(goose.DialectClickHouse, db, files, anyOrder)
	}
	create, err := cluster.Versions()
	if err != nil {
		return nil, err
	}
	if _, err := db.ExecContext(ctx, create); err != nil {
		return nil, fmt.Errorf("create the table of versions: %w", err)
	}
	store, err := database.NewStore(database.DialectClickHouse, goose.DefaultTablename)
	if err != nil {
		return nil, err
	}
	return goose.NewProvider(goose.DialectCustom, db, files, goose.WithStore(versions{store}), anyOrder)
}

// checkVersion fails if a newer program has migrated the tables.
func checkVersion(ctx context.Context, migrations *goose.Provider) error {
	stored, err := migrations.GetDBVersion(ctx)
	if isUnreadable(err) {
		return nil // every migration runs again
	}
	if err != nil {
		return fmt.Errorf("read the version of the ClickHouse schema: %w", err)
	}
	known := migrations.ListSources()
	if newest := known[len(known)-1].Version; stored > newest {
		return fmt.Errorf("a newer cuota has migrated these tables to version %d of the schema, and this program knows versions up to %d: run the newer program, or restore a backup that was made before", stored, newest)
	}
	return nil
}

// gaps reports whether the list of applied migrations is incomplete: a later migration is on
// it, or ClickHouse can't read it.
func gaps(ctx context.Context, migrations *goose.Provider) (bool, error) {
	list, err := migrations.Status(ctx)
	if isUnreadable(err) {
		return true, nil
	}
	pending := false
	for _, migration := range list {
		if pending && migration.State == goose.StateApplied {
			return true, nil
		}
		pending = pending || migration.State == goose.StatePending
	}
	return false, err
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

// forgetVersions drops the list of applied migrations, so that all of them run again.
func forgetVersions(ctx context.Context, db *stdsql.DB, cluster sql.Cluster) (*goose.Provider, error) {
	drop, err := cluster.Render("drop_versions", sql.Query("drop_versions"))
	if err != nil {
		return nil, err
	}
	if _, err := db.ExecContext(ctx, drop); err != nil {
		return nil, err
	}
	return newMigrations(ctx, db, cluster)
}

// versions is goose's table of applied migrations, if it has been made already.
type versions struct{ database.Store }

// CreateVersionTable implements database.Store.
func (versions) CreateVersionTable(context.Context, database.DBTxConn) error { return nil }

// describeViews gives the columns of each current_ view the comments of its table, which
// ClickHouse does not copy to views.
func describeViews(ctx context.Context, db *stdsql.DB, cluster sql.Cluster) error {
	return runStated(ctx, db, cluster, "view_comments")
}

// sweepViews drops the views of earlier versions whose names are no longer used, and what an
// interrupted replacement of a view left behind.
func sweepViews(ctx context.Context, db *stdsql.DB, cluster sql.Cluster) error {
	return runStated(ctx, db, cluster, "replaced_views")
}

// runStated runs the statements that a query returns as text.
func runStated(ctx context.Context, db *stdsql.DB, cluster sql.Cluster, query string, arguments ...any) error {
	statements, err := sqlrows.Column[string](ctx, db, sql.Query(query), arguments...)
	if err != nil {
		return fmt.Errorf("run %s.sql: %w", query, err)
	}
	for _, statement := range statements {
		if statement, err = cluster.Render(query, statement); err != nil {
			return err
		}
		if _, err := db.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("run the statement that %s.sql returned: %w", query, err)
		}
	}
	return nil
}
