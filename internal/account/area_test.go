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
	"cuota/internal/testkit/waittest"

	"github.com/google/go-cmp/cmp"
)

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

// google gives the identity of a person whose subject is derived from the address.
func google(email string) Identity {
	return Identity{Issuer: "https://accounts.google.com", Subject: "subject of " + strings.ToLower(email), Email: email}
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
				if err := tx.QueryRowContext(testContext(t), statement("lock_account"), order[0]).Scan(new(string)); err != nil {
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

// Using a link locks the link first. Removing the account locks the account first and then its
// links.
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
				func() error { _, err := s.SignInIdentity(testContext(t), google(address), session); return err },
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
		// An existing digest makes the last statement fail. The link is found by its own
		// digest.
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

// A stranger who requests registrations for somebody's address does not use up the sign-in
// links of the address's owner or of the owner's network.
func TestLinksOfOnePurposeLeaveThoseOfTheOther(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db testDatabase) {
		s := openStore(t, db.dsn, WithClock(newSteady(noon).now))
		for _, order := range [][2]Purpose{{Register, SignIn}, {SignIn, Register}} {
			address := string(order[0]) + "@example.cl"
			ask := func(purpose Purpose, network string) (mails int) {
				outbox := &kept{}
				check(t, s.MailLink(testContext(t), LinkRequest{Purpose: purpose, Email: address, Network: network}, outbox,
					func(string) mail.Message { return mail.Message{} }))
				return outbox.count()
			}
			for i := range linksPerEmail {
				if ask(order[0], fmt.Sprint(order[0], i)) != 1 {
					t.Fatalf("link %d to %s was not mailed", i+1, order[0])
				}
			}
			if ask(order[0], "elsewhere") != 0 {
				t.Errorf("the count of links to %s has no limit", order[0])
			}
			if ask(order[1], "elsewhere") != 1 {
				t.Errorf("after links to %s there is none to %s", order[0], order[1])
			}
		}
		from := func(purpose Purpose, i int) error {
			return s.MailLink(testContext(t), LinkRequest{Purpose: purpose, Email: fmt.Sprintf("%s%d@example.org", purpose, i), Network: "192.0.2.1/32"}, &kept{},
				func(string) mail.Message { return mail.Message{} })
		}
		for i := range linksPerNetwork {
			check(t, from(Register, i))
		}
		if err := from(Register, linksPerNetwork); !errors.Is(err, ErrTooManyLinks) {
			t.Errorf("the count of registrations of a network has no limit: %v", err)
		}
		check(t, from(SignIn, 0))
	})
}

func TestSigningOutEverywhereEndsEverySessionEveryLinkAndEveryUnusedCode(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db testDatabase) {
		s, elsewhere := openStore(t, db.dsn), openStore(t, db.dsn)
		here, p := signedIn(t, s, "ana@example.cl")
		there, _ := signedIn(t, elsewhere, "ana@example.cl")
		other, _ := signedIn(t, s, "eva@example.cl")
		key, _ := issue(t, s, "ana@example.cl", Free)
		link, toRegister, ofOther := mailed(t, s, SignIn, "ana@example.cl"), mailed(t, s, Register, "ana@example.cl"), mailed(t, s, SignIn, "eva@example.cl")
		browser := newToken()
		code, err := s.HandOver(testContext(t), google("ana@example.cl"), browser, "https://x")
		check(t, err)

		for range 2 {
			check(t, s.SignOutEverywhere(testContext(t), p.ID))
		}
		for session, want := range map[string]error{here: ErrNoSession, there: ErrNoSession, other: nil} {
			for _, store := range []*Store{s, elsewhere} {
				if _, err := store.Session(testContext(t), session); !errors.Is(err, want) {
					t.Errorf("a session gives %v, want %v", err, want)
				}
			}
		}
		if _, _, err := s.SignIn(testContext(t), link, ""); !errors.Is(err, ErrInvalidLink) {
			t.Errorf("a link from before gives %v", err)
		}
		if _, _, err := s.FinishHandOver(testContext(t), code, browser, ""); !errors.Is(err, ErrInvalidLink) {
			t.Errorf("a code that waits gives %v", err)
		}
		if _, _, err := s.SignIn(testContext(t), ofOther, ""); err != nil {
			t.Errorf("somebody else's link gives %v", err)
		}
		if _, err := s.Authenticate(testContext(t), key); err != nil {
			t.Errorf("the key gives %v", err)
		}
		if _, _, err := s.ConfirmRegistration(testContext(t), toRegister); err != nil {
			t.Errorf("the link to register gives %v", err)
		}
		signedIn(t, s, "ana@example.cl") // who proves the address is in again
	})
}

// Somebody who used the address or the person's device for a while may have bound their own
// Google account.
func TestSigningOutEverywhereForgetsTheIdentities(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db testDatabase) {
		s := openStore(t, db.dsn)
		const issuer = "https://accounts.google.com"
		person := func(identity Identity) Person {
			t.Helper()
			session, err := s.SignInIdentity(testContext(t), identity, "")
			check(t, err)
			p, err := s.Session(testContext(t), session)
			check(t, err)
			return p
		}
		ana := person(Identity{issuer, "1", "ana@example.cl"})
		eva := person(Identity{issuer, "2", "eva@example.cl"})
		check(t, s.SignOutEverywhere(testContext(t), ana.ID))
		if p := person(Identity{issuer, "1", "uma@example.cl"}); p.ID == ana.ID || p.Email != "uma@example.cl" {
			t.Errorf("the subject of before, with another address, has the account %s of %s", p.ID, p.Email)
		}
		if p := person(Identity{issuer, "3", "ana@example.cl"}); p.ID != ana.ID {
			t.Errorf("the address, verified anew, has the account %s, want %s", p.ID, ana.ID)
		}
		if p := person(Identity{issuer, "2", "eva.new@example.cl"}); p.ID != eva.ID {
			t.Errorf("somebody else's identity was forgotten: account %s, want %s", p.ID, eva.ID)
		}
	})
}

// Both transactions wait for the account before either continues, in both orders. SQLite has
// one writer at a time, so nothing can happen in between.
func TestASignInThatWaitsForASignOutEverywhereLeavesNoSession(t *testing.T) {
	db := newPostgres(t)
	s := openStore(t, db.dsn)
	for _, signOutFirst := range []bool{true, false} {
		for _, way := range []string{"link", "identity"} {
			t.Run(fmt.Sprintf("%s, signing out first: %t", way, signOutFirst), func(t *testing.T) {
				address := fmt.Sprintf("ana.%s.%t@example.cl", way, signOutFirst)
				_, err := s.SignInIdentity(testContext(t), google(address), "")
				check(t, err)
				_, p := signedIn(t, s, address)
				link := mailed(t, s, SignIn, address)
				// The provider authenticates an address other than that of the account.
				identity := Identity{google(address).Issuer, google(address).Subject, "uma." + address}
				var session string
				signOut := func() error { return s.SignOutEverywhere(testContext(t), p.ID) }
				signIn := func() (err error) {
					if way == "link" {
						if session, _, err = s.SignIn(testContext(t), link, ""); errors.Is(err, ErrInvalidLink) {
							return nil
						}
						return err
					}
					session, err = s.SignInIdentity(testContext(t), identity, "")
					return err
				}
				order := []func() error{signIn, signOut}
				if signOutFirst {
					slices.Reverse(order)
				}
				holder, err := db.raw.BeginTx(testContext(t), nil)
				check(t, err)
				check(t, holder.QueryRowContext(testContext(t), statement("lock_account"), p.ID).Scan(new(string)))
				var wg sync.WaitGroup
				for i, act := range order {
					wg.Go(func() {
						if err := act(); err != nil {
							t.Error(err)
						}
					})
					waittest.Until(t, "it waits for the account", func() bool {
						var waiting int
						check(t, holder.QueryRowContext(testContext(t), "SELECT count(*) FROM pg_locks AS l JOIN pg_stat_activity AS a USING (pid) "+
							"WHERE NOT l.granted AND a.datname = current_database()").Scan(&waiting))
						return waiting == i+1
					})
				}
				check(t, holder.Rollback())
				wg.Wait()
				if who, err := s.Session(testContext(t), session); err == nil && who.ID == p.ID || err != nil && !errors.Is(err, ErrNoSession) {
					t.Errorf("a session of %s, %v", who.Email, err)
				}
			})
		}
	}
}

func TestAnIdentityStaysWithItsAccount(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db testDatabase) {
		s := openStore(t, db.dsn)
		person := func(identity Identity) (Person, error) {
			session, err := s.SignInIdentity(testContext(t), identity, "")
			if err != nil {
				return Person{}, err
			}
			p, err := s.Session(testContext(t), session)
			check(t, err)
			return p, nil
		}
		handed := func(identity Identity) (Person, error) {
			browser := newToken()
			code, err := s.HandOver(testContext(t), identity, browser, "https://x")
			if err != nil {
				return Person{}, err
			}
			session, _, err := s.FinishHandOver(testContext(t), code, browser, "")
			check(t, err)
			p, err := s.Session(testContext(t), session)
			check(t, err)
			return p, nil
		}
		const here, elsewhere = "https://accounts.google.com", "https://accounts.example.org"
		_, ana := signedIn(t, s, "ana@example.cl") // by mail
		_, eva := signedIn(t, s, "eva@example.cl")
		for _, step := range []struct {
			what     string
			identity Identity
			want     string // id of the account; "" if refused
		}{
			{"the first sign-in", Identity{here, "1", "Ana@example.cl"}, ana.ID},
			{"the next", Identity{here, "1", "ana@example.cl"}, ana.ID},
			{"another person who was given the address", Identity{here, "2", "ana@example.cl"}, ""},
			{"the same person with a new address", Identity{here, "1", "ana.new@example.cl"}, ana.ID},
			{"the same person with the address of another account", Identity{here, "1", "eva@example.cl"}, ana.ID},
			{"the owner of that account", Identity{here, "3", "eva@example.cl"}, eva.ID},
			{"the same subject at another provider", Identity{elsewhere, "1", "eva@example.cl"}, eva.ID},
			{"the same address at another provider", Identity{elsewhere, "9", "ana@example.cl"}, ana.ID},
		} {
			for way, signIn := range map[string]func(Identity) (Person, error){"directly": person, "by a code": handed} {
				p, err := signIn(step.identity)
				if step.want == "" && !errors.Is(err, ErrOtherIdentity) || step.want != "" && (err != nil || p.ID != step.want) {
					t.Errorf("%s %s: account %q, %v; want %q", step.what, way, p.ID, err, step.want)
				}
				if err == nil && p.Email != map[string]string{ana.ID: "ana@example.cl", eva.ID: "eva@example.cl"}[p.ID] {
					t.Errorf("%s %s: the account has the address %s", step.what, way, p.Email)
				}
			}
		}
		// The new owner of the address can sign in by mail, and also by the provider once the
		// old account is removed.
		if _, p := signedIn(t, s, "ana@example.cl"); p.ID != ana.ID {
			t.Errorf("by mail: account %s, want %s", p.ID, ana.ID)
		}
		check(t, s.Forget(testContext(t), ana.ID))
		if p, err := person(Identity{here, "2", "ana@example.cl"}); err != nil || p.ID == ana.ID {
			t.Errorf("after the account was removed: %s, %v", p.ID, err)
		}
		if p, err := person(Identity{here, "1", "ana.new@example.cl"}); err != nil || p.ID == ana.ID {
			t.Errorf("whose account was removed is not new: %s, %v", p.ID, err)
		}
		for _, identity := range []Identity{{here, "", "uma@example.cl"}, {"", "1", "uma@example.cl"}, {here, "7", "no address"}} {
			if _, err := person(identity); err == nil {
				t.Errorf("%+v signed in", identity)
			}
		}
	})
}

func TestAnIdentityIsBoundOnceHoweverManySignInAtOnce(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db testDatabase) {
		stores := []*Store{openStore(t, db.dsn), openStore(t, db.dsn)}
		const issuer = "https://accounts.google.com"
		// One person whose address changes at the provider.
		accounts := make([]string, 20)
		atOnce(t, len(accounts), nil, func(i int) error {
			session, err := stores[i%2].SignInIdentity(testContext(t), Identity{issuer, "1", fmt.Sprintf("ana%d@example.cl", i%4)}, "")
			if err != nil {
				return err
			}
			p, err := stores[i%2].Session(testContext(t), session)
			accounts[i] = p.ID
			return err
		})
		if slices.Sort(accounts); accounts[0] == "" || accounts[0] != accounts[len(accounts)-1] {
			t.Errorf("one person has the accounts %v", slices.Compact(accounts))
		}
		// Many persons with the same address: the first one gets the account.
		if n := atOnce(t, 20, ErrOtherIdentity, func(i int) error {
			_, err := stores[i%2].SignInIdentity(testContext(t), Identity{issuer, fmt.Sprint("eva", i), "eva@example.cl"}, "")
			return err
		}); n != 1 {
			t.Errorf("%d persons sign in to one account", n)
		}
	})
}

func TestASessionIsNewAtEachSignInAndEndsTheFormer(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db testDatabase) {
		s := openStore(t, db.dsn)
		first, _ := signedIn(t, s, "ana@example.cl")
		other, _ := signedIn(t, s, "ana@example.cl")
		second, err := s.SignInIdentity(testContext(t), google("ANA@example.cl"), first)
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
		check(t, stores[0].Watch(testContext(t), p.ID, "0")) // it is on the list already
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
		for _, table := range []string{"accounts", "api_keys", "links", "sessions", "identities", "watchlist", "outbox"} {
			for _, row := range dump(t, db, table) {
				for _, trace := range []string{"ana@", "Ana's", "4242424242"} { // texts that no digest contains by chance
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
		// Other people's data stays, and a person who returns gets a new account.
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
