package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/rs/zerolog"
	"github.com/schollz/progressbar/v3"

	"cuota/demo"
	"cuota/ingest"
	"cuota/internal/eventlog"
)

// demoMark is kept in the data directory once the demo market is published. Its
// presence means that the demo is not ingested again.
type demoMark struct {
	Batch string `json:"batch"`
}

func seen(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// ingestDemo publishes the files of the demo market to Kafka. It may be killed
// and run again: the same files give the same events. It returns their hashes.
func ingestDemo(ctx context.Context, dir *directory, brokers []string, out io.Writer, log zerolog.Logger) (hashes []string, err error) {
	scratch, err := os.MkdirTemp(dir.path, "demo-files-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for the demo files: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	if err := demo.Extract(scratch); err != nil {
		return nil, err
	}
	sources, err := demo.Sources()
	if err != nil {
		return nil, err
	}
	fmt.Fprintln(out, "First start: ingesting the demo market, real data of 2025-07-20 (what is derived in it: demo/README.md)")
	writer := eventlog.NewWriter(brokers, log)
	defer writer.Close()
	quiet := log.Level(zerolog.ErrorLevel) // rejected rows are told below
	ingester := ingest.New(ingest.NewArchive(dir.archive(), time.Now), newPaced(writer, brokers, quiet), quiet)

	total := progressbar.NewOptions(len(sources),
		progressbar.OptionSetWriter(os.Stderr), progressbar.OptionSetVisibility(onTerminal(os.Stderr)),
		progressbar.OptionSetDescription("ingesting"), progressbar.OptionShowCount(), progressbar.OptionClearOnFinish())
	begun := time.Now()
	var rows uint64
	var rejected []ingest.Report
	for _, source := range sources {
		report, err := ingester.File(ctx, ingest.Request{
			Dataset: source.Dataset, Path: filepath.Join(scratch, source.Path), Published: source.Published,
		})
		if err != nil {
			return nil, fmt.Errorf("ingest the demo market: %w", err)
		}
		rows += report.Read
		hashes = append(hashes, report.SHA256)
		if report.Rejected > 0 {
			rejected = append(rejected, report)
		}
		_ = total.Add(1) // a bar that cannot be drawn is no reason to stop
	}
	_ = total.Finish()
	fmt.Fprintf(out, "%d files, %d rows in %s\n", len(sources), rows, time.Since(begun).Round(time.Millisecond))
	for _, report := range rejected {
		fmt.Fprintf(out, "%s: %d of %d rows rejected, as they should be: %s\n",
			report.File, report.Rejected, report.Read, report.FirstRejects[0].Reason)
	}
	return hashes, nil
}

// awaitDemo returns when the demo market is published, and notes it.
func awaitDemo(ctx context.Context, dir *directory, conn driver.Conn, hashes []string, out io.Writer) error {
	begun := time.Now()
	batch, err := awaitFiles(ctx, conn, hashes)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "first batch %s published in %s\n", batch, time.Since(begun).Round(time.Millisecond))
	mark, err := json.Marshal(demoMark{Batch: batch})
	if err != nil {
		return fmt.Errorf("note the demo: %w", err)
	}
	if err := os.WriteFile(dir.demo(), mark, 0o640); err != nil {
		return fmt.Errorf("note the demo: %w", err)
	}
	return nil
}
