package account

import (
	"errors"
	"strings"
	"testing"
	"time"
)

func TestTheOperatorSeesWhoseKeysAreActiveAndWhatTheyUsedToday(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db testDatabase) {
		ctx := testContext(t)
		s := openStore(t, db.dsn, WithClock(func() time.Time { return noon }))
		first, _ := issue(t, s, "ana@example.cl", Free)
		_, replaced := issue(t, s, "beto@example.cl", Institutional)
		for range 3 {
			_, err := s.Spend(ctx, replaced, noon)
			check(t, err)
		}
		second, newest := issue(t, s, "beto@example.cl", Institutional)
		_, err := s.Spend(ctx, newest, noon)
		check(t, err)
		_, err = s.Spend(ctx, newest, noon.AddDate(0, 0, -1))
		check(t, err)

		active, err := s.OwnedKeys(ctx, noon, false)
		check(t, err)
		if len(active) != 2 {
			t.Fatalf("%d active keys, want 2: %v", len(active), active)
		}
		ana, beto := active[0], active[1]
		if ana.Email != "ana@example.cl" || ana.Last4 != first[len(first)-4:] || ana.Used != 0 || *ana.Limit() != 300 ||
			ana.RevokedAt != nil {
			t.Errorf("the key of Ana is %+v", ana)
		}
		// Requests of the key that it replaced count too; those of other days do not.
		if beto.Email != "beto@example.cl" || beto.Last4 != second[len(second)-4:] || beto.Used != 4 ||
			*beto.Limit() != 25_000 || !beto.CreatedAt.Equal(noon) {
			t.Errorf("the key of Beto is %+v", beto)
		}
		all, err := s.OwnedKeys(ctx, noon, true)
		check(t, err)
		revoked := 0
		for _, k := range all {
			if k.RevokedAt != nil {
				revoked++
				if k.ID != replaced.ID || !k.RevokedAt.Equal(noon) {
					t.Errorf("revoked is %+v", k)
				}
			}
		}
		if len(all) != 3 || revoked != 1 {
			t.Errorf("%d keys in all, of which %d are revoked; want 3 and 1", len(all), revoked)
		}
	})
}

func TestAKeyIsRevokedByWhateverMeansItAlone(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db testDatabase) {
		ctx := testContext(t)
		s := openStore(t, db.dsn)
		plain, byID := issue(t, s, "ana@example.cl", Free)
		other, byLast4 := issue(t, s, "beto@example.cl", Free)
		third, _ := issue(t, s, "carla@example.cl", Free)
		for meant, text := range map[string]string{byID.ID: plain, byLast4.Last4: other, " Carla@Example.cl ": third} {
			_, err := s.Authenticate(ctx, text)
			check(t, err)
			key, err := s.RevokeKey(ctx, meant)
			check(t, err)
			if key.RevokedAt == nil || key.Last4 != text[len(text)-4:] {
				t.Errorf("%q revoked %+v", meant, key)
			}
			if _, err := s.Authenticate(ctx, text); !errors.Is(err, ErrInvalidKey) {
				t.Errorf("the key revoked by %q gives %v", meant, err)
			}
			if _, err := s.RevokeKey(ctx, meant); !errors.Is(err, ErrNoSuchKey) {
				t.Errorf("revoking by %q again gives %v", meant, err)
			}
		}
		kept, free := issue(t, s, "dora@example.cl", Free)
		_, institutional := issue(t, s, "dora@example.cl", Institutional)
		var ambiguous *AmbiguousKeyError
		if _, err := s.RevokeKey(ctx, "dora@example.cl"); !errors.As(err, &ambiguous) ||
			!strings.Contains(err.Error(), free.ID) || !strings.Contains(err.Error(), institutional.ID) {
			t.Errorf("an address with two keys gives %v", err)
		}
		for _, nothing := range []string{"", "@", "nobody@example.cl", "%", kept, strings.ToUpper(free.ID),
			free.ID[:8]} {
			if _, err := s.RevokeKey(ctx, nothing); !errors.Is(err, ErrNoSuchKey) ||
				nothing == kept && strings.Contains(err.Error(), kept) {
				t.Errorf("%q gives %v", nothing, err)
			}
		}
		if _, err := s.Authenticate(ctx, kept); err != nil {
			t.Errorf("a key that none of these means: %v", err)
		}
	})
}
