package main

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"cuota/cmd/cuota/exit"
	"cuota/internal/testkit/longtest"
)

func TestKeysAreListedAndRevokedBesideARunningServer(t *testing.T) {
	dir := directoryWithTables(t)
	r := up(t, dir, "--no-demo")
	key := strings.TrimSpace(succeed(t, "key", "create", "--email", "ana@example.org", "--data", dir))
	other := strings.TrimSpace(succeed(t, "key", "create", "--email", "beto@example.org", "--tier", "internal",
		"--data", dir))
	if status, body := ask(t, r.api+"/api/key/info", key); status != http.StatusOK {
		t.Fatalf("the key gives %d: %s", status, body)
	}
	list := succeed(t, "key", "list", "--data", dir)
	today := time.Now().UTC().Format(time.DateOnly)
	for text, tier := range map[string]string{key: `ana@example\.org +- +free +all +` + today + ` +- +- +\d+ of 300`,
		other: `beto@example\.org +- +internal +all +` + today + ` +- +- +0 of no limit`} {
		if line := regexp.MustCompile(`(?m)^[0-9a-f-]{36} +` + text[len(text)-4:] + ` +` + tier +
			`$`); !line.MatchString(list) {
			t.Errorf("the list lacks %s:\n%s", line, list)
		}
		if strings.Contains(list, text) {
			t.Error("the list shows a key")
		}
	}
	link := strings.TrimSpace(succeed(t, "link", "create", "/api/key/info", "--key", key[len(key)-4:], "--data", dir))
	if status, body := ask(t, r.api+link, ""); status != http.StatusOK || !strings.Contains(body, `"tier":"free"`) {
		t.Fatalf("the link %s gives %d: %s", link, status, body)
	}
	links := regexp.MustCompile(`(?m)^([0-9a-f-]{36}) +ana@example\.org +…` + key[len(key)-4:] + ` +` + today +
		` +\S+ +\S+ +/api/key/info$`).FindStringSubmatch(succeed(t, "link", "list", "--data", dir))
	if links == nil {
		t.Fatal("the link is not listed")
	}
	if out := succeed(t, "link", "revoke", links[1], "--data", dir); !strings.Contains(out, links[1]) {
		t.Errorf("revoke said: %s", out)
	}
	if status, body := ask(t, r.api+link, key); status != http.StatusNotFound {
		t.Errorf("a revoked link gives %d: %s", status, body)
	}
	if out := succeed(t, "key", "revoke", key[len(key)-4:], "--data", dir); !strings.Contains(out, "ana@example.org") {
		t.Errorf("revoke said: %s", out)
	}
	deadline := time.Now().Add(patience)
	for status := http.StatusOK; status != http.StatusUnauthorized; status, _ = ask(t, r.api+"/api/key/info", key) {
		if time.Now().After(deadline) {
			t.Fatalf("a revoked key still gives %d", status)
		}
	}
	if list := succeed(t, "key", "list", "--data", dir); strings.Contains(list, "ana@example.org") ||
		!strings.Contains(list, "beto@example.org") {
		t.Errorf("after the revocation the list is:\n%s", list)
	}
	if list := succeed(t, "key", "list", "--all", "--data", dir); !regexp.MustCompile(`ana@example\.org +- +free +all +` +
		today + ` +- +revoked ` + today).MatchString(list) {
		t.Errorf("with revoked keys the list is:\n%s", list)
	}
	if again := cuota(t, "key", "revoke", "ana@example.org", "--data", dir); again.code != exit.Failed ||
		!strings.Contains(again.stderr, "no active key") {
		t.Errorf("revoking it again ended with %d: %s", again.code, again.stderr)
	}
	r.interrupt(t)
}

func TestAKeyIsRotatedBesideARunningServer(t *testing.T) {
	dir := directoryWithTables(t)
	r := up(t, dir, "--no-demo")
	create := func(more ...string) string {
		t.Helper()
		return strings.TrimSpace(succeed(t, append([]string{"key", "create", "--email", "ana@example.org", "--tier",
			"institutional", "--data", dir}, more...)...))
	}
	answers := func(path, key string, want int) {
		t.Helper()
		if status, body := ask(t, r.api+path, key); status != want {
			t.Errorf("%s gives %d, want %d: %s", path, status, want, body)
		}
	}
	desk := create("--name", "desk")
	first := create("--name", "etl", "--scopes", "read,mcp", "--quota", "40000")
	answers("/api/key/info", desk, http.StatusOK)
	answers("/api/bulk", first, http.StatusForbidden)
	second := strings.TrimSpace(succeed(t, "key", "rotate", "etl", "--overlap", "1h", "--data", dir))
	answers("/api/key/info", first, http.StatusOK)
	answers("/api/key/info", second, http.StatusOK)
	answers("/api/bulk", second, http.StatusForbidden)
	list, today := succeed(t, "key", "list", "--data", dir), `\d{4}-\d\d-\d\d`
	for key, want := range map[string]string{desk: "desk +institutional +all +" + today + " +- +- +0 of 25000",
		first:  "etl +institutional +read,mcp +" + today + " +" + today + " +" + today + `T\S+Z +\d+ of 40000`,
		second: "etl +institutional +read,mcp +" + today + " +" + today + ` +- +\d+ of 40000`} {
		if !regexp.MustCompile(`(?m)^\S{36} +` + key[len(key)-4:] + ` +ana@example\.org +` + want + `$`).MatchString(list) {
			t.Errorf("the list lacks %s:\n%s", want, list)
		}
	}
	third := cuota(t, "key", "rotate", second[len(second)-4:], "--overlap", "0", "--data", dir)
	if third.code != 0 || !strings.Contains(third.stderr, "is revoked") {
		t.Errorf("the rotation without an overlap ended with %d: %s", third.code, third.stderr)
	}
	answers("/api/key/info", strings.TrimSpace(third.stdout), http.StatusOK)
	deadline := time.Now().Add(patience)
	for _, old := range []string{first, second} {
		for status := http.StatusOK; status != http.StatusUnauthorized; status, _ = ask(t, r.api+"/api/key/info", old) {
			if time.Now().After(deadline) {
				t.Fatalf("an old key still gives %d", status)
			}
		}
	}
	for text, args := range map[string][]string{"no active key": {"rotate", "nobody"},
		"from 0 to 90 days": {"rotate", "etl", "--overlap", "2161h"}, "2 active keys": {"rotate", "ana@example.org"},
		"no scope":           {"create", "--email", "b@example.org", "--scopes", "everything"},
		"at least one scope": {"create", "--email", "b@example.org", "--scopes", ""},
		"no scopes":          {"create", "--email", "b@example.org", "--scopes", "read"},
		"too small":          {"create", "--email", "b@example.org", "--quota", "0"}} {
		if got := cuota(t, append([]string{"key", "--data", dir}, args...)...); got.code == 0 || got.stdout != "" ||
			!strings.Contains(got.stderr, text) {
			t.Errorf("key %q ended with %d, want %q: %s%s", args, got.code, text, got.stdout, got.stderr)
		}
	}
	r.interrupt(t)
}

func TestTheReplacementOfThePepperRevokesEveryKeyAndNewOnesWork(t *testing.T) {
	longtest.InTurns(t)
	dir := directoryWithTables(t)
	r := up(t, dir, "--no-demo")
	old := strings.TrimSpace(succeed(t, "key", "create", "--email", "ana@example.org", "--data", dir))
	if again := cuota(t, "key", "replace-pepper", "--data", dir); again.code != exit.Incomplete ||
		!strings.Contains(again.stderr, "--revoke-all") {
		t.Errorf("without --revoke-all it ended with %d: %s", again.code, again.stderr)
	}
	if beside := cuota(t, "key", "replace-pepper", "--revoke-all", "--data", dir); beside.code != exit.Failed ||
		!strings.Contains(beside.stderr, "stop it first") {
		t.Errorf("beside a running up it ended with %d: %s", beside.code, beside.stderr)
	}
	r.interrupt(t)
	// The command also works when the pepper is lost.
	if err := os.Remove(filepath.Join(dir, "accounts", "pepper")); err != nil {
		t.Fatal(err)
	}
	if out := succeed(t, "key", "replace-pepper", "--revoke-all", "--data", dir); !strings.Contains(out,
		"revoked 1 keys") {
		t.Errorf("it said: %s", out)
	}
	fresh := strings.TrimSpace(succeed(t, "key", "create", "--email", "ana@example.org", "--data", dir))
	r = up(t, dir, "--no-demo")
	for key, want := range map[string]int{old: http.StatusUnauthorized, fresh: http.StatusOK} {
		if status, body := ask(t, r.api+"/api/key/info", key); status != want {
			t.Errorf("a key gives %d, want %d: %s", status, want, body)
		}
	}
	r.interrupt(t)
}
