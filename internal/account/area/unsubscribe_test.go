package area_test

import (
	"net/http"
	"strings"
	"testing"

	"cuota/internal/account"
	"cuota/internal/account/area"
)

func TestUnsubscribingTakesAPostAndNoSession(t *testing.T) {
	r := newRig(t, options{})
	b := r.browser(t)
	b.signIn("ana@example.cl")
	id := decode[struct{ ID string }](b.get("/api/me")).ID
	on := func() {
		b.do(http.MethodPatch, "/api/me/alerts", "application/json",
			`{"email_opt_in_alerts":true,"email_opt_in_monthly_summary":true}`).want(http.StatusOK)
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
	alerts, monthly := r.store.UnsubscribeToken(id, account.Alerts),
		r.store.UnsubscribeToken(id, account.MonthlySummary)
	provider := r.browser(t) // a mail provider sends no cookie and no Origin
	provider.origin = ""

	on()
	opened := provider.page(area.OneClickURL(r.base, alerts)).want(http.StatusSeeOther)
	provider.page(opened.header.Get("Location")).want(http.StatusOK)
	provider.do(http.MethodHead, area.OneClickURL(r.base, alerts), "", "").want(http.StatusSeeOther)
	want("opened", [2]bool{true, true})
	for range 2 {
		provider.do(http.MethodPost, area.OneClickURL(r.base, alerts), "application/x-www-form-urlencoded",
			"List-Unsubscribe=One-Click").want(http.StatusNoContent)
		want("one click", [2]bool{false, true})
	}
	on()
	provider.json(http.MethodPost, "/api/alerts/unsubscribe", map[string]string{"token": monthly}).want(http.StatusOK)
	want("posted", [2]bool{true, false})
	on()
	visitor := r.browser(t)
	visitor.page(area.UnsubscribeURL(r.base, alerts)).want(http.StatusOK)
	visitor.form("/unsubscribe", "token", alerts).want(http.StatusOK)
	want("on the page", [2]bool{false, true})

	on()
	forged := strings.Replace(alerts, "alerts", "monthly_summary", 1)
	for _, token := range []string{"", "x", forged, alerts + "0", alerts[:len(alerts)-1]} {
		provider.do(http.MethodPost, area.OneClickURL("", token), "", "").want(http.StatusUnprocessableEntity)
		provider.json(http.MethodPost, "/api/alerts/unsubscribe",
			map[string]string{"token": token}).want(http.StatusUnprocessableEntity)
	}
	want("forged", [2]bool{true, true})
	b.do(http.MethodDelete, "/api/me", "", "").want(http.StatusNoContent)
	provider.do(http.MethodPost, area.OneClickURL(r.base, alerts), "", "").want(http.StatusNoContent)
}

// A mail may be opened long after its account was removed, and after another one was made for the same address.
func TestTheTokenOfARemovedAccountChangesNothing(t *testing.T) {
	r := newRig(t, options{})
	b := r.browser(t)
	b.signIn("ana@example.cl")
	token := r.store.UnsubscribeToken(decode[struct{ ID string }](b.get("/api/me")).ID, account.Alerts)
	b.do(http.MethodDelete, "/api/me", "", "").want(http.StatusNoContent)
	again := r.browser(t)
	again.signIn("ana@example.cl")
	again.do(http.MethodPatch, "/api/me/alerts", "application/json",
		`{"email_opt_in_alerts":true,"email_opt_in_monthly_summary":true}`).want(http.StatusOK)

	provider := r.browser(t)
	provider.origin = ""
	provider.do(http.MethodPost, area.OneClickURL(r.base, token), "application/x-www-form-urlencoded",
		"List-Unsubscribe=One-Click").want(http.StatusNoContent)
	visitor := r.browser(t)
	visitor.page(area.UnsubscribeURL(r.base, token)).want(http.StatusOK)
	page := visitor.form("/unsubscribe", "token", token).want(http.StatusOK)
	if !strings.Contains(page.body, "Esta cuenta ya no existe") || strings.Contains(page.body, "Ya no le enviaremos") {
		t.Errorf("the page does not say why nothing changed: %s", page.body)
	}
	if me := again.get("/api/me").body; !strings.Contains(me, `"email_opt_in_alerts":true`) ||
		!strings.Contains(me, `"email_opt_in_monthly_summary":true`) {
		t.Errorf("the token of an account that is gone changed another one: %s", me)
	}
}
