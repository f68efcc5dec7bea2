package account

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"
)

// maxNameLen is the greatest length of a key's name, in bytes.
const maxNameLen = 200

// KeyOption changes a key from what its tier gives.
type KeyOption func(*Key)

// Named gives the key a name for its owner: at most 200 bytes of UTF-8 without
// control characters.
func Named(name string) KeyOption {
	return func(k *Key) { k.Name = name }
}

// OwnQuota gives the key a quota of its own in requests a day, at least 1.
func OwnQuota(perDay int64) KeyOption {
	return func(k *Key) { k.OwnQuota = &perDay }
}

// Unenforced makes a key whose requests are counted and never refused.
func Unenforced() KeyOption {
	return func(k *Key) { k.QuotaEnforced = false }
}

// CreateKey issues a key of the tier for an e-mail address, which the caller
// has verified. plaintext is the key itself: show it once to its owner, never
// log it; it can't be had again.
//
// An e-mail has at most one active key of each tier. An earlier one of the
// same tier is revoked in the same transaction, which is the only way to
// replace a key; keys of other tiers are left alone, so registering as anyone
// may can't revoke what was issued by agreement. The new key goes on with the
// count of the earlier one, which counts for both: neither replacing a key nor
// what is leased of one that was revoked changes what the day has left.
//
// The address is trimmed and lower-cased; one that can't be used gives
// ErrInvalidEmail.
func (s *Store) CreateKey(ctx context.Context, email string, tier Tier, opts ...KeyOption) (plaintext string, k Key, err error) {
	address, err := normalizeEmail(email)
	if err != nil {
		return "", Key{}, fmt.Errorf("create a key: %w", err)
	}
	plaintext, k = s.newKey(tier)
	for _, opt := range opts {
		opt(&k)
	}
	if err := k.validate(); err != nil {
		return "", Key{}, fmt.Errorf("create a key: %w", err)
	}
	ctx, cancel, err := s.begin(ctx)
	if err != nil {
		return "", Key{}, fmt.Errorf("create a key: %w", err)
	}
	defer cancel()

	err = s.transact(ctx, func(tx *sql.Tx) error { return s.putKey(ctx, tx, address, plaintext, &k) })
	s.revocations.Add(1) // committed or not, nothing remembered of keys is sure now
	if err != nil {
		return "", Key{}, fmt.Errorf("create a key: %w", err)
	}
	return plaintext, k, nil
}

// newKey makes a key of the tier, which nobody knows yet.
func (s *Store) newKey(tier Tier) (plaintext string, k Key) {
	plaintext = newPlaintext()
	return plaintext, Key{
		ID:            newID(),
		Last4:         plaintext[len(plaintext)-4:],
		Tier:          tier,
		QuotaEnforced: true,
		CreatedAt:     s.now().UTC().Truncate(time.Millisecond),
	}
}

// putKey stores a key of the account of a normalised address, and revokes the
// earlier one of its tier, whose count it goes on with.
func (s *Store) putKey(ctx context.Context, tx *sql.Tx, address, plaintext string, k *Key) error {
	now := k.CreatedAt.UnixMilli()
	account, err := accountOf(ctx, tx, address, now)
	if err != nil {
		return err
	}
	var countedAs sql.NullString
	err = tx.QueryRowContext(ctx, revokeActiveSQL, now, account, string(k.Tier)).Scan(&countedAs)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return fmt.Errorf("revoke the earlier key: %w", err)
	}
	k.CountedAs = countedAs.String
	name := sql.NullString{String: k.Name, Valid: k.Name != ""}
	if _, err := tx.ExecContext(ctx, insertKeySQL, k.ID, account, s.digest(plaintext), k.Last4,
		name, string(k.Tier), k.OwnQuota, k.QuotaEnforced, now, countedAs); err != nil {
		return fmt.Errorf("store the key: %w", err)
	}
	return nil
}

// accountOf finds or makes the account of a normalised address, and locks it.
func accountOf(ctx context.Context, tx *sql.Tx, address string, now int64) (id string, err error) {
	if err := tx.QueryRowContext(ctx, accountForEmailSQL, newID(), address, now).Scan(&id); err != nil {
		return "", fmt.Errorf("find or make the account: %w", err)
	}
	return id, nil
}

// validate checks what the caller of CreateKey chose.
func (k Key) validate() error {
	if !k.Tier.valid() {
		return fmt.Errorf("tier %q is none of free, institutional, internal", k.Tier)
	}
	if k.OwnQuota != nil && *k.OwnQuota < 1 {
		return fmt.Errorf("a quota of %d requests a day: a key's own quota is at least 1", *k.OwnQuota)
	}
	if len(k.Name) > maxNameLen || !utf8.ValidString(k.Name) || strings.ContainsFunc(k.Name, unicode.IsControl) {
		return errors.New("a key's name is at most 200 bytes of UTF-8 without control characters")
	}
	return nil
}

// newID makes a row's id. Ids grow with time, which keeps indexes compact.
// Must never fires: it needs only crypto/rand, which does not fail.
func newID() string {
	return uuid.Must(uuid.NewV7()).String()
}
