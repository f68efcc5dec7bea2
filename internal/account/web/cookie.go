package web

import (
	"net/http"
	"time"

	"cuota/internal/account"
)

// The cookies. By the beginning of their names a browser takes them from this
// very host alone, for all paths, and only when they are Secure. Browsers count
// http on their own machine as secure (docs/decisions/0012-the-account-area.md).
const (
	sessionCookie = "__Host-cuota-session"
	browserCookie = "__Host-cuota-browser" // of a sign-in elsewhere that is under way
)

// readCookie gives a cookie's value, "" when there is none. Of two with one
// name neither counts: one of them was put there by somebody else.
func (a *Area) readCookie(r *http.Request, name string) string {
	cookies := r.CookiesNamed(name)
	if len(cookies) != 1 {
		return ""
	}
	return cookies[0].Value
}

// setCookie gives the browser a secret that scripts and other sites' requests
// do not get at.
func (a *Area) setCookie(x *exchange, name, value string, lasts time.Duration) {
	http.SetCookie(x.w, &http.Cookie{
		Name: name, Value: value, Path: "/", MaxAge: int(lasts / time.Second),
		Secure: true, HttpOnly: true, SameSite: http.SameSiteLaxMode,
	})
}

func (a *Area) dropCookie(x *exchange, name string) { a.setCookie(x, name, "", -time.Second) }

func (a *Area) session(r *http.Request) string { return a.readCookie(r, sessionCookie) }

func (a *Area) startSession(x *exchange, token string) {
	a.setCookie(x, sessionCookie, token, account.SessionWhole)
}
