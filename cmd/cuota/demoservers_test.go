package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"cuota/cmd/cuota/exit"
	"cuota/demo"
	"cuota/internal/account/accounttest"
	embedded "cuota/internal/embedded/clickhouse"
	"cuota/internal/embedded/clickhouse/clickhousetest"
	"cuota/internal/testkit/waittest"
)

// kafkaVariable names an Apache Kafka broker that has none of cuota's topics, such as
// that of scripts/test-kafka.
const kafkaVariable = "CUOTA_TEST_KAFKA"

// Everything runs on servers here: ClickHouse over native TCP with a password, Apache
// Kafka, and accounts in PostgreSQL.
func TestTheDemoGivesTheSameProjectionsOnServers(t *testing.T) {
	brokers := os.Getenv(kafkaVariable)
	if brokers == "" {
		t.Skip(kafkaVariable + " is not set")
	}
	accounts := accounttest.Postgres(t)
	want := func() string {
		whole := up(t, filepath.Join(t.TempDir(), "data"))
		defer whole.interrupt(t)
		return checksums(t, whole)
	}()

	store := clickhousetest.Start(t, embedded.Config{Dir: t.TempDir()})
	options := store.Options()
	env := installation{
		"CUOTA_KAFKA=" + brokers,
		fmt.Sprintf("CUOTA_CLICKHOUSE=clickhouse://%s:%s@%s/%s", options.Auth.Username, options.Auth.Password,
			options.Addr[0], options.Auth.Database),
		"CUOTA_ACCOUNTS=" + accounts.DSN,
		"CUOTA_PEPPER=" + filepath.Join(t.TempDir(), "pepper"),
		"CUOTA_ARCHIVE=" + filepath.Join(t.TempDir(), "archive"),
		"CUOTA_RETURNS=clp,real_uf",
	}
	awaitText(t, env.serve(t, "project"), `"message":"projecting"`)
	dir := filepath.Join(t.TempDir(), "demo")
	if err := demo.Extract(dir); err != nil {
		t.Fatal(err)
	}
	sources, err := demo.Sources()
	if err != nil {
		t.Fatal(err)
	}
	for i, source := range sources {
		args := []string{"ingest", string(source.Dataset), filepath.Join(dir, source.Path), "--published",
			source.Published.Format(time.RFC3339)}
		if i == len(sources)-1 {
			args = append(args, "--wait")
		}
		env.finish(t, args, exit.Rejected) // one of the files has rejected rows
	}
	conn, err := clickhouse.Open(options)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if got := lines(t, conn, checksumQuery()); got != want {
		t.Errorf("projections on servers:\n%s\non engines:\n%s", got, want)
	}

	key := strings.TrimSpace(env.finish(t, []string{"key", "create", "--email", "someone@example.org"}))
	serving := env.serve(t, "query", "--listen", "127.0.0.1:0")
	awaitText(t, serving, "serving the API")
	api := "http://" + regexp.MustCompile(`"address":"([^"]+)"[^\n]*"message":"serving the API"`).FindStringSubmatch(
		serving.String())[1]
	if status, body := ask(t, api+"/api/screener?sort=1y&order=desc&currency=PESOS", key); status != http.StatusOK ||
		!strings.Contains(body, `"series_count":2840`) {
		t.Errorf("the screener gives %d: %.300s", status, body)
	}
	if status, body := ask(t, api+"/api/real_assets/1161378270/returns?as_of_date=2024-02-29&valuation=real_uf",
		key); status != http.StatusOK {
		t.Errorf("returns of a past date give %d: %.300s", status, body)
	}
	env.finish(t, []string{"key", "revoke", "someone@example.org"})
	waittest.Until(t, "the revoked key is refused", func() bool {
		status, _ := ask(t, api+"/api/screener", key)
		return status == http.StatusUnauthorized
	})
}

// lines returns the result of a query in the format of the HTTP interface.
func lines(t *testing.T, conn driver.Conn, query string) string {
	t.Helper()
	rows, err := conn.Query(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for rows.Next() {
		var name string
		var count, hash uint64
		if err := rows.Scan(&name, &count, &hash); err != nil {
			t.Fatal(err)
		}
		all = append(all, fmt.Sprintf("%s\t%d\t%d", name, count, hash))
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return strings.Join(all, "\n")
}
