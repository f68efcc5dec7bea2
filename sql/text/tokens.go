// Package sqltext works on the texts of statements, before package sql sends them: it splits a
// statement into tokens, puts the SELECTs of views in place of their names, and reads what the header
// and the columns of a file state. It has no statements of its own and no connection: each function
// takes text and returns text, or an error that says how to write the statement.
package sqltext

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// statement holds the tokens of one statement, without its semicolon.
type statement []token

// begins reports whether the statement begins with these words, in any case.
func (s statement) begins(words ...string) bool {
	return slices.EqualFunc(s[:min(len(s), len(words))], words, token.is)
}

// head returns the beginning of the statement, for a message.
func (s statement) head() string {
	words := make([]string, 0, 4)
	for _, t := range s[:min(len(s), cap(words))] {
		words = append(words, t.text)
	}
	return strings.Join(words, " ")
}

// split splits a statement at the commas outside of brackets.
func (s statement) split() []statement {
	var parts []statement
	begin := 0
	for i, t := range s {
		if t.text == "," && t.depth == s[begin].depth {
			parts = append(parts, s[begin:i])
			begin = i + 1
		}
	}
	return append(parts, s[begin:])
}

// token is a word, a quoted text or a sign, with its position in the original text.
type token struct {
	text       string
	start, end int
	depth      int  // number of brackets around it; a bracket itself is outside
	name       bool // may name a table, a view or a function
}

func (t token) is(word string) bool { return strings.EqualFold(t.text, word) }

// tokenize splits a text into tokens. It skips comments and white space. It fails if a
// quote or bracket is not closed.
func tokenize(text string) ([]token, error) {
	var tokens []token
	depth := 0
	for at := 0; at < len(text); {
		rest, end := text[at:], at+1
		name := false
		switch first := text[at]; {
		case strings.ContainsRune(" \t\r\n", rune(first)):
			at++
			continue
		case strings.HasPrefix(rest, "--"):
			line, _, _ := strings.Cut(rest, "\n")
			at += len(line)
			continue
		case strings.HasPrefix(rest, "/*"):
			return nil, errors.New("write comments with --")
		case first == '\'' || first == '`' || first == '"':
			length := quoted(rest)
			if length == 0 {
				return nil, fmt.Errorf("a text in %c has no closing quote", first)
			}
			end, name = at+length, first != '\''
		case wordByte(first):
			for end < len(text) && wordByte(text[end]) {
				end++
			}
			name = first > '9'
		case first == ')' || first == ']' || first == '}':
			if depth--; depth < 0 {
				return nil, fmt.Errorf("%c has no opening bracket", first)
			}
		}
		tokens = append(tokens, token{text[at:end], at, end, depth, name})
		if first := text[at]; first == '(' || first == '[' || first == '{' {
			depth++
		}
		at = end
	}
	if depth != 0 {
		return nil, errors.New("a bracket has no closing bracket")
	}
	return tokens, nil
}

// quoted returns the length of the quoted text at the beginning, or 0 if it does not end.
func quoted(text string) int {
	for i := 1; i < len(text); i++ {
		switch {
		case text[i] == '\\':
			i++
		case text[i] == text[0] && i+1 < len(text) && text[i+1] == text[0]:
			i++ // a doubled quote is a character of the text
		case text[i] == text[0]:
			return i + 1
		}
	}
	return 0
}

// wordByte reports whether a byte is part of a word or number. All bytes of letters beyond
// ASCII are.
func wordByte(b byte) bool {
	return b == '_' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= 0x80
}

// edits collects changes to a text, by its tokens.
type edits struct {
	text string
	list []edit
}

// edit replaces a part of the original text.
type edit struct {
	start, end int
	text       string
}

func (e *edits) replace(from, to token, text string) {
	e.list = append(e.list, edit{from.start, to.end, text})
}

// result returns the text with all edits applied.
func (e *edits) result() string {
	slices.SortFunc(e.list, func(a, b edit) int { return a.start - b.start })
	var out strings.Builder
	at := 0
	for _, change := range e.list {
		out.WriteString(e.text[at:change.start])
		out.WriteString(change.text)
		at = change.end
	}
	out.WriteString(e.text[at:])
	return out.String()
}
