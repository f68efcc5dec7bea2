package web

import (
	"net/http"
	"strings"

	"github.com/julienschmidt/httprouter"
)

// route is one method on one path.
type route struct {
	method string
	path   string // as in openapi.json: /api/me/watchlist/{serie_id}
	serve  func(*exchange) error
}

// table lists all routes of the area.
func (a *Area) table() []route {
	const get, post = http.MethodGet, http.MethodPost
	return []route{
		{get, "/register", a.registerPage},
		{post, "/register", a.register},
		{get, "/register/sent", a.registerSentPage},
		{get, "/register/confirm", a.confirmRegistrationPage},
		{post, "/register/confirm", a.confirmRegistration},
		{get, "/sign-in", a.signInPage},
		{post, "/sign-in", a.signIn},
		{get, "/sign-in/sent", a.signInSentPage},
		{get, "/sign-in/confirm", a.confirmSignInPage},
		{post, "/sign-in/confirm", a.confirmSignIn},
		{get, "/account", a.accountPage},
		{get, "/account/watchlist", a.watchPage},
		{post, "/account/watchlist", a.watchOnPage},
		{post, "/account/watchlist/remove", a.unwatchOnPage},
		{post, "/account/alerts", a.setAlertsOnPage},
		{post, "/account/sign-out", a.signOutOnPage},
		{post, "/account/sign-out-everywhere", a.signOutEverywhereOnPage},
		{get, "/account/delete", a.forgetPage},
		{post, "/account/delete", a.forgetOnPage},
		{get, "/unsubscribe", a.unsubscribePage},
		{post, "/unsubscribe", a.unsubscribeOnPage},
		{get, "/assets/{name}", a.asset},

		{post, "/api/auth/magic-link", a.magicLink},
		{get, "/api/auth/google", a.beginGoogle},
		{get, "/api/auth/google/callback", a.finishGoogle},
		{post, "/api/auth/callback", a.loginCallback},
		{post, "/api/auth/logout", a.logout},
		{get, "/api/me", a.me},
		{http.MethodDelete, "/api/me", a.forgetMe},
		{http.MethodDelete, "/api/me/sessions", a.endSessions},
		{get, "/api/me/watchlist", a.watchlist},
		{post, "/api/me/watchlist", a.watch},
		{http.MethodDelete, "/api/me/watchlist/{serie_id}", a.unwatch},
		{http.MethodPatch, "/api/me/alerts", a.setAlerts},
		{post, "/api/alerts/unsubscribe", a.unsubscribe},
		{post, "/api/alerts/unsubscribe/one-click", a.oneClick},
		{get, "/api/alerts/unsubscribe/one-click", a.oneClickOpened},
	}
}

// routes makes the router. HEAD works on every path that has GET.
func (a *Area) routes() *httprouter.Router {
	router := httprouter.New()
	router.RedirectTrailingSlash = false
	router.RedirectFixedPath = false
	router.HandleOPTIONS = false
	answer := func(serve func(*exchange) error) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			x := &exchange{w: w, r: r, params: httprouter.ParamsFromContext(r.Context())}
			if err := serve(x); err != nil {
				a.fail(x, err)
			}
		}
	}
	router.NotFound = answer(func(*exchange) error { return errNoPath })
	router.MethodNotAllowed = answer(func(*exchange) error { return errNoMethod })
	for _, route := range a.table() {
		handle := func(w http.ResponseWriter, r *http.Request, params httprouter.Params) {
			r.Pattern = route.path // for the access log of the calling server
			x := &exchange{w: w, r: r, params: params}
			if err := route.serve(x); err != nil {
				a.fail(x, err)
			}
		}
		pattern := strings.NewReplacer("{", ":", "}", "").Replace(route.path)
		router.Handle(route.method, pattern, handle)
		if route.method == http.MethodGet {
			router.HEAD(pattern, handle)
		}
	}
	return router
}
