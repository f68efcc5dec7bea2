package account

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAReplacedPepperEndsKeysAndKeepsAccounts(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db testDatabase) {
		ctx := testContext(t)
		path := filepath.Join(t.TempDir(), "pepper")
		check(t, os.WriteFile(path, testPepper, 0o600))
		s := openStore(t, db.dsn)
		key, _ := issue(t, s, "ana@example.cl", Free)
		before, err := s.OwnedKeys(ctx, noon, true)
		check(t, err)
		check(t, s.Close())

		revoked, err := ReplacePepper(ctx, db.dsn, path)
		if err != nil || revoked != 1 {
			t.Fatalf("%d keys revoked, %v", revoked, err)
		}
		if _, err := Open(ctx, db.dsn, testPepper); err == nil {
			t.Error("the store opens with the old pepper")
		}
		reopen := func() *Store {
			pepper, err := LoadPepper(path)
			check(t, err)
			s, err := Open(ctx, db.dsn, pepper)
			check(t, err)
			return s
		}
		s = reopen()
		if _, err := s.Authenticate(ctx, key); !errors.Is(err, ErrInvalidKey) {
			t.Errorf("the old key gives %v", err)
		}
		after, err := s.OwnedKeys(ctx, noon, true)
		check(t, err)
		if len(after) != len(before) || after[0].Email != before[0].Email || after[0].RevokedAt == nil {
			t.Errorf("the keys are %+v, and were %+v", after, before)
		}
		key, _ = issue(t, s, "ana@example.cl", Free)
		check(t, s.Close())

		// The process ended before the new file was renamed: another run does that. Keys that
		// were created meanwhile are revoked too.
		check(t, os.Rename(path, path+".next"))
		check(t, os.WriteFile(path, testPepper, 0o600))
		_, err = ReplacePepper(ctx, db.dsn, path)
		check(t, err)
		s = reopen()
		defer func() { check(t, s.Close()) }()
		if _, err := s.Authenticate(ctx, key); !errors.Is(err, ErrInvalidKey) {
			t.Errorf("the key gives %v", err)
		}
		if _, err := os.Stat(path + ".next"); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the new pepper is still beside its place: %v", err)
		}
	})
}

func TestWithAReplacedPepperNobodyIsSignedInAndNoMailWaits(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db testDatabase) {
		ctx := testContext(t)
		path := filepath.Join(t.TempDir(), "pepper")
		check(t, os.WriteFile(path, testPepper, 0o600))
		s := openStore(t, db.dsn)
		issue(t, s, "ana@example.cl", Free)
		for _, row := range []string{
			"INSERT INTO sessions (digest, account_id, created_at, seen_at) SELECT 'DIGEST', id, 1, 1 FROM accounts",
			"INSERT INTO identities (digest, issuer, account_id, bound_at) SELECT 'DIGEST', 'issuer', id, 1 FROM " +
				"accounts",
			"INSERT INTO links (digest, purpose, email, return_url, expires_at) VALUES ('DIGEST', 'sign_in', " +
				"'ana@example.cl', '', 1)",
			"INSERT INTO outbox (id, recipient, sealed, created_at, due_at, attempts) VALUES ('a', 'DIGEST', " +
				"'sealed', 1, 1, 0)",
		} {
			_, err := s.command.ExecContext(ctx, strings.ReplaceAll(row, "DIGEST", strings.Repeat("d", 64)))
			check(t, err)
		}
		check(t, s.Close())
		_, err := ReplacePepper(ctx, db.dsn, path)
		check(t, err)
		pepper, err := LoadPepper(path)
		check(t, err)
		s, err = Open(ctx, db.dsn, pepper)
		check(t, err)
		defer func() { check(t, s.Close()) }()
		for _, left := range []string{"sessions", "identities", "links", "outbox WHERE sealed IS NOT NULL"} {
			var count int
			check(t, s.read.QueryRowContext(ctx, "SELECT count(*) FROM "+left).Scan(&count))
			if count != 0 {
				t.Errorf("%d rows are left in %s", count, left)
			}
		}
	})
}
