package output

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

func TestALogGetsLinesOfProgressAndATerminalOneLine(t *testing.T) {
	lines := []Line{
		{"lag", "1000 messages", 1000}, {"lag", "900 messages", 900}, {"lag", "400 messages", 400},
		{"batch 7", "0 %", 0}, {"batch 7", "4 %", 4}, {"batch 7", "12 %", 12}, {"batch 7", "12 %", 12},
		{"batch 8", "12 %", 12},
	}
	var log []string
	written := &Progress{write: func(text string) { log = append(log, text) }}
	var screen bytes.Buffer
	rewritten := &Progress{terminal: &screen}
	for _, l := range lines {
		written.Show(l)
		rewritten.Show(l)
	}
	written.End()
	rewritten.End()
	if want := []string{"1000 messages", "400 messages", "0 %", "12 %", "12 %"}; !slices.Equal(log, want) {
		t.Errorf("the log holds %q, want %q", log, want)
	}
	const erase = "\r\x1b[K"
	if want := erase + "1000 messages" + erase + "900 messages" + erase + "400 messages" + erase + "0 %" + erase +
		"4 %" + erase + "12 %" + erase; screen.String() != want {
		t.Errorf("the terminal gets %q, want %q", screen.String(), want)
	}
}

func TestATextFromElsewhereMovesNoCursorAndFitsALine(t *testing.T) {
	if got := Bounded("a\x1b[2Jb\nc\u009bd"); strings.ContainsAny(got, "\x1b\n\u009b") {
		t.Errorf("%q", got)
	}
	if got := Bounded(strings.Repeat("ñ", 1000)); len(got) > 200 || !strings.HasSuffix(got, "ñ…") {
		t.Errorf("%q", got)
	}
}
