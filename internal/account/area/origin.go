package area

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// maxURL is the greatest length of a return_url (the interface contract, section 4).
const maxURL = 2048

// parseOrigin parses and normalises an origin: scheme, host and port. It fails if there is
// anything else, such as a path.
func parseOrigin(text string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimRight(text, "/"))
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" || u.User != nil ||
		u.Path != "" || u.RawQuery != "" || u.ForceQuery || u.Fragment != "" {
		return nil, fmt.Errorf("%q is not an origin: write it like https://funds.example.org, without a path", text)
	}
	return &url.URL{Scheme: u.Scheme, Host: canonicalHost(u)}, nil
}

// canonicalHost returns the host in lower case, without the default port of the scheme, as
// browsers write origins.
func canonicalHost(u *url.URL) string {
	host, port := strings.ToLower(u.Hostname()), u.Port()
	if port == "" || u.Scheme == "https" && port == "443" || u.Scheme == "http" && port == "80" {
		if strings.Contains(host, ":") {
			return "[" + host + "]"
		}
		return host
	}
	return net.JoinHostPort(host, port)
}

// isLoopback reports whether a host is a loopback address of its own machine.
func isLoopback(u *url.URL) bool {
	address, err := netip.ParseAddr(u.Hostname())
	return u.Hostname() == "localhost" || err == nil && address.IsLoopback()
}

// IsOnThisMachine reports whether a base address is a loopback address, which only this machine
// can open.
func IsOnThisMachine(base string) bool {
	u, err := parseOrigin(base)
	return err == nil && isLoopback(u)
}

// aliases are all origins of this service. On one machine a person may use any of the machine's
// loopback names.
func aliases(base *url.URL) []string {
	if !isLoopback(base) {
		return []string{base.String()}
	}
	var list []string
	for _, host := range []string{base.Hostname(), "localhost", "127.0.0.1", "::1"} {
		alias := &url.URL{Scheme: base.Scheme, Host: net.JoinHostPort(host, base.Port())}
		if base.Port() == "" {
			alias.Host = strings.TrimSuffix(alias.Host, ":")
		}
		list = append(list, alias.String())
	}
	return list
}

// isOwn reports whether an allowed address is a page of this service.
func (a *Handler) isOwn(u *url.URL) bool {
	return slices.Contains(aliases(a.base), u.Scheme+"://"+canonicalHost(u))
}

// returnTo parses an address to return to after signing in. ok is false unless its origin is
// exactly one of the allowed origins. Characters that a browser may parse differently than this
// program are refused.
func (a *Handler) returnTo(text string) (*url.URL, bool) {
	if len(text) > maxURL || strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' || r == '\\' }) {
		return nil, false
	}
	u, err := url.Parse(text)
	if err != nil || u.User != nil || u.Opaque != "" || !a.trusted[u.Scheme+"://"+canonicalHost(u)] {
		return nil, false
	}
	return u, true
}

// checkOrigin refuses writes that a page on a foreign origin makes a browser send. Browsers
// state the origin of a write. A program that states none is accepted only without a session
// cookie, because then there is nothing to misuse.
func (a *Handler) checkOrigin(x *exchange) error {
	switch x.r.Method {
	case http.MethodGet, http.MethodHead, http.MethodOptions:
		return nil
	}
	if x.r.URL.Path == oneClickPath {
		return nil // mail providers call it; it uses no cookie
	}
	origins := x.r.Header.Values("Origin")
	switch {
	case len(origins) == 1 && a.trusted[origins[0]]:
		return nil
	case len(origins) > 0:
		return errOrigin
	case x.r.Header.Get("Sec-Fetch-Site") != "" && x.r.Header.Get("Sec-Fetch-Site") != "same-origin":
		return errOrigin
	case len(x.r.CookiesNamed(sessionCookie)) > 0 || len(x.r.CookiesNamed(browserCookie)) > 0:
		return errOrigin
	}
	return nil
}

// crossOrigin sets the CORS headers, with which browsers let scripts of allowed origins call
// with the session's cookie. done is true if the request was only a preflight, which is then
// answered.
func (a *Handler) crossOrigin(x *exchange) (done bool) {
	if !x.isAPI() {
		return false
	}
	header := x.w.Header()
	header.Add("Vary", "Origin")
	origin := x.r.Header.Get("Origin")
	if a.trusted[origin] {
		header.Set("Access-Control-Allow-Origin", origin)
		header.Set("Access-Control-Allow-Credentials", "true")
		header.Set("Access-Control-Expose-Headers", "X-Request-Id, Retry-After")
	}
	if x.r.Method != http.MethodOptions {
		return false
	}
	if a.trusted[origin] {
		header.Set("Access-Control-Allow-Methods", "GET, HEAD, POST, PATCH, DELETE")
		header.Set("Access-Control-Allow-Headers", "Content-Type, X-Request-Id")
		header.Set("Access-Control-Max-Age", "600")
	}
	x.w.WriteHeader(http.StatusNoContent)
	return true
}

// network returns the network that counts as one caller: an IPv4 address, or the /64 of an IPv6
// address, because one customer gets at least a whole /64.
func network(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = r.RemoteAddr
	}
	address, err := netip.ParseAddr(host)
	if err != nil {
		return "" // not an IP address; all such callers count as one
	}
	address = address.Unmap().WithZone("")
	bits := 32
	if address.Is6() {
		bits = 64
	}
	prefix, err := address.Prefix(bits)
	if err != nil {
		return ""
	}
	return prefix.String()
}
