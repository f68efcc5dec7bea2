package query_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"cuota/internal/demotest"
)

func TestAStrongValidatorNamesTheSameBytesWhetherStreamedOrKept(t *testing.T) {
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
			return response, body
		}
		streamed, first := ask()
		kept, second := ask()
		if streamed.ContentLength != -1 || kept.ContentLength != int64(len(second)) {
			t.Errorf("%s: lengths %d and %d, want only the second told", accepted, streamed.ContentLength, kept.ContentLength)
		}
		if tag := streamed.Header.Get("ETag"); tag == "" || tag != kept.Header.Get("ETag") || !bytes.Equal(first, second) {
			t.Errorf("%s: %d bytes under %s, then %d under %s", accepted, len(first), tag, len(second), kept.Header.Get("ETag"))
		}
	}
}
