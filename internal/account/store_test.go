package account

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"cuota/internal/account/accounttest"
)

// If the store can't be read, a key must never look invalid.
func TestALostStoreIsNeverAnInvalidKey(t *testing.T) {
	drop := func(t *testing.T, db testDatabase, _ *Store) {
		for _, table := range []string{"daily_usage", "address_links", "api_keys"} {
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
					if _, err := s.Authenticate(testContext(t), presented); err == nil ||
						errors.Is(err, ErrInvalidKey) {
						t.Errorf("Authenticate with a %s key: error %v", what, err)
					} else if strings.Contains(err.Error(), presented) {
						t.Errorf("the error shows the key: %v", err)
					}
				}
				if u, err := s.Spend(testContext(t), k, noon); err == nil || errors.Is(err, ErrInvalidKey) ||
					u.Allowed {
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
		_, err := db.raw.ExecContext(testContext(t),
			"INSERT INTO account_migrations (version_id, is_applied) VALUES (9999, TRUE)")
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
	if _, err := Open(testContext(t), accounttest.SQLiteDSN(filepath.Join(t.TempDir(), "a.db")),
		testPepper[:31]); err == nil {
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

// Two transactions lock two rows in opposite order, so that each waits for the other's row. The
// database rolls one of them back, and its caller must not notice that.
func TestATransactionThatLosesToAnotherIsRunAgain(t *testing.T) {
	db := newPostgres(t)
	s := openStore(t, db.dsn)
	_, ana := signedIn(t, s, "ana@example.cl")
	_, eva := signedIn(t, s, "eva@example.cl")
	var runs atomic.Int64
	var met sync.WaitGroup
	met.Add(2)
	var wg sync.WaitGroup
	for _, order := range [][]string{{ana.ID, eva.ID}, {eva.ID, ana.ID}} {
		wg.Go(func() {
			first := true
			err := s.Transact(testContext(t), func(ctx context.Context, tx *sql.Tx) error {
				runs.Add(1)
				if err := tx.QueryRowContext(testContext(t), statement("lock_account"),
					order[0]).Scan(new(string)); err != nil {
					return err
				}
				if first {
					first = false
					met.Done()
					met.Wait()
				}
				return tx.QueryRowContext(testContext(t), statement("lock_account"), order[1]).Scan(new(string))
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := runs.Load(); n < 3 {
		t.Errorf("two transactions ran %d times: none of them again", n)
	}
}
