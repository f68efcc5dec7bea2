package account

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// Identity is a person at an identity provider.
type Identity struct {
	Issuer  string // address of the provider
	Subject string // the person's id there, which the provider gives to nobody else
	Email   string // an address that the provider has verified
}

// ErrOtherIdentity says that the account of this address is bound to another person at the same
// provider. The owner of the address can still sign in with a link by mail.
var ErrOtherIdentity = errors.New("the account of this address is linked to another identity of the provider")

// errBoundMeanwhile says that at the same time another transaction bound the identity to
// another account, or deleted it. The transaction must run again, and then sees the new state.
var errBoundMeanwhile = errors.New("the identity was linked or unlinked at the same time")

// identify finds the account of an identity in the transaction tx, and locks it. It returns the
// id and the address of the account. The provider may know another address today: an identity
// stays with its account when its address changes at the provider.
//
// The first sign-in binds the identity to the account of its address. The account is created if
// it does not exist. From then on, the account accepts no other identity of the provider. So if
// the address is later given to another person, that person does not get the account. identify
// returns ErrInvalidEmail, ErrOtherIdentity or errBoundMeanwhile.
func (s *Store) identify(ctx context.Context, tx *sql.Tx, identity Identity,
	now int64) (account, address string, err error) {
	if identity.Issuer == "" || identity.Subject == "" {
		return "", "", errors.New("an identity needs an issuer and a subject")
	}
	if address, err = normalizeEmail(identity.Email); err != nil {
		return "", "", err
	}
	digest := s.digest("identity " + identity.Issuer + " " + identity.Subject)
	var bound string
	err = tx.QueryRowContext(ctx, statement("identity"), digest).Scan(&account, &bound)
	if err == nil {
		// The transaction that held the lock of the account may have deleted the identity.
		var current string
		err := tx.QueryRowContext(ctx, statement("identity_of_account"), account, identity.Issuer).Scan(&current)
		switch {
		case errors.Is(err, sql.ErrNoRows) || err == nil && current != digest:
			return "", "", errBoundMeanwhile
		case err != nil:
			return "", "", fmt.Errorf("find the identity of an account: %w", err)
		}
		return account, bound, nil
	}
	if !errors.Is(err, sql.ErrNoRows) {
		return "", "", fmt.Errorf("find the account of an identity: %w", err)
	}
	if account, err = accountOf(ctx, tx, address, now); err != nil {
		return "", "", err
	}
	err = tx.QueryRowContext(ctx, statement("bind_identity"), digest, identity.Issuer, account, now).Scan(new(string))
	if err == nil {
		return account, address, nil
	}
	if !errors.Is(err, sql.ErrNoRows) {
		return "", "", fmt.Errorf("link an identity to an account: %w", err)
	}
	var other string
	err = tx.QueryRowContext(ctx, statement("identity_of_account"), account, identity.Issuer).Scan(&other)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return "", "", errBoundMeanwhile
	case err != nil:
		return "", "", fmt.Errorf("find the identity of an account: %w", err)
	case other != digest:
		return "", "", ErrOtherIdentity
	}
	return account, address, nil // bound by another sign-in of the same person at this moment
}
