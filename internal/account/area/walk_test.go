package area_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

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
	if me.Email != "ana@example.cl" || me.Alerts || me.Monthly || len(me.Keys) != 1 ||
		me.Keys[0].Last4 != second[len(second)-4:] || me.Keys[0].Tier != "free" {
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
		for _, w := range decode[struct{ Data []struct{ ID string } }](
			b.get("/api/me/watchlist").want(http.StatusOK)).Data {
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
	got := b.do(http.MethodPatch, "/api/me/alerts", "application/json",
		`{"email_opt_in_alerts":null,"email_opt_in_monthly_summary":true}`).want(http.StatusOK)
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
	for _, shown := range []string{fundSeries, `name="alerts" checked`, `name="monthly_summary">`, "ana@example.cl",
		"Cambios guardados"} {
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
	b.json(http.MethodPost, "/api/auth/magic-link",
		map[string]string{"email": "ana@example.cl", "return_url": frontEnd + "/in?tab=2#top"}).want(
		http.StatusAccepted)
	link := r.linkTo(t, "ana@example.cl")
	if link.Host != "app.example.org" || link.Query().Get("tab") != "2" || link.Fragment != "top" {
		t.Errorf("the link leads to %s%s", link.Host, link.Path)
	}
	got := b.json(http.MethodPost, "/api/auth/callback",
		map[string]any{"token": link.Query().Get("token"), "code": nil}).want(http.StatusOK)
	if got.header.Get("Access-Control-Allow-Origin") != frontEnd ||
		got.header.Get("Access-Control-Allow-Credentials") != "true" {
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
