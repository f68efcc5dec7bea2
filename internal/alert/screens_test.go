package alert_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"cuota/internal/testkit/demotest"
	"cuota/model"
)

// screened are the series of screens by query, as the query server finds them now. A query without an entry can't be
// asked.
type screened map[string][]string

func (s screened) ScreenSeries(_ context.Context, query, _ string) ([]string, bool, error) {
	ids, there := s[query]
	return ids, there, nil
}

func (s screened) NameSeries(_ context.Context, ids []string) (names []model.SeriesName, err error) {
	for _, id := range ids {
		if id != "99" { // a series that nothing names
			names = append(names, model.SeriesName{IDs: []string{id, "former-" + id}, Fund: "FONDO " + id, RUN: id + "-K", Serie: "A"})
		}
	}
	return names, nil
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
		number := 0
		// looks publishes a batch in which the screen has these series, and returns the letters of the day.
		looks := func(ids ...string) []string {
			t.Helper()
			market["sort=tac"], market["sort=1y"] = ids, ids
			number++
			r.lookAt(t, number, day(number), made{id: 1, category: "equity"})
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
				"- FONDO 4, serie A (RUN 4-K)\n- serie 99\n",
			"Salieron de su búsqueda «Baratas «de verdad»» / Left your screen “Baratas «de verdad»”:\n\n" +
				"- FONDO 1, serie A (RUN 1-K)\n",
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
		for i := range 60 {
			many = append(many, fmt.Sprint(100+i))
		}
		got = looks(slices.Concat([]string{"7"}, many)...)
		if len(got) != 1 || strings.Count(got[0], "\n- FONDO ") != 50 || !strings.Contains(got[0], "\n- y 10 más / and 10 more\n") {
			t.Errorf("60 series: %q", got)
		}
		must(t, r.store.DropScreen(t.Context(), ana, "Baratas «de verdad»"))
		none("a removed screen", looks("8"))
	})
}
