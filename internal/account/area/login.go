package area

import (
	"net/http"
	"net/url"

	"cuota/internal/account"
	"cuota/internal/mail"
	"cuota/internal/site/locale"
)

// wrongReturn is the violation for a return address that is not allowed.
func wrongReturn(in string) error {
	return wrong(in, "return_url", "url_origin", "Must be an absolute URL of an origin that is allowed here",
		locale.Phrase{"La dirección de retorno no está permitida.", "The address to return to is not allowed."})
}

// magicLink mails a link that signs in. The response does not depend on whether the address has
// an account or whether a mail was sent.
func (a *Handler) magicLink(x *exchange, body *body) error {
	email, ok := body.text("email", maxEmail)
	if ok && account.CheckEmail(email) != nil {
		body.wrong.add(wrongEmail())
	}
	back, ok := body.text("return_url", maxURL)
	to, allowed := a.returnTo(back)
	if ok && !allowed {
		body.wrong.add(wrongReturn("body"))
	}
	if err := body.problems(); err != nil {
		return err
	}
	if err := a.mailSignIn(x, email, to); err != nil {
		return err
	}
	writeJSON(x.w, http.StatusAccepted, struct {
		Status    string `json:"status"`
		ExpiresIn int    `json:"expires_in"` // seconds
	}{"accepted", int(account.SignInWithin.Seconds())})
	return nil
}

func (a *Handler) mailSignIn(x *exchange, email string, to *url.URL) error {
	return a.mailed(a.store.MailLink(x.r.Context(), account.LinkRequest{
		Purpose: account.SignIn, Email: email, Network: network(x.r), ReturnURL: to.String(),
	}, a.outbox, func(token string) mail.Message { return a.signInLetter(a.signInLink(x, token, to)) }))
}

// signInLink returns the address in a magic link. It is the confirmation page of this service, or
// a front end on another origin, which sends the token to POST /api/auth/callback. Opening the
// link does not use it up.
func (a *Handler) signInLink(x *exchange, token string, to *url.URL) string {
	if a.isOwn(to) {
		return a.base.String() + x.visit.Link("/sign-in/confirm", "token", token)
	}
	return withParameter(to, "token", token)
}

func withParameter(to *url.URL, name, value string) string {
	u := *to
	q := u.Query()
	q.Set(name, value)
	u.RawQuery = q.Encode()
	return u.String()
}

// loginResult is the response to a program that completed a sign-in.
type loginResult struct {
	ReturnURL string     `json:"return_url"`
	Account   *personOut `json:"account"`
}

// loginCallback completes a sign-in for a front end, with the token of a magic link or with a
// code that the sign-in with Google gave.
func (a *Handler) loginCallback(x *exchange, body *body) error {
	var code, token string
	if body.has("code") {
		code, _ = body.text("code", maxLoginSecret)
	}
	if body.has("token") {
		token, _ = body.text("token", maxLoginSecret)
	}
	if body.has("code") == body.has("token") {
		body.wrong.add(invalid{{Loc: []string{"body"}, Type: "one_of", Msg: "Must have either code or token"}})
	}
	if err := body.problems(); err != nil {
		return err
	}
	var (
		session string
		link    account.Link
		err     error
		former  = a.session(x.r)
	)
	if body.has("token") {
		if session, link, err = a.store.SignIn(x.r.Context(), token, former); err != nil {
			return used(err, "token")
		}
	} else {
		session, link, err = a.store.FinishHandOver(x.r.Context(), code, a.readCookie(x.r, browserCookie), former)
		if err != nil {
			return used(err, "code")
		}
		a.dropCookie(x, browserCookie)
	}
	return a.signedInWith(x, session, link.ReturnURL)
}

// signedInWith sets the session's cookie and answers with the person.
func (a *Handler) signedInWith(x *exchange, session, returnURL string) error {
	person, err := a.store.Session(x.r.Context(), session)
	if err != nil {
		return unavailable(err)
	}
	out, err := a.describe(x, person)
	if err != nil {
		return err
	}
	a.startSession(x, session)
	writeJSON(x.w, http.StatusOK, loginResult{ReturnURL: returnURL, Account: &out})
	return nil
}

// logout ends the session. It is no error if there is none.
func (a *Handler) logout(x *exchange) error {
	if err := a.store.SignOut(x.r.Context(), a.session(x.r)); err != nil {
		return err
	}
	a.dropCookie(x, sessionCookie)
	return nil
}
