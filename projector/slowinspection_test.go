package projector_test

import (
	"context"
	"strings"
	"testing"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/model"
)

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
	longtest.Skip(t)
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
