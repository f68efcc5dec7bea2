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

	"cuota/internal/sqlrows"

	"github.com/google/uuid"
)

// maxNameLen is the greatest length of a key's name, in bytes.
const maxNameLen = 200

// KeyOption changes a new key from the defaults of its tier.
type KeyOption func(*Key)

// Named names the key for its owner: at most 200 bytes of UTF-8 without
// control characters.
func Named(name string) KeyOption {
	return func(k *Key) { k.Name = name }
}

// OwnQuota sets a quota of the key's own, in requests a day. It must be at least 1.
func OwnQuota(perDay int64) KeyOption {
	return func(k *Key) { k.OwnQuota = &perDay }
}

// ForScopes limits what the key may be used for. Keys of the tier free have no such limit.
func ForScopes(scopes Scopes) KeyOption {
	return func(k *Key) { k.Scopes = scopes }
}

// CreateKey issues a key of the tier for an e-mail address. The caller must have verified the
// address. plaintext is the key itself. Show it once to its owner, and never log it: it can't
// be read again later.
//
// An e-mail address has at most one active key of the tier free, and of every other tier one for each name. The earlier
// key is revoked in the same transaction, and its links to addresses end. RotateKey replaces a key without ending it at
// once. Keys of other tiers stay active, so that a public registration can't revoke a key that was issued by agreement.
// The new key shares the daily count of the key that it replaces. So replacing a key does not
// give more requests for the day, even if servers hold leases of the revoked key.
//
// CreateKey returns ErrInvalidEmail if the trimmed, lower-case address is not accepted.
func (s *Store) CreateKey(ctx context.Context, email string, tier Tier,
	opts ...KeyOption) (plaintext string, k Key, err error) {
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
	err = s.changeKeys(ctx, func(ctx context.Context, tx *sql.Tx) error {
		return s.putKey(ctx, tx, address, plaintext, &k)
	})
	if err != nil {
		return "", Key{}, fmt.Errorf("create a key: %w", err)
	}
	return plaintext, k, nil
}

// newKey makes a key of the tier. It does not store the key.
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

// putKey stores a key for the account of a normalised address, and revokes the account's
// earlier key that it replaces, as CreateKey says. The new key shares the count of that one.
func (s *Store) putKey(ctx context.Context, tx *sql.Tx, address, plaintext string, k *Key) error {
	now := k.CreatedAt.UnixMilli()
	account, err := accountOf(ctx, tx, address, now)
	if err != nil {
		return err
	}
	var countedAs sql.NullString
	err = tx.QueryRowContext(ctx, statement("revoke_active"), now, account, string(k.Tier), k.Name).Scan(&countedAs)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return fmt.Errorf("revoke the earlier key: %w", err)
	}
	k.CountedAs = countedAs.String
	return s.insertKey(ctx, tx, account, plaintext, *k)
}

func (s *Store) insertKey(ctx context.Context, tx *sql.Tx, account, plaintext string, k Key) error {
	if _, err := tx.ExecContext(ctx, statement("insert_key"), k.ID, account, s.digest(plaintext), k.Last4,
		sqlrows.OrNull(k.Name), string(k.Tier), k.OwnQuota, k.QuotaEnforced, k.CreatedAt.UnixMilli(),
		sqlrows.OrNull(k.CountedAs),
		sqlrows.OrNull(string(k.Scopes))); err != nil {
		return fmt.Errorf("store the key: %w", err)
	}
	return nil
}

// accountOf finds or creates the account of a normalised address, and locks it.
func accountOf(ctx context.Context, tx *sql.Tx, address string, now int64) (id string, err error) {
	if err := tx.QueryRowContext(ctx, statement("account_for_email"), newID(), address, now).Scan(&id); err != nil {
		return "", fmt.Errorf("find or create the account: %w", err)
	}
	return id, nil
}

// validate checks the values that the caller of CreateKey chose.
func (k Key) validate() error {
	if !k.Tier.valid() {
		return fmt.Errorf("tier %q is unknown: use free, institutional or internal", k.Tier)
	}
	if k.OwnQuota != nil && *k.OwnQuota < 1 {
		return fmt.Errorf("a quota of %d requests a day is too small: give at least 1", *k.OwnQuota)
	}
	if k.Tier == Free && k.Scopes != "" {
		return errors.New("keys of the tier free have no scopes: choose another tier")
	}
	if len(k.Name) > maxNameLen || !utf8.ValidString(k.Name) || strings.ContainsFunc(k.Name, unicode.IsControl) {
		return errors.New("the name of a key must be at most 200 bytes of UTF-8 without control characters")
	}
	return nil
}

// newID makes the id of a row. Ids grow with time, which keeps indexes compact. Must never
// panics here: NewV7 can fail only if crypto/rand fails, and it never does.
func newID() string {
	return uuid.Must(uuid.NewV7()).String()
}
