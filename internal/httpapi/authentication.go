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

// admit accepts a request if its key is valid and has quota left. It fails closed: a key
// that can't be checked, or a request that can't be counted, is answered with 503.
func (s *Server) admit(ctx context.Context, c *Call) error {
	presented, err := presentedKey(c.Request, c.query)
	if err != nil {
		c.Header.Set("WWW-Authenticate", "Bearer")
		return err
	}
	c.Key, err = s.keys.Authenticate(ctx, presented)
	switch {
	case errors.Is(err, account.ErrInvalidKey):
		c.Header.Set("WWW-Authenticate", "Bearer")
		return unauthorized("invalid_key",
			"The API key is invalid or was revoked. Registering again with the same e-mail gives a new one.")
	case err != nil:
		return keyUnchecked(err)
	}
	record := recordOf(ctx)
	record.keyID, record.keyLast4 = c.Key.ID, c.Key.Last4

	now := s.config.Now()
	if c.Usage, err = s.count(ctx, c, now); err != nil {
		return keyUnchecked(err)
	}
	c.counted = now
	reset := quotaHeaders(c.Header, c.Usage, now)
	if c.op.Access == Keyed && !c.Usage.Allowed {
		problem := &Problem{Status: http.StatusTooManyRequests, Code: "quota_exhausted", RetryAfter: reset,
			Detail: fmt.Sprintf("The key has used its %d requests of today. The next day begins at %s.",
				*c.Usage.Limit, c.Usage.ResetAt.Format(time.RFC3339))}
		if c.Usage.Remaining > 0 {
			problem.Detail = fmt.Sprintf(
				"This operation counts as %d requests, and the key has %d left of its %d of today. The next day "+
					"begins at %s.",
				c.op.Requests, c.Usage.Remaining, *c.Usage.Limit, c.Usage.ResetAt.Format(time.RFC3339))
		}
		return problem
	}
	return nil
}

// count counts a request as often as its operation says. If too few are left for that, none is
// counted, and it is not allowed.
func (s *Server) count(ctx context.Context, c *Call, now time.Time) (account.Usage, error) {
	if c.op.Access == Uncounted {
		return s.keys.Usage(ctx, c.Key, now)
	}
	usage, err := s.keys.Spend(ctx, c.Key, now)
	more := int64(max(1, c.op.Requests) - 1)
	if err == nil && usage.Allowed && usage.Limit != nil && usage.Remaining < more {
		err = s.keys.Refund(ctx, c.Key, now)
		usage.Allowed = false
		usage.Used--
		usage.Remaining++
	}
	for ; more > 0 && err == nil && usage.Allowed; more-- {
		usage, err = s.keys.Spend(ctx, c.Key, now)
	}
	return usage, err
}

// refund takes back what admit has counted, because the caller got nothing for it: a 304, or a 503
// that tells to wait. If that fails, the request stays counted.
func (s *Server) refund(ctx context.Context, c *Call) {
	if c.counted.IsZero() || c.op.Access != Keyed || !c.Usage.Allowed {
		return
	}
	requests := int64(max(1, c.op.Requests))
	for range requests {
		if err := s.keys.Refund(context.WithoutCancel(ctx), c.Key, c.counted); err != nil {
			recordOf(ctx).log.Warn().Err(err).Msg("a request that is not charged stays counted")
			return
		}
	}
	c.Usage.Used -= requests
	c.Usage.Remaining += requests
	quotaHeaders(c.Header, c.Usage, c.counted)
	c.counted = time.Time{}
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
	header.Set("X-RateLimit-Limit", strconv.FormatInt(*usage.Limit, 10))
	header.Set("X-RateLimit-Remaining", strconv.FormatInt(usage.Remaining, 10))
	header.Set("X-RateLimit-Reset", strconv.FormatInt(usage.ResetAt.Unix(), 10))
	header.Set("RateLimit-Policy", fmt.Sprintf(`"day";q=%d;w=86400`, *usage.Limit))
	header.Set("RateLimit", fmt.Sprintf(`"day";r=%d;t=%d`, usage.Remaining, seconds))
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
