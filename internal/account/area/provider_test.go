package area_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"cuota/internal/account/area"

	"github.com/oauth2-proxy/mockoidc"
)

// provider is an OpenID provider whose ID tokens a test may change.
type provider struct {
	*mockoidc.MockOIDC
	forge func(claims map[string]any) (signed string)
}

func newProvider(t testing.TB) *provider {
	t.Helper()
	m, err := mockoidc.NewServer(nil)
	must(t, err)
	p := &provider{MockOIDC: m}
	must(t, m.AddMiddleware(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if p.forge == nil || r.URL.Path != mockoidc.TokenEndpoint {
				next.ServeHTTP(w, r)
				return
			}
			recorder := httptest.NewRecorder()
			next.ServeHTTP(recorder, r)
			var body map[string]any
			if err := json.Unmarshal(recorder.Body.Bytes(), &body); err == nil && body["id_token"] != nil {
				token, err := m.Keypair.VerifyJWT(body["id_token"].(string), mockoidc.NowFunc)
				if err != nil {
					t.Error(err)
				}
				text, err := json.Marshal(token.Claims)
				if err != nil {
					t.Error(err)
				}
				var claims map[string]any
				if err := json.Unmarshal(text, &claims); err != nil {
					t.Error(err)
				}
				body["id_token"] = p.forge(claims)
				text, err = json.Marshal(body)
				if err != nil {
					t.Error(err)
				}
				recorder.Body = bytes.NewBuffer(text)
			}
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(recorder.Code)
			_, _ = io.Copy(w, recorder.Body)
		})
	}))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	must(t, m.Start(listener, nil))
	t.Cleanup(func() { must(t, m.Shutdown()) })
	return p
}

func (p *provider) config() area.Google {
	return area.Google{Issuer: p.Issuer(), ClientID: p.ClientID, ClientSecret: p.ClientSecret}
}

// user sets who signs in next. Each address belongs to another person.
func (p *provider) user(email string, verified bool) {
	p.QueueUser(&mockoidc.MockUser{Subject: "subject of " + strings.ToLower(email), Email: email,
		EmailVerified: verified})
}

// person sets who signs in next, by subject, with a verified address.
func (p *provider) person(subject, email string) {
	p.QueueUser(&mockoidc.MockUser{Subject: subject, Email: email, EmailVerified: true})
}

// withGoogle returns a service in which people sign in with a provider, and the provider.
func withGoogle(t testing.TB) (*rig, *provider) {
	t.Helper()
	google := newProvider(t)
	return newRig(t, options{google: google.config()}), google
}

// googleFor returns the address at which a sign-in begins that returns to an address.
func googleFor(returnURL string) string {
	return "/api/auth/google?return_url=" + url.QueryEscape(returnURL)
}

// toGoogle begins a sign-in and lets the provider redirect the browser. It returns the address
// of that redirect.
func (b *browser) toGoogle(returnURL string) string {
	b.t.Helper()
	begun := b.page(googleFor(returnURL)).want(http.StatusSeeOther)
	sent := b.page(begun.header.Get("Location")).want(http.StatusFound)
	back := sent.header.Get("Location")
	if !strings.HasPrefix(back, b.rig.base+"/api/auth/google/callback?") {
		b.t.Fatalf("the provider sends the browser to %s", back)
	}
	return back
}
