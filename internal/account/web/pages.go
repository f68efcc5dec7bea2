package web

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"mime"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"

	"cuota/internal/account"
	"cuota/internal/locale"
	"cuota/internal/mail"
	"cuota/model"
)

//go:embed pages/*.html
var pageFiles embed.FS

//go:embed assets
var assetFiles embed.FS

// text is a sentence in both languages of the pages, Spanish and English.
type text struct{ ES, EN string }

// view is the data of all pages. Each page uses some of the fields.
type view struct {
	Home         string // path of the account page
	Problem      text
	RequestID    string
	Email        string
	Token        string
	ReturnURL    string
	Google       string // address that begins a sign-in with Google; "" if it is off
	Key          string
	Curl         string
	Person       personOut
	Watched      []watchedSeries
	Unnamed      bool   // the names of the watched series can't be read right now
	Query        string // the text that is searched for
	Matches      []match
	More         bool // there are more matches than the page shows
	List         text // mailing list of an unsubscribe token
	Gone         bool // its account no longer exists
	Done         bool
	Saved        bool
	Ended        bool // all sessions were ended
	EmailProblem bool // the problem concerns the address
}

// say shows a sentence in Spanish with the English one beside it.
func say(es, en string) template.HTML {
	return template.HTML(`<span class="es">` + template.HTMLEscapeString(es) + `</span> ` +
		`<span class="en" lang="en">` + template.HTMLEscapeString(en) + `</span>`)
}

// lastChange says how the quota value of a series changed last.
func lastChange(s *model.SeriesName) template.HTML {
	if s.Change == nil || s.ChangeOn == nil {
		return say("Sin cambio diario conocido", "No daily change known")
	}
	in := func(l locale.Language) (change, day string) {
		return locale.Signed(*s.Change, l.Percent(*s.Change, 2)), l.Day(model.DateOf(*s.ChangeOn))
	}
	es, el := in(locale.Spanish)
	en, on := in(locale.English)
	return say("Último cambio: "+es+", el "+el, "Last change: "+en+", on "+on)
}

// pages are the templates by name, each combined with the layout.
var pages = parsePages()

func parsePages() map[string]*template.Template {
	layout := template.Must(template.New("layout.html").Funcs(template.FuncMap{
		"say":        say,
		"said":       func(t text) template.HTML { return say(t.ES, t.EN) },
		"lastChange": lastChange,
		"name":       locale.Name,
		"asset":      func(name string) string { return "/assets/" + name + "?v=" + assetVersion },
	}).ParseFS(pageFiles, "pages/layout.html"))
	names, err := fs.Glob(pageFiles, "pages/*.html")
	if err != nil {
		panic(err) // the pattern is a constant
	}
	parsed := map[string]*template.Template{}
	for _, name := range names {
		if name != "pages/layout.html" {
			page := template.Must(template.Must(layout.Clone()).ParseFS(pageFiles, name))
			parsed[strings.TrimSuffix(path.Base(name), ".html")] = page
		}
	}
	return parsed
}

// page writes a page. It renders the whole page before it writes anything, so that an error
// never leaves half a page.
func (a *Area) page(x *exchange, status int, name string, v view) {
	v.Home = "/account"
	var out bytes.Buffer
	if err := pages[name].Execute(&out, v); err != nil {
		panic(fmt.Errorf("render the page %s: %w", name, err)) // the calling server recovers and answers 500
	}
	x.w.Header().Set("Content-Type", "text/html; charset=utf-8")
	x.w.Header().Set("Content-Length", strconv.Itoa(out.Len()))
	x.w.WriteHeader(status)
	_, _ = x.w.Write(out.Bytes()) // an error means that the caller has disconnected
}

// show writes a page with status 200.
func (a *Area) show(x *exchange, name string, v view) error {
	a.page(x, http.StatusOK, name, v)
	return nil
}

// again shows a form again, with the problem of its e-mail address. Other errors are returned
// as they are.
func (a *Area) again(x *exchange, name string, v view, err error) error {
	var violations invalid
	if !errors.As(err, &violations) || violations[0].Loc[len(violations[0].Loc)-1] != "email" {
		return err
	}
	v.Problem, v.EmailProblem = text{violations[0].es, violations[0].Msg + "."}, true
	a.page(x, http.StatusUnprocessableEntity, name, v)
	return nil
}

// goTo redirects a browser from a form to a page, so that reloading the page does not send the
// form again.
func goTo(x *exchange, path string) error {
	http.Redirect(x.w, x.r, path, http.StatusSeeOther)
	return nil
}

func (a *Area) registerPage(x *exchange) error { return a.show(x, "register", view{}) }

func (a *Area) registerSentPage(x *exchange) error { return a.show(x, "register-sent", view{}) }

// register mails a link that confirms the address. The response does not depend on whether the
// address has an account.
func (a *Area) register(x *exchange, form url.Values) error {
	email := form.Get("email")
	err := a.mailed(a.store.MailLink(x.r.Context(), account.LinkRequest{
		Purpose: account.Register, Email: email, Network: network(x.r),
	}, a.outbox, func(token string) mail.Message {
		return a.registerLetter(a.base.String() + "/register/confirm?token=" + token)
	}))
	if err != nil {
		return a.again(x, "register", view{Email: cut(email)}, err)
	}
	return goTo(x, "/register/sent")
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
func (a *Area) confirmRegistrationPage(x *exchange) error {
	return a.confirmPage(x, account.Register, "register-confirm")
}

func (a *Area) confirmPage(x *exchange, purpose account.Purpose, name string) error {
	token, err := required("query", "token", queryText(x.r, "token"), maxLoginSecret)
	if err != nil {
		return err
	}
	link, err := a.store.PeekLink(x.r.Context(), purpose, token)
	if err != nil {
		return used(err, "token")
	}
	return a.show(x, name, view{Token: token, Email: link.Email})
}

// confirmRegistration uses the link up and shows the key, for the only time.
func (a *Area) confirmRegistration(x *exchange, form url.Values) error {
	key, _, err := a.store.ConfirmRegistration(x.r.Context(), form.Get("token"))
	if err != nil {
		return used(err, "token")
	}
	x.w.Header().Set("Referrer-Policy", "no-referrer") // the page with the key has no form, so it can use this value
	return a.show(x, "key", view{
		Key:  key,
		Curl: fmt.Sprintf("curl -H 'X-Api-Key: %s' '%s/api/screener?limit=3'", key, a.base),
	})
}

// signInPage asks for an address. It checks the address to return to before a sign-in begins.
func (a *Area) signInPage(x *exchange) error {
	to := a.base.String() + "/account"
	if given := queryText(x.r, "return_url"); given != nil {
		u, ok := a.returnTo(*given)
		if !ok {
			return wrongReturn("query")
		}
		to = u.String()
	}
	v := a.signInView(to)
	v.Ended = x.r.URL.RawQuery == "ended"
	return a.show(x, "sign-in", v)
}

func (a *Area) signInView(returnURL string) view {
	v := view{ReturnURL: returnURL}
	if a.google != nil {
		v.Google = a.base.String() + "/api/auth/google?return_url=" + url.QueryEscape(returnURL)
	}
	return v
}

func (a *Area) signIn(x *exchange, form url.Values) error {
	to, ok := a.returnTo(form.Get("return_url"))
	if !ok {
		return wrongReturn("body")
	}
	if err := a.mailSignIn(x, form.Get("email"), to); err != nil {
		v := a.signInView(to.String())
		v.Email = cut(form.Get("email"))
		return a.again(x, "sign-in", v, err)
	}
	return goTo(x, "/sign-in/sent")
}

func (a *Area) signInSentPage(x *exchange) error { return a.show(x, "sign-in-sent", view{}) }

func (a *Area) confirmSignInPage(x *exchange) error {
	return a.confirmPage(x, account.SignIn, "sign-in-confirm")
}

func (a *Area) confirmSignIn(x *exchange, form url.Values) error {
	session, link, err := a.store.SignIn(x.r.Context(), form.Get("token"), a.session(x.r))
	if err != nil {
		return used(err, "token")
	}
	a.startSession(x, session)
	if to, ok := a.returnTo(link.ReturnURL); ok && a.isOwn(to) {
		// The redirect goes to the host on which the cookie was set. It is absolute, because a
		// path that begins with // would name another host.
		return goTo(x, a.base.String()+to.RequestURI())
	}
	return goTo(x, "/account")
}

// accountPage shows the account.
func (a *Area) accountPage(x *exchange, person account.Person) error {
	described, err := a.describe(x, person)
	if err != nil {
		return err
	}
	watched, err := a.store.Watchlist(x.r.Context(), person.ID)
	if err != nil {
		return err
	}
	v := view{Saved: x.r.URL.RawQuery == "saved", Person: described}
	v.Watched, v.Unnamed = a.nameWatched(x, watched)
	return a.show(x, "account", v)
}

func (a *Area) unwatchOnPage(x *exchange, person account.Person, form url.Values) error {
	id, err := seriesID("body", form.Get("serie_id"))
	if err != nil {
		return err
	}
	return a.store.Unwatch(x.r.Context(), person.ID, id)
}

func (a *Area) setAlertsOnPage(x *exchange, person account.Person, form url.Values) error {
	alerts, monthly := form.Has("alerts"), form.Has("monthly_summary")
	_, err := a.store.SetPreferences(x.r.Context(), person.ID, &alerts, &monthly)
	return err
}

func (a *Area) forgetPage(x *exchange, person account.Person) error {
	return a.show(x, "delete", view{Email: person.Email})
}

func (a *Area) forgetOnPage(x *exchange, person account.Person) error {
	if err := a.forget(x, person); err != nil {
		return err
	}
	return a.show(x, "delete", view{Done: true})
}

// listNames describe the mailing lists.
var listNames = map[account.MailingList]text{
	account.Alerts:         {"las alertas de las series que sigue", "alerts about the series you watch"},
	account.MonthlySummary: {"el resumen mensual", "the monthly summary"},
}

// unsubscribePage shows the button that unsubscribes.
func (a *Area) unsubscribePage(x *exchange) error {
	token, err := required("query", "token", queryText(x.r, "token"), maxUnsubscribeToken)
	if err != nil {
		return err
	}
	list, err := a.store.ReadUnsubscribeToken(token)
	if err != nil {
		return wrongToken("query")
	}
	return a.show(x, "unsubscribe", view{Token: token, List: listNames[list]})
}

func (a *Area) unsubscribeOnPage(x *exchange, form url.Values) error {
	list, gone, err := a.stop(x, "body", form.Get("token"))
	if err != nil {
		return err
	}
	return a.show(x, "unsubscribe", view{Done: true, Gone: gone, List: listNames[list]})
}

// assetVersion changes when any asset changes, so that browsers may cache assets for a long
// time.
var assetVersion = hashAssets()

func hashAssets() string {
	hash := sha256.New()
	err := fs.WalkDir(assetFiles, "assets", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := assetFiles.ReadFile(name)
		hash.Write(content)
		return err
	})
	if err != nil {
		panic(err) // the files are embedded
	}
	return hex.EncodeToString(hash.Sum(nil)[:6])
}

// asset sends a style sheet, script or picture of the pages.
func (a *Area) asset(x *exchange) error {
	name := x.params.ByName("name")
	content, err := assetFiles.ReadFile("assets/" + name)
	if err != nil {
		return errNoPath
	}
	x.w.Header().Set("Cache-Control", "public, max-age=86400")
	x.w.Header().Set("Content-Type", mime.TypeByExtension(path.Ext(name)))
	x.w.Header().Set("Content-Length", strconv.Itoa(len(content)))
	_, _ = x.w.Write(content) // an error means that the caller has disconnected
	return nil
}
