package alert_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"cuota/internal/mail/mailtest"
	"cuota/internal/testkit/demotest"
)

// screened are the series of screens by query, as the query server finds them now. A query without an entry can't be
// asked.
type screened map[string][]string

func (s screened) ScreenSeries(_ context.Context, query, _ string) ([]string, bool, error) {
	ids, there := s[query]
	return ids, there, nil
}

func TestWhatEntersOrLeavesASavedScreenIsToldOnce(t *testing.T) {
	eachDatabase(t, demotest.Schema, func(t *testing.T, r *rig) {
		market := screened{}
		r.screens = market
		ana := r.person(t, "ana@example.cl", true, false)
		quiet := r.person(t, "eva@example.cl", false, false)
		save := func(person, name, query string) {
			t.Helper()
			must(t, r.store.SaveScreen(t.Context(), person, name, query))
		}
		save(ana, "Baratas «de verdad»", "sort=tac")
		save(ana, "rota", "no=such")
		save(quiet, "Baratas", "sort=tac")
		day := func(number int) string { return fmt.Sprintf("2025-06-%02d", number) }
		var list []made // all but series 99
		for _, id := range slices.Concat([]int{1, 2, 3, 4, 7, 8}, hundreds(60)) {
			list = append(list, made{id: id, category: "equity", name: fmt.Sprint("FONDO ", id), closed: id == 1})
		}
		number := 0
		// looks publishes a batch in which the screen has these series, and returns the letters of the day.
		looks := func(ids ...string) []string {
			t.Helper()
			market["sort=tac"], market["sort=1y"] = ids, ids
			number++
			r.lookAt(t, number, day(number), list...)
			var texts []string
			for _, m := range r.mails(t) {
				texts = append(texts, m.Text)
			}
			return texts
		}
		none := func(what string, got []string) {
			t.Helper()
			if len(got) != 0 {
				t.Errorf("%s: %q", what, got)
			}
		}
		none("the first look", looks("1", "2"))
		none("the first look at the screen", looks("1", "2", "3"))
		got := looks("2", "3", "4", "99")
		if len(got) != 1 {
			t.Fatalf("%d letters", len(got))
		}
		for _, want := range []string{
			"Entraron a su búsqueda «Baratas «de verdad»» / Entered your screen “Baratas «de verdad»”:\n\n" +
				"- FONDO 4, serie S4 (RUN 8011-K)\n- serie 99\n",
			"Salieron de su búsqueda «Baratas «de verdad»» / Left your screen “Baratas «de verdad»”:\n\n" +
				"- FONDO 1, serie S1 (RUN 8011-K)\n",
		} {
			if !strings.Contains(got[0], want) {
				t.Errorf("the letter lacks %q:\n%s", want, got[0])
			}
		}
		none("nothing changed", looks("2", "3", "4", "99"))
		none("another order", looks("99", "4", "3", "2"))
		save(ana, "Baratas «de verdad»", "sort=1y") // another choice under the name
		none("a screen that was saved anew", looks("7"))
		yes, no := true, false
		_, err := r.store.SetPreferences(t.Context(), ana, &no, nil)
		must(t, err)
		none("alerts that are off", looks("7", "8"))
		_, err = r.store.SetPreferences(t.Context(), ana, &yes, nil)
		must(t, err)
		none("alerts that are on again tell nothing old", looks("7"))
		var many []string
		for _, id := range hundreds(60) {
			many = append(many, fmt.Sprint(id))
		}
		got = looks(slices.Concat([]string{"7"}, many)...)
		if len(got) != 1 || strings.Count(got[0], "\n- FONDO ") != 50 || !strings.Contains(got[0], "\n- y 10 más / and 10 more\n") {
			t.Errorf("60 series: %q", got)
		}
		must(t, r.store.DropScreen(t.Context(), ana, "Baratas «de verdad»"))
		none("a removed screen", looks("8"))
	})
}

// hundreds are so many ids from 100.
func hundreds(count int) (ids []int) {
	for i := range count {
		ids = append(ids, 100+i)
	}
	return ids
}

// The view gives every id of a series. Here it is replaced by one that knows renames.
func TestARenamedSeriesNeitherEntersNorLeavesASavedScreen(t *testing.T) {
	eachDatabase(t, demotest.Schema, func(t *testing.T, r *rig) {
		market := screened{}
		r.screens = market
		ana := r.person(t, "ana@example.cl", true, false)
		must(t, r.store.SaveScreen(t.Context(), ana, "Baratas", "sort=tac"))
		number := 0
		looks := func(ids string, list ...made) []mailtest.Letter {
			t.Helper()
			market["sort=tac"] = strings.Fields(ids)
			number++
			r.lookAt(t, number, fmt.Sprintf("2025-06-%02d", number), list...)
			return r.mails(t)
		}
		series := func(id int, aliases ...int) made { return made{id: id, category: "equity", aliases: aliases} }
		wantMails(t, looks("1 3 5", series(1), series(3), series(5)))
		wantMails(t, looks("1 3 5", series(1), series(3), series(5)))
		wantMails(t, looks("2 3 5", series(2, 2, 1), series(3), series(5))) // 1 is renamed
		wantMails(t, looks("2 5", series(2, 2, 1), series(5, 5, 3)))        // 3 and 5 are one series
		// 2 is renamed and leaves, and 7 enters
		got := looks("5 7", series(4, 4, 2, 1), series(5, 5, 3), series(7))
		wantMails(t, got, "ana@example.cl Novedades")
		if text := got[0].Text; strings.Count(text, "\n- ") != 2 ||
			!strings.Contains(text, "Entered your screen “Baratas”:\n\n- FONDO MUTUO AÑIL, serie S7 (RUN 8011-K)\n") ||
			!strings.Contains(text, "Left your screen “Baratas”:\n\n- FONDO MUTUO AÑIL, serie S4 (RUN 8011-K)\n") {
			t.Errorf("the letter is\n%s", text)
		}
		wantMails(t, looks("5 7", series(4, 4, 2, 1), series(5, 5, 3), series(7)))
		wantMails(t, looks("6 7", series(4, 4, 2, 1), series(6, 6, 5, 3), series(7)))
		got = looks("", series(8, 8, 6, 5, 3), series(7)) // all leave, one under a new name
		wantMails(t, got, "ana@example.cl Novedades")
		if text := got[0].Text; strings.Count(text, "\n- ") != 2 || !strings.Contains(text, "serie S7 ") ||
			!strings.Contains(text, "serie S8 ") {
			t.Errorf("the letter is\n%s", text)
		}
	})
}

// retiring retires a batch after a screen of it was looked at.
type retiring struct {
	screened
	retire func()
}

func (s retiring) ScreenSeries(ctx context.Context, query, batchID string) ([]string, bool, error) {
	defer s.retire()
	return s.screened.ScreenSeries(ctx, query, batchID)
}

// Without all ids of the series, a renamed one would look like two.
func TestAChangedScreenWaitsWhileItsSeriesCannotBeNamed(t *testing.T) {
	r := newRig(t, demotest.Schema(t))
	market := screened{}
	r.screens = market
	ana := r.person(t, "ana@example.cl", true, false)
	must(t, r.store.SaveScreen(t.Context(), ana, "Baratas", "sort=tac"))
	looks := func(number int, ids string) []mailtest.Letter {
		t.Helper()
		market["sort=tac"] = strings.Fields(ids)
		r.lookAt(t, number, fmt.Sprintf("2025-06-%02d", number), made{id: 2, category: "equity", aliases: []int{2, 1}},
			made{id: 3, category: "equity"})
		return r.mails(t)
	}
	wantMails(t, looks(1, "1"))
	wantMails(t, looks(2, "1"))
	r.screens = retiring{market, func() { r.retire(t, 3) }}
	wantMails(t, looks(3, "2 3"))
	r.screens = market
	got := looks(4, "2 3")
	wantMails(t, got, "ana@example.cl Novedades")
	if text := got[0].Text; strings.Count(text, "\n- ") != 1 || !strings.Contains(text, "serie S3 ") {
		t.Errorf("the letter is\n%s", text)
	}
}
