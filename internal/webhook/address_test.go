package webhook

import (
	"errors"
	"net/netip"
	"net/url"
	"strings"
	"testing"
)

func TestAnAddressIsHTTPSOfAPublicHostOrRefused(t *testing.T) {
	for address, want := range map[string]string{
		" https://Hooks.Example.org/In?Token=a%20b ": "https://hooks.example.org/In?Token=a%20b",
		"HTTPS://hooks.example.org:8443":             "https://hooks.example.org:8443",
		"https://93.184.215.14/x":                    "https://93.184.215.14/x",
		"https://[2606:2800:21f:cb07::1]/x":          "https://[2606:2800:21f:cb07::1]/x",
		"":                                           "malformed",
		"hooks.example.org":                          "malformed",
		"https:///path":                              "malformed",
		"https:hooks.example.org":                    "malformed",
		"https://hooks.example.org/a b":              "malformed",
		"https://hooks.example.org/ñ":                "malformed",
		"https://hooks.example.org\\@127.0.0.1/":     "malformed",
		"https://hooks.example.org:":                 "malformed",
		"https://hooks.example.org:0/":               "malformed",
		"https://hooks.example.org:65536/":           "malformed",
		"https://h/" + strings.Repeat("x", 1000):     "malformed",
		"https://2130706433/":                        "malformed",
		"https://127.1/":                             "malformed",
		"https://0x7f.0x1/":                          "malformed",
		"https://0177.0.0.1/":                        "malformed",
		"https://hooks.example.0x7f/":                "malformed",
		"http://hooks.example.org/":                  "not_https",
		"ftp://hooks.example.org/":                   "not_https",
		"http://127.0.0.1/":                          "internal",
		"https://user:secret@hooks.example.org/":     "userinfo",
		"https://user@hooks.example.org/":            "userinfo",
		"https://hooks.example.org/#x":               "fragment",
		"https://hooks.example.org/#":                "fragment",
		"https://localhost/":                         "internal",
		"https://LOCALHOST./":                        "internal",
		"https://a.localhost:8443/":                  "internal",
		"https://127.0.0.1/":                         "internal",
		"https://[::1]/":                             "internal",
		"https://[::ffff:127.0.0.1]/":                "internal",
		"https://[::ffff:10.0.0.1]/":                 "internal",
		"https://[fe80::1%25eth0]/":                  "internal",
		"https://10.0.0.1/":                          "internal",
		"https://169.254.169.254/latest/meta-data":   "internal",
	} {
		got, err := policy{}.check(address)
		var refused *AddressError
		if errors.As(err, &refused) {
			got = string(refused.Reason)
			if len(address) > 0 && strings.Contains(err.Error(), address) {
				t.Errorf("the error repeats the address: %v", err)
			}
		} else if err != nil {
			t.Fatal(err)
		}
		if got != want {
			t.Errorf("%q: %q, want %q", address, got, want)
		}
	}
}

func TestAServiceOfThisMachineTakesItsLoopbackOverHTTP(t *testing.T) {
	here, inside := policy{thisMachine: true}, policy{private: true}
	for _, c := range []struct {
		p       policy
		address string
		want    bool
	}{
		{here, "http://127.0.0.1:9999/hook", true}, {here, "http://localhost:9999/", true}, {here, "http://[::1]:9/", true},
		{here, "https://127.0.0.1/", true}, {here, "http://hooks.example.org/", false}, {here, "https://10.0.0.1/", false},
		{here, "http://93.184.215.14/", false},
		{inside, "https://10.0.0.1/", true}, {inside, "https://localhost/", true}, {inside, "https://127.0.0.1/", true},
		{inside, "http://127.0.0.1/", false}, {inside, "http://10.0.0.1/", false}, {inside, "https://[fd00::1]/", true},
		{inside, "https://169.254.169.254/", false}, {inside, "https://0.0.0.0/", false}, {inside, "https://[ff02::1]/", false},
	} {
		if _, err := c.p.check(c.address); (err == nil) != c.want {
			t.Errorf("%+v %s: %v", c.p, c.address, err)
		}
	}
}

// The lists of IANA of addresses that are not of the public internet.
func TestOnlyAddressesOfThePublicInternetAreAllowed(t *testing.T) {
	for _, text := range strings.Fields(`0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.1 100.127.255.255 127.0.0.1
		127.255.255.254 169.254.169.254 172.16.0.1 172.31.255.255 192.0.0.8 192.0.2.1 192.88.99.1 192.168.0.1
		198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255
		:: ::1 ::127.0.0.1 ::ffff:0:127.0.0.1 ::ffff:127.0.0.1 ::ffff:192.168.1.1 ::ffff:169.254.169.254 64:ff9b::7f00:1
		64:ff9b::10.0.0.1 64:ff9b:1::1 100::1 2001::1 2001:db8::1 2001:10::1 2002:7f00:1::1 2002::1 3fff::1 5f00::1
		fc00::1 fd00::1 fe80::1 fe80::1%lo fec0::1 ff02::1 2606:4700::1%eth0`) {
		if (policy{}).allows(netip.MustParseAddr(text)) {
			t.Errorf("%s is allowed", text)
		}
	}
	for _, text := range strings.Fields(`1.1.1.1 9.255.255.255 11.0.0.1 100.63.255.255 100.128.0.1 126.0.0.1 128.0.0.1
		169.253.0.1 172.15.0.1 172.32.0.1 192.0.3.1 192.167.0.1 192.169.0.1 198.17.0.1 198.20.0.1 223.255.255.255
		2001:200::1 2003::1 2606:4700::1 2a00:1450::1 64:ff9b::1.1.1.1 ::ffff:1.1.1.1`) {
		if !(policy{}).allows(netip.MustParseAddr(text)) {
			t.Errorf("%s is refused", text)
		}
	}
}

func FuzzAnAddressThatIsTakenIsStoredInOneForm(f *testing.F) {
	for _, text := range []string{"https://hooks.example.org/in?token=a", "http://127.0.0.1:1/", "https://[::1]", "https://%31",
		"https://a:b@c/#d", "HTTPS://X.:443", "https://1.2.3.4.", "https://0x7f.1"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := policy{}.check(text)
		if err != nil {
			return
		}
		again, err := policy{}.check(got)
		if err != nil || again != got {
			t.Errorf("%q is stored as %q, which is stored as %q: %v", text, got, again, err)
		}
		u, err := url.Parse(got)
		if err != nil || u.Scheme != "https" || u.User != nil || u.Fragment != "" {
			t.Errorf("%q is stored as %q: %v", text, got, err)
		}
		if address, err := netip.ParseAddr(u.Hostname()); err == nil && (address.IsLoopback() || address.IsPrivate()) {
			t.Errorf("%q leads to %s", text, address)
		}
	})
}
