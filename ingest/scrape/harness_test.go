package scrape

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"go.uber.org/goleak"

	"cuota/ingest"
	"cuota/ingest/archive"
	"cuota/model"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// morning is when every test starts: a Wednesday, 08:00 in Santiago.
var morning = time.Date(2026, 8, 19, 12, 0, 0, 0, time.UTC)

// clock stands still until somebody waits, and then jumps to that time.
type clock struct {
	mu  sync.Mutex
	now time.Time
	// end, if set, is a time at which waiting is interrupted.
	end time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

var errEnd = errors.New("the test's time is up")

func (c *clock) Wait(ctx context.Context, until time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.end.IsZero() && until.After(c.end) {
		return errEnd
	}
	if until.After(c.now) {
		c.now = until
	}
	return ctx.Err()
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// asked is one request as the server saw it.
type asked struct {
	method, path, form string
	header             http.Header
	at                 time.Time
}

// harness is a scraper over directories of the test, with the requests it made and the
// messages it published. Each call of start stands for a new process.
type harness struct {
	t       testing.TB
	clock   *clock
	archive string
	folder  string
	config  string
	server  *httptest.Server
	log     bytes.Buffer

	mu     sync.Mutex
	asked  []asked
	answer func(w http.ResponseWriter, r *http.Request)

	// published holds the manifests that were published, in order.
	published    []model.Manifest
	messages     int
	ingesters    int
	publishFails error
	onPublish    func() // called before anything is published
	// adjust, if set, changes the scraper before it starts.
	adjust func(*Scraper)
}

func newHarness(t testing.TB) *harness {
	t.Helper()
	h := &harness{t: t, clock: &clock{now: morning}, archive: filepath.Join(t.TempDir(), "archive"),
		folder: t.TempDir()}
	h.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = r.ParseForm()
		h.mu.Lock()
		h.asked = append(h.asked, asked{r.Method, r.URL.RequestURI(), r.PostForm.Encode(), r.Header.Clone(),
			h.clock.Now()})
		answer := h.answer
		h.mu.Unlock()
		answer(w, r)
	}))
	t.Cleanup(h.server.Close)
	return h
}

const agent = `user_agent = "cuota-test (+mailto:tests@example.org)"` + "\n"

// configure writes the configuration. SERVER and FOLDER in it stand for those of the
// harness.
func (h *harness) configure(text string) {
	h.config = agent + strings.NewReplacer("SERVER", h.server.URL, "FOLDER", h.folder).Replace(text)
}

// start returns a scraper as a new process would make it.
func (h *harness) start() *Scraper {
	h.t.Helper()
	config, err := parseConfig(h.config, h.t.TempDir())
	if err != nil {
		h.t.Fatal(err)
	}
	s := New(config, h.archive, h.clock, zerolog.New(&h.log))
	if h.adjust != nil {
		h.adjust(s)
	}
	if err := s.Start(); err != nil {
		h.t.Fatal(err)
	}
	return s
}

// once runs a process that does what is due. It returns the summary of the first source.
func (h *harness) once() Summary {
	h.t.Helper()
	s := h.start()
	defer h.stop(s)
	if err := s.Once(h.t.Context(), h.withIngester); err != nil {
		h.t.Fatal(err)
	}
	return s.Summaries()[0]
}

func (h *harness) stop(s *Scraper) {
	h.t.Helper()
	if err := s.Stop(); err != nil {
		h.t.Fatal(err)
	}
}

// withIngester runs work with an Ingester over the same archive.
func (h *harness) withIngester(_ context.Context, work func(Ingester) error) error {
	h.ingesters++
	if h.publishFails != nil {
		return h.publishFails
	}
	return work(ingest.New(archive.New(h.archive, h.clock.Now), h, zerolog.Nop()))
}

// Publish implements ingest.Publisher.
func (h *harness) Publish(ctx context.Context, topic string, messages []ingest.Message) error {
	if h.onPublish != nil {
		h.onPublish()
	}
	h.messages += len(messages)
	if topic == model.ControlTopic {
		for _, message := range messages {
			var control model.Control
			if err := json.Unmarshal(message.Value, &control); err != nil {
				return err
			}
			h.published = append(h.published, *control.Manifest)
		}
	}
	return ctx.Err()
}

// requests returns the requests so far and clears the list.
func (h *harness) requests() []asked {
	h.mu.Lock()
	defer h.mu.Unlock()
	requests := h.asked
	h.asked = nil
	return requests
}

// serves answers every request with the handler.
func (h *harness) serves(answer func(w http.ResponseWriter, r *http.Request)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.answer = answer
}

// serve answers every request with a body.
func (h *harness) serve(body string) {
	h.serves(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, body) })
}

// put writes a file into the watched folder.
func (h *harness) put(name, content string) string {
	h.t.Helper()
	path := filepath.Join(h.folder, name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		h.t.Fatal(err)
	}
	return path
}

// uf returns a payload of the dataset uf with one day.
func uf(day, value string) string { return "fecha,valor\n" + day + "," + value + "\n" }

// oneDocument configures a document that is replaced at its address, with short pauses.
const oneDocument = `
interval = "1s"
backoff = "1s"
[[source]]
name = "uf"
dataset = "uf"
url = "SERVER/uf.csv"
every = "1h"
`

// archived reports whether the archive holds the bytes.
func (h *harness) archived(sha string) bool {
	payload, err := archive.New(h.archive, h.clock.Now).Open(h.t.Context(), sha)
	if err != nil {
		return false
	}
	return payload.Close() == nil
}

// stateOf returns the whole text of the state.
func stateOf(t *testing.T, h *harness) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(filepath.Join(h.archive, "scrape"), func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		all.Write(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}
