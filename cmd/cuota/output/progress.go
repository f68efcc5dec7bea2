package output

import (
	"fmt"
	"io"
	"math/bits"
	"os"
)

// Line is a line of progress while a command waits. On a terminal it is rewritten at
// each change. Elsewhere a line is written when the stage changes, and within a stage
// when a percentage has passed another tenth or a number has halved or doubled.
type Line struct {
	Stage string
	Text  string
	Value int64
}

// BuildingStage begins the stage of a line whose value is how many percent of a batch are
// built.
const BuildingStage = "batch "

// same reports whether the line tells a reader of a log nothing new.
func (l Line) same(before Line) bool {
	if l.Stage != before.Stage {
		return false
	}
	if l.Stage == "lag" {
		return bits.Len64(uint64(l.Value)) == bits.Len64(uint64(before.Value))
	}
	return l.Value/10 == before.Value/10
}

// Progress writes lines of progress.
type Progress struct {
	write    func(text string)
	terminal io.Writer // nil: new lines are passed to write
	last     Line
	Seen     func(Line) // if set, it gets every line, also those that are not written
}

// NewProgress returns a Progress on standard error.
func NewProgress() *Progress {
	if OnTerminal(os.Stderr) {
		return &Progress{terminal: os.Stderr}
	}
	return ProgressTo(func(text string) { fmt.Fprintln(os.Stderr, text) })
}

// ProgressTo returns a Progress that passes its lines to write.
func ProgressTo(write func(text string)) *Progress { return &Progress{write: write} }

// Show shows a line, unless it says nothing new.
func (t *Progress) Show(l Line) {
	if t.Seen != nil {
		t.Seen(l)
	}
	switch {
	case t.terminal != nil && l.Text != t.last.Text:
		fmt.Fprint(t.terminal, eraseLine+l.Text)
	case t.terminal == nil && !l.same(t.last):
		t.write(l.Text)
	}
	t.last = l
}

// LastText returns the text of the newest line; "" before the first.
func (t *Progress) LastText() string { return t.last.Text }

// End clears the line on a terminal.
func (t *Progress) End() {
	if t.terminal != nil && t.last.Text != "" {
		fmt.Fprint(t.terminal, eraseLine)
	}
}

// eraseLine moves to the start of a terminal's line and clears it.
const eraseLine = "\r\x1b[K"
