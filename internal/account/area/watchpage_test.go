package area_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// content returns the part of a page between its header and its footer.
func (got answer) content() string {
	got.t.Helper()
	_, rest, found := strings.Cut(got.body, `<main id="contenido" tabindex="-1">`)
	content, _, ended := strings.Cut(rest, "</main>")
	if !found || !ended {
		got.t.Fatalf("no page: %.300s", got.body)
	}
	return content
}

func (got answer) shows(texts ...string) {
	got.t.Helper()
	for _, text := range texts {
		if !strings.Contains(got.content(), text) {
			got.t.Errorf("the page does not show %q:\n%s", text, got.content())
		}
	}
}

func (got answer) doesNotShow(texts ...string) {
	got.t.Helper()
	for _, text := range texts {
		if strings.Contains(got.content(), text) {
			got.t.Errorf("the page shows %q:\n%s", text, got.content())
		}
	}
}

func (b *browser) search(q string) answer {
	b.t.Helper()
	return b.page("/account/watchlist?q=" + url.QueryEscape(q))
}

func TestASeriesIsSearchedForAndChosen(t *testing.T) {
	r := newRig(t, options{})
	b := r.browser(t)
	for _, target := range []string{"/account/watchlist", "/account/watchlist?q=x"} {
		want := "/sign-in?return_url=" + url.QueryEscape(r.base+target) // and comes back
		if got := b.page(target).want(http.StatusSeeOther); got.header.Get("Location") != want {
			t.Errorf("who is not signed in goes to %s, want %s", got.header.Get("Location"), want)
		}
	}
	b.signIn("ana@example.cl")
	b.page("/account").want(http.StatusOK).shows(`action="/account/watchlist"`, `name="q"`)
	b.page("/account/watchlist").want(http.StatusOK).shows(`name="q"`, `href="/account"`)
	choose := func(id string) string { return `name="serie_id" value="` + id + `"` }
	for _, q := range []string{"9809-4", " ñandú ", fundSeries, formerSeries} {
		b.search(q).want(http.StatusOK).shows("FONDO MUTUO ÑANDÚ RENTA", "serie B", "RUN 9809-4", choose(fundSeries))
	}
	b.form("/account/watchlist", "serie_id", formerSeries, "q", "ñandú").want(http.StatusSeeOther)
	b.search("ñandú").want(http.StatusOK).shows("Ya la sigue")
	b.search("ñandú").doesNotShow(choose(fundSeries))

	// Names of funds and search texts are always escaped.
	hostile := b.search("etf").want(http.StatusOK)
	hostile.shows("ETF &lt;script&gt;", "cerrada", choose(etfSeries))
	hostile.doesNotShow("<script>alert")
	b.search(`"><script>alert(1)</script>`).want(http.StatusOK).doesNotShow("<script>", `value="">`)
	b.form("/account/watchlist", "serie_id", etfSeries).want(http.StatusSeeOther)
	b.form("/account/watchlist", "serie_id", youngSeries).want(http.StatusSeeOther)
	account := b.page("/account").want(http.StatusOK)
	account.shows("FONDO MUTUO ÑANDÚ RENTA", "RUN 9809-4", formerSeries, "ETF &lt;script&gt;", "cerrada", etfSeries,
		"<code>"+youngSeries+"</code>")
	account.doesNotShow("<script>")

	// The number of results is limited.
	many := b.search("muchas").want(http.StatusOK)
	if n := strings.Count(many.content(), `name="serie_id"`); n != 50 {
		t.Errorf("%d series are shown, want 50", n)
	}
	many.shows("Hay más series")
	b.search("9278-9").want(http.StatusOK).doesNotShow("Hay más series")
	// A series with an id but no name yet is found by its id.
	b.form("/account/watchlist/remove", "serie_id", youngSeries).want(http.StatusSeeOther)
	b.search(youngSeries).want(http.StatusOK).shows(choose(youngSeries))
}

func TestAPageIsToldWhetherItsSeriesIsWatched(t *testing.T) {
	r := newRig(t, options{})
	b := r.browser(t)
	asks := func(id, want string) {
		t.Helper()
		got := b.page("/account/watching.json?serie_id=" + id).want(http.StatusOK)
		if strings.TrimSpace(got.body) != want || got.header.Get("Cache-Control") != "no-store" ||
			got.header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: %s %v, want %s", id, got.body, got.header, want)
		}
	}
	asks(fundSeries, `{"signed_in":false,"watched":null,"alerts":false}`)
	b.signIn("ana@example.cl")
	asks(fundSeries, `{"signed_in":true,"watched":null,"alerts":false}`)
	b.form("/account/alerts", "alerts", "on").want(http.StatusSeeOther)
	b.form("/account/watchlist", "serie_id", formerSeries).want(http.StatusSeeOther)
	for _, id := range []string{fundSeries, formerSeries} { // the id on the list is the one to take off it
		asks(id, `{"signed_in":true,"watched":"`+formerSeries+`","alerts":true}`)
	}
	asks(etfSeries, `{"signed_in":true,"watched":null,"alerts":true}`)
	asks("77", `{"signed_in":true,"watched":null,"alerts":true}`)
	for _, wrong := range []string{"", "x", strings.Repeat("9", 40), "1&serie_id=2", "%ff"} {
		b.page("/account/watching.json?serie_id=" + wrong).want(http.StatusUnprocessableEntity)
	}
	r.market.gone.Store(true)
	b.page("/account/watching.json?serie_id=" + fundSeries).want(http.StatusServiceUnavailable)
}

func TestWhatIsWrongWithASeriesIsSaidBesideTheField(t *testing.T) {
	r := newRig(t, options{})
	b := r.browser(t)
	b.signIn("ana@example.cl")
	beside := []string{`aria-invalid="true"`, `id="serie-problem" role="alert"`,
		`aria-describedby="serie-problem serie-hint"`, `href="/account"`, `name="q"`}
	for name, try := range map[string]struct {
		got    answer
		status int
		said   []string
	}{
		"nothing":  {b.search(""), 422, []string{"Escriba un RUN"}},
		"spaces":   {b.search(" \t "), 422, []string{"Escriba un RUN"}},
		"no text":  {b.page("/account/watchlist?q=%ff"), 422, []string{"Escriba un RUN"}},
		"too much": {b.search(strings.Repeat("ñ", 101)), 422, []string{"a lo más 100 caracteres"}},
		"no match": {b.search("no such fund"), 200, []string{"Ninguna serie coincide", `value="no such fund"`}},
		"an unknown id": {b.form("/account/watchlist", "serie_id", "77"), 404,
			[]string{"No existe una serie", `value="77"`}},
		"no id": {b.form("/account/watchlist", "serie_id", "<b>"), 422,
			[]string{"Escriba el número", `value="&lt;b&gt;"`}},
		"no id, a search": {b.form("/account/watchlist", "serie_id", "<b>", "q", "ñandú"), 422,
			[]string{"Escriba el número", `value="ñandú"`, fundSeries}},
		"a very long id": {b.form("/account/watchlist", "serie_id", strings.Repeat("9", 2000)), 422,
			[]string{"Escriba el número"}},
		"a choice of none": {b.form("/account/watchlist"), 422, []string{"Escriba el número"}},
	} {
		t.Run(name, func(t *testing.T) {
			try.got.t = t
			try.got.want(try.status).shows(append(beside, try.said...)...)
		})
	}

	id := r.personID(t, "ana@example.cl")
	for i := range 200 {
		must(t, r.store.Watch(t.Context(), id, fmt.Sprint(100000+i)))
	}
	b.form("/account/watchlist", "serie_id", fundSeries, "q", "ñandú").want(http.StatusConflict).
		shows(append(beside, "La lista está llena", `value="ñandú"`)...)
}

func TestAnAccountCanBeUsedWhileTheDataCanNotBeRead(t *testing.T) {
	r := newRig(t, options{})
	b := r.browser(t)
	b.signIn("ana@example.cl")
	b.form("/account/watchlist", "serie_id", fundSeries).want(http.StatusSeeOther)
	r.market.gone.Store(true)
	page := b.page("/account").want(http.StatusOK)
	page.shows(fundSeries, "Los nombres no están disponibles")
	page.doesNotShow("ÑANDÚ")
	if !strings.Contains(r.logged.String(), errMarketGone.Error()) {
		t.Error("the log does not say why")
	}
	r.market.silent.Store(true) // the page waits for names only for a limited time
	b.page("/account").want(http.StatusOK).shows(fundSeries, "Los nombres no están disponibles")
	r.market.silent.Store(false)
	for _, got := range []answer{b.search("renta"), b.form("/account/watchlist", "serie_id", etfSeries, "q", "etf")} {
		got.want(http.StatusServiceUnavailable).shows("Los datos no están disponibles", `href="/account"`)
		if got.header.Get("Retry-After") == "" {
			t.Error("when to try again is not told")
		}
	}
	b.form("/account/watchlist/remove", "serie_id", fundSeries).want(http.StatusSeeOther)
	b.page("/account").want(http.StatusOK).doesNotShow(fundSeries, "Los nombres no están disponibles")
}

// Every page other than the account page links to it, signed in or not.
func TestEveryErrorAndConfirmationLeadsBackToTheAccount(t *testing.T) {
	r := newRig(t, options{})
	b, stranger := r.browser(t), r.browser(t)
	b.signIn("ana@example.cl")
	person := r.personID(t, "ana@example.cl")
	stranger.form("/register", "email", "eva@example.cl").want(http.StatusSeeOther)
	registration := r.linkTo(t, "eva@example.cl")
	stranger.form("/sign-in", "email", "eva@example.cl", "return_url", r.base+"/account").want(http.StatusSeeOther)
	link := r.linkTo(t, "eva@example.cl")
	unsubscribe := "/unsubscribe?token=" + r.store.UnsubscribeToken(person, "alerts")
	for name, got := range map[string]answer{
		"no such page":             b.page("/account/none"),
		"no such method":           b.do(http.MethodPut, "/account", "", ""),
		"not signed in":            stranger.form("/account/alerts"),
		"a form of another page":   b.do(http.MethodPost, "/account/alerts", "text/plain", "x"),
		"a series that is no id":   b.form("/account/watchlist/remove", "serie_id", "x"),
		"a link that is none":      b.page("/sign-in/confirm?token=x"),
		"a token that is none":     b.page("/unsubscribe?token=x"),
		"another origin's page":    from(b, "https://evil.example", func() answer { return b.form("/account/alerts") }),
		"registration sent":        stranger.page("/register/sent"),
		"sign-in sent":             stranger.page("/sign-in/sent"),
		"registration to confirm":  stranger.page(registration.String()),
		"sign-in to confirm":       stranger.page(link.String()),
		"the key":                  stranger.form("/register/confirm", "token", registration.Query().Get("token")),
		"unsubscribing to confirm": b.page(unsubscribe),
		"unsubscribed":             b.form("/unsubscribe", "token", r.store.UnsubscribeToken(person, "alerts")),
		"removal to confirm":       b.page("/account/delete"),
		"a search":                 b.search("renta"),
	} {
		t.Run(name, func(t *testing.T) {
			got.t = t
			got.shows(`href="/account"`)
		})
	}
}
