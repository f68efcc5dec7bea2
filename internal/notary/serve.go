package notary

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/tlog"
)

// Path is where a log is served.
const Path = "/log"

const (
	servedAtOnce = 8  // requests that read files; more are refused with 503
	longestPath  = 64 // bytes; that of the last tile is shorter
)

// Handler serves the log of a directory. It only reads, so another process may append meanwhile.
type Handler struct {
	dir    string
	places chan struct{}
}

// NewHandler makes a handler for a directory, which need not hold a log yet.
func NewHandler(dir string) *Handler {
	return &Handler{dir: dir, places: make(chan struct{}, servedAtOnce)}
}

// Paths lists the paths that the handler answers, for httpapi.Area.
func (h *Handler) Paths() []string { return []string{Path} }

// ServeHTTP implements http.Handler.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	r.Pattern = Path // for the access log
	w.Header().Set("Access-Control-Allow-Origin", "*")
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		refuse(w, http.StatusMethodNotAllowed, "method_not_allowed", "The log is only read: use GET.")
		return
	}
	select {
	case h.places <- struct{}{}:
	default:
		w.Header().Set("Retry-After", "5")
		refuse(w, http.StatusServiceUnavailable, "overloaded", "Too many requests for the log at once. Try again soon.")
		return
	}
	content, kind, lasts, err := h.read(strings.TrimPrefix(r.URL.Path, Path+"/"))
	<-h.places // a reader may be slow
	switch {
	case errors.Is(err, fs.ErrNotExist):
		refuse(w, http.StatusNotFound, "not_found", "The log has no such file. It has checkpoint, key and tile/….")
		return
	case err != nil:
		refuse(w, http.StatusInternalServerError, "internal", "The file of the log can't be read.")
		return
	}
	sum := sha256.Sum256(content)
	w.Header().Set("ETag", `"`+hex.EncodeToString(sum[:16])+`"`)
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Cache-Control", lasts)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
}

// read reads a file of the log by its path below Path. It also returns its media type, and how long it may be cached.
func (h *Handler) read(name string) (content []byte, kind, lasts string, err error) {
	kind, lasts = "text/plain; charset=utf-8", "no-cache"
	switch name {
	case "checkpoint":
		content, err = readBounded(filepath.Join(h.dir, checkpointName), maxCheckpoint)
	case "key":
		content, err = readBounded(filepath.Join(h.dir, publicName), maxKey)
	default:
		content, err = h.readTile(name)
		// They never change, but a log of another name has its own under the same paths.
		kind, lasts = "application/octet-stream", "public, max-age=300"
	}
	return content, kind, lasts, err
}

// readTile reads a tile or a bundle of entries, also one that is not full, whose path says how wide it is.
func (h *Handler) readTile(name string) ([]byte, error) {
	tile, err := parseTile(name)
	if err == nil {
		err = h.covered(tile)
	}
	if err != nil {
		return nil, err
	}
	most := int64(maxBundle)
	if tile.L >= 0 {
		most = tileWidth * tlog.HashSize
	}
	content, err := readBounded(filepath.Join(h.dir, filepath.FromSlash(filePath(tile))), most)
	if err != nil {
		return nil, err
	}
	return firstOf(content, tile)
}

// parseTile reads a path such as tile/0/x001/234.p/5 or tile/entries/000.
func parseTile(name string) (tlog.Tile, error) {
	below, is := strings.CutPrefix(name, "tile/")
	if !is || len(name) > longestPath {
		return tlog.Tile{}, fs.ErrNotExist
	}
	if entries, is := strings.CutPrefix(below, "entries/"); is {
		below = "data/" + entries
	} else if strings.HasPrefix(below, "data/") {
		return tlog.Tile{}, fs.ErrNotExist
	}
	tile, err := tlog.ParseTilePath("tile/8/" + below)
	if err != nil || tile.N < 0 || tile.N > maxLeaves || tile.L > tileHeight {
		return tlog.Tile{}, fs.ErrNotExist
	}
	return tile, nil
}

// covered fails unless the checkpoint covers a tile: what else is in its file was not published.
func (h *Handler) covered(tile tlog.Tile) error {
	text, err := readBounded(filepath.Join(h.dir, checkpointName), maxCheckpoint)
	if err != nil {
		return err
	}
	public, err := readBounded(filepath.Join(h.dir, publicName), maxKey)
	if err != nil {
		return err
	}
	key, err := parseKey(strings.TrimSpace(string(public)))
	if err != nil {
		return err
	}
	head, err := openCheckpoint(text, key)
	if err == nil && tile.N*tileWidth+int64(tile.W) > head.Size>>(tileHeight*max(0, tile.L)) {
		err = fs.ErrNotExist
	}
	return err
}

// firstOf returns what a tile of some width has of the content of its file.
func firstOf(content []byte, tile tlog.Tile) ([]byte, error) {
	end := tile.W * tlog.HashSize
	if tile.L == -1 {
		rest := content
		for range tile.W {
			var whole bool
			if _, rest, whole = firstEntry(rest); !whole {
				return nil, errors.New("the bundle of entries is too short")
			}
		}
		end = len(content) - len(rest)
	}
	if len(content) < end {
		return nil, errors.New("the tile is too short")
	}
	return content[:end], nil
}

// refuse answers with an error in the form of the API's errors. The server has set the id of the request.
func refuse(w http.ResponseWriter, status int, code, detail string) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]string{"detail": detail, "code": code,
		"request_id": w.Header().Get("X-Request-Id")}) // an error means that the caller has gone
}
