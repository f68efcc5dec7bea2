package marketpages_test

import (
	"context"
	"database/sql"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/rs/zerolog"

	"cuota/internal/account"
	"cuota/internal/account/accounttest"
	"cuota/internal/account/area"
	"cuota/internal/mail"
	"cuota/internal/site/marketpages"
	"cuota/internal/testkit/browsertest"
	"cuota/internal/webhook"
	"cuota/query"
)

// sessionCookie is the cookie of somebody who is signed in.
const sessionCookie = "__Host-cuota-session"

// mailbox keeps the text of the newest mail.
type mailbox struct{ newest atomic.Pointer[string] }

// Enqueue implements account.Outbox.
func (m *mailbox) Enqueue(_ context.Context, _ *sql.Tx, of mail.Message) error {
	m.newest.Store(&of.Text)
	return nil
}

// areaSeries reads series for the account area, as cmd/cuota wires it.
type areaSeries struct{ *query.Server }

func (s *areaSeries) TakesScreen(ctx context.Context, screen string) (bool, error) {
	batch, there := published(s.Server)()
	if !there {
		return false, http.ErrServerClosed
	}
	return marketpages.TakesScreen(ctx, batch, screen)
}

// accountArea makes the account area of a site, over a store of its own. The area reads the series of the server that
// is put into series, and sends its mails into mails.
func accountArea(t testing.TB, base string, mails *mailbox) (*account.Store, *area.Handler, *areaSeries) {
	t.Helper()
	store, err := account.Open(t.Context(), accounttest.SQLiteDSN(filepath.Join(t.TempDir(), "accounts.db")),
		[]byte("pepper-pepper-pepper-pepper-pepp"))
	must(t, err)
	t.Cleanup(func() { must(t, store.Close()) })
	series := &areaSeries{}
	hooks, err := webhook.New(webhook.Config{Site: base}, store)
	must(t, err)
	handler, err := area.New(area.Config{BaseURL: base}, store, mails, hooks, series, zerolog.Nop())
	must(t, err)
	return store, handler, series
}

// session signs a person in.
func (s *servedSite) session(email string) string {
	s.t.Helper()
	var token string
	must(s.t, s.accounts.MailLink(s.t.Context(), account.LinkRequest{Purpose: account.SignIn, Email: email,
		Network: "127.0.0.0/8"}, s.mails, func(of string) mail.Message {
		token = of
		return mail.Message{}
	}))
	session, _, err := s.accounts.SignIn(s.t.Context(), token, "")
	must(s.t, err)
	return session
}

// has gives the browser of a reader a session, as after a sign-in.
func (r reader) has(session string) {
	r.t.Helper()
	yes := true
	_, err := chromedp.Call(r.b.Ctx, network.SetCookie, network.SetCookieParams{Name: sessionCookie, Value: session,
		URL: r.s.base, Path: "/", Secure: &yes, HTTPOnly: &yes})
	must(r.t, err)
}

// A page of a series is the same for everybody. Its script shows whoever is signed in whether they watch the series.
func watchASeries(t *testing.T, s *servedSite) {
	b := browsertest.New(t, func(address string) bool {
		return strings.HasPrefix(address, s.base+"/") || strings.HasPrefix(address, "data:")
	})
	r := reader{t, s, b}
	path := "/series/" + fromAPI[struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}](s, "/api/screener?limit=1").Data[0].ID
	opens := func() {
		t.Helper()
		r.loads(http.StatusOK, chromedp.Navigate(s.base+path+"?lang=es"))
	}
	offers := func(want string) {
		t.Helper()
		_, err := chromedp.Run(b.Ctx, chromedp.Poll[bool](`[...document.querySelectorAll(".row :is(a, .watching, button)")].
			filter(of => of.checkVisibility() && !of.matches(".pick") && of.textContent).
			map(of => of.textContent.trim()).join(" | ") === "`+want+`"`))
		must(t, err)
	}
	const both = " | Seguir con alertas por correo"
	const follow, stop = "☆ Seguir esta serie" + both, "★ Siguiendo | Dejar de seguir"

	opens()
	offers(follow)
	if address := r.address("[data-watch]"); !strings.HasPrefix(address, "/account/watchlist?") {
		t.Errorf("whoever is not signed in is led to %s", address)
	}
	_, anonymous, whole := s.get(path)
	person := s.session("ana@example.cl")
	r.has(person)
	opens()
	offers(follow)
	r.selects(".watching + button")
	offers(stop + both)
	opens()
	offers(stop + both)
	r.clicks("form[data-alerts] button")
	r.sees("Ya seguía esta serie", "Se activaron las alertas")
	opens()
	offers(stop)
	for _, violation := range b.Violations(browsertest.Axe(t)) {
		t.Error(violation)
	}
	if _, header, page := s.get(path, "Cookie", sessionCookie+"="+person); page != whole ||
		header.Get("ETag") != anonymous.Get("ETag") || header.Get("Vary") != anonymous.Get("Vary") {
		t.Error("the page of somebody who watches the series is another one")
	}
	_, header, told := s.get("/account/watching.json?serie_id="+strings.TrimPrefix(path, "/series/"),
		"Cookie", sessionCookie+"="+person)
	if header.Get("Cache-Control") != "no-store" || !strings.Contains(told, `"watched":"`) {
		t.Errorf("what only this person may see: %v %s", header, told)
	}
	r.selects(".watching + button")
	offers(follow)
	opens()
	offers(follow)
	for _, problem := range b.Problems() {
		t.Error(problem)
	}

	// A session that has ended does not lead into an error: the link leads to the sign-in, and back.
	must(t, s.accounts.SignOut(t.Context(), person))
	r.clicks(".watching + button")
	r.sees("Entrar")

	b.Scripts(false)
	opens()
	r.sees("☆ Seguir esta serie", "Seguir con alertas por correo")
	r.clicks("[data-watch]")
	r.sees("Entrar")
}
