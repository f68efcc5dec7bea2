package httpapi_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"cuota/internal/httpapi"
)

// failing is an area that sends a part of its reply and then panics.
type failing struct{}

func (failing) Paths() []string { return []string{"/failing"} }

func (failing) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	_, _ = io.WriteString(w, `{"data":[`)
	_ = http.NewResponseController(w).Flush()
	panic("a fault")
}

// measured counts requests by the class of their status.
type measured struct {
	mu       sync.Mutex
	requests map[string]int
	refused  map[string]int
}

func newMeasured() *measured {
	return &measured{requests: map[string]int{}, refused: map[string]int{}}
}

func (m *measured) add(to map[string]int, class string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	to[class]++
}

func (m *measured) of(counts map[string]int, class string) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return counts[class]
}

func (m *measured) Request(_, class, _ string) func(float64) {
	return func(float64) { m.add(m.requests, class) }
}
func (m *measured) Refused(class string) { m.add(m.refused, class) }
func (m *measured) Lookup(string) func() { return func() {} }

func TestAReplyThatAPanicCutsShortDoesNotLookComplete(t *testing.T) {
	t.Parallel()
	meter := newMeasured()
	config := unlimited
	config.Area, config.Meter = failing{}, meter
	server, log := newServer(t, config)
	listening := httptest.NewServer(server.Handler())
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, listening.URL+"/failing", nil)
	must(t, err)
	response, err := listening.Client().Do(request)
	must(t, err)
	text, err := io.ReadAll(response.Body)
	_ = response.Body.Close() // the connection is cut off
	if err == nil {
		t.Errorf("the part %q came as a complete reply", text)
	}
	listening.Close() // waits for the handler
	if log.lines("a fault") != 1 || log.lines(`"status":500`) != 1 || log.lines(`"cut":true`) != 1 ||
		meter.of(meter.requests, "5xx") != 1 {
		t.Errorf("measured %v and logged:\n%s", meter.requests, log.text.String())
	}
}

func TestAPanicBeforeTheReplyIsAnError(t *testing.T) {
	t.Parallel()
	server, _ := newServer(t, unlimited, operation("/", httpapi.Answer{
		Make: func(context.Context) (httpapi.Reply, error) { panic("a fault") },
	}))
	if got := serve(server.Handler(), http.MethodGet, "/"); got.Code != http.StatusInternalServerError {
		t.Errorf("status %d: %s", got.Code, got.Body)
	}
}
