package account

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"cuota/internal/mail"
	"cuota/internal/sqlrows"
)

// Keys lists the keys that answer of the person with this account id, oldest first.
func (s *Store) Keys(ctx context.Context, person string) ([]Key, error) {
	return within(ctx, s, "list the keys of an account", func(ctx context.Context) ([]Key, error) {
		return sqlrows.All(ctx, s.read, statement("active_keys"), func(row *sql.Rows) (k Key, err error) {
			err = k.scan(row)
			return k, err
		}, person, s.now().UnixMilli())
	})
}

// SetPreferences changes which mails a person gets. A nil argument leaves that preference as it
// is. Unsent mails of a list that the person leaves are withdrawn. It returns the new
// preferences, or ErrNoSession if the person was removed.
func (s *Store) SetPreferences(ctx context.Context, person string,
	alerts, monthlySummary *bool) (p Preferences, err error) {
	err = s.Transact(ctx, func(ctx context.Context, tx *sql.Tx) error {
		var address string
		err := tx.QueryRowContext(ctx, statement("set_preferences"), person, alerts, monthlySummary).Scan(&address,
			&p.Alerts, &p.MonthlySummary)
		if err != nil {
			return err
		}
		if !p.Alerts {
			if _, err := tx.ExecContext(ctx, statement("restart_screens"), person); err != nil {
				return fmt.Errorf("restart the saved screens: %w", err)
			}
		}
		recipient := mail.Recipient(s.Secret(mail.SecretPurpose), address)
		for list, wanted := range map[MailingList]bool{Alerts: p.Alerts, MonthlySummary: p.MonthlySummary} {
			if wanted {
				continue
			}
			if _, err := tx.ExecContext(ctx, statement("withdraw_mails"), s.now().UnixMilli(), recipient,
				string(list)); err != nil {
				return fmt.Errorf("withdraw the mails of %s: %w", list, err)
			}
		}
		return nil
	})
	if err = rowError(err, ErrNoSession, "set the mail preferences of an account"); err != nil {
		return Preferences{}, err
	}
	return p, nil
}

// ErrNotScrubbed says that a person was removed, but that the deleted bytes could not be erased
// from the database files yet. The next removal or the next start erases them.
var ErrNotScrubbed = errors.New(
	"the account is removed, but its erased data may stay in the database files until the next start")

// lockAccount locks the row of a person and returns the address. It returns ErrNoSession if the
// person was removed.
func lockAccount(ctx context.Context, tx *sql.Tx, person string) (address string, err error) {
	err = tx.QueryRowContext(ctx, statement("lock_account"), person).Scan(&address)
	return address, rowError(err, ErrNoSession, "find the account")
}

// UnderLock runs do in a transaction that has locked the row of a person, so that two changes at once do not both take
// the last place of a list. It returns ErrNoSession if the person was removed.
func (s *Store) UnderLock(ctx context.Context, person string, do func(context.Context, *sql.Tx) error) error {
	return s.Transact(ctx, func(ctx context.Context, tx *sql.Tx) error {
		if _, err := lockAccount(ctx, tx, person); err != nil {
			return err
		}
		return do(ctx, tx)
	})
}

// steps are statements of one transaction, each with what it does.
type steps []struct {
	what, statement string
	args            []any
}

func (s steps) run(ctx context.Context, tx *sql.Tx) error {
	for _, step := range s {
		if _, err := tx.ExecContext(ctx, step.statement, step.args...); err != nil {
			return fmt.Errorf("%s: %w", step.what, err)
		}
	}
	return nil
}

// Forget removes a person in one transaction. It erases the address, sessions, identities,
// links, watchlist, saved screens, webhooks, preferences and mails, and revokes every key. An anonymous account
// row stays, because the counts of past requests refer to it. It is no error if the person was
// already removed.
//
// On SQLite, once Forget returns without an error, no database file contains the erased bytes.
// ErrNotScrubbed says that the person is removed, but that a file may still contain them.
func (s *Store) Forget(ctx context.Context, person string) error {
	now := s.now().UnixMilli()
	err := s.Transact(ctx, func(ctx context.Context, tx *sql.Tx) error {
		address, err := lockAccount(ctx, tx, person)
		if err != nil {
			return err
		}
		return steps{
			{"revoke the keys", statement("forget_keys"), []any{now, person}},
			{"end the sessions", statement("delete_sessions"), []any{person}},
			{"erase the identities", statement("forget_identities"), []any{person}},
			{"erase the watchlist", statement("forget_watchlist"), []any{person}},
			{"erase the saved screens", statement("forget_screens"), []any{person}},
			{"erase the webhooks", statement("forget_webhooks"), []any{person}},
			{"erase the links", statement("forget_links"), []any{address}},
			{"erase the links to addresses", statement("forget_address_links"), []any{person}},
			{"erase the mails", statement("forget_mails"),
				[]any{mail.Recipient(s.Secret(mail.SecretPurpose), address)}},
			{"erase the address", statement("forget_account"), []any{person + "@forgotten.invalid", now, person}},
		}.run(ctx, tx)
	})
	s.revocations.Add(1)
	if err != nil && !errors.Is(err, ErrNoSession) {
		return fmt.Errorf("remove an account: %w", err)
	}
	// The rows are deleted. Their bytes must go too, even if the caller has disconnected.
	scrubbing, cancel, err := s.begin(context.WithoutCancel(ctx))
	if err != nil {
		return fmt.Errorf("remove an account: %w: %w", ErrNotScrubbed, err)
	}
	defer cancel()
	if err := s.scrub(scrubbing); err != nil {
		return fmt.Errorf("remove an account: %w: %w", ErrNotScrubbed, err)
	}
	return nil
}
