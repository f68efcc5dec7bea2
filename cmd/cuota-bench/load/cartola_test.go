package load

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"cuota/demo"
	"cuota/ingest"
	"cuota/ingest/archive"
	"cuota/model"
)

func TestGeneratedCartolaPassesIngestWithDistinctKeys(t *testing.T) {
	dir := t.TempDir()
	if err := demo.Extract(dir); err != nil {
		t.Fatal(err)
	}
	real, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(RealCartola)))
	if err != nil {
		t.Fatal(err)
	}
	lastDay := model.NewDate(2026, time.August, 19)
	const series, days = 40, 400 // more of both than the real file has
	var first, second bytes.Buffer
	for _, out := range []io.Writer{&first, &second} {
		if err := WriteCartola(out, real, series, days, lastDay); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Error("the same arguments give different bytes")
	}
	path := filepath.Join(dir, "generated.txt")
	if err := os.WriteFile(path, first.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	var keys []string
	files := archive.New(filepath.Join(dir, "archive"), func() time.Time { return lastDay.AddDays(1).Time() })
	report, err := ingest.New(files, keysOfCartola{&keys}, zerolog.Nop()).File(t.Context(),
		ingest.Request{Dataset: model.Cartola, Path: path})
	if err != nil {
		t.Fatal(err)
	}
	if report.Keys != series*days || report.Rejected != 0 {
		t.Errorf("%d distinct keys and %d rejected of %d rows: %v", report.Keys, report.Rejected, series*days,
			report.FirstRejects)
	}
	if report.LastDate != lastDay || report.FirstDate != lastDay.AddDays(1-days) {
		t.Errorf("days from %s to %s", report.FirstDate, report.LastDate)
	}
	for _, key := range keys {
		if len(strings.Split(key, "-")[0]) < 5 || key < "6" {
			t.Fatalf("%s is not an invented fund", key)
		}
	}
}

// keysOfCartola is an ingest.Publisher that records the keys of the cartola's messages.
type keysOfCartola struct{ keys *[]string }

func (k keysOfCartola) Publish(_ context.Context, topic string, messages []ingest.Message) error {
	for _, m := range messages {
		if topic == model.Cartola.Topic() {
			*k.keys = append(*k.keys, string(m.Key))
		}
	}
	return nil
}

func TestCartolaWithoutRowsGeneratesNothing(t *testing.T) {
	for _, real := range []string{"", "header\n", "header\na;b\n"} {
		if err := WriteCartola(io.Discard, []byte(real), 1, 1, model.NewDate(2026, time.August, 19)); err == nil {
			t.Errorf("%q is taken for a cartola", real)
		}
	}
}
