package httpapi_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"testing"
)

// A balancer asks another server only if this one answers.
func TestRequestsAreAnsweredWhileTheStartPrepares(t *testing.T) {
	t.Parallel()
	config := unlimited
	var err error
	config.Listener, err = (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	must(t, err)
	config.Listen = config.Listener.Addr().String()
	server, _ := newServer(t, config)
	asked, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+config.Listen+"/no/such/path", http.NoBody)
	must(t, err)
	status := 0
	must(t, server.Start(t.Context(), func() {
		reply, err := http.DefaultClient.Do(asked)
		must(t, err)
		must(t, reply.Body.Close())
		status = reply.StatusCode
	}))
	must(t, server.Stop(t.Context()))
	if status != http.StatusNotFound {
		t.Errorf("while it starts, the server answers %d", status)
	}
}

func TestAStopDuringAStartEndsWithItsContext(t *testing.T) {
	t.Parallel()
	config := unlimited
	config.Listen = "127.0.0.1:0"
	server, _ := newServer(t, config)
	ended, end := context.WithCancel(t.Context())
	end()
	var during error
	must(t, server.Start(t.Context(), func() { during = server.Stop(ended) }))
	if !errors.Is(during, context.Canceled) || server.Addr() == "" {
		t.Errorf("during the start Stop gives %v, and then the server has the address %q", during, server.Addr())
	}
	must(t, server.Stop(ended)) // no request is running
	if server.Addr() != "" {
		t.Errorf("after Stop the server has the address %q", server.Addr())
	}
}
