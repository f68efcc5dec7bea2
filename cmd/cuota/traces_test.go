package main

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"cuota/internal/testkit/longtest"
	"cuota/internal/traces/tracestest"
)

// askWithin sends a request that is a part of a trace.
func askWithin(t *testing.T, address, key, traceparent string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("X-Api-Key", key)
	request.Header.Set("traceparent", traceparent)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if response.StatusCode != http.StatusOK {
		t.Errorf("%s answers with %s", address, response.Status)
	}
}

func TestSpansOfRequestsAndStatementsGoToTheCollector(t *testing.T) {
	t.Parallel()
	const ranking, csv, unsampled, caller = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb",
		"cccccccccccccccccccccccccccccccc", "00f067aa0ba902b7"
	receiver := tracestest.New(t, nil)
	dir, log := directoryWithBatch(t), &transcript{}
	key := strings.TrimSpace(succeed(t, "key", "create", "--data", dir, "--email", "a@example.org"))
	r := upIn(t, []string{"OTEL_EXPORTER_OTLP_ENDPOINT=" + receiver.URL, "OTEL_SERVICE_NAME=funds",
		"OTEL_EXPORTER_OTLP_HEADERS=authorization=Bearer%20sesame", "OTEL_TRACES_SAMPLER_ARG=0",
		"CUOTA_SLOW_STATEMENT=1ns"}, log, dir, "--no-demo")
	askWithin(t, r.api+"/api/agf_stats/ranking?date=2019-12-30", key, "00-"+ranking+"-"+caller+"-01")
	askWithin(t, r.api+"/api/screener?format=csv", key, "00-"+csv+"-"+caller+"-01")
	askWithin(t, r.api+"/api/screener?limit=1", key, "00-"+unsampled+"-"+caller+"-00")
	if status, body := ask(t, r.api+"/api/screener?limit=2", key); status != http.StatusOK {
		t.Errorf("status %d: %s", status, body)
	}
	r.interrupt(t)

	servers, statements := map[string]tracestest.Span{}, map[string][]string{}
	for _, span := range receiver.Spans() {
		if span.Kind == 2 {
			servers[span.Trace] = span
		}
	}
	for _, span := range receiver.Spans() {
		if span.Service != "funds" || span.Began.After(span.Ended) {
			t.Errorf("%+v", span)
		}
		if span.Kind == 2 {
			continue
		}
		statements[span.Trace] = append(statements[span.Trace], span.Name)
		if server := servers[span.Trace]; span.Kind != 3 || span.Parent != server.ID ||
			span.Attributes["db.system.name"] != "clickhouse" || span.Began.Before(server.Began) ||
			span.Ended.After(server.Ended) {
			t.Errorf("%+v is no part of %+v", span, server)
		}
	}
	for trace, want := range map[string]struct{ name, statement string }{
		ranking: {"GET /api/agf_stats/ranking", "query/"}, csv: {"GET /api/screener", "query/rows_screener"},
	} {
		span := servers[trace]
		if span.Name != want.name || span.Parent != caller || span.Status != 0 ||
			span.Attributes["http.response.status_code"] != int64(http.StatusOK) {
			t.Errorf("%s: %+v", want.name, span)
		}
		if names := strings.Join(statements[trace], " "); !strings.Contains(names, want.statement) {
			t.Errorf("%s ran the statements %q", want.name, names)
		}
		if slow := `"trace_id":"` + trace + `"[^\n]*"message":"a statement was slow"`; !regexp.MustCompile(slow).
			MatchString(log.String()) {
			t.Errorf("no slow statement is logged with the trace %s", trace)
		}
	}
	if len(servers) != 2 {
		t.Errorf("there are spans of %d requests, want 2: %+v", len(servers), servers)
	}
	posts := receiver.Posts()
	for _, headers := range posts {
		if headers.Get("Authorization") != "Bearer sesame" {
			t.Errorf("a post has the headers %v", headers)
		}
	}
	if len(posts) == 0 || strings.Contains(log.String(), "sesame") {
		t.Errorf("%d posts, and the log is\n%s", len(posts), log)
	}
}

func TestACollectorThatIsAwayDisturbsNobody(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	away := tracestest.New(t, nil)
	away.Close()
	dir, log := directoryWithBatch(t), &transcript{}
	key := strings.TrimSpace(succeed(t, "key", "create", "--data", dir, "--email", "a@example.org"))
	r := upIn(t, []string{"OTEL_EXPORTER_OTLP_ENDPOINT=" + away.URL}, log, dir, "--no-demo")
	const warning = "the collector of traces does not take spans"
	for range 3 {
		if status, body := ask(t, r.api+"/api/screener?limit=1", key); status != http.StatusOK {
			t.Errorf("status %d: %s", status, body)
		}
	}
	awaitText(t, log, warning)
	if status, body := ask(t, r.api+"/api/screener?limit=1", key); status != http.StatusOK {
		t.Errorf("status %d: %s", status, body)
	}
	r.interrupt(t)
	if strings.Count(log.String(), warning) != 1 {
		t.Errorf("the log warns not once:\n%s", log)
	}
}
