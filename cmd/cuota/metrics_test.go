package main

import (
	"io"
	"net"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"cuota/internal/testkit/longtest"
	"cuota/internal/testkit/waittest"
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
	succeed(t, "ingest", "cartola", "../../demo/files/cartola/cartola_9809_9810_20191014_20191231.txt", "--data", dir,
		"--wait")
	key := regexp.MustCompile(`cuota_[0-9A-Za-z_]{40,}`).FindString(succeed(t, "key", "create", "--data", dir,
		"--email", "a@example.org"))
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
		"cuota_engine_running 1", "cuota_build_failing 0", `cuota_source_up{source="kafka"} 1`,
		`cuota_part_ready{part="projector"} 1`,
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
	if _, body := fetch(t, admin+"/readyz"); !strings.Contains(body, `"engine"`) ||
		!strings.Contains(body, `"consumer"`) || !strings.Contains(body, `"projector"`) ||
		!strings.Contains(body, `"api"`) {
		t.Errorf("/readyz does not name every part: %s", body)
	}
	for _, name := range []string{"query/agf_ranking", "projector/publish"} {
		if !strings.Contains(log.String(), name) {
			t.Errorf("the log has no slow statement %s", name)
		}
	}
	r.interrupt(t)
}
