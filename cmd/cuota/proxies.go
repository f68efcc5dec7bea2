package main

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"
)

// proxies say how clients reach the service: through the proxies of these networks,
// whose X-Forwarded-For is believed, or, where it is stated that there are none,
// with addresses of their own.
type proxies struct {
	networks []netip.Prefix
	none     bool
}

// noProxies states that clients have addresses of their own.
const noProxies = "none"

// parseProxies reads networks and addresses, or none; an empty list says neither.
func parseProxies(list []string) (proxies, error) {
	if len(list) == 1 && strings.TrimSpace(list[0]) == noProxies {
		return proxies{none: true}, nil
	}
	var p proxies
	for _, item := range list {
		item = strings.TrimSpace(item)
		network, err := netip.ParsePrefix(item)
		if address, notOne := netip.ParseAddr(item); err != nil && notOne == nil {
			network, err = address.Prefix(address.BitLen())
		}
		if err != nil {
			return p, fmt.Errorf("%q is no network: write 10.0.0.0/8, an address, several of them with commas between, or %s", item, noProxies)
		}
		p.networks = append(p.networks, network)
	}
	return p, nil
}

// errProxies says what to set. The program speaks http alone, so that whoever
// answers at an https address is a proxy. Unless it is known, all clients share
// its address and so one limit: forty requests for mails an hour would close
// registration for everybody.
var errProxies = errors.New("CUOTA_BASE_URL is https, so a proxy stands before cuota, and all clients would share its address and its limits: " +
	"set CUOTA_TRUSTED_PROXIES to the proxy's network, as in 127.0.0.1/32 for one on this machine, " +
	"or to none if clients reach cuota with their own addresses")

func overTLS(base string) bool { return strings.HasPrefix(strings.ToLower(base), "https://") }

// checkProxies refuses an https base address while nothing says how clients come.
func (s settings) checkProxies() error {
	if overTLS(s.BaseURL) && len(s.proxies.networks) == 0 && !s.proxies.none {
		return errProxies
	}
	return nil
}
