// Package account is the transactional store of people who registered: their
// API keys and what each key has spent of its daily quota, the links that they
// were mailed, their sessions, watchlist and preferences.
//
// The query server asks it twice for every data request: Authenticate (whose
// key is this?) and Spend (may it have one more request today?). Both answer
// from the database, never from a guess: when it can't be read they return an
// error, and the server answers 503. Issuing a key is CreateKey.
//
// The account area (package web, below this one) registers and signs people in.
// What they hold to prove it, a link or a session, is a token of 256 random
// bits, kept here only as its HMAC and used up in the transaction of what it
// allows. Mails are put into an Outbox in the transaction that causes them.
//
// Accounts are commands, not projections, so they live in SQLite on one
// machine and in PostgreSQL beyond it, reached through database/sql with the
// same statements (sql/*.sql, placeholders $1, $2, …, which both take) and the
// same migrations (sql/migrations). Only opening differs: sqlite.go and
// postgres.go. Whatever else is kept about an account belongs here too, as a
// migration, its statements, and a file of methods on Store.
//
// What survives what: everything acknowledged survives the end of the process,
// kill -9 included. Keys issued and revoked survive a power cut as well. On
// SQLite the requests counted in the last moments before a power cut may be
// forgotten, because syncing every one of them to disk would cost far more
// than those few requests are worth.
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

// minPepper is the least number of pepper bytes that Open takes.
const minPepper = 32

// defaultTimeout bounds each operation, waiting for locks included.
const defaultTimeout = 5 * time.Second

// Store holds the accounts. It is safe for concurrent use, and any number of
// stores, in any number of processes, may share one database.
//
// It has no field that holds the pepper, so that no way of printing or
// encoding a Store can show it: digest closes over it.
type Store struct {
	database
	calendar calendar
	digest   func(presented string) string // HMAC-SHA256(pepper, presented) in lower-case hex
	secret   func(purpose string) []byte   // see Secret
	now      func() time.Time
	timeout  time.Duration
	atMost   int // connections to PostgreSQL

	// revocations counts the transactions of this store that revoked keys:
	// whoever remembers a key from before asks again.
	revocations *atomic.Uint64
}

// database is what a dialect opens. The pools differ in what a commit is
// worth (see the package comment); PostgreSQL uses one pool for all three.
type database struct {
	read      *sql.DB // single SELECTs
	count     *sql.DB // counting requests: a commit survives the process
	command   *sql.DB // transactions on accounts and keys: a commit survives a power cut
	migrate   func(context.Context) error
	scrub     func(context.Context) error // erases from the files what was deleted
	reachable func() error                // nil, or why the pools no longer reach the database that was opened
	lost      func(error) bool            // whether a transaction was undone in favour of another, and may be run again
}

// Option changes how a Store is opened.
type Option func(*Store)

// WithClock sets the clock that dates keys. The default is time.Now.
func WithClock(now func() time.Time) Option {
	return func(s *Store) { s.now = now }
}

// WithTimeout bounds each operation, waiting for another's lock included, in
// addition to the caller's context. The default is 5 seconds.
func WithTimeout(d time.Duration) Option {
	return func(s *Store) { s.timeout = d }
}

// DefaultConnections is how many connections a store keeps to PostgreSQL at most. The
// server allows 100 to all its clients, unless its max_connections says otherwise.
const DefaultConnections = 16

// WithConnections sets how many connections the store keeps to PostgreSQL at most,
// DefaultConnections without it. It changes nothing for SQLite.
func WithConnections(n int) Option {
	return func(s *Store) { s.atMost = n }
}

// Open opens the store at dsn and brings its schema up to date; two processes
// may open one database at the same moment. dsn is
//
//	sqlite:///absolute/path/accounts.db   (made, readable by its owner only, when absent)
//	postgres://user:password@host:5432/database?sslmode=verify-full
//
// pepper, of 32 bytes or more (see LoadPepper), keys the digests of API keys.
// A store opens only with the pepper it was first opened with: with another,
// every key would look unknown. No error of Open carries the DSN, which may
// hold a password.
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

// connect is Open without a look at what the store holds.
func connect(dsn string, pepper []byte, opts ...Option) (*Store, error) {
	if len(pepper) < minPepper {
		return nil, fmt.Errorf("the pepper has %d bytes, it needs at least %d", len(pepper), minPepper)
	}
	calendar, err := newCalendar()
	if err != nil {
		return nil, err
	}
	pepper = slices.Clone(pepper)
	s := &Store{
		calendar: calendar,
		digest: func(presented string) string {
			mac := hmac.New(sha256.New, pepper)
			mac.Write([]byte(presented))
			return hex.EncodeToString(mac.Sum(nil))
		},
		secret: func(purpose string) []byte {
			mac := hmac.New(sha256.New, pepper)
			mac.Write([]byte("secret for " + purpose)) // no well-formed key or token looks like this
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
	if err != nil { // err would repeat the DSN
		return nil, errors.New("the DSN is not a URL; write sqlite:///path/accounts.db or postgres://user:password@host/database")
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

// prepare migrates the schema and checks that the pepper is the store's own.
func (s *Store) prepare(ctx context.Context) error {
	if err := s.migrate(ctx); err != nil {
		return err
	}
	mine := s.fingerprint()
	if _, err := s.command.ExecContext(ctx, keepFingerprintSQL, mine); err != nil {
		return fmt.Errorf("record the pepper's fingerprint: %w", err)
	}
	var kept string
	if err := s.read.QueryRowContext(ctx, fingerprintSQL).Scan(&kept); err != nil {
		return fmt.Errorf("read the pepper's fingerprint: %w", err)
	}
	if !hmac.Equal([]byte(mine), []byte(kept)) {
		return errors.New("the pepper is not the one this store was made with, so no key in it could be recognised; restore the pepper file that belongs to it; if it was being replaced, run that command again")
	}
	return nil
}

// fingerprint tells the pepper from others. No well-formed key looks like this text, so
// that the fingerprint is no key's digest.
func (s *Store) fingerprint() string { return s.digest("fingerprint of the pepper") }

// Close lets go of the database. Whatever is called after it returns an error.
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

// begin bounds one operation in time and refuses it when the database that was
// opened is no longer there.
func (s *Store) begin(ctx context.Context) (context.Context, context.CancelFunc, error) {
	if err := s.reachable(); err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	return ctx, cancel, nil
}

// Transact runs do in one durable transaction: all of it or nothing. Where the
// database gives the transaction up in favour of another, do is run again: what
// it leaves outside of tx must be that of its last run.
func (s *Store) Transact(ctx context.Context, do func(*sql.Tx) error) error {
	ctx, cancel, err := s.begin(ctx)
	if err != nil {
		return err
	}
	defer cancel()
	return s.transact(ctx, do)
}

// Secret derives a key of 32 bytes from the pepper, one for each purpose.
func (s *Store) Secret(purpose string) []byte { return s.secret(purpose) }

// transactAttempts is how often a transaction is run that lost to others.
const transactAttempts = 5

// transact is Transact for an operation that has begun.
func (s *Store) transact(ctx context.Context, do func(*sql.Tx) error) (err error) {
	for range transactAttempts {
		if err = s.transactOnce(ctx, do); !s.lost(err) && !errors.Is(err, errBoundMeanwhile) {
			return err
		}
	}
	return fmt.Errorf("after %d attempts: %w", transactAttempts, err)
}

func (s *Store) transactOnce(ctx context.Context, do func(*sql.Tx) error) error {
	tx, err := s.command.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("begin a transaction: %w", err)
	}
	if err := do(tx); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	return nil
}
