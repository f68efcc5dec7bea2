package area_test

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"cuota/internal/account"
)

// reader returns a browser that accepts languages, in which a person is signed in unless the address is empty.
func (r *rig) reader(t *testing.T, accepted, address string) *browser {
	t.Helper()
	b := r.browser(t)
	if accepted != "" {
		b.header.Set("Accept-Language", accepted)
	}
	if address != "" {
		b.signIn(address)
	}
	return b
}

// allPages returns every page of the area by name, as browsers get it that accept languages. ask adds to an address
// what chooses the language.
func (r *rig) allPages(t *testing.T, accepted string, ask func(path string) string) map[string]answer {
	t.Helper()
	b, stranger := r.reader(t, accepted, "ana@example.cl"), r.reader(t, accepted, "")
	token := r.store.UnsubscribeToken(r.personID(t, "ana@example.cl"), account.Alerts)
	stranger.form(ask("/register"), "email", "eva@example.cl").want(http.StatusSeeOther)
	registration := r.linkTo(t, "eva@example.cl").Query().Get("token")
	stranger.form(ask("/sign-in"), "email", "eva@example.cl", "return_url", r.base+"/account").want(http.StatusSeeOther)
	link := r.linkTo(t, "eva@example.cl").Query().Get("token")
	b.form("/account/watchlist", "serie_id", fundSeries).want(http.StatusSeeOther)
	b.form("/account/watchlist", "serie_id", etfSeries).want(http.StatusSeeOther)
	hook := r.webhooks(t, "ana@example.cl")
	with := func(path, name, value string) string {
		path = ask(path)
		if strings.Contains(path, "?") {
			return path + "&" + name + "=" + url.QueryEscape(value)
		}
		return path + "?" + name + "=" + url.QueryEscape(value)
	}
	return map[string]answer{
		"registration":             stranger.page(ask("/register")),
		"registration mistaken":    stranger.form(ask("/register"), "email", "x"),
		"registration sent":        stranger.page(ask("/register/sent")),
		"registration to confirm":  stranger.page(with("/register/confirm", "token", registration)),
		"the key":                  stranger.form(ask("/register/confirm"), "token", registration),
		"sign-in":                  stranger.page(ask("/sign-in")),
		"sign-in, all ended":       stranger.page(with("/sign-in", "ended", "")),
		"sign-in mistaken":         stranger.form(ask("/sign-in"), "email", "x", "return_url", r.base),
		"sign-in sent":             stranger.page(ask("/sign-in/sent")),
		"sign-in to confirm":       stranger.page(with("/sign-in/confirm", "token", link)),
		"the account":              b.page(with("/account", "saved", "")),
		"the empty account":        r.reader(t, accepted, "nueva@example.cl").page(ask("/account")),
		"a search":                 b.page(with("/account/watchlist", "q", "etf")),
		"a search of many":         b.page(with("/account/watchlist", "q", "muchas")),
		"a search in vain":         b.page(with("/account/watchlist", "q", "no such fund")),
		"a search for nothing":     b.page(with("/account/watchlist", "q", "")),
		"a search too long":        b.page(with("/account/watchlist", "q", strings.Repeat("x", 101))),
		"a series that is none":    b.form(ask("/account/watchlist"), "serie_id", "77"),
		"a series without an id":   b.form(ask("/account/watchlist"), "serie_id", "x"),
		"a series with alerts":     b.page(with("/account/watch", "serie_id", fundSeries)),
		"alerts were turned on":    b.page(with("/account/watch", "serie_id", fundSeries) + "&hecho=serie&hecho=alertas"),
		"a screen to save":         b.page(with("/account/screens", "busqueda", "q=x")),
		"a screen without a name":  b.form(ask("/account/screens"), "nombre", "", "busqueda", "q=x"),
		"a screen that is none":    b.page(with("/account/screens", "busqueda", "filter=x")),
		"no webhooks":              r.reader(t, accepted, "nueva@example.cl").page(ask("/account/webhooks")),
		"webhooks":                 b.page(with("/account/webhooks", "saved", "")),
		"a webhook mistaken":       b.form(ask("/account/webhooks"), "direccion", "http://x"),
		"a webhook registered":     b.form(ask("/account/webhooks"), "direccion", "https://hooks.example.org/another"),
		"a new secret":             b.form(ask("/account/webhooks/rotate"), "webhook", hook),
		"a log":                    b.page(with("/account/webhooks/log", "webhook", hook)),
		"no such webhook":          b.page(with("/account/webhooks/log", "webhook", "x")),
		"removal to confirm":       b.page(ask("/account/delete")),
		"unsubscribing to confirm": b.page(with("/unsubscribe", "token", token)),
		"unsubscribed":             b.form(ask("/unsubscribe"), "token", token),
		"no such page":             b.page(ask("/account/none")),
		"no such method":           b.do(http.MethodPut, ask("/account"), "", ""),
		"not signed in":            stranger.form(ask("/account/alerts")),
		"a form of another page":   b.do(http.MethodPost, ask("/account/alerts"), "text/plain", "x"),
		"a link that is none":      b.page(with("/sign-in/confirm", "token", "x")),
		"no link":                  b.page(ask("/sign-in/confirm")),
		"a token that is none":     b.page(with("/unsubscribe", "token", "x")),
		"no return":                b.page(with("/sign-in", "return_url", "https://evil.example")),
		"another origin's page": from(b, "https://evil.example", func() answer {
			return b.form(ask("/account/alerts"))
		}),
		"Google is off": b.page(ask("/api/auth/google")),
		"removed":       r.reader(t, accepted, "otra@example.cl").form(ask("/account/delete")),
	}
}

var (
	tags      = regexp.MustCompile(`<[^>]*>`)
	labels    = regexp.MustCompile(`(?:aria-label|data-copied|data-selected)="([^"]*)"`)
	ofSpanish = regexp.MustCompile(
		`(?i)[áéíóúñ¿¡]|\b(su|sus|de|la|las|los|el|en|correo|clave|cuenta|serie|enlace|una|para|con|que)\b`)
	ofEnglish = regexp.MustCompile(`(?i)\b(the|your|of|you|is|mail|key|account|link|sign|and|with|was|at)\b`)
)

// words returns what a page says between its header and its footer, and in its title, without names and addresses.
func (got answer) words() string {
	title, _, _ := strings.Cut(got.body[strings.Index(got.body, "<title>"):], "</title>")
	text := title + " " + got.content()
	for _, label := range labels.FindAllStringSubmatch(text, -1) {
		text += " " + label[1]
	}
	text = regexp.MustCompile(`(?s)<(code|strong)[^>]*>.*?</(?:code|strong)>`).ReplaceAllString(text, " ")
	text = tags.ReplaceAllString(text, " ")
	return regexp.MustCompile(
		`X-Api-Key|FONDO MUTUO ÑANDÚ RENTA|ÚNICA|MUCHAS SERIES|\S+@\S+|ETF[^,]*CO,`).ReplaceAllString(text, " ")
}

func TestEveryPageIsInTheLanguageOfTheReaderAlone(t *testing.T) {
	r := newRig(t, options{})
	plain := func(path string) string { return path }
	for name, of := range map[string]struct {
		accepted, lang string
		ask            func(path string) string
		foreign        *regexp.Regexp
	}{
		"Spanish by omission":        {"", "es", plain, ofEnglish},
		"Spanish of a reader":        {"es-CL,es;q=0.9,en;q=0.8", "es", plain, ofEnglish},
		"English of a reader":        {"en-US,en;q=0.9", "en", plain, ofSpanish},
		"English of the address":     {"es", "en", func(path string) string { return path + "?lang=en" }, ofSpanish},
		"Spanish of the address":     {"en", "es", func(path string) string { return path + "?lang=es" }, ofEnglish},
		"an address of no languages": {"en", "en", func(path string) string { return path + "?lang=fr" }, ofSpanish},
	} {
		t.Run(name, func(t *testing.T) {
			r.advance(2 * time.Hour) // the limits of links
			for page, got := range r.allPages(t, of.accepted, of.ask) {
				got.t = t
				if !strings.Contains(got.body, `<html lang="`+of.lang+`">`) ||
					!slices.Contains(got.header.Values("Vary"), "Accept-Language") {
					t.Errorf("%s: in another language than %s, or Vary is %q", page, of.lang, got.header.Values("Vary"))
				}
				if found := of.foreign.FindAllString(got.words(), 3); len(found) > 0 {
					t.Errorf("%s has words of the other language: %q in %s", page, found, got.words())
				}
			}
		})
	}
}

func TestALanguageOfTheAddressIsKeptOnTheWholeWay(t *testing.T) {
	r := newRig(t, options{})
	b := r.browser(t)
	b.page("/register?lang=en").shows(`action="/register?lang=en"`, `href="/sign-in?lang=en"`)
	b.form("/register?lang=en", "email", victim).leadsTo("/register/sent?lang=en")
	link := r.linkTo(t, victim)
	page := b.page(link.String()).want(http.StatusOK)
	page.shows("Confirm your registration", `action="/register/confirm?lang=en"`)
	if other := `class="language" href="/register/confirm?lang=es&amp;token=` + link.Query().Get("token") +
		`"`; !strings.Contains(page.body, other) {
		t.Errorf("no link to the page in Spanish: %s", page.body)
	}
	key := b.form("/register/confirm?lang=en", "token", link.Query().Get("token")).want(http.StatusOK)
	key.shows("This is your key")
	if strings.Contains(key.body, `class="language"`) {
		t.Error("the page with the key, which is shown once, links to itself in another language")
	}

	b.page("/account?lang=en").leadsTo("/sign-in?lang=en")
	b.page("/sign-in?lang=en").shows(`name="return_url" value="` + r.base + `/account?lang=en"`)
	b.form("/sign-in?lang=en", "email", victim, "return_url", r.base+"/account?lang=en").leadsTo("/sign-in/sent?lang=en")
	link = r.linkTo(t, victim)
	b.page(link.String()).shows("You are about to sign in")
	b.form("/sign-in/confirm?lang=en", "token", link.Query().Get("token")).leadsTo(r.base + "/account?lang=en")
	b.page("/account?lang=en").shows(`href="/account/delete?lang=en"`, `name="lang" value="en"`)
	b.form("/account/watchlist?lang=en", "serie_id", fundSeries).leadsTo("/account?lang=en&saved")
	b.page("/account?lang=en&saved").shows("Changes saved")
	b.form("/account/sign-out-everywhere?lang=en").leadsTo("/sign-in?lang=en&ended")
	b.page("/sign-in?lang=en&ended").shows("All your sessions were ended")
}

// The address of an error may have the token of a mail, which no answer to a failed request repeats.
func TestAnErrorDoesNotRepeatItsAddress(t *testing.T) {
	r := newRig(t, options{})
	for _, path := range []string{"/register/confirm", "/sign-in/confirm", "/unsubscribe"} {
		if got := r.browser(t).page(path + "?token=unknown-token").want(
			http.StatusUnprocessableEntity); strings.Contains(got.body, "unknown-token") {
			t.Errorf("%s repeats it: %s", path, got.body)
		}
	}
}
