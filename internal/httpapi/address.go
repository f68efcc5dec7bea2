package httpapi

import (
	"net/http"
	"regexp"
)

var hostForm = regexp.MustCompile(`^[A-Za-z0-9.:\[\]-]{1,253}$`)

// BaseURL gives the address under which a caller reached the service: the configured one,
// else that of the request. X-Forwarded-Proto is believed from trusted proxies only.
func (s *Server) BaseURL(r *http.Request) string {
	if s.config.BaseURL != "" {
		return s.config.BaseURL
	}
	if !hostForm.MatchString(r.Host) {
		return "/"
	}
	scheme := "http"
	peer := clientAddress(r, nil)
	if r.TLS != nil || trusted(peer, s.config.TrustedProxies) && r.Header.Get("X-Forwarded-Proto") == "https" {
		scheme = "https"
	}
	return scheme + "://" + r.Host
}
