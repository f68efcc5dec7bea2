package area

import (
	"net/http"
	"time"

	"cuota/internal/account"
)

// The cookies. Because of the prefix __Host-, a browser accepts them only if they are Secure,
// come from this exact host and apply to all paths. Browsers count http on their own machine as
// secure (docs/decisions/0012-the-account-area.md).
const (
	sessionCookie = "__Host-cuota-session"
	browserCookie = "__Host-cuota-browser" // secret of a browser with a pending sign-in at Google
)

// readCookie returns the value of a cookie, or "" if there is none. If two cookies have the name,
// it ignores both, because an attacker may have set one of them.
func (a *Handler) readCookie(r *http.Request, name string) string {
	cookies := r.CookiesNamed(name)
	if len(cookies) != 1 {
		return ""
	}
	return cookies[0].Value
}

// setCookie gives the browser a secret that scripts can't read and that browsers do not send
// with requests from other sites, except when a person follows a link.
func (a *Handler) setCookie(x *exchange, name, value string, lasts time.Duration) {
	http.SetCookie(x.w, &http.Cookie{
		Name: name, Value: value, Path: "/", MaxAge: int(lasts / time.Second),
		Secure: true, HttpOnly: true, SameSite: http.SameSiteLaxMode,
	})
}

func (a *Handler) dropCookie(x *exchange, name string) { a.setCookie(x, name, "", -time.Second) }

func (a *Handler) session(r *http.Request) string { return a.readCookie(r, sessionCookie) }

func (a *Handler) startSession(x *exchange, token string) {
	a.setCookie(x, sessionCookie, token, account.SessionWhole)
}
