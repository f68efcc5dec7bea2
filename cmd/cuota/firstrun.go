package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/rs/zerolog"
	"github.com/schollz/progressbar/v3"

	"cuota/demo"
	"cuota/ingest"
	"cuota/internal/durable"
	"cuota/internal/eventlog"
)

// market is the set of files that the first start on a data directory ingests: files in
// a directory, in the order of the sources.csv in it.
type market struct {
	name  string // its name in the mark: demoName, or the absolute path of its directory
	dir   string // empty for the demo market, which is inside the program
	intro string
	// series is a series with years of history, for the examples that are printed; empty
	// if none is known.
	series string
}

const (
	demoName = "demo"
	// demoSeries is RUN 9809-4 series B, which has five years of history in the demo.
	demoSeries = "1161378270"
)

// marketMark is a file in the data directory, written when the first market is in a
// published batch. If it exists, no market is ingested again.
type marketMark struct {
	Batch  string `json:"batch"`
	Market string `json:"market,omitempty"` // empty for the demo market
}

// firstMarket returns the market that this start must ingest, or nil if there is none.
func firstMarket(dir *dataDirectory, order upOrder) (*market, error) {
	wanted := &market{
		name: demoName, series: demoSeries,
		intro: "First start: ingesting the demo market, real data of 2025-07-20 (demo/README.md lists its derived files)",
	}
	switch {
	case order.market != "":
		absolute, err := filepath.Abs(order.market)
		if err != nil {
			return nil, fmt.Errorf("market %s: %w", order.market, err)
		}
		wanted = &market{name: absolute, dir: absolute, intro: "First start: ingesting the market in " + absolute}
	case !order.demo:
		return nil, nil
	}
	text, err := os.ReadFile(dir.market())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("check whether a market was ingested before: %w", err)
	}
	if len(text) == 0 { // an interrupted write may leave an empty file, which counts as none
		return wanted, nil
	}
	mark := marketMark{}
	if err := json.Unmarshal(text, &mark); err != nil {
		return nil, fmt.Errorf("read %s: %w", dir.market(), err)
	}
	if mark.Market == "" {
		mark.Market = demoName
	}
	if order.market != "" && mark.Market != wanted.name {
		return nil, fmt.Errorf("the data directory %s already holds the market %s: choose another directory with --data, or start without --market", dir.path, mark.Market)
	}
	return nil, nil
}

// ingest publishes the files to Kafka and returns the hashes of those that were not
// refused. It may be killed and run again, because the same files give the same events.
func (m *market) ingest(ctx context.Context, archive *ingest.Archive, dir *dataDirectory, brokers eventlog.Brokers, out io.Writer, log zerolog.Logger) (_ []string, err error) {
	from := m.dir
	if from == "" {
		if from, err = os.MkdirTemp(dir.path, "demo-files-"); err != nil {
			return nil, fmt.Errorf("make a folder for the demo files: %w", err)
		}
		defer func() { err = errors.Join(err, os.RemoveAll(from)) }()
		if err := demo.Extract(from); err != nil {
			return nil, err
		}
	}
	sources, err := demo.SourcesIn(from)
	if err != nil {
		return nil, fmt.Errorf("market %s: %w", m.name, err)
	}
	total := int64(0)
	for _, source := range sources {
		info, err := os.Stat(filepath.Join(from, source.Path))
		if err != nil {
			return nil, fmt.Errorf("market %s: %w", m.name, err)
		}
		total += info.Size()
	}
	fmt.Fprintln(out, m.intro)
	ingester, closed := newIngester(archive, brokers, log, log.Level(zerolog.ErrorLevel)) // rejected rows are reported below
	defer closed()

	bar := newBar(total, "ingesting", progressbar.OptionShowBytes(true))
	begun := time.Now()
	done, rows := int64(0), uint64(0)
	var files []string
	var rejected []ingest.Report
	for _, source := range sources {
		size := int64(0)
		report, err := ingester.File(ctx, ingest.Request{
			Dataset: source.Dataset, Path: filepath.Join(from, source.Path), Published: source.Published,
			Progress: func(p ingest.Progress) {
				size = p.Size
				_ = bar.Set64(done + p.Bytes) // failing to draw a bar is no reason to stop
			},
		})
		if errors.Is(err, ingest.ErrDated) {
			return nil, fmt.Errorf("market %s: %w: choose a new data directory with --data, or start with --no-demo", m.name, err)
		}
		if err != nil {
			return nil, fmt.Errorf("market %s: %w", m.name, err)
		}
		done += size
		rows += report.Read
		if report.Rejected > 0 {
			rejected = append(rejected, report)
		}
		if !report.Refused {
			files = append(files, report.SHA256)
		}
	}
	_ = bar.Finish()
	fmt.Fprintf(out, "%d files, %d rows in %s\n", len(sources), rows, time.Since(begun).Round(time.Millisecond))
	m.tellRejected(out, rejected)
	return files, nil
}

// tellRejected reports each file if they are few, and prints one line if they are many.
func (m *market) tellRejected(out io.Writer, reports []ingest.Report) {
	const few = 3
	if len(reports) > few {
		rows := uint64(0)
		for _, report := range reports {
			rows += report.Rejected
		}
		fmt.Fprintf(out, "%d rows of %d files rejected; the table rejected_row has all of them\n", rows, len(reports))
		return
	}
	expected := ""
	if m.name == demoName {
		expected = " (expected in the demo)"
	}
	for _, report := range reports {
		fmt.Fprintf(out, "%s: %d of %d rows rejected%s: %s\n",
			report.File, report.Rejected, report.Read, expected, report.FirstRejects[0].Reason)
	}
}

// await waits until a published batch holds the files, and then writes the mark.
func (m *market) await(ctx context.Context, dir *dataDirectory, awaiting *waiter, files []string, out io.Writer) error {
	if len(files) == 0 {
		return fmt.Errorf("market %s: every file was refused", m.name)
	}
	begun := time.Now()
	batch, err := awaiting.files(ctx, files)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "first batch %s published in %s\n", batch, time.Since(begun).Round(time.Millisecond))
	mark := marketMark{Batch: batch}
	if m.name != demoName {
		mark.Market = m.name
	}
	text, err := json.Marshal(mark)
	if err == nil {
		err = durable.Replace(dir.market(), text, 0o640)
	}
	if err != nil {
		return fmt.Errorf("record that the market was ingested: %w", err)
	}
	return nil
}
