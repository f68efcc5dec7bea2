package web_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"cuota/internal/account"
	"cuota/internal/account/web"

	"github.com/google/go-cmp/cmp"
)

// attack is tried against a service with a person who is signed in at home. The attacker may
// have read the person's mail, so the attack may use links to victim.
type attack struct {
	name string
	try  func(a *scene) answer
	want string // status and, for a program's response, its code or violation
}

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

// tokenOf requests a magic link for an address and gives its token.
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

func (s *scene) callback(b *browser, body any) answer {
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

// outcome gives a response in the words of the table.
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

func TestAttacksAreRefused(t *testing.T) {
	attacks := []attack{
		// Links.
		{"a magic link is used twice", func(s *scene) answer {
			token := s.tokenOf("eva@example.cl")
			s.callback(s.away, map[string]string{"token": token}).want(200)
			return s.callback(s.away, map[string]string{"token": token})
		}, "422 body.token:link_invalid"},
		{"a magic link is used on the page after a program used it", func(s *scene) answer {
			token := s.tokenOf("eva@example.cl")
			s.callback(s.away, map[string]string{"token": token}).want(200)
			return s.away.form("/sign-in/confirm", "token", token)
		}, "422"},
		{"a magic link is used late", func(s *scene) answer {
			token := s.tokenOf("eva@example.cl")
			s.r.advance(15 * time.Minute)
			return s.callback(s.away, map[string]string{"token": token})
		}, "422 body.token:link_invalid"},
		{"a registration is confirmed twice", func(s *scene) answer {
			token := s.registrationOf("eva@example.cl")
			s.away.form("/register/confirm", "token", token).want(200)
			return s.away.form("/register/confirm", "token", token)
		}, "422"},
		{"a registration is confirmed late", func(s *scene) answer {
			token := s.registrationOf("eva@example.cl")
			s.r.advance(time.Hour)
			return s.away.form("/register/confirm", "token", token)
		}, "422"},
		{"a registration signs in", func(s *scene) answer {
			return s.callback(s.away, map[string]string{"token": s.registrationOf("eva@example.cl")})
		}, "422 body.token:link_invalid"},
		{"a magic link gives a key", func(s *scene) answer {
			return s.away.form("/register/confirm", "token", s.tokenOf(victim))
		}, "422"},
		{"a magic link is given as a code", func(s *scene) answer {
			return s.callback(s.away, map[string]string{"code": s.tokenOf(victim)})
		}, "422 body.code:link_invalid"},
		{"a guessed token", func(s *scene) answer {
			return s.callback(s.away, map[string]string{"token": strings.Repeat("0", 43)})
		}, "422 body.token:link_invalid"},
		{"a token that is SQL", func(s *scene) answer {
			return s.callback(s.away, map[string]string{"token": "' OR 1=1 --"})
		}, "422 body.token:link_invalid"},
		{"a token and a code", func(s *scene) answer {
			return s.callback(s.away, map[string]string{"token": s.tokenOf(victim), "code": "x"})
		}, "422 body:one_of"},
		{"a session is given as a token", func(s *scene) answer {
			return s.callback(s.away, map[string]string{"token": s.home.cookie("__Host-cuota-session")})
		}, "422 body.token:link_invalid"},

		// Addresses to return to.
		{"a return to another site", returning("https://evil.example"), "422 body.return_url:url_origin"},
		{"a return with the base as user", func(s *scene) answer {
			return s.magicLink(s.away, victim, strings.Replace(s.r.base, "://", "://evil.example#@", 1))
		}, "422 body.return_url:url_origin"},
		{"a return with a user before the base", func(s *scene) answer {
			return s.magicLink(s.away, victim, strings.Replace(s.r.base, "://", "://x@", 1)+"/account")
		}, "422 body.return_url:url_origin"},
		{"a return to a longer host", func(s *scene) answer { return s.magicLink(s.away, victim, s.r.base+".evil.example/") }, "422 body.return_url:url_origin"},
		{"a return to a longer allowed host", returning(frontEnd + ".evil.example/"), "422 body.return_url:url_origin"},
		{"a return to a subdomain", returning("https://x.app.example.org/"), "422 body.return_url:url_origin"},
		{"a return over http", returning("http://app.example.org/"), "422 body.return_url:url_origin"},
		{"a return to another port", returning("https://app.example.org:444/"), "422 body.return_url:url_origin"},
		{"a return with a backslash", returning(`https://app.example.org\@evil.example/`), "422 body.return_url:url_origin"},
		{"a return without a scheme", returning("//evil.example/"), "422 body.return_url:url_origin"},
		{"a return to a script", returning("javascript:alert(1)//app.example.org"), "422 body.return_url:url_origin"},
		{"a return to data", returning("data:text/html,x"), "422 body.return_url:url_origin"},
		{"a return with a line break", returning("https://app.example.org/\r\nSet-Cookie: a=b"), "422 body.return_url:url_origin"},
		{"a return with a tab", returning("https://app.example.org\t.evil.example/"), "422 body.return_url:url_origin"},
		{"a return to a full-width host", returning("https://ａpp.example.org/"), "422 body.return_url:url_origin"},
		{"a return that is too long", returning(frontEnd + "/" + strings.Repeat("a", 2048)), "422 body.return_url:string_too_long"},
		{"a relative return", returning("/account"), "422 body.return_url:url_origin"},
		{"a return of the page to another site", func(s *scene) answer {
			return s.away.page("/sign-in?return_url=" + url.QueryEscape("https://evil.example/"))
		}, "422"},
		{"a return of the form to another site", func(s *scene) answer {
			return s.away.form("/sign-in", "email", victim, "return_url", "https://evil.example/")
		}, "422"},
		{"a return from Google to another site", func(s *scene) answer {
			return s.away.get("/api/auth/google?return_url=" + url.QueryEscape("https://evil.example/"))
		}, "422 query.return_url:url_origin"},
		{"two returns from Google", func(s *scene) answer {
			return s.away.get("/api/auth/google?return_url=" + url.QueryEscape(s.r.base) + "&return_url=x")
		}, "422 query.return_url:missing"},

		// Google, as seen by other clients; google_test.go tests the rest.
		{"a state in another browser", func(s *scene) answer {
			s.google.user(victim, true)
			return s.away.get(s.home.toGoogle(s.r.base + "/account"))
		}, "422 query.state:link_invalid"},
		{"a state is used twice", func(s *scene) answer {
			s.google.user("eva@example.cl", true)
			back := s.away.toGoogle(s.r.base + "/account")
			s.away.get(back).want(200)
			return s.away.get(back)
		}, "422 query.state:link_invalid"},
		{"a state is used late", func(s *scene) answer {
			s.google.user("eva@example.cl", true)
			back := s.away.toGoogle(s.r.base + "/account")
			s.r.advance(10 * time.Minute)
			return s.away.get(back)
		}, "422 query.state:link_invalid"},

		// Sessions.
		{"a session is guessed", func(s *scene) answer {
			s.away.header.Set("Cookie", "__Host-cuota-session="+strings.Repeat("0", 43))
			return s.away.get("/api/me")
		}, "401 not_signed_in"},
		{"two sessions at once", func(s *scene) answer {
			s.away.header.Set("Cookie", "__Host-cuota-session="+s.home.cookie("__Host-cuota-session")+"; __Host-cuota-session=x")
			return s.away.get("/api/me")
		}, "401 not_signed_in"},
		{"a session is used after signing out", func(s *scene) answer {
			stolen := "__Host-cuota-session=" + s.home.cookie("__Host-cuota-session")
			s.home.do(http.MethodPost, "/api/auth/logout", "", "").want(204)
			s.away.header.Set("Cookie", stolen)
			return s.away.get("/api/me")
		}, "401 not_signed_in"},
		{"a session is planted before signing in", func(s *scene) answer {
			// The attacker plants its own session in the victim's browser and waits until the
			// victim signs in there.
			s.away.signIn("eva@example.cl")
			planted := s.away.cookie("__Host-cuota-session")
			fresh := s.r.browser(s.t)
			fresh.header.Set("Cookie", "__Host-cuota-session="+planted)
			token := s.tokenOf(victim)
			s.callback(fresh, map[string]string{"token": token}).want(200)
			return s.away.get("/api/me")
		}, "401 not_signed_in"},
		{"an API key is a session", func(s *scene) answer {
			s.away.header.Set("Cookie", "__Host-cuota-session="+s.key)
			return s.away.get("/api/me")
		}, "401 not_signed_in"},
		{"an API key opens the account", func(s *scene) answer { return s.withKey("/api/me", "X-Api-Key", s.key) }, "401 not_signed_in"},

		// Addresses.
		{"a line break in an address", mailing(victim + "\r\nBcc: eva@example.cl"), "422 body.email:email"},
		{"a bare line feed in an address", mailing("ana\n@example.cl"), "422 body.email:email"},
		{"a name before an address", mailing("Ana <ana@example.cl>"), "422 body.email:email"},
		{"two addresses", mailing("ana@example.cl,eva@example.cl"), "422 body.email:email"},
		{"a comment in an address", mailing("ana@example.cl(x)"), "422 body.email:email"},
		{"an encoded word", mailing("=?utf-8?q?ana=40evil.cl?=@example.cl"), "422 body.email:email"},
		{"a Kelvin sign for a k", mailing("\u212Aarl@example.cl"), "422 body.email:email"},
		{"a dotless i", mailing("\u0131da@example.cl"), "422 body.email:email"},
		{"a Cyrillic a in the domain", mailing("ana@ex\u0430mple.cl"), "422 body.email:email"},
		{"a full-width at sign", mailing("ana\uff20example.cl"), "422 body.email:email"},
		{"a zero-width space", mailing("ana\u200b@example.cl"), "422 body.email:email"},
		{"a NUL", mailing("ana\x00@example.cl"), "422 body.email:email"},
		{"a long address", mailing(strings.Repeat("a", 250) + "@example.cl"), "422 body.email:string_too_long"},
		{"an address that is a list", mailing([]string{victim}), "422 body.email:string_type"},
		{"a line break in an address of the form", func(s *scene) answer {
			return s.away.form("/register", "email", victim+"\r\nBcc: eva@example.cl")
		}, "422"},

		// Bodies.
		{"a large body", func(s *scene) answer {
			return s.away.do(http.MethodPost, "/api/auth/magic-link", "application/json", `{"email":"`+strings.Repeat("a", 20<<10)+`"}`)
		}, "413 body_too_large"},
		{"a large form", func(s *scene) answer { return s.away.form("/register", "email", strings.Repeat("a", 20<<10)) }, "413"},
		{"a deep body", func(s *scene) answer {
			return s.away.do(http.MethodPost, "/api/auth/callback", "application/json", `{"x":`+strings.Repeat("[", 15<<10)+`}`)
		}, "422 body:json_invalid"},
		{"two bodies", func(s *scene) answer {
			return s.away.do(http.MethodPost, "/api/auth/callback", "application/json", `{}{}`)
		}, "422 body:json_invalid"},
		{"no body", func(s *scene) answer { return s.away.do(http.MethodPost, "/api/auth/callback", "application/json", "") }, "422 body:json_invalid"},
		{"a form that claims to be an operation's body", func(s *scene) answer {
			return s.away.do(http.MethodPost, "/api/auth/magic-link", "text/plain", `{"email":"ana@example.cl","return_url":"`+s.r.base+`"}`)
		}, "422 body:content_type"},
		{"an upload in place of a form", func(s *scene) answer {
			return s.away.do(http.MethodPost, "/register", "multipart/form-data; boundary=x", "--x--")
		}, "422"},

		// Keys.
		{"a key in the query", func(s *scene) answer { return s.withKey("/api/key/info?api_key=" + s.key) }, "401 key_in_query"},
		{"a key in the query by no known name", func(s *scene) answer { return s.withKey("/api/key/info?q=" + s.key) }, "401 key_in_query"},
		{"a key in the query beside a header", func(s *scene) answer {
			return s.withKey("/api/key/info?api_key="+s.key, "X-Api-Key", s.key)
		}, "401 key_in_query"},
		{"both headers with different keys", func(s *scene) answer {
			return s.withKey("/api/key/info", "X-Api-Key", s.key, "Authorization", "Bearer "+s.away.register("eva@example.cl"))
		}, "401 conflicting_keys"},
		{"a key with one letter changed", func(s *scene) answer {
			return s.withKey("/api/key/info", "X-Api-Key", nearly(s.key, len(s.key)-1))
		}, "401 invalid_key"},
		{"a session in place of a key", func(s *scene) answer {
			return s.withKey("/api/key/info", "X-Api-Key", s.home.cookie("__Host-cuota-session"))
		}, "401 invalid_key"},

		// Others' series.
		{"a series that is SQL", func(s *scene) answer {
			return s.home.json(http.MethodPost, "/api/me/watchlist", map[string]string{"serie_id": "1; DROP TABLE watchlist"})
		}, "422 body.serie_id:serie_id_parsing"},
		{"a series that does not exist", func(s *scene) answer {
			return s.home.json(http.MethodPost, "/api/me/watchlist", map[string]string{"serie_id": "12"})
		}, "404 not_found"},
		{"a series in a path of another form", func(s *scene) answer {
			return s.home.do(http.MethodDelete, "/api/me/watchlist/..%2f..%2fme", "", "")
		}, "404 not_found"},
	}
	// Forged writes: every write, from every foreign origin.
	for _, write := range writes {
		for name, origin := range map[string]string{"another site": "https://evil.example", "no site at all": "null", "a site that begins like ours": "BASE.evil.example", "the same host without https": "http"} {
			attacks = append(attacks, attack{write.method + " " + write.path + " from " + name, func(s *scene) answer {
				origin := strings.Replace(origin, "BASE", s.r.base, 1)
				if origin == "http" {
					origin = strings.Replace(s.r.base, "https", "http", 1)
				}
				return from(s.home, origin, func() answer { return write.do(s.home) })
			}, "403" + write.program(" untrusted_origin")})
		}
		attacks = append(attacks, attack{write.method + " " + write.path + " with the session and no origin", func(s *scene) answer {
			return from(s.home, "", func() answer { return write.do(s.home) })
		}, "403" + write.program(" untrusted_origin")}, attack{write.method + " " + write.path + " as a page of another site sends it", func(s *scene) answer {
			stranger := s.r.browser(s.t) // without cookies, because of SameSite
			stranger.header.Set("Sec-Fetch-Site", "cross-site")
			return from(stranger, "", func() answer { return write.do(stranger) })
		}, "403" + write.program(" untrusted_origin")})
	}

	google := newProvider(t)
	r := newRig(t, options{google: google.config()})
	home := r.browser(t)
	key := home.register(victim)
	for _, attack := range attacks {
		t.Run(attack.name, func(t *testing.T) {
			// A new hour, in which nobody has requested a link yet.
			r.setClock(r.clock.Load().Truncate(time.Hour).Add(time.Hour))
			home.t = t
			if home.cookie("__Host-cuota-session") == "" || home.get("/api/me").status != http.StatusOK {
				home.signIn(victim)
			}
			s := &scene{t: t, r: r, home: home, away: r.browser(t), key: key, google: google}
			if got := attack.try(s).outcome(); got != attack.want {
				t.Errorf("answered with %s, want %s", got, attack.want)
			}
			if home.keyStatus(key) != http.StatusOK {
				t.Fatal("the person's key is gone")
			}
			select {
			case <-r.post.arrived:
				t.Errorf("a mail was sent: %+v", r.post.messages)
			default:
			}
		})
	}
}

// write is one way to change something.
type write struct {
	method, path, kind, body string
}

var writes = []write{
	{"POST", "/register", "form", "email=eva%40example.cl"},
	{"POST", "/register/confirm", "form", "token=x"},
	{"POST", "/sign-in", "form", "email=eva%40example.cl&return_url=x"},
	{"POST", "/sign-in/confirm", "form", "token=x"},
	{"POST", "/account/watchlist", "form", "q=renta&serie_id=" + fundSeries},
	{"POST", "/account/watchlist/remove", "form", "serie_id=" + fundSeries},
	{"POST", "/account/alerts", "form", "alerts=on"},
	{"POST", "/account/sign-out", "form", ""},
	{"POST", "/account/sign-out-everywhere", "form", ""},
	{"POST", "/account/delete", "form", ""},
	{"POST", "/unsubscribe", "form", "token=x"},
	{"POST", "/api/auth/magic-link", "json", `{"email":"eva@example.cl","return_url":"x"}`},
	{"POST", "/api/auth/callback", "json", `{"token":"x"}`},
	{"POST", "/api/auth/logout", "", ""},
	{"DELETE", "/api/me", "", ""},
	{"DELETE", "/api/me/sessions", "", ""},
	{"POST", "/api/me/watchlist", "json", `{"serie_id":"` + fundSeries + `"}`},
	{"DELETE", "/api/me/watchlist/" + fundSeries, "", ""},
	{"PATCH", "/api/me/alerts", "json", `{"email_opt_in_alerts":true}`},
	{"POST", "/api/alerts/unsubscribe", "json", `{"token":"x"}`},
}

func (w write) do(b *browser) answer {
	b.t.Helper()
	return b.do(w.method, w.path, map[string]string{"form": "application/x-www-form-urlencoded", "json": "application/json"}[w.kind], w.body)
}

// program gives text for writes of programs and "" for those of pages.
func (w write) program(text string) string {
	if strings.HasPrefix(w.path, "/api/") {
		return text
	}
	return ""
}

func returning(to string) func(*scene) answer {
	return func(s *scene) answer { return s.magicLink(s.away, victim, to) }
}

func mailing(address any) func(*scene) answer {
	return func(s *scene) answer { return s.magicLink(s.away, address, s.r.base+"/account") }
}

// Every write is refused from foreign origins and allowed from this service. The test fails if
// the list of writes is incomplete.
func TestEveryWriteIsTried(t *testing.T) {
	tried := map[string]bool{}
	for _, w := range writes {
		tried[w.method+" "+w.path] = true
	}
	for _, op := range web.Writes() {
		path := strings.Replace(op, "{serie_id}", fundSeries, 1)
		if !tried[path] && !strings.HasSuffix(path, "/one-click") {
			t.Errorf("no attack tries %s", op)
		}
	}
}

func TestNobodyLearnsWhoHasAnAccount(t *testing.T) {
	r := newRig(t, options{})
	home := r.browser(t)
	home.register(victim)
	home.signIn(victim)
	nonce := regexp.MustCompile(`"request_id":"[^"]*"`)
	same := func(what string, ask func(b *browser, address string) answer) {
		t.Helper()
		var said []string
		for _, address := range []string{victim, "nobody@example.cl"} {
			got := ask(r.browser(t), address)
			r.post.to(t, address)
			header := got.header.Clone()
			for _, own := range []string{"Date", "X-Request-Id"} {
				header.Del(own)
			}
			text, err := json.Marshal(header)
			must(t, err)
			said = append(said, fmt.Sprintf("%d %s %s", got.status, text, nonce.ReplaceAllString(got.body, "")))
		}
		if diff := cmp.Diff(said[0], said[1]); diff != "" {
			t.Errorf("%s tells a known address from an unknown one:\n%s", what, diff)
		}
	}
	same("the magic link", func(b *browser, address string) answer {
		return b.json(http.MethodPost, "/api/auth/magic-link", map[string]string{"email": address, "return_url": r.base + "/account"})
	})
	same("the sign-in page", func(b *browser, address string) answer {
		return b.form("/sign-in", "email", address, "return_url", r.base+"/account")
	})
	same("the registration", func(b *browser, address string) answer { return b.form("/register", "email", address) })
}

// nearly gives a key with one letter changed.
func nearly(key string, at int) string {
	letter := "0"
	if key[at:at+1] == letter {
		letter = "1"
	}
	return key[:at] + letter + key[at+1:]
}

// The store finds a key by its HMAC, so the time for an unknown key reveals nothing about
// existing keys. The test checks that revoked keys, unknown keys and keys that differ from a
// valid one by one letter get the same response.
func TestRevokedUnknownAndNearlyKnownKeysAreAnsweredAlike(t *testing.T) {
	r := newRig(t, options{})
	b := r.browser(t)
	revoked := b.register(victim)
	known := b.register(victim)
	unknown := newRig(t, options{}).browser(t).register("eva@example.cl") // key of another store
	var said []string
	for _, key := range []string{revoked, unknown, nearly(known, 20)} {
		b.header.Set("X-Api-Key", key)
		got := b.get("/api/key/info")
		var body map[string]string
		must(t, json.Unmarshal([]byte(got.body), &body))
		delete(body, "request_id")
		said = append(said, fmt.Sprint(got.status, body, got.header.Get("WWW-Authenticate"), len(got.header)))
	}
	if said[0] != said[1] || said[0] != said[2] || !strings.HasPrefix(said[0], "401") {
		t.Errorf("%q", said)
	}
}

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
		return b.json(http.MethodPost, "/api/auth/magic-link", map[string]string{"email": email, "return_url": r.base}).status
	}
	// An address gets five links an hour, from any number of networks and in any case of
	// letters. The caller is not told.
	for i := range 8 {
		if got := ask(fmt.Sprintf("192.0.2.%d", i), []string{victim, "ANA@Example.CL"}[i%2]); got != http.StatusAccepted {
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
		if diff := cmp.Diff([]string{"HttpOnly", "Max-Age=2592000", "Path=/", "SameSite=Lax", "Secure"}, attributes); diff != "" {
			t.Error(diff)
		}
		if hsts := got.header.Get("Strict-Transport-Security") != ""; hsts == http {
			t.Errorf("%s: Strict-Transport-Security: %t", r.base, hsts)
		}
	}
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

func TestScriptsOfOtherOriginsGetNoAnswerToRead(t *testing.T) {
	b := newRig(t, options{}).browser(t)
	b.origin = ""
	for origin, allowed := range map[string]bool{frontEnd: true, b.rig.base: true, "https://evil.example": false, "null": false, "https://app.example.org.evil.example": false} {
		b.header.Set("Origin", origin)
		b.header.Set("Access-Control-Request-Method", "DELETE")
		for _, method := range []string{http.MethodOptions, http.MethodGet} {
			got := b.do(method, "/api/me", "", "")
			want := ""
			if allowed {
				want = origin
			}
			if got.header.Get("Access-Control-Allow-Origin") != want || (got.header.Get("Access-Control-Allow-Credentials") == "true") != allowed {
				t.Errorf("%s from %s: %v", method, origin, got.header)
			}
		}
	}
}

func mustURL(t testing.TB, text string) *url.URL {
	t.Helper()
	u, err := url.Parse(text)
	must(t, err)
	return u
}

// Each run checks account.WellFormed with a key that registering gives.
func TestTheKeyThatIsShownIsWellFormed(t *testing.T) {
	if key := newRig(t, options{}).browser(t).register(victim); !account.WellFormed(key) {
		t.Error("it is not")
	}
}
