package area

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"time"

	"cuota/internal/account"
	"cuota/internal/site/accountpages"
	"cuota/internal/site/locale"
)

// problem is an error response other than 422. Programs get JSON in the form of the data
// endpoints, and people get a page.
type problem struct {
	status     int
	code       string        // a stable identifier for programs
	detail     string        // a sentence that the caller can act on
	shown      locale.Phrase // what the page says
	retryAfter int           // seconds; 0 means no Retry-After header
	cause      error         // for the log only; never sent
}

func (p *problem) Error() string { return p.code }
func (p *problem) Unwrap() error { return p.cause }

// retrySoon is the value of Retry-After, in seconds, for failures that usually pass by
// themselves (the interface contract, section 1).
const retrySoon = 5

var (
	errNoPath = &problem{status: http.StatusNotFound, code: "not_found",
		detail: "There is no such path. GET /openapi.json lists those that there are.",
		shown:  locale.Phrase{"Esta página no existe.", "There is no such page."}}
	errNoMethod = &problem{status: http.StatusMethodNotAllowed, code: "method_not_allowed",
		detail: "This path does not take that method. The Allow header lists those it takes.",
		shown:  locale.Phrase{"Esta página no admite ese método.", "This page does not take that method."}}
	errOrigin = &problem{status: http.StatusForbidden, code: "untrusted_origin",
		detail: "The request comes from a page that is not allowed to make it. Send it from this service's own " +
			"pages, with their Origin.",
		shown: locale.Phrase{"La solicitud viene de una página que no puede hacerla. Hágala desde las páginas de " +
			"este servicio.",
			"The request comes from a page that may not make it. Make it from the pages of this service."}}
	errTooLarge = &problem{status: http.StatusRequestEntityTooLarge, code: "body_too_large",
		detail: "The body is larger than 16 KiB.",
		shown:  locale.Phrase{"Los datos enviados superan 16 KiB.", "What was sent is larger than 16 KiB."}}
	errSignedOut = &problem{status: http.StatusUnauthorized, code: "not_signed_in",
		detail: "Nobody is signed in. POST /api/auth/magic-link mails a link that signs in.",
		shown:  locale.Phrase{"No hay una sesión iniciada.", "You are not signed in."}}
	errNoSeries = &problem{status: http.StatusNotFound, code: "not_found",
		detail: "There is no series of this id. GET /api/conceptual_assets/{concept_id}/real_assets lists those of a " +
			"fund.",
		shown: locale.Phrase{"No existe una serie con ese identificador.", "There is no series with this id."}}
	errWatchlistFull = &problem{status: http.StatusConflict, code: "watchlist_full",
		detail: "The watchlist is full. Take a series off it first.",
		shown: locale.Phrase{"La lista está llena. Quite una serie antes de agregar otra.",
			"The list is full. Remove a series before you add another one."}}
	errGoogleOff = &problem{status: http.StatusServiceUnavailable, code: "google_not_configured",
		detail: "Signing in with Google is not set up here. Sign in with a link by mail.",
		shown: locale.Phrase{"Aquí no se puede entrar con Google. Entre con un enlace por correo.",
			"You can't sign in with Google here. Sign in with a link by mail."}}
)

func unavailable(cause error) error {
	return &problem{status: http.StatusServiceUnavailable, code: "accounts_unavailable", retryAfter: retrySoon,
		cause:  cause,
		detail: "Accounts can't be reached right now. Try again in a few seconds.",
		shown: locale.Phrase{"Las cuentas no están disponibles en este momento. Intente de nuevo en unos segundos.",
			"Accounts are not available right now. Try again in a few seconds."}}
}

func dataUnavailable(cause error) error {
	return &problem{status: http.StatusServiceUnavailable, code: "data_unavailable", retryAfter: retrySoon,
		cause:  cause,
		detail: "The data can't be read right now. Try again in a few seconds.",
		shown: locale.Phrase{"Los datos no están disponibles en este momento. Intente de nuevo en unos segundos.",
			"The data is not available right now. Try again in a few seconds."}}
}

func (a *Handler) tooManyLinks() error {
	return &problem{status: http.StatusTooManyRequests, code: "too_many_links", retryAfter: a.restOfTheHour(),
		detail: "Too many links were asked for from this network. Try again in an hour.",
		shown: locale.Phrase{"Se pidieron demasiados enlaces desde esta red. Intente de nuevo en una hora.",
			"Too many links were asked for from this network. Try again in an hour."}}
}

func (a *Handler) tooManySignIns() error {
	return &problem{status: http.StatusTooManyRequests, code: "too_many_sign_ins", retryAfter: a.restOfTheHour(),
		detail: "Too many sign-ins were begun from this network. Try again in an hour, or sign in with a link by mail.",
		shown: locale.Phrase{"Se iniciaron demasiados ingresos desde esta red. Intente de nuevo en una hora, o entre " +
			"con un enlace por correo.",
			"Too many sign-ins were begun from this network. Try again in an hour, or sign in with a link by mail."}}
}

// restOfTheHour returns the time until the limits of this clock hour end, in seconds.
func (a *Handler) restOfTheHour() int {
	now := a.now()
	return int(account.HourLimitEnds(now).Sub(now)/time.Second) + 1
}

// violation is one error in a request, as a 422 response lists it.
type violation struct {
	Loc   []string      `json:"loc"`
	Msg   string        `json:"msg"`
	Type  string        `json:"type"`
	shown locale.Phrase // what the page says
}

// invalid lists the violations of a request, which is answered with 422. Violations never
// contain the given values, because these may be secret.
type invalid []violation

func (v invalid) Error() string { return "invalid request" }

// add appends the violations of err. Any other error, or nil, adds nothing.
func (v *invalid) add(err error) {
	if found := (invalid)(nil); errors.As(err, &found) {
		*v = append(*v, found...)
	}
}

// orNil returns the violations as an error, or nil if there are none.
func (v invalid) orNil() error {
	if len(v) > 0 {
		return v
	}
	return nil
}

func wrong(in, name, kind, msg string, shown locale.Phrase) error {
	return invalid{{Loc: []string{in, name}, Type: kind, Msg: msg, shown: shown}}
}

// wrongLink is the violation for a link, code or state that is not valid.
func wrongLink(in, name string) error {
	return wrong(in, name, "link_invalid", "It is unknown, was used, or has expired. Ask for a new one",
		locale.Phrase{"El enlace no existe, ya se usó o venció. Pida uno nuevo.",
			"The link is unknown, was used, or has expired. Ask for a new one."})
}

// fail writes the error response for err and logs its cause.
func (a *Handler) fail(x *exchange, err error) {
	if violations := (invalid)(nil); errors.As(err, &violations) {
		if !x.wantsPage() {
			writeJSON(x.w, http.StatusUnprocessableEntity, map[string]any{"detail": violations})
			return
		}
		a.errorPage(x, http.StatusUnprocessableEntity, violations[0].shown)
		return
	}
	var p *problem
	switch {
	case errors.As(err, &p):
	case errors.Is(err, account.ErrNoSession):
		p = errSignedOut
	default:
		// All other errors come from the account store.
		p = new(problem)
		errors.As(unavailable(err), &p)
	}
	if p.cause != nil && !errors.Is(p.cause, context.Canceled) {
		a.log.Error().Err(p.cause).Str("request_id", x.id()).Str("code", p.code).Msg("request failed")
	}
	if p.retryAfter > 0 {
		x.w.Header().Set("Retry-After", strconv.Itoa(p.retryAfter))
	}
	if p.status == http.StatusUnauthorized {
		x.w.Header().Set("WWW-Authenticate", `Cookie realm="cuota"`)
	}
	if !x.wantsPage() {
		writeJSON(x.w, p.status, struct {
			Detail    string `json:"detail"`
			Code      string `json:"code"`
			RequestID string `json:"request_id"`
		}{p.detail, p.code, x.id()})
		return
	}
	a.errorPage(x, p.status, p.shown)
}

// errorPage writes the page for an error. why says what failed, and what to do.
func (a *Handler) errorPage(x *exchange, status int, why locale.Phrase) {
	x.visit.Unlinked = true // the address may have a secret, which no error repeats
	body, err := accountpages.RenderError(x.visit, why.In(x.visit.Lang), x.id())
	x.writePage(status, body, err)
}

// writeJSON writes a JSON response. It encodes the whole body before it writes anything, so
// that an encoding error never leaves half a body.
func writeJSON(w http.ResponseWriter, status int, body any) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(body); err != nil {
		panic(err) // only a fault of this program can cause this; the calling server answers 500
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(out.Len()))
	w.WriteHeader(status)
	_, _ = w.Write(out.Bytes()) // an error means that the caller has disconnected
}

// onForm returns what a form says of an error, and the status of its page. ok is false if an error page says it.
func onForm(err error) (why locale.Phrase, status int, ok bool) {
	if violations := (invalid)(nil); errors.As(err, &violations) {
		return violations[0].shown, http.StatusUnprocessableEntity, true
	}
	if p := (*problem)(nil); errors.As(err, &p) && p.status < http.StatusInternalServerError {
		return p.shown, p.status, true
	}
	return locale.Phrase{}, 0, false
}
