package account

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"cuota/internal/account/accounttest"
	"cuota/internal/mail"

	"github.com/google/go-cmp/cmp"
)

// kept is an outbox that keeps what is enqueued, once the transaction is done.
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

// mailed asks for a link and gives its token.
func mailed(t testing.TB, s *Store, purpose Purpose, email string) (token string) {
	t.Helper()
	check(t, s.MailLink(testContext(t), LinkRequest{Purpose: purpose, Email: email, Network: "192.0.2.1/32", ReturnURL: "https://x"}, &kept{},
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

// atOnce does something many times at once and counts how often it succeeded;
// anything but a refusal is an error.
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

func TestALinkIsUsedOnceHoweverManyTryAtOnce(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db testDatabase) {
		stores := []*Store{openStore(t, db.dsn), openStore(t, db.dsn)}
		token := mailed(t, stores[0], SignIn, "ana@example.cl")
		if n := atOnce(t, 40, ErrInvalidLink, func(i int) error {
			_, _, err := stores[i%2].SignIn(testContext(t), token, "")
			return err
		}); n != 1 {
			t.Errorf("a magic link signed in %d times", n)
		}
		token = mailed(t, stores[0], Register, "ana@example.cl")
		var key string
		if n := atOnce(t, 40, ErrInvalidLink, func(i int) error {
			made, _, err := stores[i%2].ConfirmRegistration(testContext(t), token)
			if err == nil {
				key = made
			}
			return err
		}); n != 1 {
			t.Errorf("a registration gave %d keys", n)
		}
		if _, err := stores[1].Authenticate(testContext(t), key); err != nil {
			t.Error(err)
		}
		o, err := stores[0].BeginOAuth(testContext(t), "192.0.2.1/32", "https://x")
		check(t, err)
		if n := atOnce(t, 40, ErrInvalidLink, func(i int) error {
			_, err := stores[i%2].FinishOAuth(testContext(t), o.State, o.Browser)
			return err
		}); n != 1 {
			t.Errorf("a state was used %d times", n)
		}
	})
}

// Two transactions take two rows crosswise, each when the other has its first:
// the database gives one of them up, whose caller is not to know.
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
			err := s.Transact(testContext(t), func(tx *sql.Tx) error {
				runs.Add(1)
				if err := tx.QueryRowContext(testContext(t), lockAccountSQL, order[0]).Scan(new(string)); err != nil {
					return err
				}
				if first {
					first = false
					met.Done()
					met.Wait()
				}
				return tx.QueryRowContext(testContext(t), lockAccountSQL, order[1]).Scan(new(string))
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

// Who uses a link begins with it, while the removal of the account begins with the
// account and comes to its links.
func TestWhoSignsInWhileTheirAccountIsRemovedIsNotToldOfAFailure(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db testDatabase) {
		s := openStore(t, db.dsn)
		for i := range 4 {
			address := fmt.Sprintf("ana%d@example.cl", i)
			session, person := signedIn(t, s, address)
			toSignIn, toRegister := mailed(t, s, SignIn, address), mailed(t, s, Register, address)
			begin := make(chan struct{})
			var wg sync.WaitGroup
			for _, act := range []func() error{
				func() error { _, _, err := s.SignIn(testContext(t), toSignIn, session); return err },
				func() error { _, err := s.SignInVerified(testContext(t), address, session); return err },
				func() error { _, _, err := s.ConfirmRegistration(testContext(t), toRegister); return err },
				func() error { return s.Forget(testContext(t), person.ID) },
			} {
				wg.Go(func() {
					<-begin
					if err := act(); err != nil && !errors.Is(err, ErrInvalidLink) { // the link is erased with the account
						t.Error(err)
					}
				})
			}
			close(begin)
			wg.Wait()
		}
	})
}

func TestALinkThatCouldNotBeMailedIsNone(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db testDatabase) {
		s := openStore(t, db.dsn)
		var token string
		broken := errors.New("broken")
		err := s.MailLink(testContext(t), LinkRequest{Purpose: SignIn, Email: "ana@example.cl"}, &kept{fail: broken},
			func(made string) mail.Message { token = made; return mail.Message{} })
		if !errors.Is(err, broken) {
			t.Errorf("%v", err)
		}
		if _, err := s.PeekLink(testContext(t), SignIn, token); !errors.Is(err, ErrInvalidLink) {
			t.Errorf("the link is there: %v", err)
		}
	})
}

func TestAKeyIsIssuedAndItsLinkUsedTogetherOrNotAtAll(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db testDatabase) {
		s := openStore(t, db.dsn)
		earlier, _ := issue(t, s, "ana@example.cl", Free)
		token := mailed(t, s, Register, "ana@example.cl")
		// A digest that exists already makes the last statement fail. The link is
		// found by its own.
		stuck := *s
		taken, link := s.digest(earlier), s.digest(token)
		stuck.digest = func(text string) string {
			if text == token {
				return link
			}
			return taken
		}
		if _, _, err := stuck.ConfirmRegistration(testContext(t), token); err == nil || errors.Is(err, ErrInvalidLink) {
			t.Fatalf("a key with a digest that exists was created: %v", err)
		}
		if _, err := s.Authenticate(testContext(t), earlier); err != nil {
			t.Errorf("the earlier key was lost: %v", err)
		}
		if _, _, err := s.ConfirmRegistration(testContext(t), token); err != nil {
			t.Errorf("the link was lost: %v", err)
		}
	})
}

func TestTheMailOfALinkExpiresWithIt(t *testing.T) {
	s := openStore(t, accounttest.SQLite(t).DSN, WithClock(newSteady(noon).now))
	for purpose, want := range map[Purpose]time.Duration{SignIn: 15 * time.Minute, Register: time.Hour} {
		outbox := &kept{}
		check(t, s.MailLink(testContext(t), LinkRequest{Purpose: purpose, Email: "ana@example.cl", Network: "x"}, outbox,
			func(string) mail.Message { return mail.Message{} }))
		if got := outbox.all[0].Expires; !got.Equal(noon.Add(want)) {
			t.Errorf("the mail of %s expires at %s", purpose, got)
		}
	}
}

func TestProcessesShareTheLimitOfLinks(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db testDatabase) {
		clock := newSteady(noon)
		stores := []*Store{openStore(t, db.dsn, WithClock(clock.now)), openStore(t, db.dsn, WithClock(clock.now))}
		outbox := &kept{}
		ask := func(i int, email, network string) error {
			return stores[i%2].MailLink(testContext(t), LinkRequest{Purpose: SignIn, Email: email, Network: network}, outbox,
				func(string) mail.Message { return mail.Message{} })
		}
		accepted := atOnce(t, 30, nil, func(i int) error { return ask(i, "ana@example.cl", fmt.Sprint(i)) })
		if accepted != 30 || outbox.count() != linksPerEmail {
			t.Errorf("%d were accepted and %d mailed, want 30 and %d", accepted, outbox.count(), linksPerEmail)
		}
		accepted = atOnce(t, 60, ErrTooManyLinks, func(i int) error { return ask(i, fmt.Sprintf("p%d@example.cl", i), "192.0.2.1/32") })
		if accepted != linksPerNetwork {
			t.Errorf("%d of one network were accepted, want %d", accepted, linksPerNetwork)
		}
		begun := atOnce(t, 60, ErrTooManySignIns, func(i int) error {
			_, err := stores[i%2].BeginOAuth(testContext(t), "192.0.2.1/32", "https://x")
			return err
		})
		if begun != oauthsPerNetwork {
			t.Errorf("%d sign-ins of one network were begun, want %d", begun, oauthsPerNetwork)
		}
		clock.advance(limitSpan)
		if err := ask(0, "ana@example.cl", "192.0.2.1/32"); err != nil || outbox.count() != linksPerEmail+linksPerNetwork+1 {
			t.Errorf("an hour later: %v, %d mails", err, outbox.count())
		}
		var left int
		check(t, db.raw.QueryRowContext(testContext(t), "SELECT (SELECT count(*) FROM links) + (SELECT count(*) FROM link_requests) + (SELECT count(*) FROM oauth_states)").Scan(&left))
		if left != 3 { // the new link, and the counts of its address and network
			t.Errorf("%d rows are left of what expired", left-3)
		}
	})
}

func TestASessionIsNewAtEachSignInAndEndsTheFormer(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db testDatabase) {
		s := openStore(t, db.dsn)
		first, _ := signedIn(t, s, "ana@example.cl")
		other, _ := signedIn(t, s, "ana@example.cl")
		second, err := s.SignInVerified(testContext(t), "ANA@example.cl", first)
		check(t, err)
		for session, want := range map[string]error{first: ErrNoSession, second: nil, other: nil, newToken(): ErrNoSession, "": ErrNoSession} {
			if _, err := s.Session(testContext(t), session); !errors.Is(err, want) {
				t.Errorf("%v, want %v", err, want)
			}
		}
		check(t, s.SignOut(testContext(t), second))
		check(t, s.SignOut(testContext(t), second))
		if _, err := s.Session(testContext(t), second); !errors.Is(err, ErrNoSession) {
			t.Errorf("after signing out: %v", err)
		}
	})
}

func TestTheWatchlistHasItsLimitHoweverManyAddAtOnce(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db testDatabase) {
		stores := []*Store{openStore(t, db.dsn), openStore(t, db.dsn)}
		_, p := signedIn(t, stores[0], "ana@example.cl")
		for i := range maxWatched - 3 {
			check(t, stores[0].Watch(testContext(t), p.ID, fmt.Sprint(i)))
		}
		if n := atOnce(t, 20, ErrWatchlistFull, func(i int) error { return stores[i%2].Watch(testContext(t), p.ID, fmt.Sprint(1000+i)) }); n != 3 {
			t.Errorf("%d series found the last 3 places", n)
		}
		check(t, stores[0].Watch(testContext(t), p.ID, "0")) // is there already
		check(t, stores[0].Unwatch(testContext(t), p.ID, "0"))
		check(t, stores[0].Unwatch(testContext(t), p.ID, "0"))
		check(t, stores[0].Watch(testContext(t), p.ID, "again"))
		watched, err := stores[1].Watchlist(testContext(t), p.ID)
		check(t, err)
		if len(watched) != maxWatched || watched[0].SeriesID != "1" && !slices.ContainsFunc(watched, func(w Watched) bool { return w.SeriesID == "again" }) {
			t.Errorf("%d series, beginning with %+v", len(watched), watched[0])
		}
	})
}

func TestWhoIsForgottenIsNowhereAndTheirKeysAreDead(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db testDatabase) {
		s := openStore(t, db.dsn)
		outbox, err := mail.NewOutbox(s, time.Now)
		check(t, err)
		plaintext, k := issue(t, s, "ana@example.cl", Free, Named("Ana's"))
		_, err = s.Spend(testContext(t), k, noon)
		check(t, err)
		session, p := signedIn(t, s, "ana@example.cl")
		check(t, s.Watch(testContext(t), p.ID, "4242424242"))
		yes := true
		_, err = s.SetPreferences(testContext(t), p.ID, &yes, &yes)
		check(t, err)
		check(t, s.MailLink(testContext(t), LinkRequest{Purpose: SignIn, Email: "ana@example.cl", ReturnURL: "https://x"}, outbox,
			func(string) mail.Message { return mail.Message{Subject: "x", Text: "x"} }))
		_, other := signedIn(t, s, "eva@example.cl")
		check(t, s.Watch(testContext(t), other.ID, "78"))
		otherKey, _ := issue(t, s, "eva@example.cl", Free)

		for range 2 {
			check(t, s.Forget(testContext(t), p.ID))
		}
		for _, table := range []string{"accounts", "api_keys", "links", "sessions", "watchlist", "outbox"} {
			for _, row := range dump(t, db, table) {
				for _, trace := range []string{"ana", "4242424242"} {
					if strings.Contains(row, trace) && !strings.Contains(row, "eva@") {
						t.Errorf("%s still has %q: %s", table, trace, row)
					}
				}
			}
		}
		if n := len(dump(t, db, "outbox")); n != 0 {
			t.Errorf("%d mails still wait", n)
		}
		if _, err := s.Authenticate(testContext(t), plaintext); err != ErrInvalidKey {
			t.Errorf("the key gives %v", err)
		}
		if _, err := s.Session(testContext(t), session); !errors.Is(err, ErrNoSession) {
			t.Errorf("the session gives %v", err)
		}
		for what, err := range map[string]error{
			"watching":    s.Watch(testContext(t), p.ID, "79"),
			"preferences": func() error { _, err := s.SetPreferences(testContext(t), p.ID, &yes, nil); return err }(),
		} {
			if !errors.Is(err, ErrNoSession) {
				t.Errorf("%s as somebody who is gone gives %v", what, err)
			}
		}
		// Others are left alone, and who comes back is new.
		if _, err := s.Authenticate(testContext(t), otherKey); err != nil {
			t.Error(err)
		}
		if watched, err := s.Watchlist(testContext(t), other.ID); err != nil || len(watched) != 1 {
			t.Errorf("%v, %v", watched, err)
		}
		_, again := signedIn(t, s, "ana@example.cl")
		if again.ID == p.ID || again.Alerts || again.MonthlySummary {
			t.Errorf("%+v", again)
		}
	})
}

// dump gives each row of a table as text.
func dump(t testing.TB, db testDatabase, table string) (found []string) {
	t.Helper()
	rows, err := db.raw.QueryContext(testContext(t), "SELECT * FROM "+table)
	check(t, err)
	defer func() { check(t, rows.Close()) }()
	columns, err := rows.Columns()
	check(t, err)
	for rows.Next() {
		values := make([]any, len(columns))
		for i := range values {
			values[i] = new(sql.NullString)
		}
		check(t, rows.Scan(values...))
		var row strings.Builder
		for i, value := range values {
			fmt.Fprintf(&row, "%s=%s ", columns[i], value.(*sql.NullString).String)
		}
		found = append(found, row.String())
	}
	check(t, rows.Err())
	return found
}

func TestPreferencesChangeOnlyWhereTheyAreGiven(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db testDatabase) {
		s := openStore(t, db.dsn)
		_, p := signedIn(t, s, "ana@example.cl")
		yes, no := true, false
		for _, step := range []struct {
			alerts, monthly *bool
			want            Preferences
		}{{nil, nil, Preferences{}}, {&yes, nil, Preferences{true, false}}, {nil, &yes, Preferences{true, true}}, {&no, &yes, Preferences{false, true}}} {
			got, err := s.SetPreferences(testContext(t), p.ID, step.alerts, step.monthly)
			check(t, err)
			if diff := cmp.Diff(step.want, got); diff != "" {
				t.Error(diff)
			}
		}
		if list, err := s.Unsubscribe(testContext(t), s.UnsubscribeToken(p.ID, MonthlySummary)); err != nil || list != MonthlySummary {
			t.Errorf("%s, %v", list, err)
		}
		if _, err := s.Unsubscribe(testContext(t), s.UnsubscribeToken(p.ID, "everything")); !errors.Is(err, ErrInvalidToken) {
			t.Errorf("a list that there is not: %v", err)
		}
	})
}

func TestALostStoreIsNeverSomebodyWhoIsNotSignedIn(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db testDatabase) {
		s := openStore(t, db.dsn)
		session, p := signedIn(t, s, "ana@example.cl")
		token := mailed(t, s, SignIn, "ana@example.cl")
		check(t, s.Close())
		for what, err := range map[string]error{
			"a session":  func() error { _, err := s.Session(testContext(t), session); return err }(),
			"a link":     func() error { _, err := s.PeekLink(testContext(t), SignIn, token); return err }(),
			"a sign-in":  func() error { _, _, err := s.SignIn(testContext(t), token, ""); return err }(),
			"forgetting": s.Forget(testContext(t), p.ID),
			"watching":   s.Watch(testContext(t), p.ID, "1"),
		} {
			if err == nil || errors.Is(err, ErrNoSession) || errors.Is(err, ErrInvalidLink) || strings.Contains(err.Error(), token) {
				t.Errorf("%s: %v", what, err)
			}
		}
	})
}
