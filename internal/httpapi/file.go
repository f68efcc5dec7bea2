package httpapi

import (
	"io"
	"net/http"
	"sync"
	"time"
)

// File is a reply that is a file which never changes under its address. Requests may ask for
// ranges of it.
type File struct {
	Content io.ReadSeekCloser
	Type    string // media type
	Tag     string // strong validator without quotes: the hash of the content
}

// Limits of sending files. They are sent slowly to slow clients, so there are more of them at
// once than other replies, and each has as much time as it needs, if it goes on.
const (
	filesAtOnce  = 64
	filesOfAKey  = 16               // of these, for one API key
	fileProgress = 30 * time.Second // within which fileStep bytes must be sent
	fileStep     = 256 << 10
)

// filePlaces counts the files that are being sent.
type filePlaces struct {
	mu    sync.Mutex
	all   int
	ofKey map[string]int // by the counter of the key
}

// enter takes a place for a key. It returns false if there is none.
func (p *filePlaces) enter(key string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.all >= filesAtOnce || p.ofKey[key] >= filesOfAKey {
		return false
	}
	if p.ofKey == nil {
		p.ofKey = map[string]int{}
	}
	p.all++
	p.ofKey[key]++
	return true
}

func (p *filePlaces) leave(key string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.all--
	if p.ofKey[key]--; p.ofKey[key] == 0 {
		delete(p.ofKey, key)
	}
}

// sendFile sends a file, or the ranges of it that were asked for, to the owner of a key. Keys that replaced each other
// count as one.
func (s *Server) sendFile(w http.ResponseWriter, r *http.Request, c *Call, file *File) {
	key := c.Key.Counter()
	defer func() { _ = file.Content.Close() }() // it was only read
	if !s.files.enter(key) {
		s.failCall(w, r, c, overloaded())
		return
	}
	defer s.files.leave(key)
	header := w.Header()
	header.Set("Content-Type", file.Type)
	header.Set("ETag", `"`+file.Tag+`"`)
	header.Set("Cache-Control", "public, max-age=31536000, immutable")
	if r.Context().Value(linkedKey{}) != nil {
		header.Set("Cache-Control", "private, no-cache") // a shared cache would answer after the end of the link
	}
	to := &steadyWriter{w, http.NewResponseController(w), func() { s.refund(r.Context(), c) }}
	http.ServeContent(to, r, "", time.Time{}, file.Content)
}

// steadyWriter gives each step of a long reply time of its own, in place of a time for all.
type steadyWriter struct {
	http.ResponseWriter
	connection *http.ResponseController
	unchanged  func() // called before a 304 is sent
}

// WriteHeader implements http.ResponseWriter.
func (w *steadyWriter) WriteHeader(status int) {
	if status == http.StatusNotModified {
		w.unchanged()
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write implements io.Writer.
func (w *steadyWriter) Write(part []byte) (sent int, err error) {
	for len(part) > 0 {
		_ = w.connection.SetWriteDeadline(time.Now().Add(fileProgress)) // a test's writer has none
		count, err := w.ResponseWriter.Write(part[:min(len(part), fileStep)])
		if sent += count; err != nil {
			return sent, err
		}
		part = part[count:]
	}
	return sent, nil
}
