package query_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"cuota/query"

	"github.com/ClickHouse/clickhouse-go/v2"
)

// workshop is a server whose replies are made by a test.
type workshop struct {
	*rig
	handler http.Handler
	made    atomic.Int64 // replies begun so far
}

// newWorkshop returns a server on a small market. make makes its replies, and gets the number
// of replies that were begun before.
func newWorkshop(t *testing.T, options *clickhouse.Options, config query.Config,
	make func(before int64, w io.Writer) error) *workshop {
	t.Helper()
	shop := &workshop{rig: newRig(t, options, config)}
	shop.handler = shop.making(t, func(_ context.Context, w io.Writer) error {
		return make(shop.made.Add(1)-1, w)
	}).Handler()
	return shop
}

// ask requests the reply. cut reports whether the connection was cut off.
func (shop *workshop) ask(ctx context.Context, w http.ResponseWriter) (cut bool) {
	defer func() {
		if cause := recover(); cause == http.ErrAbortHandler {
			cut = true
		} else if cause != nil {
			panic(cause)
		}
	}()
	shop.handler.ServeHTTP(w, httptest.NewRequestWithContext(ctx, http.MethodGet, "/making", nil))
	return false
}

// asking starts a number of callers that request the same reply at once.
func (shop *workshop) asking(t *testing.T, wait *sync.WaitGroup, callers int,
	want func(cut bool, got *httptest.ResponseRecorder)) {
	t.Helper()
	for range callers {
		wait.Go(func() {
			got := httptest.NewRecorder()
			want(shop.ask(context.Background(), got), got)
		})
	}
}

// waiting returns how many requests in the whole process wait for a reply that is being made.
// Tests that use it must not run in parallel with others.
func waiting() int {
	stacks := make([]byte, 4<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	return strings.Count(string(stacks), "httpapi.(*sharedResponse).after(")
}

// halfReply and completeReply are a reply that is long enough to be sent before it is
// complete.
var (
	halfReply     = []byte(`{"data":[` + strings.Repeat(" ", 100<<10))
	completeReply = append(bytes.Clone(halfReply), `]}`...)
)

// wantComplete fails if a caller did not get the complete reply.
func wantComplete(t *testing.T) func(bool, *httptest.ResponseRecorder) {
	return func(cut bool, got *httptest.ResponseRecorder) {
		if cut || got.Code != http.StatusOK || !bytes.Equal(got.Body.Bytes(), completeReply) {
			t.Errorf("cut off: %t, status %d, %d bytes of %d", cut, got.Code, got.Body.Len(), len(completeReply))
		}
	}
}
