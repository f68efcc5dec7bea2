package environment

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"
)

// Proxies says how clients reach the service: through proxies in these networks, whose
// X-Forwarded-For is believed, or directly, with addresses of their own.
type Proxies struct {
	Networks []netip.Prefix
	None     bool
}

// noProxies is the setting that states that clients connect directly.
const noProxies = "none"

// parseProxies reads networks and addresses, or "none". An empty list states neither.
func parseProxies(list []string) (Proxies, error) {
	if len(list) == 1 && strings.TrimSpace(list[0]) == noProxies {
		return Proxies{None: true}, nil
	}
	var p Proxies
	for _, item := range list {
		item = strings.TrimSpace(item)
		network, err := netip.ParsePrefix(item)
		if address, notOne := netip.ParseAddr(item); err != nil && notOne == nil {
			network, err = address.Prefix(address.BitLen())
		}
		if err != nil {
			return p, fmt.Errorf("%q is not a network: write networks like 10.0.0.0/8 or addresses, separated by "+
				"commas, or %s", item, noProxies)
		}
		p.Networks = append(p.Networks, network)
	}
	return p, nil
}

// errProxies says what to set. The program serves only http, so an https address is
// served by a proxy. If the proxy is not known, all clients share its address and so one
// limit: forty requests for mails in an hour would close registration for everybody.
var errProxies = errors.New(
	"CUOTA_BASE_URL is https, so clients reach cuota through a proxy, and all of them would share its address and " +
		"its limits: set CUOTA_TRUSTED_PROXIES to the proxy's network, as in 127.0.0.1/32 for one on this machine, " +
		"or to none if clients reach cuota with their own addresses")

// OverTLS reports whether a base address is https.
func OverTLS(base string) bool { return strings.HasPrefix(strings.ToLower(base), "https://") }

// CheckProxies fails for an https base address if nothing states how clients connect.
func (s Settings) CheckProxies() error {
	if OverTLS(s.BaseURL) && len(s.Proxies.Networks) == 0 && !s.Proxies.None {
		return errProxies
	}
	return nil
}
