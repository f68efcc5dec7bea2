package account

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"cuota/internal/mail"
)

// Purpose is what a link is used for. A link is valid for its own purpose only.
type Purpose string

// The purposes of links.
const (
	Register Purpose = "register" // confirms an address and issues its free key
	SignIn   Purpose = "sign_in"  // signs in with a magic link by mail

	// handOver completes a sign-in with Google for a front end on another origin. Its code is
	// not mailed.
	handOver Purpose = "hand_over"
)

// How long a link is valid (RULES 14 for sign-in).
const (
	RegisterWithin = time.Hour
	SignInWithin   = 15 * time.Minute
	handOverWithin = 2 * time.Minute
)

// How many links of one purpose may be requested in a clock hour, by address and by network.
// The counts are in the database, so all processes share them. Each purpose has its own count:
// registration requests for an address do not use up its sign-in links.
const (
	limitSpan       = time.Hour
	linksPerEmail   = 5  // further links are not mailed, and the caller is not told
	linksPerNetwork = 40 // further requests are refused
)

// ErrInvalidLink says that a link gives no access. The error is the same for unknown, used and
// expired links, and for links of another browser.
var ErrInvalidLink = errors.New("the link is unknown, was used, or has expired")

// ErrTooManyLinks says that one network requested too many links of one purpose in this hour.
var ErrTooManyLinks = errors.New("too many links were requested from this network")

// Outbox stores a mail in the same transaction as the change that causes it, so that either
// both happen or neither. *mail.Outbox implements it.
type Outbox interface {
	Enqueue(ctx context.Context, tx *sql.Tx, m mail.Message) error
}

// LinkRequest asks for a link by mail.
type LinkRequest struct {
	Purpose   Purpose // Register or SignIn
	Email     string  // as typed; ErrInvalidEmail if it is not accepted
	Network   string  // network of the caller, for the limit of each network
	ReturnURL string  // where to go after signing in; the caller has checked it
}

// Link is what the store knows of a valid link.
type Link struct {
	Email     string // normalised
	ReturnURL string
}

// MailLink makes a link and mails it to the address. write returns the message for a token;
// MailLink sets its id, recipient and expiry.
//
// MailLink does not read whether the address has an account, so neither its result nor its
// duration reveals this. If the address got too many links of this purpose in this hour, no
// mail is sent, but no error is returned: an error would reveal the requests of other people.
// MailLink returns ErrInvalidEmail for a bad address and ErrTooManyLinks if the network
// requested too many links.
func (s *Store) MailLink(ctx context.Context, r LinkRequest, outbox Outbox,
	write func(token string) mail.Message) error {
	within := SignInWithin
	if r.Purpose == Register {
		within = RegisterWithin
	}
	address, err := normalizeEmail(r.Email)
	if err != nil {
		return fmt.Errorf("mail a link: %w", err)
	}
	now := s.now()
	token := newToken()
	m := write(token)
	m.ID, m.To, m.Expires = "link-"+newID(), address, now.Add(within)
	err = s.Transact(ctx, func(ctx context.Context, tx *sql.Tx) error {
		if err := sweep(ctx, tx, now); err != nil {
			return err
		}
		// Every process counts the address first and then the network. This fixed order of row
		// locks prevents deadlocks.
		mine, err := s.CountInHour(ctx, tx, string(r.Purpose)+" links for e-mail "+address, linksPerEmail, now)
		if err != nil {
			return err
		}
		allowed, err := s.CountInHour(ctx, tx, string(r.Purpose)+" links for network "+r.Network, linksPerNetwork, now)
		switch {
		case err != nil:
			return err
		case !allowed:
			return ErrTooManyLinks
		case !mine:
			return nil
		}
		if _, err := tx.ExecContext(ctx, statement("insert_link"), s.digest(token), string(r.Purpose), address,
			r.ReturnURL,
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

// CountInHour counts one link, sign-in or test of a webhook for a subject in the clock hour of now. It returns
// false, and counts nothing, if the limit is reached. Only an HMAC of the subject is stored.
func (s *Store) CountInHour(ctx context.Context, tx *sql.Tx, subject string, limit int64, now time.Time) (bool, error) {
	var requests int64
	ends := now.Truncate(limitSpan).Add(limitSpan).UnixMilli()
	err := tx.QueryRowContext(ctx, statement("count_link_request"), s.digest(subject), ends, limit).Scan(&requests)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("count a request towards the hourly limit: %w", err)
	}
	return true, nil
}

// HourLimitEnds returns the time from which a caller that got ErrTooManyLinks or
// ErrTooManySignIns at an instant may try again.
func HourLimitEnds(at time.Time) time.Time { return at.Truncate(limitSpan).Add(limitSpan) }

// sweep deletes expired links, link counts and OAuth states.
func sweep(ctx context.Context, tx *sql.Tx, now time.Time) error {
	const what = "delete expired rows"
	args := []any{now.UnixMilli()}
	return steps{{what, statement("sweep_links"), args}, {what, statement("sweep_link_requests"), args},
		{what, statement("sweep_oauth_states"), args}}.run(ctx, tx)
}

// PeekLink reads what a mailed link is for, and does not use it up, because mail scanners open
// links too. It returns ErrInvalidLink if the link is not valid.
func (s *Store) PeekLink(ctx context.Context, purpose Purpose, token string) (Link, error) {
	if !isToken(token) {
		return Link{}, ErrInvalidLink
	}
	ctx, cancel, err := s.begin(ctx)
	if err != nil {
		return Link{}, fmt.Errorf("read a link: %w", err)
	}
	defer cancel()
	var l Link
	err = s.read.QueryRowContext(ctx, statement("peek_link"), s.digest(token), string(purpose),
		s.now().UnixMilli()).Scan(&l.Email, &l.ReturnURL)
	return l, rowError(err, ErrInvalidLink, "read a link")
}

// useLink uses a link up in the transaction tx. browser is the secret of the caller's browser,
// or "" for links that any browser may use. It returns ErrInvalidLink if the link is not valid.
func (s *Store) useLink(ctx context.Context, tx *sql.Tx, purpose Purpose, token, browser string) (Link, error) {
	if browser != "" {
		browser = s.digest(browser)
	}
	var l Link
	err := tx.QueryRowContext(ctx, statement("use_link"), s.digest(token), string(purpose), s.now().UnixMilli(),
		browser).Scan(&l.Email, &l.ReturnURL)
	return l, rowError(err, ErrInvalidLink, "use a link")
}

// ConfirmRegistration uses a Register link up and issues the free key of its address. An
// earlier free key is revoked in the same transaction. plaintext is the key: show it once and
// never log it. ConfirmRegistration returns ErrInvalidLink if the link is not valid.
func (s *Store) ConfirmRegistration(ctx context.Context, token string) (plaintext string, k Key, err error) {
	if !isToken(token) {
		return "", Key{}, ErrInvalidLink
	}
	plaintext, k = s.newKey(Free)
	err = s.changeKeys(ctx, func(ctx context.Context, tx *sql.Tx) error {
		l, err := s.useLink(ctx, tx, Register, token, "")
		if err != nil {
			return err
		}
		return s.putKey(ctx, tx, l.Email, plaintext, &k)
	})
	if err != nil {
		return "", Key{}, fmt.Errorf("confirm a registration: %w", err)
	}
	return plaintext, k, nil
}
