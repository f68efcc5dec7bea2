package query

import (
	"net/http"
	"net/url"
	"strings"
)

// bySegments routes by the path as the caller wrote it. A slash parts it; %2F is a
// character of a segment: /api/families/RF%2F90/index names the family RF/90.
//
// The path that the router sees has every segment escaped in one way, so that it does
// not matter whether a caller escaped more than is needed. Dot segments are text like
// any other: nothing is a file here.
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

// segments gives the path with each segment escaped in one way.
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

// unescaped gives the text of a segment.
func unescaped(segment string) string {
	text, err := url.PathUnescape(segment)
	if err != nil {
		return segment // not of a URL that was parsed
	}
	return text
}
