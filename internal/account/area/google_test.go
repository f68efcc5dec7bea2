package area_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"cuota/internal/account/area"

	"github.com/golang-jwt/jwt/v5"
	"github.com/oauth2-proxy/mockoidc"
)

func TestASignInWithGoogleIsOfTheBrowserThatBegan(t *testing.T) {
	r, google := withGoogle(t)
	b := r.browser(t)
	google.user("Ana@Example.cl", true)
	back := b.toGoogle(r.base + "/account?tab=1")

	// Another browser, with or without its own sign-in in progress.
	thief := r.browser(t)
	if got := thief.get(back); got.status != http.StatusUnprocessableEntity ||
		got.violation() != "query.state:link_invalid" {
		t.Errorf("a stolen state gives %d %s", got.status, got.body)
	}
	google.user("eva@example.cl", true)
	thief.toGoogle(r.base + "/account")
	thief.get(back).want(http.StatusUnprocessableEntity)

	b.do(http.MethodHead, back, "", "") // HEAD uses nothing up
	done := b.page(back).want(http.StatusSeeOther)
	if done.header.Get("Location") != r.base+"/account?tab=1" {
		t.Errorf("the browser goes to %s", done.header.Get("Location"))
	}
	if me := decode[struct{ Email string }](b.get("/api/me").want(http.StatusOK)); me.Email != "ana@example.cl" {
		t.Errorf("%+v", me)
	}
	if got := b.get(back); got.violation() != "query.state:link_invalid" {
		t.Errorf("a replayed state gives %d %s", got.status, got.body)
	}
	thief.get("/api/me").want(http.StatusUnauthorized)
}

func TestAFrontEndOfAnotherOriginGetsACodeForItsOwnBrowser(t *testing.T) {
	r, google := withGoogle(t)
	b := r.browser(t)
	b.origin = frontEnd
	google.user("ana@example.cl", true)
	done := b.page(b.toGoogle(frontEnd + "/in")).want(http.StatusSeeOther)
	to, err := url.Parse(done.header.Get("Location"))
	must(t, err)
	code := to.Query().Get("code")
	if to.Host != "app.example.org" || len(code) != 43 {
		t.Fatalf("the browser goes to %s%s", to.Host, to.Path)
	}
	b.get("/api/me").want(http.StatusUnauthorized)
	thief := r.browser(t)
	thief.origin = frontEnd
	google.user("eva@example.cl", true)
	thief.toGoogle(frontEnd + "/in")
	if got := thief.json(http.MethodPost, "/api/auth/callback",
		map[string]string{"code": code}); got.violation() != "body.code:link_invalid" {
		t.Errorf("a stolen code gives %d %s", got.status, got.body)
	}
	if got := b.json(http.MethodPost, "/api/auth/callback",
		map[string]string{"token": code}); got.violation() != "body.token:link_invalid" {
		t.Errorf("a code as a token gives %d %s", got.status, got.body)
	}
	b.json(http.MethodPost, "/api/auth/callback", map[string]string{"code": code}).want(http.StatusOK)
	b.get("/api/me").want(http.StatusOK)
	b.json(http.MethodPost, "/api/auth/callback", map[string]string{"code": code}).want(http.StatusUnprocessableEntity)
}

func TestWhatGoogleSaysIsChecked(t *testing.T) {
	google := newProvider(t)
	stranger, err := mockoidc.RandomKeypair(2048)
	must(t, err)
	stranger.Kid, err = google.Keypair.KeyID() // claims to be the provider's own key
	must(t, err)
	r := newRig(t, options{google: google.config()})
	sign := func(claims map[string]any) string {
		signed, err := google.Keypair.SignJWT(jwt.MapClaims(claims))
		must(t, err)
		return signed
	}
	with := func(name string, value any) func(map[string]any) string {
		return func(claims map[string]any) string {
			claims[name] = value
			return sign(claims)
		}
	}
	google.user("ana@example.cl", true)
	google.forge = sign
	if got := r.browser(t); got.page(got.toGoogle(r.base+"/account")).status != http.StatusSeeOther {
		t.Fatal("the check refuses what is as it should be")
	}
	google.user("ana@example.cl", true)
	google.forge = func(claims map[string]any) string {
		claims["aud"], claims["azp"] = []string{google.ClientID, "somebody-else"}, google.ClientID
		return sign(claims)
	}
	if got := r.browser(t); got.page(got.toGoogle(r.base+"/account")).status != http.StatusSeeOther {
		t.Error("a token for two clients that was made for this one is refused")
	}
	for name, forge := range map[string]func(map[string]any) string{
		"of another issuer":       with("iss", "https://accounts.example.org"),
		"for another client":      with("aud", "somebody-else"),
		"for two clients":         with("aud", []string{google.ClientID, "somebody-else"}),
		"made for another client": with("azp", "somebody-else"),
		"for two clients, made for the other": func(claims map[string]any) string {
			claims["aud"], claims["azp"] = []string{google.ClientID, "somebody-else"}, "somebody-else"
			return sign(claims)
		},
		"expired":             with("exp", time.Now().Add(-time.Hour).Unix()),
		"with another nonce":  with("nonce", "0123456789"),
		"without a nonce":     with("nonce", nil),
		"not verified":        with("email_verified", false),
		"verified as a word":  with("email_verified", "true"),
		"without an address":  with("email", ""),
		"with a header in it": with("email", "ana@example.cl\r\nBcc: eva@example.cl"),
		"with a Kelvin sign":  with("email", "\u212Aarl@example.cl"),
		"without a subject":   with("sub", ""),
		"with a long subject": with("sub", strings.Repeat("1", 256)),
		"signed by somebody else": func(c map[string]any) string {
			s, _ := stranger.SignJWT(jwt.MapClaims(c))
			return s
		},
		"not signed": func(c map[string]any) string {
			parts := strings.Split(sign(c), ".")
			return "eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0." + parts[1] + "."
		},
		"none at all": func(map[string]any) string { return "" },
	} {
		google.user("ana@example.cl", true)
		google.forge = forge
		b := r.browser(t)
		if got := b.get(b.toGoogle(r.base + "/account")); got.status != http.StatusUnprocessableEntity {
			t.Errorf("an ID token %s gives %d %s", name, got.status, got.body)
		}
		b.get("/api/me").want(http.StatusUnauthorized)
	}

	google.forge = nil
	google.user("ana@example.cl", true)
	b := r.browser(t)
	back := b.toGoogle(r.base + "/account")
	r.advance(10 * time.Minute)
	if got := b.get(back); got.violation() != "query.state:link_invalid" {
		t.Errorf("an expired state gives %d %s", got.status, got.body)
	}
	for _, target := range []string{"?state=x", "?code=x", "", "?code=x&state=x&state=y",
		"?error=access_denied&state=x"} {
		b.get("/api/auth/google/callback" + target).want(http.StatusUnprocessableEntity)
	}
	if page := b.page("/api/auth/google/callback?error=access_denied"); page.status != http.StatusUnprocessableEntity ||
		!strings.Contains(page.body, "<h1>") {
		t.Errorf("a person who cancelled sees %d %.100s", page.status, page.body)
	}
}

func TestTheCodeIsProvedByPKCE(t *testing.T) {
	r, google := withGoogle(t)
	b := r.browser(t)
	begun := b.get(googleFor(r.base + "/")).want(http.StatusOK)
	to, err := url.Parse(decode[struct {
		URL string `json:"authorization_url"`
	}](begun).URL)
	must(t, err)
	q := to.Query()
	if q.Get("code_challenge_method") != "S256" || len(q.Get("code_challenge")) != 43 ||
		q.Get("response_type") != "code" ||
		q.Get("redirect_uri") != r.base+"/api/auth/google/callback" || len(q.Get("nonce")) < 43 ||
		len(q.Get("state")) < 43 {
		t.Errorf("sent to the provider: %v", q)
	}
	// If the challenge belongs to another verifier, the provider gives no token.
	q.Set("code_challenge", "Mgw6Jw-lUlYcGE0yw5Ikm4q_9Y0yq1yxg0TDBsnKLS8")
	to.RawQuery = q.Encode()
	google.user("ana@example.cl", true)
	sent := b.get(to.String()).want(http.StatusFound)
	if got := b.get(sent.header.Get("Location")); got.violation() != "query.code:sign_in_refused" {
		t.Errorf("the code of another verifier gives %d %s", got.status, got.body)
	}
}

func TestWithoutGoogleCallersGetThatAsTheReason(t *testing.T) {
	off := newRig(t, options{}).browser(t)
	for _, target := range []string{googleFor(off.rig.base), "/api/auth/google/callback?code=x&state=y"} {
		if got := off.get(target).want(http.StatusServiceUnavailable); got.code() != "google_not_configured" {
			t.Errorf("%s", got.body)
		}
	}
	if page := off.page("/sign-in").body; strings.Contains(page, "Google") {
		t.Error("the page offers what is off")
	}
	gone := newRig(t, options{google: area.Google{Issuer: "http://127.0.0.1:1", ClientID: "a",
		ClientSecret: "b"}}).browser(t)
	if got := gone.get(googleFor(gone.rig.base)).want(
		http.StatusServiceUnavailable); got.code() != "google_unavailable" || got.header.Get("Retry-After") != "5" {
		t.Errorf("%s", got.body)
	}
}

// An address may be given to another person, but Google's subject stays the same.
func TestASignInWithGoogleIsOfOnePerson(t *testing.T) {
	r, google := withGoogle(t)
	signIn := func(subject, email string) (b *browser, got answer) {
		t.Helper()
		b = r.browser(t)
		google.person(subject, email)
		return b, b.get(b.toGoogle(r.base + "/account"))
	}
	id := func(b *browser) string {
		t.Helper()
		return decode[struct{ ID string }](b.get("/api/me").want(http.StatusOK)).ID
	}
	byMail := r.browser(t)
	byMail.signIn("ana@example.cl")
	b, got := signIn("1", "ana@example.cl")
	got.want(http.StatusOK)
	ana := id(byMail)
	if id(b) != ana {
		t.Error("who signs in with Google has another account than by mail")
	}
	b, got = signIn("2", "ana@example.cl")
	if got.status != http.StatusUnprocessableEntity || got.violation() != "query.code:other_identity" {
		t.Errorf("another person of the same address gets %d %s", got.status, got.body)
	}
	b.get("/api/me").want(http.StatusUnauthorized)
	b, got = signIn("1", "ana.maria@example.cl")
	got.want(http.StatusOK)
	if me := decode[struct{ ID, Email string }](b.get("/api/me").want(http.StatusOK)); me.ID != ana ||
		me.Email != "ana@example.cl" {
		t.Errorf("the same person with a new address has %+v", me)
	}

	// A front end on another origin and a person at a page get the same message.
	google.person("2", "ana@example.cl")
	refused := r.browser(t)
	page := refused.page(refused.toGoogle(frontEnd + "/in")).want(http.StatusUnprocessableEntity).body
	for _, shown := range []string{"pertenece a otra cuenta de Google", `href="/sign-in"`} {
		if !strings.Contains(page, shown) {
			t.Errorf("the page does not show %q", shown)
		}
	}
}
