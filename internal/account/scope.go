package account

import (
	"fmt"
	"slices"
	"strings"
)

// Scope is a part of the interface for which a key may be used.
type Scope string

// The scopes.
const (
	ReadScope      Scope = "read"      // every operation with data, except those of the other scopes
	BulkScope      Scope = "bulk"      // whole tables as files: /api/bulk
	BacktestsScope Scope = "backtests" // POST /api/backtests
	ToolsScope     Scope = "mcp"       // tools for language models: /mcp; what they ask needs its own scopes
)

var allScopes = []Scope{ReadScope, BulkScope, BacktestsScope, ToolsScope}

// Scopes are the scopes of a key, separated by spaces. "" means every scope, also those that later versions add. A
// scope that this program does not know allows nothing, so an older program never allows more than a newer one.
type Scopes string

// ParseScopes reads scopes with a comma between them. An empty text is every scope.
func ParseScopes(text string) (Scopes, error) {
	if text == "" {
		return "", nil
	}
	named := map[Scope]bool{}
	for word := range strings.SplitSeq(text, ",") {
		scope := Scope(strings.TrimSpace(word))
		if !slices.Contains(allScopes, scope) {
			return "", fmt.Errorf("there is no scope %.40q: give some of read, bulk, backtests and mcp, with a comma "+
				"between them", scope)
		}
		named[scope] = true
	}
	var words []string
	for _, scope := range allScopes {
		if named[scope] {
			words = append(words, string(scope))
		}
	}
	return Scopes(strings.Join(words, " ")), nil
}

// Allow reports whether a key with these scopes may be used for a scope. Any key may be used for what needs none.
func (s Scopes) Allow(scope Scope) bool {
	return s == "" || scope == "" || slices.Contains(s.Words(), string(scope))
}

// Words lists the scopes, or nothing if they are every scope.
func (s Scopes) Words() []string {
	if s == "" {
		return nil
	}
	return strings.Split(string(s), " ")
}
