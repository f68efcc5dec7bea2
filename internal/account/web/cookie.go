package web

import (
	"net/http"
	"time"

	"cuota/internal/account"
)

// The cookies. Over https their names begin with __Host-, by which a browser
// takes them from this very host alone, over https alone, for all paths. On
// one machine, over http, there is no such thing, and they are named plainly
// (docs/decisions/0010-cookies-on-one-machine.md).
const (
	hostPrefix    = "__Host-"
	sessionCookie = "cuota-session"
	browserCookie = "cuota-browser" // of a sign-in elsewhere that is under way
)

func (a *Area) cookieName(name string) string {
	if a.secure {
		return hostPrefix + name
	}
	return name
}

// readCookie gives a cookie's value, "" when there is none. Of two with one
// name neither counts: one of them was put there by somebody else.
func (a *Area) readCookie(r *http.Request, name string) string {
	cookies := r.CookiesNamed(a.cookieName(name))
	if len(cookies) != 1 {
		return ""
	}
	return cookies[0].Value
}

// setCookie gives the browser a secret that scripts and other sites' requests
// do not get at.
func (a *Area) setCookie(x *exchange, name, value string, lasts time.Duration) {
	http.SetCookie(x.w, &http.Cookie{
		Name: a.cookieName(name), Value: value, Path: "/", MaxAge: int(lasts / time.Second),
		Secure: a.secure, HttpOnly: true, SameSite: http.SameSiteLaxMode,
	})
}

func (a *Area) dropCookie(x *exchange, name string) { a.setCookie(x, name, "", -time.Second) }

func (a *Area) session(r *http.Request) string { return a.readCookie(r, sessionCookie) }

func (a *Area) startSession(x *exchange, token string) {
	a.setCookie(x, sessionCookie, token, account.SessionWhole)
}
