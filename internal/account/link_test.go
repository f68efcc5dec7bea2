package account

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"cuota/internal/account/accounttest"
	"cuota/internal/mail"
)

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
		check(t, s.MailLink(testContext(t), LinkRequest{Purpose: purpose, Email: "ana@example.cl", Network: "x"},
			outbox, noMessage))
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
			return stores[i%2].MailLink(testContext(t), LinkRequest{Purpose: SignIn, Email: email, Network: network},
				outbox, noMessage)
		}
		accepted := atOnce(t, 30, nil, func(i int) error { return ask(i, "ana@example.cl", fmt.Sprint(i)) })
		if accepted != 30 || outbox.count() != linksPerEmail {
			t.Errorf("%d were accepted and %d mailed, want 30 and %d", accepted, outbox.count(), linksPerEmail)
		}
		accepted = atOnce(t, 60, ErrTooManyLinks, func(i int) error {
			return ask(i, fmt.Sprintf("p%d@example.cl", i), "192.0.2.1/32")
		})
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
		if err := ask(0, "ana@example.cl", "192.0.2.1/32"); err != nil ||
			outbox.count() != linksPerEmail+linksPerNetwork+1 {
			t.Errorf("an hour later: %v, %d mails", err, outbox.count())
		}
		var left int
		check(t, db.raw.QueryRowContext(testContext(t),
			"SELECT (SELECT count(*) FROM links) + (SELECT count(*) FROM link_requests) + (SELECT count(*) FROM "+
				"oauth_states)").Scan(&left))
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
				check(t, s.MailLink(testContext(t), LinkRequest{Purpose: purpose, Email: address, Network: network},
					outbox, noMessage))
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
			return s.MailLink(testContext(t),
				LinkRequest{Purpose: purpose, Email: fmt.Sprintf("%s%d@example.org", purpose, i),
					Network: "192.0.2.1/32"}, &kept{}, noMessage)
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
