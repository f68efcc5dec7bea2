// Package area serves the account area: the pages on which a person registers, signs in and
// edits a watchlist, and the operations /api/auth, /api/me and /api/alerts behind them (RULES
// 14). What the pages look like is in site/accountpages; here is who may see which, and what their forms do.
//
// It shares only the address with the data endpoints. The query server passes it the requests
// to the paths that Paths names, after it has given each request an id and applied the rate
// limit per address. The account area stores its data in the account store and sends mails
// through an Outbox.
//
// A request passes these steps in this order: the headers that every response has, the check of
// its origin (origin.go), the router (routes.go), and then, depending on the route, the
// session, the input (input.go) and the handler (one file for each part of the interface).
// problem.go turns errors into JSON or a page.
package area

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"cuota/internal/account"
	"cuota/internal/site"
	"cuota/internal/webhook"
	"cuota/model"

	"github.com/julienschmidt/httprouter"
	"github.com/rs/zerolog"
)

// Config is the configuration of the account area.
type Config struct {
	// BaseURL is the public address of the service: scheme and host only, as in
	// https://funds.example.org. Links in mails begin with it. It is never taken from a
	// request, because a request could name any host.
	BaseURL string
	// Origins are other origins whose front ends may be returned to after signing in, and
	// whose scripts may call with the session's cookie. Each must be https or on this
	// machine: over plain http, others on the network could read tokens.
	Origins []string
	// Google is the sign-in with Google. It is off if it has no client ID.
	Google Google
	// Mails says where mails go. By default a mail server gets them.
	Mails Mails
	// MailFiles is the folder in which mails are stored as files; nil if there is none.
	MailFiles MailFiles
	// Now is the clock. The default is time.Now.
	Now func() time.Time
}

// ErrBaseURL says that the account area can't be served under the base address.
var ErrBaseURL = errors.New("account area: CUOTA_BASE_URL")

// Series reads the series of the published batch. An error means that they can't be read right
// now.
type Series interface {
	// HasSeries reports whether a series has this id.
	HasSeries(ctx context.Context, id string) (bool, error)
	// FindSeries returns at most the given number of series that match a text, best match first.
	// docs/rules.md says how a text finds series.
	FindSeries(ctx context.Context, text string, most int) ([]model.SeriesName, error)
	// NameSeries returns the names of the series with these ids. It leaves out ids that the batch
	// does not know.
	NameSeries(ctx context.Context, ids []string) ([]model.SeriesName, error)
	// TakesScreen reports whether the page of the screener takes a query string: it knows the parameters, and each has
	// a right value.
	TakesScreen(ctx context.Context, query string) (bool, error)
}

// MailFiles are mails that are stored as files. *mail.Folder implements it.
type MailFiles interface {
	// Erase deletes the files of mails to a normalised address.
	Erase(ctx context.Context, address string) error
}

// Handler serves the paths of the account area.
type Handler struct {
	base     *url.URL
	trusted  map[string]bool // allowed origins
	secure   bool            // the base address is https
	store    *account.Store
	outbox   account.Outbox
	hooks    *webhook.Hooks
	series   Series
	google   *google // nil: off
	mails    MailFiles
	delivery Mails
	frame    *site.Frame
	now      func() time.Time
	log      zerolog.Logger
	router   *httprouter.Router
}

// New makes the account area. It fails if an address in the configuration is not valid. It
// makes no network calls.
func New(config Config, store *account.Store, outbox account.Outbox, hooks *webhook.Hooks, series Series,
	log zerolog.Logger) (*Handler, error) {
	base, err := parseOrigin(config.BaseURL)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrBaseURL, err)
	}
	a := &Handler{
		base: base, secure: base.Scheme == "https", store: store, outbox: outbox, hooks: hooks, series: series,
		mails: config.MailFiles, delivery: config.Mails, now: config.Now, log: log, trusted: map[string]bool{},
		frame: site.New(site.Config{Accounts: true}),
	}
	if a.now == nil {
		a.now = time.Now
	}
	if !a.secure && !isLoopback(base) {
		return nil, fmt.Errorf("%w: %s: sessions need https, unless it is a loopback address", ErrBaseURL, base)
	}
	for _, own := range aliases(base) {
		a.trusted[own] = true
	}
	for _, text := range config.Origins {
		origin, err := parseOrigin(text)
		if err != nil {
			return nil, fmt.Errorf("account area: allowed origin: %w", err)
		}
		if origin.Scheme != "https" && !isLoopback(origin) {
			return nil, fmt.Errorf("account area: allowed origin: %s: it must be https or a loopback address", origin)
		}
		a.trusted[origin.String()] = true
	}
	if a.google, err = newGoogle(config.Google, a.base.String(), a.now); err != nil {
		return nil, fmt.Errorf("account area: %w", err)
	}
	a.router = a.routes()
	return a, nil
}

// Paths are the paths that the area serves, each with everything below it.
func (a *Handler) Paths() []string {
	return []string{"/register", "/sign-in", "/account", "/unsubscribe", "/api/auth", "/api/me", "/api/alerts"}
}

// maxBody limits the body of a request, in bytes. The longest input is an address of 254
// characters with a URL of 2,048.
const maxBody = 16 << 10

// ServeHTTP answers one request. The caller must have set the response header X-Request-Id and
// put the client's address in RemoteAddr.
func (a *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Cache-Control", "no-store")
	site.Protect(header, site.Policy)
	header.Set("X-Content-Type-Options", "nosniff")
	if a.secure {
		header.Set("Strict-Transport-Security", "max-age=31536000")
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	x := a.exchange(w, r, nil)
	if a.crossOrigin(x) {
		return
	}
	if err := a.checkOrigin(x); err != nil {
		a.fail(x, err)
		return
	}
	// An escaped slash is part of a path segment. No path here has such a segment, but the
	// router would split it into two.
	if strings.Contains(strings.ToUpper(r.URL.EscapedPath()), "%2F") {
		a.fail(x, errNoPath)
		return
	}
	a.router.ServeHTTP(w, r)
}

// exchange is one request and its response.
type exchange struct {
	w      http.ResponseWriter
	r      *http.Request
	params httprouter.Params
	visit  *site.Visit // what its page needs
}

func (a *Handler) exchange(w http.ResponseWriter, r *http.Request, params httprouter.Params) *exchange {
	x := &exchange{w: w, r: r, params: params, visit: a.frame.Visit(r, r.URL.Query(),
		"token", "return_url", "q", screenNameKey, screenQueryKey, webhookKey, seriesKey, doneKey)}
	x.visit.Unlinked = r.Method != http.MethodGet && r.Method != http.MethodHead // what a form did is not done again
	return x
}

func (x *exchange) id() string { return x.w.Header().Get("X-Request-Id") }

// isAPI reports whether the path belongs to the operations that openapi.json describes.
func (x *exchange) isAPI() bool { return strings.HasPrefix(x.r.URL.Path, "/api/") }

// wantsPage reports whether the response must be a page instead of JSON: for pages, and for
// operations to which browsers are redirected.
func (x *exchange) wantsPage() bool {
	if !x.isAPI() {
		return true
	}
	way := x.r.URL.Path == oneClickPath || strings.HasPrefix(x.r.URL.Path, "/api/auth/google")
	return way && x.r.Method == http.MethodGet && strings.Contains(x.r.Header.Get("Accept"), "text/html")
}

// signedIn finds the person who is signed in. It returns account.ErrNoSession if nobody is.
func (a *Handler) signedIn(x *exchange) (account.Person, error) {
	return a.store.Session(x.r.Context(), a.session(x.r))
}
