package main

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/rs/zerolog"

	embedded "cuota/internal/embedded/clickhouse"
	"cuota/internal/embedded/clickhouse/clickhousetest"
	"cuota/internal/metrics"
	"cuota/internal/testkit/longtest"
	"cuota/internal/testkit/waittest"
	"cuota/projector"
)

var greetedAdmin = regexp.MustCompile(`metrics +(http://\S+)/metrics`)

// fetch returns status and body of a page.
func fetch(t *testing.T, address string) (int, string) {
	t.Helper()
	response, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(body)
}

// series returns the names of the metrics in a scrape.
func series(t *testing.T, text string) map[string]bool {
	t.Helper()
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(text))
	if err != nil {
		t.Fatalf("a scrape can't be read: %v", err)
	}
	names := map[string]bool{}
	for name := range families {
		names[name] = true
	}
	return names
}

func TestARunningUpTellsEveryMetricOfTheReference(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	dir := directoryWithTables(t)
	log := &transcript{}
	r := upIn(t, []string{"CUOTA_SLOW_STATEMENT=1ns"}, log, dir, "--no-demo")
	found := greetedAdmin.FindStringSubmatch(r.greeting)
	if found == nil {
		t.Fatalf("the greeting names no metrics:\n%s", r.greeting)
	}
	admin := found[1]
	succeed(t, "ingest", "cartola", "../../demo/files/cartola/cartola_9809_9810_20191014_20191231.txt", "--data", dir, "--wait")
	key := regexp.MustCompile(`cuota_[0-9A-Za-z_]{40,}`).FindString(succeed(t, "key", "create", "--data", dir, "--email", "a@example.org"))
	request, err := http.NewRequest(http.MethodGet, r.api+"/api/agf_stats/ranking?date=2019-12-30", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("X-Api-Key", key)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if response.StatusCode != http.StatusOK {
		t.Fatalf("the API answers with %s", response.Status)
	}
	malformed, err := net.Dial("tcp", strings.TrimPrefix(r.api, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = io.WriteString(malformed, "no HTTP\r\n\r\n")
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.ReadAll(malformed)
	_ = malformed.Close()

	reference, err := os.ReadFile("../../docs/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	documented := regexp.MustCompile("(?m)^\\| `(cuota_[a-z_]+)` \\|").FindAllStringSubmatch(string(reference), -1)
	if len(documented) < 30 {
		t.Fatalf("only %d metrics are documented: the search is broken", len(documented))
	}
	var missing []string
	t.Cleanup(func() {
		if len(missing) > 0 {
			t.Errorf("a scrape lacks %v", missing)
		}
	})
	waittest.Until(t, "the sources of metrics are read after the batch", func() bool {
		_, text := fetch(t, admin+"/metrics")
		told := series(t, text)
		missing = nil
		for _, row := range documented {
			if !told[row[1]] {
				missing = append(missing, row[1])
			}
			delete(told, row[1])
		}
		for name := range told {
			if strings.HasPrefix(name, "cuota_") {
				t.Errorf("%s is not documented", name)
			}
		}
		return len(missing) == 0 || t.Failed()
	})
	_, text := fetch(t, admin+"/metrics")
	for _, want := range []string{
		`cuota_http_request_seconds_count{route="/api/agf_stats/ranking",source="clickhouse",status="2xx"} 1`,
		"cuota_engine_running 1", "cuota_build_failing 0", `cuota_source_up{source="kafka"} 1`, `cuota_part_ready{part="projector"} 1`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("a scrape lacks %s", want)
		}
	}
	for _, page := range []string{admin + "/livez", admin + "/readyz", r.api + "/livez", r.api + "/readyz"} {
		if status, body := fetch(t, page); status != http.StatusOK {
			t.Errorf("%s answers with %d: %s", page, status, body)
		}
	}
	if _, body := fetch(t, admin+"/readyz"); !strings.Contains(body, `"engine"`) || !strings.Contains(body, `"consumer"`) || !strings.Contains(body, `"projector"`) || !strings.Contains(body, `"api"`) {
		t.Errorf("/readyz does not name every part: %s", body)
	}
	for _, name := range []string{"query/agf_ranking", "projector/publish"} {
		if !strings.Contains(log.String(), name) {
			t.Errorf("the log has no slow statement %s", name)
		}
	}
	r.interrupt(t)
}

func TestAFailedBuildIsAMetricOfEveryProcessThatReadsTheTables(t *testing.T) {
	t.Parallel()
	server := clickhousetest.Start(t, embedded.Config{Dir: t.TempDir()})
	if err := projector.MakeSchema(t.Context(), server.Options()); err != nil {
		t.Fatal(err)
	}
	conn, err := clickhouse.Open(server.Options())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	tables := tablesSource(conn, time.Now)
	m := metrics.New()
	poll := m.Poll(time.Millisecond, zerolog.Nop(), tables, partsSource(conn))
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
	if err := conn.Exec(t.Context(), "INSERT INTO batch_failure (batch, failed_at, reason) VALUES (1, now(), 'a check')"); err != nil {
		t.Fatal(err)
	}
	waittest.Until(t, "a failed build is told", tells("cuota_build_failing 1"))
}

// A page whose name leads to this machine must not read metrics through the browser of an operator.
func TestTheAdminAddressAnswersOnlyToItsOwnNames(t *testing.T) {
	a, err := openAdmin(t.Context(), "127.0.0.1:0", zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	a.start()
	a.allStarted()
	defer func() {
		if err := a.stop(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	}()
	for host, want := range map[string]int{
		"": http.StatusOK, "localhost": http.StatusOK, "LOCALHOST:9091": http.StatusOK, "[::1]:9091": http.StatusOK,
		"evil.example.org": http.StatusForbidden, "localhost.example.org": http.StatusForbidden, "project": http.StatusForbidden, "192.0.2.1": http.StatusForbidden,
	} {
		for _, path := range []string{"/metrics", "/livez", "/readyz"} {
			request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+a.addr()+path, nil)
			if err != nil {
				t.Fatal(err)
			}
			request.Host = host
			answer, err := http.DefaultClient.Do(request)
			if err != nil {
				t.Fatal(err)
			}
			_ = answer.Body.Close()
			if answer.StatusCode != want {
				t.Errorf("%s as %q answers %d, want %d", path, host, answer.StatusCode, want)
			}
		}
	}
	for host, want := range map[string]bool{
		"localhost": true, "project": true, "192.0.2.1": true, "admin.example.org": true, "evil.example.org": false, "": false,
	} {
		if got := operatorsName(host, false, "admin.example.org"); got != want {
			t.Errorf("at an address of the network, %q is answered: %v", host, got)
		}
	}
}

func TestAnAddressThatIsTakenIsAnErrorOnlyIfItWasAskedFor(t *testing.T) {
	taken, err := net.Listen("tcp", defaultAdmin)
	if err != nil {
		t.Logf("another process has %s already", defaultAdmin)
	} else {
		defer func() { _ = taken.Close() }()
	}
	for address, wrong := range map[string]bool{"": false, noAdmin: false, "127.0.0.1:0": false, defaultAdmin: true, "nowhere": true} {
		a, err := openAdmin(t.Context(), address, zerolog.Nop())
		if (err != nil) != wrong {
			t.Errorf("%q: %v", address, err)
		}
		if err != nil {
			continue
		}
		if served := a.addr() != ""; served != (address == "127.0.0.1:0") {
			t.Errorf("%q: served at %q", address, a.addr())
		}
		if err := a.stop(t.Context()); err != nil {
			t.Error(err)
		}
	}
}
