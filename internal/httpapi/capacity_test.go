package httpapi_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"

	"cuota/internal/httpapi"
	"cuota/internal/testkit/waittest"
)

// slow is a client that takes nothing until it is released. entered is closed when its
// reply begins.
type slow struct {
	*httptest.ResponseRecorder
	once             sync.Once
	entered, release chan struct{}
}

func newSlow() *slow {
	return &slow{ResponseRecorder: httptest.NewRecorder(), entered: make(chan struct{}), release: make(chan struct{})}
}

func (s *slow) Write(p []byte) (int, error) {
	s.once.Do(func() { close(s.entered) })
	<-s.release
	return s.ResponseRecorder.Write(p)
}

// few is a configuration with places for places replies.
func few(places int) httpapi.Config {
	config := unlimited
	config.AtOnce, config.Waiting, config.Sending = 1, 1, places-2
	return config
}

// fillWith lets as many slow clients as there are places ask for a path, and calls full
// while their replies are being sent. Then they take their replies.
func fillWith(t *testing.T, server *httpapi.Server, places int, path string, full func()) {
	t.Helper()
	var wait sync.WaitGroup
	clients := make([]*slow, places)
	for i := range clients {
		client := newSlow()
		clients[i] = client
		wait.Go(func() { server.Handler().ServeHTTP(client, httptest.NewRequest(http.MethodGet, path, nil)) })
		<-client.entered
	}
	full()
	for _, client := range clients {
		close(client.release)
	}
	wait.Wait()
	for _, client := range clients {
		if client.Code != http.StatusOK || !bytes.Equal(client.Body.Bytes(), long) {
			t.Errorf("a slow client got status %d and %d bytes", client.Code, client.Body.Len())
		}
	}
	if left := server.Load().Requests; left != 0 {
		t.Errorf("%d places are still taken", left)
	}
}

// fromMemory is an operation that makes its reply in a buffer. kept counts the buffers that
// replies keep at present, and is less than 0 if one was released twice.
func fromMemory(path string, body []byte, kept *atomic.Int64) httpapi.Operation {
	return operation(path, httpapi.Answer{Version: path, Memory: func() (httpapi.Reply, bool, error) {
		kept.Add(1)
		return httpapi.Reply{Body: bytes.Clone(body), Release: func() { kept.Add(-1) }}, true, nil
	}})
}

func TestLongRepliesFromMemoryTakeAPlaceUntilTheyAreSent(t *testing.T) {
	t.Parallel()
	const places = 4
	var kept atomic.Int64
	server, _ := newServer(t, few(places), fromMemory("/long", long, &kept), fromMemory("/short", []byte(`{}`), &kept))
	fillWith(t, server, places, "/long", func() {
		refused := serve(server.Handler(), http.MethodGet, "/long")
		if refused.Code != http.StatusServiceUnavailable || refused.Header().Get("Retry-After") == "" ||
			!bytes.Contains(refused.Body.Bytes(), []byte(`"overloaded"`)) {
			t.Errorf("beyond the last place: status %d, %v: %.200s", refused.Code, refused.Header(), refused.Body)
		}
		if got := serve(server.Handler(), http.MethodGet, "/short"); got.Code != http.StatusOK {
			t.Errorf("a short reply: status %d", got.Code)
		}
		if buffers := kept.Load(); buffers != places {
			t.Errorf("%d buffers are kept for %d replies", buffers, places)
		}
	})
	if got := serve(server.Handler(), http.MethodGet, "/long"); got.Code != http.StatusOK || kept.Load() != 0 {
		t.Errorf("afterwards: status %d, %d buffers", got.Code, kept.Load())
	}
}

func TestACompressedReplyHoldsNoBufferWhileItIsSent(t *testing.T) {
	t.Parallel()
	for _, accepted := range []string{"gzip", "br", "zstd"} {
		var kept atomic.Int64
		server, _ := newServer(t, few(4), fromMemory("/long", long, &kept))
		client := newSlow()
		request := httptest.NewRequest(http.MethodGet, "/long", nil)
		request.Header.Set("Accept-Encoding", accepted)
		var wait sync.WaitGroup
		wait.Go(func() { server.Handler().ServeHTTP(client, request) })
		<-client.entered
		if places := server.Load().Requests; places != 0 || kept.Load() != 0 {
			t.Errorf("%s: while it is sent, it has %d places and %d buffers", accepted, places, kept.Load())
		}
		close(client.release)
		wait.Wait()
		if client.Code != http.StatusOK || client.Header().Get("Content-Encoding") != accepted || kept.Load() != 0 ||
			server.Load().Requests != 0 {
			t.Errorf("%s: status %d; %d buffers and %d places afterwards", accepted, client.Code, kept.Load(),
				server.Load().Requests)
		}
	}
}

func TestEveryClientOfALongReplyThatIsBeingMadeTakesAPlace(t *testing.T) {
	t.Parallel()
	const places = 4
	finish := make(chan struct{})
	var made atomic.Int64
	server, _ := newServer(t, few(places),
		operation("/shared", httpapi.Answer{Version: "1", Make: func(context.Context) (httpapi.Reply, error) {
			return httpapi.Reply{Write: func(w io.Writer) error {
				made.Add(1)
				_, _ = w.Write(long[:len(long)-1])
				<-finish
				_, err := w.Write(long[len(long)-1:])
				return err
			}}, nil
		}}))
	fillWith(t, server, places, "/shared", func() {
		if taken := server.Load().Requests; taken != places {
			t.Fatalf("%d clients have %d places", places, taken)
		}
		if got := serve(server.Handler(), http.MethodGet, "/shared"); got.Code != http.StatusServiceUnavailable {
			t.Errorf("beyond the last place: status %d", got.Code)
		}
		close(finish)
	})
	if made.Load() != 1 {
		t.Errorf("it was made %d times", made.Load())
	}
}

// The cache may evict a reply while clients still read it, so a slow client needs a place
// for a cached reply too.
func TestALongReplyFromTheCacheTakesAPlace(t *testing.T) {
	t.Parallel()
	const places = 4
	server, _ := newServer(t, few(places),
		operation("/cached", httpapi.Answer{Version: "1", Make: func(context.Context) (httpapi.Reply, error) {
			return httpapi.Reply{Body: long}, nil
		}}))
	if got := serve(server.Handler(), http.MethodGet, "/cached"); got.Code != http.StatusOK {
		t.Fatalf("status %d", got.Code)
	}
	waittest.Until(t, "the first request has left", func() bool { return server.Load().Requests == 0 })
	fillWith(t, server, places, "/cached", func() {
		if got := serve(server.Handler(), http.MethodGet, "/cached"); got.Code != http.StatusServiceUnavailable {
			t.Errorf("beyond the last place: status %d", got.Code)
		}
	})
}
