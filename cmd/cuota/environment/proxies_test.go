package environment

import (
	"net"
	"net/netip"
	"strings"
	"testing"
)

func TestAnHTTPSAddressNeedsToSayHowClientsCome(t *testing.T) {
	for _, stated := range []string{"127.0.0.1/32,::1", "none"} {
		s := Settings{BaseURL: "https://funds.example.org"}
		var err error
		if s.Proxies, err = parseProxies(strings.Split(stated, ",")); err != nil {
			t.Fatal(err)
		}
		if err := s.CheckProxies(); err != nil {
			t.Errorf("with %s: %v", stated, err)
		}
	}
	for _, plain := range []string{"", "http://127.0.0.1:8080"} {
		if err := (Settings{BaseURL: plain}).CheckProxies(); err != nil {
			t.Errorf("under %q: %v", plain, err)
		}
	}
}

func TestProxiesAreNetworksOrAddresses(t *testing.T) {
	p, err := parseProxies([]string{"10.0.0.0/8", " 192.0.2.7", "::1"})
	if err != nil {
		t.Fatal(err)
	}
	for address, trusted := range map[string]bool{"10.1.2.3": true, "192.0.2.7": true, "192.0.2.8": false, "::1": true,
		"::2": false} {
		found := false
		for _, network := range p.Networks {
			_, known, err := net.ParseCIDR(network.String()) // another parser of networks
			if err != nil {
				t.Fatal(err)
			}
			found = found || known.Contains(net.IP(netip.MustParseAddr(address).AsSlice()))
		}
		if found != trusted {
			t.Errorf("%s is trusted: %v", address, found)
		}
	}
	for _, wrong := range [][]string{{"everybody"}, {"10.0.0.0/33"}, {""}, {"none", "10.0.0.0/8"}} {
		if _, err := parseProxies(wrong); err == nil {
			t.Errorf("%q is taken", wrong)
		}
	}
}
