package web

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
)

// maxURL is the greatest length of a return_url (the interface contract, section 4).
const maxURL = 2048

// parseOrigin reads scheme, host and port, and nothing else, in their one form.
func parseOrigin(text string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimRight(text, "/"))
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" || u.User != nil ||
		u.Path != "" || u.RawQuery != "" || u.ForceQuery || u.Fragment != "" {
		return nil, fmt.Errorf("%q: want an origin like https://funds.example.org, without a path", text)
	}
	return &url.URL{Scheme: u.Scheme, Host: canonicalHost(u)}, nil
}

// canonicalHost is the host in small letters, without the scheme's own port, as
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

// isLoopback tells whether an address leads to the machine that opens it.
func isLoopback(u *url.URL) bool {
	address, err := netip.ParseAddr(u.Hostname())
	return u.Hostname() == "localhost" || err == nil && address.IsLoopback()
}

// IsOnThisMachine tells whether a base address can be opened on this machine
// alone.
func IsOnThisMachine(base string) bool {
	u, err := parseOrigin(base)
	return err == nil && isLoopback(u)
}

// aliases are the origins that are this service: on one machine a person may
// type any name of it.
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

// isOwn tells whether an allowed address is a page of ours.
func (a *Area) isOwn(u *url.URL) bool {
	origin := u.Scheme + "://" + canonicalHost(u)
	for _, own := range aliases(a.base) {
		if own == origin {
			return true
		}
	}
	return false
}

// returnTo reads an address to go to after signing in. Its origin must be one
// of those that are allowed, exactly: nothing that a browser could read
// differently from us comes through.
func (a *Area) returnTo(text string) (*url.URL, bool) {
	if len(text) > maxURL || strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' || r == '\\' }) {
		return nil, false
	}
	u, err := url.Parse(text)
	if err != nil || u.User != nil || u.Opaque != "" || !a.trusted[u.Scheme+"://"+canonicalHost(u)] {
		return nil, false
	}
	return u, true
}

// checkOrigin refuses writes that a page of somebody else's makes a browser do.
// Browsers say where a write comes from; a program that says nothing has no
// cookie that anyone could misuse.
func (a *Area) checkOrigin(x *exchange) error {
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

// crossOrigin lets scripts of allowed origins call with the session, and tells
// browsers so; done says that the request was only that question.
func (a *Area) crossOrigin(x *exchange) (done bool) {
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

// network is what counts as one caller: an IPv4 address, or the /64 of an IPv6
// address, of which one customer has at least a whole one.
func network(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = r.RemoteAddr
	}
	address, err := netip.ParseAddr(host)
	if err != nil {
		return "" // no address at all: all such callers are one
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
