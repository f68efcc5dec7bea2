package area

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"cuota/internal/account"
	"cuota/internal/mail"
	"cuota/internal/site/accountpages"
	"cuota/internal/site/locale"
)

// The flags in the address of a page say what was done just before.
const (
	savedFlag = "saved" // a change of the account
	endedFlag = "ended" // all sessions of the person
)

// page writes a page. It renders the whole page before it writes anything, so that an error
// never leaves half a page.
func (a *Handler) page(x *exchange, status int, p accountpages.Page) {
	body, err := accountpages.Render(x.visit, p)
	x.writePage(status, body, err)
}

// writePage writes a page that was rendered. err is the error of rendering it, which only a fault of this program can
// cause: the calling server recovers and answers 500.
func (x *exchange) writePage(status int, body []byte, err error) {
	if err != nil {
		panic(err)
	}
	x.w.Header().Add("Vary", "Accept-Language")
	x.w.Header().Set("Content-Type", "text/html; charset=utf-8")
	x.w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	x.w.WriteHeader(status)
	_, _ = x.w.Write(body) // an error means that the caller has disconnected
}

// show writes a page with status 200.
func (a *Handler) show(x *exchange, p accountpages.Page) error {
	a.page(x, http.StatusOK, p)
	return nil
}

// showing returns a handler that shows a page without data of the request.
func (a *Handler) showing(p accountpages.Page) func(*exchange) error {
	return func(x *exchange) error { return a.show(x, p) }
}

// again shows a form again, with the problem of its e-mail address. Other errors are returned
// as they are.
func (a *Handler) again(x *exchange, err error, form func(problem string) accountpages.Page) error {
	var violations invalid
	if !errors.As(err, &violations) || violations[0].Loc[len(violations[0].Loc)-1] != "email" {
		return err
	}
	a.page(x, http.StatusUnprocessableEntity, form(violations[0].shown.In(x.visit.Lang)))
	return nil
}

// goTo redirects a browser from a form to a page, so that reloading the page does not send the
// form again. The page has the language that the address of the form names. flag, unless it is empty, says in the
// address what was done. pairs are the names and values of its other parameters.
func goTo(x *exchange, path, flag string, pairs ...string) error {
	to := x.visit.Link(path, pairs...)
	switch {
	case flag != "" && strings.Contains(to, "?"):
		to += "&" + flag
	case flag != "":
		to += "?" + flag
	}
	http.Redirect(x.w, x.r, to, http.StatusSeeOther)
	return nil
}

// register mails a link that confirms the address. The response does not depend on whether the
// address has an account.
func (a *Handler) register(x *exchange, form url.Values) error {
	email := form.Get("email")
	err := a.mailed(a.store.MailLink(x.r.Context(), account.LinkRequest{
		Purpose: account.Register, Email: email, Network: network(x.r),
	}, a.outbox, func(token string) mail.Message {
		return a.registerLetter(a.base.String() + x.visit.Link("/register/confirm", "token", token))
	}))
	if err != nil {
		return a.again(x, err, func(problem string) accountpages.Page {
			return accountpages.Register{Email: cut(email), Problem: problem}
		})
	}
	return goTo(x, "/register/sent", "")
}

// cut limits the length of an address that a form shows again.
func cut(text string) string { return cutTo(text, maxEmail) }

func cutTo(text string, most int) string {
	text = strings.ToValidUTF8(text, "")
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most])
	}
	return text
}

// confirmRegistrationPage shows the button that uses the link. Opening the link alone changes
// nothing, because mail scanners open links too.
func (a *Handler) confirmRegistrationPage(x *exchange) error {
	return a.confirmPage(x, account.Register, func(email, token string) accountpages.Page {
		return accountpages.RegisterConfirm{Email: email, Token: token}
	})
}

func (a *Handler) confirmPage(x *exchange, purpose account.Purpose,
	confirm func(email, token string) accountpages.Page) error {
	token, err := required("query", "token", queryText(x.r, "token"), maxLoginSecret)
	if err != nil {
		return err
	}
	link, err := a.store.PeekLink(x.r.Context(), purpose, token)
	if err != nil {
		return used(err, "token")
	}
	return a.show(x, confirm(link.Email, token))
}

// confirmRegistration uses the link up and shows the key, for the only time.
func (a *Handler) confirmRegistration(x *exchange, form url.Values) error {
	key, _, err := a.store.ConfirmRegistration(x.r.Context(), form.Get("token"))
	if err != nil {
		return used(err, "token")
	}
	// The page with the key has no form that changes something, so it can use this value: no origin is checked of a
	// search.
	x.w.Header().Set("Referrer-Policy", "no-referrer")
	return a.show(x, accountpages.Key{
		Key:  key,
		Curl: fmt.Sprintf("curl -H 'X-Api-Key: %s' '%s/api/screener?limit=3'", key, a.base),
	})
}

// signInPage asks for an address. It checks the address to return to before a sign-in begins.
func (a *Handler) signInPage(x *exchange) error {
	to := a.base.String() + x.visit.AccountLink()
	if given := queryText(x.r, "return_url"); given != nil {
		u, ok := a.returnTo(*given)
		if !ok {
			return wrongReturn("query")
		}
		to = u.String()
	}
	p := a.signInForm(x, to)
	p.Ended = x.visit.Texts.Has(endedFlag)
	return a.show(x, p)
}

func (a *Handler) signInForm(x *exchange, returnURL string) accountpages.SignIn {
	p := accountpages.SignIn{ReturnURL: returnURL}
	if a.google != nil {
		p.Google = a.base.String() + x.visit.Link("/api/auth/google", "return_url", returnURL)
	}
	return p
}

func (a *Handler) signIn(x *exchange, form url.Values) error {
	to, ok := a.returnTo(form.Get("return_url"))
	if !ok {
		return wrongReturn("body")
	}
	if err := a.mailSignIn(x, form.Get("email"), to); err != nil {
		return a.again(x, err, func(problem string) accountpages.Page {
			p := a.signInForm(x, to.String())
			p.Email, p.Problem = cut(form.Get("email")), problem
			return p
		})
	}
	return goTo(x, "/sign-in/sent", "")
}

func (a *Handler) confirmSignInPage(x *exchange) error {
	return a.confirmPage(x, account.SignIn, func(email, token string) accountpages.Page {
		return accountpages.SignInConfirm{Email: email, Token: token}
	})
}

func (a *Handler) confirmSignIn(x *exchange, form url.Values) error {
	session, link, err := a.store.SignIn(x.r.Context(), form.Get("token"), a.session(x.r))
	if err != nil {
		return used(err, "token")
	}
	a.startSession(x, session)
	if to, ok := a.returnTo(link.ReturnURL); ok && a.isOwn(to) {
		// The redirect goes to the host on which the cookie was set. It is absolute, because a
		// path that begins with // would name another host.
		http.Redirect(x.w, x.r, a.base.String()+to.RequestURI(), http.StatusSeeOther)
		return nil
	}
	return goTo(x, "/account", "")
}

// accountPage shows the account.
func (a *Handler) accountPage(x *exchange, person account.Person) error {
	keys, err := a.store.Keys(x.r.Context(), person.ID)
	if err != nil {
		return err
	}
	watched, err := a.store.Watchlist(x.r.Context(), person.ID)
	if err != nil {
		return err
	}
	p := accountpages.Account{
		Email: person.Email, Alerts: person.Alerts, MonthlySummary: person.MonthlySummary,
		Saved: x.visit.Texts.Has(savedFlag),
	}
	for _, k := range keys {
		p.Keys = append(p.Keys, accountpages.APIKey{Last4: k.Last4, Tier: string(k.Tier), DailyQuota: k.DailyQuota(),
			Name: k.Name, Ends: k.ExpiresAt})
		p.Form.Keys = addLinkable(p.Form.Keys, k)
	}
	p.Form.Days = strconv.Itoa(usualLinkDays)
	if p.Links, err = a.links(x, person); err != nil {
		return err
	}
	p.Watched, p.Unnamed = a.nameWatched(x, watched)
	if p.Screens, err = a.savedScreens(x, person); err != nil {
		return err
	}
	if p.Webhooks, err = a.shownWebhooks(x, person); err != nil {
		return err
	}
	return a.show(x, p)
}

func (a *Handler) unwatchOnPage(x *exchange, person account.Person, form url.Values) error {
	id, err := seriesID("body", form.Get("serie_id"))
	if err != nil {
		return err
	}
	return a.store.Unwatch(x.r.Context(), person.ID, id)
}

func (a *Handler) setAlertsOnPage(x *exchange, person account.Person, form url.Values) error {
	alerts, monthly := form.Has("alerts"), form.Has("monthly_summary")
	_, err := a.store.SetPreferences(x.r.Context(), person.ID, &alerts, &monthly)
	return err
}

func (a *Handler) forgetPage(x *exchange, person account.Person) error {
	return a.show(x, accountpages.Delete{Email: person.Email})
}

func (a *Handler) forgetOnPage(x *exchange, person account.Person) error {
	if err := a.forget(x, person); err != nil {
		return err
	}
	return a.show(x, accountpages.Deleted{})
}

// listNames describe the mailing lists.
var listNames = map[account.MailingList]locale.Phrase{
	account.Alerts: {"las alertas de las series que sigue y de sus búsquedas",
		"alerts about the series you watch and your saved screens"},
	account.MonthlySummary: {"el resumen mensual", "the monthly summary"},
}

// unsubscribePage shows the button that unsubscribes.
func (a *Handler) unsubscribePage(x *exchange) error {
	token, err := required("query", "token", queryText(x.r, "token"), maxUnsubscribeToken)
	if err != nil {
		return err
	}
	list, err := a.store.ReadUnsubscribeToken(token)
	if err != nil {
		return wrongToken("query")
	}
	return a.show(x, accountpages.Unsubscribe{Token: token, List: listNames[list].In(x.visit.Lang)})
}

func (a *Handler) unsubscribeOnPage(x *exchange, form url.Values) error {
	list, gone, err := a.stop(x, "body", form.Get("token"))
	if err != nil {
		return err
	}
	return a.show(x, accountpages.Unsubscribed{Gone: gone, List: listNames[list].In(x.visit.Lang)})
}
