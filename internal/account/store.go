// Package account is the transactional store of registered people. It holds their API keys and
// how much of its daily quota each key has used, the links that were mailed to them, their
// sessions, watchlists and preferences.
//
// The query server calls it twice for every data request: Authenticate, or FollowLink for a link (whose key is this?),
// and Spend (may the key make one more request today?). Both read the database. If it can't be
// read, they return an error, and the server answers 503. CreateKey issues a key.
//
// The account area (package area, below this one) registers people and signs them in. A link or
// a session is proved by a token of 256 random bits. The store keeps only the token's HMAC. A
// link is used up in the same transaction as the action that it allows. Mails are put into an
// Outbox in the transaction that causes them.
//
// Accounts are changed by commands and are not projected from events. So they live in SQLite if
// there is one machine, and in PostgreSQL if there are more. Both are used through database/sql
// with the same statements (sql/*.sql, with placeholders $1, $2, …, which both accept) and the
// same migrations (sql/migrations). Only opening differs: see sqlite.go and postgres.go. Any
// other data about an account belongs here too, as a migration, its statements, and a file of
// methods on Store.
//
// Durability: everything that was acknowledged survives the end of the process, kill -9
// included. Issued and revoked keys also survive a power failure. On SQLite, requests counted
// in the last moments before a power failure may be lost. Syncing each of them to disk would
// cost more than they are worth.
package account

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"sync/atomic"
	"time"
)

// minPepper is the least length of a pepper that Open accepts, in bytes.
const minPepper = 32

// defaultTimeout limits each operation, including the time that it waits for locks.
const defaultTimeout = 5 * time.Second

// Store holds the accounts. It is safe for concurrent use. Any number of stores, in any number
// of processes, may share one database.
//
// No field holds the pepper, so printing or encoding a Store can't reveal it. The functions
// digest and secret hold it in their closures.
type Store struct {
	database
	digest  func(presented string) string // HMAC-SHA256(pepper, presented) in lower-case hex
	secret  func(purpose string) []byte   // see Secret
	now     func() time.Time
	timeout time.Duration
	atMost  int // greatest number of connections to PostgreSQL
	// mustExist makes prepare fail with ErrStoreLost instead of making a new store.
	mustExist bool

	// revocations counts the transactions of this store that revoked keys. When it changes,
	// cached keys must be verified again.
	revocations *atomic.Uint64
}

// database holds what SQLite and PostgreSQL open differently. The pools differ in the
// durability of a commit (see the package comment). PostgreSQL uses one pool for all three.
type database struct {
	read      *sql.DB // single SELECTs
	count     *sql.DB // counting requests: a commit survives the end of the process
	command   *sql.DB // transactions on accounts and keys: a commit survives a power failure
	migrate   func(context.Context) error
	lostFile  func() bool                 // whether there is no file, or an empty one
	scrub     func(context.Context) error // erases deleted data from the files
	reachable func() error                // fails if the pools no longer reach the database that was opened
	// whether a transaction was rolled back because of another one, and may run again
	lost func(error) bool
}

// Option changes an option of Open.
type Option func(*Store)

// WithClock sets the store's clock, from which all its times come. The default is time.Now.
func WithClock(now func() time.Time) Option {
	return func(s *Store) { s.now = now }
}

// WithTimeout limits the time of each operation, including waiting for locks. The caller's
// context applies too. The default is 5 seconds.
func WithTimeout(d time.Duration) Option {
	return func(s *Store) { s.timeout = d }
}

// DefaultConnections is the default limit of a store's connections to PostgreSQL. A PostgreSQL
// server accepts 100 connections from all clients, unless its max_connections differs.
const DefaultConnections = 16

// WithConnections limits the store's connections to PostgreSQL. The default is
// DefaultConnections. It has no effect on SQLite.
func WithConnections(n int) Option {
	return func(s *Store) { s.atMost = n }
}

// Open opens the store at dsn and migrates its schema. Several processes may open one database
// at the same time. dsn is one of
//
//	sqlite:///absolute/path/accounts.db   (created with access for its owner only, if absent)
//	postgres://user:password@host:5432/database?sslmode=verify-full
//
// pepper is the secret key of the digests of API keys and tokens, and has at least 32 bytes
// (see LoadPepper). Open fails if the store was first opened with another pepper, because then
// every key would look unknown. Errors of Open do not contain the DSN, which may contain a
// password.
func Open(ctx context.Context, dsn string, pepper []byte, opts ...Option) (*Store, error) {
	s, err := connect(dsn, pepper, opts...)
	if err != nil {
		return nil, fmt.Errorf("open the account store: %w", err)
	}
	if err := s.prepare(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("open the account store: %w", err), s.Close())
	}
	return s, nil
}

// connect is Open without migrations and without the check of the pepper.
func connect(dsn string, pepper []byte, opts ...Option) (*Store, error) {
	if len(pepper) < minPepper {
		return nil, fmt.Errorf("the pepper has %d bytes, but needs at least %d", len(pepper), minPepper)
	}
	pepper = slices.Clone(pepper)
	s := &Store{
		digest: func(presented string) string {
			mac := hmac.New(sha256.New, pepper)
			mac.Write([]byte(presented))
			return hex.EncodeToString(mac.Sum(nil))
		},
		secret: func(purpose string) []byte {
			mac := hmac.New(sha256.New, pepper)
			mac.Write([]byte("secret for " + purpose)) // no well-formed key or token has this form
			return mac.Sum(nil)
		},
		now:     time.Now,
		timeout: defaultTimeout,
		atMost:  DefaultConnections,

		revocations: new(atomic.Uint64),
	}
	for _, opt := range opts {
		opt(s)
	}

	u, err := url.Parse(dsn)
	if err != nil { // err would contain the DSN
		return nil, errors.New("the DSN is not a URL; write sqlite:///path/accounts.db or " +
			"postgres://user:password@host/database")
	}
	switch u.Scheme {
	case "sqlite":
		s.database, err = openSQLite(u, s.timeout)
	case "postgres", "postgresql":
		s.database, err = openPostgres(dsn, s.atMost)
	default:
		err = fmt.Errorf("unknown scheme %q; write sqlite:///path/accounts.db or postgres://user:password@host/database", u.Scheme)
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// prepare migrates the schema and checks that the pepper is the one the store was made with.
func (s *Store) prepare(ctx context.Context) error {
	if s.mustExist && s.lostFile() {
		return ErrStoreLost
	}
	if err := s.migrate(ctx); err != nil {
		return err
	}
	mine := s.fingerprint()
	if s.mustExist {
		var kept string
		switch err := s.read.QueryRowContext(ctx, statement("fingerprint")).Scan(&kept); {
		case errors.Is(err, sql.ErrNoRows):
			return ErrStoreLost
		case err != nil:
			return fmt.Errorf("read the pepper's fingerprint: %w", err)
		}
	}
	if _, err := s.command.ExecContext(ctx, statement("keep_fingerprint"), mine); err != nil {
		return fmt.Errorf("record the pepper's fingerprint: %w", err)
	}
	var kept string
	if err := s.read.QueryRowContext(ctx, statement("fingerprint")).Scan(&kept); err != nil {
		return fmt.Errorf("read the pepper's fingerprint: %w", err)
	}
	if !hmac.Equal([]byte(mine), []byte(kept)) {
		return errors.New("the pepper is not the one this store was created with, so no key would work: restore the " +
			"pepper file of this store; if cuota key replace-pepper was interrupted, run it again")
	}
	return nil
}

// fingerprint returns a digest that identifies the pepper. The digested text is not a well-formed
// key or token, so the fingerprint is never the digest of one.
func (s *Store) fingerprint() string { return s.digest("fingerprint of the pepper") }

// Close closes the database. Every later call on the store returns an error.
func (s *Store) Close() error {
	err := s.read.Close()
	if s.count != s.read {
		err = errors.Join(err, s.count.Close(), s.command.Close())
	}
	if err != nil {
		return fmt.Errorf("close the account store: %w", err)
	}
	return nil
}

// begin limits the time of one operation. It fails if the database that was opened is no longer
// there.
func (s *Store) begin(ctx context.Context) (context.Context, context.CancelFunc, error) {
	if err := s.reachable(); err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	return ctx, cancel, nil
}

// within runs one operation with begin. An error tells what could not be done, and comes with no
// value.
func within[T any](ctx context.Context, s *Store, what string,
	do func(context.Context) (T, error)) (value T, err error) {
	ctx, cancel, err := s.begin(ctx)
	if err == nil {
		defer cancel()
		value, err = do(ctx)
	}
	if err != nil {
		return *new(T), fmt.Errorf("%s: %w", what, err)
	}
	return value, nil
}

// rowError returns the error of reading one row: none if there is no such row, and otherwise an
// error that tells what could not be done.
func rowError(err, none error, what string) error {
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return none
	case err != nil:
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// Transact runs do in one durable transaction, which commits if do returns nil. The context of do
// ends at the time limit of the operation. If the database rolls the transaction back because of
// another one, do runs again, up to transactAttempts times in all. So do must overwrite, on each
// run, whatever it sets outside of tx.
func (s *Store) Transact(ctx context.Context, do func(context.Context, *sql.Tx) error) error {
	ctx, cancel, err := s.begin(ctx)
	if err != nil {
		return err
	}
	defer cancel()
	for range transactAttempts {
		if err = s.transactOnce(ctx, do); !s.lost(err) && !errors.Is(err, errBoundMeanwhile) {
			return err
		}
	}
	return fmt.Errorf("after %d attempts: %w", transactAttempts, err)
}

// changeKeys is Transact for a change of keys. Cached keys are checked again afterwards, also
// after an error, because the change may be committed; but not if the database can't be reached.
func (s *Store) changeKeys(ctx context.Context, do func(context.Context, *sql.Tx) error) error {
	if err := s.reachable(); err != nil {
		return err
	}
	defer s.revocations.Add(1)
	return s.Transact(ctx, do)
}

// Secret derives a key of 32 bytes from the pepper. Each purpose gives another key.
func (s *Store) Secret(purpose string) []byte { return s.secret(purpose) }

// transactAttempts is how often a transaction is run if others cause it to be rolled back.
const transactAttempts = 5

func (s *Store) transactOnce(ctx context.Context, do func(context.Context, *sql.Tx) error) error {
	tx, err := s.command.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("begin a transaction: %w", err)
	}
	if err := do(ctx, tx); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	return nil
}
