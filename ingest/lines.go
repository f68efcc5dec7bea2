package ingest

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// maxLine bounds a line, in bytes. The longest line seen has 348.
const maxLine = 64 << 10

// line is one line of a payload, decoded and without its line end.
type line struct {
	number uint32 // from 1
	text   string
	// flaw says why the text is damaged; empty when it is not.
	flaw string
}

// lineReader splits a payload into lines that end in LF or CRLF.
type lineReader struct {
	from   *bufio.Reader
	number uint32
	bytes  int64 // read so far
}

func newLineReader(r io.Reader) *lineReader {
	return &lineReader{from: bufio.NewReaderSize(r, maxLine)}
}

// The flaws of a line, as sentences for the person who mends the file.
const (
	flawLong    = "the line is longer than 64 KiB, the most that a row can have: the file is damaged, download it again"
	flawCut     = "the last line has no line end, so the file may be cut off and the last value of the row incomplete: download the file again, or add a line end if you know that the line is complete"
	flawControl = "the line has control characters, or bytes that are not text: the file is damaged, download it again"
)

// next returns the next line, and io.EOF after the last one.
func (l *lineReader) next() (line, error) {
	raw, err := l.from.ReadSlice('\n')
	l.bytes += int64(len(raw))
	if len(raw) == 0 && err != nil {
		return line{}, err
	}
	l.number++
	result := line{number: l.number}
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		result.flaw = flawLong
		result.text, _ = decode([]byte(cut(string(raw), maxRaw)))
		return result, l.skip()
	case errors.Is(err, io.EOF):
		result.flaw = flawCut
	case err != nil:
		return line{}, err
	}
	raw = bytes.TrimSuffix(bytes.TrimSuffix(raw, []byte("\n")), []byte("\r"))
	if l.number == 1 {
		raw = bytes.TrimPrefix(raw, []byte("\ufeff"))
	}
	text, clean := decode(raw)
	if !clean && result.flaw == "" {
		result.flaw = flawControl
	}
	result.text = text
	return result, nil
}

func (l *lineReader) position() (number uint32, bytes int64) { return l.number, l.bytes }

// skip discards the rest of a line that is too long.
func (l *lineReader) skip() error {
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
