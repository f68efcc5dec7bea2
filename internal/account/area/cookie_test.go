package area_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCookiesAreOfThisHostAlone(t *testing.T) {
	for _, http := range []bool{false, true} {
		r := newRig(t, options{http: http})
		b := r.browser(t)
		b.form("/sign-in", "email", victim, "return_url", r.base+"/account").want(303)
		got := b.form("/sign-in/confirm", "token", r.linkTo(t, victim).Query().Get("token")).want(303)
		set := got.header.Values("Set-Cookie")
		if len(set) != 1 || !strings.HasPrefix(set[0], "__Host-cuota-session=") {
			t.Fatalf("%q", set)
		}
		attributes := slices.Sorted(slices.Values(strings.Split(set[0], "; ")[1:]))
		if diff := cmp.Diff([]string{"HttpOnly", "Max-Age=2592000", "Path=/", "SameSite=Lax", "Secure"},
			attributes); diff != "" {
			t.Error(diff)
		}
		if hsts := got.header.Get("Strict-Transport-Security") != ""; hsts == http {
			t.Errorf("%s: Strict-Transport-Security: %t", r.base, hsts)
		}
	}
}
