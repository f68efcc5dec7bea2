package ingesting

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"cuota/cmd/cuota/connect"
	"cuota/cmd/cuota/environment"
	"cuota/cmd/cuota/exit"
	"cuota/cmd/cuota/flow"
	"cuota/cmd/cuota/output"
	"cuota/ingest"
	"cuota/model"
	"cuota/sql"
)

// NewRejected returns the command cuota rejected.
func NewRejected(s environment.Settings) *cobra.Command {
	var data string
	rejected := &cobra.Command{
		Use:   "rejected",
		Short: "List, show and retry rejected rows, and decide on files in quarantine",
		Long: "List, show and retry rejected rows. A row is open until it is corrected: by its file, once all rows " +
			"of it are\n" +
			"accepted, by a newer file of the same name, or by a valid row for the same series and day " +
			"(docs/operations.md).\n\n" +
			"A file from which wrong figures might be computed, because its shapes differ from those of the files " +
			"before it,\n" +
			"is listed with one row whose reason begins with «quarantined». Nothing of it is published until you " +
			"accept it.",
	}
	rejected.PersistentFlags().StringVar(&data, "data", "",
		"data directory, even while cuota up runs on it (default $CUOTA_DATA or ./data, unless CUOTA_KAFKA is set)")
	rejected.AddCommand(newRejectedList(s, &data), newRejectedShow(s, &data), newRejectedRetry(s, &data),
		newRejectedAccept(s, &data), newRejectedRefuse(s, &data))
	return rejected
}

// rejectedOrder holds the arguments of list and show.
type rejectedOrder struct {
	named  string // name of a file or beginning of its hash; "": every file
	all    bool   // also rows that are no longer open
	most   rowLimit
	asJSON bool
	out    io.Writer
}

// rowLimit is the value of --limit.
type rowLimit uint32

// maxRows bounds --limit. It is also the number of rejected rows that are kept.
const maxRows = 100_000

func (l *rowLimit) String() string { return strconv.FormatUint(uint64(*l), 10) }
func (l *rowLimit) Type() string   { return "number" }
func (l *rowLimit) Set(text string) error {
	n, err := strconv.ParseUint(text, 10, 32)
	if err != nil || n < 1 || n > maxRows {
		return fmt.Errorf("give a number from 1 to %d", maxRows)
	}
	*l = rowLimit(n)
	return nil
}

// flags adds the flags that list and show share.
func (o *rejectedOrder) flags(command *cobra.Command, what string) {
	flags := command.Flags()
	flags.BoolVar(&o.all, "all", false, "also "+what+" that are closed")
	flags.Var(&o.most, "limit", "how many "+what+" at most")
	flags.BoolVar(&o.asJSON, "json", false, "write one JSON array, for programs")
}

func newRejectedList(s environment.Settings, data *string) *cobra.Command {
	order := rejectedOrder{most: 1000}
	list := &cobra.Command{
		Use:   "list",
		Short: "List the files with open rejected rows",
		Long: "List the files with open rejected rows, the newest first: number of rows, time of arrival, and the " +
			"first reason.",
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			order.out = command.OutOrStdout()
			return connect.With(command.Context(), s, *data, s.Logger().Level(zerolog.ErrorLevel), connect.ToRead,
				func(target *connect.Target) error {
					files, err := rejectedFiles(command.Context(), target.Conn, order)
					if err != nil {
						return err
					}
					return order.tellFiles(files)
				})
		},
	}
	order.flags(list, "files")
	return list
}

func newRejectedShow(s environment.Settings, data *string) *cobra.Command {
	order := rejectedOrder{most: 100}
	show := &cobra.Command{
		Use:   "show FILE|SHA256",
		Short: "Show the open rejected rows of a file",
		Long: "Show the open rejected rows of a file: line, reason and text. Give the name of the file, or at least " +
			"the first\n" +
			"eight digits of its hash; cuota rejected list shows both.",
		Args: exit.OneArgument("give the name of a file or its hash; cuota rejected list shows them"),
		RunE: func(command *cobra.Command, args []string) error {
			order.named, order.out = args[0], command.OutOrStdout()
			return connect.With(command.Context(), s, *data, s.Logger().Level(zerolog.ErrorLevel), connect.ToRead,
				func(target *connect.Target) error {
					rows, err := rejectedRows(command.Context(), target.Conn, order)
					if err != nil {
						return err
					}
					return order.tellRows(rows)
				})
		},
	}
	order.flags(show, "rows")
	return show
}

// rejectedFile is a file with rejected rows. Programs read its JSON, so the names must
// stay.
type rejectedFile struct {
	Dataset  string    `ch:"dataset" json:"dataset"`
	File     string    `ch:"file" json:"file"`
	SHA256   string    `ch:"sha256" json:"sha256"`
	Open     uint64    `ch:"open_rows" json:"open"`
	Rejected uint64    `ch:"rejected_rows" json:"rejected"` // all rejected rows, open or not
	Reason   string    `ch:"first_reason" json:"first_reason"`
	Line     uint32    `ch:"first_line" json:"first_line"`
	Arrived  time.Time `ch:"arrived" json:"arrived_at"`
}

// rejectedRow is a rejected row. Programs read its JSON, so the names must stay.
type rejectedRow struct {
	Dataset string    `ch:"dataset" json:"dataset"`
	File    string    `ch:"file" json:"file"`
	SHA256  string    `ch:"sha256" json:"sha256"`
	Line    uint32    `ch:"line" json:"line"`
	Reason  string    `ch:"reason" json:"reason"`
	Raw     string    `ch:"raw" json:"raw"` // the text of the row, at most 4 KiB
	Open    bool      `ch:"open" json:"open"`
	Arrived time.Time `ch:"arrived" json:"arrived_at"`
}

func rejectedFiles(ctx context.Context, conn driver.Conn, order rejectedOrder) ([]rejectedFile, error) {
	return sql.Select[rejectedFile](ctx, conn, "rejected_files", order.values(), "query the files with rejected rows")
}

func rejectedRows(ctx context.Context, conn driver.Conn, order rejectedOrder) ([]rejectedRow, error) {
	return sql.Select[rejectedRow](ctx, conn, "rejected_rows", order.values(), "query the rejected rows")
}

func (o rejectedOrder) values() clickhouse.Parameters {
	return clickhouse.Parameters{"named": o.named, "all": strconv.FormatBool(o.all), "most": o.most.String()}
}

// hashShown is how many digits of a hash are printed; show and retry accept them.
const hashShown = 12

func (o rejectedOrder) tellFiles(files []rejectedFile) error {
	if o.asJSON {
		return output.JSON(o.out, append([]rejectedFile{}, files...)) // never null
	}
	if len(files) == 0 {
		fmt.Fprintln(o.out, "there are no open rejected rows")
		return nil
	}
	table := tabwriter.NewWriter(o.out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(table, "open\trejected\tarrived (UTC)\tdataset\tfile\tsha256\tfirst reason")
	for _, f := range files {
		fmt.Fprintf(table, "%d\t%d\t%s\t%s\t%s\t%.*s\tline %d: %s\n", f.Open, f.Rejected,
			f.Arrived.UTC().Format(time.DateTime),
			output.Visible(f.Dataset), output.Visible(f.File), hashShown, f.SHA256, f.Line, output.Bounded(f.Reason))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	o.tellCut(len(files))
	return nil
}

// shownRaw bounds how much of a row's text is printed, in bytes. JSON has all that is
// kept.
const shownRaw = 400

func (o rejectedOrder) tellRows(rows []rejectedRow) error {
	if o.asJSON {
		return output.JSON(o.out, append([]rejectedRow{}, rows...)) // never null
	}
	if len(rows) == 0 {
		return fmt.Errorf("%s has no open rejected rows; cuota rejected list shows the files that have some, and "+
			"--all shows closed rows too", output.Visible(o.named))
	}
	last := ""
	for _, r := range rows {
		if r.SHA256 != last {
			fmt.Fprintf(o.out, "%s %s (sha256 %.*s), arrived %s\n", output.Visible(r.Dataset), output.Visible(r.File),
				hashShown, r.SHA256, r.Arrived.UTC().Format(time.RFC3339))
			last = r.SHA256
		}
		closed := ""
		if !r.Open {
			closed = " (closed)"
		}
		raw, more := r.Raw, ""
		if len(raw) > shownRaw {
			raw, more = raw[:shownRaw], " …"
		}
		// The text is quoted, so that control characters in the file stay harmless.
		fmt.Fprintf(o.out, "  line %d%s: %s\n    %s%s\n", r.Line, closed, output.Visible(r.Reason), strconv.Quote(raw),
			more)
	}
	o.tellCut(len(rows))
	return nil
}

func (o rejectedOrder) tellCut(shown int) {
	if shown == int(o.most) {
		fmt.Fprintf(o.out, "… stopped after %d: show more with --limit\n", shown)
	}
}

// retryOrder holds the arguments of a retry.
type retryOrder struct {
	named     string
	fixed     string // path of a file that replaces the named one; "": none
	published string
	timeout   time.Duration
	out       io.Writer
}

func newRejectedRetry(s environment.Settings, data *string) *cobra.Command {
	var order retryOrder
	retry := &cobra.Command{
		Use:   "retry FILE|SHA256 [FIXED]",
		Short: "Ingest a file with rejected rows again, or a corrected file in its place",
		Long: "Ingest the archived bytes of a file with rejected rows again, after an upgrade that accepts them. " +
			"With FIXED,\n" +
			"ingest that corrected file in its place, under the same dataset and name. Then wait for a batch.\n\n" +
			"The exit status is 0 when nothing was rejected, 1 when the command failed, 2 when some rows were " +
			"rejected, 3\n" +
			"when the batch failed its checks, and 4 when it was not published within --timeout.",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 1 || len(args) > 2 { // status 2 means rejected rows, so this gives 1
				return errors.New("give the name of a file or its hash, and then the corrected file if there is one; " +
					"cuota rejected list shows names and hashes")
			}
			return nil
		},
		RunE: func(command *cobra.Command, args []string) error {
			order.named, order.out = args[0], command.OutOrStdout()
			if len(args) == 2 {
				order.fixed = args[1]
			} else if order.published != "" {
				return errors.New("--published needs a corrected file: archived bytes keep their date")
			}
			return runRetry(command.Context(), s, *data, order)
		},
	}
	retry.Flags().StringVar(&order.published, "published", "",
		"when the source published the corrected file, YYYY-MM-DD or RFC 3339, later than the file that it replaces")
	exit.TimeoutVar(retry, &order.timeout, "")
	return retry
}

func runRetry(ctx context.Context, s environment.Settings, data string, order retryOrder) error {
	published, err := parsePublished(order.published)
	if err != nil {
		return err
	}
	log := s.Logger().Level(zerolog.ErrorLevel) // the command prints reports for the user itself
	return connect.With(ctx, s, data, log, connect.ToBuild, func(target *connect.Target) error {
		return onRejected(ctx, target, order.named, order.timeout, log,
			func(file rejectedFile, ingester *ingest.Ingester, awaiting *flow.Waiter) error {
				retry := retry{retryOrder: order, target: target, awaiting: awaiting, file: file, log: log}
				if order.fixed == "" {
					return retry.again(ctx, ingester)
				}
				return retry.fixedFile(ctx, ingester, published)
			})
	})
}

// onRejected runs work on the one rejected file that the argument names. It gives work an ingester, and a waiter
// that waits for a batch until the timeout is over.
func onRejected(
	ctx context.Context, target *connect.Target, named string, timeout time.Duration, log zerolog.Logger,
	work func(rejectedFile, *ingest.Ingester, *flow.Waiter) error,
) error {
	file, err := findRejected(ctx, target.Conn, named)
	if err != nil {
		return err
	}
	awaiting, err := target.Await(ctx, timeout, output.NewProgress(), log)
	if err != nil {
		return err
	}
	ingester, closed, err := target.Ingester(ctx, log)
	if err != nil {
		return err
	}
	defer closed()
	return work(file, ingester, awaiting)
}

// findRejected finds the one file that the argument names. It fails if there is none or
// more than one.
func findRejected(ctx context.Context, conn driver.Conn, named string) (rejectedFile, error) {
	files, err := rejectedFiles(ctx, conn, rejectedOrder{named: named, all: true, most: maxRows})
	switch {
	case err != nil:
		return rejectedFile{}, err
	case len(files) == 0:
		return rejectedFile{}, fmt.Errorf("there is no file %s with rejected rows: see cuota rejected list --all",
			output.Visible(named))
	case len(files) > 1:
		return rejectedFile{}, fmt.Errorf(
			"%d files with rejected rows have the name %s: give the hash of one, as in %.*s", len(files),
			output.Visible(named), hashShown, files[0].SHA256)
	}
	if _, err := model.ParseDataset(files[0].Dataset); err != nil {
		return rejectedFile{}, fmt.Errorf(
			"%s is not a file but a message in Kafka that cuota ingest did not write: there is nothing to ingest",
			output.Visible(named))
	}
	return files[0], nil
}

// retry is the second ingestion of a file.
type retry struct {
	retryOrder
	target   *connect.Target
	awaiting *flow.Waiter
	file     rejectedFile
	log      zerolog.Logger
}

// manifestCounts holds the counts of a manifest.
type manifestCounts struct {
	Keys     uint64 `ch:"keys"`
	Rejected uint64 `ch:"rejected"`
}

// again ingests the archived bytes again. If a batch already holds the file, only a
// batch that builds every day again uses the newly accepted rows.
func (r *retry) again(ctx context.Context, ingester *ingest.Ingester) error {
	values := clickhouse.Parameters{"dataset": r.file.Dataset, "sha256": r.file.SHA256}
	before, err := sql.Select[manifestCounts](ctx, r.target.Conn, "manifest_counts", values,
		"query the manifest of the file")
	if err != nil {
		return err
	}
	report, err := ingester.Again(ctx, r.file.SHA256, nil)
	if err != nil {
		return err
	}
	tellReport(r.out, report)
	switch {
	case report.Refused:
		return exit.ErrRejected
	case len(before) == 0:
		return r.published(ctx, report)
	case before[0] == manifestCounts{report.Keys, report.Rejected}:
		fmt.Fprintln(r.out, "this version of the program rejects the same rows as the earlier one; nothing has changed")
		return rejectedIn(report)
	}
	if err := r.awaiting.Stored(ctx); err != nil {
		return err
	}
	if err := r.target.Build(ctx, true, r.timeout, r.out, r.log); err != nil {
		return err
	}
	return errors.Join(r.tellOpen(ctx), rejectedIn(report))
}

// fixedFile ingests a corrected file that replaces the named one.
func (r *retry) fixedFile(ctx context.Context, ingester *ingest.Ingester, published time.Time) error {
	report, err := fileWithBar(ctx, ingester, ingest.Request{
		Dataset: model.Dataset(r.file.Dataset), Path: r.fixed, File: r.file.File, Published: published,
	})
	if err != nil {
		return err
	}
	tellReport(r.out, report)
	if report.Refused {
		return exit.ErrRejected
	}
	return r.published(ctx, report)
}

// published waits for a batch that holds the file.
func (r *retry) published(ctx context.Context, report ingest.Report) error {
	batch, err := r.awaiting.Files(ctx, []string{report.SHA256})
	if err != nil {
		return err
	}
	fmt.Fprintf(r.out, "in published batch %s\n", batch)
	return errors.Join(r.tellOpen(ctx), rejectedIn(report))
}

// tellOpen prints how many rows of the file are still open.
func (r *retry) tellOpen(ctx context.Context) error {
	files, err := rejectedFiles(ctx, r.target.Conn, rejectedOrder{named: r.file.SHA256, all: true, most: 1})
	for _, f := range files {
		fmt.Fprintf(r.out, "%s (sha256 %.*s): %d of %d rejected rows are open\n", output.Visible(f.File), hashShown,
			f.SHA256, f.Open, f.Rejected)
	}
	return err
}

func rejectedIn(report ingest.Report) error {
	if report.Rejected > 0 {
		return exit.ErrRejected
	}
	return nil
}
