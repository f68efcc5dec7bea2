package account

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"cuota/internal/sqlrows"
)

// MaxOverlap is how long a key may answer at most after it was replaced.
const MaxOverlap = 90 * 24 * time.Hour

// RotateKey makes a key in the place of the one key of an operator that a text identifies, as for RevokeKey. The new
// key has the same owner, name, tier, quota and scopes. The old one answers until the overlap has passed; without an
// overlap it is revoked at once. Requests of both count together, so that a rotation gives no more requests. Links to
// addresses follow to the new key. Keys that earlier rotations have replaced end no later than the old one.
//
// plaintext is the new key itself: show it once to its owner, and never log it. old has the end of the old key, as
// ExpiresAt or RevokedAt.
func (s *Store) RotateKey(ctx context.Context, meant string, overlap time.Duration) (
	plaintext string, k Key, old OwnedKey, err error) {
	if overlap < 0 || overlap > MaxOverlap {
		return "", k, old, fmt.Errorf("replace a key: the overlap must be from 0 to %d days", int(MaxOverlap.Hours()/24))
	}
	now := s.now().UTC().Truncate(time.Millisecond)
	if old, err = s.currentKey(ctx, meant, now); err != nil {
		return "", k, OwnedKey{}, err
	}
	if old.Tier == Free {
		return "", k, OwnedKey{}, errors.New("replace a key: a free key has no overlap: its owner registers again, or " +
			"cuota key create makes another one, which revokes it")
	}
	plaintext, k = s.newKey(old.Tier)
	k.Name, k.OwnQuota, k.QuotaEnforced, k.Scopes = old.Name, old.OwnQuota, old.QuotaEnforced, old.Scopes
	ends, revoked := now.Add(overlap).Truncate(time.Millisecond), sql.NullInt64{}
	if overlap == 0 {
		revoked = sql.NullInt64{Int64: now.UnixMilli(), Valid: true}
	}
	err = s.changeKeys(ctx, func(ctx context.Context, tx *sql.Tx) error {
		if _, err := lockAccount(ctx, tx, old.account); err != nil {
			return err
		}
		if k.CountedAs, err = s.lockedKey(ctx, tx, old.ID, old.account); err != nil {
			return err
		}
		done, err := tx.ExecContext(ctx, statement("retire_keys"), ends.UnixMilli(), old.ID, revoked)
		if err != nil {
			return fmt.Errorf("end the old key: %w", err)
		}
		if retired, err := done.RowsAffected(); err != nil || retired == 0 { // it was revoked meanwhile
			return errors.Join(err, ErrNoSuchKey)
		}
		if err := s.insertKey(ctx, tx, old.account, plaintext, k); err != nil {
			return err
		}
		return steps{{"move the links", statement("move_address_links"), []any{k.ID, old.ID}}}.run(ctx, tx)
	})
	if err != nil {
		return "", Key{}, OwnedKey{}, fmt.Errorf("replace a key: %w", noSuchKey(err))
	}
	old.ExpiresAt, old.RevokedAt = &ends, sqlrows.Instant(revoked)
	return plaintext, k, old, nil
}

// lockedKey returns the id under which a key of a locked account is counted. It fails with ErrNoSuchKey if the key is
// not active, has an end, or is of another account.
func (s *Store) lockedKey(ctx context.Context, tx *sql.Tx, key, account string) (counter string, err error) {
	err = tx.QueryRowContext(ctx, statement("current_key"), key, account).Scan(&counter)
	return counter, rowError(err, ErrNoSuchKey, "find the key")
}

// noSuchKey turns the error for an account that was removed into that for a key.
func noSuchKey(err error) error {
	if errors.Is(err, ErrNoSession) {
		return ErrNoSuchKey
	}
	return err
}
