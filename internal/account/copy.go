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

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// CopySQLite copies the account database at a SQLite DSN to the file at path, which must be
// empty or missing. The copy shows the database at one moment, and other processes may go on
// writing. The copy contains neither the pepper nor bytes of deleted rows. CopySQLite checks
// both, and fails if one is damaged.
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
	// VACUUM INTO may leave out rows of a damaged database without an error.
	if err := checkSQLite(ctx, filepath.Clean(u.Path), "integrity_check"); err != nil {
		return err
	}
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
	return checkSQLite(ctx, path, "integrity_check")
}

// Check runs SQLite's integrity check on the store at dsn, which other processes may be using. It
// fails with a *DamagedError if the database is damaged, and with ErrStoreLost if there is none
// although its pepper exists. It checks nothing if neither exists, and of PostgreSQL, which has
// tools of its own.
func Check(ctx context.Context, dsn, pepper string) error {
	u, err := url.Parse(dsn)
	if err != nil { // err would contain the DSN
		return errors.New("check the account store: the DSN is not a URL")
	}
	if u.Scheme != "sqlite" {
		return nil
	}
	file := sqliteFile{path: filepath.Clean(u.Path)}
	if !file.lost() {
		return checkSQLite(ctx, file.path, "integrity_check")
	}
	if _, err := os.Stat(pepper); err == nil {
		return ErrStoreLost
	}
	return nil
}

// DamagedError says that an account database is damaged.
type DamagedError struct {
	Path  string
	Found string // the first finding of SQLite
}

func (e *DamagedError) Error() string {
	return fmt.Sprintf("the account database %s is damaged: %s; restore it from a backup (docs/operations.md, "+
		"\"Accounts alone\")", e.Path, e.Found)
}

// checkSQLite runs a check of SQLite on the database at path: integrity_check, or quick_check,
// which does not compare tables with their indices.
func checkSQLite(ctx context.Context, path, check string) error {
	db, err := sql.Open("sqlite", sqliteDSN(path, time.Minute, "mode", "ro"))
	if err != nil {
		return err
	}
	var found string
	err = db.QueryRowContext(ctx, "PRAGMA "+check+"(1)").Scan(&found)
	refused := (*sqlite.Error)(nil)
	switch {
	case errors.As(err, &refused) && (refused.Code()&0xff == sqlite3.SQLITE_CORRUPT ||
		refused.Code()&0xff == sqlite3.SQLITE_NOTADB):
		err = &DamagedError{path, refused.Error()}
	case err == nil && found != "ok":
		err = &DamagedError{path, found}
	}
	return errors.Join(err, db.Close())
}
