package projector_test

import (
	"context"
	"strings"
	"testing"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/google/go-cmp/cmp"

	"cuota/internal/testkit/demotest"
	"cuota/model"
	"cuota/projector"
)

func TestNoBatchIsBuiltWithoutTheRowsThatComeWithTheSchema(t *testing.T) {
	t.Parallel()
	m := demotest.New(t)
	m.Ingest(t, model.Cartola, historyOf(t)[0], demotest.Clock)
	published := m.Build(t)
	want := demotest.Checksums(t, m.Conn, published)
	if err := m.Conn.Exec(t.Context(), "ALTER TABLE reference_category DELETE WHERE 1 SETTINGS mutations_sync = 2"); err != nil {
		t.Fatal(err)
	}
	if _, err := another(t, m.Conn).Build(t.Context(), false); err == nil || !strings.Contains(err.Error(), "rows of reference_category, which a migration inserts, are missing") {
		t.Fatalf("the batch ended with %v", err)
	}
	if damaged := count(t, m, "SELECT count() FROM batch_damage WHERE batch = $1", published); damaged == 0 {
		t.Error("the published batch does not count as damaged")
	}
	if err := projector.MigrateAgain(t.Context(), m.Options, ""); err != nil {
		t.Fatal(err)
	}
	next, err := another(t, m.Conn).Build(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, demotest.Checksums(t, m.Conn, next)); diff != "" {
		t.Errorf("projections differ (-before +after the rows were lost and brought back):\n%s", diff)
	}
	if damaged := count(t, m, "SELECT count() FROM batch_damage WHERE batch = $1", next); damaged != 0 {
		t.Error("the new batch counts as damaged")
	}
}

// slowInspection is a connection on which an inspection blocks.
type slowInspection struct {
	driver.Conn
	reached, goOn chan struct{}
}

func (s *slowInspection) Select(ctx context.Context, dest any, query string, args ...any) error {
	if strings.Contains(query, "batch_damage") {
		select {
		case s.reached <- struct{}{}:
			<-s.goOn
		default:
		}
	}
	return s.Conn.Select(ctx, dest, query, args...)
}

func TestACopyOfTheTablesDoesNotWaitForAnInspection(t *testing.T) {
	t.Parallel()
	m := demotest.New(t)
	m.Ingest(t, model.Cartola, historyOf(t)[0], demotest.Clock)
	m.Build(t)
	conn := &slowInspection{Conn: m.Conn, reached: make(chan struct{}), goOn: make(chan struct{})}
	p := another(t, conn)
	ended := make(chan error, 1)
	go func() {
		_, err := p.Build(t.Context(), false)
		ended <- err
	}()
	<-conn.reached
	if err := p.Hold(t.Context(), func(context.Context) error { return nil }); err != nil {
		t.Fatal(err)
	}
	close(conn.goOn)
	if err := <-ended; err != nil {
		t.Errorf("the batch ended with %v", err)
	}
}
