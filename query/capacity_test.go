package query_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"cuota/internal/testkit/longtest"
	"cuota/internal/testkit/waittest"
	"cuota/query"
)

func TestAboveItsCapacityAServerRefusesAtOnce(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	const atOnce, waiting, refused = 2, 3, 20
	config := unlimited
	config.HTTP.AtOnce, config.HTTP.Waiting = atOnce, waiting
	r := newRig(t, published(t), config)
	gate := make(chan struct{})
	var asking, most, made atomic.Int64
	making := r.making(t, func(_ context.Context, w io.Writer) error {
		now := asking.Add(1)
		defer asking.Add(-1)
		for before := most.Load(); now > before && !most.CompareAndSwap(before, now); before = most.Load() {
		}
		made.Add(1)
		<-gate
		_, err := io.WriteString(w, `{"data":[]}`)
		return err
	})
	ask := func(n int) answer {
		return serve(making.Handler(), r.request(http.MethodGet, fmt.Sprintf("/making?n=%d", n)))
	}

	admitted := make([]answer, atOnce+waiting)
	var wait sync.WaitGroup
	for n := range admitted {
		wait.Go(func() { admitted[n] = ask(n) })
	}
	waittest.Until(t, "all places are taken", func() bool {
		return making.Load().Requests == atOnce+waiting && asking.Load() == atOnce
	})

	// No statement ends until the gate opens, so a reply that comes now did not wait for
	// one.
	for n := range refused {
		got := ask(100 + n)
		wantCode(t, got, http.StatusServiceUnavailable, "overloaded")
		if seconds, err := strconv.Atoi(got.header.Get("Retry-After")); err != nil || seconds < 1 {
			t.Fatalf("Retry-After %q", got.header.Get("Retry-After"))
		}
	}
	t.Run("a batch that is named is looked up in turn too", func(t *testing.T) {
		wantCode(t, serve(making.Handler(), r.request(http.MethodGet, "/api/screener?batch_id=another")),
			http.StatusServiceUnavailable, "overloaded")
	})
	t.Run("what is in memory is answered meanwhile", func(t *testing.T) {
		wantStatus(t, r.get(t, "/api/screener"), http.StatusOK)
		wantStatus(t, r.get(t, "/health"), http.StatusOK)
	})
	t.Run("a reply that is being made is shared and takes no place", func(t *testing.T) {
		var shared answer
		var join sync.WaitGroup
		join.Go(func() { shared = ask(0) })
		close(gate)
		join.Wait()
		wantStatus(t, shared, http.StatusOK)
	})
	wait.Wait()
	for n, got := range admitted {
		if got.status != http.StatusOK || string(got.body) != `{"data":[]}` {
			t.Errorf("the request %d that was let in: %d %s", n, got.status, got.body)
		}
	}
	if most.Load() != atOnce || made.Load() != atOnce+waiting {
		t.Errorf("%d asked at once and %d in all, want %d and %d", most.Load(), made.Load(), atOnce, atOnce+waiting)
	}
	if making.Load().Requests != 0 {
		t.Errorf("%d places are still taken", making.Load().Requests)
	}
	wantStatus(t, ask(500), http.StatusOK)
}

func TestARequestThatFailsGivesItsPlaceBack(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	config := unlimited
	config.HTTP.AtOnce, config.HTTP.Waiting = 1, 1
	r := newRig(t, published(t), config)
	var made atomic.Int64
	making := r.making(t, func(_ context.Context, w io.Writer) error {
		switch asked := made.Add(1); asked % 3 {
		case 0:
			panic("a fault")
		case 1:
			return query.ErrUnread
		default:
			_, _ = w.Write(halfReply)
			return query.ErrUnread // the reply is cut off
		}
	})
	for n := range 12 {
		func() {
			defer func() { _ = recover() }() // net/http cuts the connection off
			serve(making.Handler(), r.request(http.MethodGet, fmt.Sprintf("/making?n=%d", n)))
		}()
		if making.Load().Requests != 0 {
			t.Fatalf("after %d requests that failed %d places are taken", n+1, making.Load().Requests)
		}
	}
}

func TestRepliesThatSlowClientsHaveNotTakenAreBounded(t *testing.T) {
	t.Parallel()
	const atOnce, waiting, sending = 1, 1, 2
	config := unlimited
	config.HTTP.AtOnce, config.HTTP.Waiting, config.HTTP.Sending = atOnce, waiting, sending
	r := newRig(t, published(t), config)
	making := r.making(t, func(_ context.Context, w io.Writer) error {
		_, err := w.Write(completeReply)
		return err
	})
	var slow []*blocked
	var wait sync.WaitGroup
	for n := range atOnce + waiting + sending {
		client := newBlocked()
		slow = append(slow, client)
		request := r.request(http.MethodGet, fmt.Sprintf("/making?n=%d", n))
		wait.Go(func() { making.Handler().ServeHTTP(client, request) })
		<-client.entered // its reply is complete, and it does not read it
	}
	wantCode(t, serve(making.Handler(), r.request(http.MethodGet, "/making?n=100")), http.StatusServiceUnavailable,
		"overloaded")
	close(slow[0].release)
	waittest.Until(t, "one has taken its reply", func() bool { return making.Load().Requests < atOnce+waiting+sending })
	wantStatus(t, serve(making.Handler(), r.request(http.MethodGet, "/making?n=100")), http.StatusOK)
	for _, client := range slow[1:] {
		close(client.release)
	}
	wait.Wait()
	if making.Load().Requests != 0 {
		t.Errorf("%d places are still taken", making.Load().Requests)
	}
}

func TestClientsBeyondTheLimitAreTurnedAwayWithAReason(t *testing.T) {
	t.Parallel()
	const most = 3
	config := unlimited
	config.HTTP.Connections = most
	r := newRig(t, published(t), config)
	accepting, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	must(t, err)
	served := make(chan error, 1)
	go func() { served <- r.Serve(accepting) }()
	t.Cleanup(func() {
		_ = accepting.Close()
		if err := <-served; err == nil {
			t.Error("the server ended without its listener being closed")
		}
	})
	address := "http://" + accepting.Addr().String() + "/health"

	var dialer net.Dialer
	idle := make([]net.Conn, most)
	for i := range idle {
		idle[i], err = dialer.DialContext(t.Context(), "tcp", accepting.Addr().String())
		must(t, err)
		t.Cleanup(func() { _ = idle[i].Close() })
	}
	waittest.Until(t, "all that may are connected", func() bool { return r.Load().Clients == most })
	get := func() answer {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
		must(t, err)
		response, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(request)
		for tries := 1; err != nil && tries < 5; tries++ { // the server may close before it has read the request
			response, err = (&http.Transport{DisableKeepAlives: true}).RoundTrip(request)
		}
		must(t, err)
		defer func() { _ = response.Body.Close() }()
		body, err := io.ReadAll(response.Body)
		must(t, err)
		return answer{response.StatusCode, response.Header, body}
	}
	for range 3 {
		got := get()
		wantCode(t, got, http.StatusServiceUnavailable, "too_many_connections")
		if got.header.Get("Retry-After") == "" {
			t.Errorf("no Retry-After: %v", got.header)
		}
	}
	must(t, idle[0].Close())
	waittest.Until(t, "a client has left", func() bool { return r.Load().Clients < most })
	wantStatus(t, get(), http.StatusOK)
}
