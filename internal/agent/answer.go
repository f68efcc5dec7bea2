package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"sort"
	"strings"
)

// maxAnswer bounds the answer of a tool, in bytes. A model pays for each of them.
const maxAnswer = 10_000

// origin is what every answer states of itself.
type origin struct {
	BatchID  string `json:"batch_id"`
	AsOfDate string `json:"as_of_date"`
	Source   string `json:"source"`
	// Left says how much was left out, and how to get it.
	Left string `json:"left,omitempty"`
}

// encode returns an answer as JSON.
func encode(answer any) (string, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false) // keeps "Deuda < 90 dias" readable
	err := encoder.Encode(answer)
	return strings.TrimSpace(out.String()), err
}

// fitting returns the answer with as many rows as fit. build makes it with the first rows of so many.
func fitting(rows int, build func(rows int) any) (string, error) {
	var failed error
	size := func(rows int) (text string) {
		text, err := encode(build(rows))
		failed = errors.Join(failed, err)
		return text
	}
	if whole := size(rows); len(whole) <= maxAnswer || failed != nil {
		return whole, failed
	}
	first := sort.Search(rows, func(n int) bool { return len(size(n)) > maxAnswer }) // the fewest that do not fit
	if first < 2 {
		return "", errors.New("one row alone is longer than an answer may be: ask for fewer fields")
	}
	return size(first - 1), failed
}

// bounded cuts a text to the length of an answer.
func bounded(text string) string {
	if len(text) > maxAnswer {
		return strings.ToValidUTF8(text[:maxAnswer-len("…")], "") + "…"
	}
	return text
}

// deref returns the value of a text that may be null; "" for null.
func deref(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}
