package projector

import (
	"context"
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
	return nil
}
