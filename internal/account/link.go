package account

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"cuota/internal/mail"
)

// Purpose is what a link is for. One made for one purpose is unknown to others.
type Purpose string

// The purposes of links.
const (
	Register Purpose = "register" // confirms an address, and gives its free key
	SignIn   Purpose = "sign_in"  // the magic link

	// handOver completes a sign-in with Google at a front end of another
	// origin. It is not mailed.
	handOver Purpose = "hand_over"
)

// How long a link can be used (RULES 14 for sign-in).
const (
	RegisterWithin = time.Hour
	SignInWithin   = 15 * time.Minute
	handOverWithin = 2 * time.Minute
)

// How many links of one purpose may be asked for in a clock hour. Both are counted
// in the database, so that all processes share them. Each purpose has a count of its
// own: whoever asks for registrations of an address uses up none of its sign-ins.
const (
	limitSpan       = time.Hour
	linksPerEmail   = 5  // more are not mailed, and nobody is told
	linksPerNetwork = 40 // more are refused
)

// ErrInvalidLink says that a link lets nobody do anything. Unknown, used and
// expired links, and those of another browser, give this same error.
var ErrInvalidLink = errors.New("the link is unknown, was used, or has expired")

// ErrTooManyLinks says that too many links of one purpose were asked for from one
// network in this hour.
var ErrTooManyLinks = errors.New("too many links were asked for from this network")

// Outbox takes a mail in the transaction of the change that causes it, so that
// either both happen or neither; *mail.Outbox is one.
type Outbox interface {
	Enqueue(ctx context.Context, tx *sql.Tx, m mail.Message) error
}

// LinkRequest is somebody's wish to be mailed a link.
type LinkRequest struct {
	Purpose   Purpose // Register or SignIn
	Email     string  // as typed; one that can't be used gives ErrInvalidEmail
	Network   string  // of the caller, for its limit
	ReturnURL string  // where to go after signing in; the caller has checked it
}

// Link is what a link was made for.
type Link struct {
	Email     string // normalised
	ReturnURL string
}

// MailLink makes a link and mails it to the address. write gives the message
// that carries the token, without its id and recipient, which are set here.
//
// Whether the address has an account is not looked at, so neither the answer
// nor its time can tell. An address that was mailed too many links of this purpose
// in this hour gets no more of them; that is no error, because it would tell the caller what
// somebody else did.
func (s *Store) MailLink(ctx context.Context, r LinkRequest, outbox Outbox, write func(token string) mail.Message) error {
	within := SignInWithin
	if r.Purpose == Register {
		within = RegisterWithin
	}
	address, err := normalizeEmail(r.Email)
	if err != nil {
		return fmt.Errorf("mail a link: %w", err)
	}
	ctx, cancel, err := s.begin(ctx)
	if err != nil {
		return fmt.Errorf("mail a link: %w", err)
	}
	defer cancel()

	now := s.now()
	token := newToken()
	m := write(token)
	m.ID, m.To, m.Expires = "link-"+newID(), address, now.Add(within)
	err = s.transact(ctx, func(tx *sql.Tx) error {
		if err := sweep(ctx, tx, now); err != nil {
			return err
		}
		// The address first, in every process: who waits for the other's row
		// never holds one that the other needs.
		mine, err := s.countInHour(ctx, tx, string(r.Purpose)+" links for e-mail "+address, linksPerEmail, now)
		if err != nil {
			return err
		}
		allowed, err := s.countInHour(ctx, tx, string(r.Purpose)+" links for network "+r.Network, linksPerNetwork, now)
		switch {
		case err != nil:
			return err
		case !allowed:
			return ErrTooManyLinks
		case !mine:
			return nil
		}
		if _, err := tx.ExecContext(ctx, insertLinkSQL, s.digest(token), string(r.Purpose), address, r.ReturnURL,
			nil, now.Add(within).UnixMilli()); err != nil {
			return fmt.Errorf("store the link: %w", err)
		}
		return outbox.Enqueue(ctx, tx, m)
	})
	if err != nil {
		return fmt.Errorf("mail a link: %w", err)
	}
	return nil
}

// countInHour counts one link or sign-in for a subject, and tells whether it may
// have it.
func (s *Store) countInHour(ctx context.Context, tx *sql.Tx, subject string, limit int64, now time.Time) (bool, error) {
	var requests int64
	ends := now.Truncate(limitSpan).Add(limitSpan).UnixMilli()
	err := tx.QueryRowContext(ctx, countLinkRequestSQL, s.digest(subject), ends, limit).Scan(&requests)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("count towards the limit of an hour: %w", err)
	}
	return true, nil
}

// HourLimitEnds is when those who got ErrTooManyLinks or ErrTooManySignIns at an
// instant may ask again.
func HourLimitEnds(at time.Time) time.Time { return at.Truncate(limitSpan).Add(limitSpan) }

// sweep deletes what has expired.
func sweep(ctx context.Context, tx *sql.Tx, now time.Time) error {
	for _, statement := range []string{sweepLinksSQL, sweepLinkRequestsSQL, sweepOAuthStatesSQL} {
		if _, err := tx.ExecContext(ctx, statement, now.UnixMilli()); err != nil {
			return fmt.Errorf("delete what has expired: %w", err)
		}
	}
	return nil
}

// PeekLink tells what a mailed link is for, and does not use it: scanners of
// mail open links too. It gives ErrInvalidLink when the link can't be used.
func (s *Store) PeekLink(ctx context.Context, purpose Purpose, token string) (Link, error) {
	if !isToken(token) {
		return Link{}, ErrInvalidLink
	}
	ctx, cancel, err := s.begin(ctx)
	if err != nil {
		return Link{}, fmt.Errorf("look at a link: %w", err)
	}
	defer cancel()
	var l Link
	err = s.read.QueryRowContext(ctx, peekLinkSQL, s.digest(token), string(purpose), s.now().UnixMilli()).Scan(&l.Email, &l.ReturnURL)
	if errors.Is(err, sql.ErrNoRows) {
		return Link{}, ErrInvalidLink
	}
	if err != nil {
		return Link{}, fmt.Errorf("look at a link: %w", err)
	}
	return l, nil
}

// useLink uses a link up as part of tx. browser is the secret of the caller's
// browser, "" for links that any may use.
func (s *Store) useLink(ctx context.Context, tx *sql.Tx, purpose Purpose, token, browser string) (Link, error) {
	if browser != "" {
		browser = s.digest(browser)
	}
	var l Link
	err := tx.QueryRowContext(ctx, useLinkSQL, s.digest(token), string(purpose), s.now().UnixMilli(), browser).Scan(&l.Email, &l.ReturnURL)
	if errors.Is(err, sql.ErrNoRows) {
		return Link{}, ErrInvalidLink
	}
	if err != nil {
		return Link{}, fmt.Errorf("use a link: %w", err)
	}
	return l, nil
}

// ConfirmRegistration uses a Register link up and issues the free key of its
// address, revoking an earlier one, in one transaction. plaintext is the key:
// show it once, never log it.
func (s *Store) ConfirmRegistration(ctx context.Context, token string) (plaintext string, k Key, err error) {
	if !isToken(token) {
		return "", Key{}, ErrInvalidLink
	}
	ctx, cancel, err := s.begin(ctx)
	if err != nil {
		return "", Key{}, fmt.Errorf("confirm a registration: %w", err)
	}
	defer cancel()
	plaintext, k = s.newKey(Free)
	err = s.transact(ctx, func(tx *sql.Tx) error {
		l, err := s.useLink(ctx, tx, Register, token, "")
		if err != nil {
			return err
		}
		return s.putKey(ctx, tx, l.Email, plaintext, &k)
	})
	s.revocations.Add(1)
	if err != nil {
		return "", Key{}, fmt.Errorf("confirm a registration: %w", err)
	}
	return plaintext, k, nil
}
