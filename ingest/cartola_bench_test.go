package ingest

import (
	"bytes"
	"errors"
	"io"
	"os"
	"testing"

	"cuota/model"
)

// BenchmarkCartolaRow measures the work of one core on one row: parse, validate, encode.
// Compare the rows/s that it prints with a month of the market, which has 90,000 rows.
func BenchmarkCartolaRow(b *testing.B) { benchmarkCartola(b, false) }

// BenchmarkCartolaRowWithProfile does the same and makes the profile of the file. Ingest reads
// a file twice and makes the profile once.
func BenchmarkCartolaRowWithProfile(b *testing.B) { benchmarkCartola(b, true) }

func benchmarkCartola(b *testing.B, profiled bool) {
	payload, err := os.ReadFile("../demo/files/cartola/cartola_9809_9810_20240101_20241231.txt")
	if err != nil {
		b.Fatal(err)
	}
	entry := Entry{Dataset: model.Cartola, File: "f.txt", SHA256: anySHA256, FirstSeen: today, Revision: today.UnixMilli()}
	b.ReportAllocs()
	rows := 0
	for b.Loop() {
		p, err := newParser(entry, bytes.NewReader(payload))
		if err != nil {
			b.Fatal(err)
		}
		if profiled {
			p.profiler = newProfiler(entry, p.format, p.header)
		}
		for {
			result, err := p.next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil || result.reject != nil {
				b.Fatal(err, result.reject)
			}
			if _, err := eventMessage(result.event); err != nil {
				b.Fatal(err)
			}
			rows++
		}
	}
	b.ReportMetric(float64(rows)/b.Elapsed().Seconds(), "rows/s")
}

const anySHA256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
