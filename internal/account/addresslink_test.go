package account

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestALinkAnswersItsAddressUntilItEnds(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db testDatabase) {
		ctx := testContext(t)
		now := noon
		s := openStore(t, db.dsn, WithClock(func() time.Time { return now }))
		_, ana := issue(t, s, "ana@example.cl", Institutional)
		_, beto := issue(t, s, "beto@example.cl", Free)
		const address = "/api/screener?sort=tac&format=xlsx&q=%C3%B1"
		follows := func(token string) string {
			t.Helper()
			key, address, err := s.FollowLink(ctx, token)
			if err != nil {
				if !errors.Is(err, ErrNoAddressLink) {
					t.Error(err)
				}
				return ""
			}
			return key.ID + " " + address
		}
		create := func(key string, life time.Duration) (string, AddressLink) {
			t.Helper()
			token, link, err := s.CreateAddressLink(ctx, key, address, life)
			check(t, err)
			return token, link
		}
		expiring, _ := create(ana.ID, time.Hour)
		revoked, id := create("ana@example.cl", 48*time.Hour)
		replaced, _ := create("beto@example.cl", 48*time.Hour)
		for token, key := range map[string]Key{expiring: ana, revoked: ana, replaced: beto} {
			if got := follows(token); got != key.ID+" "+address {
				t.Errorf("a link leads to %q, want the key %s", got, key.ID)
			}
		}
		list, err := s.AddressLinks(ctx)
		check(t, err)
		id.UsedOn = "2026-07-15" // each was followed once
		if len(list) != 3 || list[1] != id || list[2].Email != "beto@example.cl" || list[2].KeyLast4 != beto.Last4 {
			t.Errorf("listed are %+v", list)
		}

		now = now.Add(time.Hour)
		check(t, s.RevokeAddressLink(ctx, id.ID))
		issue(t, s, "beto@example.cl", Free) // revokes the key that he had
		for why, token := range map[string]string{"expired": expiring, "revoked": revoked, "of a replaced key": replaced,
			"unknown": newToken(), "malformed": "x", "empty": ""} {
			if got := follows(token); got != "" {
				t.Errorf("a link that is %s leads to %q", why, got)
			}
		}
		if list, err = s.AddressLinks(ctx); err != nil || len(list) != 0 {
			t.Errorf("listed are %+v, %v", list, err)
		}
		create("ana@example.cl", MaxLinkLife)
		if rows := dump(t, db, "address_links"); len(rows) != 2 { // that of the replaced key has not ended by itself
			t.Errorf("links that have ended stay: %q", rows)
		}
		if err := s.RevokeAddressLink(ctx, id.ID); !errors.Is(err, ErrNoAddressLink) {
			t.Errorf("a link is revoked twice: %v", err)
		}
	})
}

func TestALinkIsMadeOnlyToAnAddressOfTheAPI(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db testDatabase) {
		ctx := testContext(t)
		s := openStore(t, db.dsn, WithClock(func() time.Time { return noon }))
		plaintext, key := issue(t, s, "ana@example.cl", Free)
		for address, want := range map[string]string{
			"":                                  "path of the API",
			"/":                                 "path of the API",
			"https://example.cl/api/screener":   "path of the API",
			"//example.cl/api/screener":         "path of the API",
			"/link/" + newToken():               "path of the API",
			"/api/screener#top":                 "path of the API",
			"/api/screener?limit=1#":            "path of the API",
			"//ana@/api/screener":               "path of the API",
			"/api/" + plaintext + "/days":       "has an API key",
			"/api/screener?" + plaintext:        "has an API key",
			"/api/" + strings.Repeat("x", 2000): "path of the API",
			"/api/screener?q=%zz":               "not well-formed",
			"/api/screener?q=\xff":              "not well-formed",
			"/api/screener?q=a\u202eb":          "not well-formed",
			"/api/screener?key=" + plaintext:    "has an API key",
		} {
			if _, _, err := s.CreateAddressLink(ctx, key.ID, address, time.Hour); err == nil ||
				!strings.Contains(err.Error(), want) || strings.Contains(err.Error(), plaintext) {
				t.Errorf("%.60q: %v, want an error with %q", address, err, want)
			}
		}
		for _, life := range []time.Duration{0, -time.Hour, MaxLinkLife + time.Millisecond} {
			if _, _, err := s.CreateAddressLink(ctx, key.ID, "/api/screener", life); err == nil {
				t.Errorf("a link for %s is made", life)
			}
		}
		if _, _, err := s.CreateAddressLink(ctx, "nobody@example.cl", "/api/screener", time.Hour); !errors.Is(err, ErrNoSuchKey) {
			t.Errorf("a link of no key: %v", err)
		}
		for i := range maxAddressLinks {
			_, _, err := s.CreateAddressLink(ctx, key.ID, fmt.Sprintf("/api/compare?series=%d", i), time.Hour)
			check(t, err)
		}
		if _, _, err := s.CreateAddressLink(ctx, key.ID, "/api/screener", time.Hour); !errors.Is(err, ErrLinksFull) {
			t.Errorf("a link too many: %v", err)
		}
	})
}
