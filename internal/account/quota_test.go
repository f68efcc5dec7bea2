package account

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"cuota/internal/account/accounttest"

	"github.com/google/go-cmp/cmp"
)

func limitOf(n int64) *int64 { return &n }

func TestTheQuotaIsTheKeysOwnOrElseItsTiers(t *testing.T) {
	for _, c := range []struct {
		name string
		key  Key
		want *int64
	}{
		{"free", Key{Tier: Free}, limitOf(300)},
		{"institutional", Key{Tier: Institutional}, limitOf(25_000)},
		{"internal", Key{Tier: Internal}, nil},
		{"free with its own", Key{Tier: Free, OwnQuota: limitOf(7)}, limitOf(7)},
		{"internal with its own", Key{Tier: Internal, OwnQuota: limitOf(7)}, limitOf(7)},
		{"no tier at all", Key{}, limitOf(0)},
	} {
		if diff := cmp.Diff(c.want, c.key.DailyQuota()); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

func TestSpendCountsUpToTheQuotaAndRefusalsAreNotCounted(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db testDatabase) {
		s := openStore(t, db.dsn)
		_, k := issue(t, s, "ana@example.cl", Free, OwnQuota(3))
		reset := time.Date(2026, 7, 16, 4, 0, 0, 0, time.UTC)
		before, err := s.Usage(testContext(t), k, noon)
		check(t, err)
		if diff := cmp.Diff(Usage{limitOf(3), 0, 3, true, reset}, before); diff != "" {
			t.Error(diff)
		}
		for i, want := range []Usage{
			{limitOf(3), 1, 2, true, reset},
			{limitOf(3), 2, 1, true, reset},
			{limitOf(3), 3, 0, true, reset},
			{limitOf(3), 3, 0, false, reset},
			{limitOf(3), 3, 0, false, reset},
		} {
			got, err := s.Spend(testContext(t), k, noon)
			check(t, err)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("request %d: %s", i+1, diff)
			}
		}
		for range 2 { // Usage counts nothing
			after, err := s.Usage(testContext(t), k, noon)
			check(t, err)
			if diff := cmp.Diff(Usage{limitOf(3), 3, 0, false, reset}, after); diff != "" {
				t.Error(diff)
			}
		}
		tomorrow, err := s.Spend(testContext(t), k, reset)
		check(t, err)
		if !tomorrow.Allowed || tomorrow.Used != 1 {
			t.Errorf("at the reset: %+v", tomorrow)
		}
		lowered := k
		lowered.OwnQuota = limitOf(2)
		got, err := s.Spend(testContext(t), lowered, noon)
		check(t, err)
		if diff := cmp.Diff(Usage{limitOf(2), 3, 0, false, reset}, got); diff != "" {
			t.Errorf("with a lowered quota: %s", diff)
		}
	})
}

func TestKeysWithoutALimitAreCountedAndNeverRefused(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db testDatabase) {
		s := openStore(t, db.dsn)
		_, internal := issue(t, s, "ana@example.cl", Internal)
		_, unenforced := issue(t, s, "eva@example.cl", Free, OwnQuota(1), func(k *Key) { k.QuotaEnforced = false })
		for _, k := range []Key{internal, unenforced} {
			for want := int64(1); want <= 3; want++ {
				u, err := s.Spend(testContext(t), k, noon)
				check(t, err)
				if u.Limit != nil || !u.Allowed || u.Used != want {
					t.Errorf("%s: %+v, want %d used and no limit", k.Tier, u, want)
				}
			}
		}
	})
}

func TestAKeyThatWasNeverAuthenticatedSpendsNothing(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db testDatabase) {
		s := openStore(t, db.dsn)
		if u, err := s.Spend(testContext(t), Key{}, noon); err == nil && u.Allowed {
			t.Errorf("the zero key: %+v", u)
		}
		if u, err := s.Spend(testContext(t), Key{ID: "nobody", Tier: Internal, QuotaEnforced: true}, noon); err == nil {
			t.Errorf("an id that does not exist: %+v", u)
		}
	})
}

func TestAKeyThatReplacesAnotherGoesOnWithItsCount(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db testDatabase) {
		s := openStore(t, db.dsn)
		spend := func(k Key, n int, at time.Time) (allowed int) {
			t.Helper()
			for range n {
				u, err := s.Spend(testContext(t), k, at)
				check(t, err)
				if u.Allowed {
					allowed++
				}
			}
			return allowed
		}
		var keys []Key
		for i, want := range []int{3, 3, 1, 0} { // allowed requests of three tries each, with a quota of seven
			_, k := issue(t, s, "ana@example.cl", Free, OwnQuota(7))
			keys = append(keys, k)
			if got := spend(k, 3, noon); got != want {
				t.Errorf("key %d: %d requests were let in, want %d", i+1, got, want)
			}
		}
		if got := spend(keys[3], 9, noon.AddDate(0, 0, 1)); got != 7 {
			t.Errorf("on the next day %d requests were let in, want 7", got)
		}
		plaintext, _, err := s.ConfirmRegistration(testContext(t), mailed(t, s, Register, "Ana@example.cl"))
		check(t, err)
		registered, err := s.Authenticate(testContext(t), plaintext)
		check(t, err)
		if u, err := s.Usage(testContext(t), registered, noon); err != nil || u.Used != 7 {
			t.Errorf("registered again: %+v, %v", u, err)
		}
		_, person := signedIn(t, s, "ana@example.cl")
		listed, err := s.Keys(testContext(t), person.ID)
		check(t, err)
		if diff := cmp.Diff([]Key{registered}, listed); diff != "" {
			t.Errorf("the keys of the person: %s", diff)
		}
		// The person's other keys, and those of others, have their own counts.
		_, agreed := issue(t, s, "ana@example.cl", Institutional)
		_, other := issue(t, s, "eva@example.cl", Free)
		for _, k := range []Key{agreed, other} {
			if u, err := s.Usage(testContext(t), k, noon); err != nil || u.Used != 0 {
				t.Errorf("%s: %+v, %v", k.Tier, u, err)
			}
		}
	})
}

func TestKeysReplacedWhileTheyAreSpentNeverPassTheQuota(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db testDatabase) {
		here, there := openStore(t, db.dsn), openStore(t, db.dsn)
		_, first := issue(t, here, "ana@example.cl", Free)
		var wg sync.WaitGroup
		var allowed atomic.Int64
		spend := func(server interface {
			Spend(context.Context, Key, time.Time) (Usage, error)
		}, k Key) {
			for range 100 {
				u, err := server.Spend(testContext(t), k, noon)
				if err != nil {
					t.Error(err)
				}
				if u.Allowed {
					allowed.Add(1)
				}
			}
		}
		leases := NewLeases(there)
		wg.Go(func() { spend(there, first) })
		for range 3 {
			plaintext, k := issue(t, here, "ana@example.cl", Free)
			_, err := leases.Authenticate(testContext(t), plaintext)
			check(t, err)
			wg.Go(func() { spend(leases, k) })
			wg.Go(func() { spend(there, k) })
		}
		wg.Wait()
		check(t, leases.Stop(testContext(t))) // requests that revoked keys have leased are given back too
		_, last := issue(t, here, "ana@example.cl", Free)
		before, err := here.Usage(testContext(t), last, noon)
		check(t, err)
		if before.Used != allowed.Load() {
			t.Errorf("%d requests are counted, %d were let in", before.Used, allowed.Load())
		}
		spend(here, last)
		if n := allowed.Load(); n != 300 {
			t.Errorf("%d requests were let in, want 300", n)
		}
	})
}

// spendAll spends keys at the given instants from many goroutines and several stores. It
// returns how many requests were allowed at each instant.
func spendAll(t *testing.T, stores []*Store, k Key, each int, instants ...time.Time) []int64 {
	allowed := make([]atomic.Int64, len(instants))
	var wg sync.WaitGroup
	for i := range each {
		for j, at := range instants {
			wg.Go(func() {
				u, err := stores[i%len(stores)].Spend(testContext(t), k, at)
				if err != nil {
					t.Error(err)
				}
				if u.Allowed {
					allowed[j].Add(1)
				}
			})
		}
	}
	wg.Wait()
	counts := make([]int64, len(instants))
	for j := range allowed {
		counts[j] = allowed[j].Load()
	}
	return counts
}

func TestParallelSpendingNeverPassesTheQuota(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db testDatabase) {
		stores := []*Store{openStore(t, db.dsn), openStore(t, db.dsn)}
		_, k := issue(t, stores[0], "ana@example.cl", Free)
		if got := spendAll(t, stores, k, 700, noon); got[0] != 300 {
			t.Errorf("%d requests were allowed, want 300", got[0])
		}
	})
}

func TestParallelSpendingAtMidnightGivesEachDayItsQuota(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db testDatabase) {
		stores := []*Store{openStore(t, db.dsn), openStore(t, db.dsn)}
		for email, reset := range map[string]time.Time{
			"ordinary@example.cl": time.Date(2026, 7, 16, 4, 0, 0, 0, time.UTC),
			"spring@example.cl":   time.Date(2026, 9, 6, 4, 0, 0, 0, time.UTC), // there is no 00:00
			"autumn@example.cl":   time.Date(2026, 4, 5, 4, 0, 0, 0, time.UTC), // 23:00 came twice
		} {
			_, k := issue(t, stores[0], email, Free, OwnQuota(40))
			last, first := reset.Add(-time.Nanosecond), reset
			got := spendAll(t, stores, k, 120, last, first)
			if diff := cmp.Diff([]int64{40, 40}, got); diff != "" {
				t.Errorf("%s: allowed before and after midnight: %s", email, diff)
			}
		}
	})
}

func BenchmarkSpend(b *testing.B) {
	s := openStore(b, accounttest.SQLite(b).DSN)
	plaintext, k := issue(b, s, "ana@example.cl", Internal)
	ctx := testContext(b)
	b.Run("one caller", func(b *testing.B) {
		for b.Loop() {
			if _, err := s.Spend(ctx, k, noon); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("64 callers", func(b *testing.B) {
		b.SetParallelism(32)
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				if _, err := s.Spend(ctx, k, noon); err != nil {
					b.Error(err)
					return
				}
			}
		})
	})
	b.Run("authenticate", func(b *testing.B) {
		for b.Loop() {
			if _, err := s.Authenticate(ctx, plaintext); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func TestARefundTakesBackARequestAndNeverMoreThanWereCounted(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db testDatabase) {
		s := openStore(t, db.dsn)
		_, k := issue(t, s, "ana@example.cl", Free, OwnQuota(3))
		used := func(want int64) {
			t.Helper()
			got, err := s.Usage(testContext(t), k, noon)
			check(t, err)
			if got.Used != want {
				t.Errorf("%d requests are counted, want %d", got.Used, want)
			}
		}
		for range 2 {
			_, err := s.Spend(testContext(t), k, noon)
			check(t, err)
		}
		for _, want := range []int64{1, 0, 0} {
			check(t, s.Refund(testContext(t), k, noon))
			used(want)
		}
		_, err := s.Spend(testContext(t), k, noon)
		check(t, err)
		used(1)
	})
}
