package model

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Fold removes case and accents, so that names compare as people write them.
func Fold(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFD.String(strings.ToLower(text)))
}
