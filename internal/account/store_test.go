package account

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"cuota/internal/account/accounttest"

	"github.com/google/go-cmp/cmp"
)

func TestAnIssuedKeyAuthenticatesAsItself(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db testDatabase) {
		at := time.Date(2026, 9, 6, 3, 59, 59, 987_654_321, time.UTC)
		s := openStore(t, db.dsn, WithClock(func() time.Time { return at }))
		plaintext, created, err := s.CreateKey(testContext(t), "ana@example.cl", Institutional, Named("Ñandú research"), OwnQuota(40_000))
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
			"empty": "", "malformed": "cuota_x", "hostile": "cuota_' OR 1=1 --", "unknown": newPlaintext(), "revoked": revoked,
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
		"no quota":     func() error { _, _, err := s.CreateKey(testContext(t), "a@b.cl", Free, OwnQuota(0)); return err },
		"long name": func() error {
			_, _, err := s.CreateKey(testContext(t), "a@b.cl", Free, Named(strings.Repeat("x", 201)))
			return err
		},
		"name with a line": func() error { _, _, err := s.CreateKey(testContext(t), "a@b.cl", Free, Named("a\nb")); return err },
		"name not UTF-8":   func() error { _, _, err := s.CreateKey(testContext(t), "a@b.cl", Free, Named("\xff")); return err },
	} {
		if create() == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	if _, _, err := s.CreateKey(testContext(t), "not an address", Free); !errors.Is(err, ErrInvalidEmail) {
		t.Errorf("error %v, want ErrInvalidEmail", err)
	}
}

// If the store can't be read, a key must never look invalid.
func TestALostStoreIsNeverAnInvalidKey(t *testing.T) {
	drop := func(t *testing.T, db testDatabase, _ *Store) {
		for _, table := range []string{"daily_usage", "api_keys"} {
			_, err := db.raw.ExecContext(testContext(t), "DROP TABLE "+table)
			check(t, err)
		}
	}
	for name, lose := range map[string]func(*testing.T, testDatabase, *Store){
		"taken away":      func(_ *testing.T, db testDatabase, _ *Store) { db.remove() },
		"closed":          func(t *testing.T, _ testDatabase, s *Store) { check(t, s.Close()) },
		"tables are gone": drop,
	} {
		t.Run(name, func(t *testing.T) {
			eachDatabase(t, func(t *testing.T, db testDatabase) {
				s := openStore(t, db.dsn)
				plaintext, k := issue(t, s, "ana@example.cl", Free)
				_, err := s.Spend(testContext(t), k, noon)
				check(t, err)
				lose(t, db, s)
				for what, presented := range map[string]string{"valid": plaintext, "unknown": newPlaintext()} {
					if _, err := s.Authenticate(testContext(t), presented); err == nil || errors.Is(err, ErrInvalidKey) {
						t.Errorf("Authenticate with a %s key: error %v", what, err)
					} else if strings.Contains(err.Error(), presented) {
						t.Errorf("the error shows the key: %v", err)
					}
				}
				if u, err := s.Spend(testContext(t), k, noon); err == nil || errors.Is(err, ErrInvalidKey) || u.Allowed {
					t.Errorf("Spend: %+v, error %v", u, err)
				}
				if _, err := s.Usage(testContext(t), k, noon); err == nil {
					t.Error("Usage gave no error")
				}
				if _, _, err := s.CreateKey(testContext(t), "eva@example.cl", Free); err == nil {
					t.Error("CreateKey gave no error")
				}
			})
		})
	}
}

func TestALockedStoreRefusesInTimeAndRecovers(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db testDatabase) {
		s := openStore(t, db.dsn)
		plaintext, k := issue(t, s, "ana@example.cl", Free)
		impatient := openStore(t, db.dsn, WithTimeout(100*time.Millisecond))

		blocker, err := db.raw.Conn(testContext(t))
		check(t, err)
		defer func() { check(t, blocker.Close()) }()
		for _, statement := range db.lockAll {
			_, err := blocker.ExecContext(testContext(t), statement)
			check(t, err)
		}
		if u, err := impatient.Spend(testContext(t), k, noon); err == nil || u.Allowed {
			t.Errorf("Spend: %+v, error %v", u, err)
		}
		if _, _, err := impatient.CreateKey(context.WithoutCancel(testContext(t)), "eva@example.cl", Free); err == nil {
			t.Error("CreateKey succeeded while everything was locked")
		}
		// SQLite's readers do not wait for a writer; PostgreSQL's wait for this lock.
		if _, err := impatient.Authenticate(testContext(t), plaintext); errors.Is(err, ErrInvalidKey) {
			t.Error("Authenticate took a lock for an invalid key")
		}
		_, err = blocker.ExecContext(testContext(t), "ROLLBACK")
		check(t, err)

		u, err := s.Spend(testContext(t), k, noon)
		check(t, err)
		if u.Used != 1 {
			t.Errorf("used %d after the lock, want 1: what was refused was counted", u.Used)
		}
	})
}

func TestAnEndedContextIsAnErrorAndCountsNothing(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db testDatabase) {
		s := openStore(t, db.dsn)
		plaintext, k := issue(t, s, "ana@example.cl", Free)
		ended, cancel := context.WithCancel(testContext(t))
		cancel()
		if _, err := s.Authenticate(ended, plaintext); !errors.Is(err, context.Canceled) {
			t.Errorf("Authenticate: %v", err)
		}
		if _, err := s.Spend(ended, k, noon); !errors.Is(err, context.Canceled) {
			t.Errorf("Spend: %v", err)
		}
		u, err := s.Usage(testContext(t), k, noon)
		check(t, err)
		if u.Used != 0 {
			t.Errorf("used %d, want 0", u.Used)
		}
	})
}

func TestStoresOpenedAtOnceMigrateOnce(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db testDatabase) {
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				s, err := Open(testContext(t), db.dsn, testPepper)
				if err != nil {
					t.Error(err)
					return
				}
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		var applied, distinct int
		check(t, db.raw.QueryRowContext(testContext(t),
			"SELECT count(*), count(DISTINCT version_id) FROM account_migrations").Scan(&applied, &distinct))
		if applied != distinct || applied < 2 {
			t.Errorf("%d migrations recorded, %d of them distinct", applied, distinct)
		}
	})
}

func TestAnOlderProgramRefusesANewerSchema(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db testDatabase) {
		openStore(t, db.dsn)
		_, err := db.raw.ExecContext(testContext(t), "INSERT INTO account_migrations (version_id, is_applied) VALUES (9999, TRUE)")
		check(t, err)
		if s, err := Open(testContext(t), db.dsn, testPepper); err == nil {
			check(t, s.Close())
			t.Error("opened")
		}
	})
}

func TestAStoreOpensOnlyWithItsOwnPepper(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db testDatabase) {
		openStore(t, db.dsn)
		other := append([]byte(nil), testPepper...)
		other[31] ^= 1
		s, err := Open(testContext(t), db.dsn, other)
		if err == nil {
			check(t, s.Close())
			t.Fatal("opened with another pepper")
		}
		if !strings.Contains(err.Error(), "restore the pepper file") {
			t.Errorf("the error tells no way out: %v", err)
		}
	})
}

func TestOpenRefusesWhatItCanNotUseWithoutRepeatingIt(t *testing.T) {
	for _, dsn := range []string{
		"", "accounts.db", "/var/lib/accounts.db", "mysql://u:hunter2@h/d",
		"sqlite://accounts.db", "sqlite:accounts.db", "sqlite:///a/accounts.db?mode=memory", "sqlite://u:hunter2@/a.db",
		"postgres://u:hunter2@h:port/d", "postgres://u:hun ter2@h:1/d", "postgres://u:hunter2@h:5432/d?sslmode=perhaps",
		"postgres://u:hunter2@127.0.0.1:1/d?sslmode=disable",
	} {
		s, err := Open(testContext(t), dsn, testPepper)
		if err == nil {
			check(t, s.Close())
			t.Errorf("%q opened", dsn)
		} else if strings.Contains(err.Error(), "ter2") {
			t.Errorf("the error shows the password: %v", err)
		}
	}
	if _, err := Open(testContext(t), accounttest.SQLiteDSN(filepath.Join(t.TempDir(), "a.db")), testPepper[:31]); err == nil {
		t.Error("a pepper of 31 bytes was accepted")
	}
}

func TestNoWayOfPrintingShowsASecret(t *testing.T) {
	db := newSQLite(t)
	const pepper = "pepperpepperpepperpepperpepper!!"
	s, err := Open(testContext(t), db.dsn, []byte(pepper))
	check(t, err)
	t.Cleanup(func() { check(t, s.Close()) })
	plaintext, k := issue(t, s, "ana@example.cl", Free)

	var printed strings.Builder
	logger := slog.New(slog.NewJSONHandler(&printed, nil))
	for _, v := range []any{s, *s, k, &k} {
		fmt.Fprintf(&printed, "%v %+v %#v %s %x\n", v, v, v, v, v)
		if b, err := json.Marshal(v); err == nil {
			printed.Write(b)
		}
		logger.Info("x", "v", v)
	}
	_, err = s.Authenticate(testContext(t), plaintext+"x")
	fmt.Fprintf(&printed, "%v", err)
	for name, secret := range map[string]string{
		"the pepper":            pepper,
		"the pepper as numbers": fmt.Sprint([]byte(pepper))[1:20],
		"the pepper in hex":     fmt.Sprintf("%x", pepper)[:20],
		"the key":               plaintext[:40],
		"the digest":            s.digest(plaintext),
		"the e-mail":            "ana@",
	} {
		if strings.Contains(printed.String(), secret) {
			t.Errorf("%s is shown", name)
		}
	}
	if !strings.Contains(printed.String(), k.ID) {
		t.Error("the check sees nothing: not even the key's id was printed")
	}
}
