package account

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"cuota/internal/sqlrows"
)

// How long a session lasts (RULES 14).
const (
	sessionIdle  = 7 * 24 * time.Hour  // without a request
	sessionWhole = 30 * 24 * time.Hour // at most, counted from the sign-in

	// seeEvery is the precision of the time at which a session was last used. It avoids a write
	// for every request.
	seeEvery = time.Minute
)

// SessionWhole is how long a browser should keep the cookie of a session.
const SessionWhole = sessionWhole

// ErrNoSession says that nobody is signed in: the session is unknown, expired or ended.
var ErrNoSession = errors.New("not signed in")

// Person is a person who is signed in.
type Person struct {
	ID        string
	Email     string // normalised
	CreatedAt time.Time
	Preferences
}

// Preferences are the mails that a person wants. At first both are false.
type Preferences struct {
	Alerts         bool // changes of watched series
	MonthlySummary bool
}

// SignIn uses a SignIn link up and begins a session of its person. It creates an account if
// there is none, because opening the link proved the address. former is the browser's earlier
// session, or ""; that session ends. token is the secret of the new session: give it to the
// browser only. SignIn returns ErrInvalidLink if the link is not valid.
func (s *Store) SignIn(ctx context.Context, link, former string) (token string, l Link, err error) {
	return s.signInWith(ctx, SignIn, link, "", former)
}

// FinishHandOver is SignIn with a code of HandOver. It works only in the browser for which the
// code was made.
func (s *Store) FinishHandOver(ctx context.Context, code, browser, former string) (token string, l Link, err error) {
	if !isToken(browser) {
		return "", Link{}, ErrInvalidLink
	}
	return s.signInWith(ctx, handOver, code, browser, former)
}

func (s *Store) signInWith(ctx context.Context, purpose Purpose,
	link, browser, former string) (token string, l Link, err error) {
	if !isToken(link) {
		return "", Link{}, ErrInvalidLink
	}
	err = s.Transact(ctx, func(ctx context.Context, tx *sql.Tx) error {
		if l, err = s.useLink(ctx, tx, purpose, link, browser); err != nil {
			return err
		}
		account, err := accountOf(ctx, tx, l.Email, s.now().UnixMilli())
		if err != nil {
			return err
		}
		token, err = s.beginSession(ctx, tx, account, former)
		return err
	})
	if err != nil {
		return "", Link{}, fmt.Errorf("sign in: %w", err)
	}
	return token, l, nil
}

// SignInIdentity begins a session of a person whom an identity provider has just authenticated.
// It returns ErrInvalidEmail for an address that is not accepted, and ErrOtherIdentity if the
// account of the address is bound to another person at the provider.
func (s *Store) SignInIdentity(ctx context.Context, identity Identity, former string) (token string, err error) {
	err = s.Transact(ctx, func(ctx context.Context, tx *sql.Tx) error {
		account, _, err := s.identify(ctx, tx, identity, s.now().UnixMilli())
		if err != nil {
			return err
		}
		token, err = s.beginSession(ctx, tx, account, former)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("sign in: %w", err)
	}
	return token, nil
}

// beginSession begins a session of a locked account. It always makes a new token: an attacker
// may have set the browser's earlier token, so that one never becomes a signed-in session. The
// caller must have locked the account. Removing an account locks it first too, so these
// transactions do not deadlock on the rows of sessions.
func (s *Store) beginSession(ctx context.Context, tx *sql.Tx, account, former string) (token string, err error) {
	now := s.now()
	if _, err := tx.ExecContext(ctx, statement("sweep_sessions"), now.Add(-sessionIdle).UnixMilli(),
		now.Add(-sessionWhole).UnixMilli()); err != nil {
		return "", fmt.Errorf("delete expired rows: %w", err)
	}
	if isToken(former) {
		if _, err := tx.ExecContext(ctx, statement("delete_session"), s.digest(former)); err != nil {
			return "", fmt.Errorf("end the earlier session: %w", err)
		}
	}
	token = newToken()
	if _, err := tx.ExecContext(ctx, statement("insert_session"), s.digest(token), account,
		now.UnixMilli()); err != nil {
		return "", fmt.Errorf("store the session: %w", err)
	}
	return token, nil
}

// Session finds the person who is signed in with a session token. It returns ErrNoSession if
// there is none. After any other error the caller answers 503.
func (s *Store) Session(ctx context.Context, token string) (Person, error) {
	if !isToken(token) {
		return Person{}, ErrNoSession
	}
	ctx, cancel, err := s.begin(ctx)
	if err != nil {
		return Person{}, fmt.Errorf("find a session: %w", err)
	}
	defer cancel()
	var (
		p             Person
		created, seen int64
		now           = s.now()
		digest        = s.digest(token)
	)
	err = s.read.QueryRowContext(ctx, statement("session"), digest, now.Add(-sessionIdle).UnixMilli(),
		now.Add(-sessionWhole).UnixMilli()).
		Scan(&p.ID, &p.Email, &created, &p.Alerts, &p.MonthlySummary, &seen)
	if err = rowError(err, ErrNoSession, "find a session"); err != nil {
		return Person{}, err
	}
	if now.Sub(time.UnixMilli(seen)) >= seeEvery {
		if _, err := s.count.ExecContext(ctx, statement("see_session"), now.UnixMilli(), digest); err != nil {
			return Person{}, fmt.Errorf("record that a session was used: %w", err)
		}
	}
	p.CreatedAt = time.UnixMilli(created).UTC()
	return p, nil
}

// SignOut ends a session. An unknown or ended session is no error.
func (s *Store) SignOut(ctx context.Context, token string) error {
	if !isToken(token) {
		return nil
	}
	if err := sqlrows.Exec(ctx, s, statement("delete_session"), s.digest(token)); err != nil {
		return fmt.Errorf("sign out: %w", err)
	}
	return nil
}

// SignOutEverywhere ends every session of a person in all browsers. It also deletes everything
// that could begin a session without a new proof of the address: links in the mailbox,
// hand-over codes that are not used yet, and the identities bound to the account. The next
// sign-in at a provider that confirms the address binds the identity again. A sign-in whose
// browser is still at the provider is not ended: the provider authenticates that person anew.
// API keys stay valid. It does nothing if the person was removed.
func (s *Store) SignOutEverywhere(ctx context.Context, person string) error {
	err := s.Transact(ctx, func(ctx context.Context, tx *sql.Tx) error {
		address, err := lockAccount(ctx, tx, person)
		if err != nil {
			return err
		}
		return steps{
			{"erase the links", statement("delete_sign_in_links"), []any{address}},
			{"erase the identities", statement("forget_identities"), []any{person}},
			{"end the sessions", statement("delete_sessions"), []any{person}},
		}.run(ctx, tx)
	})
	if err != nil && !errors.Is(err, ErrNoSession) {
		return fmt.Errorf("sign out everywhere: %w", err)
	}
	return nil
}
