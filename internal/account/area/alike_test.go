package area_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"cuota/internal/account"

	"github.com/google/go-cmp/cmp"
)

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
		return b.json(http.MethodPost, "/api/auth/magic-link",
			map[string]string{"email": address, "return_url": r.base + "/account"})
	})
	same("the sign-in page", func(b *browser, address string) answer {
		return b.form("/sign-in", "email", address, "return_url", r.base+"/account")
	})
	same("the registration", func(b *browser, address string) answer { return b.form("/register", "email", address) })
}

// nearly returns a key with one letter changed.
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

// Each run checks account.WellFormed with a key that registering gives.
func TestTheKeyThatIsShownIsWellFormed(t *testing.T) {
	if key := newRig(t, options{}).browser(t).register(victim); !account.WellFormed(key) {
		t.Error("it is not")
	}
}
