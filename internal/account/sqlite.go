package account

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/pressly/goose/v3"
)

const (
	sqliteReaders       = 4           // in WAL mode readers do not wait
	sqliteMigrationWait = time.Minute // for another process that runs migrations
)

// openSQLite prepares the connection pools for the file that u names. It opens no connection.
// migrate creates the file under the migration lock.
//
// SQLite has one writer at a time, so each writing pool has one connection. The goroutines of a
// process wait for it in memory instead of polling the lock of the file. BEGIN IMMEDIATE takes
// that lock at the start of a transaction, where waiting is possible. A read lock can't be
// upgraded by waiting in the middle of a transaction.
//
// Deleted data is overwritten with zeros (secure_delete). The write-ahead log still contains
// it, so the log is emptied after a person was removed (scrub) and at every start.
func openSQLite(u *url.URL, timeout time.Duration) (database, error) {
	if u.Host != "" || u.User != nil || u.Opaque != "" || u.RawQuery != "" || u.Fragment != "" ||
		!filepath.IsAbs(u.Path) {
		return database{}, errors.New(
			"a SQLite DSN must be an absolute path without parameters, as in sqlite:///var/lib/cuota/accounts.db")
	}
	file := sqliteFile{path: filepath.Clean(u.Path)}

	open := func(connections int, busy time.Duration, params ...string) (*sql.DB, error) {
		db, err := sql.Open("sqlite", sqliteDSN(file.path, busy, params...))
		if err != nil {
			return nil, fmt.Errorf("open %s: %w", file.path, err)
		}
		db.SetMaxOpenConns(connections)
		db.SetMaxIdleConns(connections)
		return db, nil
	}
	read, err := open(sqliteReaders, timeout, "mode", "rw", "_journal_mode", "WAL", "_synchronous", "NORMAL",
		"_query_only", "1")
	if err != nil {
		return database{}, err
	}
	count, err := open(1, timeout, "mode", "rw", "_journal_mode", "WAL", "_synchronous", "NORMAL", "_pragma",
		"secure_delete(1)")
	if err != nil {
		return database{}, errors.Join(err, read.Close())
	}
	command, err := open(1, timeout, "mode", "rw", "_journal_mode", "WAL", "_synchronous", "FULL", "_pragma",
		"secure_delete(1)")
	if err != nil {
		return database{}, errors.Join(err, read.Close(), count.Close())
	}

	return database{
		read:    read,
		count:   count,
		command: command,
		migrate: func(ctx context.Context) (err error) {
			unlock, err := lockSQLite(ctx, file.path)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, unlock()) }()
			if !file.lost() {
				if err := checkSQLite(ctx, file.path, "quick_check"); err != nil {
					return err
				}
			}
			if err := file.make(); err != nil {
				return err
			}
			if err := migrate(ctx, command, goose.DialectSQLite3); err != nil {
				return err
			}
			if err := purgeSQLite(ctx, command); err != nil {
				return err
			}
			// An earlier removal may have failed to empty the log, or its process may have
			// ended before that. Emptying fails here too while another process uses the log.
			// The store can be used anyway, and the next start or removal empties the log.
			_ = emptySQLiteLog(ctx, command)
			return nil
		},
		lostFile:  file.lost,
		reachable: file.reachable,
		scrub:     func(ctx context.Context) error { return emptySQLiteLog(ctx, command) },
		lost:      func(error) bool { return false }, // there is one writer at a time
	}, nil
}

// purgedSQLite is the user_version of a file whose free pages contain no deleted data.
const purgedSQLite = 1

// purgeSQLite rebuilds, once, a file that an earlier version of this program wrote. That
// version did not overwrite deleted data, so its free pages still contain it.
func purgeSQLite(ctx context.Context, db *sql.DB) error {
	var version int
	if err := db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return fmt.Errorf("read the version of the account database: %w", err)
	}
	if version >= purgedSQLite {
		return nil
	}
	if _, err := db.ExecContext(ctx, "VACUUM"); err != nil {
		return fmt.Errorf("rebuild the account database to erase deleted rows: %w", err)
	}
	if err := emptySQLiteLog(ctx, db); err != nil {
		return err
	}
	if _, err := db.ExecContext(ctx, "PRAGMA user_version = "+strconv.Itoa(purgedSQLite)); err != nil {
		return fmt.Errorf("record that the account database was rebuilt: %w", err)
	}
	return nil
}

// emptySQLiteLog moves the contents of the write-ahead log into the database file and truncates
// the log. It waits for readers and writers as long as the connection's busy timeout, then
// fails.
func emptySQLiteLog(ctx context.Context, db *sql.DB) error {
	var busy, pages, copied int
	if err := db.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &pages, &copied); err != nil {
		return fmt.Errorf("empty the write-ahead log of the account database: %w", err)
	}
	if busy != 0 {
		return errors.New("empty the write-ahead log of the account database: another connection uses it for too long")
	}
	return nil
}

// sqliteDSN returns the driver's DSN for the file at path, which may contain any characters.
// params are names and values in turn (name, value, name, value, …), in addition to those that
// every connection needs. busy is how long the connection waits for locks.
func sqliteDSN(path string, busy time.Duration, params ...string) string {
	q := url.Values{}
	q.Set("_busy_timeout", strconv.FormatInt(busy.Milliseconds(), 10))
	q.Set("_foreign_keys", "1")
	q.Set("_txlock", "immediate")
	q.Set("_dqs", "0") // "x" always names a column and never a string, as in PostgreSQL
	for i := 0; i+1 < len(params); i += 2 {
		q.Set(params[i], params[i+1])
	}
	return (&url.URL{Scheme: "file", Path: path, RawQuery: q.Encode()}).String()
}

// lockSQLite takes the migration lock and returns the function that releases it. The lock is an
// open transaction in an empty database beside path. Goose uses one transaction for each
// migration, which alone would let two processes run the same migration.
func lockSQLite(ctx context.Context, path string) (unlock func() error, err error) {
	db, err := sql.Open("sqlite", sqliteDSN(path+".migrating", sqliteMigrationWait))
	if err != nil {
		return nil, fmt.Errorf("open the migration lock %s.migrating: %w", path, err)
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("take the migration lock %s.migrating: %w", path, err), db.Close())
	}
	return func() error { return errors.Join(tx.Rollback(), db.Close()) }, nil
}

// sqliteFile is the database file and its identity when it was opened.
type sqliteFile struct {
	path string
	info fs.FileInfo // set by make
}

// make creates the file if it does not exist, with mode 0600 because it contains e-mail
// addresses. SQLite gives its own files beside it the same mode.
func (f *sqliteFile) make() error {
	created, err := os.OpenFile(f.path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	switch {
	case errors.Is(err, fs.ErrExist): // an existing file is not opened: closing it would drop SQLite's locks
	case err != nil:
		return fmt.Errorf("create the account database: %w", err)
	default:
		if err := created.Close(); err != nil {
			return fmt.Errorf("create the account database: %w", err)
		}
	}
	if f.info, err = os.Stat(f.path); err != nil {
		return fmt.Errorf("find the account database: %w", err)
	}
	if !f.info.Mode().IsRegular() {
		return fmt.Errorf("the account database %s is not a regular file", f.path)
	}
	return nil
}

// lost reports whether there is no file, or an empty one.
func (f *sqliteFile) lost() bool {
	info, err := os.Stat(f.path)
	return errors.Is(err, fs.ErrNotExist) || err == nil && info.Mode().IsRegular() && info.Size() == 0
}

// reachable fails if the path no longer leads to the file that was opened. A process that has a
// removed file open can still use it. It would accept keys and count requests in a database
// that no other process sees.
func (f *sqliteFile) reachable() error {
	now, err := os.Stat(f.path)
	if err != nil {
		return fmt.Errorf("the file of the account database is missing: %w", err)
	}
	if !os.SameFile(f.info, now) {
		return fmt.Errorf("the account database %s was replaced while in use: restart the program", f.path)
	}
	return nil
}
