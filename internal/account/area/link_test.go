package area_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"
)

func TestOpeningALinkUsesNothingUp(t *testing.T) {
	r := newRig(t, options{})
	b, scanner := r.browser(t), r.browser(t)
	open := func(link string) {
		for range 3 {
			scanner.page(link).want(http.StatusOK)
			scanner.do(http.MethodHead, link, "", "").want(http.StatusOK)
			scanner.do(http.MethodOptions, link, "", "")
		}
		if len(scanner.client.Jar.Cookies(mustURL(t, r.base))) != 0 {
			t.Error("opening a link set a cookie")
		}
	}
	b.form("/register", "email", victim)
	link := r.linkTo(t, victim)
	open(link.String())
	b.form("/register/confirm", "token", link.Query().Get("token")).want(http.StatusOK).key()

	b.form("/sign-in", "email", victim, "return_url", r.base+"/account")
	link = r.linkTo(t, victim)
	open(link.String())
	b.form("/sign-in/confirm", "token", link.Query().Get("token")).want(http.StatusSeeOther)
}

func TestLinksAreLimitedByAddressAndByNetwork(t *testing.T) {
	r := newRig(t, options{})
	b := r.browser(t)
	ask := func(network, email string) int {
		b.header.Set("X-Forwarded-For", network)
		return b.json(http.MethodPost, "/api/auth/magic-link",
			map[string]string{"email": email, "return_url": r.base}).status
	}
	// An address gets five links an hour, from any number of networks and in any case of
	// letters. The caller is not told.
	for i := range 8 {
		if got := ask(fmt.Sprintf("192.0.2.%d", i),
			[]string{victim, "ANA@Example.CL"}[i%2]); got != http.StatusAccepted {
			t.Fatalf("request %d gives %d", i+1, got)
		}
	}
	for range 5 {
		r.post.to(t, victim)
	}
	// A network gets forty. All IPv6 addresses of a customer count as one network.
	refused := 0
	for i := range 45 {
		switch got := ask(fmt.Sprintf("2001:db8:1:2::%x", i+1), fmt.Sprintf("p%d@example.cl", i)); got {
		case http.StatusAccepted:
			r.post.to(t, fmt.Sprintf("p%d@example.cl", i))
		case http.StatusTooManyRequests:
			refused++
		default:
			t.Fatalf("%d", got)
		}
	}
	if refused != 5 {
		t.Errorf("%d of 45 were refused, want 5", refused)
	}
	if got := ask("2001:db8:1:3::1", "q@example.cl"); got != http.StatusAccepted {
		t.Errorf("a neighbour's network gives %d", got)
	}
	r.post.to(t, "q@example.cl")
	select {
	case <-r.post.arrived:
		t.Error("a mail beyond the limit was sent")
	default:
	}
	r.advance(time.Hour)
	ask("192.0.2.1", victim)
	r.post.to(t, victim)
}

func TestAReturnNeverLeadsElsewhere(t *testing.T) {
	r := newRig(t, options{})
	b := r.browser(t)
	for _, path := range []string{"/account?x=1", "//evil.example/", "/\t/evil.example", "/%5cevil.example"} {
		r.setClock(r.clock.Load().Add(time.Hour))
		got := b.form("/sign-in", "email", victim, "return_url", r.base+path)
		if got.status != http.StatusSeeOther {
			got.want(http.StatusUnprocessableEntity)
			continue
		}
		token := r.linkTo(t, victim).Query().Get("token")
		done := b.form("/sign-in/confirm", "token", token).want(http.StatusSeeOther)
		to, err := mustURL(t, r.base).Parse(done.header.Get("Location"))
		must(t, err)
		if to.Scheme+"://"+to.Host != r.base {
			t.Errorf("%s leads to %s", path, to)
		}
	}
}
