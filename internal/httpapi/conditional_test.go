package httpapi_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"cuota/internal/httpapi"
)

// long is a reply that is sent while it is made, unless it is complete.
var long = []byte(`{"data":"` + strings.Repeat("x", 100<<10) + `"}`)

func TestHeadHasTheHeadersOfGetAndCompressesAndCountsNothing(t *testing.T) {
	t.Parallel()
	complete := operation("/complete", httpapi.Answer{Version: "1", Memory: func() (httpapi.Reply, bool, error) {
		return httpapi.Reply{Body: long}, true, nil
	}})
	streamed := operation("/streamed", httpapi.Answer{Version: "1", Make: func(context.Context) (httpapi.Reply, error) {
		return httpapi.Reply{Write: func(w io.Writer) error {
			_, err := w.Write(long)
			return err
		}}, nil
	}})
	for path, kept := range map[string]bool{"/complete": false, "/streamed": true} {
		for _, accepted := range []string{"identity", "gzip", "br", "zstd"} {
			server, log := newServer(t, unlimited, complete, streamed)
			listening := httptest.NewServer(server.Handler())
			ask := func(method string) *http.Response {
				request, err := http.NewRequestWithContext(t.Context(), method, listening.URL+path, nil)
				must(t, err)
				request.Header.Set("Accept-Encoding", accepted)
				response, err := listening.Client().Do(request)
				must(t, err)
				_, err = io.Copy(io.Discard, response.Body)
				must(t, err)
				must(t, response.Body.Close())
				return response
			}
			before := ask(http.MethodHead)
			cached := server.CacheBytes()
			_ = ask(http.MethodGet) // puts the compressed reply into the cache
			get, after := ask(http.MethodGet), ask(http.MethodHead)
			listening.Close()
			for _, head := range []*http.Response{before, after} {
				for _, name := range []string{"Content-Type", "Content-Encoding", "ETag", "Cache-Control", "Vary"} {
					if head.Header.Get(name) != get.Header.Get(name) {
						t.Errorf("%s %s: %s is %q for HEAD and %q for GET", path, accepted, name, head.Header.Get(name),
							get.Header.Get(name))
					}
				}
			}
			if known := before.ContentLength; known != -1 && known != get.ContentLength {
				t.Errorf("%s %s: HEAD has length %d, GET %d", path, accepted, known, get.ContentLength)
			}
			if after.ContentLength != get.ContentLength || get.ContentLength <= 0 {
				t.Errorf("%s %s: HEAD has length %d, GET %d", path, accepted, after.ContentLength, get.ContentLength)
			}
			if !kept && cached != 0 {
				t.Errorf("%s %s: HEAD put %d bytes into the cache", path, accepted, cached)
			}
			if log.lines(`"method":"HEAD"`) != 2 || log.lines(`"bytes":0`) != 2 {
				t.Errorf("%s %s: logged\n%s", path, accepted, log.text.String())
			}
		}
	}
}
