package account

import (
	"context"
	"database/sql"
	"time"
)

// CreateOwnLink makes a link as CreateAddressLink does, on a key of the person with this account id. It fails with
// ErrNoSuchKey if the key is another's, was revoked, or has an end.
func (s *Store) CreateOwnLink(ctx context.Context, person, key, address string, life time.Duration) (token string,
	link AddressLink, err error) {
	return s.createAddressLink(ctx, OwnedKey{Key: Key{ID: key}, account: person}, address, life)
}

// OwnLinks lists the links on the keys of a person that answer, oldest first.
func (s *Store) OwnLinks(ctx context.Context, person string) ([]AddressLink, error) {
	return s.addressLinks(ctx, sql.NullString{String: person, Valid: true})
}

// RevokeOwnLink revokes a link on a key of a person at once. A link that is another's, unknown or revoked fails with
// ErrNoAddressLink.
func (s *Store) RevokeOwnLink(ctx context.Context, person, id string) error {
	return s.revokeAddressLink(ctx, id, sql.NullString{String: person, Valid: true})
}
