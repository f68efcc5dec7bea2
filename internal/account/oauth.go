package account

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// OAuthWithin is how long a sign-in at an identity provider may take.
const OAuthWithin = 10 * time.Minute

// OAuth is a sign-in at an identity provider that is in progress. All its fields are secret.
type OAuth struct {
	State     string // sent to the provider and returned by it; can be used once
	Browser   string // cookie of the browser that began the sign-in
	Nonce     string // returned inside the ID token
	Verifier  string // the PKCE verifier, sent to the provider with the code
	ReturnURL string
}

// oauthsPerNetwork is how many sign-ins at an identity provider one network may begin in a
// clock hour.
const oauthsPerNetwork = 40

// ErrTooManySignIns says that too many sign-ins were begun from one network in
// this hour.
var ErrTooManySignIns = errors.New("too many sign-ins were begun from this network")

// BeginOAuth begins a sign-in for a caller from network. It returns ErrTooManySignIns if the
// network began too many. Only digests are stored. The nonce and the verifier are computed
// again from the state and the browser's cookie.
func (s *Store) BeginOAuth(ctx context.Context, network, returnURL string) (OAuth, error) {
	o := s.oauth(newToken(), newToken(), returnURL)
	now := s.now()
	err := s.Transact(ctx, func(ctx context.Context, tx *sql.Tx) error {
		if err := sweep(ctx, tx, now); err != nil {
			return err
		}
		allowed, err := s.CountInHour(ctx, tx, "sign-ins of network "+network, oauthsPerNetwork, now)
		if err != nil {
			return err
		}
		if !allowed {
			return ErrTooManySignIns
		}
		_, err = tx.ExecContext(ctx, statement("insert_oauth_state"), s.digest(o.State), s.digest(o.Browser), returnURL,
			now.Add(OAuthWithin).UnixMilli())
		return err
	})
	if err != nil {
		return OAuth{}, fmt.Errorf("begin a sign-in: %w", err)
	}
	return o, nil
}

// FinishOAuth uses a state up in the browser for which it was made. It returns ErrInvalidLink
// if the state is unknown, used or expired, or if it belongs to another browser.
func (s *Store) FinishOAuth(ctx context.Context, state, browser string) (OAuth, error) {
	if !isToken(state) || !isToken(browser) {
		return OAuth{}, ErrInvalidLink
	}
	o := s.oauth(state, browser, "")
	err := s.Transact(ctx, func(ctx context.Context, tx *sql.Tx) error {
		return tx.QueryRowContext(ctx, statement("use_oauth_state"), s.digest(state), s.digest(browser),
			s.now().UnixMilli()).Scan(&o.ReturnURL)
	})
	if err = rowError(err, ErrInvalidLink, "finish a sign-in"); err != nil {
		return OAuth{}, err
	}
	return o, nil
}

func (s *Store) oauth(state, browser, returnURL string) OAuth {
	return OAuth{
		State: state, Browser: browser, ReturnURL: returnURL,
		Nonce:    s.digest("nonce of " + state + browser),
		Verifier: s.digest("verifier of " + state + browser),
	}
}

// HandOver returns a code with which this browser alone completes the sign-in of an identity (see
// FinishHandOver). It returns ErrInvalidEmail or ErrOtherIdentity under the same conditions as
// SignInIdentity.
func (s *Store) HandOver(ctx context.Context, identity Identity, browser, returnURL string) (code string, err error) {
	code = newToken()
	err = s.Transact(ctx, func(ctx context.Context, tx *sql.Tx) error {
		_, address, err := s.identify(ctx, tx, identity, s.now().UnixMilli())
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, statement("insert_link"), s.digest(code), string(handOver), address, returnURL,
			s.digest(browser), s.now().Add(handOverWithin).UnixMilli())
		return err
	})
	if err != nil {
		return "", fmt.Errorf("store the identity of a sign-in: %w", err)
	}
	return code, nil
}
