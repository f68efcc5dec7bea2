package notary

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/tlog"
)

// fetched asks a handler as a client would.
func fetched(t *testing.T, h http.Handler, method, path, etag string) (*http.Response, []byte) {
	t.Helper()
	request := httptest.NewRequestWithContext(t.Context(), method, path, nil)
	if etag != "" {
		request.Header.Set("If-None-Match", etag)
	}
	answer := httptest.NewRecorder()
	h.ServeHTTP(answer, request)
	body, err := io.ReadAll(answer.Result().Body)
	must(t, err)
	return answer.Result(), body
}

// tiles reads tiles as any client of tlog-tiles does; it implements tlog.TileReader.
type tiles struct {
	t *testing.T
	h http.Handler
}

func (tiles) Height() int { return tileHeight }

func (r tiles) ReadTiles(list []tlog.Tile) (data [][]byte, err error) {
	for _, tile := range list {
		path := strings.Replace(tile.Path(), "tile/8/", "/log/tile/", 1)
		answer, body := fetched(r.t, r.h, http.MethodGet, path, "")
		if answer.StatusCode != http.StatusOK {
			r.t.Fatalf("%s gives %d: %s", path, answer.StatusCode, body)
		}
		data = append(data, body)
	}
	return data, nil
}

func (tiles) SaveTiles([]tlog.Tile, [][]byte) {}

func TestAClientOfTheServedTilesFindsEveryLeaf(t *testing.T) {
	dir, l := logOf(t, 300)
	h := NewHandler(dir)
	_, checkpoint := fetched(t, h, http.MethodGet, "/log/checkpoint", "")
	_, text := fetched(t, h, http.MethodGet, "/log/key", "")
	key, err := parseKey(strings.TrimSpace(string(text)))
	must(t, err)
	head, err := openCheckpoint(checkpoint, key)
	if err != nil || head != l.Head {
		t.Fatalf("the served checkpoint is %+v (%v), want %+v", head, err, l.Head)
	}
	reader := tlog.TileHashReader(tlog.Tree{N: head.Size, Hash: head.Root}, tiles{t, h})
	_, first := fetched(t, h, http.MethodGet, "/log/tile/entries/000", "")
	_, second := fetched(t, h, http.MethodGet, "/log/tile/entries/001.p/44", "")
	bundles := append(first, second...)
	for at := range int64(300) {
		line, rest, whole := firstEntry(bundles)
		bundles = rest
		want, err := leafNumber(t, int(at)+1).Encode()
		if err != nil || !whole || string(line) != string(want) {
			t.Fatalf("entry %d is %s (%v), want %s", at, line, err, want)
		}
		hashes, err := reader.ReadHashes([]int64{tlog.StoredHashIndex(0, at)})
		if err != nil || hashes[0] != tlog.RecordHash(line) {
			t.Fatalf("the tiles have another hash of leaf %d (%v)", at, err)
		}
	}
	if len(bundles) > 0 {
		t.Errorf("%d more bytes are served", len(bundles))
	}
}

// stuck is a reader that takes no byte before release.
type stuck struct {
	*httptest.ResponseRecorder
	reached chan<- struct{}
	release <-chan struct{}
}

func (s stuck) Write(data []byte) (int, error) {
	s.reached <- struct{}{}
	<-s.release
	return s.ResponseRecorder.Write(data)
}

func TestSlowReadersKeepNobodyFromTheLog(t *testing.T) {
	dir, _ := logOf(t, 1)
	h := NewHandler(dir)
	reached, release, ended := make(chan struct{}), make(chan struct{}), make(chan struct{})
	for range servedAtOnce {
		go func() {
			h.ServeHTTP(stuck{httptest.NewRecorder(), reached, release},
				httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/log/tile/0/000.p/1", nil))
			ended <- struct{}{}
		}()
	}
	for range servedAtOnce {
		<-reached
	}
	if answer, body := fetched(t, h, http.MethodGet, "/log/checkpoint", ""); answer.StatusCode != http.StatusOK {
		t.Errorf("with %d slow readers the checkpoint gives %d: %s", servedAtOnce, answer.StatusCode, body)
	}
	close(release)
	for range servedAtOnce {
		<-ended
	}
}

func TestOnlyWhatTheCheckpointCoversIsServed(t *testing.T) {
	dir, l := logOf(t, 258)
	h := NewHandler(dir)
	// An append that was killed before its checkpoint.
	must(t, os.WriteFile(filepath.Join(dir, "before"), l.signed, 0o600))
	must(t, l.Append(leafNumber(t, 259)))
	must(t, os.Rename(filepath.Join(dir, "before"), filepath.Join(dir, checkpointName)))
	for path, want := range map[string]int{
		"/log/checkpoint": 200, "/log/key": 200, "/log/tile/0/000": 200, "/log/tile/0/001.p/2": 200,
		"/log/tile/0/000.p/17": 200, "/log/tile/1/000.p/1": 200, "/log/tile/entries/001.p/1": 200,
		"/log": 404, "/log/": 404, "/log/tile/0/001": 404, "/log/tile/0/001.p/3": 404, "/log/tile/entries/001.p/3": 404,
		"/log/tile/1/000": 404, "/log/tile/2/000.p/1": 404, "/log/tile/0/000.p/256": 404, "/log/tile/0/000.p/0": 404,
		"/log/tile/data/000": 404, "/log/tile/0/002": 404, "/log/key.pub": 404, "/log/lock": 404, "/log/before": 404,
		"/log/tile/0/../../key": 404, "/log/../log/key.pub": 404, "/log/tile/99999999999999999/000": 404,
		"/log/tile/0/x999/x999/x999/x999/x999/x999/999": 404, "/log/tile/0/000.p/": 404, "/log/tile/-1/000": 404,
	} {
		answer, body := fetched(t, h, http.MethodGet, path, "")
		if answer.StatusCode != want {
			t.Errorf("%s gives %d, want %d: %.80s", path, answer.StatusCode, want, body)
		}
		if strings.Contains(string(body), "PRIVATE") {
			t.Errorf("%s shows the secret key", path)
		}
	}
	for path, want := range map[string]string{"/log/checkpoint": "no-cache", "/log/tile/0/000": "max-age=300",
		"/log/tile/entries/001.p/2": "max-age=300"} {
		answer, _ := fetched(t, h, http.MethodGet, path, "")
		if got := answer.Header.Get("Cache-Control"); !strings.Contains(got, want) {
			t.Errorf("%s has the Cache-Control %q", path, got)
		}
		if again, body := fetched(t, h, http.MethodGet, path, answer.Header.Get("ETag")); again.StatusCode != 304 ||
			len(body) > 0 {
			t.Errorf("%s with its ETag gives %d", path, again.StatusCode)
		}
		if head, body := fetched(t, h, http.MethodHead, path, ""); head.StatusCode != 200 || len(body) > 0 {
			t.Errorf("HEAD %s gives %d with %d bytes", path, head.StatusCode, len(body))
		}
	}
	if answer, _ := fetched(t, h, http.MethodPost, "/log/checkpoint", ""); answer.StatusCode != 405 {
		t.Errorf("POST gives %d", answer.StatusCode)
	}
	if answer, _ := fetched(t, NewHandler(t.TempDir()), http.MethodGet, "/log/checkpoint", ""); answer.StatusCode != 404 {
		t.Errorf("without a log, the checkpoint gives %d", answer.StatusCode)
	}
}
