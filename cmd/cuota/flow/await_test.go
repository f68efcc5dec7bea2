package flow

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"cuota/cmd/cuota/exit"
	"cuota/internal/embedded/clickhouse"
	"cuota/internal/embedded/clickhouse/clickhousetest"
	"cuota/projector/schema"
)

func TestMain(m *testing.M) { os.Exit(clickhousetest.Main(m)) }

func TestAWaitTellsTheBatchThatIsBuilt(t *testing.T) {
	server := clickhousetest.Start(t, clickhouse.Config{Dir: t.TempDir()})
	if err := schema.Make(t.Context(), server.Options()); err != nil {
		t.Fatal(err)
	}
	conn, err := driver.Open(server.Options())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	// A batch of which 9 of 36 projections are done and which never ends.
	for _, statement := range []string{
		"INSERT INTO batch_attempt (batch, started_at) VALUES (7, now())",
		"INSERT INTO batch_progress (batch, noted_at, done, projections) VALUES (7, now(), 9, 36)",
	} {
		if err := conn.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	w := &Waiter{ends: Ends{Conn: conn}}
	batch, err := w.batch(t.Context(), nil)
	if want := (awaitedBatch{Newest: 7, Building: true, Done: 9, Projections: 36}); err != nil || batch != want {
		t.Errorf("it is told %+v, %v, want %+v", batch, err, want)
	}
}

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
			{2 * time.Hour, observation{members: 1, batch: broken},
				"batch 7 failed, the projector builds another one: batch 7, projection day", false},
			{3 * time.Hour, observation{members: 1}, "all messages are stored", false},
		},
		"checks that refuse": {{0, observation{members: 1, batch: refused}, "refused: batch 7 failed its checks",
			true}},
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
				text := line.Text
				if err != nil {
					text = err.Error()
				}
				if !strings.Contains(text, look.text) {
					t.Errorf("after %s it tells %q, want %q", look.after, text, look.text)
				}
				if errors.Is(err, exit.ErrRefused) != look.batch.Refused {
					t.Errorf("after %s: %v", look.after, err)
				}
			}
		})
	}
}
