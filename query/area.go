package query

import (
	"net"
	"net/http"
	"strings"
)

// Area is a part of the interface that another package answers, by its own
// rules for callers and origins: the account area. It gets requests that have
// their id, on the response as X-Request-Id, that were not too fast, and that
// have the client's address in RemoteAddr. The pattern that it leaves in
// Request.Pattern is what the access log says of a request.
type Area interface {
	http.Handler
	// Paths are those of the area, each with all that is below it.
	Paths() []string
}

// handOver gives a request to the area.
func (c Config) handOver() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if address := clientAddress(r, c.TrustedProxies); address.IsValid() {
			r.RemoteAddr = net.JoinHostPort(address.String(), "0")
		}
		c.Area.ServeHTTP(w, r)
		recordOf(r.Context()).route = r.Pattern
	})
}

// beside sends the paths of the area to it, and all others to the data
// endpoints.
func (c Config) beside(area, data http.Handler) http.Handler {
	if c.Area == nil {
		return data
	}
	paths := c.Area.Paths()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for _, path := range paths {
			if rest, within := strings.CutPrefix(r.URL.Path, path); within && (rest == "" || rest[0] == '/') {
				area.ServeHTTP(w, r)
				return
			}
		}
		data.ServeHTTP(w, r)
	})
}
