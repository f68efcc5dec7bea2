package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"cuota/internal/account"
	"cuota/model"
)

// Limits of a search for series.
const (
	maxSearch  = 100 // characters
	maxMatches = 50  // series shown
)

// nameWithin is how long the account page waits for the names of a watchlist.
const nameWithin = 2 * time.Second

// watchedSeries is a series on the watchlist as the account page shows it.
type watchedSeries struct {
	ID    string            // the id that was added
	Named *model.SeriesName // nil if the published batch does not contain the series
}

// match is a series that a search found.
type match struct {
	ID       string
	Named    *model.SeriesName // nil if only the id is known
	Watching bool
}

// nameWatched returns the names for the ids of a watchlist. If the names can't be read, unnamed
// is true and the page shows the ids alone, because the account can be used anyway.
func (a *Area) nameWatched(x *exchange, watched []account.Watched) (list []watchedSeries, unnamed bool) {
	if len(watched) == 0 {
		return nil, false
	}
	ids := make([]string, len(watched))
	for i, w := range watched {
		ids[i] = w.SeriesID
	}
	within, cancel := context.WithTimeout(x.r.Context(), nameWithin)
	defer cancel()
	names, err := a.series.NameSeries(within, ids)
	if err != nil {
		a.log.Error().Err(err).Str("request_id", x.id()).Msg("a watchlist is shown without names")
	}
	for _, id := range ids {
		one := watchedSeries{ID: id}
		if i := slices.IndexFunc(names, func(n model.SeriesName) bool { return slices.Contains(n.IDs, id) }); i >= 0 {
			one.Named = &names[i]
		}
		list = append(list, one)
	}
	return list, err != nil
}

// watchPage searches for series to watch.
func (a *Area) watchPage(x *exchange, person account.Person) error {
	given := queryText(x.r, "q")
	if given == nil {
		return a.show(x, "watchlist", view{})
	}
	v, status, err := a.search(x, person, *given)
	if err != nil {
		return err
	}
	a.page(x, status, "watchlist", v)
	return nil
}

// search returns the page with the series that match a text, or with what is wrong with the text.
func (a *Area) search(x *exchange, person account.Person, q string) (v view, status int, err error) {
	q = strings.TrimSpace(q)
	v.Query = cutTo(q, maxSearch)
	switch {
	case q == "" || !utf8.ValidString(q):
		v.Problem = text{"Escriba un RUN, el nombre de un fondo o el identificador de una serie.", "Type a RUN, the name of a fund, or the id of a series."}
		return v, http.StatusUnprocessableEntity, nil
	case utf8.RuneCountInString(q) > maxSearch:
		v.Problem = text{fmt.Sprintf("Escriba a lo más %d caracteres.", maxSearch), fmt.Sprintf("Type at most %d characters.", maxSearch)}
		return v, http.StatusUnprocessableEntity, nil
	}
	found, err := a.series.FindSeries(x.r.Context(), q, maxMatches+1)
	if err != nil {
		return v, 0, dataUnavailable(err)
	}
	watched, err := a.store.Watchlist(x.r.Context(), person.ID)
	if err != nil {
		return v, 0, err
	}
	watching := func(ids ...string) bool {
		return slices.ContainsFunc(watched, func(w account.Watched) bool { return slices.Contains(ids, w.SeriesID) })
	}
	if v.More = len(found) > maxMatches; v.More {
		found = found[:maxMatches]
	}
	for i, named := range found {
		v.Matches = append(v.Matches, match{ID: named.IDs[0], Named: &found[i], Watching: watching(named.IDs...)})
	}
	if id, wrong := seriesID("query", q); wrong == nil && len(found) == 0 {
		// A series whose first quota is after the cutoff has an id but no name yet.
		exists, err := a.series.HasSeries(x.r.Context(), id)
		if err != nil {
			return v, 0, dataUnavailable(err)
		}
		if exists {
			v.Matches = []match{{ID: id, Watching: watching(id)}}
		}
	}
	if len(v.Matches) == 0 {
		v.Problem = text{"Ninguna serie coincide. Revise el RUN, o escriba menos palabras del nombre.", "No series matches. Check the RUN, or type fewer words of the name."}
	}
	return v, http.StatusOK, nil
}

// watchOnPage adds the chosen series. If that fails because of the input, the page is shown
// again with the reason.
func (a *Area) watchOnPage(x *exchange, person account.Person, form url.Values) (err error) {
	id := strings.TrimSpace(form.Get("serie_id"))
	wrong := a.addSeries(x, person, id)
	if wrong == nil {
		return goTo(x, "/account?saved")
	}
	said, status := text{}, 0
	if violations := (invalid)(nil); errors.As(wrong, &violations) {
		said, status = text{violations[0].es, violations[0].Msg + "."}, http.StatusUnprocessableEntity
	} else if p := (*problem)(nil); errors.As(wrong, &p) && p.status < http.StatusInternalServerError {
		said, status = text{p.es, p.detail}, p.status
	} else {
		return wrong
	}
	v := view{Query: cutTo(id, maxSearch)}
	if q := form.Get("q"); q != "" {
		if v, _, err = a.search(x, person, q); err != nil {
			return err
		}
	}
	v.Problem = said
	a.page(x, status, "watchlist", v)
	return nil
}
