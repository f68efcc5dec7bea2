package account

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"hash/crc32"
	"math/big"
	"strings"
	"time"

	"cuota/internal/sqlrows"
)

// KeyPrefix is the start of every key, before an underscore. It lets scanners for leaked
// secrets find keys, and it lets the server refuse other Bearer tokens at once.
const KeyPrefix = "cuota"

// A key is cuota_ + secret + checksum: 55 characters of [0-9A-Za-z_]. The secret is 256 random
// bits in base 62. The checksum is the CRC-32 (IEEE) of everything before it, in base 62. Both
// are padded with zeros to a fixed length.
const (
	keySecretLen   = 43
	keyChecksumLen = 6
	keyLen         = len(KeyPrefix) + 1 + keySecretLen + keyChecksumLen
)

// ErrInvalidKey says that a presented key gives no access. The error is the same for malformed,
// unknown, revoked and expired keys. Any other error of Authenticate means that the store could not be
// read. The key is then neither valid nor invalid.
var ErrInvalidKey = errors.New("the API key is missing, invalid, expired or revoked")

// Key is what the store knows of an active API key. It contains neither the key itself, nor its
// digest, nor its owner, so it may be logged.
type Key struct {
	ID            string // stable and public; for logs and as the key's argument of Spend
	Last4         string // the last four characters of the key, so that its owner can tell keys apart
	Name          string // "" if the key has no name
	Tier          Tier
	OwnQuota      *int64 // requests a day instead of the tier's quota; nil if the tier's quota applies
	QuotaEnforced bool   // if false, requests are counted but never refused
	CreatedAt     time.Time
	CountedAs     string     // ID of the replaced key whose count this key shares; "" if it has its own count
	Scopes        Scopes     // what the key may be used for
	ExpiresAt     *time.Time // when the key stops answering, because another has taken its place; nil if no end is set
	UsedOn        string     // latest Santiago day on which a request was counted, YYYY-MM-DD; "" if none is known
}

// Counter returns the id under which the key's requests are counted. Keys that replaced each other have the same.
func (k Key) Counter() string {
	if k.CountedAs != "" {
		return k.CountedAs
	}
	return k.ID
}

// DailyQuota returns the key's own quota or that of its tier, in requests per Santiago day. It
// returns nil if there is no quota. The quota applies only if QuotaEnforced is true.
func (k Key) DailyQuota() *int64 {
	if k.OwnQuota != nil {
		return k.OwnQuota
	}
	return k.Tier.dailyQuota()
}

// Authenticate finds the active key that was presented. It returns ErrInvalidKey if there is
// none. After any other error the caller answers 503.
func (s *Store) Authenticate(ctx context.Context, presented string) (Key, error) {
	if !WellFormed(presented) {
		return Key{}, ErrInvalidKey
	}
	ctx, cancel, err := s.begin(ctx)
	if err != nil {
		return Key{}, fmt.Errorf("check an API key: %w", err)
	}
	defer cancel()

	var k Key
	var stored string
	digest := s.digest(presented)
	err = k.scan(s.read.QueryRowContext(ctx, statement("authenticate"), digest, s.now().UnixMilli()), &stored)
	if err = rowError(err, ErrInvalidKey, "check an API key"); err != nil {
		return Key{}, err
	}
	// The index compared digests. The time of that comparison reveals nothing about keys to
	// anybody without the pepper. The decision is made by this comparison, whose time is
	// constant.
	if !hmac.Equal([]byte(stored), []byte(digest)) {
		return Key{}, ErrInvalidKey
	}
	return k, nil
}

// scan reads a row whose first columns are those of a key. Further columns go into rest.
func (k *Key) scan(row interface{ Scan(...any) error }, rest ...any) error {
	var name, countedAs, scopes, usedOn sql.NullString
	var created int64
	var expires sql.NullInt64
	err := row.Scan(append([]any{&k.ID, &k.Last4, &name, &k.Tier, &k.OwnQuota, &k.QuotaEnforced, &created, &countedAs,
		&scopes, &expires, &usedOn}, rest...)...)
	k.Name, k.CountedAs, k.CreatedAt = name.String, countedAs.String, time.UnixMilli(created).UTC()
	k.Scopes, k.ExpiresAt, k.UsedOn = Scopes(scopes.String), sqlrows.Instant(expires), usedOn.String
	return err
}

// endedBy reports whether the key has stopped answering at an instant.
func (k Key) endedBy(at time.Time) bool { return k.ExpiresAt != nil && !at.Before(*k.ExpiresAt) }

// WellFormed reports whether presented has the form and the checksum of a key. It reads no
// store. So mistyped keys and other header values are refused without a query.
func WellFormed(presented string) bool {
	if len(presented) != keyLen || !strings.HasPrefix(presented, KeyPrefix+"_") {
		return false
	}
	if strings.ContainsFunc(presented[len(KeyPrefix)+1:], func(r rune) bool { return !isAlphanumeric(r) }) {
		return false
	}
	body := presented[:keyLen-keyChecksumLen]
	return presented[len(body):] == checksum(body)
}

// newPlaintext makes a random key. crypto/rand never fails: if the system has no randomness, it
// ends the program.
func newPlaintext() string {
	var secret [32]byte
	_, _ = rand.Read(secret[:])
	body := KeyPrefix + "_" + base62(new(big.Int).SetBytes(secret[:]), keySecretLen)
	return body + checksum(body)
}

func checksum(body string) string {
	return base62(new(big.Int).SetUint64(uint64(crc32.ChecksumIEEE([]byte(body)))), keyChecksumLen)
}

// base62 writes n in base 62 (0-9a-zA-Z), padded with zeros to width.
func base62(n *big.Int, width int) string {
	digits := n.Text(62)
	return strings.Repeat("0", max(0, width-len(digits))) + digits
}

func isAlphanumeric(c rune) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}
