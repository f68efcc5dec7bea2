package account

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"cuota/internal/account/accounttest"
)

// place returns the DSN and the pepper's path of a store that does not exist yet.
func place(t *testing.T) (dsn, file, pepper string) {
	t.Helper()
	dir := t.TempDir()
	file = filepath.Join(dir, "accounts.db")
	return accounttest.SQLiteDSN(file), file, filepath.Join(dir, "pepper")
}

func openAt(t *testing.T, dsn, pepper string) (*Store, error) {
	t.Helper()
	return OpenAt(testContext(t), dsn, pepper, WithTimeout(patience))
}

func TestAFirstOpenMakesTheStoreAndThenThePepper(t *testing.T) {
	dsn, _, pepper := place(t)
	for range 2 {
		s, err := openAt(t, dsn, pepper)
		check(t, err)
		check(t, s.Answers(testContext(t)))
		check(t, s.Close())
	}
	if _, err := os.Stat(firstPepper(pepper)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the first name of the pepper is left: %v", err)
	}
}

func TestAPepperWithoutItsStoreIsRefused(t *testing.T) {
	for name, lose := range map[string]func(string) error{
		"absent": os.Remove,
		"empty":  func(file string) error { return os.Truncate(file, 0) },
	} {
		t.Run(name, func(t *testing.T) {
			dsn, file, pepper := place(t)
			s, err := openAt(t, dsn, pepper)
			check(t, err)
			check(t, s.Close())
			check(t, lose(file))
			if err := Check(testContext(t), dsn, pepper); !errors.Is(err, ErrStoreLost) {
				t.Errorf("the check says %v", err)
			}
			for range 2 {
				if _, err := openAt(t, dsn, pepper); !errors.Is(err, ErrStoreLost) {
					t.Fatalf("it opened with %v", err)
				}
			}
			s, err = Init(testContext(t), dsn, pepper, WithTimeout(patience))
			check(t, err)
			check(t, s.Close())
			s, err = openAt(t, dsn, pepper)
			check(t, err)
			check(t, s.Close())
		})
	}
}

func TestAFirstOpenThatWasKilledIsTakenUpByTheNext(t *testing.T) {
	dsn, _, pepper := place(t)
	// The process ended after the store knew its pepper and before the pepper had its name.
	first, err := LoadPepper(firstPepper(pepper))
	check(t, err)
	s, err := Open(testContext(t), dsn, first, WithTimeout(patience))
	check(t, err)
	key, _ := issue(t, s, "ana@example.cl", Free)
	check(t, s.Close())
	s, err = openAt(t, dsn, pepper)
	check(t, err)
	if _, err := s.Authenticate(testContext(t), key); err != nil {
		t.Errorf("the key of before: %v", err)
	}
	check(t, s.Close())
}

func TestProcessesThatOpenANewStoreAtOnceHaveOnePepper(t *testing.T) {
	dsn, _, pepper := place(t)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			s, err := OpenAt(context.Background(), dsn, pepper, WithTimeout(patience))
			if err == nil {
				err = s.Close()
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	s, err := openAt(t, dsn, pepper)
	check(t, err)
	check(t, s.Close())
}

func TestADamagedStoreIsNeitherOpenedNorCopied(t *testing.T) {
	dsn, file, pepper := place(t)
	s, err := openAt(t, dsn, pepper)
	check(t, err)
	for _, owner := range []string{"ana@example.cl", "beto@example.cl"} {
		issue(t, s, owner, Free)
	}
	check(t, emptySQLiteLog(testContext(t), s.command))
	check(t, s.Close())
	check(t, Check(testContext(t), dsn, pepper))
	whole, err := os.ReadFile(file)
	check(t, err)
	for name, damage := range map[string]func([]byte) []byte{
		"cut":          func(b []byte) []byte { return b[:len(b)/2] },
		"overwritten":  func(b []byte) []byte { copy(b[4096:], strings.Repeat("\xff", 3*4096)); return b },
		"another file": func([]byte) []byte { return []byte(strings.Repeat("no database ", 1000)) },
	} {
		t.Run(name, func(t *testing.T) {
			check(t, os.WriteFile(file, damage([]byte(string(whole))), 0o600))
			damaged := (*DamagedError)(nil)
			if _, err := openAt(t, dsn, pepper); !errors.As(err, &damaged) ||
				!strings.Contains(err.Error(), "restore it from a backup") {
				t.Errorf("it opened with %v", err)
			}
			if err := CopySQLite(testContext(t), dsn, filepath.Join(t.TempDir(), "copy.db")); !errors.As(err,
				&damaged) {
				t.Errorf("it was copied with %v", err)
			}
		})
	}
}
