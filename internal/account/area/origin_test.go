package area

import (
	"strings"
	"testing"

	"github.com/rs/zerolog"
)

// An accepted address begins with exactly an allowed origin, followed by the beginning of a
// path, query or fragment. So no parser can read another origin in it.
func FuzzReturnTo(f *testing.F) {
	area, err := New(Config{BaseURL: "https://funds.example.org", Origins: []string{"https://app.example.org:8443"}},
		nil, nil, nil, nil, zerolog.Nop())
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range []string{
		"https://funds.example.org", "https://FUNDS.example.org:443/a?b#c", "https://app.example.org:8443/?x=1",
		"https://app.example.org/",
		"https://funds.example.org@evil.example", "https://funds.example.org.evil.example",
		`https://funds.example.org\@evil.example`,
		"//funds.example.org", "https:funds.example.org", "https:///funds.example.org",
		"https://funds.example.org%2f.evil.example", "javascript:x",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		to, ok := area.returnTo(text)
		if !ok {
			return
		}
		for _, form := range []string{text, to.String()} {
			lower := strings.ToLower(form)
			rest, found := strings.CutPrefix(lower, "https://app.example.org:8443")
			if !found {
				rest, found = strings.CutPrefix(lower, "https://funds.example.org")
				rest = strings.TrimPrefix(rest, ":443")
				rest = strings.TrimPrefix(rest, ":") // an empty port means the default port of the scheme
			}
			if !found || rest != "" && !strings.ContainsRune("/?#", rune(rest[0])) {
				t.Fatalf("%q comes through as %q", text, to)
			}
		}
	})
}

func TestABaseAddressIsAnHTTPSOriginOrThisMachine(t *testing.T) {
	for base, fine := range map[string]bool{
		"https://funds.example.org": true, "https://funds.example.org/": true, "https://funds.example.org:8443": true,
		"http://127.0.0.1:8080": true, "http://localhost:8080": true, "http://[::1]:8080": true,
		"http://funds.example.org": false, "http://192.168.1.5:8080": false, "http://127.0.0.1.evil.example": false,
		"https://funds.example.org/path": false, "https://u:p@funds.example.org": false,
		"https://funds.example.org?x": false,
		"":                            false, "funds.example.org": false, "ftp://funds.example.org": false,
		"https://": false,
	} {
		if _, err := New(Config{BaseURL: base}, nil, nil, nil, nil, zerolog.Nop()); (err == nil) != fine {
			t.Errorf("%q: %v", base, err)
		}
	}
	for _, google := range []Google{{ClientID: "a"}, {ClientSecret: "b"},
		{ClientID: "a", ClientSecret: "b", Issuer: "http://accounts.example.org"}} {
		if _, err := New(Config{BaseURL: "https://x.example", Google: google}, nil, nil, nil, nil,
			zerolog.Nop()); err == nil {
			t.Errorf("%+v was accepted", google)
		}
	}
}

func TestAnAllowedOriginIsHTTPSOrThisMachine(t *testing.T) {
	for origin, fine := range map[string]bool{
		"https://app.example.org": true, "https://app.example.org:8443": true, "http://localhost:3000": true,
		"http://127.0.0.1:3000": true, "http://[::1]:3000": true,
		"http://app.example.org": false, "http://192.168.1.5:3000": false, "http://localhost.example.org": false,
		"http://127.0.0.1.evil.example": false,
	} {
		if _, err := New(Config{BaseURL: "https://funds.example.org",
			Origins: []string{"https://other.example.org", origin}}, nil, nil, nil, nil,
			zerolog.Nop()); (err == nil) != fine {
			t.Errorf("%q: %v", origin, err)
		}
	}
}
