// Package web serves the account area: the pages on which a person registers,
// signs in and keeps a watchlist, and the operations /api/auth, /api/me and
// /api/alerts behind them (RULES 14).
//
// It stands beside the data endpoints and shares nothing with them but the
// address: the query server hands it the paths that Paths names, after it has
// given the request its id and applied the limit per address. What it keeps is
// in the account store; what it mails goes through an Outbox.
//
// A request passes, in this order: the headers that every reply has, the check
// of its origin (origin.go), the router (routes.go), and for its route the
// session, the input (input.go) and the work (a file for each part of the
// interface). Errors become JSON or a page in problem.go.
package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"cuota/internal/account"

	"github.com/julienschmidt/httprouter"
	"github.com/rs/zerolog"
)

// Config says how the account area is reached.
type Config struct {
	// BaseURL is the public address of the service, scheme and host alone, as
	// in https://funds.example.org. Links in mails begin with it: it is never
	// taken from a request, which could name any host.
	BaseURL string
	// Origins are front ends of other origins to which one may return after
	// signing in, and whose scripts may call with the session. Each is https, or
	// on this machine: over plain http, whoever is on the way could read tokens.
	Origins []string
	// Google is the sign-in with Google; off when it has no client.
	Google Google
	// MailFiles is where mails lie as files; nil: nowhere.
	MailFiles MailFiles
	// Now is the clock, by default time.Now.
	Now func() time.Time
}

// ErrBaseURL says that there can be no account area under the base address.
var ErrBaseURL = errors.New("account area: base address")

// Series is what the published batch knows of the series that can be watched. An
// error means that nobody can tell right now.
type Series interface {
	// HasSeries tells whether there is a series of this id.
	HasSeries(ctx context.Context, id string) (bool, error)
	// FindSeries gives the series that a text may mean, the likeliest first and at
	// most so many. The text is an id, a RUN, or part of the name of a fund.
	FindSeries(ctx context.Context, text string, most int) ([]SeriesName, error)
	// NameSeries gives the names of the series that these ids find. One that the
	// batch does not know has none.
	NameSeries(ctx context.Context, ids []string) ([]SeriesName, error)
}

// SeriesName is what a series is called.
type SeriesName struct {
	IDs    []string // all that find it; it is shown under the first
	Fund   string   // name of the fund
	RUN    string   // of the fund, with check digit
	Serie  string
	Closed bool // it is over
}

// MailFiles are mails that lie as files; *mail.Folder is one.
type MailFiles interface {
	// Erase removes those to an address, in its normal form.
	Erase(ctx context.Context, address string) error
}

// Area answers the paths of the account area.
type Area struct {
	base    *url.URL
	trusted map[string]bool // origins
	secure  bool            // the base is https
	store   *account.Store
	outbox  account.Outbox
	series  Series
	google  *google // nil: off
	mails   MailFiles
	now     func() time.Time
	log     zerolog.Logger
	router  *httprouter.Router
}

// New checks the configuration. Nothing is asked of anyone before the first
// request.
func New(config Config, store *account.Store, outbox account.Outbox, series Series, log zerolog.Logger) (*Area, error) {
	base, err := parseOrigin(config.BaseURL)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrBaseURL, err)
	}
	a := &Area{
		base: base, secure: base.Scheme == "https", store: store, outbox: outbox, series: series,
		mails: config.MailFiles, now: config.Now, log: log, trusted: map[string]bool{},
	}
	if a.now == nil {
		a.now = time.Now
	}
	if !a.secure && !isLoopback(base) {
		return nil, fmt.Errorf("%w: %s: sessions need https beyond this machine", ErrBaseURL, base)
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
			return nil, fmt.Errorf("account area: allowed origin: %s: it must be https, or on this machine", origin)
		}
		a.trusted[origin.String()] = true
	}
	if a.google, err = newGoogle(config.Google, a.base.String(), a.now); err != nil {
		return nil, fmt.Errorf("account area: %w", err)
	}
	a.router = a.routes()
	return a, nil
}

// Paths are those of the area, each with all that is below it.
func (a *Area) Paths() []string {
	return []string{"/register", "/sign-in", "/account", "/unsubscribe", "/assets", "/api/auth", "/api/me", "/api/alerts"}
}

// maxBody bounds what is read of a request: the longest input is an address of
// 254 characters and a URL of 2,048.
const maxBody = 16 << 10

// contentPolicy lets a page use what this server sends and nothing else: no
// script in the page, no frame around it, no form that goes elsewhere.
const contentPolicy = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// ServeHTTP answers one request. Whoever hands it over has put the request's id
// on the response as X-Request-Id, and the caller's address in RemoteAddr.
func (a *Area) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Cache-Control", "no-store")
	header.Set("Content-Security-Policy", contentPolicy)
	header.Set("Cross-Origin-Opener-Policy", "same-origin")
	header.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
	// Forms need it: under no-referrer a browser sends them with Origin: null.
	header.Set("Referrer-Policy", "same-origin")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("X-Frame-Options", "DENY")
	if a.secure {
		header.Set("Strict-Transport-Security", "max-age=31536000")
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	x := &exchange{w: w, r: r}
	if a.crossOrigin(x) {
		return
	}
	if err := a.checkOrigin(x); err != nil {
		a.fail(x, err)
		return
	}
	// A slash that the caller escaped is part of a segment, and no path here has such a
	// segment; the router would see two.
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
}

func (x *exchange) id() string { return x.w.Header().Get("X-Request-Id") }

// isAPI tells whether the path is one of the operations that openapi.json
// describes.
func (x *exchange) isAPI() bool { return strings.HasPrefix(x.r.URL.Path, "/api/") }

// wantsPage tells whether a person is looking: at a page, or on the way through
// an operation that browsers are sent to. Programs get JSON.
func (x *exchange) wantsPage() bool {
	if !x.isAPI() {
		return true
	}
	way := x.r.URL.Path == oneClickPath || strings.HasPrefix(x.r.URL.Path, "/api/auth/google")
	return way && x.r.Method == http.MethodGet && strings.Contains(x.r.Header.Get("Accept"), "text/html")
}

// signedIn finds who is signed in.
func (a *Area) signedIn(x *exchange) (account.Person, error) {
	person, err := a.store.Session(x.r.Context(), a.session(x.r))
	if err == nil || errors.Is(err, account.ErrNoSession) {
		return person, err
	}
	return person, unavailable(err)
}
