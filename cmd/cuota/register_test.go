package main

import (
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// registersAndWatches does what a person does at a running "cuota up": registers, uses
// the key, signs in, and watches an existing series. It takes the links from the mails
// in the folder.
func registersAndWatches(t *testing.T, r *running, folder string) {
	t.Helper()
	send := func(path, kind, body, session string) (*http.Response, string) {
		t.Helper()
		return sendFrom(t, r.api, http.MethodPost, r.api+path, kind, body, session)
	}
	const form = "application/x-www-form-urlencoded"

	send("/register", form, "email=person%40example.org", "")
	_, page := send("/register/confirm", form, url.Values{"token": {mailedToken(t, folder, nil)}}.Encode(), "")
	key := printedKey.FindString(page)
	if status, body := ask(t, r.api+"/api/key/info", key); status != http.StatusOK {
		t.Errorf("the registered key %q gives %d: %s", key, status, body)
	}

	before, err := filepath.Glob(filepath.Join(folder, "*.eml"))
	if err != nil {
		t.Fatal(err)
	}
	send("/api/auth/magic-link", "application/json", `{"email":"person@example.org","return_url":"`+r.api+`/account"}`,
		"")
	response, body := send("/api/auth/callback", "application/json", `{"token":"`+mailedToken(t, folder, before)+`"}`,
		"")
	if response.StatusCode != http.StatusOK {
		t.Fatalf("signing in gives %d: %s", response.StatusCode, body)
	}
	session, _, _ := strings.Cut(response.Header.Get("Set-Cookie"), ";")
	for series, want := range map[string]int{"1161378270": http.StatusOK, "1": http.StatusNotFound} {
		response, body := send("/api/me/watchlist", "application/json", `{"serie_id":"`+series+`"}`, session)
		if response.StatusCode != want {
			t.Errorf("watching series %s gives %d, want %d: %s", series, response.StatusCode, want, body)
		}
	}
}

// sendFrom sends a request as a page of the server at origin does, with a session unless
// that is empty. It follows no redirect.
func sendFrom(t *testing.T, origin, method, target, kind, body, session string) (*http.Response, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, target, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", kind)
	request.Header.Set("Origin", origin)
	if session != "" {
		request.Header.Set("Cookie", session)
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, string(text)
}

var tokenInMail = regexp.MustCompile(`token=3D([0-9A-Za-z]{43})`)

// mailedToken waits for a new mail file and returns the token in its link.
func mailedToken(t *testing.T, folder string, before []string) string {
	t.Helper()
	pause := time.NewTicker(10 * time.Millisecond)
	defer pause.Stop()
	for deadline := time.Now().Add(patience); ; <-pause.C {
		if time.Now().After(deadline) {
			t.Fatalf("no mail came into %s", folder)
		}
		files, err := filepath.Glob(filepath.Join(folder, "*.eml"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if slices.Contains(before, file) {
				continue
			}
			content, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			// Undo the line folding of quoted-printable.
			found := tokenInMail.FindStringSubmatch(strings.ReplaceAll(string(content), "=\r\n", ""))
			if found == nil {
				t.Fatalf("no link in %s", content)
			}
			return found[1]
		}
	}
}
