package area_test

import (
	"encoding/hex"
	"net/http"
	"strings"
	"testing"

	"cuota/internal/account"
	"cuota/internal/account/area"
)

// The whole area is used, with valid and invalid requests, until the store is closed. Then
// every secret that was seen is searched for in the logs, in error responses and in the
// database's files.
func TestNothingSecretIsLoggedOrStoredInClear(t *testing.T) {
	r, google := withGoogle(t)
	b := r.browser(t)
	secrets := map[string]string{
		"the pepper": string(pepper), "the pepper in hex": hex.EncodeToString(pepper),
		"Google's client secret": google.ClientSecret,
	}
	var failures strings.Builder
	failing := func(got answer) {
		t.Helper()
		if got.status < 400 {
			t.Errorf("status %d, want a failure", got.status)
		}
		failures.WriteString(got.body)
	}

	b.form("/register", "email", victim).want(http.StatusSeeOther)
	unused := r.linkTo(t, victim).Query().Get("token")
	secrets["an unused registration link"] = unused
	b.form("/register", "email", victim).want(http.StatusSeeOther)
	used := r.linkTo(t, victim)
	secrets["a used registration link"] = used.Query().Get("token")
	b.page(used.String()).want(http.StatusOK)
	secrets["the earlier key"] = b.form("/register/confirm", "token",
		used.Query().Get("token")).want(http.StatusOK).key()
	failing(b.form("/register/confirm", "token", used.Query().Get("token")))
	secrets["the key"] = b.register(victim)

	b.json(http.MethodPost, "/api/auth/magic-link",
		map[string]string{"email": victim, "return_url": frontEnd + "/in"}).want(http.StatusAccepted)
	magic := r.linkTo(t, victim).Query().Get("token")
	secrets["a magic link"] = magic
	b.json(http.MethodPost, "/api/auth/callback", map[string]string{"token": magic}).want(http.StatusOK)
	failing(b.json(http.MethodPost, "/api/auth/callback", map[string]string{"token": magic}))
	secrets["a session"] = b.cookie("__Host-cuota-session")

	for _, back := range []string{r.base + "/account", frontEnd + "/in"} {
		google.user(victim, true)
		begun := b.get(googleFor(back)).want(http.StatusOK)
		to := mustURL(t, decode[struct {
			URL string `json:"authorization_url"`
		}](begun).URL)
		secrets["a state for "+back] = to.Query().Get("state")
		secrets["a nonce for "+back] = to.Query().Get("nonce")
		secrets["a browser for "+back] = b.cookie("__Host-cuota-browser")
		done := b.page(to.String()).want(http.StatusFound).header.Get("Location")
		secrets["a code of Google for "+back] = mustURL(t, done).Query().Get("code")
		failing(r.browser(t).get(done))
		finished := b.page(done).want(http.StatusSeeOther).header.Get("Location")
		failing(b.get(done))
		if code := mustURL(t, finished).Query().Get("code"); code != "" {
			secrets["a code of ours"] = code
		}
	}
	secrets["a session by Google"] = b.cookie("__Host-cuota-session")
	b.json(http.MethodPost, "/api/me/watchlist", map[string]string{"serie_id": fundSeries}).want(http.StatusOK)
	made := b.json(http.MethodPost, "/api/me/webhooks",
		map[string]string{"url": "https://hooks.example.org/in?token=of-the-receiver"}).want(http.StatusCreated)
	hook := "/api/me/webhooks/" + decode[struct{ Webhook struct{ ID string } }](made).Webhook.ID
	secrets["a secret of a webhook"], secrets["an address of a webhook"] = secretIn(made), "token=of-the-receiver"
	secrets["a new secret of a webhook"] = secretIn(b.do(http.MethodPost, hook+"/rotate", "", "").want(http.StatusOK))
	b.do(http.MethodPost, hook+"/test", "", "").want(http.StatusAccepted)
	failing(b.json(http.MethodPost, "/api/me/webhooks",
		map[string]string{"url": "https://hooks.example.org/in?token=of-the-receiver"}))
	failing(b.json(http.MethodPost, "/api/me/webhooks", map[string]string{"url": "ftp://hooks.example.org/in?token=of-the-receiver"}))
	id := decode[struct{ ID string }](b.get("/api/me").want(http.StatusOK)).ID
	unsubscribe := r.store.UnsubscribeToken(id, account.Alerts)
	secrets["an unsubscribe token"] = unsubscribe[strings.LastIndexByte(unsubscribe, '.')+1:]
	b.do(http.MethodPost, area.OneClickURL(r.base, unsubscribe), "", "").want(http.StatusNoContent)
	failing(b.do(http.MethodPost, area.OneClickURL(r.base, unsubscribe+"0"), "", ""))
	failing(b.get("/api/key/info?api_key=" + secrets["the key"]))
	link := newLink.FindStringSubmatch(b.form("/account/links", "direccion", "/api/key/info", "dias", "1").
		want(http.StatusOK).body)[1]
	secrets["a link to an address"] = strings.TrimPrefix(link, "/link/")
	r.browser(t).get(link).want(http.StatusOK)
	failing(r.browser(t).get(link + "0"))
	failing(b.form("/account/links", "direccion", "/api/key/info?q="+secrets["the key"], "dias", "1"))
	b.header.Set("X-Api-Key", secrets["the key"])
	b.get("/api/key/info").want(http.StatusOK)
	b.header.Set("Authorization", "Bearer "+secrets["the earlier key"])
	failing(b.get("/api/key/info"))
	b.header.Del("Authorization")

	search := func(when string) {
		t.Helper()
		places := databaseFiles(t, r)
		places["the log"] = r.logged.String()
		places["the answers to failed requests"] = failures.String()
		seen := false
		for place, content := range places {
			seen = seen || strings.Contains(content, victim) && place != "the log"
			for what, secret := range secrets {
				if len(secret) < 16 {
					t.Fatalf("%s is %q: nothing to look for", what, secret)
				}
				if strings.Contains(content, secret) {
					t.Errorf("%s: %s is in %s", when, what, place)
				}
			}
		}
		if !seen || !strings.Contains(places["the log"], "/api/auth/google/callback") {
			t.Errorf("%s: the search sees nothing", when)
		}
		if strings.Contains(places["the log"], victim) {
			t.Errorf("%s: an address is in the log", when)
		}
	}
	search("in use")

	// The store is closed: every request gets 503 without details.
	must(t, r.store.Close())
	failing(b.get("/api/me").want(http.StatusServiceUnavailable))
	failing(b.get("/api/key/info").want(http.StatusServiceUnavailable))
	failing(b.json(http.MethodPost, "/api/auth/callback",
		map[string]string{"token": unused}).want(http.StatusServiceUnavailable))
	failing(b.form("/register/confirm", "token", unused).want(http.StatusServiceUnavailable))
	failing(b.form("/register", "email", victim).want(http.StatusServiceUnavailable))
	failing(b.page("/register/confirm?token=" + unused).want(http.StatusServiceUnavailable))
	failing(b.get(googleFor(r.base)).want(http.StatusServiceUnavailable))
	failing(b.do(http.MethodPost, area.OneClickURL(r.base, unsubscribe), "", "").want(http.StatusServiceUnavailable))
	failing(b.do(http.MethodDelete, "/api/me", "", "").want(http.StatusServiceUnavailable))
	search("without the store")
}
