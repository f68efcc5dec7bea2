package httpapi

import (
	"net"
	"net/http"
	"strings"
)

// Area answers a part of the paths in another package, with its own rules for callers and
// origins: the account area. Requests reach it with their id set, in X-Request-Id of the
// response, after the limit per address, and with the address of the client in RemoteAddr.
// The access log shows the pattern that it sets in Request.Pattern.
type Area interface {
	http.Handler
	// Paths lists its paths. Everything below them belongs to it too.
	Paths() []string
}

// handOver passes requests to the area.
func (c Config) handOver() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if address := clientAddress(r, c.TrustedProxies); address.IsValid() {
			r.RemoteAddr = net.JoinHostPort(address.String(), "0")
		}
		c.Area.ServeHTTP(w, r)
		recordOf(r.Context()).route = r.Pattern
	})
}

// Below reports whether a path is the path of an area or below it.
func Below(path, area string) bool {
	rest, within := strings.CutPrefix(path, area)
	return within && (rest == "" || rest[0] == '/')
}

// beside sends requests below the paths of the area to it, and all others to the data
// endpoints.
func (c Config) beside(area, data http.Handler) http.Handler {
	if c.Area == nil {
		return data
	}
	paths := c.Area.Paths()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for _, path := range paths {
			if Below(r.URL.Path, path) {
				area.ServeHTTP(w, r)
				return
			}
		}
		data.ServeHTTP(w, r)
	})
}
