package account

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"
)

//go:embed sql/migrations/*.sql
var migrationFiles embed.FS

// migrate applies the migrations that db lacks. The caller holds the migration lock of the
// database. So processes that start together migrate one after another, and the later ones find
// nothing to do. It fails if the schema is newer than this program.
func migrate(ctx context.Context, db *sql.DB, dialect goose.Dialect) error {
	files, err := fs.Sub(migrationFiles, "sql/migrations")
	if err != nil {
		return fmt.Errorf("find the migrations: %w", err)
	}
	migrations, err := goose.NewProvider(dialect, db, files,
		goose.WithTableName("account_migrations"),
		goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return fmt.Errorf("read the migrations: %w", err)
	}
	have, know, err := migrations.GetVersions(ctx)
	if err != nil {
		return fmt.Errorf("read the schema's version: %w", err)
	}
	if have > know {
		return fmt.Errorf("the account store has schema version %d, and this program knows versions up to %d: run "+
			"the newer program", have, know)
	}
	if _, err := migrations.Up(ctx); err != nil {
		return fmt.Errorf("migrate the schema from version %d to %d: %w", have, know, err)
	}
	return nil
}
