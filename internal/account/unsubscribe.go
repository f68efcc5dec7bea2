package account

import (
	"context"
	"crypto/hmac"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"
)

// MailingList is a kind of mail that a person can stop.
type MailingList string

// The mailing lists.
const (
	Alerts         MailingList = "alerts"
	MonthlySummary MailingList = "monthly_summary"
)

// ErrInvalidToken says that a text is not an unsubscribe token of this store.
var ErrInvalidToken = errors.New("not an unsubscribe token")

// UnsubscribeToken returns a token with which anybody can take a person off a mailing list, at
// any time and without signing in. It allows nothing else. It consists of the list, the
// person's id and an HMAC of both, so nothing is stored for it.
func (s *Store) UnsubscribeToken(person string, list MailingList) string {
	claim := string(list) + "." + person
	return claim + "." + s.digest("unsubscribe "+claim)
}

// ReadUnsubscribeToken returns the list of a token, or ErrInvalidToken.
func (s *Store) ReadUnsubscribeToken(token string) (MailingList, error) {
	_, list, err := s.unsubscribeClaim(token)
	return list, err
}

func (s *Store) unsubscribeClaim(token string) (person string, list MailingList, err error) {
	at := strings.LastIndexByte(token, '.')
	if at < 0 || !hmac.Equal([]byte(token[at+1:]), []byte(s.digest("unsubscribe "+token[:at]))) {
		return "", "", ErrInvalidToken
	}
	name, person, _ := strings.Cut(token[:at], ".")
	list = MailingList(name)
	if list != Alerts && list != MonthlySummary || uuid.Validate(person) != nil {
		return "", "", ErrInvalidToken
	}
	return person, list, nil
}

// Unsubscribe takes the person of a token off the token's list, and returns the list. It is no
// error if the person has left the list. gone reports that the account no longer exists, so that there was nothing to
// do. It returns ErrInvalidToken for a token that is not valid.
func (s *Store) Unsubscribe(ctx context.Context, token string) (list MailingList, gone bool, err error) {
	person, list, err := s.unsubscribeClaim(token)
	if err != nil {
		return "", false, err
	}
	var alerts, monthly *bool
	if list == Alerts {
		alerts = new(bool)
	} else {
		monthly = new(bool)
	}
	if _, err = s.SetPreferences(ctx, person, alerts, monthly); err != nil && !errors.Is(err, ErrNoSession) {
		return "", false, fmt.Errorf("unsubscribe: %w", err)
	}
	return list, err != nil, nil
}
