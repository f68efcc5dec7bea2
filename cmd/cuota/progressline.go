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

// line is a line of progress while a command waits. On a terminal it is rewritten at
// each change. Elsewhere a line is written when the stage changes, and within a stage
// when a percentage has passed another tenth or a number has halved or doubled.
type line struct {
	stage string
	text  string
	value int64
}

// buildingStage begins the stage of a line whose value is how many percent of a batch are
// built.
const buildingStage = "batch "

// same reports whether the line tells a reader of a log nothing new.
func (l line) same(before line) bool {
	if l.stage != before.stage {
		return false
	}
	if l.stage == "lag" {
		return bits.Len64(uint64(l.value)) == bits.Len64(uint64(before.value))
	}
	return l.value/10 == before.value/10
}

// progressLine writes lines of progress.
type progressLine struct {
	write    func(text string)
	terminal io.Writer // nil: new lines are passed to write
	last     line
	seen     func(line) // if set, it gets every line, also those that are not written
}

// newProgressLine returns a progressLine on standard error.
func newProgressLine() *progressLine {
	if onTerminal(os.Stderr) {
		return &progressLine{terminal: os.Stderr}
	}
	return &progressLine{write: func(text string) { fmt.Fprintln(os.Stderr, text) }}
}

func (t *progressLine) line(l line) {
	if t.seen != nil {
		t.seen(l)
	}
	switch {
	case t.terminal != nil && l.text != t.last.text:
		fmt.Fprint(t.terminal, eraseLine+l.text)
	case t.terminal == nil && !l.same(t.last):
		t.write(l.text)
	}
	t.last = l
}

// end clears the line on a terminal.
func (t *progressLine) end() {
	if t.terminal != nil && t.last.text != "" {
		fmt.Fprint(t.terminal, eraseLine)
	}
}

// eraseLine moves to the start of a terminal's line and clears it.
const eraseLine = "\r\x1b[K"

// visible replaces control characters that a terminal would obey.
func visible(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) || r == utf8.RuneError {
			return ' '
		}
		return r
	}, text)
}

// bounded shortens a text to one line.
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
