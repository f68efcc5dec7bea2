package area

import (
	"cmp"
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"time"

	"cuota/internal/account"
	"cuota/internal/site/locale"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

// Google configures the sign-in with Google, or with another OpenID provider.
type Google struct {
	Issuer       string // by default https://accounts.google.com
	ClientID     string // "" turns the sign-in off
	ClientSecret string
}

const (
	googleIssuer   = "https://accounts.google.com"
	googleCallback = "/api/auth/google/callback"
	googleWithin   = 10 * time.Second // timeout of one exchange with the provider
	maxGoogleCode  = 2048
	maxSubject     = 255 // OpenID Connect Core, section 2

	// googleRests is how long to wait before asking a provider again after a failure.
	googleRests = retrySoon * time.Second
)

// google is the configured sign-in with Google.
type google struct {
	issuer string
	client *http.Client
	config oauth2.Config // without the endpoint, which discovery finds
	now    func() time.Time

	mu    sync.Mutex
	asked *discovery // the last discovery; nil before the first
}

// discovery asks the provider for its endpoints and keys. All callers share one discovery.
type discovery struct {
	done     chan struct{} // closed when the other fields are set
	provider *oidc.Provider
	err      error
	at       time.Time
}

func newGoogle(config Google, base string, now func() time.Time) (*google, error) {
	if config.ClientID == "" && config.ClientSecret == "" {
		return nil, nil
	}
	if config.ClientID == "" || config.ClientSecret == "" {
		return nil, errors.New("the sign-in with Google needs both a client id and its secret")
	}
	config.Issuer = cmp.Or(config.Issuer, googleIssuer)
	if u, err := url.Parse(config.Issuer); err != nil || u.Scheme != "https" && !isLoopback(u) {
		return nil, errors.New("the issuer of the sign-in with Google must be an https address")
	}
	return &google{
		issuer: config.Issuer,
		client: &http.Client{Timeout: googleWithin},
		now:    now,
		config: oauth2.Config{
			ClientID: config.ClientID, ClientSecret: config.ClientSecret,
			RedirectURL: base + googleCallback, Scopes: []string{oidc.ScopeOpenID, "email"},
		},
	}, nil
}

// discover returns the provider. The result of a successful discovery is kept. After a failure it
// is repeated, but not before googleRests has passed. It fails if the discovery fails or ctx
// ends first.
func (g *google) discover(ctx context.Context) (*oidc.Provider, error) {
	g.mu.Lock()
	asked := g.asked
	if asked == nil || asked.failedBefore(g.now().Add(-googleRests)) {
		asked = &discovery{done: make(chan struct{})}
		g.asked = asked
		go g.ask(asked)
	}
	g.mu.Unlock()
	select {
	case <-asked.done:
		return asked.provider, asked.err
	case <-ctx.Done():
		return nil, fmt.Errorf("read the OpenID configuration of %s: %w", g.issuer, ctx.Err())
	}
}

func (d *discovery) failedBefore(at time.Time) bool {
	select {
	case <-d.done:
		return d.err != nil && !d.at.After(at)
	default:
		return false
	}
}

// ask runs a discovery, for at most googleWithin. It does not use the context of a request,
// because other requests wait for it too, and because the provider's keys are fetched later in
// the same context.
func (g *google) ask(d *discovery) {
	defer close(d.done)
	d.provider, d.err = oidc.NewProvider(oidc.ClientContext(context.Background(), g.client), g.issuer)
	if d.at = g.now(); d.err != nil {
		d.err = fmt.Errorf("read the OpenID configuration of %s: %w", g.issuer, d.err)
	}
}

// address returns the URL at which the browser signs in.
func (g *google) address(provider *oidc.Provider, o account.OAuth) string {
	config := g.config
	config.Endpoint = provider.Endpoint()
	return config.AuthCodeURL(o.State, oidc.Nonce(o.Nonce), oauth2.S256ChallengeOption(o.Verifier),
		oauth2.SetAuthURLParam("prompt", "select_account"))
}

// errRefused says that the provider refused the sign-in, or that its ID token is not accepted.
var errRefused = errors.New("the sign-in was refused")

// identity exchanges the code for an ID token and checks the token's signature, issuer,
// audience, expiry and nonce. It returns the person with the address that the provider has
// verified. The error wraps errRefused if the code or the token is not accepted.
func (g *google) identity(ctx context.Context, code string, o account.OAuth) (account.Identity, error) {
	nobody := account.Identity{}
	provider, err := g.discover(ctx)
	if err != nil {
		return nobody, err
	}
	config := g.config
	config.Endpoint = provider.Endpoint()
	ctx = oidc.ClientContext(ctx, g.client)
	tokens, err := config.Exchange(ctx, code, oauth2.VerifierOption(o.Verifier))
	// its text would contain the response of the provider
	if refusal := (*oauth2.RetrieveError)(nil); errors.As(err, &refusal) {
		status := refusal.Response.StatusCode
		if status >= http.StatusInternalServerError {
			return nobody, fmt.Errorf("exchange the code: the provider answered with status %d", status)
		}
		return nobody, fmt.Errorf("%w: the provider answered %d %q", errRefused, status, refusal.ErrorCode)
	}
	if err != nil {
		return nobody, fmt.Errorf("exchange the code: %w", err)
	}
	raw, _ := tokens.Extra("id_token").(string)
	token, err := provider.VerifierContext(ctx, &oidc.Config{ClientID: g.config.ClientID}).Verify(ctx, raw)
	if err != nil {
		return nobody, fmt.Errorf("%w: %w", errRefused, err)
	}
	if subtle.ConstantTimeCompare([]byte(token.Nonce), []byte(o.Nonce)) != 1 {
		return nobody, fmt.Errorf("%w: the ID token has another nonce", errRefused)
	}
	var claims struct {
		Email    string `json:"email"`
		Verified bool   `json:"email_verified"`
		For      string `json:"azp"`
	}
	if err := token.Claims(&claims); err != nil {
		return nobody, fmt.Errorf("%w: read the ID token: %w", errRefused, err)
	}
	// A token for several clients must say which of them asked for it, and it must be this one.
	if claims.For != g.config.ClientID && (claims.For != "" || len(token.Audience) > 1) {
		return nobody, fmt.Errorf("%w: the ID token was made for another client (azp)", errRefused)
	}
	if !claims.Verified || claims.Email == "" {
		return nobody, fmt.Errorf("%w: the address is not verified", errRefused)
	}
	if token.Subject == "" || len(token.Subject) > maxSubject {
		return nobody, fmt.Errorf("%w: the subject is not one of 1 to %d bytes", errRefused, maxSubject)
	}
	// The configured issuer is used, because Google writes its own with or without https://.
	return account.Identity{Issuer: g.issuer, Subject: token.Subject, Email: claims.Email}, nil
}

func googleUnavailable(cause error) error {
	return &problem{status: http.StatusServiceUnavailable, code: "google_unavailable", retryAfter: retrySoon,
		cause:  cause,
		detail: "Google can't be reached right now. Try again in a few seconds, or sign in with a link by mail.",
		shown: locale.Phrase{"No se puede contactar a Google en este momento. Intente de nuevo en unos segundos, o " +
			"entre con un enlace por correo.",
			"Google can't be reached right now. Try again in a few seconds, or sign in with a link by mail."}}
}

// beginGoogle redirects a browser to Google, or gives a program the address.
func (a *Handler) beginGoogle(x *exchange) error {
	if a.google == nil {
		return errGoogleOff
	}
	back, err := required("query", "return_url", queryText(x.r, "return_url"), maxURL)
	if err != nil {
		return err
	}
	to, ok := a.returnTo(back)
	if !ok {
		return wrongReturn("query")
	}
	if x.r.Method == http.MethodHead { // HEAD begins no sign-in
		return nil
	}
	// Discovery comes first, so that nothing is stored if the sign-in can't begin.
	provider, err := a.google.discover(x.r.Context())
	if err != nil {
		return googleUnavailable(err)
	}
	o, err := a.store.BeginOAuth(x.r.Context(), network(x.r), to.String())
	if errors.Is(err, account.ErrTooManySignIns) {
		return a.tooManySignIns()
	}
	if err != nil {
		return err
	}
	address := a.google.address(provider, o)
	a.setCookie(x, browserCookie, o.Browser, account.OAuthWithin)
	if x.wantsPage() {
		http.Redirect(x.w, x.r, address, http.StatusSeeOther)
		return nil
	}
	writeJSON(x.w, http.StatusOK, struct {
		AuthorizationURL string `json:"authorization_url"`
	}{address})
	return nil
}

// finishGoogle handles the return from Google. A person who returns to a page of this service
// is signed in. A front end on another origin gets a code, with which it completes the sign-in
// (POST /api/auth/callback).
func (a *Handler) finishGoogle(x *exchange) error {
	if a.google == nil {
		return errGoogleOff
	}
	if x.r.Method == http.MethodHead { // HEAD uses nothing up
		return nil
	}
	if queryText(x.r, "error") != nil {
		return wrong("query", "error", "sign_in_refused", "Signing in was refused or cancelled there",
			locale.Phrase{"El ingreso con Google se canceló.", "Signing in with Google was cancelled."})
	}
	var violations invalid
	state, err := required("query", "state", queryText(x.r, "state"), maxLoginSecret)
	violations.add(err)
	code, err := required("query", "code", queryText(x.r, "code"), maxGoogleCode)
	violations.add(err)
	if err := violations.orNil(); err != nil {
		return err
	}
	ctx := x.r.Context()
	o, err := a.store.FinishOAuth(ctx, state, a.readCookie(x.r, browserCookie))
	if errors.Is(err, account.ErrInvalidLink) {
		return wrongLink("query", "state")
	}
	if err != nil {
		return err
	}
	identity, err := a.google.identity(ctx, code, o)
	if errors.Is(err, errRefused) {
		a.log.Warn().Err(err).Str("request_id", x.id()).Msg("a sign-in with Google was refused")
		return wrong("query", "code", "sign_in_refused", "Google vouches for no verified address. Begin again",
			locale.Phrase{"Google no confirmó un correo verificado. Comience de nuevo.",
				"Google did not confirm a verified address. Begin again."})
	}
	if err != nil {
		return googleUnavailable(err)
	}
	to, ok := a.returnTo(o.ReturnURL)
	if !ok { // it was allowed when the sign-in began, but the configuration changed
		return wrongReturn("query")
	}
	if !a.isOwn(to) {
		code, err := a.store.HandOver(ctx, identity, o.Browser, to.String())
		if err != nil {
			return a.identityProblem(err)
		}
		return a.goBack(x, withParameter(to, "code", code))
	}
	session, err := a.store.SignInIdentity(ctx, identity, a.session(x.r))
	if err != nil {
		return a.identityProblem(err)
	}
	a.dropCookie(x, browserCookie)
	if !x.wantsPage() {
		return a.signedInWith(x, session, to.String())
	}
	a.startSession(x, session)
	return a.goBack(x, to.String())
}

// identityProblem returns the problem that explains why an identity could not be signed in.
func (a *Handler) identityProblem(err error) error {
	if errors.Is(err, account.ErrOtherIdentity) {
		return wrong("query", "code", "other_identity",
			"The account of this address belongs to another Google account. Sign in with a link by mail, or with "+
				"that Google account",
			locale.Phrase{"La cuenta de este correo pertenece a otra cuenta de Google. Entre con un enlace por " +
				"correo, o con esa cuenta de Google.",
				"The account of this address belongs to another Google account. Sign in with a link by mail, or with " +
					"that Google account."})
	}
	return a.mailed(err)
}

// goBack redirects a browser to an allowed address, or gives it to a program as JSON.
func (a *Handler) goBack(x *exchange, address string) error {
	if x.wantsPage() {
		x.w.Header().Set("Referrer-Policy", "no-referrer")
		http.Redirect(x.w, x.r, address, http.StatusSeeOther)
		return nil
	}
	writeJSON(x.w, http.StatusOK, loginResult{ReturnURL: address})
	return nil
}
