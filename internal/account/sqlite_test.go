package account

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cuota/internal/account/accounttest"
	"cuota/internal/mail"
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
	// First in the write-ahead log, then in the database file, into which closing moves the
	// log.
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
	for _, name := range []string{"with space.db", "per%cent.db", "per%20cent.db", "question?mode=memory.db",
		"hash#.db", "ñ&=+.db"} {
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

// inFiles returns those of the texts that are in any file beside the database.
func inFiles(t testing.TB, dir string, texts ...string) (found []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	check(t, err)
	for _, file := range files {
		content, err := os.ReadFile(file)
		check(t, err)
		for _, text := range texts {
			if bytes.Contains(content, []byte(text)) {
				found = append(found, text+" in "+filepath.Base(file))
			}
		}
	}
	return found
}

// All data of the person is written several times and deleted in several ways, among rows of
// other people that fill and empty pages.
func TestWhoIsForgottenIsInNoFileOfTheDatabase(t *testing.T) {
	dir := t.TempDir()
	clock := newSteady(noon)
	s := openStore(t, accounttest.SQLiteDSN(filepath.Join(dir, "accounts.db")), WithClock(clock.now))
	outbox, err := mail.NewOutbox(s, clock.now)
	check(t, err)
	const address, series, name, subject = "unmistakable.person@example.cl", "4242424242", "the key of nobody else",
		"subject-of-nobody-else"
	yes := true
	live := func(email, series, name, subject string) Person {
		var link string
		for _, purpose := range []Purpose{Register, SignIn, SignIn} {
			check(t, s.MailLink(testContext(t),
				LinkRequest{Purpose: purpose, Email: email, Network: email, ReturnURL: "https://x"}, outbox,
				func(token string) mail.Message { link = token; return mail.Message{Subject: "x", Text: "x"} }))
		}
		issue(t, s, email, Free, Named(name))
		session, _, err := s.SignIn(testContext(t), link, "")
		check(t, err)
		p, err := s.Session(testContext(t), session)
		check(t, err)
		check(t, s.Watch(testContext(t), p.ID, series))
		_, err = s.SetPreferences(testContext(t), p.ID, &yes, &yes)
		check(t, err)
		_, err = s.SignInIdentity(testContext(t), Identity{"https://accounts.google.com", subject, email}, "")
		check(t, err)
		_, err = s.HandOver(testContext(t), Identity{"https://accounts.google.com", subject, email}, newToken(),
			"https://x")
		check(t, err)
		return p
	}
	var others []Person
	other := func(i int) {
		others = append(others, live(fmt.Sprintf("other%d@example.org", i), fmt.Sprint(i), fmt.Sprint("key ", i),
			fmt.Sprint(i)))
	}
	for i := range 40 {
		other(i)
	}
	p := live(address, series, name, subject)
	for i := range 40 {
		other(100 + i)
	}
	// The person's links expire and are swept, and the page with the person's rows is split and
	// merged.
	clock.advance(2 * time.Hour)
	for _, o := range others[20:60] {
		check(t, s.Forget(testContext(t), o.ID))
	}
	check(t, s.Unwatch(testContext(t), p.ID, series))
	check(t, s.Watch(testContext(t), p.ID, series))
	live(address, series, name, subject)
	if len(inFiles(t, dir, address, series, name)) < 3 {
		t.Fatal("the search sees nothing")
	}
	check(t, s.Forget(testContext(t), p.ID))
	if found := inFiles(t, dir, address, "unmistakable", series, name, subject,
		s.digest("identity https://accounts.google.com "+subject)); found != nil {
		t.Errorf("of who was forgotten there is still %q", found)
	}
	if found := inFiles(t, dir, "other0@example.org"); found == nil {
		t.Error("others are gone too")
	}
}

// An open read transaction on the old state prevents emptying the log.
func TestWhatARemovalCouldNotScrubIsErasedAtTheNextStart(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "accounts.db")
	s := openStore(t, accounttest.SQLiteDSN(path), WithTimeout(2*time.Second))
	const address = "unmistakable.person@example.cl"
	_, p := signedIn(t, s, address)
	raw, err := sql.Open("sqlite", path)
	check(t, err)
	t.Cleanup(func() { check(t, raw.Close()) })
	reader, err := raw.BeginTx(testContext(t), nil)
	check(t, err)
	check(t, reader.QueryRowContext(testContext(t), "SELECT count(*) FROM accounts").Scan(new(int)))
	if err := s.Forget(testContext(t), p.ID); !errors.Is(err, ErrNotScrubbed) {
		t.Errorf("%v, want ErrNotScrubbed", err)
	}
	if inFiles(t, dir, address) == nil {
		t.Fatal("the address is in no file: this proves nothing")
	}
	openStore(t, accounttest.SQLiteDSN(path), WithTimeout(2*time.Second)) // opens while it can't be emptied
	check(t, reader.Rollback())
	openStore(t, accounttest.SQLiteDSN(path))
	if found := inFiles(t, dir, address); found != nil {
		t.Errorf("after the next start there is still %q", found)
	}
}

// A file of an earlier program, which left deleted data in free pages, is rebuilt when it is
// opened.
func TestWhatAnEarlierProgramDeletedIsErasedWhenTheStoreOpens(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "accounts.db")
	s := openStore(t, accounttest.SQLiteDSN(path))
	key, _ := issue(t, s, "ana@example.cl", Free)
	earlier, err := sql.Open("sqlite", path)
	check(t, err)
	const trace = "somebody.of.before"
	for _, statement := range []string{
		"PRAGMA secure_delete = OFF",
		"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500) " +
			"INSERT INTO links SELECT printf('%064d', i), 'sign_in', '" + trace +
			"' || i || '@example.cl', 'https://x', NULL, 0 FROM n",
		"DELETE FROM links",
		"PRAGMA user_version = 0",
	} {
		_, err := earlier.ExecContext(testContext(t), statement)
		check(t, err)
	}
	check(t, earlier.Close())
	check(t, s.Close())
	if inFiles(t, dir, trace) == nil {
		t.Fatal("the earlier program left nothing")
	}
	s = openStore(t, accounttest.SQLiteDSN(path))
	if found := inFiles(t, dir, trace); found != nil {
		t.Errorf("%q", found)
	}
	if _, err := s.Authenticate(testContext(t), key); err != nil {
		t.Errorf("the key gives %v", err)
	}
}
