package query_test

import (
	"bytes"
	"io"
	"net/http"
	"strconv"
	"testing"

	"cuota/internal/testkit/demotest"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

func TestARepliesEncodingIsNegotiated(t *testing.T) {
	t.Parallel()
	r := newRig(t, demotest.Published(t), unlimited)
	ask := func(target, accepted, known string) answer {
		request := r.request(http.MethodGet, target)
		if accepted != "" {
			request.Header.Set("Accept-Encoding", accepted)
		}
		if known != "" {
			request.Header.Set("If-None-Match", known)
		}
		return serve(r.Handler(), request)
	}
	for _, target := range []string{"/api/screener", "/api/agf_stats/ranking", "/openapi.json"} {
		plain := ask(target, "", "")
		for accepted, want := range map[string]string{
			"gzip": "gzip", "GZIP, deflate": "gzip", "gzip, deflate, br, zstd": "zstd", "gzip, deflate, br": "br",
			"br;q=0.9, gzip": "gzip", "gzip;q=0.2, br;q=0.3, zstd;q=0": "br", "zstd;q=0.5, gzip;q=0.8": "gzip",
			"*":        "zstd",
			"identity": "", "gzip;q=0": "", "br": "br", "br;q=0": "", "deflate": "", "gzip;q=0.5, identity": "",
			"zstd;q=0, *;q=0.1": "br", "zstd;q=0, br;q=0, *;q=0.1": "gzip", "gzip;q=nan": "", "gzip;q=7, ;;,": "",
		} {
			for range 2 {
				got := ask(target, accepted, "")
				if found := got.header.Get("Content-Encoding"); found != want {
					t.Errorf("%s, %s: encoded as %q, want %q", target, accepted, found, want)
					continue
				}
				if !bytes.Equal(decompressed(t, want, got.body), plain.body) {
					t.Errorf("%s, %s: another body", target, accepted)
				}
				tag := got.header.Get("ETag")
				if (tag == plain.header.Get("ETag")) != (want == "") ||
					got.header.Get("Content-Length") != strconv.Itoa(len(got.body)) {
					t.Errorf("%s, %s: %v", target, accepted, got.header)
				}
				if again := ask(target, accepted, tag); again.status != http.StatusNotModified ||
					again.header.Get("ETag") != tag || len(again.body) > 0 {
					t.Errorf("%s, %s: %d %v", target, accepted, again.status, again.header)
				}
			}
		}
	}
	if got := ask("/api/screener?q=nothing+at+all", "gzip", ""); got.header.Get("Content-Encoding") != "" {
		t.Error("what is small is compressed")
	}
}

func decompressed(t *testing.T, encoding string, body []byte) []byte {
	t.Helper()
	var from io.Reader = bytes.NewReader(body)
	var err error
	switch encoding {
	case "gzip":
		from, err = gzip.NewReader(from)
	case "br":
		from = brotli.NewReader(from)
	case "zstd":
		from, err = zstd.NewReader(from)
	}
	must(t, err)
	text, err := io.ReadAll(from)
	must(t, err)
	return text
}
