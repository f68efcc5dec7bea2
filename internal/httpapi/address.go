package httpapi

import (
	"net/http"
	"net/netip"
	"regexp"
)

var hostForm = regexp.MustCompile(`^[A-Za-z0-9.:\[\]-]{1,253}$`)

// BaseURL gives the address under which a caller reached the service: the configured one,
// else that of the request. X-Forwarded-Proto is believed from trusted proxies only.
func BaseURL(r *http.Request, configured string, trustedProxies []netip.Prefix) string {
	if configured != "" {
		return configured
	}
	if !hostForm.MatchString(r.Host) {
		return "/"
	}
	scheme := "http"
	peer := clientAddress(r, nil)
	if r.TLS != nil || trusted(peer, trustedProxies) && r.Header.Get("X-Forwarded-Proto") == "https" {
		scheme = "https"
	}
	return scheme + "://" + r.Host
}
