package account

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"cuota/internal/testkit/waittest"
)

func TestSigningOutEverywhereEndsSessionsLinksAndCodes(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db testDatabase) {
		s, elsewhere := openStore(t, db.dsn), openStore(t, db.dsn)
		here, p := signedIn(t, s, "ana@example.cl")
		there, _ := signedIn(t, elsewhere, "ana@example.cl")
		other, _ := signedIn(t, s, "eva@example.cl")
		key, _ := issue(t, s, "ana@example.cl", Free)
		link, toRegister, ofOther := mailed(t, s, SignIn, "ana@example.cl"), mailed(t, s, Register, "ana@example.cl"),
			mailed(t, s, SignIn, "eva@example.cl")
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
			p, err := identified(t, s, identity)
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
						check(t, holder.QueryRowContext(testContext(t),
							"SELECT count(*) FROM pg_locks AS l JOIN pg_stat_activity AS a USING (pid) "+
								"WHERE NOT l.granted AND a.datname = current_database()").Scan(&waiting))
						return waiting == i+1
					})
				}
				check(t, holder.Rollback())
				wg.Wait()
				if who, err := s.Session(testContext(t), session); err == nil && who.ID == p.ID ||
					err != nil && !errors.Is(err, ErrNoSession) {
					t.Errorf("a session of %s, %v", who.Email, err)
				}
			})
		}
	}
}

func TestASessionIsNewAtEachSignInAndEndsTheFormer(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db testDatabase) {
		s := openStore(t, db.dsn)
		first, _ := signedIn(t, s, "ana@example.cl")
		other, _ := signedIn(t, s, "ana@example.cl")
		second, err := s.SignInIdentity(testContext(t), google("ANA@example.cl"), first)
		check(t, err)
		for session, want := range map[string]error{first: ErrNoSession, second: nil, other: nil,
			newToken(): ErrNoSession, "": ErrNoSession} {
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
			if err == nil || errors.Is(err, ErrNoSession) || errors.Is(err, ErrInvalidLink) ||
				strings.Contains(err.Error(), token) {
				t.Errorf("%s: %v", what, err)
			}
		}
	})
}
