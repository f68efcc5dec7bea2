package area_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// scene is the situation in which an attack begins.
type scene struct {
	t      testing.TB
	r      *rig
	home   *browser // browser of the person, signed in as ana@example.cl
	away   *browser // browser of the attacker
	key    string   // key of the person
	google *provider
}

const victim = "ana@example.cl"

func (s *scene) magicLink(b *browser, email any, returnURL string) answer {
	return b.json(http.MethodPost, "/api/auth/magic-link", map[string]any{"email": email, "return_url": returnURL})
}

// tokenOf requests a magic link for an address and returns its token.
func (s *scene) tokenOf(address string) string {
	s.t.Helper()
	s.magicLink(s.away, address, s.r.base+"/account").want(http.StatusAccepted)
	return s.r.linkTo(s.t, address).Query().Get("token")
}

// registrationOf is tokenOf for a registration.
func (s *scene) registrationOf(address string) string {
	s.t.Helper()
	s.away.form("/register", "email", address).want(http.StatusSeeOther)
	return s.r.linkTo(s.t, address).Query().Get("token")
}

// callback posts names and values to the operation that completes a sign-in.
func (s *scene) callback(b *browser, pairs ...string) answer {
	body := map[string]string{}
	for i := 0; i+1 < len(pairs); i += 2 {
		body[pairs[i]] = pairs[i+1]
	}
	return b.json(http.MethodPost, "/api/auth/callback", body)
}

// from makes a browser claim that a write comes from another origin.
func from(b *browser, origin string, do func() answer) answer {
	was := b.origin
	b.origin = origin
	defer func() { b.origin = was }()
	return do()
}

// withKey calls a data endpoint with the person's key.
func (s *scene) withKey(target string, header ...string) answer {
	for i := 0; i+1 < len(header); i += 2 {
		s.away.header.Add(header[i], header[i+1])
		defer s.away.header.Del(header[i])
	}
	return s.away.get(target)
}

// outcome returns a response in the words of the table.
func (got answer) outcome() string {
	words := []string{fmt.Sprint(got.status)}
	switch {
	case got.violation() != "":
		words = append(words, got.violation())
	case got.code() != "":
		words = append(words, got.code())
	}
	return strings.Join(words, " ")
}

func returning(to string) func(*scene) answer {
	return func(s *scene) answer { return s.magicLink(s.away, victim, to) }
}

func mailing(address any) func(*scene) answer {
	return func(s *scene) answer { return s.magicLink(s.away, address, s.r.base+"/account") }
}

func mustURL(t testing.TB, text string) *url.URL {
	t.Helper()
	u, err := url.Parse(text)
	must(t, err)
	return u
}
