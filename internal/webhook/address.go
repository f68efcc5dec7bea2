package webhook

import (
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// maxAddress is the greatest length of an address, in bytes.
const maxAddress = 1000

// AddressReason says why an address is refused.
type AddressReason string

// The reasons.
const (
	Malformed AddressReason = "malformed" // it is no URL of printable ASCII, or too long
	NotHTTPS  AddressReason = "not_https"
	Userinfo  AddressReason = "userinfo" // it has a user or a password
	Fragment  AddressReason = "fragment"
	Internal  AddressReason = "internal" // it leads into a private network, or to this machine
)

// AddressError says why an address can't be registered. It does not contain the address.
type AddressError struct{ Reason AddressReason }

func (e *AddressError) Error() string { return "the address can't be used: " + string(e.Reason) }

// policy says to which hosts messages may go.
type policy struct {
	private     bool // private networks are allowed too
	thisMachine bool // only this machine can use the service, so its loopback addresses are allowed
}

// check returns an address in the form in which it is stored, or an *AddressError. It does not resolve the host's
// name: the dialer checks the resolved address.
func (p policy) check(text string) (string, error) {
	refuse := func(reason AddressReason) (string, error) { return "", &AddressError{reason} }
	text = strings.TrimSpace(text)
	unfit := func(r rune) bool { return r <= ' ' || r > '~' || r == '\\' }
	if len(text) > maxAddress || strings.ContainsFunc(text, unfit) {
		return refuse(Malformed)
	}
	u, err := url.Parse(text)
	if err != nil || u.Hostname() == "" || u.Opaque != "" {
		return refuse(Malformed)
	}
	u.Scheme, u.Host = strings.ToLower(u.Scheme), strings.ToLower(u.Host)
	host, loopback := strings.TrimSuffix(u.Hostname(), "."), false
	if address, err := netip.ParseAddr(host); err == nil {
		if !p.allows(address) {
			return refuse(Internal)
		}
		loopback = address.Unmap().IsLoopback()
	} else if isNumber(host[strings.LastIndexByte(host, '.')+1:]) {
		return refuse(Malformed) // some resolvers read 2130706433, 127.1 and 0x7f.1 as addresses
	} else if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		if loopback = true; !p.private && !p.thisMachine {
			return refuse(Internal)
		}
	}
	switch port := u.Port(); {
	case u.Scheme != "https" && !(u.Scheme == "http" && loopback && p.thisMachine):
		return refuse(NotHTTPS)
	case u.User != nil:
		return refuse(Userinfo)
	case strings.Contains(text, "#"):
		return refuse(Fragment)
	case strings.HasSuffix(u.Host, ":"), port != "" && !isPort(port):
		return refuse(Malformed)
	}
	return u.String(), nil
}

// isNumber reports whether a part of a host's name may be read as a number: in decimal, octal or hexadecimal form.
func isNumber(text string) bool {
	_, hexadecimal := strings.CutPrefix(text, "0x")
	return hexadecimal || text == "" || strings.Trim(text, "0123456789") == ""
}

func isPort(text string) bool {
	port, err := strconv.ParseUint(text, 10, 16)
	return err == nil && port > 0
}

// Networks that the public internet does not reach, or that are no addresses of hosts. IPv6 is below.
var (
	// never: link-local networks (where cloud metadata services answer with credentials), unspecified addresses,
	// multicast and broadcast.
	never = prefixes("0.0.0.0/8", "169.254.0.0/16", "224.0.0.0/4", "255.255.255.255/32", "::/128", "fe80::/10",
		"ff00::/8")
	// internal: this machine, private networks and those of providers, documentation, tests and old uses.
	internal = prefixes("10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24",
		"192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4",
		// addresses of Teredo (in 2001::/23) and of 6to4 (2002::/16) contain others, of IPv4
		"2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20")
	public6 = netip.MustParsePrefix("2000::/3")
	nat64   = netip.MustParsePrefix("64:ff9b::/96") // ends with an IPv4 address
)

func prefixes(list ...string) (parsed []netip.Prefix) {
	for _, one := range list {
		parsed = append(parsed, netip.MustParsePrefix(one))
	}
	return parsed
}

func within(networks []netip.Prefix, address netip.Addr) bool {
	for _, network := range networks {
		if network.Contains(address) {
			return true
		}
	}
	return false
}

// allows reports whether a message may go to an address.
func (p policy) allows(address netip.Addr) bool {
	if address.Zone() != "" {
		return false // link-local
	}
	address = address.Unmap()
	if nat64.Contains(address) {
		bytes := address.As16()
		address = netip.AddrFrom4([4]byte(bytes[12:]))
	}
	switch {
	case within(never, address):
		return false
	case p.private || p.thisMachine && address.IsLoopback():
		return true
	case address.Is6() && !public6.Contains(address):
		return false
	}
	return !within(internal, address)
}
