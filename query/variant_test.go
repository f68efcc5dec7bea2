package query_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"cuota/internal/testkit/longtest"
)

func TestAStrongValidatorNamesTheSameBytesWhetherStreamedOrKept(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	// A compressor passes on data that hardly compresses before it has all of it.
	noise := make([]byte, 512<<10)
	_, _ = rand.NewChaCha8([32]byte{1}).Read(noise)
	text := []byte(`"` + hex.EncodeToString(noise) + `"`)
	options := published(t)
	for _, accepted := range []string{"identity", "gzip", "br", "zstd"} {
		released := make(chan struct{})
		release := sync.OnceFunc(func() { close(released) })
		shop := newWorkshop(t, options, unlimited, func(_ int64, w io.Writer) error {
			_, _ = w.Write(text[:len(text)/2])
			<-released
			_, err := w.Write(text[len(text)/2:])
			return err
		})
		server := httptest.NewServer(shop.handler)
		defer server.Close()
		defer release()
		ask := func() (*http.Response, []byte) {
			request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+"/making", nil)
			must(t, err)
			request.Header.Set("Accept-Encoding", accepted)
			response, err := server.Client().Do(request) // Do returns with the head, which is sent with the first bytes
			must(t, err)
			release()
			body, err := io.ReadAll(response.Body)
			must(t, errors.Join(err, response.Body.Close()))
			return response, body
		}
		streamed, first := ask()
		kept, second := ask()
		if streamed.ContentLength != -1 || kept.ContentLength != int64(len(second)) {
			t.Errorf("%s: lengths %d and %d, want only the second told", accepted, streamed.ContentLength,
				kept.ContentLength)
		}
		if tag := streamed.Header.Get("ETag"); tag == "" || tag != kept.Header.Get("ETag") ||
			!bytes.Equal(first, second) {
			t.Errorf("%s: %d bytes under %s, then %d under %s", accepted, len(first), tag, len(second),
				kept.Header.Get("ETag"))
		}
	}
}
