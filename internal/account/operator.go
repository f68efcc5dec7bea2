package account

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"cuota/internal/sqlrows"
)

// OwnedKey is a key as the operator of the service sees it: with its owner, and with the
// requests counted on one day.
type OwnedKey struct {
	Key
	Email     string
	RevokedAt *time.Time // nil if the key was not revoked
	// requests counted on the requested Santiago day, including those that servers have leased ahead
	Used int64

	account string // id of the owner's account
}

// Limit returns the number of requests that the key may make in a Santiago day, or nil if there
// is no limit.
func (k OwnedKey) Limit() *int64 { return k.enforcedQuota() }

// OwnedKeys lists the keys that answer at an instant, ordered by the addresses of their owners, with the requests
// used on its Santiago day. If ended is true, it lists revoked and expired keys too.
func (s *Store) OwnedKeys(ctx context.Context, at time.Time, ended bool) ([]OwnedKey, error) {
	return within(ctx, s, "list the keys", func(ctx context.Context) ([]OwnedKey, error) {
		return sqlrows.All(ctx, s.read, statement("owned_keys"), func(row *sql.Rows) (k OwnedKey, err error) {
			var revoked sql.NullInt64
			err = k.scan(row, &k.account, &k.Email, &revoked, &k.Used)
			k.RevokedAt = sqlrows.Instant(revoked)
			return k, err
		}, dayOf(at), ended, at.UnixMilli())
	})
}

// ErrNoSuchKey says that a text identifies no active key.
var ErrNoSuchKey = errors.New("no active key has this id, name, address or last four characters")

// ErrKeyEnds says that a text identifies only keys that a rotation has replaced.
var ErrKeyEnds = errors.New("the key was replaced and answers only until its end: name the key that replaced it")

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
		fmt.Fprintf(&b, " %s (…%s, %s, %s", k.ID, k.Last4, k.Tier, k.Email)
		if k.Name != "" {
			fmt.Fprintf(&b, ", %q", k.Name)
		}
		if k.ExpiresAt != nil {
			fmt.Fprintf(&b, ", until %s", k.ExpiresAt.Format(time.RFC3339))
		}
		b.WriteByte(')')
	}
	return b.String()
}

// RevokeKey revokes the one active key that a text identifies: by its id, by its name, by the address of its
// owner, or by its last four characters. If the text identifies none or several, no key is
// revoked and the error is ErrNoSuchKey or an *AmbiguousKeyError. Servers refuse the key within
// about a second.
func (s *Store) RevokeKey(ctx context.Context, meant string) (OwnedKey, error) {
	now := s.now().UTC().Truncate(time.Millisecond)
	active, err := s.activeKeys(ctx, meant, now)
	if err != nil {
		return OwnedKey{}, err
	}
	key, err := theOnly(active)
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

// activeKeys finds the active keys that a text identifies, as RevokeKey says.
func (s *Store) activeKeys(ctx context.Context, meant string, now time.Time) ([]OwnedKey, error) {
	active, err := s.OwnedKeys(ctx, now, false)
	if err != nil {
		return nil, err
	}
	address, _ := normalizeEmail(meant) // "" if meant is not an address
	return slices.DeleteFunc(active, func(k OwnedKey) bool {
		return meant != k.ID && meant != k.Last4 && (meant == "" || meant != k.Name) &&
			(address == "" || address != k.Email)
	}), nil
}

// currentKey finds the one key that a text identifies among those without an end.
func (s *Store) currentKey(ctx context.Context, meant string, now time.Time) (OwnedKey, error) {
	active, err := s.activeKeys(ctx, meant, now)
	if err != nil {
		return OwnedKey{}, err
	}
	retiring := len(active)
	active = slices.DeleteFunc(active, func(k OwnedKey) bool { return k.ExpiresAt != nil })
	if len(active) == 0 && retiring > 0 {
		return OwnedKey{}, ErrKeyEnds
	}
	return theOnly(active)
}

func theOnly(found []OwnedKey) (OwnedKey, error) {
	switch len(found) {
	case 0:
		return OwnedKey{}, ErrNoSuchKey
	case 1:
		return found[0], nil
	}
	return OwnedKey{}, &AmbiguousKeyError{Keys: found}
}
