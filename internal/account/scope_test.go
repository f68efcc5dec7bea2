package account

import (
	"strings"
	"testing"
)

func TestScopesAreReadAndAllowWhatTheyName(t *testing.T) {
	for text, want := range map[string]Scopes{"": "", "read": "read", "mcp, read": "read mcp",
		"bulk,bulk,backtests": "bulk backtests", "backtests,mcp,bulk,read": "read bulk backtests mcp"} {
		got, err := ParseScopes(text)
		check(t, err)
		if got != want {
			t.Errorf("%q gives %q, want %q", text, got, want)
		}
		for _, scope := range allScopes {
			if allowed := text == "" || strings.Contains(text, string(scope)); got.Allow(scope) != allowed {
				t.Errorf("%q and %s: %v", text, scope, got.Allow(scope))
			}
		}
		if !got.Allow("") {
			t.Errorf("%q does not allow what needs no scope", text)
		}
	}
	for _, text := range []string{",", "read,", "Read", "all", "read bulk", "*", strings.Repeat("x", 1000)} {
		if got, err := ParseScopes(text); err == nil || got != "" || len(err.Error()) > 200 {
			t.Errorf("%.40q gives %q and %v", text, got, err)
		}
	}
	// A scope of a later version gives this one nothing.
	for _, scope := range allScopes {
		if Scopes("future").Allow(scope) {
			t.Errorf("an unknown scope allows %s", scope)
		}
	}
}

func FuzzParseScopes(f *testing.F) {
	f.Add("read,bulk")
	f.Add(" mcp ,")
	f.Fuzz(func(t *testing.T, text string) {
		scopes, err := ParseScopes(text)
		if err != nil {
			return
		}
		again, err := ParseScopes(strings.Join(scopes.Words(), ","))
		if err != nil || again != scopes {
			t.Errorf("%q gives %q, which gives %q, %v", text, scopes, again, err)
		}
		if text != "" && scopes == "" {
			t.Errorf("%q gives every scope", text)
		}
	})
}
