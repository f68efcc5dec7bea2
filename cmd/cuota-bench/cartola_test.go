package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"cuota/demo"
	"cuota/ingest"
	"cuota/model"
)

func TestGeneratedCartolaPassesIngestWithDistinctKeys(t *testing.T) {
	dir := t.TempDir()
	if err := demo.Extract(dir); err != nil {
		t.Fatal(err)
	}
	real, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(realCartola)))
	if err != nil {
		t.Fatal(err)
	}
	const series, days = 40, 400 // more of both than the real file has
	var first, second bytes.Buffer
	for _, out := range []io.Writer{&first, &second} {
		if err := writeCartola(out, real, series, days); err != nil {
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
	record := publisherFunc(func(topic string, messages []ingest.Message) {
		for _, m := range messages {
			if topic == model.Cartola.Topic() {
				keys = append(keys, string(m.Key))
			}
		}
	})
	archive := ingest.NewArchive(filepath.Join(dir, "archive"), now)
	report, err := ingest.New(archive, record, zerolog.Nop()).File(t.Context(), ingest.Request{Dataset: model.Cartola, Path: path})
	if err != nil {
		t.Fatal(err)
	}
	if report.Keys != series*days || report.Rejected != 0 {
		t.Errorf("%d distinct keys and %d rejected of %d rows: %v", report.Keys, report.Rejected, series*days, report.FirstRejects)
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

func TestCartolaWithoutRowsGeneratesNothing(t *testing.T) {
	for _, real := range []string{"", "header\n", "header\na;b\n"} {
		if err := writeCartola(io.Discard, []byte(real), 1, 1); err == nil {
			t.Errorf("%q is taken for a cartola", real)
		}
	}
}
