package area_test

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

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
			if page := here.page("/account").want(http.StatusOK).body; !strings.Contains(page,
				`action="/account/sign-out-everywhere"`) {
				t.Error("the account page does not offer it")
			}
			to := here.form("/account/sign-out-everywhere").want(http.StatusSeeOther).header.Get("Location")
			if page := here.page(to).want(http.StatusOK).body; !strings.Contains(page,
				"Se cerraron todas sus sesiones") {
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
