package flow

import (
	"os"
	"testing"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"cuota/internal/embedded/clickhouse"
	"cuota/internal/embedded/clickhouse/clickhousetest"
	"cuota/projector"
)

func TestMain(m *testing.M) { os.Exit(clickhousetest.Main(m)) }

func TestAWaitTellsTheBatchThatIsBuilt(t *testing.T) {
	server := clickhousetest.Start(t, clickhouse.Config{Dir: t.TempDir()})
	if err := projector.MakeSchema(t.Context(), server.Options()); err != nil {
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
