package account

import (
	"database/sql"
	"errors"
	"io/fs"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/pressly/goose/v3"
)

func TestARotationKeepsTheOldKeyUntilTheOverlapEnds(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db testDatabase) {
		ctx, clock := testContext(t), newSteady(noon)
		s := openStore(t, db.dsn, WithClock(clock.now))
		first, key := issue(t, s, "ana@example.cl", Institutional, Named("etl"), OwnQuota(7), ForScopes("read bulk"))
		other, _ := issue(t, s, "ana@example.cl", Institutional, Named("desk"))
		second, made, old, err := s.RotateKey(ctx, "etl", 24*time.Hour)
		check(t, err)
		if old.ID != key.ID || !old.ExpiresAt.Equal(noon.Add(24*time.Hour)) || old.RevokedAt != nil {
			t.Errorf("the old key is %+v", old)
		}
		found, err := s.Authenticate(ctx, second)
		check(t, err)
		if diff := cmp.Diff(made, found); diff != "" {
			t.Errorf("made and found differ:\n%s", diff)
		}
		want := key
		want.CountedAs = key.ID
		if diff := cmp.Diff(want, found, cmpopts.IgnoreFields(Key{}, "ID", "Last4")); diff != "" {
			t.Errorf("the new key is not like the old one:\n%s", diff)
		}

		answers := func(want bool, keys ...string) {
			t.Helper()
			for i, plaintext := range keys {
				_, err := s.Authenticate(ctx, plaintext)
				if (err == nil) != want || err != nil && err != ErrInvalidKey {
					t.Errorf("at %s key %d gives %v", clock.now(), i, err)
				}
			}
		}
		answers(true, first, second, other)
		// The next rotation comes before the first overlap has ended, and ends the first key earlier.
		clock.advance(time.Hour)
		third, _, _, err := s.RotateKey(ctx, made.ID, 2*time.Hour)
		check(t, err)
		clock.advance(2*time.Hour - time.Millisecond)
		answers(true, first, second, third, other)
		clock.advance(time.Millisecond)
		answers(false, first, second)
		answers(true, third, other)
		// Without an overlap the old key is revoked.
		fourth, _, revoked, err := s.RotateKey(ctx, third[len(third)-4:], 0)
		check(t, err)
		if revoked.RevokedAt == nil || !revoked.RevokedAt.Equal(clock.now()) {
			t.Errorf("the old key is %+v", revoked)
		}
		answers(false, first, second, third)
		answers(true, fourth, other)

		active, err := s.OwnedKeys(ctx, clock.now(), false)
		check(t, err)
		all, err := s.OwnedKeys(ctx, clock.now(), true)
		check(t, err)
		if len(active) != 2 || len(all) != 5 {
			t.Errorf("%d keys are listed as active and %d in all, want 2 and 5", len(active), len(all))
		}
	})
}

func TestOverlappingKeysSpendOneQuota(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db testDatabase) {
		s := openStore(t, db.dsn, WithClock(func() time.Time { return noon }))
		_, old := issue(t, s, "ana@example.cl", Institutional, Named("etl"), OwnQuota(5))
		spend := func(k Key) bool {
			u, err := s.Spend(testContext(t), k, noon)
			check(t, err)
			return u.Allowed
		}
		for range 2 {
			spend(old)
		}
		_, next, _, err := s.RotateKey(testContext(t), "etl", time.Hour)
		check(t, err)
		got := []bool{spend(next), spend(old), spend(next), spend(old), spend(next)}
		if diff := cmp.Diff([]bool{true, true, true, false, false}, got); diff != "" {
			t.Errorf("requests after the rotation: %s", diff)
		}
		// A key with another name has its own count.
		_, desk := issue(t, s, "ana@example.cl", Institutional, Named("desk"), OwnQuota(1))
		if !spend(desk) || spend(desk) {
			t.Error("the key with another name does not have its own quota of 1")
		}
	})
}

func TestKeysRotatedWhileTheyAreSpentNeverPassTheQuota(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db testDatabase) {
		const quota, rotations, servers = 400, 4, 2
		operator := openStore(t, db.dsn)
		plaintext, _ := issue(t, operator, "ana@example.cl", Institutional, Named("etl"), OwnQuota(quota))
		var all []*Leases
		for range servers {
			all = append(all, NewLeases(openStore(t, db.dsn)))
		}
		var wait sync.WaitGroup
		var allowed atomic.Int64
		// use makes requests with a key on each server. The key answers for the whole test.
		use := func(plaintext string) {
			for _, leases := range all {
				wait.Go(func() {
					for range 60 {
						k, err := leases.Authenticate(testContext(t), plaintext)
						if err != nil {
							t.Errorf("a key within its overlap: %v", err)
							return
						}
						u, err := leases.Spend(testContext(t), k, noon)
						if err != nil {
							t.Error(err)
							return
						}
						if u.Allowed {
							allowed.Add(1)
						}
					}
				})
			}
		}
		use(plaintext)
		for range rotations {
			next, _, _, err := operator.RotateKey(testContext(t), "etl", time.Hour)
			check(t, err)
			use(next)
		}
		wait.Wait()
		for _, leases := range all {
			check(t, leases.Stop(testContext(t)))
		}
		keys, err := operator.OwnedKeys(testContext(t), noon, true)
		check(t, err)
		for _, k := range keys {
			if k.Used != allowed.Load() || k.Used > quota {
				t.Errorf("key …%s: %d requests are counted, %d were let in, of %d", k.Last4, k.Used, allowed.Load(), quota)
			}
		}
		_, last, _, err := operator.RotateKey(testContext(t), "etl", time.Hour)
		check(t, err)
		for rest := quota - allowed.Load(); rest >= 0; rest-- {
			u, err := operator.Spend(testContext(t), last, noon)
			check(t, err)
			if u.Allowed != (rest > 0) {
				t.Fatalf("with %d requests left: %+v", rest, u)
			}
		}
	})
}

func TestRotationsAtOnceLeaveOneKeyWithoutAnEnd(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db testDatabase) {
		stores := []*Store{openStore(t, db.dsn), openStore(t, db.dsn)}
		_, key := issue(t, stores[0], "ana@example.cl", Internal, Named("etl"))
		made := atOnce(t, 20, nil, func(i int) error {
			_, _, _, err := stores[i%2].RotateKey(testContext(t), key.ID, time.Hour)
			if errors.Is(err, ErrNoSuchKey) || errors.Is(err, ErrKeyEnds) {
				return nil
			}
			return err
		})
		if made != 20 {
			t.Errorf("%d rotations ended as they should, want 20", made)
		}
		keys, err := stores[0].OwnedKeys(testContext(t), time.Now(), true)
		check(t, err)
		if len(keys) != 2 || keys[0].ExpiresAt == nil || keys[1].ExpiresAt != nil {
			t.Errorf("after rotations of one key at once there are %+v", keys)
		}
	})
}

func TestACachedKeyEndsOnTime(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db testDatabase) {
		clock := newSteady(noon)
		here, there := openStore(t, db.dsn, WithClock(clock.now)), openStore(t, db.dsn, WithClock(clock.now))
		leases := NewLeases(there)
		leases.now = clock.now
		old, _ := issue(t, here, "ana@example.cl", Institutional)
		answers := func(want bool, when string) {
			t.Helper()
			_, err := leases.Authenticate(testContext(t), old)
			if (err == nil) != want || err != nil && err != ErrInvalidKey {
				t.Errorf("%s: %v", when, err)
			}
		}
		answers(true, "before the rotation")
		_, _, _, err := here.RotateKey(testContext(t), "ana@example.cl", 1500*time.Millisecond)
		check(t, err)
		clock.advance(verifiedFor)
		answers(true, "within the overlap") // and knows the end from now on
		clock.advance(500*time.Millisecond - time.Millisecond)
		answers(true, "just before the end")
		clock.advance(time.Millisecond)
		answers(false, "at the end")
	})
}

func TestLinksFollowARotationAndEndWithAReplacement(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db testDatabase) {
		ctx, clock := testContext(t), newSteady(noon)
		s := openStore(t, db.dsn, WithClock(clock.now))
		_, old := issue(t, s, "ana@example.cl", Institutional, Named("sheets"))
		token, _, err := s.CreateAddressLink(ctx, "sheets", "/api/screener", 48*time.Hour)
		check(t, err)
		_, next, _, err := s.RotateKey(ctx, "sheets", time.Hour)
		check(t, err)
		for range 2 { // within the overlap and after it
			k, _, err := s.FollowLink(ctx, token)
			check(t, err)
			if k.ID != next.ID || k.Counter() != old.ID {
				t.Errorf("the link is counted on %+v, want %+v", k, next)
			}
			if _, _, err := s.CreateAddressLink(ctx, old.ID, "/api/screener", time.Hour); !errors.Is(err, ErrKeyEnds) &&
				!errors.Is(err, ErrNoSuchKey) {
				t.Errorf("a link of the old key: %v", err)
			}
			clock.advance(time.Hour)
		}
		issue(t, s, "ana@example.cl", Institutional, Named("sheets"))
		if _, _, err := s.FollowLink(ctx, token); !errors.Is(err, ErrNoAddressLink) {
			t.Errorf("a link of a key that was replaced: %v", err)
		}
	})
}

func TestOnlyKeysOfOperatorsRotateAndHaveScopes(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db testDatabase) {
		ctx := testContext(t)
		s := openStore(t, db.dsn)
		free, _ := issue(t, s, "ana@example.cl", Free, Named("mine"))
		issue(t, s, "beto@example.cl", Internal, Named("mine"))
		_, carla := issue(t, s, "carla@example.cl", Internal, Named("etl"))
		_, _, _, err := s.RotateKey(ctx, carla.ID, time.Hour)
		check(t, err)
		for meant, want := range map[string]string{free[len(free)-4:]: "registers again", "mine": "2 active keys match",
			"nobody": "no active key", "": "no active key", carla.ID: "was replaced"} {
			if _, _, _, err := s.RotateKey(ctx, meant, time.Hour); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("rotating %q: %v, want an error with %q", meant, err, want)
			}
		}
		for _, overlap := range []time.Duration{-time.Second, MaxOverlap + 1} {
			if _, _, _, err := s.RotateKey(ctx, "etl", overlap); err == nil {
				t.Errorf("an overlap of %s is taken", overlap)
			}
		}
		if _, _, err := s.CreateKey(ctx, "ana@example.cl", Free, ForScopes("read")); err == nil {
			t.Error("a free key with scopes is made")
		}
		// Of the tier free there is one key, whatever its name.
		issue(t, s, "ana@example.cl", Free, Named("another"))
		if _, err := s.Authenticate(ctx, free); err != ErrInvalidKey {
			t.Errorf("the earlier free key: %v", err)
		}
	})
}

func TestTheDayOnWhichAKeyWasUsedLastIsKept(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db testDatabase) {
		ctx, s := testContext(t), openStore(t, db.dsn)
		plaintext, key := issue(t, s, "ana@example.cl", Institutional, OwnQuota(1))
		used := func(want string) Key {
			t.Helper()
			k, err := s.Authenticate(ctx, plaintext)
			check(t, err)
			if k.UsedOn != want {
				t.Errorf("used on %q, want %q", k.UsedOn, want)
			}
			return k
		}
		_, err := s.Usage(ctx, key, noon)
		check(t, err)
		used("")
		leases := NewLeases(s)
		for _, day := range []int{2, 0, 1} { // a request that began before midnight changes nothing
			_, err := leases.Spend(ctx, key, noon.AddDate(0, 0, day))
			check(t, err)
		}
		key = used("2026-07-17")
		_, err = s.Spend(ctx, key, noon.AddDate(0, 0, 3))
		check(t, err)
		used("2026-07-18")
		check(t, leases.Stop(ctx))
	})
}

func TestKeysOfEarlierVersionsStayAsTheyWere(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db testDatabase) {
		ctx, dialect := testContext(t), goose.DialectSQLite3
		if strings.HasPrefix(db.dsn, "postgres") {
			dialect = goose.DialectPostgres
		}
		files, err := fs.Sub(migrationFiles, "sql/migrations")
		check(t, err)
		earlier, err := goose.NewProvider(dialect, db.raw, files, goose.WithTableName("account_migrations"),
			goose.WithDisableGlobalRegistry(true))
		check(t, err)
		_, err = earlier.UpTo(ctx, 8)
		check(t, err)
		probe, err := connect(db.dsn, testPepper)
		check(t, err)
		plaintext := newPlaintext()
		for _, statement := range []string{
			"INSERT INTO accounts VALUES ('a', 'ana@example.cl', 0, FALSE, FALSE, NULL)",
			"INSERT INTO api_keys VALUES ('k', 'a', '" + probe.digest(plaintext) +
				"', 'last', NULL, 'institutional', 9, TRUE, 0, NULL, NULL)",
			"INSERT INTO daily_usage VALUES ('k', '2026-07-15', 4)",
		} {
			_, err := db.raw.ExecContext(ctx, statement)
			check(t, err)
		}
		check(t, probe.Close())

		s := openStore(t, db.dsn)
		k, err := s.Authenticate(ctx, plaintext)
		check(t, err)
		want := Key{ID: "k", Last4: "last", Tier: Institutional, OwnQuota: limitOf(9), QuotaEnforced: true,
			CreatedAt: time.UnixMilli(0).UTC()}
		if diff := cmp.Diff(want, k); diff != "" {
			t.Error(diff)
		}
		_, next, _, err := s.RotateKey(ctx, "k", time.Hour)
		check(t, err)
		if u, err := s.Usage(ctx, next, noon); err != nil || u.Used != 4 || *u.Limit != 9 {
			t.Errorf("after a rotation: %+v, %v", u, err)
		}
		// The database keeps to one free key, whatever the program does.
		var failed error
		for i := range 2 {
			_, failed = db.raw.ExecContext(ctx, "INSERT INTO api_keys (id, account_id, digest, last4, name, tier, "+
				"quota_enforced, created_at, expires_at) VALUES ($1, 'a', $2, 'last', $1, 'free', TRUE, 0, $3)",
				string(rune('x'+i)), strings.Repeat(string(rune('x'+i)), 64), sql.NullInt64{Int64: 1, Valid: i == 1})
		}
		if failed == nil {
			t.Error("an account has two free keys")
		}
	})
}
