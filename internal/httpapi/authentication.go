package httpapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"cuota/internal/account"
)

// Keys checks API keys and counts their requests. *account.Store implements it.
type Keys interface {
	// Authenticate returns the active key that was presented. It fails with
	// account.ErrInvalidKey if the key is malformed, unknown or revoked. Any other error
	// means that the key could not be checked.
	Authenticate(ctx context.Context, presented string) (account.Key, error)
	// Spend counts one request on the Santiago day of at. If that would exceed the quota,
	// it counts nothing and Allowed is false.
	Spend(ctx context.Context, k account.Key, at time.Time) (account.Usage, error)
	// Refund takes back one request that was counted on the Santiago day of at.
	Refund(ctx context.Context, k account.Key, at time.Time) error
	// Usage reports the Santiago day of at and counts nothing.
	Usage(ctx context.Context, k account.Key, at time.Time) (account.Usage, error)
}

// admit accepts a request if its key is valid, has quota left and has the scope of the operation. It fails closed: a
// key that can't be checked, or a request that can't be counted, is answered with 503.
func (s *Server) admit(ctx context.Context, c *Call) (err error) {
	if c.Key, err = s.keyOf(ctx, c); err != nil {
		return err
	}
	record := recordOf(ctx)
	record.keyID, record.keyLast4 = c.Key.ID, c.Key.Last4

	now := s.config.Now()
	if c.op.Access == Uncounted {
		c.Usage, err = s.keys.Usage(ctx, c.Key, now)
	} else {
		c.Usage, err = s.keys.Spend(ctx, c.Key, now)
	}
	if err != nil {
		return keyUnchecked(err)
	}
	reset := quotaHeaders(c.Header, c.Usage, now)
	switch {
	case c.op.Access == Uncounted:
		return nil
	case !c.Usage.Allowed:
		return &Problem{Status: http.StatusTooManyRequests, Code: "quota_exhausted", RetryAfter: reset,
			Detail: fmt.Sprintf("The key has used its %d requests of today. The next day begins at %s.",
				*c.Usage.Limit, c.Usage.ResetAt.Format(time.RFC3339))}
	case !c.Key.Scopes.Allow(c.op.Scope):
		return missingScope(c.op.Scope, c.Key.Scopes)
	}
	c.keys, c.counted, c.cost = s.keys, now, 1
	return nil
}

// missingScope is the 403 for a key whose scopes lack the one that an operation needs.
func missingScope(needed account.Scope, has account.Scopes) *Problem {
	return &Problem{Status: http.StatusForbidden, Code: "missing_scope",
		Detail: fmt.Sprintf("This needs the scope %s, and the key has only: %s. Ask the operator of the service for a key "+
			"with it, which cuota key create --scopes makes.", needed, strings.Join(has.Words(), ", "))}
}

// keyOf returns the key of a call: that of the link which led to it, or the one that the caller presents.
func (s *Server) keyOf(ctx context.Context, c *Call) (account.Key, error) {
	if key, linked := ctx.Value(linkedKey{}).(account.Key); linked {
		return key, nil
	}
	presented, err := presentedKey(c.Request, c.query)
	if err != nil {
		c.Header.Set("WWW-Authenticate", "Bearer")
		return account.Key{}, err
	}
	key, err := s.keys.Authenticate(ctx, presented)
	switch {
	case errors.Is(err, account.ErrInvalidKey):
		c.Header.Set("WWW-Authenticate", "Bearer")
		return key, unauthorized("invalid_key",
			"The API key is invalid, has expired or was revoked. Registering again with the same e-mail gives a new one.")
	case err != nil:
		return key, keyUnchecked(err)
	}
	return key, nil
}

// Charge counts the call as so many requests; one was counted when it was admitted. The header X-Request-Cost states
// the number. Charge fails with 429, and counts none, if the key has too few left. A call that a page of this process
// makes is not counted.
func (c *Call) Charge(ctx context.Context, requests int64) error {
	if c.cost == 0 {
		return nil
	}
	enough := c.Usage.Limit == nil || c.Usage.Remaining >= requests-c.cost
	for enough && c.cost < requests {
		usage, err := c.keys.Spend(ctx, c.Key, c.counted)
		if err != nil {
			return keyUnchecked(err)
		}
		if enough = usage.Allowed; enough { // else other calls have spent the rest meanwhile
			c.Usage, c.cost = usage, c.cost+1
		}
	}
	if !enough {
		c.takeBack(ctx)
		reset := quotaHeaders(c.Header, c.Usage, c.counted)
		return &Problem{Status: http.StatusTooManyRequests, Code: "quota_exhausted", RetryAfter: reset,
			Detail: fmt.Sprintf("This request counts as %d requests, and the key has %d left of its %d of today. The "+
				"next day begins at %s.",
				requests, c.Usage.Remaining, *c.Usage.Limit, c.Usage.ResetAt.Format(time.RFC3339))}
	}
	c.Header.Set("X-Request-Cost", strconv.FormatInt(c.cost, 10))
	quotaHeaders(c.Header, c.Usage, c.counted)
	return nil
}

// refund takes back what was counted, because the caller got nothing for it: a 304, or a 503 that tells to wait.
func (s *Server) refund(ctx context.Context, c *Call) {
	if c.cost == 0 {
		return
	}
	c.takeBack(ctx)
	c.Header.Del("X-Request-Cost")
	quotaHeaders(c.Header, c.Usage, c.counted)
}

// takeBack takes back all requests as which the call was counted. If that fails, they stay counted.
func (c *Call) takeBack(ctx context.Context) {
	for ; c.cost > 0; c.cost-- {
		if err := c.keys.Refund(context.WithoutCancel(ctx), c.Key, c.counted); err != nil {
			recordOf(ctx).log.Warn().Err(err).Msg("a request that is not charged stays counted")
			return
		}
		c.Usage.Used--
		c.Usage.Remaining++
	}
}

func unauthorized(code, detail string) error {
	return &Problem{Status: http.StatusUnauthorized, Code: code, Detail: detail}
}

func keyUnchecked(cause error) error {
	return &Problem{Status: http.StatusServiceUnavailable, Code: "key_unchecked", RetryAfter: RetrySoon, Cause: cause,
		Detail: "The API key can't be checked right now. Try again in a few seconds."}
}

// quotaHeaders sets the headers that show how much of its quota a key has used: those of
// the interface contract, section 1, and the RateLimit fields of the IETF draft (RULES 13).
// It sets none for a key without a quota. It returns the seconds until the quota is
// renewed, at least 1.
func quotaHeaders(header http.Header, usage account.Usage, now time.Time) int {
	seconds := max(1, int((usage.ResetAt.Sub(now)+time.Second-1)/time.Second))
	if usage.Limit == nil {
		return seconds
	}
	limit, remaining := strconv.FormatInt(*usage.Limit, 10), strconv.FormatInt(usage.Remaining, 10)
	// Every reply has them. Their names are as net/http writes them, and their values are in one list, which is faster
	// than Set.
	values := []string{limit, remaining, strconv.FormatInt(usage.ResetAt.Unix(), 10), `"day";q=` + limit + ";w=86400",
		`"day";r=` + remaining + ";t=" + strconv.Itoa(seconds)}
	for i, name := range [...]string{"X-Ratelimit-Limit", "X-Ratelimit-Remaining", "X-Ratelimit-Reset",
		"Ratelimit-Policy", "Ratelimit"} {
		header[name] = values[i : i+1 : i+1]
	}
	return seconds
}

// queryKeyNames are query parameters in which callers have tried to send a key. A URL ends
// up in logs and browser histories. A key in one is therefore never accepted, whatever the
// parameter is called, even if a header has a key too.
var queryKeyNames = []string{"api_key", "apikey", "api-key", "x-api-key", "x_api_key", "key", "token", "access_token",
	"authorization"}

// presentedKey finds the key of a request in X-Api-Key, or in Authorization as a Bearer
// token that begins with the key prefix. It ignores any other Authorization. It fails with
// 401 if there is no key, if two headers carry different keys, or if the query string has a
// key.
func presentedKey(r *http.Request, given url.Values) (string, error) {
	var presented []string
	for _, key := range r.Header.Values("X-Api-Key") {
		if key = strings.TrimSpace(key); key != "" {
			presented = append(presented, key)
		}
	}
	for _, field := range r.Header.Values("Authorization") {
		scheme, token, _ := strings.Cut(strings.TrimSpace(field), " ")
		token = strings.TrimSpace(token)
		if strings.EqualFold(scheme, "Bearer") && strings.HasPrefix(token, account.KeyPrefix+"_") {
			presented = append(presented, token)
		}
	}
	if slices.ContainsFunc(presented, func(key string) bool { return key != presented[0] }) {
		return "", unauthorized("conflicting_keys",
			"The request carries two different API keys. Send one, in the header X-Api-Key.")
	}
	for name, texts := range given {
		named := len(presented) == 0 && slices.Contains(queryKeyNames, strings.ToLower(name))
		if named || slices.ContainsFunc(texts, account.WellFormed) {
			return "", unauthorized("key_in_query",
				"A key in the query string is never accepted. Send it in the header X-Api-Key, and replace it: URLs "+
					"are kept in logs.")
		}
	}
	if len(presented) > 0 {
		return presented[0], nil
	}
	return "", unauthorized("missing_key", "An API key is needed. Send it in the header X-Api-Key.")
}
