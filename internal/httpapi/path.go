package httpapi

import (
	"net/http"
	"net/url"
	"strings"
)

// bySegments routes by the path as the caller escaped it. A slash separates segments, and
// %2F is a character of a segment: /api/families/RF%2F90/index names the family RF/90.
//
// It escapes every segment in the same way before the router sees the path, so it does not
// matter if a caller escaped more than needed. The segments . and .. are ordinary text,
// because no path names a file.
func bySegments(router http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if path := segments(r.URL); path != r.URL.Path {
			routed := *r.URL
			routed.Path, routed.RawPath = path, ""
			r = r.WithContext(r.Context())
			r.URL = &routed
		}
		router.ServeHTTP(w, r)
	})
}

// segments returns the path with every segment escaped in the same way.
func segments(u *url.URL) string {
	escaped := u.EscapedPath()
	if !strings.Contains(escaped, "%") {
		return escaped
	}
	parts := strings.Split(escaped, "/")
	for i, part := range parts {
		parts[i] = url.PathEscape(unescaped(part))
	}
	return strings.Join(parts, "/")
}

// unescaped returns the text of an escaped segment.
func unescaped(segment string) string {
	text, err := url.PathUnescape(segment)
	if err != nil {
		return segment // cannot happen for the path of a parsed URL
	}
	return text
}
