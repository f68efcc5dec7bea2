package ingesting

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"cuota/cmd/cuota/connect"
	"cuota/cmd/cuota/datadir"
	"cuota/cmd/cuota/environment"
	"cuota/cmd/cuota/exit"
	"cuota/cmd/cuota/flow"
	"cuota/cmd/cuota/output"
	"cuota/ingest"
	"cuota/ingest/scrape"
)

// batchPatience bounds how long a scraper that runs the engines itself keeps them for a
// batch of what it published, unless --timeout sets another limit.
const batchPatience = 10 * time.Minute

// scrapeOrder holds the arguments of the command.
type scrapeOrder struct {
	config string
	data   string
	once   bool
	now    bool
	// timeout bounds the wait for a batch of what was published.
	timeout time.Duration
	out     io.Writer
}

// NewScrape returns the command cuota scrape.
func NewScrape(s environment.Settings) *cobra.Command {
	order := scrapeOrder{timeout: batchPatience}
	command := &cobra.Command{
		Use:   "scrape --config FILE",
		Short: "Fetch the documents of sources, and publish those that changed",
		Long: "Fetch the documents of the sources in a configuration, by URL or from watched folders, archive every " +
			"payload, and\n" +
			"publish new ones to Kafka, on the schedule of each source, until interrupted. With --once, fetch what " +
			"is due and\n" +
			"end: the exit status is 0 when every source succeeded, 1 when one failed, and 2 when all succeeded and " +
			"some rows\n" +
			"were rejected. A scraper that was stopped continues where it stopped.\n" +
			"\n" +
			"On a data directory that no other process uses, scrape waits for a batch with the published documents. " +
			"With --once\n" +
			"the exit status is then 3 when the batch failed its checks, and 4 when it was not published within " +
			"--timeout.",
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			if order.config == "" { // status 2 means rejected rows, so this gives 1
				return errors.New("give the file that describes the sources with --config; docs/scrape.md explains it")
			}
			order.out = command.OutOrStdout()
			return runScrape(command.Context(), s, order)
		},
	}
	flags := command.Flags()
	flags.StringVar(&order.config, "config", "", "file that describes the sources (docs/scrape.md)")
	flags.StringVar(&order.data, "data", "",
		"data directory, even while cuota up runs on it (default $CUOTA_DATA or ./data, unless CUOTA_KAFKA is set)")
	flags.BoolVar(&order.once, "once", false, "fetch what is due, including retries, and end")
	flags.BoolVar(&order.now, "now", false,
		"treat every source as due at the start, regardless of its schedule and earlier failures")
	exit.TimeoutVar(command, &order.timeout, "on a data directory that no other process uses: ")
	return command
}

func runScrape(ctx context.Context, s environment.Settings, order scrapeOrder) (err error) {
	config, err := scrape.Load(order.config)
	if err != nil {
		return err
	}
	archive, err := archiveDirectory(s, order.data)
	if err != nil {
		return err
	}
	log := s.Logger()
	scraper := scrape.New(config, archive, scrape.System{}, log)
	if err := scraper.Start(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, scraper.Stop()) }()
	if order.now {
		scraper.Now()
	}
	var unpublished error // why no batch holds what was published last
	target := scrapedInto(s, order, log, &unpublished)
	if order.once {
		err = scraper.Once(ctx, target)
	} else if err = scraper.Run(ctx, target); ctx.Err() != nil {
		err = nil // it was interrupted, which is the normal end
	}
	failed := tellSources(order.out, scraper.Summaries(), order.once)
	if order.once && unpublished != nil && (failed == nil || errors.Is(failed, exit.ErrRejected)) {
		failed = unpublished
	}
	return errors.Join(err, failed)
}

// archiveDirectory is the archive of the target that connect.With would find. The scraper uses
// it also while the target is closed.
func archiveDirectory(s environment.Settings, data string) (string, error) {
	if data == "" && s.Separate() {
		return s.Archive, environment.OrData(s.Require("CUOTA_KAFKA", "CUOTA_CLICKHOUSE", "CUOTA_ARCHIVE"))
	}
	dir, err := datadir.Make(cmp.Or(data, s.Data))
	if err != nil {
		return "", err
	}
	return dir.Archive(), nil
}

// scrapedInto opens the target whenever the scraper has something to publish, and closes
// it afterwards, so that other commands can use the data directory in between.
func scrapedInto(s environment.Settings, order scrapeOrder, log zerolog.Logger,
	unpublished *error) scrape.WithIngester {
	quiet := log.Level(zerolog.ErrorLevel) // the scraper reports what was published
	return func(ctx context.Context, work func(scrape.Ingester) error) error {
		return connect.With(ctx, s, order.data, quiet, connect.ToFill, func(target *connect.Target) error {
			ingester, closed, err := target.Ingester(ctx, quiet)
			if err != nil {
				return err
			}
			defer closed()
			var awaiting *flow.Waiter
			if target.Own {
				tell := output.ProgressTo(func(text string) { log.Info().Msg(text) })
				if awaiting, err = target.Await(ctx, order.timeout, tell, quiet); err != nil {
					return err
				}
			}
			published := &publishedFiles{Ingester: ingester}
			if err := work(published); err != nil {
				return err
			}
			if target.Own {
				*unpublished = published.await(ctx, awaiting, log)
			}
			return ctx.Err()
		})
	}
}

// publishedFiles is an Ingester that remembers what it published.
type publishedFiles struct {
	scrape.Ingester
	hashes []string
}

// File implements scrape.Ingester.
func (p *publishedFiles) File(ctx context.Context, request ingest.Request) (ingest.Report, error) {
	report, err := p.Ingester.File(ctx, request)
	if err == nil && !report.Refused {
		p.hashes = append(p.hashes, report.SHA256)
	}
	return report, err
}

// await keeps the engines that this process runs until a batch holds the files, because
// nobody else would build that batch. If the batch does not come, nothing is fetched
// again: the rows are in Kafka.
func (p *publishedFiles) await(ctx context.Context, awaiting *flow.Waiter, log zerolog.Logger) error {
	if len(p.hashes) == 0 {
		return nil
	}
	batch, err := awaiting.Files(ctx, p.hashes)
	switch {
	case ctx.Err() != nil:
	case err != nil:
		log.Warn().Err(err).Msg("no batch holds the published documents yet; see cuota status")
	default:
		log.Info().Str("batch", batch).Msg("batch published")
	}
	return err
}

// tellSources prints, at the end of a run, one line for each source and what is wrong
// with it.
func tellSources(out io.Writer, summaries []scrape.Summary, once bool) error {
	var troubled []string
	rejected := uint64(0)
	for _, s := range summaries {
		fmt.Fprintf(out, "%s: fetched %d, unchanged %d, published %d (%d rows, %d rejected), not yet %d, absent %d, "+
			"reverted %d, refused %d, in quarantine %d, failed %d\n",
			s.Source, s.Fetched, s.Unchanged, s.Published, s.Rows, s.Rejected, s.NotYet, s.Absent, s.Reverted,
			s.Refused, s.Quarantined, s.Failed)
		if s.Trouble != "" {
			fmt.Fprintf(out, "  %s\n", s.Trouble)
			troubled = append(troubled, s.Source)
		}
		rejected += s.Rejected
	}
	switch {
	case !once:
		return nil
	case len(troubled) > 0:
		return fmt.Errorf("%d of %d sources failed: %s", len(troubled), len(summaries), strings.Join(troubled, ", "))
	case rejected > 0:
		return exit.ErrRejected
	}
	return nil
}
