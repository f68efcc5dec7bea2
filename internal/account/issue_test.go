package account

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestAnIssuedKeyAuthenticatesAsItself(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db testDatabase) {
		at := time.Date(2026, 9, 6, 3, 59, 59, 987_654_321, time.UTC)
		s := openStore(t, db.dsn, WithClock(func() time.Time { return at }))
		plaintext, created, err := s.CreateKey(testContext(t), "ana@example.cl", Institutional, Named("Ñandú research"),
			OwnQuota(40_000))
		check(t, err)
		found, err := s.Authenticate(testContext(t), plaintext)
		check(t, err)
		if diff := cmp.Diff(created, found); diff != "" {
			t.Errorf("created and found differ:\n%s", diff)
		}
		quota := int64(40_000)
		want := Key{
			ID: created.ID, Last4: plaintext[len(plaintext)-4:], Name: "Ñandú research", Tier: Institutional,
			OwnQuota: &quota, QuotaEnforced: true, CreatedAt: at.Truncate(time.Millisecond),
		}
		if diff := cmp.Diff(want, found); diff != "" {
			t.Errorf("want, found:\n%s", diff)
		}
	})
}

func TestAKeyIsValidInEveryStoreOnTheDatabaseAndAfterReopening(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db testDatabase) {
		first := openStore(t, db.dsn)
		plaintext, k := issue(t, first, "ana@example.cl", Free)
		second := openStore(t, db.dsn)
		found, err := second.Authenticate(testContext(t), plaintext)
		check(t, err)
		if diff := cmp.Diff(k, found); diff != "" {
			t.Error(diff)
		}
	})
}

func TestMalformedUnknownAndRevokedKeysGiveOneError(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db testDatabase) {
		s := openStore(t, db.dsn)
		revoked, _ := issue(t, s, "ana@example.cl", Free)
		issue(t, s, "ana@example.cl", Free)
		for name, presented := range map[string]string{
			"empty": "", "malformed": "cuota_x", "hostile": "cuota_' OR 1=1 --", "unknown": newPlaintext(),
			"revoked": revoked,
		} {
			k, err := s.Authenticate(testContext(t), presented)
			if err != ErrInvalidKey {
				t.Errorf("%s: error %v, want exactly ErrInvalidKey", name, err)
			}
			if k != (Key{}) {
				t.Errorf("%s: a key came with the error: %+v", name, k)
			}
		}
	})
}

func TestAnEmailHasOneActiveKeyOfEachTier(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db testDatabase) {
		s := openStore(t, db.dsn)
		var live []string
		for _, tier := range []Tier{Free, Institutional, Internal} {
			earlier, _ := issue(t, s, "ana@example.cl", tier)
			later, _ := issue(t, s, "  ANA@Example.CL\n", tier)
			if _, err := s.Authenticate(testContext(t), earlier); err != ErrInvalidKey {
				t.Errorf("%s: the earlier key gives %v, want ErrInvalidKey", tier, err)
			}
			live = append(live, later)
		}
		other, _ := issue(t, s, "eva@example.cl", Free)
		for _, plaintext := range append(live, other) { // no tier and no other address revokes the key
			if _, err := s.Authenticate(testContext(t), plaintext); err != nil {
				t.Error(err)
			}
		}
	})
}

func TestKeysCreatedAtOnceForOneEmailLeaveOneActive(t *testing.T) {
	const rounds = 60
	eachDatabase(t, func(t *testing.T, db testDatabase) {
		stores := []*Store{openStore(t, db.dsn), openStore(t, db.dsn)}
		plaintexts := make([]string, rounds)
		var wg sync.WaitGroup
		for i := range rounds {
			wg.Go(func() {
				var err error
				plaintexts[i], _, err = stores[i%2].CreateKey(testContext(t), "ana@example.cl", Free)
				if err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		active := 0
		for _, plaintext := range plaintexts {
			switch _, err := stores[0].Authenticate(testContext(t), plaintext); err {
			case nil:
				active++
			case ErrInvalidKey:
			default:
				t.Error(err)
			}
		}
		if active != 1 {
			t.Errorf("%d keys are active, want 1", active)
		}
	})
}

func TestAFailedCreationLeavesTheEarlierKeyActive(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db testDatabase) {
		s := openStore(t, db.dsn)
		plaintext, _ := issue(t, s, "ana@example.cl", Free)
		// A digest that exists already makes the last statement of the transaction fail.
		stuck := *s
		taken := s.digest(plaintext)
		stuck.digest = func(string) string { return taken }
		if _, _, err := stuck.CreateKey(testContext(t), "ana@example.cl", Free); err == nil {
			t.Fatal("a key with a digest that exists was created")
		}
		if _, err := s.Authenticate(testContext(t), plaintext); err != nil {
			t.Errorf("the earlier key was lost: %v", err)
		}
	})
}

func TestWhatACallerChoosesForAKeyIsChecked(t *testing.T) {
	s := openStore(t, newSQLite(t).dsn)
	for name, create := range map[string]func() error{
		"no such tier": func() error { _, _, err := s.CreateKey(testContext(t), "a@b.cl", "gold"); return err },
		"no quota": func() error {
			_, _, err := s.CreateKey(testContext(t), "a@b.cl", Free, OwnQuota(0))
			return err
		},
		"long name": func() error {
			_, _, err := s.CreateKey(testContext(t), "a@b.cl", Free, Named(strings.Repeat("x", 201)))
			return err
		},
		"name with a line": func() error {
			_, _, err := s.CreateKey(testContext(t), "a@b.cl", Free, Named("a\nb"))
			return err
		},
		"name not UTF-8": func() error {
			_, _, err := s.CreateKey(testContext(t), "a@b.cl", Free, Named("\xff"))
			return err
		},
	} {
		if create() == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	if _, _, err := s.CreateKey(testContext(t), "not an address", Free); !errors.Is(err, ErrInvalidEmail) {
		t.Errorf("error %v, want ErrInvalidEmail", err)
	}
}
