package main

import (
	"net"
	"net/netip"
	"path/filepath"
	"strings"
	"testing"

	"cuota/internal/testkit/longtest"
)

func TestAnHTTPSAddressIsServedOnlyOnceItIsKnownHowClientsCome(t *testing.T) {
	free := []string{"--listen", "127.0.0.1:0", "--clickhouse-listen", "127.0.0.1:0", "--clickhouse-native-listen", "127.0.0.1:0", "--kafka-listen", "127.0.0.1:0"}
	dir := filepath.Join(t.TempDir(), "data")
	const base = "CUOTA_BASE_URL=https://funds.example.org"
	servers := []string{"CUOTA_CLICKHOUSE=http://127.0.0.1:1/cuota", "CUOTA_ACCOUNTS=sqlite://" + filepath.Join(t.TempDir(), "a.db"),
		"CUOTA_PEPPER=" + filepath.Join(t.TempDir(), "pepper")}
	for _, refused := range []struct{ env, args []string }{
		{[]string{base}, append([]string{"up", "--no-demo", "--data", dir}, free...)},
		{[]string{base, "CUOTA_TRUSTED_PROXIES="}, append([]string{"up", "--no-demo", "--data", dir}, free...)},
		{[]string{"CUOTA_BASE_URL=HTTPS://funds.example.org"}, append([]string{"up", "--no-demo", "--data", dir}, free...)},
		{append([]string{base}, servers...), []string{"query", "--listen", "127.0.0.1:0"}},
		{append([]string{base}, servers...), []string{"query", "--listen", "0.0.0.0:0"}},
	} {
		r := cuotaIn(t, refused.env, refused.args...)
		if r.code != exitFailed || !strings.Contains(r.stderr, "CUOTA_TRUSTED_PROXIES") || !strings.Contains(r.stderr, "CUOTA_BASE_URL") {
			t.Errorf("%v %v ended with %d: %s", refused.env, refused.args, r.code, r.stderr)
		}
	}
	for _, stated := range []string{"127.0.0.1/32,::1", "none"} {
		s := settings{BaseURL: "https://funds.example.org"}
		var err error
		if s.proxies, err = parseProxies(strings.Split(stated, ",")); err != nil {
			t.Fatal(err)
		}
		if err := s.checkProxies(); err != nil {
			t.Errorf("with %s: %v", stated, err)
		}
	}
	for _, plain := range []string{"", "http://127.0.0.1:8080"} {
		if err := (settings{BaseURL: plain}).checkProxies(); err != nil {
			t.Errorf("under %q: %v", plain, err)
		}
	}
}

func TestAServiceBehindAStatedProxyStarts(t *testing.T) {
	longtest.InTurns(t)
	dir := directoryWithTables(t)
	for stated, shared := range map[string]bool{"127.0.0.1": false, "none": true} {
		log := &transcript{}
		r := upIn(t, []string{"CUOTA_BASE_URL=https://funds.example.org", "CUOTA_TRUSTED_PROXIES=" + stated}, log, dir, "--no-demo")
		r.interrupt(t)
		if warned := strings.Contains(log.String(), "all clients share its address"); warned != shared {
			t.Errorf("with proxies %s it warns: %v\n%s", stated, warned, log)
		}
	}
}

func TestProxiesAreNetworksOrAddresses(t *testing.T) {
	p, err := parseProxies([]string{"10.0.0.0/8", " 192.0.2.7", "::1"})
	if err != nil {
		t.Fatal(err)
	}
	for address, trusted := range map[string]bool{"10.1.2.3": true, "192.0.2.7": true, "192.0.2.8": false, "::1": true, "::2": false} {
		found := false
		for _, network := range p.networks {
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
