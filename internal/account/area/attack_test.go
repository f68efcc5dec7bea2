package area_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

// attack is tried against a service with a person who is signed in at home. The attacker may
// have read the person's mail, so the attack may use links to victim.
type attack struct {
	name string
	try  func(a *scene) answer
	want string // status and, for a program's response, its code or violation
}

func TestAttacksAreRefused(t *testing.T) {
	attacks := []attack{
		// Links.
		{"a magic link is used twice", func(s *scene) answer {
			token := s.tokenOf("eva@example.cl")
			s.callback(s.away, "token", token).want(200)
			return s.callback(s.away, "token", token)
		}, "422 body.token:link_invalid"},
		{"a magic link is used on the page after a program used it", func(s *scene) answer {
			token := s.tokenOf("eva@example.cl")
			s.callback(s.away, "token", token).want(200)
			return s.away.form("/sign-in/confirm", "token", token)
		}, "422"},
		{"a magic link is used late", func(s *scene) answer {
			token := s.tokenOf("eva@example.cl")
			s.r.advance(15 * time.Minute)
			return s.callback(s.away, "token", token)
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
			return s.callback(s.away, "token", s.registrationOf("eva@example.cl"))
		}, "422 body.token:link_invalid"},
		{"a magic link gives a key", func(s *scene) answer {
			return s.away.form("/register/confirm", "token", s.tokenOf(victim))
		}, "422"},
		{"a magic link is given as a code", func(s *scene) answer {
			return s.callback(s.away, "code", s.tokenOf(victim))
		}, "422 body.code:link_invalid"},
		{"a guessed token", func(s *scene) answer {
			return s.callback(s.away, "token", strings.Repeat("0", 43))
		}, "422 body.token:link_invalid"},
		{"a token that is SQL", func(s *scene) answer {
			return s.callback(s.away, "token", "' OR 1=1 --")
		}, "422 body.token:link_invalid"},
		{"a token and a code", func(s *scene) answer {
			return s.callback(s.away, "token", s.tokenOf(victim), "code", "x")
		}, "422 body:one_of"},
		{"a session is given as a token", func(s *scene) answer {
			return s.callback(s.away, "token", s.home.cookie("__Host-cuota-session"))
		}, "422 body.token:link_invalid"},

		// Addresses to return to.
		{"a return to another site", returning("https://evil.example"), "422 body.return_url:url_origin"},
		{"a return with the base as user", func(s *scene) answer {
			return s.magicLink(s.away, victim, strings.Replace(s.r.base, "://", "://evil.example#@", 1))
		}, "422 body.return_url:url_origin"},
		{"a return with a user before the base", func(s *scene) answer {
			return s.magicLink(s.away, victim, strings.Replace(s.r.base, "://", "://x@", 1)+"/account")
		}, "422 body.return_url:url_origin"},
		{"a return to a longer host", func(s *scene) answer {
			return s.magicLink(s.away, victim, s.r.base+".evil.example/")
		}, "422 body.return_url:url_origin"},
		{"a return to a longer allowed host", returning(frontEnd + ".evil.example/"), "422 body.return_url:url_origin"},
		{"a return to a subdomain", returning("https://x.app.example.org/"), "422 body.return_url:url_origin"},
		{"a return over http", returning("http://app.example.org/"), "422 body.return_url:url_origin"},
		{"a return to another port", returning("https://app.example.org:444/"), "422 body.return_url:url_origin"},
		{"a return with a backslash", returning(`https://app.example.org\@evil.example/`),
			"422 body.return_url:url_origin"},
		{"a return without a scheme", returning("//evil.example/"), "422 body.return_url:url_origin"},
		{"a return to a script", returning("javascript:alert(1)//app.example.org"), "422 body.return_url:url_origin"},
		{"a return to data", returning("data:text/html,x"), "422 body.return_url:url_origin"},
		{"a return with a line break", returning("https://app.example.org/\r\nSet-Cookie: a=b"),
			"422 body.return_url:url_origin"},
		{"a return with a tab", returning("https://app.example.org\t.evil.example/"), "422 body.return_url:url_origin"},
		{"a return to a full-width host", returning("https://ａpp.example.org/"), "422 body.return_url:url_origin"},
		{"a return that is too long", returning(frontEnd + "/" + strings.Repeat("a", 2048)),
			"422 body.return_url:string_too_long"},
		{"a relative return", returning("/account"), "422 body.return_url:url_origin"},
		{"a return of the page to another site", func(s *scene) answer {
			return s.away.page("/sign-in?return_url=" + url.QueryEscape("https://evil.example/"))
		}, "422"},
		{"a return of the form to another site", func(s *scene) answer {
			return s.away.form("/sign-in", "email", victim, "return_url", "https://evil.example/")
		}, "422"},
		{"a return from Google to another site", func(s *scene) answer {
			return s.away.get(googleFor("https://evil.example/"))
		}, "422 query.return_url:url_origin"},
		{"two returns from Google", func(s *scene) answer {
			return s.away.get(googleFor(s.r.base) + "&return_url=x")
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
			s.away.header.Set("Cookie", "__Host-cuota-session="+s.home.cookie("__Host-cuota-session")+
				"; __Host-cuota-session=x")
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
			s.callback(fresh, "token", token).want(200)
			return s.away.get("/api/me")
		}, "401 not_signed_in"},
		{"an API key is a session", func(s *scene) answer {
			s.away.header.Set("Cookie", "__Host-cuota-session="+s.key)
			return s.away.get("/api/me")
		}, "401 not_signed_in"},
		{"an API key opens the account", func(s *scene) answer {
			return s.withKey("/api/me", "X-Api-Key", s.key)
		}, "401 not_signed_in"},

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
			return s.away.do(http.MethodPost, "/api/auth/magic-link", "application/json",
				`{"email":"`+strings.Repeat("a", 20<<10)+`"}`)
		}, "413 body_too_large"},
		{"a large form", func(s *scene) answer {
			return s.away.form("/register", "email", strings.Repeat("a", 20<<10))
		}, "413"},
		{"a deep body", func(s *scene) answer {
			return s.away.do(http.MethodPost, "/api/auth/callback", "application/json",
				`{"x":`+strings.Repeat("[", 15<<10)+`}`)
		}, "422 body:json_invalid"},
		{"two bodies", func(s *scene) answer {
			return s.away.do(http.MethodPost, "/api/auth/callback", "application/json", `{}{}`)
		}, "422 body:json_invalid"},
		{"no body", func(s *scene) answer {
			return s.away.do(http.MethodPost, "/api/auth/callback", "application/json", "")
		}, "422 body:json_invalid"},
		{"a form that claims to be an operation's body", func(s *scene) answer {
			return s.away.do(http.MethodPost, "/api/auth/magic-link", "text/plain",
				`{"email":"ana@example.cl","return_url":"`+s.r.base+`"}`)
		}, "422 body:content_type"},
		{"an upload in place of a form", func(s *scene) answer {
			return s.away.do(http.MethodPost, "/register", "multipart/form-data; boundary=x", "--x--")
		}, "422"},

		// Keys.
		{"a key in the query", func(s *scene) answer {
			return s.withKey("/api/key/info?api_key=" + s.key)
		}, "401 key_in_query"},
		{"a key in the query by no known name", func(s *scene) answer {
			return s.withKey("/api/key/info?q=" + s.key)
		}, "401 key_in_query"},
		{"a key in the query beside a header", func(s *scene) answer {
			return s.withKey("/api/key/info?api_key="+s.key, "X-Api-Key", s.key)
		}, "401 key_in_query"},
		{"both headers with different keys", func(s *scene) answer {
			return s.withKey("/api/key/info", "X-Api-Key", s.key, "Authorization",
				"Bearer "+s.away.register("eva@example.cl"))
		}, "401 conflicting_keys"},
		{"a key with one letter changed", func(s *scene) answer {
			return s.withKey("/api/key/info", "X-Api-Key", nearly(s.key, len(s.key)-1))
		}, "401 invalid_key"},
		{"a session in place of a key", func(s *scene) answer {
			return s.withKey("/api/key/info", "X-Api-Key", s.home.cookie("__Host-cuota-session"))
		}, "401 invalid_key"},

		// Others' series.
		{"a series that is SQL", func(s *scene) answer {
			return s.home.json(http.MethodPost, "/api/me/watchlist",
				map[string]string{"serie_id": "1; DROP TABLE watchlist"})
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
		for name, origin := range map[string]string{"another site": "https://evil.example", "no site at all": "null",
			"a site that begins like ours": "BASE.evil.example", "the same host without https": "http"} {
			attacks = append(attacks, attack{write.method + " " + write.path + " from " + name, func(s *scene) answer {
				origin := strings.Replace(origin, "BASE", s.r.base, 1)
				if origin == "http" {
					origin = strings.Replace(s.r.base, "https", "http", 1)
				}
				return from(s.home, origin, func() answer { return write.do(s.home) })
			}, "403" + write.program(" untrusted_origin")})
		}
		attacks = append(attacks, attack{write.method + " " + write.path + " with the session and no origin",
			func(s *scene) answer {
				return from(s.home, "", func() answer { return write.do(s.home) })
			}, "403" + write.program(" untrusted_origin")},
			attack{write.method + " " + write.path + " as a page of another site sends it", func(s *scene) answer {
				stranger := s.r.browser(s.t) // without cookies, because of SameSite
				stranger.header.Set("Sec-Fetch-Site", "cross-site")
				return from(stranger, "", func() answer { return write.do(stranger) })
			}, "403" + write.program(" untrusted_origin")})
	}

	r, google := withGoogle(t)
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

func TestScriptsOfOtherOriginsGetNoAnswerToRead(t *testing.T) {
	b := newRig(t, options{}).browser(t)
	b.origin = ""
	for origin, allowed := range map[string]bool{frontEnd: true, b.rig.base: true, "https://evil.example": false,
		"null": false, "https://app.example.org.evil.example": false} {
		b.header.Set("Origin", origin)
		b.header.Set("Access-Control-Request-Method", "DELETE")
		for _, method := range []string{http.MethodOptions, http.MethodGet} {
			got := b.do(method, "/api/me", "", "")
			want := ""
			if allowed {
				want = origin
			}
			if got.header.Get("Access-Control-Allow-Origin") != want ||
				(got.header.Get("Access-Control-Allow-Credentials") == "true") != allowed {
				t.Errorf("%s from %s: %v", method, origin, got.header)
			}
		}
	}
}
