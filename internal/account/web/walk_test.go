package web_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"cuota/internal/account"
	"cuota/internal/account/web"
	"cuota/internal/testkit/waittest"
	"cuota/query"

	"github.com/google/go-cmp/cmp"
)

func TestAPersonRegistersSignsInWatchesAndLeaves(t *testing.T) {
	r := newRig(t, options{})
	b := r.browser(t)

	first := b.register("Ana@Example.cl")
	if got := b.keyStatus(first); got != http.StatusOK {
		t.Errorf("the key gives %d", got)
	}
	second := b.register("ana@example.cl")
	if was, is := b.keyStatus(first), b.keyStatus(second); was != http.StatusUnauthorized || is != http.StatusOK {
		t.Errorf("after registering again the earlier key gives %d and the later %d", was, is)
	}

	b.get("/api/me").want(http.StatusUnauthorized)
	b.signIn("ana@example.cl")
	type person struct {
		Email   string `json:"email"`
		Alerts  bool   `json:"email_opt_in_alerts"`
		Monthly bool   `json:"email_opt_in_monthly_summary"`
		Keys    []struct {
			Last4 string `json:"last4"`
			Tier  string `json:"tier"`
		} `json:"api_keys"`
	}
	me := decode[person](b.get("/api/me").want(http.StatusOK))
	if me.Email != "ana@example.cl" || me.Alerts || me.Monthly || len(me.Keys) != 1 || me.Keys[0].Last4 != second[len(second)-4:] || me.Keys[0].Tier != "free" {
		t.Errorf("%+v", me)
	}

	for _, id := range []string{fundSeries, strings.ToUpper(etfSeries), "0" + fundSeries[:9]} {
		got := b.json(http.MethodPost, "/api/me/watchlist", map[string]string{"serie_id": id})
		if id == fundSeries || strings.EqualFold(id, etfSeries) {
			got.want(http.StatusOK)
		} else {
			got.want(http.StatusNotFound)
		}
	}
	b.json(http.MethodPost, "/api/me/watchlist", map[string]string{"serie_id": fundSeries}).want(http.StatusOK)
	watched := func() (ids []string) {
		for _, w := range decode[struct{ Data []struct{ ID string } }](b.get("/api/me/watchlist").want(http.StatusOK)).Data {
			ids = append(ids, w.ID)
		}
		slices.Sort(ids)
		return ids
	}
	if diff := cmp.Diff([]string{fundSeries, etfSeries}, watched()); diff != "" {
		t.Error(diff)
	}
	for range 2 {
		b.do(http.MethodDelete, "/api/me/watchlist/"+etfSeries, "", "").want(http.StatusNoContent)
	}
	if diff := cmp.Diff([]string{fundSeries}, watched()); diff != "" {
		t.Error(diff)
	}

	b.do(http.MethodPatch, "/api/me/alerts", "application/json", `{"email_opt_in_alerts":true}`).want(http.StatusOK)
	got := b.do(http.MethodPatch, "/api/me/alerts", "application/json", `{"email_opt_in_alerts":null,"email_opt_in_monthly_summary":true}`).want(http.StatusOK)
	if want := `{"email_opt_in_alerts":true,"email_opt_in_monthly_summary":true}` + "\n"; got.body != want {
		t.Errorf("%s, want %s", got.body, want)
	}

	other := r.browser(t)
	other.signIn("ana@example.cl")
	b.do(http.MethodDelete, "/api/me", "", "").want(http.StatusNoContent)
	for _, one := range []*browser{b, other} {
		one.get("/api/me").want(http.StatusUnauthorized)
	}
	if got := b.keyStatus(second); got != http.StatusUnauthorized {
		t.Errorf("the key of a removed account gives %d", got)
	}
	for name, content := range databaseFiles(t, r) {
		if strings.Contains(content, "ana@example") {
			t.Errorf("the address is still in %s", name)
		}
	}
	// A person who returns gets a new account.
	other.signIn("ana@example.cl")
	if me := decode[person](other.get("/api/me").want(http.StatusOK)); len(me.Keys) != 0 || me.Alerts {
		t.Errorf("%+v", me)
	}
}

// Erasing covers everything that was written before, in the database and in mail files. Mails
// to other people stay.
func TestWhoLeavesIsInNoFile(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "mails")
	r := newRig(t, options{folder: folder})
	b := r.browser(t)
	mailed := func(address string, want int) (links []*url.URL) {
		t.Helper()
		waittest.Until(t, "the mails are written", func() bool {
			links = nil
			files, err := filepath.Glob(filepath.Join(folder, "*.eml"))
			must(t, err)
			for _, file := range files {
				content, err := os.ReadFile(file)
				must(t, err)
				if strings.Contains(string(content), "To: <"+address+">") {
					links = append(links, mustURL(t, linkForm.FindString(textOf(t, file))))
				}
			}
			return len(links) == want
		})
		return links
	}
	const ana, eva = "ana@example.cl", "mariana@example.cl"
	b.form("/register", "email", eva).want(http.StatusSeeOther)
	mailed(eva, 1)
	b.form("/register", "email", ana).want(http.StatusSeeOther)
	mailed(ana, 1)
	b.form("/sign-in", "email", ana, "return_url", r.base+"/account").want(http.StatusSeeOther)
	for _, link := range mailed(ana, 2) {
		b.form(link.Path, "token", link.Query().Get("token"))
	}
	b.get("/api/me").want(http.StatusOK)
	b.do(http.MethodDelete, "/api/me", "", "").want(http.StatusNoContent)
	mailed(ana, 0)
	mailed(eva, 1)
	for name, content := range databaseFiles(t, r) {
		if strings.Contains(strings.ReplaceAll(content, eva, ""), ana) {
			t.Errorf("the address is still in %s", name)
		}
	}
}

// brokenFiles is a mail folder whose Erase fails.
type brokenFiles struct{}

func (brokenFiles) Erase(context.Context, string) error { return errors.New("the disk is gone") }

func TestWhileMailFilesCanNotBeErasedNothingIs(t *testing.T) {
	r := newRig(t, options{files: brokenFiles{}})
	b := r.browser(t)
	b.signIn("ana@example.cl")
	if got := b.do(http.MethodDelete, "/api/me", "", "").want(http.StatusServiceUnavailable); got.code() != "accounts_unavailable" {
		t.Errorf("%s", got.body)
	}
	b.get("/api/me").want(http.StatusOK)
	if !strings.Contains(r.logged.String(), "the disk is gone") {
		t.Error("the log does not say why")
	}
}

// countedFiles is a mail folder whose Erase succeeds once. It records whether the account
// existed at each call.
type countedFiles struct {
	there func() bool
	calls []bool
}

func (f *countedFiles) Erase(context.Context, string) error {
	if f.calls = append(f.calls, f.there()); len(f.calls) > 1 {
		return errors.New("the disk is gone")
	}
	return nil
}

// The database can't be scrubbed while a transaction reads its old state.
func TestWhatFailsAfterTheAccountIsGoneIsForTheOperator(t *testing.T) {
	files := &countedFiles{}
	r := newRig(t, options{files: files, timeout: 2 * time.Second})
	b := r.browser(t)
	b.signIn("ana@example.cl")
	raw, err := sql.Open("sqlite", "file:"+filepath.Join(r.files, "accounts.db")+"?_busy_timeout=60000")
	must(t, err)
	t.Cleanup(func() { must(t, raw.Close()) })
	accounts := func(from interface {
		QueryRowContext(context.Context, string, ...any) *sql.Row
	}) (n int) {
		must(t, from.QueryRowContext(t.Context(), "SELECT count(*) FROM accounts WHERE email = 'ana@example.cl'").Scan(&n))
		return n
	}
	files.there = func() bool { return accounts(raw) == 1 }
	reader, err := raw.BeginTx(t.Context(), nil)
	must(t, err)
	accounts(reader)
	got := b.do(http.MethodDelete, "/api/me", "", "").want(http.StatusNoContent)
	must(t, reader.Rollback())
	if !slices.Equal(files.calls, []bool{true, false}) {
		t.Errorf("when the mail files were erased, the account was there: %v; want it before, and gone after", files.calls)
	}
	if b.cookie("__Host-cuota-session") != "" || got.body != "" {
		t.Errorf("the cookie is left, or something is said: %q", got.body)
	}
	b.get("/api/me").want(http.StatusUnauthorized)
	for _, said := range []string{"restart the server", "the disk is gone", "delete them from the mail folder by hand"} {
		if !strings.Contains(r.logged.String(), said) {
			t.Errorf("the log does not say %q", said)
		}
	}
}

func TestSigningOutEverywhereEndsTheSessionsOfAllBrowsers(t *testing.T) {
	r := newRig(t, options{})
	here, there, other := r.browser(t), r.browser(t), r.browser(t)
	other.signIn("eva@example.cl")
	key := here.register("ana@example.cl")
	here.do(http.MethodDelete, "/api/me/sessions", "", "").want(http.StatusUnauthorized)
	here.form("/account/sign-out-everywhere").want(http.StatusUnauthorized)
	for name, everywhere := range map[string]func(){
		"a program": func() { here.do(http.MethodDelete, "/api/me/sessions", "", "").want(http.StatusNoContent) },
		"a person": func() {
			if page := here.page("/account").want(http.StatusOK).body; !strings.Contains(page, `action="/account/sign-out-everywhere"`) {
				t.Error("the account page does not offer it")
			}
			to := here.form("/account/sign-out-everywhere").want(http.StatusSeeOther).header.Get("Location")
			if page := here.page(to).want(http.StatusOK).body; !strings.Contains(page, "Se cerraron todas sus sesiones") {
				t.Errorf("%s does not say what happened", to)
			}
		},
	} {
		here.signIn("ana@example.cl")
		there.signIn("ana@example.cl")
		everywhere()
		if here.cookie("__Host-cuota-session") != "" {
			t.Errorf("%s: the cookie is left", name)
		}
		here.get("/api/me").want(http.StatusUnauthorized)
		there.get("/api/me").want(http.StatusUnauthorized)
		if got := there.page("/account").want(http.StatusSeeOther); got.header.Get("Location") != "/sign-in" {
			t.Errorf("%s: the other browser goes to %s", name, got.header.Get("Location"))
		}
	}
	other.get("/api/me").want(http.StatusOK)
	if got := here.keyStatus(key); got != http.StatusOK {
		t.Errorf("the key gives %d", got)
	}
}

func TestPagesDoWhatTheOperationsDo(t *testing.T) {
	r := newRig(t, options{})
	b := r.browser(t)
	if got := b.page("/account").want(http.StatusSeeOther); got.header.Get("Location") != "/sign-in" {
		t.Errorf("who is not signed in goes to %s", got.header.Get("Location"))
	}
	b.signIn("ana@example.cl")
	b.form("/account/watchlist", "serie_id", " "+fundSeries+" ").want(http.StatusSeeOther)
	b.form("/account/alerts", "alerts", "on").want(http.StatusSeeOther)
	page := b.page("/account?saved").want(http.StatusOK).body
	for _, shown := range []string{fundSeries, `name="alerts" checked`, `name="monthly_summary">`, "ana@example.cl", "Cambios guardados"} {
		if !strings.Contains(page, shown) {
			t.Errorf("the account page does not show %s", shown)
		}
	}
	b.form("/account/watchlist/remove", "serie_id", fundSeries).want(http.StatusSeeOther)
	if page := b.page("/account").want(http.StatusOK).body; strings.Contains(page, fundSeries) {
		t.Error("a removed series is still shown")
	}
	b.form("/account/sign-out").want(http.StatusSeeOther)
	b.get("/api/me").want(http.StatusUnauthorized)
	b.signIn("ana@example.cl")
	b.page("/account/delete").want(http.StatusOK)
	b.form("/account/delete").want(http.StatusOK)
	b.get("/api/me").want(http.StatusUnauthorized)
}

func TestAFrontEndOfAnotherOriginCompletesTheSignIn(t *testing.T) {
	r := newRig(t, options{})
	b := r.browser(t)
	b.origin = frontEnd
	b.json(http.MethodPost, "/api/auth/magic-link", map[string]string{"email": "ana@example.cl", "return_url": frontEnd + "/in?tab=2#top"}).want(http.StatusAccepted)
	link := r.linkTo(t, "ana@example.cl")
	if link.Host != "app.example.org" || link.Query().Get("tab") != "2" || link.Fragment != "top" {
		t.Errorf("the link leads to %s%s", link.Host, link.Path)
	}
	got := b.json(http.MethodPost, "/api/auth/callback", map[string]any{"token": link.Query().Get("token"), "code": nil}).want(http.StatusOK)
	if got.header.Get("Access-Control-Allow-Origin") != frontEnd || got.header.Get("Access-Control-Allow-Credentials") != "true" {
		t.Errorf("the front end may not read the answer: %v", got.header)
	}
	if result := decode[struct {
		ReturnURL string `json:"return_url"`
		Account   struct{ Email string }
	}](got); result.ReturnURL != frontEnd+"/in?tab=2#top" || result.Account.Email != "ana@example.cl" {
		t.Errorf("%+v", result)
	}
	b.get("/api/me").want(http.StatusOK)
	b.do(http.MethodPost, "/api/auth/logout", "", "").want(http.StatusNoContent)
	b.get("/api/me").want(http.StatusUnauthorized)
}

func TestUnsubscribingTakesAPostAndNoSession(t *testing.T) {
	r := newRig(t, options{})
	b := r.browser(t)
	b.signIn("ana@example.cl")
	id := decode[struct{ ID string }](b.get("/api/me")).ID
	on := func() {
		b.do(http.MethodPatch, "/api/me/alerts", "application/json", `{"email_opt_in_alerts":true,"email_opt_in_monthly_summary":true}`).want(http.StatusOK)
	}
	subscribed := func() [2]bool {
		me := decode[struct {
			Alerts  bool `json:"email_opt_in_alerts"`
			Monthly bool `json:"email_opt_in_monthly_summary"`
		}](b.get("/api/me"))
		return [2]bool{me.Alerts, me.Monthly}
	}
	want := func(what string, want [2]bool) {
		t.Helper()
		if got := subscribed(); got != want {
			t.Errorf("%s: alerts and summary %v, want %v", what, got, want)
		}
	}
	alerts, monthly := r.store.UnsubscribeToken(id, account.Alerts), r.store.UnsubscribeToken(id, account.MonthlySummary)
	provider := r.browser(t) // a mail provider sends no cookie and no Origin
	provider.origin = ""

	on()
	opened := provider.page(web.OneClickURL(r.base, alerts)).want(http.StatusSeeOther)
	provider.page(opened.header.Get("Location")).want(http.StatusOK)
	provider.do(http.MethodHead, web.OneClickURL(r.base, alerts), "", "").want(http.StatusSeeOther)
	want("opened", [2]bool{true, true})
	for range 2 {
		provider.do(http.MethodPost, web.OneClickURL(r.base, alerts), "application/x-www-form-urlencoded", "List-Unsubscribe=One-Click").want(http.StatusNoContent)
		want("one click", [2]bool{false, true})
	}
	on()
	provider.json(http.MethodPost, "/api/alerts/unsubscribe", map[string]string{"token": monthly}).want(http.StatusOK)
	want("posted", [2]bool{true, false})
	on()
	visitor := r.browser(t)
	visitor.page(web.UnsubscribeURL(r.base, alerts)).want(http.StatusOK)
	visitor.form("/unsubscribe", "token", alerts).want(http.StatusOK)
	want("on the page", [2]bool{false, true})

	on()
	forged := strings.Replace(alerts, "alerts", "monthly_summary", 1)
	for _, token := range []string{"", "x", forged, alerts + "0", alerts[:len(alerts)-1]} {
		provider.do(http.MethodPost, web.OneClickURL("", token), "", "").want(http.StatusUnprocessableEntity)
		provider.json(http.MethodPost, "/api/alerts/unsubscribe", map[string]string{"token": token}).want(http.StatusUnprocessableEntity)
	}
	want("forged", [2]bool{true, true})
	b.do(http.MethodDelete, "/api/me", "", "").want(http.StatusNoContent)
	provider.do(http.MethodPost, web.OneClickURL(r.base, alerts), "", "").want(http.StatusNoContent)
}

func TestASessionEndsWhenItIsNotUsedAndInTheEnd(t *testing.T) {
	const day = 24 * time.Hour
	r := newRig(t, options{})
	idle, used := r.browser(t), r.browser(t)
	idle.signIn("ana@example.cl")
	used.signIn("ana@example.cl")
	for range 4 {
		r.advance(7*day - time.Minute)
		used.get("/api/me").want(http.StatusOK)
	}
	idle.get("/api/me").want(http.StatusUnauthorized)
	r.advance(day) // 29 days and some
	used.get("/api/me").want(http.StatusOK)
	r.advance(day + time.Minute*4)
	used.get("/api/me").want(http.StatusUnauthorized)
}

func TestTheDocumentNamesTheOperationsOfTheArea(t *testing.T) {
	var parsed struct {
		Paths map[string]map[string]struct {
			Tags      []string
			Security  []map[string][]string
			Responses map[string]any
		}
		Components struct {
			SecuritySchemes map[string]struct{ Type, In, Name string } `json:"securitySchemes"`
		}
	}
	must(t, json.Unmarshal(query.Document(), &parsed))
	var documented []string
	for path, methods := range parsed.Paths {
		for method, op := range methods {
			if !slices.Contains(op.Tags, "Account") {
				continue
			}
			name := strings.ToUpper(method) + " " + path
			documented = append(documented, name)
			if signedIn := strings.HasPrefix(path, "/api/me"); signedIn != (len(op.Security) == 1 && op.Security[0]["SessionCookie"] != nil) {
				t.Errorf("%s: security %v", name, op.Security)
			}
			want := []string{"429", "500", "503"}
			if method != "get" && !strings.HasSuffix(path, "one-click") {
				want = append(want, "403")
			}
			for _, status := range want {
				if op.Responses[status] == nil {
					t.Errorf("%s declares no %s", name, status)
				}
			}
		}
	}
	routed := web.Operations()
	slices.Sort(documented)
	slices.Sort(routed)
	if diff := cmp.Diff(documented, routed); diff != "" {
		t.Errorf("openapi.json (-) against the routes (+):\n%s", diff)
	}
	if scheme := parsed.Components.SecuritySchemes["SessionCookie"]; scheme.In != "cookie" || scheme.Name != "__Host-cuota-session" {
		t.Errorf("%+v", scheme)
	}
}

// databaseFiles gives the contents of the database's files.
func databaseFiles(t testing.TB, r *rig) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(r.files)
	must(t, err)
	found := map[string]string{}
	for _, entry := range entries {
		content, err := os.ReadFile(r.files + "/" + entry.Name())
		must(t, err)
		found[entry.Name()] = string(content)
	}
	return found
}
