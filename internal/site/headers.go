package site

import (
	"net/http"
	"slices"
)

// The policies of pages. They allow a page to use only what this server sends, and forbid inline scripts and styles,
// frames around the page, and forms that post to another origin.
const (
	// Policy is the policy of a page whose scripts ask for nothing.
	Policy = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; " +
		"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
	// askingPolicy is the policy of a page whose scripts may ask this server, as the console does.
	askingPolicy = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; " +
		"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)

// Protect sets the headers that protect a page.
func Protect(header http.Header, policy string) {
	header.Set("Content-Security-Policy", policy)
	header.Set("Cross-Origin-Opener-Policy", "same-origin")
	header.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
	// Forms need this value: under no-referrer a browser sends them with Origin: null.
	header.Set("Referrer-Policy", "same-origin")
	header.Set("X-Frame-Options", "DENY")
}

// SetHeaders sets the headers of a page that is the same for everybody. Browsers may keep it for a minute; then they
// ask whether it has changed.
func SetHeaders(header http.Header) {
	header.Set("Cache-Control", "public, max-age=60")
	if !slices.Contains(header.Values("Vary"), "Accept-Language") { // the page for an error follows one that failed
		header.Add("Vary", "Accept-Language")
	}
	Protect(header, askingPolicy)
}
