package main

import (
	"fmt"
	"io"
	"math/bits"
	"os"
	"strings"
	"unicode"
	"unicode/utf8"
)

// line is what a command tells while it waits. On a terminal it is rewritten at each
// change. Elsewhere a line is written when the stage changes, and inside a stage when
// the value has passed a tenth of 100 or has halved or doubled.
type line struct {
	stage string
	text  string
	value int64
}

// same tells whether a reader of a log learns nothing new by the line.
func (l line) same(before line) bool {
	if l.stage != before.stage {
		return false
	}
	if l.stage == "lag" {
		return bits.Len64(uint64(l.value)) == bits.Len64(uint64(before.value))
	}
	return l.value/10 == before.value/10
}

// teller writes lines.
type teller struct {
	write    func(text string)
	terminal io.Writer // nil: write is called for what is new
	last     line
}

// newTeller tells on standard error.
func newTeller() *teller {
	if onTerminal(os.Stderr) {
		return &teller{terminal: os.Stderr}
	}
	return &teller{write: func(text string) { fmt.Fprintln(os.Stderr, text) }}
}

func (t *teller) line(l line) {
	switch {
	case t.terminal != nil && l.text != t.last.text:
		fmt.Fprint(t.terminal, eraseLine+l.text)
	case t.terminal == nil && !l.same(t.last):
		t.write(l.text)
	}
	t.last = l
}

// end clears the line.
func (t *teller) end() {
	if t.terminal != nil && t.last.text != "" {
		fmt.Fprint(t.terminal, eraseLine)
	}
}

// eraseLine goes to the beginning of a terminal's line and empties it.
const eraseLine = "\r\x1b[K"

// visible replaces characters that a terminal obeys.
func visible(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) || r == utf8.RuneError {
			return ' '
		}
		return r
	}, text)
}

// bounded fits a text into a line.
func bounded(text string) string {
	const room = 160
	text = visible(text)
	if len(text) <= room {
		return text
	}
	cut := room
	for !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + "…"
}
