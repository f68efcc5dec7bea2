package area

import (
	"errors"
	"net/http"
	"strings"

	"cuota/internal/account"
	"cuota/internal/site/accountpages"

	"github.com/julienschmidt/httprouter"
)

// route is one method on one path.
type route struct {
	method string
	path   string // as in openapi.json: /api/me/watchlist/{serie_id}
	serve  func(*exchange) error
}

// table lists all routes of the area.
func (a *Handler) table() []route {
	const get, post = http.MethodGet, http.MethodPost
	return []route{
		{get, "/register", a.showing(accountpages.Register{})},
		{post, "/register", with(readForm, a.register)},
		{get, "/register/sent", a.showing(accountpages.RegisterSent{})},
		{get, "/register/confirm", a.confirmRegistrationPage},
		{post, "/register/confirm", with(readForm, a.confirmRegistration)},
		{get, "/sign-in", a.signInPage},
		{post, "/sign-in", with(readForm, a.signIn)},
		{get, "/sign-in/sent", a.showing(accountpages.SignInSent{})},
		{get, "/sign-in/confirm", a.confirmSignInPage},
		{post, "/sign-in/confirm", with(readForm, a.confirmSignIn)},
		{get, "/account", a.orSignIn(with(a.signedIn, a.accountPage))},
		{get, "/account/watchlist", a.orSignIn(with(a.signedIn, a.watchPage))},
		{post, "/account/watchlist", with(a.signedIn, alsoWith(readForm, a.watchOnPage))},
		{get, "/account/watching.json", a.watching},
		{get, alertedPath, a.orSignIn(with(a.signedIn, a.alertedSeriesPage))},
		{post, alertedPath, with(readForm, a.watchWithAlerts)},
		{post, alertedPath + "/undo", with(a.signedIn, alsoWith(readForm, a.undoWatching))},
		{post, "/account/watchlist/remove",
			redirectTo("/account", savedFlag, with(a.signedIn, alsoWith(readForm, a.unwatchOnPage)))},
		{get, "/account/screens", a.orSignIn(with(a.signedIn, a.screenPage))},
		{post, "/account/screens", with(a.signedIn, alsoWith(readForm, a.saveScreenOnPage))},
		{post, "/account/screens/remove",
			redirectTo("/account", savedFlag, with(a.signedIn, alsoWith(readForm, a.dropScreenOnPage)))},
		{post, "/account/links", with(a.signedIn, alsoWith(readForm, a.linkOnPage))},
		{post, "/account/links/revoke",
			redirectTo("/account", savedFlag, with(a.signedIn, alsoWith(readForm, a.revokeLinkOnPage)))},
		{get, webhooksPath, a.orSignIn(with(a.signedIn, a.webhooksPage))},
		{post, webhooksPath, with(a.signedIn, alsoWith(readForm, a.registerWebhookOnPage))},
		{get, webhooksPath + "/log", a.orSignIn(with(a.signedIn, a.webhookLogPage))},
		{post, webhooksPath + "/test", with(a.signedIn, alsoWith(readForm, a.testWebhookOnPage))},
		{post, webhooksPath + "/rotate", with(a.signedIn, alsoWith(readForm, a.rotateWebhookOnPage))},
		{post, webhooksPath + "/enable",
			redirectTo(webhooksPath, savedFlag, with(a.signedIn, alsoWith(readForm, a.enableWebhookOnPage)))},
		{post, webhooksPath + "/remove",
			redirectTo(webhooksPath, savedFlag, with(a.signedIn, alsoWith(readForm, a.removeWebhookOnPage)))},
		{post, "/account/alerts", redirectTo("/account", savedFlag,
			with(a.signedIn, alsoWith(readForm, a.setAlertsOnPage)))},
		{post, "/account/sign-out", redirectTo("/sign-in", "", a.logout)},
		{post, "/account/sign-out-everywhere",
			redirectTo("/sign-in", endedFlag, with(a.signedIn, a.signOutEverywhere))},
		{get, "/account/delete", with(a.signedIn, a.forgetPage)},
		{post, "/account/delete", with(a.signedIn, a.forgetOnPage)},
		{get, "/unsubscribe", a.unsubscribePage},
		{post, "/unsubscribe", with(readForm, a.unsubscribeOnPage)},

		{post, "/api/auth/magic-link", with(readBody, a.magicLink)},
		{get, "/api/auth/google", a.beginGoogle},
		{get, "/api/auth/google/callback", a.finishGoogle},
		{post, "/api/auth/callback", with(readBody, a.loginCallback)},
		{post, "/api/auth/logout", noContent(a.logout)},
		{get, "/api/me", with(a.signedIn, a.me)},
		{http.MethodDelete, "/api/me", noContent(with(a.signedIn, a.forget))},
		{http.MethodDelete, "/api/me/sessions", noContent(with(a.signedIn, a.signOutEverywhere))},
		{get, "/api/me/watchlist", with(a.signedIn, a.watchlist)},
		{post, "/api/me/watchlist", with(a.signedIn, alsoWith(readBody, a.watch))},
		{http.MethodDelete, "/api/me/watchlist/{serie_id}", noContent(with(a.signedIn, a.unwatch))},
		{get, "/api/me/webhooks", with(a.signedIn, a.listWebhooks)},
		{post, "/api/me/webhooks", with(a.signedIn, alsoWith(readBody, a.registerWebhook))},
		{http.MethodDelete, "/api/me/webhooks/{webhook_id}", noContent(with(a.signedIn, a.removeWebhook))},
		{post, "/api/me/webhooks/{webhook_id}/rotate", with(a.signedIn, a.rotateWebhook)},
		{post, "/api/me/webhooks/{webhook_id}/enable", with(a.signedIn, a.enableWebhook)},
		{post, "/api/me/webhooks/{webhook_id}/test", with(a.signedIn, a.testWebhook)},
		{get, "/api/me/webhooks/{webhook_id}/deliveries", with(a.signedIn, a.listDeliveries)},
		{http.MethodPatch, "/api/me/alerts", with(a.signedIn, alsoWith(readBody, a.setAlerts))},
		{post, "/api/alerts/unsubscribe", with(readBody, a.unsubscribe)},
		{post, "/api/alerts/unsubscribe/one-click", noContent(a.oneClick)},
		{get, "/api/alerts/unsubscribe/one-click", a.oneClickOpened},
	}
}

// with returns a handler what a function reads from the request first: the person who is signed
// in, a form or a JSON object. If reading fails, the handler is not called.
func with[T any](read func(*exchange) (T, error), serve func(*exchange, T) error) func(*exchange) error {
	return func(x *exchange) error {
		value, err := read(x)
		if err != nil {
			return err
		}
		return serve(x, value)
	}
}

// alsoWith is with for a handler that also takes the person who is signed in.
func alsoWith[T any](
	read func(*exchange) (T, error), serve func(*exchange, account.Person, T) error,
) func(*exchange, account.Person) error {
	return func(x *exchange, person account.Person) error {
		value, err := read(x)
		if err != nil {
			return err
		}
		return serve(x, person, value)
	}
}

// redirectTo redirects to a page after a handler has succeeded.
func redirectTo(path, flag string, serve func(*exchange) error) func(*exchange) error {
	return func(x *exchange) error {
		if err := serve(x); err != nil {
			return err
		}
		return goTo(x, path, flag)
	}
}

// noContent answers with 204 if a handler succeeds.
func noContent(serve func(*exchange) error) func(*exchange) error {
	return func(x *exchange) error {
		err := serve(x)
		if err == nil {
			x.w.WriteHeader(http.StatusNoContent)
		}
		return err
	}
}

// orSignIn redirects to the sign-in page if nobody is signed in, and back to the page after that.
func (a *Handler) orSignIn(serve func(*exchange) error) func(*exchange) error {
	return func(x *exchange) error {
		err := serve(x)
		if errors.Is(err, account.ErrNoSession) {
			to := a.base.String() + x.r.URL.RequestURI()
			if _, may := a.returnTo(to); !may || x.r.URL.Path == "/account" {
				return goTo(x, "/sign-in", "") // which leads to the account by itself
			}
			http.Redirect(x.w, x.r, x.visit.Link("/sign-in", "return_url", to), http.StatusSeeOther)
			return nil
		}
		return err
	}
}

// routes makes the router. HEAD works on every path that has GET.
func (a *Handler) routes() *httprouter.Router {
	router := httprouter.New()
	router.RedirectTrailingSlash = false
	router.RedirectFixedPath = false
	router.HandleOPTIONS = false
	answer := func(serve func(*exchange) error) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			x := a.exchange(w, r, httprouter.ParamsFromContext(r.Context()))
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
			x := a.exchange(w, r, params)
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
