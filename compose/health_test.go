package compose

import (
	"net"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
)

func TestQueryIsHealthyExactlyWhileItSaysThatItIsReady(t *testing.T) {
	var status atomic.Int64
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet || r.URL.Path != "/readyz" {
			t.Errorf("asked for %s %s", r.Method, r.URL)
		}
		w.WriteHeader(int(status.Load()))
	}))
	address := api.Listener.Addr().String()
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	check := installations(t)["one copy"].Services["query"].Healthcheck.Test
	if len(check) != 4 || check[0] != "CMD" {
		t.Fatalf("the check of query is %q", check)
	}
	// Compose runs the check in this form: $$ stands for $. The port is that of this
	// test.
	script := strings.NewReplacer("$$", "$", "/8080", "/"+port).Replace(check[3])
	healthy := func() bool { return exec.CommandContext(t.Context(), check[1], check[2], script).Run() == nil }
	for said, want := range map[int64]bool{http.StatusOK: true, http.StatusServiceUnavailable: false,
		http.StatusNotFound: false} {
		status.Store(said)
		if got := healthy(); got != want {
			t.Errorf("healthy is %t with status %d", got, said)
		}
	}
	api.Close()
	if healthy() {
		t.Error("healthy when nobody answers")
	}
}
