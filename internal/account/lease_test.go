package account

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// leasesAt makes leases whose clock the test sets.
func leasesAt(s *Store, at *time.Time) *Leases {
	l := NewLeases(s)
	l.now = func() time.Time { return *at }
	return l
}

// leased makes a key of which n requests were spent through leases.
func leased(t *testing.T, s *Store, leases *Leases, n int, tier Tier, opts ...KeyOption) Key {
	t.Helper()
	plaintext, _ := issue(t, s, "ana@example.cl", tier, opts...)
	k, err := leases.Authenticate(testContext(t), plaintext)
	check(t, err)
	for range n {
		_, err := leases.Spend(testContext(t), k, noon)
		check(t, err)
	}
	return k
}

func TestLeasesNeverLetAKeyPassItsQuota(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db testDatabase) {
		const quota, servers, callers = 300, 3, 40
		first := openStore(t, db.dsn)
		plaintext, _, err := first.CreateKey(t.Context(), "ana@example.cl", Free)
		check(t, err)
		var allowed atomic.Int64
		var all []*Leases
		var wait sync.WaitGroup
		for range servers {
			leases := NewLeases(openStore(t, db.dsn))
			all = append(all, leases)
			for range callers {
				wait.Go(func() {
					for range 10 {
						k, err := leases.Authenticate(t.Context(), plaintext)
						if err != nil {
							t.Error(err)
							return
						}
						usage, err := leases.Spend(t.Context(), k, noon)
						if err != nil {
							t.Error(err)
							return
						}
						if usage.Allowed {
							allowed.Add(1)
						}
					}
				})
			}
		}
		wait.Wait()
		for _, leases := range all {
			check(t, leases.Stop(t.Context()))
		}
		// After all leases are given back, exactly the rest of the quota can be spent.
		k, err := first.Authenticate(t.Context(), plaintext)
		check(t, err)
		usage, err := first.Usage(t.Context(), k, noon)
		check(t, err)
		if usage.Used != allowed.Load() || usage.Used > quota {
			t.Errorf("%d requests were let in, %d are counted, of %d", allowed.Load(), usage.Used, quota)
		}
		for range quota {
			spent, err := first.Spend(t.Context(), k, noon)
			check(t, err)
			if spent.Allowed {
				allowed.Add(1)
			}
		}
		if allowed.Load() != quota {
			t.Errorf("%d requests were let in altogether, want %d", allowed.Load(), quota)
		}
	})
}

func TestOneServerSpendsAQuotaToTheLastRequest(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db testDatabase) {
		s := openStore(t, db.dsn)
		leases := NewLeases(s)
		k := leased(t, s, leases, 0, Free)
		for n := int64(1); n <= 302; n++ {
			usage, err := leases.Spend(t.Context(), k, noon)
			check(t, err)
			if usage.Allowed != (n <= 300) || usage.Used != min(n, 300) || usage.Remaining != max(0, 300-n) {
				t.Fatalf("request %d: %+v", n, usage)
			}
			seen, err := leases.Usage(t.Context(), k, noon)
			check(t, err)
			if seen.Used != usage.Used || seen.Allowed != (n < 300) {
				t.Fatalf("after request %d: %+v", n, seen)
			}
		}
		// A new day has a new quota.
		if usage, err := leases.Spend(t.Context(), k, noon.AddDate(0, 0, 1)); err != nil || !usage.Allowed ||
			usage.Used != 1 {
			t.Errorf("%+v, %v", usage, err)
		}
	})
}

func TestAKilledServerCostsAKeyAtMostATwentiethOfItsQuota(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db testDatabase) {
		s := openStore(t, db.dsn)
		k := leased(t, s, NewLeases(s), 1, Free) // the leases are never stopped
		if usage, err := s.Usage(t.Context(), k, noon); err != nil || usage.Used < 1 || usage.Used > 300/20 {
			t.Errorf("%+v, %v", usage, err)
		}
	})
}

func TestARestingKeyGivesBackItsLease(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db testDatabase) {
		s, now := openStore(t, db.dsn), noon
		leases := leasesAt(s, &now)
		k := leased(t, s, leases, 3, Internal)
		counted := func() int64 {
			usage, err := s.Usage(t.Context(), k, now)
			check(t, err)
			return usage.Used
		}
		resting := func(known *lease) bool { return now.Sub(known.lastUsed) >= restAfter }
		check(t, leases.endLeases(t.Context(), resting))
		if n := counted(); n <= 3 {
			t.Errorf("%d are counted: nothing was leased, or it was given back at once", n)
		}
		now = now.Add(restAfter)
		check(t, leases.endLeases(t.Context(), resting))
		if n := counted(); n != 3 {
			t.Errorf("%d are counted, want 3", n)
		}
		if usage, err := leases.Spend(t.Context(), k, now); err != nil || !usage.Allowed || usage.Used != 4 {
			t.Errorf("after a rest: %+v, %v", usage, err)
		}
	})
}

// After an error nobody knows whether the store has taken the requests back: the database may
// have done it, and the response was lost.
func TestWhatMayHaveBeenGivenBackIsNotGivenBackAgain(t *testing.T) {
	t.Run("the answer is lost", func(t *testing.T) {
		db := newPostgres(t)
		givesBackOnceAtMost(t, db.dsn, func() context.Context { db.loseAnswer(); return testContext(t) })
	})
	t.Run("the caller went away", func(t *testing.T) {
		eachDatabase(t, func(t *testing.T, db testDatabase) {
			givesBackOnceAtMost(t, db.dsn, func() context.Context {
				ctx, cancel := context.WithCancel(testContext(t))
				cancel()
				return ctx
			})
		})
	})
}

// givesBackOnceAtMost ends a lease in a context in which that fails, ends it again, and then
// tries to spend more than the quota.
func givesBackOnceAtMost(t *testing.T, dsn string, failing func() context.Context) {
	const quota = 80 // leased in blocks of 4
	s := openStore(t, dsn)
	leases := NewLeases(s)
	k := leased(t, s, leases, 0, Free, OwnQuota(quota))
	var allowed int
	for range 5 { // a block, and one of the next
		u, err := leases.Spend(testContext(t), k, noon)
		check(t, err)
		if u.Allowed {
			allowed++
		}
	}
	all := func(*lease) bool { return true }
	if err := leases.endLeases(failing(), all); err == nil {
		t.Fatal("giving back did not fail")
	}
	check(t, leases.endLeases(testContext(t), all))
	for range quota {
		u, err := s.Spend(testContext(t), k, noon)
		check(t, err)
		if u.Allowed {
			allowed++
		}
	}
	if allowed > quota || allowed < quota-quota/shareOfTheRest {
		t.Errorf("%d requests were let in, of %d", allowed, quota)
	}
}

func TestARevokedKeyIsRefusedAtOnceHereAndWithinASecondElsewhere(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db testDatabase) {
		here, there, now := openStore(t, db.dsn), openStore(t, db.dsn), noon
		leasesHere, leasesThere := leasesAt(here, &now), leasesAt(there, &now)
		old, _, err := here.CreateKey(t.Context(), "ana@example.cl", Free)
		check(t, err)
		for _, leases := range []*Leases{leasesHere, leasesThere} {
			_, err := leases.Authenticate(t.Context(), old)
			check(t, err)
		}
		_, _, err = here.CreateKey(t.Context(), "ana@example.cl", Free)
		check(t, err)
		if _, err := leasesHere.Authenticate(t.Context(), old); !errors.Is(err, ErrInvalidKey) {
			t.Errorf("here: %v", err)
		}
		if _, err := leasesThere.Authenticate(t.Context(), old); err != nil {
			t.Errorf("there, at once: %v: nothing is remembered", err)
		}
		now = now.Add(time.Second)
		if _, err := leasesThere.Authenticate(t.Context(), old); !errors.Is(err, ErrInvalidKey) {
			t.Errorf("there, a second later: %v", err)
		}
	})
}

func TestAKeyIsCheckedAgainWhenTheMomentIsOver(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db testDatabase) {
		s, now := openStore(t, db.dsn), noon
		leases := leasesAt(s, &now)
		plaintext, _, err := s.CreateKey(t.Context(), "ana@example.cl", Free)
		check(t, err)
		_, err = leases.Authenticate(t.Context(), plaintext)
		check(t, err)
		db.remove()
		now = now.Add(verifiedFor)
		if _, err := leases.Authenticate(t.Context(), plaintext); err == nil || errors.Is(err, ErrInvalidKey) {
			t.Errorf("the store is gone: %v", err)
		}
	})
}
