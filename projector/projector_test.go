package projector_test

import (
	"context"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/ClickHouse/clickhouse-go/v2"

	"cuota/internal/embedded/clickhouse/clickhousetest"
	"cuota/internal/testkit/demotest"
)

func TestMain(m *testing.M) {
	os.Exit(clickhousetest.Main(m))
}

// publishedDemo returns the demo market in its first batch. Tests share it, so they can only read.
func publishedDemo(t *testing.T) *demotest.Market {
	t.Helper()
	options := demotest.Published(t)
	conn, err := clickhouse.Open(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return &demotest.Market{Options: options, Conn: conn}
}

func TestTheDemoMarketBecomesOneBatch(t *testing.T) {
	t.Parallel()
	m := publishedDemo(t)
	var series uint64
	if err := m.Conn.QueryRow(context.Background(),
		"SELECT count() FROM screener WHERE batch = (SELECT max(batch) FROM batch)").Scan(&series); err != nil {
		t.Fatal(err)
	}
	if series != 2840 {
		t.Errorf("%d series in the screener, want 2840", series)
	}
	t.Run("and the SQL of the README has an answer", func(t *testing.T) {
		readme, err := os.ReadFile("../README.md")
		if err != nil {
			t.Fatal(err)
		}
		people := asPeople(t, m)
		statements := regexp.MustCompile(
			`(?m)^curl 'http://127.0.0.1:8123/' --data (?:'(.*)'|"(.*)")$`).FindAllStringSubmatch(string(readme), -1)
		for _, found := range statements {
			statement, _, _ := strings.Cut(found[1]+found[2], " FORMAT ")
			if rows := count(t, people, "SELECT count() FROM ("+statement+")"); rows == 0 {
				t.Errorf("no rows: %s", statement)
			}
		}
		if len(statements) < 3 {
			t.Errorf("the README has %d statements, want 3 or more", len(statements))
		}
	})
}
