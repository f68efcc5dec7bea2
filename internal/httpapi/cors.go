package httpapi

import (
	"net/http"
	"strings"
)

// exposedHeaders are the response headers that a script of another origin may read.
var exposedHeaders = strings.Join([]string{
	"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "RateLimit", "RateLimit-Policy",
	"X-Request-Cost",
	"Retry-After", "ETag", "X-Ignored-Parameters", "X-Request-Id",
	"X-Batch-Id", "X-Batch-Published-At", "X-Batch-Superseded-At",
	"X-Total-Count", "Link", "Content-Disposition",
}, ", ")

// crossOrigin lets browsers call from any origin, with the key in a header (the interface
// contract, section 1). This is safe because the API uses nothing that a browser sends by
// itself: it does not allow credentials.
func crossOrigin(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		openToAnyOrigin(header)
		if r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != "" {
			header.Set("Access-Control-Allow-Methods", "GET, HEAD, POST, OPTIONS")
			header.Set("Access-Control-Allow-Headers",
				"X-Api-Key, Authorization, Content-Type, If-None-Match, X-Request-Id, traceparent")
			header.Set("Access-Control-Max-Age", "3600")
			w.WriteHeader(http.StatusNoContent)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// openToAnyOrigin allows scripts of any origin to read the reply.
func openToAnyOrigin(header http.Header) {
	header.Set("Access-Control-Allow-Origin", "*")
	header.Set("Access-Control-Expose-Headers", exposedHeaders)
}
