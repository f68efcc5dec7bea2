package area

import (
	"errors"
	"net/url"
	"slices"
	"strings"

	"cuota/internal/account"
	"cuota/internal/site/accountpages"
)

// alertedPath is the page on which a person watches a series and gets alerts about it.
const alertedPath = "/account/watch"

// Parameters of the page and fields of its forms.
const (
	seriesKey = "serie_id"
	doneKey   = "hecho" // what the form has just changed: the words below
)

// What watching a series with alerts has changed.
const (
	seriesAdded   = "serie"
	alertsStarted = "alertas"
	nothingNew    = "nada"
)

// Mails says what becomes of the mails of a service.
type Mails int

const (
	MailsSent    Mails = iota // a mail server gets them
	MailsInFiles              // they are written as files on the machine of the service
	MailsWaiting              // they wait in the outbox, because no mail server is configured
)

// unsent says why no mail leaves this server, and is "" if mails are sent.
func (a *Handler) unsent(x *exchange) string {
	switch a.delivery {
	case MailsInFiles:
		return x.visit.Say("Este servidor todavía no envía correos: los guarda como archivos en una carpeta de su máquina.",
			"This server does not send mails yet: it writes them as files into a folder of its machine.")
	case MailsWaiting:
		return x.visit.Say("Este servidor todavía no envía correos: quien lo opera debe configurar un servidor de correo.",
			"This server does not send mails yet: its operator must set up a mail server.")
	}
	return ""
}

// watchedAs finds a series, and the id under which a person watches it: "" if the person does not, and maybe an
// earlier id of the series.
func (a *Handler) watchedAs(x *exchange, person account.Person, id string) (of accountpages.Series, as string,
	err error) {
	watched, err := a.store.Watchlist(x.r.Context(), person.ID)
	if err != nil {
		return of, "", err
	}
	names, err := a.series.NameSeries(x.r.Context(), []string{id})
	if err != nil {
		return of, "", dataUnavailable(err)
	}
	of.ID = id
	ids := []string{id}
	if len(names) > 0 {
		of.Named, ids = &names[0], append(ids, names[0].IDs...)
	}
	for _, w := range watched {
		if slices.Contains(ids, w.SeriesID) {
			of.Watching = true
			return of, w.SeriesID, nil
		}
	}
	return of, "", nil
}

// alertedSeriesPage shows whether the person watches a series and gets alerts. It has the form that begins both, or
// the one that takes the series off the list again.
func (a *Handler) alertedSeriesPage(x *exchange, person account.Person) error {
	id, err := askedSeries(x)
	if err != nil {
		return err
	}
	of, as, err := a.watchedAs(x, person, id)
	if err != nil {
		return err
	}
	if as == "" && of.Named == nil { // a series whose first quota is after the cutoff has no name yet
		if err := a.mustExist(x, id); err != nil {
			return err
		}
	}
	done := x.visit.Texts[doneKey]
	p := accountpages.AlertedSeries{Series: of, Email: person.Email, Alerts: person.Alerts, Unsent: a.unsent(x),
		Done: len(done) > 0, Added: slices.Contains(done, seriesAdded), Started: slices.Contains(done, alertsStarted),
		Saved: x.visit.Texts.Has(savedFlag)}
	if !strings.Contains(id, "-") { // instruments of investment funds have no such page
		p.Back = x.visit.Link("/series/" + id)
	}
	return a.show(x, p)
}

// watchWithAlerts puts a series on the list of the person and turns the alerts of the account on. It changes nothing
// for somebody who is not signed in, who goes to the page instead: it asks to sign in, and then has the same form.
func (a *Handler) watchWithAlerts(x *exchange, form url.Values) error {
	id, err := seriesID("body", form.Get(seriesKey))
	if err != nil {
		return err
	}
	person, err := a.signedIn(x)
	if errors.Is(err, account.ErrNoSession) {
		return goTo(x, alertedPath, "", seriesKey, id)
	}
	if err != nil {
		return err
	}
	_, as, err := a.watchedAs(x, person, id)
	if err != nil {
		return err
	}
	to := []string{seriesKey, id}
	if as == "" {
		if err := a.addSeries(x, person, id); err != nil {
			return err
		}
		to = append(to, doneKey, seriesAdded)
	}
	if !person.Alerts {
		if _, err := a.store.SetPreferences(x.r.Context(), person.ID, new(true), nil); err != nil {
			return err
		}
		to = append(to, doneKey, alertsStarted)
	}
	if as != "" && person.Alerts {
		to = append(to, doneKey, nothingNew)
	}
	return goTo(x, alertedPath, "", to...)
}

// undoWatching takes a series off the list of the person. Alerts belong to the account and stay as they are: whoever
// follows a link to the page that says they were turned on must not lose all of them by one click.
func (a *Handler) undoWatching(x *exchange, person account.Person, form url.Values) error {
	id, err := seriesID("body", form.Get(seriesKey))
	if err != nil {
		return err
	}
	if err := a.store.Unwatch(x.r.Context(), person.ID, id); err != nil {
		return err
	}
	return goTo(x, alertedPath, savedFlag, seriesKey, id)
}
