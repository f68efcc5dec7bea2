package area_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"testing"

	"cuota/internal/account/area"
)

// watchesWithAlerts posts the form of a series page, and follows it to the page that says what was done.
func (b *browser) watchesWithAlerts(id, done string) answer {
	b.t.Helper()
	want := "/account/watch?" + done + "serie_id=" + id
	to := b.form("/account/watch", "serie_id", id).want(http.StatusSeeOther).header.Get("Location")
	if to != want {
		b.t.Fatalf("the form leads to %s, want %s", to, want)
	}
	return b.page(to).want(http.StatusOK)
}

// has fails unless the person watches these series, and has alerts or not.
func (b *browser) has(alerts bool, series ...string) {
	b.t.Helper()
	var ids []string
	for _, w := range decode[struct{ Data []struct{ ID string } }](b.get("/api/me/watchlist").want(http.StatusOK)).Data {
		ids = append(ids, w.ID)
	}
	me := decode[struct {
		Alerts  bool `json:"email_opt_in_alerts"`
		Monthly bool `json:"email_opt_in_monthly_summary"`
	}](b.get("/api/me").want(http.StatusOK))
	if !slices.Equal(ids, series) || me.Alerts != alerts || me.Monthly {
		b.t.Errorf("watches %q with alerts %t, want %q and %t; monthly summary %t", ids, me.Alerts, series, alerts, me.Monthly)
	}
}

func TestOneFormWatchesWithAlertsAndIsUndone(t *testing.T) {
	b := newRig(t, options{}).browser(t)
	b.signIn(victim)
	undo := func() {
		t.Helper()
		values := url.Values{"serie_id": {fundSeries}}
		got := b.do(http.MethodPost, "/account/watch/undo", "application/x-www-form-urlencoded", values.Encode())
		b.page(got.want(http.StatusSeeOther).header.Get("Location")).want(http.StatusOK).shows("Cambios guardados",
			`action="/account/watch"`)
	}
	offer := b.page("/account/watch?serie_id=" + fundSeries).want(http.StatusOK)
	offer.shows("FONDO MUTUO ÑANDÚ RENTA", "Si la sigue con alertas", victim, `action="/account/watch"`)
	offer.doesNotShow("Deshacer")
	b.has(false)

	b.watchesWithAlerts(fundSeries, "hecho=serie&hecho=alertas&").shows("Ahora sigue esta serie", "Se activaron las alertas",
		"Le escribiremos a <strong>"+victim, "Deshacer: dejar de seguir<", `href="/series/`+fundSeries)
	b.has(true, fundSeries)
	again := b.watchesWithAlerts(fundSeries, "hecho=nada&")
	again.shows("Ya seguía esta serie", "ya estaban activadas")
	again.doesNotShow("Deshacer", "Se activaron", `action="/account/watch"`)
	b.has(true, fundSeries)
	undo()
	b.has(true) // alerts are the account's
	b.form("/account/alerts").want(http.StatusSeeOther)
	// What the address says was done is shown only while it is so.
	b.page("/account/watch?hecho=serie&hecho=alertas&serie_id="+fundSeries).doesNotShow("Ahora sigue", "Deshacer")

	// What was so before is not undone.
	b.form("/account/alerts", "alerts", "on").want(http.StatusSeeOther)
	b.watchesWithAlerts(fundSeries, "hecho=serie&").shows("Ahora sigue", "ya estaban activadas", "Deshacer: dejar de seguir<")
	undo()
	b.has(true)
	b.form("/account/alerts").want(http.StatusSeeOther)
	b.form("/account/watchlist", "serie_id", formerSeries).want(http.StatusSeeOther) // an earlier id of the same series
	started := b.watchesWithAlerts(fundSeries, "hecho=alertas&")
	started.shows("Ya seguía", "Se activaron", "Desactivarlas")
	started.doesNotShow("Deshacer")
	b.has(true, formerSeries)
}

func TestWatchingWithAlertsWaitsForTheSignIn(t *testing.T) {
	r := newRig(t, options{})
	b := r.browser(t)
	page := "/account/watch?lang=en&serie_id=" + fundSeries
	b.form("/account/watch?lang=en", "serie_id", fundSeries).leadsTo(page)
	b.page(page).leadsTo("/sign-in?lang=en&return_url=" + url.QueryEscape(r.base+page))
	b.form("/sign-in?lang=en", "email", victim, "return_url", r.base+page).want(http.StatusSeeOther)
	link := r.linkTo(t, victim)
	b.form("/sign-in/confirm?lang=en", "token", link.Query().Get("token")).leadsTo(r.base + page)
	b.has(false) // the link of a mail changes nothing: another person may have asked for it
	b.page(page).want(http.StatusOK).shows("Watch with alerts by mail", `action="/account/watch?lang=en"`)
}

func TestWhatIsWrongWithAnAlertedSeriesIsSaid(t *testing.T) {
	r := newRig(t, options{})
	b := r.browser(t)
	b.signIn(victim)
	for id, want := range map[string]int{"77": http.StatusNotFound, "<b>": http.StatusUnprocessableEntity,
		"": http.StatusUnprocessableEntity} {
		b.form("/account/watch", "serie_id", id).want(want).doesNotShow("<b>")
		b.page("/account/watch?serie_id=" + url.QueryEscape(id)).want(want).doesNotShow("<b>")
	}
	b.form("/account/watch/undo", "serie_id", "x", "hecho", "serie").want(http.StatusUnprocessableEntity)
	b.has(false)
	b.watchesWithAlerts(youngSeries, "hecho=serie&hecho=alertas&").shows("<code>" + youngSeries)
	etf := b.watchesWithAlerts(etfSeries, "hecho=serie&")
	etf.shows("ETF &lt;script&gt;", "cerrada")
	etf.doesNotShow("<script>", `href="/series/`)
	b.has(true, youngSeries, etfSeries)

	id := r.personID(t, victim)
	for i := range 198 {
		must(t, r.store.Watch(t.Context(), id, fmt.Sprint(100000+i)))
	}
	b.form("/account/watch", "serie_id", fundSeries).want(http.StatusConflict).shows("La lista está llena", `href="/account"`)
	r.market.gone.Store(true)
	b.form("/account/watch", "serie_id", fundSeries).want(http.StatusServiceUnavailable).shows("Los datos no están")
}

func TestThePageSaysIfMailsAreNotSent(t *testing.T) {
	for mails, want := range map[area.Mails]string{area.MailsSent: "", area.MailsInFiles: "los guarda como archivos",
		area.MailsWaiting: "debe configurar un servidor de correo"} {
		b := newRig(t, options{mails: mails}).browser(t)
		b.signIn(victim)
		page := b.watchesWithAlerts(fundSeries, "hecho=serie&hecho=alertas&")
		if want == "" {
			page.doesNotShow("todavía no envía correos")
		} else {
			page.shows("todavía no envía correos", want)
		}
	}
}
