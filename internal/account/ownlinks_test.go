package account

import (
	"errors"
	"testing"
	"time"
)

func TestAPersonHasLinksOfOwnKeysOnly(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db testDatabase) {
		ctx := testContext(t)
		s := openStore(t, db.dsn, WithClock(func() time.Time { return noon }))
		_, mine := issue(t, s, "ana@example.cl", Free)
		_, agreed := issue(t, s, "ana@example.cl", Institutional, Named("etl"))
		_, others := issue(t, s, "eva@example.cl", Free)
		_, ana := signedIn(t, s, "ana@example.cl")
		_, eva := signedIn(t, s, "eva@example.cl")
		create := func(person Person, key Key) (string, AddressLink, error) {
			return s.CreateOwnLink(ctx, person.ID, key.ID, "/api/screener", time.Hour)
		}
		token, link, err := create(ana, mine)
		check(t, err)
		_, second, err := create(ana, agreed)
		check(t, err)
		for _, k := range []Key{others, {ID: "nobody"}, {}} {
			if _, _, err := create(ana, k); !errors.Is(err, ErrNoSuchKey) {
				t.Errorf("a link on key %q: %v", k.ID, err)
			}
		}
		if _, _, err := s.CreateOwnLink(ctx, "nobody", mine.ID, "/api/screener", time.Hour); !errors.Is(err, ErrNoSuchKey) {
			t.Errorf("a link of an account that does not exist: %v", err)
		}
		if err := s.RevokeOwnLink(ctx, eva.ID, link.ID); !errors.Is(err, ErrNoAddressLink) {
			t.Errorf("another person revokes a link: %v", err)
		}
		if _, _, err := s.FollowLink(ctx, token); err != nil {
			t.Errorf("after that: %v", err)
		}
		list, err := s.OwnLinks(ctx, ana.ID)
		check(t, err)
		if len(list) != 2 || list[0].ID != link.ID || list[0].UsedOn != "2026-07-15" || list[1].ID != second.ID ||
			list[1].UsedOn != "" || list[1].KeyLast4 != agreed.Last4 {
			t.Errorf("listed are %+v", list)
		}
		if list, err := s.OwnLinks(ctx, eva.ID); err != nil || len(list) != 0 {
			t.Errorf("another person sees %+v, %v", list, err)
		}
		check(t, s.RevokeOwnLink(ctx, ana.ID, link.ID))
		if _, _, err := s.FollowLink(ctx, token); !errors.Is(err, ErrNoAddressLink) {
			t.Errorf("a link that its owner has revoked: %v", err)
		}
		_, _, _, err = s.RotateKey(ctx, "etl", time.Hour)
		check(t, err)
		if _, _, err := create(ana, agreed); !errors.Is(err, ErrNoSuchKey) {
			t.Errorf("a link on a key that has an end: %v", err)
		}
		if list, err = s.OwnLinks(ctx, ana.ID); err != nil || len(list) != 1 || list[0].KeyID == agreed.ID {
			t.Errorf("after a rotation: %+v, %v", list, err)
		}
	})
}

func TestLinksMadeAtOnceNeverPassTheBound(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db testDatabase) {
		stores := []*Store{openStore(t, db.dsn), openStore(t, db.dsn)}
		_, key := issue(t, stores[0], "ana@example.cl", Free)
		_, ana := signedIn(t, stores[0], "ana@example.cl")
		made := atOnce(t, maxAddressLinks+20, ErrLinksFull, func(i int) error {
			_, _, err := stores[i%2].CreateOwnLink(testContext(t), ana.ID, key.ID, "/api/screener", time.Hour)
			return err
		})
		if made != maxAddressLinks {
			t.Errorf("%d links were made, want %d", made, maxAddressLinks)
		}
	})
}
