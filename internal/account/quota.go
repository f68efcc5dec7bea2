package account

import (
	"context"
	"database/sql"
	"errors"
	"math"
	"time"

	"cuota/internal/santiago"
)

// Usage is the state of a key's quota on one Santiago day.
type Usage struct {
	Limit     *int64 // requests a day; nil if the key has no limit
	Used      int64  // requests counted on that day; can exceed a limit that was lowered since
	Remaining int64  // requests left, never negative; 0 when Limit is nil
	// from Spend: this request was counted and may proceed; from Usage: the next request would be allowed
	Allowed bool
	ResetAt time.Time // the first instant of the next day, UTC
}

// Spend counts one request of k on the Santiago day of at. If that would exceed the quota,
// Allowed is false and nothing is counted. No more requests are allowed in a day than the
// quota, however many callers and processes spend the key, or keys that it replaced, at once.
// After an error the caller answers 503; the request may have been counted.
func (s *Store) Spend(ctx context.Context, k Key, at time.Time) (Usage, error) {
	return within(ctx, s, "count a request", func(ctx context.Context) (Usage, error) {
		used, allowed, err := s.lease(ctx, k, dayOf(at), 1)
		return s.usage(k.enforcedQuota(), used, allowed, at), err
	})
}

// lease counts n requests at once, all or none. allowed reports whether they were counted. used
// is the count after that. The first lease of a key in a day also notes the day on which it was used.
func (s *Store) lease(ctx context.Context, k Key, day string, n int64) (used int64, allowed bool, err error) {
	atMost := int64(math.MaxInt64)
	if limit := k.enforcedQuota(); limit != nil {
		atMost = *limit
	}
	if k.UsedOn < day {
		if _, err := s.count.ExecContext(ctx, statement("use_key"), day, k.ID); err != nil {
			return 0, false, err
		}
	}
	err = s.count.QueryRowContext(ctx, statement("lease"), k.Counter(), day, atMost, n).Scan(&used)
	if errors.Is(err, sql.ErrNoRows) { // refused
		used, err = s.used(ctx, k, day)
		return used, false, err
	}
	return used, err == nil, err
}

// giveBack subtracts n leased requests that were not used from the count.
func (s *Store) giveBack(ctx context.Context, k Key, day string, n int64) error {
	_, err := within(ctx, s, "return leased requests", func(ctx context.Context) (sql.Result, error) {
		// If another process changes the count between the two statements, the requests may stay
		// counted. They are never given back twice.
		all, err := s.count.ExecContext(ctx, statement("give_back_all"), k.Counter(), day, n)
		if err != nil {
			return nil, err
		}
		if rows, err := all.RowsAffected(); err != nil || rows > 0 {
			return all, err
		}
		return s.count.ExecContext(ctx, statement("give_back"), k.Counter(), day, n)
	})
	return err
}

// Refund takes back one request that was counted on the Santiago day of at.
func (s *Store) Refund(ctx context.Context, k Key, at time.Time) error {
	return s.giveBack(ctx, k, dayOf(at), 1)
}

// Usage reads the state of k on the Santiago day of at. It counts nothing.
func (s *Store) Usage(ctx context.Context, k Key, at time.Time) (Usage, error) {
	return within(ctx, s, "read the usage of a key", func(ctx context.Context) (Usage, error) {
		used, err := s.used(ctx, k, dayOf(at))
		limit := k.enforcedQuota()
		return s.usage(limit, used, limit == nil || used < *limit, at), err
	})
}

func (s *Store) used(ctx context.Context, k Key, day string) (int64, error) {
	var used int64
	err := s.read.QueryRowContext(ctx, statement("usage"), k.Counter(), day).Scan(&used)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	return used, err
}

func (s *Store) usage(limit *int64, used int64, allowed bool, at time.Time) Usage {
	u := Usage{Limit: limit, Used: used, Allowed: allowed, ResetAt: santiago.NextDay(at)}
	if limit != nil {
		u.Remaining = max(0, *limit-used)
	}
	return u
}

// enforcedQuota returns the quota above which requests are refused, or nil if none are refused.
func (k Key) enforcedQuota() *int64 {
	if !k.QuotaEnforced && k.Tier.valid() {
		return nil
	}
	return k.DailyQuota()
}
