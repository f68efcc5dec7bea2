package main

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"cuota/internal/eventlog"
)

func TestAWaitingCommandEndsWhenNothingCanCome(t *testing.T) {
	begun := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	type look struct {
		after time.Duration
		observation
		text string // part of the line or of the error
		ends bool
	}
	building := awaitedBatch{Newest: 7, Building: true, Done: 9, Projections: 36}
	broken := awaitedBatch{Newest: 7, Failed: 7, Reason: "batch 7, projection day: no memory"}
	refused := awaitedBatch{Newest: 7, Failed: 7, Reason: "batch 7 failed its checks", Refused: true}
	away := errors.New("connection refused")
	for what, looks := range map[string][]look{
		"facts, then a batch": {
			{0, observation{members: 1, lag: 1234, batch: building}, "1234 messages", false},
			{time.Hour, observation{members: 1, batch: building}, "building batch 7: 25 %", false},
			{2 * time.Hour, observation{members: 1, batch: broken}, "batch 7 failed, the projector builds another one: batch 7, projection day", false},
			{3 * time.Hour, observation{members: 1}, "all messages are stored", false},
		},
		"checks that refuse": {{0, observation{members: 1, batch: refused}, "refused: batch 7 failed its checks", true}},
		"no projector": {
			{0, observation{members: 0}, "waiting for a projector", false},
			{59 * time.Second, observation{members: 0}, "waiting for a projector", false},
			{60 * time.Second, observation{members: 0}, "start cuota project", true},
		},
		"a projector that comes back": {
			{0, observation{members: 0}, "waiting for a projector", false},
			{59 * time.Second, observation{members: 1}, "all messages are stored", false},
			{61 * time.Second, observation{members: 0}, "waiting for a projector", false},
			{122 * time.Second, observation{members: 0}, "start cuota project", true},
		},
		"servers that are away": {
			{0, observation{err: away}, "no answer, trying again: connection refused", false},
			{30 * time.Second, observation{members: 0}, "waiting for a projector", false},
			{60 * time.Second, observation{err: away}, "connection refused", true},
		},
		"messages that retention has removed": {{0, observation{err: &endedError{away}}, "connection refused", true}},
	} {
		t.Run(what, func(t *testing.T) {
			w := &watch{limit: time.Minute}
			for _, look := range looks {
				line, err := w.judge(look.observation, begun.Add(look.after))
				if (err != nil) != look.ends {
					t.Fatalf("after %s: %v, %v", look.after, line, err)
				}
				text := line.text
				if err != nil {
					text = err.Error()
				}
				if !strings.Contains(text, look.text) {
					t.Errorf("after %s it tells %q, want %q", look.after, text, look.text)
				}
				if errors.Is(err, errRefused) != look.batch.Refused {
					t.Errorf("after %s: %v", look.after, err)
				}
			}
		})
	}
}

func TestALogGetsLinesOfProgressAndATerminalOneLine(t *testing.T) {
	lines := []line{
		{"lag", "1000 messages", 1000}, {"lag", "900 messages", 900}, {"lag", "400 messages", 400},
		{"batch 7", "0 %", 0}, {"batch 7", "4 %", 4}, {"batch 7", "12 %", 12}, {"batch 7", "12 %", 12}, {"batch 8", "12 %", 12},
	}
	var log []string
	written := &progressLine{write: func(text string) { log = append(log, text) }}
	var screen bytes.Buffer
	rewritten := &progressLine{terminal: &screen}
	for _, l := range lines {
		written.line(l)
		rewritten.line(l)
	}
	written.end()
	rewritten.end()
	if want := []string{"1000 messages", "400 messages", "0 %", "12 %", "12 %"}; !slices.Equal(log, want) {
		t.Errorf("the log holds %q, want %q", log, want)
	}
	const erase = "\r\x1b[K"
	if want := erase + "1000 messages" + erase + "900 messages" + erase + "400 messages" + erase + "0 %" + erase + "4 %" + erase + "12 %" + erase; screen.String() != want {
		t.Errorf("the terminal gets %q, want %q", screen.String(), want)
	}
}

func TestATextFromElsewhereMovesNoCursorAndFitsALine(t *testing.T) {
	if got := bounded("a\x1b[2Jb\nc\u009bd"); strings.ContainsAny(got, "\x1b\n\u009b") {
		t.Errorf("%q", got)
	}
	if got := bounded(strings.Repeat("ñ", 1000)); len(got) > 200 || !strings.HasSuffix(got, "ñ…") {
		t.Errorf("%q", got)
	}
}

func TestBrokersThatStayAwayAreReportedWithARemedy(t *testing.T) {
	away := &eventlog.UnavailableError{Brokers: eventlog.At("kafka.example.org:9092"), After: time.Minute, Err: errors.New("connection refused")}
	told := advised(fmt.Errorf("ensure topics: %w", away), adviceServers).Error()
	for _, part := range []string{"kafka.example.org:9092", "1m0s", "connection refused", "CUOTA_KAFKA", "CUOTA_KAFKA_TLS", "CUOTA_KAFKA_SASL"} {
		if !strings.Contains(told, part) {
			t.Errorf("%q lacks %q", told, part)
		}
	}
	other := errors.New("another error")
	if got := advised(other, adviceServers); got != other {
		t.Errorf("another error became %v", got)
	}
	if advised(nil, adviceServers) != nil {
		t.Error("no error became one")
	}
}
