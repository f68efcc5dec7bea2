package site

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"cuota/internal/site/locale"
)

// LanguageKey is the parameter with the language of a page.
const LanguageKey = "lang"

// languageOf returns the language of a page, and whether its address names it.
func languageOf(header http.Header, texts url.Values) (l locale.Language, named bool) {
	if given, err := locale.ParseLanguage(texts.Get(LanguageKey)); err == nil && texts.Get(LanguageKey) != "" {
		return given, true
	}
	return preferred(header), false
}

// preferred returns the language of a page whose address names none: English for readers who
// prefer it to Spanish, and Spanish for all others.
func preferred(header http.Header) locale.Language {
	spanish, english := -1.0, -1.0
	for _, listed := range strings.Split(strings.Join(header.Values("Accept-Language"), ","), ",") {
		name, parameters, _ := strings.Cut(strings.TrimSpace(listed), ";")
		weight := 1.0
		if q, given := strings.CutPrefix(strings.ReplaceAll(parameters, " ", ""), "q="); given {
			var err error
			if weight, err = strconv.ParseFloat(q, 64); err != nil || !(weight >= 0 && weight <= 1) {
				continue
			}
		}
		switch primary, _, _ := strings.Cut(strings.ToLower(name), "-"); primary {
		case "es":
			spanish = max(spanish, weight)
		case "en":
			english = max(english, weight)
		}
	}
	if english > 0 && english > spanish {
		return locale.English
	}
	return locale.Spanish
}
