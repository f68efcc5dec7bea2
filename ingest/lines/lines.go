// Package lines cuts a payload into lines, or a saved web page into the rows of its table, and
// decodes their text.
package lines

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"cuota/ingest/excerpt"
)

// MaxLine bounds a line, in bytes. The longest line seen has 348.
const MaxLine = 64 << 10

// Line is one line of a payload, decoded and without its line end.
type Line struct {
	Number uint32 // from 1
	Text   string
	// Flaw says why the text is damaged; empty when it is not.
	Flaw string
}

// Reader splits a payload into lines that end in LF or CRLF.
type Reader struct {
	from   *bufio.Reader
	number uint32
	bytes  int64 // read so far
}

// NewReader makes a Reader of a payload.
func NewReader(r io.Reader) *Reader {
	return &Reader{from: bufio.NewReaderSize(r, MaxLine)}
}

// The flaws of a line, as sentences for the person who mends the file.
const (
	FlawLong = "the line is longer than 64 KiB, the most that a row can have: the file is damaged, download it again"
	FlawCut  = "the last line has no line end, so the file may be cut off and the last value of the row " +
		"incomplete: download the file again, or add a line end if you know that the line is complete"
	flawControl = "the line has control characters, or bytes that are not text: the file is damaged, download it again"
)

// Next returns the next line, and io.EOF after the last one.
func (l *Reader) Next() (Line, error) {
	raw, err := l.from.ReadSlice('\n')
	l.bytes += int64(len(raw))
	if len(raw) == 0 && err != nil {
		return Line{}, err
	}
	l.number++
	result := Line{Number: l.number}
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		result.Flaw = FlawLong
		result.Text, _ = decode([]byte(excerpt.Row(string(raw))))
		return result, l.skip()
	case errors.Is(err, io.EOF):
		result.Flaw = FlawCut
	case err != nil:
		return Line{}, err
	}
	raw = bytes.TrimSuffix(bytes.TrimSuffix(raw, []byte("\n")), []byte("\r"))
	if l.number == 1 {
		raw = bytes.TrimPrefix(raw, []byte("\ufeff"))
	}
	text, clean := decode(raw)
	if !clean && result.Flaw == "" {
		result.Flaw = flawControl
	}
	result.Text = text
	return result, nil
}

// Position returns the number of the last line that Next returned, and the bytes read.
func (l *Reader) Position() (number uint32, bytes int64) { return l.number, l.bytes }

// skip discards the rest of a line that is too long.
func (l *Reader) skip() error {
	for {
		rest, err := l.from.ReadSlice('\n')
		l.bytes += int64(len(rest))
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF):
			return nil // the next call reports the end
		default:
			return err
		}
	}
}

// decode reads bytes as UTF-8, and where they are not UTF-8 as Windows-1252, the form of
// Latin-1 that occurs in practice. It decodes line by line, so that damage in one line
// does not affect the others. clean says that the text holds no ASCII control characters
// except tabs, and no replacement characters. Control characters above ASCII are kept,
// because names that a source has encoded twice contain them ("RENTA MÃ\u0081S").
func decode(raw []byte) (text string, clean bool) {
	clean, ascii := true, true
	for _, b := range raw {
		if b < ' ' && b != '\t' || b == 0x7f {
			clean = false
		}
		if b >= utf8.RuneSelf {
			ascii = false
		}
	}
	if ascii {
		return string(raw), clean
	}
	if utf8.Valid(raw) {
		text = string(raw)
	} else {
		decoded, err := charmap.Windows1252.NewDecoder().Bytes(raw)
		if err != nil { // not known to happen: every byte maps to a rune
			return strings.ToValidUTF8(string(raw), "\ufffd"), false
		}
		text = string(decoded)
	}
	return text, clean && !strings.ContainsRune(text, utf8.RuneError)
}
