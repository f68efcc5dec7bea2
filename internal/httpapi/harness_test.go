package httpapi_test

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"cuota/internal/httpapi"

	"github.com/rs/zerolog"
)

// unlimited is a configuration without a limit per address.
var unlimited = httpapi.Config{Burst: httpapi.Burst{PerSecond: 1e9, Size: 1e9}}

// logged is what a server wrote to its log.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logged) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(line)
}

// lines counts the lines of the log that contain a text.
func (l *logged) lines(with string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	found := 0
	for line := range bytes.Lines(l.text.Bytes()) {
		if bytes.Contains(line, []byte(with)) {
			found++
		}
	}
	return found
}

// newServer makes a server of these operations, which need no key.
func newServer(t testing.TB, config httpapi.Config, operations ...httpapi.Operation) (*httpapi.Server, *logged) {
	t.Helper()
	log := &logged{}
	server, err := httpapi.New(config, operations, nil, zerolog.New(log))
	must(t, err)
	return server, log
}

// serve sends a request with these headers, each as name and value.
func serve(handler http.Handler, method, target string, headers ...string) *httptest.ResponseRecorder {
	request := httptest.NewRequest(method, target, nil)
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	got := httptest.NewRecorder()
	handler.ServeHTTP(got, request)
	return got
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// operation makes an operation without parameters.
func operation(path string, answer httpapi.Answer) httpapi.Operation {
	return httpapi.NewOperation(http.MethodGet, path, httpapi.Open, nil,
		func(context.Context, *httpapi.Call, *struct{}) (httpapi.Answer, error) {
			return answer, nil
		})
}
