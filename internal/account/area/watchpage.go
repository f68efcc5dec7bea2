package area

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
	"cuota/internal/site/accountpages"
	"cuota/model"
)

// Limits of a search for series.
const (
	maxSearch  = 100 // characters
	maxMatches = 50  // series shown
)

// nameWithin is how long the account page waits for the names of a watchlist.
const nameWithin = 2 * time.Second

// nameWatched returns the names for the ids of a watchlist. If the names can't be read, unnamed
// is true and the page shows the ids alone, because the account can be used anyway.
func (a *Handler) nameWatched(x *exchange, watched []account.Watched) (list []accountpages.Series, unnamed bool) {
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
		one := accountpages.Series{ID: id, Watching: true}
		if i := slices.IndexFunc(names, func(n model.SeriesName) bool { return slices.Contains(n.IDs, id) }); i >= 0 {
			one.Named = &names[i]
		}
		list = append(list, one)
	}
	return list, err != nil
}

// askedSeries returns the id of the series that the address names.
func askedSeries(x *exchange) (string, error) {
	given, err := required("query", seriesKey, queryText(x.r, seriesKey), maxSeriesID)
	if err != nil {
		return "", err
	}
	return seriesID("query", given)
}

// watchingOut says whether somebody is signed in, and under which id the person watches a series.
type watchingOut struct {
	SignedIn bool    `json:"signed_in"`
	Watched  *string `json:"watched"` // null if the series is not on the list
	Alerts   bool    `json:"alerts"`  // the person gets alerts by mail
}

// watching reports to the script of a series page whether the person watches the series. The page itself is the same
// for everybody, and caches keep it. Nobody signed in is no error. The watchlist may have an earlier id of the series.
func (a *Handler) watching(x *exchange) error {
	id, err := askedSeries(x)
	if err != nil {
		return err
	}
	person, err := a.signedIn(x)
	if errors.Is(err, account.ErrNoSession) {
		writeJSON(x.w, http.StatusOK, watchingOut{})
		return nil
	}
	if err != nil {
		return err
	}
	_, as, err := a.watchedAs(x, person, id)
	if err != nil {
		return err
	}
	out := watchingOut{SignedIn: true, Alerts: person.Alerts}
	if as != "" {
		out.Watched = &as
	}
	writeJSON(x.w, http.StatusOK, out)
	return nil
}

// watchPage searches for series to watch.
func (a *Handler) watchPage(x *exchange, person account.Person) error {
	given := queryText(x.r, "q")
	if given == nil {
		return a.show(x, accountpages.Watchlist{})
	}
	p, status, err := a.search(x, person, *given)
	if err != nil {
		return err
	}
	a.page(x, status, p)
	return nil
}

// search returns the page with the series that match a text, or with what is wrong with the text.
func (a *Handler) search(x *exchange, person account.Person,
	q string) (p accountpages.Watchlist, status int, err error) {
	q = strings.TrimSpace(q)
	p.Query = cutTo(q, maxSearch)
	switch {
	case q == "" || !utf8.ValidString(q):
		p.Problem = x.visit.Say("Escriba un RUN, el nombre de un fondo o el identificador de una serie.",
			"Type a RUN, the name of a fund, or the id of a series.")
		return p, http.StatusUnprocessableEntity, nil
	case utf8.RuneCountInString(q) > maxSearch:
		p.Problem = x.visit.Say(fmt.Sprintf("Escriba a lo más %d caracteres.", maxSearch),
			fmt.Sprintf("Type at most %d characters.", maxSearch))
		return p, http.StatusUnprocessableEntity, nil
	}
	found, err := a.series.FindSeries(x.r.Context(), q, maxMatches+1)
	if err != nil {
		return p, 0, dataUnavailable(err)
	}
	watched, err := a.store.Watchlist(x.r.Context(), person.ID)
	if err != nil {
		return p, 0, err
	}
	watching := func(ids ...string) bool {
		return slices.ContainsFunc(watched, func(w account.Watched) bool { return slices.Contains(ids, w.SeriesID) })
	}
	if p.More = len(found) > maxMatches; p.More {
		found = found[:maxMatches]
	}
	for i, named := range found {
		p.Matches = append(p.Matches, accountpages.Series{ID: named.IDs[0], Named: &found[i],
			Watching: watching(named.IDs...)})
	}
	if id, wrong := seriesID("query", q); wrong == nil && len(found) == 0 {
		// A series whose first quota is after the cutoff has an id but no name yet.
		exists, err := a.series.HasSeries(x.r.Context(), id)
		if err != nil {
			return p, 0, dataUnavailable(err)
		}
		if exists {
			p.Matches = []accountpages.Series{{ID: id, Watching: watching(id)}}
		}
	}
	if len(p.Matches) == 0 {
		p.Problem = x.visit.Say("Ninguna serie coincide. Revise el RUN, o escriba menos palabras del nombre.",
			"No series matches. Check the RUN, or type fewer words of the name.")
	}
	return p, http.StatusOK, nil
}

// watchOnPage adds the chosen series. If that fails because of the input, the page is shown
// again with the reason.
func (a *Handler) watchOnPage(x *exchange, person account.Person, form url.Values) (err error) {
	id := strings.TrimSpace(form.Get("serie_id"))
	wrong := a.addSeries(x, person, id)
	if wrong == nil {
		return goTo(x, "/account", savedFlag)
	}
	why, status, ok := onForm(wrong)
	if !ok {
		return wrong
	}
	page := accountpages.Watchlist{Search: accountpages.Search{Query: cutTo(id, maxSearch)}}
	if q := form.Get("q"); q != "" {
		if page, _, err = a.search(x, person, q); err != nil {
			return err
		}
	}
	page.Problem = why.In(x.visit.Lang)
	a.page(x, status, page)
	return nil
}
