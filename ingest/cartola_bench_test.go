package ingest

import (
	"bytes"
	"os"
	"testing"

	"cuota/ingest/archive"
	"cuota/ingest/drift"
	"cuota/ingest/encode"
	"cuota/ingest/parse"
	"cuota/model"
)

// BenchmarkCartolaRow measures the work of one core on one row: parse, validate, encode.
// Compare the rows/s that it prints with a month of the market, which has 90,000 rows.
func BenchmarkCartolaRow(b *testing.B) {
	benchmarkCartola(b, func(parse.File, *parse.Parser) parse.Observer { return encoding{ignoring{}} })
}

// BenchmarkCartolaRowWithProfile does the same and makes the profile of the file. Ingest reads
// a file twice and makes the profile once.
func BenchmarkCartolaRowWithProfile(b *testing.B) {
	benchmarkCartola(b, func(file parse.File, parser *parse.Parser) parse.Observer {
		return encoding{drift.NewProfiler(file, parser)}
	})
}

// encoding is an observer that also encodes each event.
type encoding struct{ parse.Observer }

func (e encoding) Event(event model.Event) {
	e.Observer.Event(event)
	if _, err := encode.Event(event); err != nil {
		panic(err)
	}
}

type ignoring struct{}

func (ignoring) Row(uint32, []string) {}
func (ignoring) Event(model.Event)    {}
func (ignoring) Day(model.Date)       {}

func benchmarkCartola(b *testing.B, observer func(parse.File, *parse.Parser) parse.Observer) {
	payload, err := os.ReadFile("../demo/files/cartola/cartola_9809_9810_20240101_20241231.txt")
	if err != nil {
		b.Fatal(err)
	}
	const anySHA256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
	file := archive.Entry{Dataset: model.Cartola, File: "f.txt", SHA256: anySHA256, FirstSeen: today,
		Revision: today.UnixMilli()}.ToParse()
	b.ReportAllocs()
	rows := 0
	for b.Loop() {
		parser, err := parse.New(file, bytes.NewReader(payload))
		if err != nil {
			b.Fatal(err)
		}
		if err := parser.Check(observer(file, parser)); err != nil {
			b.Fatal(err)
		}
		rows += bytes.Count(payload, []byte("\n")) - 1
	}
	b.ReportMetric(float64(rows)/b.Elapsed().Seconds(), "rows/s")
}
