package account

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"cuota/internal/account/accounttest"
)

func TestACopyOfTheAccountsIsWholeWhileKeysAreMade(t *testing.T) {
	t.Chdir(t.TempDir())
	dsn := accounttest.SQLiteDSN(filepath.Join(t.TempDir(), "accounts.db"))
	s := openStore(t, dsn)
	key, _ := issue(t, s, "ana@example.cl", Free)
	made := make(chan struct{})
	go func() {
		defer close(made)
		for _, tier := range []Tier{Institutional, Internal, Free} {
			if _, _, err := s.CreateKey(testContext(t), "beto@example.cl", tier); err != nil {
				t.Error(err)
			}
		}
	}()
	check(t, CopySQLite(testContext(t), dsn, "copy.db")) // a relative path
	<-made
	info, err := os.Stat("copy.db")
	check(t, err)
	content, err := os.ReadFile("copy.db")
	check(t, err)
	if info.Mode().Perm() != 0o600 || bytes.Contains(content, testPepper) {
		t.Errorf("the copy has mode %04o, and the pepper is in it: %t", info.Mode().Perm(),
			bytes.Contains(content, testPepper))
	}
	path, err := filepath.Abs("copy.db")
	check(t, err)
	copied := openStore(t, accounttest.SQLiteDSN(path))
	if _, err := copied.Authenticate(testContext(t), key); err != nil {
		t.Errorf("the key that was made before: %v", err)
	}
	if err := CopySQLite(testContext(t), dsn, "copy.db"); err == nil {
		t.Error("a file that is there was overwritten")
	}
}

// docs/operations.md copies the rows of every table to PostgreSQL by name. Tables that the new
// store fills itself are not among them.
func TestTheDocumentedMoveToPostgreSQLNamesEveryTable(t *testing.T) {
	text, err := os.ReadFile("../../docs/operations.md")
	check(t, err)
	loop := regexp.MustCompile(`(?m)^for table in ([a-z_ ]+); do$`).FindSubmatch(text)
	if loop == nil {
		t.Fatal("docs/operations.md has no loop over the tables")
	}
	named := append(strings.Fields(string(loop[1])), "pepper_fingerprint", "account_migrations")
	s := openStore(t, accounttest.SQLiteDSN(filepath.Join(t.TempDir(), "accounts.db")))
	rows, err := s.read.QueryContext(testContext(t),
		"SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
	check(t, err)
	defer func() { check(t, rows.Close()) }()
	var tables []string
	for rows.Next() {
		var table string
		check(t, rows.Scan(&table))
		tables = append(tables, table)
	}
	check(t, rows.Err())
	slices.Sort(named)
	slices.Sort(tables)
	if !slices.Equal(named, tables) {
		t.Errorf("the document names %v, and the store has %v", named, tables)
	}
}
