package sqltext

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// stating is a line of a comment that states something: one word, and a colon. No sentence
// in a header may begin so.
var stating = regexp.MustCompile(`^--\s*(\w+)\s*:(.*)$`)

// Header returns what the comment at the head of a statement states, by key. It fails if a
// key is unknown, states nothing, occurs twice, or stands below the header.
func Header(text string, known ...string) (stated map[string]string, err error) {
	stated = map[string]string{}
	inHeader := true
	for line := range strings.Lines(text) {
		inHeader = inHeader && strings.HasPrefix(line, "--")
		found := stating.FindStringSubmatch(strings.TrimSpace(line))
		if found == nil {
			continue
		}
		key, value := found[1], strings.TrimSpace(found[2])
		isKnown := slices.Contains(known, key)
		switch {
		case !inHeader && !isKnown: // an ordinary comment
		case !inHeader:
			err = errors.Join(err, fmt.Errorf("%s stands below the header: write it above the statement", key))
		case !isKnown:
			err = errors.Join(err, fmt.Errorf("the header states %q: write one of %s", key, strings.Join(known, ", ")))
		case value == "":
			err = errors.Join(err, fmt.Errorf("the header states nothing for %s", key))
		case stated[key] != "":
			err = errors.Join(err, fmt.Errorf("the header states %s twice", key))
		default:
			stated[key] = value
		}
	}
	return stated, err
}
