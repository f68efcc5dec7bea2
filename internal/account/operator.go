package account

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"cuota/internal/sqlrows"
)

// OwnedKey is a key as the operator of the service sees it: with its owner, and with the
// requests counted on one day.
type OwnedKey struct {
	Key
	Email     string
	RevokedAt *time.Time // nil if the key is active
	// requests counted on the requested Santiago day, including those that servers have leased ahead
	Used int64
}

// Limit returns the number of requests that the key may make in a Santiago day, or nil if there
// is no limit.
func (k OwnedKey) Limit() *int64 { return k.enforcedQuota() }

// OwnedKeys lists the active keys, ordered by the addresses of their owners, with the requests
// used on the Santiago day of at. If revoked is true, it lists revoked keys too.
func (s *Store) OwnedKeys(ctx context.Context, at time.Time, revoked bool) ([]OwnedKey, error) {
	return within(ctx, s, "list the keys", func(ctx context.Context) ([]OwnedKey, error) {
		return sqlrows.All(ctx, s.read, statement("owned_keys"), func(row *sql.Rows) (k OwnedKey, err error) {
			var ended sql.NullInt64
			err = k.scan(row, &k.Email, &ended, &k.Used)
			if ended.Valid {
				k.RevokedAt = new(time.UnixMilli(ended.Int64).UTC())
			}
			return k, err
		}, dayOf(at), revoked)
	})
}

// ErrNoSuchKey says that a text identifies no active key.
var ErrNoSuchKey = errors.New("no active key has this id, address or last four characters")

// AmbiguousKeyError says that a text identifies several active keys.
type AmbiguousKeyError struct{ Keys []OwnedKey }

// Error lists at most ten of the keys, with the fields that tell them apart.
func (e *AmbiguousKeyError) Error() string {
	const listed = 10
	var b strings.Builder
	fmt.Fprintf(&b, "%d active keys match; give the id of one:", len(e.Keys))
	for i, k := range e.Keys {
		if i == listed {
			fmt.Fprintf(&b, " … and %d more", len(e.Keys)-listed)
			break
		}
		fmt.Fprintf(&b, " %s (…%s, %s, %s)", k.ID, k.Last4, k.Tier, k.Email)
	}
	return b.String()
}

// RevokeKey revokes the one active key that a text identifies: by its id, by the address of its
// owner, or by its last four characters. If the text identifies none or several, no key is
// revoked and the error is ErrNoSuchKey or an *AmbiguousKeyError. Servers refuse the key within
// about a second.
func (s *Store) RevokeKey(ctx context.Context, meant string) (OwnedKey, error) {
	now := s.now().UTC().Truncate(time.Millisecond)
	key, err := s.activeKey(ctx, meant, now)
	if err != nil {
		return OwnedKey{}, err
	}
	var revoked int64
	err = s.changeKeys(ctx, func(ctx context.Context, tx *sql.Tx) error {
		result, err := tx.ExecContext(ctx, statement("revoke_key"), now.UnixMilli(), key.ID)
		if err != nil {
			return err
		}
		revoked, err = result.RowsAffected()
		return err
	})
	switch {
	case err != nil:
		return OwnedKey{}, fmt.Errorf("revoke a key: %w", err)
	case revoked == 0: // another process revoked it meanwhile
		return OwnedKey{}, ErrNoSuchKey
	}
	key.RevokedAt = &now
	return key, nil
}

// activeKey finds the one active key that a text identifies, as RevokeKey says.
func (s *Store) activeKey(ctx context.Context, meant string, now time.Time) (OwnedKey, error) {
	active, err := s.OwnedKeys(ctx, now, false)
	if err != nil {
		return OwnedKey{}, err
	}
	address, _ := normalizeEmail(meant) // "" if meant is not an address
	var found []OwnedKey
	for _, k := range active {
		if meant == k.ID || meant == k.Last4 || address != "" && address == k.Email {
			found = append(found, k)
		}
	}
	switch len(found) {
	case 0:
		return OwnedKey{}, ErrNoSuchKey
	case 1:
		return found[0], nil
	}
	return OwnedKey{}, &AmbiguousKeyError{Keys: found}
}
