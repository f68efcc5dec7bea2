package operation

import (
	"fmt"
	"slices"
	"strings"

	"cuota/internal/httpapi"
)

// ReadIDs reads unique decimal ids of series, written with commas between them (RULES 4): at least one, and at most so
// many.
func ReadIDs(text string, most int) (ids []uint32, wrong *httpapi.Violation) {
	if text == "" {
		return nil, &httpapi.Violation{Type: "string_too_short", Msg: "Must have at least one id"}
	}
	for part := range strings.SplitSeq(text, ",") {
		id, isID := ParseID(part)
		switch {
		case !isID:
			return nil, &httpapi.Violation{Type: "int_parsing",
				Msg: "Must be whole numbers from 0 to 4294967295, separated by commas"}
		case slices.Contains(ids, id):
			return nil, &httpapi.Violation{Type: "duplicate",
				Msg: fmt.Sprintf("Must not name the series %d twice", id)}
		case len(ids) == most:
			return nil, &httpapi.Violation{Type: "too_long", Msg: fmt.Sprintf("Must have at most %d ids", most)}
		}
		ids = append(ids, id)
	}
	return ids, nil
}

// IDsText writes ids as ReadIDs reads them.
func IDsText(ids []uint32) string {
	texts := make([]string, len(ids))
	for i, id := range ids {
		texts[i] = IDText(id)
	}
	return strings.Join(texts, ",")
}

// IDsPattern matches the texts that ReadIDs reads, but for ids that are named twice. It does not count more than
// countedIDs of them.
func IDsPattern(most int) string {
	if most > countedIDs {
		return fmt.Sprintf("^%s(,%[1]s)*$", IDPattern)
	}
	return fmt.Sprintf("^%s(,%[1]s){0,%d}$", IDPattern, most-1)
}

// countedIDs is how many ids a pattern counts at most. Regular expressions of Go and of others in the family of RE2
// repeat at most 1,000 times, and IDPattern has repetitions of its own, of up to nine digits.
const countedIDs = 100
