package account

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"cuota/internal/durable"
)

// ReplacePepper returns the store at dsn a new pepper and writes it to the file at path instead
// of the old one, which may be lost. Everything that depends on the old pepper becomes invalid
// and is ended in the same transaction: every active key is revoked, everybody is signed out,
// links in mails stop working, unsent mails are given up, and the bindings to Google identities
// are deleted (the next sign-in binds them again), as are webhooks, whose secrets can't be decrypted any more.
// Accounts, watchlists and preferences stay.
// It returns the number of revoked keys.
//
// No other process may have the store open. If ReplacePepper is interrupted, run it again: the
// new pepper is kept beside path, in a file whose name ends in .next, until the store uses it.
func ReplacePepper(ctx context.Context, dsn, path string, opts ...Option) (revoked int64, err error) {
	next := path + ".next"
	pepper, err := LoadPepper(next)
	if err != nil {
		return 0, err
	}
	s, err := connect(dsn, pepper, opts...)
	if err != nil {
		return 0, fmt.Errorf("replace the pepper: %w", err)
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if err := s.migrate(ctx); err != nil {
		return 0, fmt.Errorf("replace the pepper: %w", err)
	}
	now := s.now().UnixMilli()
	err = s.Transact(ctx, func(ctx context.Context, tx *sql.Tx) error {
		result, err := tx.ExecContext(ctx, statement("revoke_every_key"), now)
		if err != nil {
			return fmt.Errorf("revoke the keys: %w", err)
		}
		if revoked, err = result.RowsAffected(); err != nil {
			return fmt.Errorf("revoke the keys: %w", err)
		}
		return steps{
			{"give up the mails of the old pepper", statement("give_up_mails"), []any{now}},
			{"end the sessions", statement("empty_sessions"), nil},
			{"erase the links", statement("empty_links"), nil},
			{"erase the links to addresses", statement("empty_address_links"), nil},
			{"erase the webhooks", statement("empty_webhooks"), nil},
			{"erase the counts of links", statement("empty_link_requests"), nil},
			{"erase the sign-ins in progress", statement("empty_oauth_states"), nil},
			{"erase the identities", statement("empty_identities"), nil},
			{"record the fingerprint of the new pepper", statement("replace_fingerprint"), []any{s.fingerprint()}},
		}.run(ctx, tx)
	})
	if err != nil {
		return 0, fmt.Errorf("replace the pepper: %w", err)
	}
	if err := errors.Join(os.Rename(next, path), durable.SyncFolder(filepath.Dir(path))); err != nil {
		return 0, fmt.Errorf("replace the pepper: the account store has the new one, but the file %s still has the "+
			"old one; run the command again: %w", path, err)
	}
	return revoked, nil
}
