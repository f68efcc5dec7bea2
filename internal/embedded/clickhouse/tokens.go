package clickhouse

import "strings"

// kind is the kind of a token.
type kind uint8

const (
	word     kind = iota // a bare identifier or keyword
	quoted               // an identifier in backticks or double quotes
	literal              // a string or a number
	operator             // one character of anything else
)

// token is a piece of SQL text; comments and white space yield none.
type token struct {
	kind  kind
	text  string // of a quoted identifier its unescaped name, else as written
	end   int    // offset behind it in the text
	depth int    // of round brackets around it
}

// is tells whether the token is that bare word, in any case.
func (t token) is(name string) bool { return t.kind == word && strings.EqualFold(t.text, name) }

// name tells whether the token is an identifier, bare or quoted.
func (t token) name() bool { return t.kind == word || t.kind == quoted }

// scanner splits SQL by the lexical rules of ClickHouse. It never fails: what
// it doesn't know is an operator, and an unclosed string or comment ends with
// the text. Which statement a text is, and whether it is allowed, is told by
// the engine's own parser; the scanner finds clauses and names in it.
type scanner struct {
	text  string
	at    int
	depth int
	marks map[string]int // of heredocs, to the offset where each stands last
}

// next answers the next token, false at the end of the text.
func (s *scanner) next() (token, bool) {
	s.skipBlanks()
	if s.at >= len(s.text) {
		return token{}, false
	}
	start, c := s.at, s.text[s.at]
	t := token{depth: s.depth}
	switch {
	case isWordStart(c):
		for s.at < len(s.text) && isWordPart(s.text[s.at]) {
			s.at++
		}
		t.kind, t.text = word, s.text[start:s.at]
	case c >= '0' && c <= '9':
		for s.at < len(s.text) && isWordPart(s.text[s.at]) {
			s.at++
		}
		t.kind, t.text = literal, s.text[start:s.at]
	case c == '\'':
		s.skipQuoted(c)
		t.kind, t.text = literal, s.text[start:s.at]
	case c == '`' || c == '"':
		s.skipQuoted(c)
		t.kind, t.text = quoted, unescape(s.text[start:s.at])
	case c == '$' && s.skipHeredoc():
		t.kind, t.text = literal, s.text[start:s.at]
	default:
		switch c {
		case '(':
			s.depth++
		case ')':
			s.depth--
			t.depth = s.depth
		}
		s.at++
		t.kind, t.text = operator, s.text[start:s.at]
	}
	t.end = s.at
	return t, true
}

func (s *scanner) skipBlanks() {
	for s.at < len(s.text) {
		rest := s.text[s.at:]
		switch {
		case rest[0] == ' ' || (rest[0] >= '\t' && rest[0] <= '\r'):
			s.at++
		case strings.HasPrefix(rest, "--"), strings.HasPrefix(rest, "#!"), strings.HasPrefix(rest, "# "):
			s.skipPast("\n")
		case strings.HasPrefix(rest, "/*"):
			s.at += 2
			s.skipPast("*/")
		default:
			return
		}
	}
}

func (s *scanner) skipPast(end string) {
	if i := strings.Index(s.text[s.at:], end); i >= 0 {
		s.at += i + len(end)
	} else {
		s.at = len(s.text)
	}
}

// skipQuoted steps over a quoted text: a backslash escapes, and so does
// doubling the quote.
func (s *scanner) skipQuoted(quote byte) {
	s.at++
	for s.at < len(s.text) {
		switch s.text[s.at] {
		case '\\':
			s.at++
		case quote:
			if s.at+1 >= len(s.text) || s.text[s.at+1] != quote {
				s.at++
				return
			}
			s.at++
		}
		s.at++
	}
	s.at = min(s.at, len(s.text))
}

// skipHeredoc steps over $tag$ … $tag$.
func (s *scanner) skipHeredoc() bool {
	mark := heredocMark(s.text[s.at:])
	if mark == "" {
		return false
	}
	if s.marks == nil {
		s.findMarks()
	}
	body := s.at + len(mark)
	if s.marks[mark] < body {
		return false
	}
	s.at = body + strings.Index(s.text[body:], mark) + len(mark)
	return true
}

// findMarks notes where each $tag$ stands last. Looking for the end of each
// from where it begins would take the square of the text's length when none
// has one.
func (s *scanner) findMarks() {
	s.marks = map[string]int{}
	for i := s.at; i < len(s.text); i++ {
		if s.text[i] == '$' {
			if mark := heredocMark(s.text[i:]); mark != "" {
				s.marks[mark] = i
			}
		}
	}
}

// maxTag bounds the tag of a heredoc that is looked for.
const maxTag = 64

// heredocMark answers the $tag$ that text begins with, or nothing.
func heredocMark(text string) string {
	for n := 1; n < len(text) && n < maxTag; n++ {
		if text[n] == '$' {
			return text[:n+1]
		}
		if !isWordPart(text[n]) {
			break
		}
	}
	return ""
}

func isWordStart(c byte) bool {
	return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
}

func isWordPart(c byte) bool {
	return isWordStart(c) || (c >= '0' && c <= '9') || c == '$'
}

// unescape answers the name within the quotes. It knows the escapes that the
// engine writes; what it leaves can only make a name differ from every known
// one.
func unescape(text string) string {
	quote := text[0]
	text = text[1:]
	if n := len(text); n > 0 && text[n-1] == quote {
		text = text[:n-1]
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if (text[i] == '\\' || text[i] == quote) && i+1 < len(text) {
			i++
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// insertHead finds where the data of an INSERT begins. text may hold data
// behind the statement, of any format.
type insertHead struct {
	statement string // without FORMAT or VALUES
	format    string // of the data
	data      int    // offset of the data in the text
}

// splitInsert tells whether text is an INSERT of data, and splits it. An
// INSERT … SELECT is none.
func splitInsert(text string) (insertHead, bool) {
	s := scanner{text: text}
	t, ok := s.next()
	if !ok || !t.is("insert") {
		return insertHead{}, false
	}
	if t, ok = s.next(); !ok || !t.is("into") {
		return insertHead{}, false
	}
	start, ok := s.next()
	if ok && start.is("table") {
		start, ok = s.next()
	}
	// The table's name may itself be called format or values: names are
	// stepped over up to the first token that is no part of a.b.
	for ok && start.name() {
		mark := s
		dot, more := s.next()
		if !more || dot.text != "." || dot.kind != operator {
			s = mark
			break
		}
		start, ok = s.next()
	}
	before := s.at
	for {
		t, ok := s.next()
		if !ok {
			return insertHead{}, false
		}
		if t.depth == 0 {
			switch {
			case t.is("select"), t.is("with"), t.is("from"), t.is("watch"):
				return insertHead{}, false
			case t.is("values"):
				return insertHead{statement: text[:before], format: "Values", data: t.end}, true
			case t.is("format"):
				format, ok := s.next()
				if !ok || !format.name() {
					return insertHead{}, false
				}
				return insertHead{statement: text[:before], format: format.text, data: dataStart(text, format.end)}, true
			}
		}
		before = t.end
	}
}

// dataStart steps over the blanks and the one line end that may follow a
// format's name. What comes then belongs to the data.
func dataStart(text string, at int) int {
	for at < len(text) && (text[at] == ' ' || text[at] == '\t' || text[at] == '\f') {
		at++
	}
	if at < len(text) && text[at] == '\r' {
		at++
	}
	if at < len(text) && text[at] == '\n' {
		at++
	}
	return at
}

// outputFormat answers the format that a statement's FORMAT clause names,
// empty when it has none, and its first word in lower case.
func outputFormat(text string) (format, verb string) {
	s := scanner{text: text}
	for first := true; ; first = false {
		t, ok := s.next()
		if !ok {
			return format, verb
		}
		if first {
			verb = strings.ToLower(t.text)
		}
		if t.depth == 0 && t.is("format") {
			if name, ok := s.next(); ok && name.name() {
				format = name.text
			}
		}
	}
}
