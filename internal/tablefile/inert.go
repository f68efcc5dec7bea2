package tablefile

import "io"

// startsFormula reports whether a spreadsheet program would run a text that begins with this
// character.
func startsFormula(first byte) bool {
	switch first {
	case '=', '+', '-', '@', '\t', '\r', '\n':
		return true
	}
	return false
}

// inert keeps spreadsheet programs from running a text as a formula: they show what follows an
// apostrophe as it is.
func inert(text string) string {
	if text != "" && startsFormula(text[0]) {
		return "'" + text
	}
	return text
}

// NewInertCSV returns a writer that makes the texts of a CSV inert on their way to another writer.
// It takes quoted fields as texts and all others as numbers, which stay as they are: ClickHouse
// quotes every text, and no number.
func NewInertCSV(to io.Writer) io.Writer { return &inertCSV{to: to} }

type inertCSV struct {
	to   io.Writer
	at   csvPlace
	text []byte
}

// csvPlace is where the next character of a CSV stands.
type csvPlace uint8

const (
	fieldStart  csvPlace = iota // before a field
	unquoted                    // in a field without quotes
	quotedStart                 // behind the quote that opens a field
	quoted                      // in a quoted field
	quoteSeen                   // behind a quote in a quoted field, which ends it or stands for itself
)

// Write implements io.Writer.
func (w *inertCSV) Write(part []byte) (int, error) {
	w.text = w.text[:0]
	for _, c := range part {
		switch w.at {
		case quotedStart:
			if startsFormula(c) {
				w.text = append(w.text, '\'')
			}
			fallthrough
		case quoted:
			if w.at = quoted; c == '"' {
				w.at = quoteSeen
			}
		case fieldStart, unquoted, quoteSeen:
			switch {
			case c == ',' || c == '\n':
				w.at = fieldStart
			case c == '"' && w.at == fieldStart:
				w.at = quotedStart
			case c == '"' && w.at == quoteSeen:
				w.at = quoted
			default:
				w.at = unquoted
			}
		}
		w.text = append(w.text, c)
	}
	if _, err := w.to.Write(w.text); err != nil {
		return 0, err
	}
	return len(part), nil
}
