package account

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"time"
)

// CopySQLite copies the account database at a SQLite DSN to the file at path, which must be
// empty or missing. The copy shows the database at one moment, and other processes may go on
// writing. The copy contains neither the pepper nor bytes of deleted rows. CopySQLite checks
// the copy, and fails if the copy is damaged.
func CopySQLite(ctx context.Context, dsn, path string) (err error) {
	u, err := url.Parse(dsn)
	if err != nil || u.Scheme != "sqlite" {
		return errors.New("copy the account database: the DSN does not name a SQLite file")
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("copy the account database: %w", err)
		}
	}()
	if path, err = filepath.Abs(path); err != nil { // SQLite's DSN needs an absolute path
		return err
	}
	// SQLite accepts an empty file as the target and keeps its mode, here 0600.
	made, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if err := made.Close(); err != nil {
		return err
	}
	db, err := sql.Open("sqlite", sqliteDSN(filepath.Clean(u.Path), time.Minute, "mode", "rw"))
	if err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, "VACUUM INTO $1", path)
	if err := errors.Join(err, db.Close()); err != nil {
		return err
	}
	return checkSQLite(ctx, path)
}

// checkSQLite runs SQLite's integrity check on the database at path. It fails if the database
// is damaged.
func checkSQLite(ctx context.Context, path string) error {
	db, err := sql.Open("sqlite", sqliteDSN(path, time.Minute, "mode", "ro"))
	if err != nil {
		return err
	}
	var found string
	err = db.QueryRowContext(ctx, "PRAGMA integrity_check(1)").Scan(&found)
	if err == nil && found != "ok" {
		err = fmt.Errorf("it is damaged: %s", found)
	}
	return errors.Join(err, db.Close())
}
