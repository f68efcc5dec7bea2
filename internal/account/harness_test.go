package account

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"cuota/internal/mail"
)

// patience is the timeout of each wait. No wait is expected to take that long.
const patience = 2 * time.Minute

func TestMain(m *testing.M) {
	if role := os.Getenv(childEnv); role != "" {
		os.Exit(runChild(role))
	}
	goleak.VerifyTestMain(m)
}

var testPepper = bytes.Repeat([]byte{0xA5}, 32)

// noon is noon of an ordinary Santiago day.
var noon = time.Date(2026, 7, 15, 16, 0, 0, 0, time.UTC)

func openStore(t testing.TB, dsn string, opts ...Option) *Store {
	t.Helper()
	s, err := Open(testContext(t), dsn, testPepper, append([]Option{WithTimeout(patience)}, opts...)...)
	check(t, err)
	t.Cleanup(func() { check(t, s.Close()) })
	return s
}

// issue creates a key and returns it with the Key that Authenticate returns for it.
func issue(t testing.TB, s *Store, email string, tier Tier, opts ...KeyOption) (string, Key) {
	t.Helper()
	plaintext, _, err := s.CreateKey(testContext(t), email, tier, opts...)
	check(t, err)
	k, err := s.Authenticate(testContext(t), plaintext)
	check(t, err)
	return plaintext, k
}

func testContext(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	return ctx
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// kept is an outbox that records the enqueued messages after the transaction has ended.
type kept struct {
	mu   sync.Mutex
	all  []mail.Message
	fail error
}

func (k *kept) Enqueue(_ context.Context, _ *sql.Tx, m mail.Message) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.fail != nil {
		return k.fail
	}
	k.all = append(k.all, m)
	return nil
}

func (k *kept) count() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return len(k.all)
}

// steady is a clock that a test moves.
type steady struct{ at atomic.Pointer[time.Time] }

func newSteady(at time.Time) *steady {
	c := &steady{}
	c.at.Store(&at)
	return c
}

func (c *steady) now() time.Time { return *c.at.Load() }

func (c *steady) advance(by time.Duration) {
	at := c.now().Add(by)
	c.at.Store(&at)
}

// mailed requests a link and returns its token.
func mailed(t testing.TB, s *Store, purpose Purpose, email string) (token string) {
	t.Helper()
	check(t, s.MailLink(testContext(t), LinkRequest{Purpose: purpose, Email: email, Network: "192.0.2.1/32",
		ReturnURL: "https://x"}, &kept{},
		func(made string) mail.Message { token = made; return mail.Message{} }))
	return token
}

func signedIn(t testing.TB, s *Store, email string) (session string, p Person) {
	t.Helper()
	session, l, err := s.SignIn(testContext(t), mailed(t, s, SignIn, email), "")
	check(t, err)
	if l.ReturnURL != "https://x" {
		t.Errorf("%+v", l)
	}
	p, err = s.Session(testContext(t), session)
	check(t, err)
	return session, p
}

// identified signs an identity in and returns its person.
func identified(t testing.TB, s *Store, identity Identity) (Person, error) {
	session, err := s.SignInIdentity(testContext(t), identity, "")
	if err != nil {
		return Person{}, err
	}
	return s.Session(testContext(t), session)
}

// noMessage makes the mail of a link that the test does not use.
func noMessage(string) mail.Message { return mail.Message{} }

// google returns the identity of a person whose subject is derived from the address.
func google(email string) Identity {
	return Identity{Issuer: "https://accounts.google.com", Subject: "subject of " + strings.ToLower(email),
		Email: email}
}

// atOnce runs do many times concurrently and returns how often it succeeded. Any error other
// than refusal fails the test.
func atOnce(t *testing.T, times int, refusal error, do func(i int) error) int {
	t.Helper()
	var done atomic.Int64
	var wg sync.WaitGroup
	for i := range times {
		wg.Go(func() {
			switch err := do(i); {
			case err == nil:
				done.Add(1)
			case !errors.Is(err, refusal):
				t.Error(err)
			}
		})
	}
	wg.Wait()
	return int(done.Load())
}
