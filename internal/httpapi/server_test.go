package httpapi_test

import (
	"context"
	"errors"
	"testing"
)

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
