package area_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cuota/internal/account"
	"cuota/internal/account/area"
	"cuota/internal/testkit/waittest"
	"cuota/internal/webhook"

	"github.com/chromedp/chromedp"
	"github.com/rs/zerolog"
)

func TestAPersonWalksThroughTheAreaInARealBrowser(t *testing.T) {
	for _, lang := range []string{"es", "en"} {
		t.Run(lang, func(t *testing.T) { walkTheArea(t, lang) })
	}
}

func walkTheArea(t *testing.T, lang string) {
	mails := filepath.Join(t.TempDir(), "mails")
	google := newProvider(t)
	r := newRig(t, options{http: true, folder: mails, google: google.config()})
	p := newPerson(t, r, mails, lang)
	program := r.browser(t) // the program that uses the keys

	register := func(pictures bool) string {
		look := func(name string) {
			if pictures {
				p.pictures(name)
			}
		}
		p.goes(r.base+"/register", http.StatusOK)
		look("register")
		p.types("#email", "ana@example.cl", http.StatusOK)
		p.sees(p.say("Revise su correo", "Check your mail"))
		look("register-sent")
		p.goes(p.mailedLink(), http.StatusOK)
		p.sees("ana@example.cl")
		look("register-confirm")
		p.presses("main button", http.StatusOK)
		key := p.text("#key")
		p.sees("curl -H 'X-Api-Key: " + key + "' '" + r.base + "/api/")
		look("key")
		return key
	}
	first := register(true)
	must(t, chromedp.Do(p.Ctx, chromedp.Click(chromedp.CSS("button[data-copy=key]"))))
	waittest.Until(t, "the copy button says what it did", func() bool { return p.text("#copied") != "" })
	if got := program.keyStatus(first); got != http.StatusOK {
		t.Errorf("the key that was shown gives %d", got)
	}
	second := register(false)
	if was, is := program.keyStatus(first), program.keyStatus(second); was != http.StatusUnauthorized ||
		is != http.StatusOK {
		t.Errorf("after registering again the earlier key gives %d and the later %d", was, is)
	}

	// An error is shown beside its field, which has the focus.
	p.goes(r.base+"/register", http.StatusOK)
	p.types("#email", "ana@localhost", http.StatusUnprocessableEntity)
	p.sees(p.say("Escriba un correo como", "Type an address such as"))
	p.pictures("register-mistake")
	focused, err := chromedp.Run(p.Ctx, chromedp.Evaluate[string](`document.activeElement.id`))
	must(t, err)
	if focused != "email" {
		t.Errorf("after a mistake %q has the focus", focused)
	}

	p.goes(r.base+"/account", http.StatusOK)
	if p.where() != "/sign-in" {
		t.Errorf("who is not signed in is at %s", p.where())
	}
	p.pictures("sign-in")
	p.types("#email", "ana@example.cl", http.StatusOK)
	p.pictures("sign-in-sent")
	link := p.mailedLink()
	p.goes(link, http.StatusOK)
	p.pictures("sign-in-confirm")
	p.presses("main button", http.StatusOK)
	if p.where() != "/account" {
		t.Errorf("who signed in is at %s", p.where())
	}
	p.sees("ana@example.cl", "…"+second[len(second)-4:], p.say("Todavía no sigue ninguna", "None yet"))
	p.goes(link, http.StatusUnprocessableEntity)
	p.pictures("link-used")

	p.goes(r.base+"/account", http.StatusOK)
	// The person searches for a series by a known text and chooses it.
	p.types("#serie", "9809-4", http.StatusOK)
	p.sees(p.say("Elija una serie", "Choose a series"), "FONDO MUTUO ÑANDÚ RENTA", p.say("serie B", "series B"),
		"RUN 9809-4", fundSeries)
	p.pictures("series-found")
	p.presses("button[aria-label='"+p.say("Seguir FONDO MUTUO ÑANDÚ RENTA, serie B",
		"Watch FONDO MUTUO ÑANDÚ RENTA, series B")+"']", http.StatusOK)
	p.sees(p.say("Cambios guardados", "Changes saved"), "FONDO MUTUO ÑANDÚ RENTA", "RUN 9809-4 · "+fundSeries,
		p.say("Último cambio: +0,35", "Last change: +0.35%"))
	p.types("#serie", "no such fund", http.StatusOK)
	p.sees(p.say("Ninguna serie coincide", "No series matches"))
	p.pictures("series-not-found")
	if focused, err = chromedp.Run(p.Ctx, chromedp.Evaluate[string](`document.activeElement.id`)); err != nil ||
		focused != "serie" {
		t.Errorf("after a search in vain %q has the focus: %v", focused, err)
	}
	p.goes(r.base+"/account/watchlist?q=muchas", http.StatusOK)
	p.sees(p.say("Hay más series", "There are more series"))
	p.pictures("series-many")
	p.goes(r.base+"/account/watchlist", http.StatusOK)
	p.types("#serie", "etf", http.StatusOK)
	p.presses("main .list button", http.StatusOK)
	p.sees(`ETF <script>alert("x")</script> & CO`, p.say("cerrada", "closed"), etfSeries,
		p.say("Sin cambio diario conocido", "No daily change known"))
	p.presses("button[aria-label='"+p.say("Quitar FONDO MUTUO ÑANDÚ RENTA, serie B",
		"Remove FONDO MUTUO ÑANDÚ RENTA, series B")+"']", http.StatusOK)
	if strings.Contains(p.text("body"), fundSeries) {
		t.Error("a removed series is still shown")
	}
	// The button of a series page watches the series and turns alerts on, and both are undone.
	p.goes(r.base+"/account/watch?serie_id="+fundSeries, http.StatusOK)
	p.pictures("watch-with-alerts")
	p.presses("main form button", http.StatusOK)
	p.sees(p.say("Ahora sigue esta serie", "You now watch this series"), p.say("Se activaron", "were turned on"))
	p.pictures("watched-with-alerts")
	p.presses("main form button", http.StatusOK)
	p.sees(p.say("Cambios guardados", "Changes saved"))
	// The link of the screener's page leads to a form that saves its choice.
	p.goes(r.base+"/account/screens?nombre=Pesos&busqueda=currency%3DPESOS", http.StatusOK)
	p.pictures("save-screen")
	must(t, chromedp.Do(p.Ctx, chromedp.SetValue(chromedp.CSS("#nombre"), " ")))
	p.presses("main form button", http.StatusUnprocessableEntity)
	p.sees(p.say("Escriba un nombre de 1 a 80", "Type a name of 1 to 80"))
	p.pictures("save-screen-mistake")
	if focused, err = chromedp.Run(p.Ctx, chromedp.Evaluate[string](`document.activeElement.id`)); err != nil ||
		focused != "nombre" {
		t.Errorf("after a name that can't be used %q has the focus: %v", focused, err)
	}
	must(t, chromedp.Do(p.Ctx, chromedp.SetValue(chromedp.CSS("#nombre"), "Pesos")))
	p.presses("main form button", http.StatusOK)
	p.sees(p.say("Cambios guardados", "Changes saved"), p.say("Búsquedas guardadas", "Saved screens"))
	opened, err := chromedp.Run(p.Ctx, chromedp.Evaluate[string](
		`[...document.querySelectorAll("a.series")].map(of => of.textContent + " " + of.getAttribute("href")).join()`))
	must(t, err)
	if opened != "Pesos /fondos?currency=PESOS" {
		t.Errorf("the account has the screens %q", opened)
	}
	for range 2 { // off, because watching the series with alerts has turned them on; and on again
		must(t, chromedp.Do(p.Ctx, chromedp.Click(chromedp.CSS("input[name=alerts]"))))
		p.presses("form[action='/account/alerts'] button", http.StatusOK)
	}
	p.pictures("account")
	// A link to an address is made, shown once, and revoked.
	must(t, chromedp.Do(p.Ctx, chromedp.SetValue(chromedp.CSS("#direccion"), "/fondos")))
	p.presses("form[action='/account/links'] button", http.StatusUnprocessableEntity)
	p.sees(p.say("Escriba una dirección de la API", "Type an address of the API"))
	p.pictures("link-mistake")
	if focused, err = chromedp.Run(p.Ctx, chromedp.Evaluate[string](`document.activeElement.id`)); err != nil ||
		focused != "direccion" {
		t.Errorf("after an address that can't be linked %q has the focus: %v", focused, err)
	}
	must(t, chromedp.Do(p.Ctx, chromedp.SetValue(chromedp.CSS("#direccion"), "/api/key/info")))
	p.presses("main form button", http.StatusOK)
	p.sees(r.base+"/link/", p.say("no se mostrará otra vez", "will not be shown again"))
	p.pictures("link")
	p.goes(r.base+"/account", http.StatusOK)
	p.sees("/api/key/info", p.say("sin uso", "never used"))
	p.pictures("account-with-a-link")
	p.presses("form[action='/account/links/revoke'] button", http.StatusOK)
	p.sees(p.say("Todavía no hay ninguno", "None yet"))
	p.presses("form[action='/account/screens/remove'] button", http.StatusOK)
	if strings.Contains(p.text("body"), "currency") || !strings.Contains(p.text("body"), p.say("Ninguna todavía", "None yet")) {
		t.Error("a removed screen is still shown")
	}
	checked, err := chromedp.Run(p.Ctx, chromedp.Evaluate[bool](`document.querySelector("input[name=alerts]").checked`))
	must(t, err)
	if !checked {
		t.Error("the alerts are not on")
	}

	p.managesAWebhook()
	id := r.personID(t, "ana@example.cl")
	p.goes(area.OneClickURL(r.base, r.store.UnsubscribeToken(id, account.Alerts)), http.StatusOK)
	if p.where() != "/unsubscribe" {
		t.Errorf("who opened the unsubscribe address is at %s", p.where())
	}
	p.pictures("unsubscribe")
	p.presses("main button", http.StatusOK)
	p.sees(p.say("Ya no le enviaremos", "We will no longer mail you"))
	p.pictures("unsubscribed")
	p.goes(r.base+"/account", http.StatusOK)
	if checked, err = chromedp.Run(p.Ctx,
		chromedp.Evaluate[bool](`document.querySelector("input[name=alerts]").checked`)); err != nil || checked {
		t.Errorf("the alerts are on: %t, %v", checked, err)
	}

	p.presses("form[action='/account/sign-out'] button", http.StatusOK)
	p.goes(r.base+"/sign-in", http.StatusOK)
	google.user("ana@example.cl", true)
	p.presses("a[href*='/api/auth/google']", http.StatusOK)
	if p.where() != "/account" {
		t.Errorf("who signed in with Google is at %s", p.where())
	}
	p.presses("a[href='/account/delete']", http.StatusOK)
	p.pictures("delete")
	p.presses("main button", http.StatusOK)
	p.sees(p.say("Cuenta eliminada", "Account deleted"))
	p.pictures("deleted")
	if got := program.keyStatus(second); got != http.StatusUnauthorized {
		t.Errorf("the key of a removed account gives %d", got)
	}
}

// managesAWebhook registers a webhook at a receiver on this machine, sends a test, and removes the webhook.
func (p *person) managesAWebhook() {
	p.t.Helper()
	received := make(chan http.Header, 1)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		received <- r.Header
	}))
	p.t.Cleanup(receiver.Close)
	sender := webhook.NewSender(p.rig.hooks, zerolog.Nop())
	must(p.t, sender.Start())
	p.t.Cleanup(func() { must(p.t, sender.Stop(context.Background())) })

	p.goes(p.rig.base+"/account", http.StatusOK)
	p.presses("a[href='/account/webhooks']", http.StatusOK)
	p.pictures("webhooks-none")
	p.types("#direccion", "http://hooks.example.org/in", http.StatusUnprocessableEntity)
	p.sees(p.say("La dirección debe comenzar con https://", "The address must begin with https://"))
	p.pictures("webhooks-mistake")
	focused, err := chromedp.Run(p.Ctx, chromedp.Evaluate[string](`document.activeElement.id`))
	must(p.t, err)
	if focused != "direccion" {
		p.t.Errorf("after a mistake %q has the focus", focused)
	}
	must(p.t, chromedp.Do(p.Ctx, chromedp.SetValue(chromedp.CSS("#direccion"), receiver.URL+"/hook")))
	p.presses("form.stacked button", http.StatusOK)
	p.sees(receiver.URL+"/hook", "whsec_")
	p.pictures("webhook-secret")
	secret := p.text("#secret")
	p.presses("a[href='/account/webhooks']", http.StatusOK)
	p.pictures("webhooks")
	if strings.Contains(p.text("body"), secret) {
		p.t.Error("the secret is shown a second time")
	}
	p.presses("form[action='/account/webhooks/test'] button", http.StatusOK)
	select {
	case header := <-received:
		if header.Get("webhook-signature") == "" {
			p.t.Errorf("the message has no signature: %v", header)
		}
	case <-time.After(patience):
		p.t.Fatal("no message arrived")
	}
	waittest.Until(p.t, "the log shows what came of it", func() bool {
		p.presses("main a[href*='/account/webhooks/log']", http.StatusOK)
		return strings.Contains(p.text("table"), p.say("Entregado. HTTP 200", "Delivered. HTTP 200"))
	})
	p.pictures("webhook-log")
	p.goes(p.rig.base+"/account", http.StatusOK)
	p.sees(receiver.URL + "/hook")
	p.presses("a[href='/account/webhooks']", http.StatusOK)
	p.presses("form[action='/account/webhooks/rotate'] button", http.StatusOK)
	p.sees(p.say("El secreto anterior también firma", "The secret before it signs too"))
	p.presses("a[href='/account/webhooks']", http.StatusOK)
	p.presses("form[action='/account/webhooks/remove'] button", http.StatusOK)
	if strings.Contains(p.text("body"), receiver.URL) {
		p.t.Error("a removed webhook is still shown")
	}
}

// The everyday task that needs the account area alone. The others are in package marketpages, which counts in the same
// way: text that is typed is no click, nor is the key that sends it.
func TestAKeyTakesFourClicks(t *testing.T) {
	const most = 4
	mails := filepath.Join(t.TempDir(), "mails")
	r := newRig(t, options{http: true, folder: mails})
	p := newPerson(t, r, mails, "es")
	clicks := 0
	clicked := func(step func()) {
		t.Helper()
		clicks++
		step()
	}
	clicked(func() { p.goes(r.base+"/account", http.StatusOK) }) // "My account" in the head of each page
	clicked(func() { p.presses(`main a[href^="/register"]`, http.StatusOK) })
	p.types("#email", "ana@example.cl", http.StatusOK)
	clicked(func() { p.goes(p.mailedLink(), http.StatusOK) })
	clicked(func() { p.presses("main button", http.StatusOK) })
	if got := r.browser(t).keyStatus(p.text("#key")); got != http.StatusOK {
		t.Errorf("the key gives %d", got)
	}
	if clicks > most {
		t.Errorf("a key took %d clicks", clicks)
	}
}

// personID returns the account id of an address.
func (r *rig) personID(t testing.TB, address string) string {
	t.Helper()
	session, err := r.store.SignInIdentity(t.Context(),
		account.Identity{Issuer: "test", Subject: address, Email: address}, "")
	must(t, err)
	p, err := r.store.Session(t.Context(), session)
	must(t, err)
	return p.ID
}
