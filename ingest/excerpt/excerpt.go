// Package excerpt shortens what files state, so that reasons, notes and messages stay small.
package excerpt

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// MaxRow bounds how much text of a rejected row is kept with the rejection, in bytes.
const MaxRow = 4 << 10

// Row cuts the text of a row to MaxRow bytes.
func Row(text string) string { return Cut(text, MaxRow) }

// Cut cuts text to a number of bytes without splitting a character.
func Cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return strings.Clone(text[:limit])
}

// Quoted quotes a value for a reason, shortened.
func Quoted(text string) string {
	const limit = 60
	if len(text) > limit {
		return fmt.Sprintf("%q…", Cut(text, limit))
	}
	return fmt.Sprintf("%q", text)
}
