package query_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"cuota/internal/demotest"
)

// The series of the demo with most days: its whole history is a long reply.
const longHistory = "/api/real_assets/1161378270/days"

func TestALongReplyLeavesBeforeItIsWholeAndIsKept(t *testing.T) {
	for _, accepted := range []string{"identity", "gzip", "zstd"} {
		r := newRig(t, demotest.Published(t), unlimited)
		server := httptest.NewServer(r.Handler())
		defer server.Close()
		ask := func() (*http.Response, []byte) {
			request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+longHistory, nil)
			must(t, err)
			request.Header.Set("X-Api-Key", r.key)
			request.Header.Set("Accept-Encoding", accepted)
			response, err := server.Client().Do(request)
			must(t, err)
			body, err := io.ReadAll(response.Body)
			must(t, errors.Join(err, response.Body.Close()))
			return response, decompressed(t, response.Header.Get("Content-Encoding"), body)
		}
		first, streamed := ask()
		if first.StatusCode != http.StatusOK || first.ContentLength != -1 || len(streamed) < 64<<10 {
			t.Errorf("%s: status %d, length %d of %d", accepted, first.StatusCode, first.ContentLength, len(streamed))
		}
		second, kept := ask()
		if second.ContentLength <= 0 || string(kept) != string(streamed) || second.Header.Get("ETag") != first.Header.Get("ETag") {
			t.Errorf("%s: the second reply has length %d and validator %s, the first %s; the same bytes: %t",
				accepted, second.ContentLength, second.Header.Get("ETag"), first.Header.Get("ETag"), string(kept) == string(streamed))
		}
		got := answer{second.StatusCode, second.Header, kept}
		if got.source() != "cache" || len(decode[items](t, got).Data) < 2000 {
			t.Errorf("%s: made of %s", accepted, got.source())
		}
	}
}

// leaving is a caller who goes away after the first bytes.
type leaving struct{ *httptest.ResponseRecorder }

func (leaving) Write([]byte) (int, error) { return 0, errors.New("gone") }

func TestAStreamThatFailsIsCutOffAndNotKept(t *testing.T) {
	r := newRig(t, demotest.Published(t), unlimited)
	func() {
		defer func() {
			if cause := recover(); cause != http.ErrAbortHandler {
				t.Errorf("the handler ended with %v", cause)
			}
		}()
		r.Handler().ServeHTTP(leaving{httptest.NewRecorder()}, r.request(http.MethodGet, longHistory))
		t.Error("the connection was left as if the reply were whole")
	}()
	if got := r.get(t, longHistory); got.source() != "clickhouse" {
		t.Errorf("made of %s", got.source())
	}
	if got := r.get(t, "/api/real_assets/1161378270/days?from_date=2025-07-01"); got.header.Get("Content-Length") == "" {
		t.Error("a short reply is sent without its length")
	}
}
