package account

import (
	"errors"
	"fmt"
	"slices"
	"testing"
)

func TestAnIdentityStaysWithItsAccount(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db testDatabase) {
		s := openStore(t, db.dsn)
		person := func(identity Identity) (Person, error) { return identified(t, s, identity) }
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
			for way, signIn := range map[string]func(Identity) (Person, error){"directly": person,
				"by a code": handed} {
				p, err := signIn(step.identity)
				if step.want == "" && !errors.Is(err, ErrOtherIdentity) ||
					step.want != "" && (err != nil || p.ID != step.want) {
					t.Errorf("%s %s: account %q, %v; want %q", step.what, way, p.ID, err, step.want)
				}
				if err == nil && p.Email != map[string]string{ana.ID: "ana@example.cl",
					eva.ID: "eva@example.cl"}[p.ID] {
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
		for _, identity := range []Identity{{here, "", "uma@example.cl"}, {"", "1", "uma@example.cl"},
			{here, "7", "no address"}} {
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
			p, err := identified(t, stores[i%2], Identity{issuer, "1", fmt.Sprintf("ana%d@example.cl", i%4)})
			accounts[i] = p.ID
			return err
		})
		if slices.Sort(accounts); accounts[0] == "" || accounts[0] != accounts[len(accounts)-1] {
			t.Errorf("one person has the accounts %v", slices.Compact(accounts))
		}
		// Many persons with the same address: the first one gets the account.
		if n := atOnce(t, 20, ErrOtherIdentity, func(i int) error {
			_, err := stores[i%2].SignInIdentity(testContext(t),
				Identity{issuer, fmt.Sprint("eva", i), "eva@example.cl"}, "")
			return err
		}); n != 1 {
			t.Errorf("%d persons sign in to one account", n)
		}
	})
}
