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
)

// KeyPrefix begins every key, before an underscore, so that scanners for
// leaked secrets find keys, and a Bearer token that is no key is seen at once.
const KeyPrefix = "cuota"

// A key is cuota_ + secret + checksum, 55 characters of [0-9A-Za-z_]:
// 256 random bits in base 62, then the CRC-32 (IEEE) of all that precedes it
// in base 62, both padded with zeros to a fixed length.
const (
	keySecretLen   = 43
	keyChecksumLen = 6
	keyLen         = len(KeyPrefix) + 1 + keySecretLen + keyChecksumLen
)

// ErrInvalidKey says that a presented key lets nobody in. Malformed, unknown
// and revoked keys give this same error. Any other error of Authenticate means
// that the store could not be asked, and must never be read as a no or a yes.
var ErrInvalidKey = errors.New("the API key is missing, invalid or revoked")

// Key is what the store knows of an active API key. It holds neither the key
// nor its digest, nor whose it is, and may be logged.
type Key struct {
	ID            string // stable and public; for logs and for Spend
	Last4         string // the key's last four characters, for its owner to tell keys apart
	Name          string // "" when none was given
	Tier          Tier
	OwnQuota      *int64 // requests a day in place of the tier's; nil when the tier's applies
	QuotaEnforced bool   // false: requests are counted and never refused
	CreatedAt     time.Time
	CountedAs     string // ID of the key whose count it goes on with, having replaced it; "": its own
}

// counter is the id under which the key's requests are counted.
func (k Key) counter() string {
	if k.CountedAs != "" {
		return k.CountedAs
	}
	return k.ID
}

// DailyQuota is the quota in requests a Santiago day, the key's own or its
// tier's, and nil when there is none. It applies only when QuotaEnforced.
func (k Key) DailyQuota() *int64 {
	if k.OwnQuota != nil {
		return k.OwnQuota
	}
	return k.Tier.dailyQuota()
}

// Authenticate finds the active key that was presented. It returns
// ErrInvalidKey when there is none; on any other error the caller answers 503.
func (s *Store) Authenticate(ctx context.Context, presented string) (Key, error) {
	if !WellFormed(presented) {
		return Key{}, ErrInvalidKey
	}
	ctx, cancel, err := s.begin(ctx)
	if err != nil {
		return Key{}, fmt.Errorf("check an API key: %w", err)
	}
	defer cancel()

	var (
		k             Key
		stored        string
		name          sql.NullString
		countedAs     sql.NullString
		createdMillis int64
		digest        = s.digest(presented)
	)
	err = s.read.QueryRowContext(ctx, authenticateSQL, digest).Scan(
		&stored, &k.ID, &k.Last4, &name, &k.Tier, &k.OwnQuota, &k.QuotaEnforced, &createdMillis, &countedAs)
	if errors.Is(err, sql.ErrNoRows) {
		return Key{}, ErrInvalidKey
	}
	if err != nil {
		return Key{}, fmt.Errorf("check an API key: %w", err)
	}
	// The index compared digests, in a time that depends on them but tells
	// nothing about keys without the pepper. This comparison decides.
	if !hmac.Equal([]byte(stored), []byte(digest)) {
		return Key{}, ErrInvalidKey
	}
	k.Name, k.CountedAs = name.String, countedAs.String
	k.CreatedAt = time.UnixMilli(createdMillis).UTC()
	return k, nil
}

// WellFormed reports whether presented has the form and the checksum of a key.
// It costs nothing and asks nobody: mistyped keys, and whatever else arrives
// in the header, need not reach the store.
func WellFormed(presented string) bool {
	if len(presented) != keyLen || !strings.HasPrefix(presented, KeyPrefix+"_") {
		return false
	}
	for _, c := range []byte(presented[len(KeyPrefix)+1:]) {
		if !isAlphanumeric(c) {
			return false
		}
	}
	body := presented[:keyLen-keyChecksumLen]
	return presented[len(body):] == checksum(body)
}

// newPlaintext makes a key. crypto/rand never fails: it ends the program when
// the system has no randomness.
func newPlaintext() string {
	var secret [32]byte
	_, _ = rand.Read(secret[:])
	body := KeyPrefix + "_" + base62(new(big.Int).SetBytes(secret[:]), keySecretLen)
	return body + checksum(body)
}

func checksum(body string) string {
	return base62(new(big.Int).SetUint64(uint64(crc32.ChecksumIEEE([]byte(body)))), keyChecksumLen)
}

// base62 writes n in the digits 0-9a-zA-Z, padded with zeros to width.
func base62(n *big.Int, width int) string {
	digits := n.Text(62)
	return strings.Repeat("0", max(0, width-len(digits))) + digits
}

func isAlphanumeric(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}
