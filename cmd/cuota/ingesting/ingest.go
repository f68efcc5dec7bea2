// Package ingesting has the subcommands that publish files: ingest, scrape, and rejected, which retries files
// with rejected rows and decides on those in quarantine.
package ingesting

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/rs/zerolog"
	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"cuota/cmd/cuota/connect"
	"cuota/cmd/cuota/environment"
	"cuota/cmd/cuota/exit"
	"cuota/cmd/cuota/flow"
	"cuota/cmd/cuota/output"
	"cuota/ingest"
	"cuota/ingest/archive"
	"cuota/model"
)

// NewIngest returns the command cuota ingest.
func NewIngest(s environment.Settings) *cobra.Command {
	var data, published, archive string
	var wait, dry, asJSON bool
	var timeout time.Duration
	command := &cobra.Command{
		Use:   "ingest DATASET FILE|DIR...",
		Short: "Publish the rows of files to Kafka",
		Long: "Publish the rows of files to Kafka. Every row is validated. A row that fails is reported with file " +
			"and line,\n" +
			"counted and kept; the other rows are published. The exit status is 0 when nothing was rejected, 2 when\n" +
			"some rows were. The same file may be ingested any number of times. With --wait it is 3 when the files " +
			"are\n" +
			"stored and the batch failed its checks, and 4 when it was not published within --timeout.\n\n" +
			"With --archive it takes over every file of the archive of another data directory instead, with the " +
			"dates at\n" +
			"which they were published and first seen. It may be interrupted and run again.\n\n" +
			"With --dry-run nothing is published or kept. Instead it says of each file what would change: rows that " +
			"are new,\n" +
			"corrected or rejected, the largest corrections, and the price returns at the cutoff that would differ.\n\n" +
			"Datasets: " + datasetNames(),
		Args: func(_ *cobra.Command, args []string) error {
			if archive != "" {
				if len(args) > 0 || published != "" {
					return errors.New("--archive takes every file with its dataset and date: give no other files and " +
						"no --published")
				}
				return nil
			}
			// Status 2 means rejected rows, so a missing argument gives status 1.
			if len(args) < 2 {
				return errors.New("give a dataset and its files, as in: cuota ingest cartola FILE; see cuota ingest " +
					"--help")
			}
			return nil
		},
		RunE: func(command *cobra.Command, args []string) error {
			switch {
			case timeout != 0 && !wait:
				return errors.New("--timeout needs --wait")
			case asJSON && !dry:
				return errors.New("--json needs --dry-run")
			case dry && (wait || archive != ""):
				return errors.New("--dry-run publishes nothing: give neither --wait nor --archive")
			case dry:
				return runDryRun(command.Context(), s, dryRunOrder{
					files: args, data: data, published: published, asJSON: asJSON, out: command.OutOrStdout(),
				})
			}
			return runIngest(command.Context(), s, ingestOrder{
				files: args, archive: archive, data: data, published: published, wait: wait, timeout: timeout,
				out: command.OutOrStdout(),
			})
		},
	}
	flags := command.Flags()
	flags.StringVar(&data, "data", "",
		"data directory, even while cuota up runs on it (default $CUOTA_DATA or ./data, unless CUOTA_KAFKA is set)")
	command.ValidArgsFunction = func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) == 0 {
			return strings.Fields(datasetNames()), cobra.ShellCompDirectiveNoFileComp
		}
		return nil, cobra.ShellCompDirectiveDefault // complete file names
	}
	flags.StringVar(&published, "published", "",
		"when the source published the files, YYYY-MM-DD or RFC 3339; if two files state the same fact, the one "+
			"published later counts")
	flags.StringVar(&archive, "archive", "", "another data directory, or its folder archive: take over all files")
	flags.BoolVar(&wait, "wait", false,
		"wait until a published batch holds the files and, if cuota up runs, its API serves that batch")
	flags.BoolVar(&dry, "dry-run", false, "publish and keep nothing, and say what would change")
	flags.BoolVar(&asJSON, "json", false, "with --dry-run: write one JSON array with an object for each file")
	exit.TimeoutVar(command, &timeout, "with --wait: ")
	return command
}

func datasetNames() string {
	names := ""
	for _, dataset := range model.Datasets {
		names += " " + string(dataset)
	}
	return names[1:]
}

// ingestOrder holds the arguments of the command.
type ingestOrder struct {
	files     []string // the dataset, and files of it
	archive   string   // or the archive of another data directory
	data      string
	published string
	wait      bool
	timeout   time.Duration // of the wait; 0: no limit
	out       io.Writer
}

func runIngest(ctx context.Context, s environment.Settings, order ingestOrder) error {
	work, err := order.work(ctx, s)
	if err != nil {
		return err
	}
	log := s.Logger().Level(zerolog.ErrorLevel) // the command prints progress and reports for the user itself
	return connect.With(ctx, s, order.data, log, connect.ToFill, func(target *connect.Target) error {
		return ingestFiles(ctx, target, order, work, log)
	})
}

// ingestion publishes one file.
type ingestion func(context.Context, *ingest.Ingester) (ingest.Report, error)

// work lists the files of the order.
func (o ingestOrder) work(ctx context.Context, s environment.Settings) (list []ingestion, err error) {
	if o.archive != "" {
		dir := o.archive
		if inside, err := os.Stat(filepath.Join(dir, "archive")); err == nil && inside.IsDir() {
			dir = filepath.Join(dir, "archive") // a whole data directory was given
		}
		from := archive.New(dir, s.Now)
		entries, err := from.Entries(ctx)
		if err == nil && len(entries) == 0 {
			err = fmt.Errorf("%s holds no archived files: give a data directory, or its folder archive", o.archive)
		}
		for _, entry := range entries {
			list = append(list, func(ctx context.Context, ingester *ingest.Ingester) (ingest.Report, error) {
				return withBar(entry.File, func(tell func(ingest.Progress)) (ingest.Report, error) {
					return ingester.From(ctx, from, entry, tell)
				})
			})
		}
		return list, err
	}
	requests, err := requestsOf(o.files, o.published)
	for _, request := range requests {
		list = append(list, func(ctx context.Context, ingester *ingest.Ingester) (ingest.Report, error) {
			return fileWithBar(ctx, ingester, request)
		})
	}
	return list, err
}

// requestsOf returns a request for each file. args are the dataset and paths.
func requestsOf(args []string, published string) ([]ingest.Request, error) {
	dataset, err := model.ParseDataset(args[0])
	if err != nil {
		return nil, err
	}
	at, err := parsePublished(published)
	if err != nil {
		return nil, err
	}
	paths, err := ingest.Files(args[1:])
	if err != nil {
		return nil, err
	}
	requests := make([]ingest.Request, len(paths))
	for i, path := range paths {
		requests[i] = ingest.Request{Dataset: dataset, Path: path, Published: at}
	}
	return requests, nil
}

// ingestFiles publishes files one after the other, reports on each, and waits for a
// batch that holds them if the order says so.
func ingestFiles(ctx context.Context, target *connect.Target, order ingestOrder, work []ingestion,
	log zerolog.Logger) error {
	ingester, closed, err := target.Ingester(ctx, log)
	if err != nil {
		return err
	}
	defer closed()
	var awaiting *flow.Waiter
	if order.wait {
		if awaiting, err = target.Await(ctx, order.timeout, output.NewProgress(), log); err != nil {
			return err
		}
	}
	var hashes []string
	rejected := uint64(0)
	for _, file := range work {
		report, err := file(ctx, ingester)
		if errors.Is(err, archive.ErrDated) {
			return fmt.Errorf("%w: omit --published, or give that date", err)
		}
		if err != nil {
			return err
		}
		tellReport(order.out, report)
		rejected += report.Rejected
		if !report.Refused {
			hashes = append(hashes, report.SHA256)
		}
	}
	if order.wait && len(hashes) > 0 {
		batch, err := awaiting.Files(ctx, hashes)
		if err != nil {
			return err
		}
		answered := ""
		if target.API != "" {
			if batch, err = awaiting.Answered(ctx, hashes); err != nil {
				return fmt.Errorf("the files are published: %w", err)
			}
			answered = ", which the API serves"
		}
		fmt.Fprintf(order.out, "in published batch %s%s\n", batch, answered)
	}
	if rejected > 0 {
		return exit.ErrRejected
	}
	return nil
}

// parsePublished reads --published: an instant, or a day, which means midnight UTC.
func parsePublished(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("--published %q is neither YYYY-MM-DD nor RFC 3339", text)
}

// tellReport prints the report on a file: rows read, published and rejected.
func tellReport(out io.Writer, r ingest.Report) {
	rate := ""
	if seconds := r.Elapsed.Seconds(); seconds > 0 {
		rate = fmt.Sprintf(" (%.0f rows/s)", float64(r.Read)/seconds)
	}
	fmt.Fprintf(out, "%s: read %d, published %d, rejected %d in %s%s\n",
		r.File, r.Read, r.Published, r.Rejected, r.Elapsed.Round(time.Millisecond), rate)
	for _, finding := range r.Findings {
		if finding.Kind == model.FindingUnknownValue {
			continue // among r.Unknown
		}
		fmt.Fprintf(out, "  %s differs from the files before it: %s\n", r.File, output.Bounded(finding.String()))
	}
	if r.Quarantined {
		fmt.Fprintf(out, "  %s is in quarantine\n", r.File)
	}
	for _, reject := range r.FirstRejects {
		fmt.Fprintf(out, "  %s:%d: %s\n", r.File, reject.Line, reject.Reason)
	}
	if more := r.Rejected - uint64(len(r.FirstRejects)); more > 0 {
		fmt.Fprintf(out, "  … and %d more; the table rejected_row has all of them\n", more)
	}
	if r.Conflicting > 0 {
		fmt.Fprintf(out, "  %d rows have the key of an earlier row and other values; of each key the last row counts\n",
			r.Conflicting)
	}
	for _, conflict := range r.FirstConflicts {
		fmt.Fprintf(out, "  %s:%d: %s\n", r.File, conflict.Later, conflict)
	}
	if r.Repeated > 0 {
		fmt.Fprintf(out, "  %d rows state the same as an earlier row\n", r.Repeated)
	}
	for _, unknown := range r.Unknown {
		fmt.Fprintf(out, "  %s:%d: %s\n", r.File, unknown.FirstLine, unknown)
	}
}

// fileWithBar ingests a file and shows the progress, on a terminal only.
func fileWithBar(ctx context.Context, ingester *ingest.Ingester, request ingest.Request) (ingest.Report, error) {
	return withBar(request.Path, func(tell func(ingest.Progress)) (ingest.Report, error) {
		request.Progress = tell
		return ingester.File(ctx, request)
	})
}

// withBar runs work on a file, and shows the progress that the work tells.
func withBar(name string, work func(tell func(ingest.Progress)) (ingest.Report, error)) (ingest.Report, error) {
	bar := output.NewBar(-1, shortName(name), progressbar.OptionShowBytes(true))
	defer func() { _ = bar.Finish() }()
	return work(func(p ingest.Progress) {
		bar.ChangeMax64(p.Size)
		_ = bar.Set64(p.Bytes) // failing to draw a bar is no reason to stop
	})
}

// shortName shortens a file's name for a progress line.
func shortName(path string) string {
	const room = 40
	name := filepath.Base(path)
	if len(name) > room {
		name = "…" + name[len(name)-room+1:]
	}
	return name
}
