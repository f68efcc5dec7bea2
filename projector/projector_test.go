package projector_test

import (
	"context"
	"os"
	"testing"

	"cuota/internal/demotest"
	"cuota/internal/embedded/clickhouse/clickhousetest"
)

func TestMain(m *testing.M) { os.Exit(clickhousetest.Main(m)) }

func TestTheDemoMarketBecomesOneBatch(t *testing.T) {
	m := demotest.New(t)
	m.IngestDemo(t)
	batch := m.Build(t)
	var series uint64
	if err := m.Conn.QueryRow(context.Background(), "SELECT count() FROM screener WHERE batch = $1", batch).Scan(&series); err != nil {
		t.Fatal(err)
	}
	if series != 2840 {
		t.Errorf("%d series in the screener, want 2840", series)
	}
}
