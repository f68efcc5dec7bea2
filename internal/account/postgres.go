package account

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
)

const (
	postgresIdle = 5 * time.Minute

	// postgresMigrationLock is the advisory lock of this schema's migrations:
	// the ASCII bytes of "cuota".
	postgresMigrationLock int64 = 0x63756f7461
)

// openPostgres prepares one pool with at most the given number of connections. It does not
// connect before migrate.
//
// All statements are written for READ COMMITTED: a statement that waited for a row sees the row
// as the other transaction left it. At a stricter level such a wait would end with an error, so
// the level is set for each connection.
func openPostgres(dsn string, connections int) (database, error) {
	config, err := pgx.ParseConfig(dsn)
	if err != nil { // err may repeat parts of the DSN
		return database{}, errors.New(
			"the PostgreSQL DSN can't be used; write postgres://user:password@host:5432/database?sslmode=verify-full")
	}
	config.RuntimeParams["default_transaction_isolation"] = "read committed"
	config.RuntimeParams["application_name"] = "cuota"
	db := stdlib.OpenDB(*config)
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	db.SetConnMaxIdleTime(postgresIdle)

	return database{
		read:    db,
		count:   db,
		command: db,
		migrate: func(ctx context.Context) (err error) {
			// The lock lasts as long as this transaction, which does nothing else.
			lock, err := db.BeginTx(ctx, nil)
			if err != nil {
				return fmt.Errorf("connect: %w", err)
			}
			defer func() { err = errors.Join(err, lock.Rollback()) }()
			if _, err := lock.ExecContext(ctx, "SELECT pg_advisory_xact_lock($1)", postgresMigrationLock); err != nil {
				return fmt.Errorf("take the migration lock: %w", err)
			}
			return migrate(ctx, db, goose.DialectPostgres)
		},
		lostFile:  func() bool { return false }, // a server: its tables say it
		reachable: func() error { return nil },  // every statement asks the server anyway
		// PostgreSQL has no command that erases deleted rows from its files at once
		// (docs/decisions/0012-the-account-area.md).
		scrub: func(context.Context) error { return nil },
		lost:  lostToAnother,
	}, nil
}

// lostToAnother reports whether the server rolled a transaction back because of another one.
// Either the transactions were not serialisable, or they waited for each other's rows. For
// example, using a link locks the link and then the account, and removing the account locks
// them the other way round.
func lostToAnother(err error) bool {
	const deadlock, serialization = "40P01", "40001"
	refusal := (*pgconn.PgError)(nil)
	return errors.As(err, &refusal) && (refusal.Code == deadlock || refusal.Code == serialization)
}
