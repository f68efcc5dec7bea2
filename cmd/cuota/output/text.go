package output

import (
	"encoding/json"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Visible replaces control characters that a terminal would obey.
func Visible(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) || r == utf8.RuneError {
			return ' '
		}
		return r
	}, text)
}

// Bounded shortens a text to one line.
func Bounded(text string) string {
	const room = 160
	text = Visible(text)
	if len(text) <= room {
		return text
	}
	cut := room
	for !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + "…"
}

// JSON writes a value for programs, indented.
func JSON(out io.Writer, value any) error {
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}
