package explorer

import (
	"net/http"
	"strconv"
	"strings"

	"cuota/internal/locale"
)

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

// phrase is a text in both languages.
type phrase struct{ es, en string }

// say returns one of two texts.
func (v *visit) say(es, en string) string { return phrase{es, en}.in(v.Lang) }

func (p phrase) in(l locale.Language) string {
	if l == locale.English {
		return p.en
	}
	return p.es
}
