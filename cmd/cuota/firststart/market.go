// Package firststart is what a person meets on the first start of "cuota up": the market that is ingested,
// the real demo or one that "cuota synth" has invented, the steps until its batch is answered from, and the
// greeting with addresses, a key and commands to try.
package firststart

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/rs/zerolog"
	"github.com/schollz/progressbar/v3"
	"golang.org/x/sync/errgroup"

	"cuota/cmd/cuota/datadir"
	"cuota/cmd/cuota/flow"
	"cuota/cmd/cuota/output"
	"cuota/demo"
	"cuota/ingest"
	"cuota/ingest/archive"
	"cuota/internal/durable"
	"cuota/internal/eventlog"
	"cuota/model"
)

// Market is the set of files that the first start on a data directory ingests: files in
// a directory, in the order of the sources.csv in it.
type Market struct {
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
	// fewDays says what the demo lacks, and where it is.
	fewDays = "The demo has one day for 2,831 of its series; make demo-market starts an invented market with years " +
		"for all."
)

// Introduce says which market is ingested.
func (m *Market) Introduce(out io.Writer) { fmt.Fprintln(out, m.intro) }

// marketMark is a file in the data directory, written when the first market is in a
// published batch. If it exists, no market is ingested again.
type marketMark struct {
	Batch  string `json:"batch"`
	Market string `json:"market,omitempty"` // empty for the demo market
}

// FindMarket returns the market that this start must ingest, or nil if there is none: the one in the
// directory files, or if that is empty, the demo market if isDemo.
func FindMarket(dir *datadir.Directory, isDemo bool, files string) (*Market, error) {
	wanted := &Market{
		name: demoName, series: demoSeries,
		intro: "First start: ingesting the demo market, real data of 2025-07-20 (demo/README.md lists its derived " +
			"files).\n" + fewDays,
	}
	switch {
	case files != "":
		absolute, err := filepath.Abs(files)
		if err != nil {
			return nil, fmt.Errorf("market %s: %w", files, err)
		}
		wanted = &Market{name: absolute, dir: absolute, intro: "First start: ingesting the market in " + absolute}
	case !isDemo:
		return nil, nil
	}
	text, err := os.ReadFile(dir.Market())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("check whether a market was ingested before: %w", err)
	}
	if len(text) == 0 { // an interrupted write may leave an empty file, which counts as none
		return wanted, nil
	}
	mark := marketMark{}
	if err := json.Unmarshal(text, &mark); err != nil {
		return nil, fmt.Errorf("read %s: %w", dir.Market(), err)
	}
	if mark.Market == "" {
		mark.Market = demoName
	}
	if files != "" && mark.Market != wanted.name {
		return nil, fmt.Errorf("the data directory %s already holds the market %s: choose another directory with "+
			"--data, or start without --market", dir.Path, mark.Market)
	}
	return nil, nil
}

// datasetsAtOnce is how many datasets of a market are ingested side by side. Ingestion waits
// for the disk after each file, so more than the two processors of a small machine are useful.
const datasetsAtOnce = 4

// listedFile is a file of a market and what became of it.
type listedFile struct {
	demo.Source
	size   int64 // bytes
	read   int64 // bytes that are published
	rows   uint64
	report ingest.Report
}

// Ingest publishes the files to Kafka and returns the hashes of those that were not
// refused. It may be killed and run again, because the same files give the same events.
//
// The batch does not depend on the order of files, but what a file is called does: of files
// with the same bytes the one that is seen first gives the name. So the files of one dataset
// are ingested one after the other as they are listed, and datasets side by side.
func (m *Market) Ingest(ctx context.Context, into *archive.Archive, dir *datadir.Directory, brokers eventlog.Brokers,
	steps *Steps, out io.Writer, log zerolog.Logger) (_ []string, err error) {
	from := m.dir
	if from == "" {
		if from, err = os.MkdirTemp(dir.Path, "demo-files-"); err != nil {
			return nil, fmt.Errorf("make a folder for the demo files: %w", err)
		}
		defer func() { err = errors.Join(err, os.RemoveAll(from)) }()
		if err := demo.Extract(from); err != nil {
			return nil, err
		}
	}
	files, err := m.list(from)
	if err != nil {
		return nil, err
	}
	total := int64(0)
	for _, file := range files {
		total += file.size
	}
	// rejected rows are reported below
	ingester, closed := flow.NewIngester(into, brokers, "", log, log.Level(zerolog.ErrorLevel))
	defer closed()

	steps.Begin(stepFiles)
	// Files are small and uneven, so a rate and a remaining time would be far off.
	bar := output.NewBar(total, "ingesting", progressbar.OptionSetPredictTime(false))
	var mu sync.Mutex // guards the following counts
	read, done, rows := int64(0), 0, uint64(0)
	tell := func(file *listedFile, p ingest.Progress, finished bool) {
		mu.Lock()
		defer mu.Unlock()
		read += p.Bytes - file.read
		rows += p.Published + p.Rejected - file.rows
		file.read, file.rows = p.Bytes, p.Published+p.Rejected
		if finished {
			done++
		}
		_ = bar.Set64(read) // failing to draw a bar is no reason to stop
		steps.at(stepFiles, func(step *Step) {
			step.Files, step.OfFiles, step.Rows, step.Percent = done, len(files), rows, int(100*read/max(total, 1))
		})
	}
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(datasetsAtOnce)
	for _, dataset := range byDataset(files) {
		group.Go(func() error {
			for _, file := range dataset {
				report, err := ingester.File(groupCtx, ingest.Request{
					Dataset: file.Dataset, Path: filepath.Join(from, file.Path), Published: file.Published,
					Progress: func(p ingest.Progress) { tell(file, p, false) },
				})
				if errors.Is(err, archive.ErrDated) {
					return fmt.Errorf("market %s: %w: choose a new data directory with --data, or start with --no-demo",
						m.name, err)
				}
				if err != nil {
					return fmt.Errorf("market %s: %w", m.name, err)
				}
				file.report = report
				tell(file, ingest.Progress{Bytes: file.size, Published: report.Read}, true)
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	_ = bar.Finish()
	var hashes []string
	var rejected []ingest.Report
	for _, file := range files {
		if file.report.Rejected > 0 {
			rejected = append(rejected, file.report)
		}
		if !file.report.Refused {
			hashes = append(hashes, file.report.SHA256)
		}
	}
	steps.Report(out, fmt.Sprintf("%d files, %d rows ingested", len(files), rows), stepFiles)
	m.tellRejected(out, rejected)
	return hashes, nil
}

// list returns the files of the market in the directory, in the order of their list.
func (m *Market) list(from string) ([]*listedFile, error) {
	sources, err := demo.SourcesIn(from)
	if err != nil {
		return nil, fmt.Errorf("market %s: %w", m.name, err)
	}
	files := make([]*listedFile, len(sources))
	for i, source := range sources {
		info, err := os.Stat(filepath.Join(from, source.Path))
		if err != nil {
			return nil, fmt.Errorf("market %s: %w", m.name, err)
		}
		files[i] = &listedFile{Source: source, size: info.Size()}
	}
	return files, nil
}

// byDataset groups the files by dataset, and keeps their order within one. The largest
// dataset comes first, because the others can be ingested beside it.
func byDataset(files []*listedFile) [][]*listedFile {
	var groups [][]*listedFile
	at := map[model.Dataset]int{}
	for _, file := range files {
		i, known := at[file.Dataset]
		if !known {
			i = len(groups)
			at[file.Dataset] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], file)
	}
	weight := func(group []*listedFile) (bytes int64) {
		for _, file := range group {
			bytes += file.size
		}
		return bytes
	}
	slices.SortStableFunc(groups, func(a, b []*listedFile) int { return cmp.Compare(weight(b), weight(a)) })
	return groups
}

// tellRejected reports each file if they are few, and prints one line if they are many.
func (m *Market) tellRejected(out io.Writer, reports []ingest.Report) {
	const few = 3
	if len(reports) > few {
		rows := uint64(0)
		for _, report := range reports {
			rows += report.Rejected
		}
		fmt.Fprintf(out, "  %d rows of %d files rejected; the table rejected_row has all of them\n", rows, len(reports))
		return
	}
	expected := ""
	if m.name == demoName {
		expected = " (expected in the demo)"
	}
	for _, report := range reports {
		fmt.Fprintf(out, "  %s: %d of %d rows rejected%s: %s\n",
			report.File, report.Rejected, report.Read, expected, report.FirstRejects[0].Reason)
	}
}

// Await waits until a published batch holds the files, and then writes the mark.
func (m *Market) Await(ctx context.Context, dir *datadir.Directory, awaiting *flow.Waiter, files []string,
	steps *Steps, out io.Writer) error {
	if len(files) == 0 {
		return fmt.Errorf("market %s: every file was refused", m.name)
	}
	batch, err := awaiting.Files(ctx, files)
	if err != nil {
		return err
	}
	steps.Report(out, "first batch "+batch+" built and published", StepBatch)
	mark := marketMark{Batch: batch}
	if m.name != demoName {
		mark.Market = m.name
	}
	text, err := json.Marshal(mark)
	if err == nil {
		err = durable.Replace(dir.Market(), text, 0o640)
	}
	if err != nil {
		return fmt.Errorf("record that the market was ingested: %w", err)
	}
	return nil
}
