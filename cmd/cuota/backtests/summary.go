package backtests

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/rs/zerolog"
	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"cuota/backtest/summarytable"
	"cuota/cmd/cuota/connect"
	"cuota/cmd/cuota/environment"
	"cuota/cmd/cuota/exit"
	"cuota/cmd/cuota/output"
	"cuota/internal/santiago"
	"cuota/internal/tablefile"
	"cuota/model"
)

// summaryOrder holds the arguments of the command.
type summaryOrder struct {
	from, to, step, universe, knownAt, path, data string
	tables                                        []string
	force                                         bool
	out                                           io.Writer
}

func newBacktestSummary(s environment.Settings) *cobra.Command {
	var order summaryOrder
	command := &cobra.Command{
		Use:   "summary",
		Short: "Write the market summary of each date of a period as tables",
		Long: "Write the market summary of each day, of each Sunday or of each month end of a period. --out " +
			"FILE.parquet\n" +
			"(or .csv or .ndjson) gives three files with the same ending: FILE-families, FILE-indices and " +
			"FILE-movers.\n" +
			"--tables writes only some of them.\n" +
			"A date without data is answered by the latest complete day before it. Dates after the cutoff are left " +
			"out.\n" +
			"Changes are fractions and amounts are full units. docs/backtests.md, section 9, lists the columns.",
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			for _, needed := range []string{"from", "to", "out"} {
				if !command.Flags().Changed(needed) {
					return exit.Lacking(command, "--"+needed+" is missing")
				}
			}
			order.out = command.OutOrStdout()
			return runSummary(command.Context(), s, order)
		},
	}
	flags := command.Flags()
	flags.StringVar(&order.from, "from", "", "first date, YYYY-MM-DD")
	flags.StringVar(&order.to, "to", "", "last date, YYYY-MM-DD")
	flags.StringVar(&order.step, "step", string(summarytable.Daily), "day, week (its Sunday) or month (its last day)")
	flags.StringVar(&order.universe, "universe", "then",
		"then: every series that existed on the date; current: of these only the series alive at the cutoff, as in "+
			"/api/market-summary")
	flags.StringVar(&order.knownAt, "known-at", "",
		"publication: read each date from the first kept batch that has it; or read all from the batch that was "+
			"published at this moment, and is kept: a day in Santiago (its end) or an instant as in "+
			"2026-11-20T18:00:00-03:00 (default: the published batch)")
	flags.StringVar(&order.path, "out", "",
		"name of the files, ending in .parquet, .csv or .ndjson; they get -families, -indices or -movers before the "+
			"ending")
	flags.StringSliceVar(&order.tables, "tables", summarytable.TableNames[:],
		"tables to write, separated by commas; fewer take less time")
	flags.BoolVar(&order.force, "force", false, "replace files that exist")
	flags.StringVar(&order.data, "data", "",
		"data directory, even while cuota up runs on it (default $CUOTA_DATA or ./data, unless CUOTA_KAFKA is set)")
	return command
}

func (o summaryOrder) request() (asked summarytable.Request, err error) {
	if asked.From, err = model.ParseDate(o.from); err != nil {
		return asked, fmt.Errorf("--from: %w", err)
	}
	if asked.To, err = model.ParseDate(o.to); err != nil {
		return asked, fmt.Errorf("--to: %w", err)
	}
	asked.Step = summarytable.Step(o.step)
	switch o.universe {
	case "then":
	case "current":
		asked.CurrentOnly = true
	default:
		return asked, fmt.Errorf("--universe %s: give then or current", o.universe)
	}
	for _, name := range o.tables {
		i := slices.Index(summarytable.TableNames[:], name)
		if i < 0 {
			return asked, fmt.Errorf("--tables %q: give one or more of %s", name,
				strings.Join(summarytable.TableNames[:], ", "))
		}
		asked.Tables |= 1 << i
	}
	if asked.Tables == 0 {
		return asked, fmt.Errorf("--tables is empty: give one or more of %s",
			strings.Join(summarytable.TableNames[:], ", "))
	}
	return asked, asked.Check()
}

// atPublication is the value of --known-at for which each date is read from the batch that first had it.
const atPublication = "publication"

// knownMoment reads --known-at: nil if there is none, or if it is atPublication.
func knownMoment(text string, now time.Time) (*time.Time, error) {
	if text == "" || text == atPublication {
		return nil, nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err == nil && at.After(now) {
		return nil, fmt.Errorf("--known-at %s is in the future", text)
	}
	if err != nil {
		day, err := model.ParseDate(text)
		if err != nil {
			return nil, fmt.Errorf("--known-at: give a day (2026-11-20), or an instant with its offset from UTC " +
				"(2026-11-20T18:00:00-03:00)")
		}
		if day.Compare(model.DateOf(now.In(santiago.Zone))) > 0 {
			return nil, fmt.Errorf("--known-at %s is in the future", text)
		}
		noon := time.Date(day.Time().Year(), day.Time().Month(), day.Time().Day(), 12, 0, 0, 0, santiago.Zone)
		at = santiago.NextDay(noon).Add(-time.Millisecond)
	}
	at = at.UTC().Truncate(time.Millisecond) // batches are published at whole milliseconds
	return &at, nil
}

func runSummary(ctx context.Context, s environment.Settings, order summaryOrder) error {
	asked, err := order.request()
	if err != nil {
		return err
	}
	at, err := knownMoment(order.knownAt, s.Now())
	if err != nil {
		return err
	}
	format, err := tablefile.FormatOf(order.path)
	if err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	return connect.With(ctx, s, order.data, s.Logger().Level(zerolog.ErrorLevel), connect.ToRead,
		func(target *connect.Target) error {
			stretches, err := stretchesOf(ctx, target.Conn, asked, order.knownAt == atPublication, at)
			if err != nil {
				return err
			}
			files, err := newSummaryFiles(order, asked.Tables, format, stretches)
			if err != nil {
				return err
			}
			begun := time.Now()
			bar := output.NewBar(int64(countDays(stretches)), "summing up days", progressbar.OptionShowCount())
			err = summarytable.ReadAll(ctx, stretches, asked, func(part summarytable.Part) error {
				_ = bar.Add(part.Days) // failing to draw a bar is no reason to stop
				return files.write(part)
			})
			_ = bar.Finish()
			if err != nil {
				return files.abandon(err)
			}
			if err := tablefile.Finish(files.all...); err != nil {
				return err
			}
			files.tell(order.out, stretches, time.Since(begun))
			return nil
		})
}

// stretchesOf returns the batches that answer a request, with their dates.
func stretchesOf(ctx context.Context, conn driver.Conn, asked summarytable.Request, published bool,
	at *time.Time) ([]summarytable.Stretch, error) {
	if published {
		return summarytable.AtPublication(ctx, conn, asked)
	}
	batch, reader, err := summarytable.Choose(ctx, conn, at)
	if err != nil {
		return nil, err
	}
	days, err := summarytable.Days(ctx, reader, batch, asked)
	if err != nil {
		return nil, batch.Explain(err)
	}
	return []summarytable.Stretch{{Batch: batch, Reader: reader, Days: days}}, nil
}

func countDays(stretches []summarytable.Stretch) (n int) {
	for _, s := range stretches {
		n += len(s.Days)
	}
	return n
}

// summaryFiles are the files of a summary; nil is a table that is not written.
type summaryFiles struct {
	families *tablefile.Rows[summarytable.Family]
	indices  *tablefile.Rows[summarytable.IndexPoint]
	movers   *tablefile.Rows[summarytable.Mover]

	all []*tablefile.File // that were created
}

// begin begins one of the files of a summary.
func begin[T any](files *summaryFiles, path string, format tablefile.Format, force bool,
	notes []tablefile.Note) (*tablefile.Rows[T], error) {
	rows, err := tablefile.CreateRows[T](path, format, force, notes...)
	if err == nil {
		files.all = append(files.all, rows.File)
	}
	return rows, err
}

// newSummaryFiles begins the files. Their notes name the newest batch.
func newSummaryFiles(order summaryOrder, tables summarytable.Tables, format tablefile.Format,
	stretches []summarytable.Stretch) (files summaryFiles, err error) {
	batch := stretches[len(stretches)-1].Batch
	notes := append(batchNotes(batch),
		tablefile.Note{Name: "cuota.published_at", Text: batch.PublishedAt.Format(time.RFC3339Nano)},
		tablefile.Note{Name: "cuota.universe", Text: order.universe},
		tablefile.Note{Name: "cuota.step", Text: order.step},
		tablefile.Note{Name: "cuota.known_at", Text: cmp.Or(order.knownAt, "revised")})
	name := func(kind string) string {
		ending := filepath.Ext(order.path)
		return strings.TrimSuffix(order.path, ending) + "-" + kind + ending
	}
	defer func() {
		if err != nil {
			err = files.abandon(err)
		}
	}()
	if tables.Has(summarytable.Families) {
		if files.families, err = begin[summarytable.Family](&files, name("families"), format, order.force,
			notes); err != nil {
			return files, err
		}
	}
	if tables.Has(summarytable.Indices) {
		if files.indices, err = begin[summarytable.IndexPoint](&files, name("indices"), format, order.force,
			notes); err != nil {
			return files, err
		}
	}
	if tables.Has(summarytable.Movers) {
		files.movers, err = begin[summarytable.Mover](&files, name("movers"), format, order.force, notes)
	}
	return files, err
}

func (f summaryFiles) write(part summarytable.Part) error {
	return errors.Join(add(f.families, part.Families), add(f.indices, part.Indices), add(f.movers, part.Movers))
}

// add writes rows into a file, if the table is written.
func add[T any](file *tablefile.Rows[T], rows []T) error {
	if file == nil {
		return nil
	}
	return file.Add(rows)
}

// abandon removes the files, which are not finished, and returns the error with those of that.
func (f summaryFiles) abandon(err error) error {
	for _, file := range f.all {
		err = errors.Join(err, file.Abandon())
	}
	return err
}

func (f summaryFiles) tell(out io.Writer, stretches []summarytable.Stretch, took time.Duration) {
	first, last := stretches[0], stretches[len(stretches)-1]
	of := fmt.Sprintf("batch %s (cutoff %s)", last.Batch.ID, last.Batch.Cutoff)
	if n := len(stretches); n > 1 {
		of = fmt.Sprintf("%d batches, from %s with %d dates to %s", n, first.Batch.ID, len(first.Days), of)
	}
	fmt.Fprintf(out, "%d dates from %s to %s of %s in %s\n", countDays(stretches),
		first.Days[0].Date.Format(time.DateOnly), last.Days[len(last.Days)-1].Date.Format(time.DateOnly), of,
		took.Round(time.Millisecond))
	tell(out, f.families)
	tell(out, f.indices)
	tell(out, f.movers)
}

// tell says how many rows a file has, if the table is written.
func tell[T any](out io.Writer, file *tablefile.Rows[T]) {
	if file != nil {
		fmt.Fprintf(out, "%s: %d rows\n", file.File.Path(), file.Count())
	}
}
