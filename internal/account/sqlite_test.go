package account

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cuota/internal/account/accounttest"
)

func TestTheKeyIsNowhereInTheDatabaseFiles(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, accounttest.SQLiteDSN(filepath.Join(dir, "accounts.db")))
	plaintext, k := issue(t, s, "ana@example.cl", Free)
	_, err := s.Spend(testContext(t), k, noon)
	check(t, err)

	search := func(when string, sought ...string) map[string]bool {
		found := map[string]bool{}
		files, err := filepath.Glob(filepath.Join(dir, "*"))
		check(t, err)
		for _, file := range files {
			content, err := os.ReadFile(file)
			if errors.Is(err, os.ErrNotExist) {
				continue
			}
			check(t, err)
			for _, text := range sought {
				if bytes.Contains(content, []byte(text)) {
					found[text] = true
				}
			}
		}
		if !found[s.digest(plaintext)] {
			t.Errorf("%s: the search sees nothing: not even the digest was found", when)
		}
		return found
	}
	secret := plaintext[6:49]
	sought := []string{plaintext, secret, secret[:16], secret[27:], string(testPepper), s.digest(plaintext)}
	// First in the write-ahead log, then in the file itself, into which closing
	// folds the log.
	for _, when := range []string{"open", "closed"} {
		if when == "closed" {
			check(t, s.Close())
		}
		for text := range search(when, sought...) {
			if text != s.digest(plaintext) {
				t.Errorf("%s: a part of the key or the pepper is stored", when)
			}
		}
	}
}

func TestTheDatabaseFilesAreTheirOwnersOnly(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, accounttest.SQLiteDSN(filepath.Join(dir, "accounts.db")))
	issue(t, s, "ana@example.cl", Free)
	files, err := filepath.Glob(filepath.Join(dir, "accounts.db*"))
	check(t, err)
	seen := 0
	for _, file := range files {
		if strings.HasSuffix(file, ".migrating") { // always empty
			continue
		}
		info, err := os.Stat(file)
		check(t, err)
		if info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %04o, want 0600", filepath.Base(file), info.Mode().Perm())
		}
		seen++
	}
	if seen < 2 {
		t.Errorf("%d files seen, want the database and its log", seen)
	}
}

func TestAReplacedFileIsNotTheStoreAnyMore(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "accounts.db")
	s := openStore(t, accounttest.SQLiteDSN(path))
	plaintext, k := issue(t, s, "ana@example.cl", Free)
	other := openStore(t, accounttest.SQLiteDSN(filepath.Join(dir, "other.db")))
	check(t, other.Close())
	check(t, os.Rename(filepath.Join(dir, "other.db"), path))
	if _, err := s.Authenticate(testContext(t), plaintext); err == nil || errors.Is(err, ErrInvalidKey) {
		t.Errorf("Authenticate: %v", err)
	}
	if _, err := s.Spend(testContext(t), k, noon); err == nil {
		t.Error("Spend gave no error")
	}
}

func TestAnyFileNameIsThatFile(t *testing.T) {
	for _, name := range []string{"with space.db", "per%cent.db", "per%20cent.db", "question?mode=memory.db", "hash#.db", "ñ&=+.db"} {
		path := filepath.Join(t.TempDir(), name)
		s := openStore(t, accounttest.SQLiteDSN(path))
		issue(t, s, "ana@example.cl", Free)
		if info, err := os.Stat(path); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestKeysAreDurableAndCountsAreFast(t *testing.T) {
	s := openStore(t, newSQLite(t).dsn)
	for pragma, want := range map[string]string{"synchronous": "2", "foreign_keys": "1", "journal_mode": "wal"} {
		var got string
		check(t, s.command.QueryRowContext(testContext(t), "PRAGMA "+pragma).Scan(&got))
		if got != want {
			t.Errorf("commands: %s is %s, want %s", pragma, got, want)
		}
	}
	for pragma, want := range map[string]string{"synchronous": "1", "foreign_keys": "1", "journal_mode": "wal"} {
		var got string
		check(t, s.count.QueryRowContext(testContext(t), "PRAGMA "+pragma).Scan(&got))
		if got != want {
			t.Errorf("counts: %s is %s, want %s", pragma, got, want)
		}
	}
	if _, err := s.read.ExecContext(testContext(t), "DELETE FROM daily_usage"); err == nil {
		t.Error("the reading pool can write")
	}
}

func TestSomethingThatIsNoDatabaseIsAnError(t *testing.T) {
	dir := t.TempDir()
	garbage := filepath.Join(dir, "garbage.db")
	check(t, os.WriteFile(garbage, bytes.Repeat([]byte("no database "), 1000), 0o600))
	for _, path := range []string{garbage, dir, filepath.Join(dir, "absent", "accounts.db")} {
		if s, err := Open(testContext(t), accounttest.SQLiteDSN(path), testPepper); err == nil {
			check(t, s.Close())
			t.Errorf("%s opened", path)
		}
	}
}
