package compose

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"cuota/internal/testkit/waittest"
)

// balancer starts nginx with the rules of the balancer in front of servers, and returns its address.
func balancer(t *testing.T, servers ...string) string {
	t.Helper()
	program, err := exec.LookPath("nginx")
	if err != nil {
		program = "/usr/sbin/nginx" // is not in the PATH of every user
	}
	if _, err := os.Stat(program); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	rules, err := filepath.Abs("balancer.conf")
	if err != nil {
		t.Fatal(err)
	}
	at := freeAddress(t)
	var upstream strings.Builder
	for _, server := range servers {
		fmt.Fprintf(&upstream, "server %s max_fails=0; ", server)
	}
	var folders strings.Builder
	dir := t.TempDir()
	for _, what := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
		fmt.Fprintf(&folders, "%s_temp_path %s; ", what, filepath.Join(dir, what))
	}
	config := filepath.Join(dir, "nginx.conf")
	text := fmt.Sprintf("daemon off; master_process off; pid %s; error_log stderr; events {} http { access_log off; "+
		"%s upstream query { %s } server { listen %s; include %s; } }", filepath.Join(dir, "pid"), &folders, &upstream, at,
		rules)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	running := exec.CommandContext(t.Context(), program, "-e", "stderr", "-p", dir, "-c", config)
	running.Stderr = os.Stderr
	if err := running.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = running.Process.Kill()
		_ = running.Wait()
	})
	waittest.Until(t, "nginx listens", func() bool {
		conn, err := net.Dial("tcp", at)
		if err == nil {
			_ = conn.Close()
		}
		return err == nil
	})
	return "http://" + at
}

func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	return listener.Addr().String()
}

func TestTheBalancerMovesReadsToAServerThatAnswers(t *testing.T) {
	var asked, forwarded atomic.Int64
	behind := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	defer behind.Close()
	serving := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Forwarded-For") == "127.0.0.1" && strings.HasPrefix(r.Host, "127.0.0.1:") {
			forwarded.Add(1)
		}
		_, _ = io.WriteString(w, "an answer")
	}))
	defer serving.Close()
	api := balancer(t, behind.Listener.Addr().String(), freeAddress(t), serving.Listener.Addr().String())
	const rounds = 12
	for range rounds { // every server has its turn as the first
		resp, err := http.Get(api + "/api/batches")
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if err != nil || resp.StatusCode != http.StatusOK || string(text) != "an answer" {
			t.Errorf("a read gives %d: %s (%v)", resp.StatusCode, text, err)
		}
	}
	if asked.Load() == 0 || forwarded.Load() != rounds {
		t.Errorf("the server that is not ready was asked %d times, and the other knew the client %d times", asked.Load(),
			forwarded.Load())
	}
}

func TestTheBalancerSendsAChangeToOneServerOnly(t *testing.T) {
	var asked atomic.Int64
	refusing := func() string {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			asked.Add(1)
			w.WriteHeader(http.StatusServiceUnavailable)
		}))
		t.Cleanup(server.Close)
		return server.Listener.Addr().String()
	}
	api := balancer(t, refusing(), refusing())
	resp, err := http.Post(api+"/api/backtests", "application/json", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusServiceUnavailable || asked.Load() != 1 {
		t.Errorf("a POST gives %d, and %d servers got it", resp.StatusCode, asked.Load())
	}
	// After that, servers are still asked: a 503 does not count as a failure of theirs.
	resp, err = http.Get(api + "/")
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusServiceUnavailable || asked.Load() != 3 {
		t.Errorf("a read gives %d after %d requests", resp.StatusCode, asked.Load())
	}
}
