package ingest

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"cuota/ingest/archive"
	"cuota/model"
)

// recorder is a Publisher that keeps the messages that it receives, in order.
type recorder struct {
	mu     sync.Mutex
	topics map[string][]Message
	fail   func(topic string) error // called before each acknowledgement
}

func (r *recorder) Publish(ctx context.Context, topic string, messages []Message) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.fail != nil {
		if err := r.fail(topic); err != nil {
			return err
		}
	}
	if r.topics == nil {
		r.topics = map[string][]Message{}
	}
	r.topics[topic] = append(r.topics[topic], messages...)
	return nil
}

// manifests returns the manifests published so far.
func (r *recorder) manifests(t *testing.T) []model.Manifest {
	t.Helper()
	var manifests []model.Manifest
	for _, message := range r.topics[model.ControlTopic] {
		if manifest := decoded[model.Control](t, message).Manifest; manifest != nil {
			manifests = append(manifests, *manifest)
		}
	}
	return manifests
}

func decoded[T any](t *testing.T, message Message) T {
	t.Helper()
	var value T
	if err := json.Unmarshal(message.Value, &value); err != nil {
		t.Fatalf("message %s: %v", message.Value, err)
	}
	return value
}

// today is when every test first sees its files: later than the last day in them.
var today = time.Date(2026, 9, 1, 15, 0, 0, 0, time.UTC)

// harness is an Ingester over a new archive, with all that it published.
type harness struct {
	*Ingester
	archive *archive.Archive
	dir     string // of the archive
	clock   time.Time
	out     *recorder
}

func newHarness(t testing.TB) *harness {
	t.Helper()
	h := &harness{clock: today, out: &recorder{}, dir: filepath.Join(t.TempDir(), "archive")}
	h.archive = archive.New(h.dir, func() time.Time { return h.clock })
	h.Ingester = New(h.archive, h.out, zerolog.Nop())
	return h
}

// path returns where the archive keeps a payload (.zst) or its note (.json).
func (h *harness) path(sha, extension string) string {
	return filepath.Join(h.dir, sha[:2], sha+extension)
}

// ingest publishes a file and fails the test on an error.
func (h *harness) ingest(t *testing.T, dataset model.Dataset, path string) Report {
	t.Helper()
	report, err := h.File(t.Context(), Request{Dataset: dataset, Path: path})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// fileOf writes a file for the test and returns its path.
func fileOf(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
