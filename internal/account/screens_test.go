package account

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
)

func TestAPersonSavesUpToTwentyScreens(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db testDatabase) {
		s := openStore(t, db.dsn)
		_, p := signedIn(t, s, "ana@example.cl")
		_, other := signedIn(t, s, "eva@example.cl")
		names := func(of string) (list []string) {
			t.Helper()
			saved, err := s.Screens(testContext(t), of)
			check(t, err)
			for _, one := range saved {
				list = append(list, one.Name+"?"+one.Query)
			}
			slices.Sort(list)
			return list
		}
		check(t, s.SaveScreen(testContext(t), other.ID, "dólar", "currency=DOLAR"))
		var want []string
		for i := range maxScreens {
			name := fmt.Sprintf("búsqueda %02d", i)
			check(t, s.SaveScreen(testContext(t), p.ID, name, "q=1"))
			want = append(want, name+"?q=1")
		}
		if err := s.SaveScreen(testContext(t), p.ID, "one more", "q=2"); !errors.Is(err, ErrScreensFull) {
			t.Errorf("a screen too many: %v", err)
		}
		check(t, s.SaveScreen(testContext(t), p.ID, "búsqueda 07", "q=2"))
		want[7] = "búsqueda 07?q=2"
		if got := names(p.ID); !slices.Equal(got, want) {
			t.Errorf("saved are %q, want %q", got, want)
		}
		check(t, s.DropScreen(testContext(t), p.ID, "búsqueda 07"))
		check(t, s.DropScreen(testContext(t), p.ID, "no such name"))
		check(t, s.DropScreen(testContext(t), p.ID, "dólar")) // that of somebody else
		check(t, s.SaveScreen(testContext(t), p.ID, "one more", "q=2"))
		if got := names(other.ID); !slices.Equal(got, []string{"dólar?currency=DOLAR"}) {
			t.Errorf("another person has %q", got)
		}
		check(t, s.Forget(testContext(t), p.ID))
		if got := names(p.ID); len(got) != 0 {
			t.Errorf("a forgotten person has %q", got)
		}
		if err := s.SaveScreen(context.Background(), p.ID, "late", "q=1"); !errors.Is(err, ErrNoSession) {
			t.Errorf("a forgotten person saves a screen: %v", err)
		}
	})
}
