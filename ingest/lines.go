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

// maxLine bounds a line, in bytes. The longest seen has 348.
const maxLine = 64 << 10

// line is one line of a payload, decoded and without its end.
type line struct {
	number uint32 // from 1
	text   string
	// flaw says why the text can't be trusted; empty when it can.
	flaw string
}

// lineReader cuts a payload into lines ended by LF or CRLF.
type lineReader struct {
	from   *bufio.Reader
	number uint32
	bytes  int64 // read so far
}

func newLineReader(r io.Reader) *lineReader {
	return &lineReader{from: bufio.NewReaderSize(r, maxLine)}
}

// The flaws of a line, as sentences for whoever mends the file.
const (
	flawLong    = "the line is longer than 64 KiB, which no row is: the file is damaged, download it again"
	flawCut     = "the last line has no line end, so the file was cut off there and the row's last value may be incomplete: download the file again, or end the line if it is known to be whole"
	flawControl = "the line holds control characters or bytes that are no text: the file is damaged, download it again"
)

// next gives the next line; io.EOF after the last one.
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

// skip reads on to the end of a line that is too long.
func (l *lineReader) skip() error {
	for {
		rest, err := l.from.ReadSlice('\n')
		l.bytes += int64(len(rest))
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF):
			return nil // told by the next call
		default:
			return err
		}
	}
}

// decode reads bytes as UTF-8, and where they are not UTF-8 as Latin-1 in the
// form that is met in practice, Windows-1252. Going line by line confines one
// damaged line to itself. It tells whether the text is free of ASCII control
// characters, tabs apart, and of marks of lost ones. Those above ASCII stay:
// names that a source has encoded twice hold them ("RENTA MÃ\u0081S").
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
