package projector

import (
	"context"
	stdsql "database/sql"
	"errors"
	"fmt"
	"io/fs"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/pressly/goose/v3"

	"cuota/sql"
)

// Migrate brings the tables of the database to the current schema and replaces
// its functions and views. It may run at every start; on a current schema it
// changes nothing.
func Migrate(ctx context.Context, options *clickhouse.Options) (err error) {
	db := clickhouse.OpenDB(options)
	defer func() { err = errors.Join(err, db.Close()) }()

	migrations, err := fs.Sub(sql.Schema, "schema")
	if err != nil {
		return fmt.Errorf("read the embedded schema: %w", err)
	}
	provider, err := goose.NewProvider(goose.DialectClickHouse, db, migrations)
	if err != nil {
		return fmt.Errorf("prepare the migrations: %w", err)
	}
	if _, err := provider.Up(ctx); err != nil {
		return fmt.Errorf("migrate the ClickHouse schema: %w", err)
	}
	for _, script := range append(sql.Functions(), sql.Views()...) {
		if _, err := db.ExecContext(ctx, script.Text); err != nil {
			return fmt.Errorf("create %s: %w", script.Name, err)
		}
	}
	return describeViews(ctx, db)
}

// describeViews gives the columns of each current_ view the comments of its table,
// which a view does not take over by itself.
func describeViews(ctx context.Context, db *stdsql.DB) error {
	rows, err := db.QueryContext(ctx, sql.Query("view_comments"))
	if err != nil {
		return fmt.Errorf("look for the comments of views: %w", err)
	}
	var statements []string
	for rows.Next() {
		var statement string
		if err := rows.Scan(&statement); err != nil {
			return fmt.Errorf("look for the comments of views: %w", errors.Join(err, rows.Close()))
		}
		statements = append(statements, statement)
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return fmt.Errorf("look for the comments of views: %w", err)
	}
	for _, statement := range statements {
		if _, err := db.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("comment the columns of a view: %w", err)
		}
	}
	return nil
}
