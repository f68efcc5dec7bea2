package admin

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/rs/zerolog"

	embedded "cuota/internal/embedded/clickhouse"
	"cuota/internal/embedded/clickhouse/clickhousetest"
	"cuota/internal/metrics"
	"cuota/internal/testkit/waittest"
	"cuota/projector/schema"
)

func TestAFailedBuildIsAMetricOfEveryProcessThatReadsTheTables(t *testing.T) {
	t.Parallel()
	server := clickhousetest.Start(t, embedded.Config{Dir: t.TempDir()})
	if err := schema.Make(t.Context(), server.Options()); err != nil {
		t.Fatal(err)
	}
	conn, err := clickhouse.Open(server.Options())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	tables := TablesSource(conn, time.Now)
	m := metrics.New()
	poll := m.Poll(time.Millisecond, zerolog.Nop(), tables, PartsSource(conn))
	poll.Start()
	t.Cleanup(func() { _ = poll.Stop(t.Context()) })
	tells := func(line string) func() bool {
		return func() bool {
			reply := httptest.NewRecorder()
			m.Handler().ServeHTTP(reply, httptest.NewRequest(http.MethodGet, "/metrics", nil))
			return strings.Contains(reply.Body.String(), line)
		}
	}
	waittest.Until(t, "no build fails", tells("cuota_build_failing 0"))
	waittest.Until(t, "no part is broken", tells("cuota_broken_parts 0"))
	if err := conn.Exec(t.Context(),
		"INSERT INTO batch_failure (batch, failed_at, reason) VALUES (1, now(), 'a check')"); err != nil {
		t.Fatal(err)
	}
	waittest.Until(t, "a failed build is told", tells("cuota_build_failing 1"))
}
