package clickhouse_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	embedded "cuota/internal/embedded/clickhouse"
	"cuota/internal/embedded/clickhouse/clickhousetest"
)

// A web page whose name stands for 127.0.0.1 (DNS rebinding) could read the answers of this port.
func TestThePrivateHTTPPortAnswersOnlyUnderItsAddress(t *testing.T) {
	server := clickhousetest.Start(t, embedded.Config{Dir: t.TempDir(), HTTP: listen(t), Native: listen(t)})
	private := server.HTTP()
	ask := func(path, host string) (int, string) {
		t.Helper()
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+private+path, nil)
		must(t, err)
		request.Host = host
		got, err := http.DefaultTransport.RoundTrip(request)
		must(t, err)
		defer func() { _ = got.Body.Close() }()
		body, err := io.ReadAll(got.Body)
		must(t, err)
		return got.StatusCode, string(body)
	}
	const query = "/?user=people&query=SELECT+40%2B2"
	if status, body := ask(query, private); status != http.StatusOK || strings.TrimSpace(body) != "42" {
		t.Errorf("under its address: %d %s", status, body)
	}
	if status, body := ask("/ping", private); status != http.StatusOK || body != "Ok.\n" {
		t.Errorf("ping: %d %q", status, body)
	}
	_, port, _ := strings.Cut(private, ":")
	for _, host := range []string{"evil.example:" + port, "evil.example", "localhost:" + port, "127.0.0.1",
		private + ".evil.example"} {
		for _, path := range []string{query, "/ping", "/play", "/dashboard", "/replicas_status"} {
			if status, body := ask(path, host); status != http.StatusNotFound || strings.Contains(body, "42") {
				t.Errorf("%s as %s: %d %.200s", path, host, status, body)
			}
		}
	}
	for _, path := range []string{"/play", "/dashboard"} {
		if status, body := ask(path, private); strings.Contains(body, "<html") {
			t.Errorf("%s: %d %.100s", path, status, body)
		}
	}
}
