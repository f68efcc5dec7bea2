package account

import (
	"context"
	"crypto/hmac"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"cuota/internal/sqlrows"
)

// Bounds of links to addresses.
const (
	maxAddressLinks  = 100  // of one key, that answer
	maxLinkedAddress = 2000 // bytes
	// MaxLinkLife is how long a link may answer.
	MaxLinkLife = 3 * 366 * 24 * time.Hour
)

// ErrNoAddressLink says that a link answers nothing. The error is the same for unknown, expired and revoked links, and
// for those of revoked keys.
var ErrNoAddressLink = errors.New("the link is unknown, has expired or was revoked")

// ErrLinksFull says that a key has the greatest number of links already.
var ErrLinksFull = fmt.Errorf("the key has %d links already: revoke one first", maxAddressLinks)

// What is wrong with an address that can't be linked.
var (
	ErrNotOfAPI = fmt.Errorf("the address must be a path of the API with its parameters, as in "+
		"/api/screener?sort=tac&format=csv, of at most %d bytes", maxLinkedAddress)
	ErrMalformedAddress = errors.New("the parameters of the address are not well-formed")
	ErrKeyInAddress     = errors.New("the address has an API key: leave it out, the link is counted on the key without it")
)

// AddressLink is a link to one address of the API with its parameters, for programs that can't send a header. Its
// requests are counted on a key, and it ends with that key; a rotation moves it to the new key. The token of the link
// is not in it.
type AddressLink struct {
	ID        string // stable and public; for listing and revoking
	Address   string // path and query string
	CreatedAt time.Time
	ExpiresAt time.Time
	UsedOn    string // latest Santiago day on which it was followed, YYYY-MM-DD; "" if it never was
	KeyID     string
	KeyLast4  string
	Email     string // of the owner of the key
}

// CreateAddressLink makes a link to an address for the one key without an end that a text identifies, as for
// RevokeKey. token is the secret of the link: show it once, and never log it. The link answers for life, at most
// MaxLinkLife. Links that have ended are deleted.
func (s *Store) CreateAddressLink(ctx context.Context, meant, address string, life time.Duration) (token string,
	link AddressLink, err error) {
	key, err := s.currentKey(ctx, meant, s.now())
	if err != nil {
		return "", link, err
	}
	return s.createAddressLink(ctx, key, address, life)
}

// createAddressLink makes a link for a key, unless the key was revoked or replaced meanwhile.
func (s *Store) createAddressLink(ctx context.Context, key OwnedKey, address string, life time.Duration) (token string,
	link AddressLink, err error) {
	if life <= 0 || life > MaxLinkLife {
		return "", link, fmt.Errorf("make a link: it must answer for more than no time, and at most %d days",
			int(MaxLinkLife.Hours()/24))
	}
	if err := checkLinked(address); err != nil {
		return "", link, fmt.Errorf("make a link: %w", err)
	}
	now := s.now().UTC().Truncate(time.Millisecond)
	token = newToken()
	link = AddressLink{ID: newID(), Address: address, CreatedAt: now,
		ExpiresAt: now.Add(life).Truncate(time.Millisecond), KeyID: key.ID, KeyLast4: key.Last4, Email: key.Email}
	// Under the lock of the account, neither do two additions both take the last place, nor does a rotation leave a new
	// link behind.
	err = s.UnderLock(ctx, key.account, func(ctx context.Context, tx *sql.Tx) error {
		if _, err := s.lockedKey(ctx, tx, key.ID, key.account); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, statement("sweep_address_links"), now.UnixMilli()); err != nil {
			return err
		}
		done, err := tx.ExecContext(ctx, statement("insert_address_link"), link.ID, s.digest(token), link.KeyID, address,
			now.UnixMilli(), link.ExpiresAt.UnixMilli(), maxAddressLinks)
		if err != nil {
			return err
		}
		if made, err := done.RowsAffected(); err != nil || made == 0 {
			return errors.Join(err, ErrLinksFull)
		}
		return nil
	})
	if err != nil {
		return "", AddressLink{}, fmt.Errorf("make a link: %w", noSuchKey(err))
	}
	return token, link, nil
}

// checkLinked refuses what is no address of data: a link must not lead out of the API, and an address with a key would
// store the key.
func checkLinked(address string) error {
	if !utf8.ValidString(address) || strings.ContainsFunc(address, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return ErrMalformedAddress
	}
	u, err := url.ParseRequestURI(address)
	if err != nil || len(address) > maxLinkedAddress || u.Scheme != "" || u.Host != "" || u.User != nil ||
		strings.Contains(address, "#") || !strings.HasPrefix(u.Path, "/api/") {
		return ErrNotOfAPI
	}
	given, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return ErrMalformedAddress
	}
	parts := strings.Split(u.Path, "/")
	for name, texts := range given {
		parts = append(append(parts, name), texts...)
	}
	if slices.ContainsFunc(parts, WellFormed) {
		return ErrKeyInAddress
	}
	return nil
}

// FollowLink finds the key and the address of a link by its token. It fails with ErrNoAddressLink if the link does not
// answer. After any other error the caller answers 503.
func (s *Store) FollowLink(ctx context.Context, token string) (k Key, address string, err error) {
	if !isToken(token) {
		return Key{}, "", ErrNoAddressLink
	}
	ctx, cancel, err := s.begin(ctx)
	if err != nil {
		return Key{}, "", fmt.Errorf("follow a link: %w", err)
	}
	defer cancel()
	digest, stored, now := s.digest(token), "", s.now()
	var usedOn sql.NullString
	err = k.scan(s.read.QueryRowContext(ctx, statement("follow_address_link"), digest, now.UnixMilli()), &stored,
		&address, &usedOn)
	if err = rowError(err, ErrNoAddressLink, "follow a link"); err != nil {
		return Key{}, "", err
	}
	if !hmac.Equal([]byte(stored), []byte(digest)) { // see Authenticate
		return Key{}, "", ErrNoAddressLink
	}
	if today := dayOf(now); usedOn.String < today {
		if _, err := s.count.ExecContext(ctx, statement("use_address_link"), today, digest); err != nil {
			return Key{}, "", fmt.Errorf("note that a link was followed: %w", err)
		}
	}
	return k, address, nil
}

// AddressLinks lists the links that answer, ordered by the addresses of the owners of their keys.
func (s *Store) AddressLinks(ctx context.Context) ([]AddressLink, error) {
	return s.addressLinks(ctx, sql.NullString{})
}

// addressLinks lists the links of an account that answer, or all of them.
func (s *Store) addressLinks(ctx context.Context, account sql.NullString) ([]AddressLink, error) {
	return within(ctx, s, "list the links", func(ctx context.Context) ([]AddressLink, error) {
		return sqlrows.All(ctx, s.read, statement("address_links"), func(row *sql.Rows) (l AddressLink, err error) {
			var created, expires int64
			var usedOn sql.NullString
			err = row.Scan(&l.ID, &l.Address, &created, &expires, &usedOn, &l.KeyID, &l.KeyLast4, &l.Email)
			l.CreatedAt, l.ExpiresAt = time.UnixMilli(created).UTC(), time.UnixMilli(expires).UTC()
			l.UsedOn = usedOn.String
			return l, err
		}, s.now().UnixMilli(), account)
	})
}

// RevokeAddressLink revokes a link at once. It fails with ErrNoAddressLink if no link that was not revoked has this id.
func (s *Store) RevokeAddressLink(ctx context.Context, id string) error {
	return s.revokeAddressLink(ctx, id, sql.NullString{})
}

// revokeAddressLink revokes a link of an account, or of any.
func (s *Store) revokeAddressLink(ctx context.Context, id string, account sql.NullString) error {
	err := s.Transact(ctx, func(ctx context.Context, tx *sql.Tx) error {
		done, err := tx.ExecContext(ctx, statement("revoke_address_link"), s.now().UnixMilli(), id, account)
		if err != nil {
			return err
		}
		if revoked, err := done.RowsAffected(); err != nil || revoked == 0 {
			return errors.Join(err, ErrNoAddressLink)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("revoke a link: %w", err)
	}
	return nil
}
