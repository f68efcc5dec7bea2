package firststart

import (
	"fmt"
	"io"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"cuota/cmd/cuota/output"
	"cuota/demo/synth"
	"cuota/model"
)

// synthEnd is the last day of a synthetic market unless another is given: that of the
// real demo market. It is fixed, so that the same command gives the same files on any
// day.
var synthEnd = model.NewDate(2025, time.July, 20)

// NewSynth returns the command cuota synth.
func NewSynth() *cobra.Command {
	config := synth.Config{End: synthEnd}
	var out, end string
	command := &cobra.Command{
		Use:   "synth",
		Short: "Write a synthetic market in the formats of the published files",
		Long: "Write a synthetic market of any size in the formats of the published files, with the proportions of " +
			"the\n" +
			"real one. All managers and funds are invented, and their names say so. sources.csv lists the files in " +
			"the order to\n" +
			"ingest them in (cuota up --market DIR does), strategies has strategies for cuota backtest, and " +
			"expected.json\n" +
			"has the figures that the projections and these strategies must give.\n" +
			"The same flags always give the same bytes.",
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			last, err := model.ParseDate(end)
			if err != nil {
				return fmt.Errorf("--end: %w", err)
			}
			if last.Compare(model.DateOf(time.Now())) > 0 {
				return fmt.Errorf("--end %s lies in the future, and ingest refuses days in the future: give an "+
					"earlier day", last)
			}
			config.End = last
			return runSynth(command, out, config)
		},
	}
	flags := command.Flags()
	flags.IntVar(&config.Series, "series", 3000, "number of series")
	flags.IntVar(&config.Days, "days", 3*365, "number of calendar days")
	flags.Uint64Var(&config.Seed, "seed", 1, "seed of the random numbers; each seed gives another market")
	flags.StringVar(&out, "out", "synthetic", "directory to create and write to; it must not exist yet")
	flags.StringVar(&end, "end", synthEnd.String(), "last day, YYYY-MM-DD")
	flags.Float64Var(&config.Bad, "bad", synth.DefaultBad, "share of cartola rows that are broken on purpose")
	return command
}

// What a cartola row of a synthetic market costs, with the holdings, costs and values that come
// with it. docs/performance.md has the measurement.
const (
	// rowsPerDay is the number of rows for each series and day. Some series begin late or end.
	rowsPerDay       = .9
	bytesOfFiles     = 200.  // of the files of the market
	bytesOfData      = 400.  // of the data directory after a first start
	secondsOfRow     = 60e-6 // of a first start on two processors
	secondsOfEngines = 5.    // of a first start without any row
)

// marketCosts is what a synthetic market will cost, about.
type marketCosts struct {
	rows        float64 // of the cartola
	files, data float64 // bytes of the market's files, and of the data directory after a first start
	start       time.Duration
}

func costsOf(config synth.Config) marketCosts {
	rows := rowsPerDay * float64(config.Series) * float64(config.Days)
	return marketCosts{
		rows: rows, files: bytesOfFiles * rows, data: bytesOfData * rows,
		start: time.Duration((secondsOfEngines + secondsOfRow*rows) * float64(time.Second)),
	}
}

// tellCosts says what a first start on the market will cost, before anything is written.
func tellCosts(out io.Writer, config synth.Config) {
	costs := costsOf(config)
	fmt.Fprintf(out, "A market of %d series and %d days has about %.2f million rows. Its files take about %.0f MB. "+
		"On two processors the first\n"+
		"start of cuota up on them takes about %s, and %.0f MB more.\n",
		config.Series, config.Days, costs.rows/1e6, costs.files/1e6, costs.start.Round(5*time.Second), costs.data/1e6)
}

func runSynth(command *cobra.Command, dir string, config synth.Config) error {
	if err := config.Validate(); err != nil {
		return err
	}
	tellCosts(command.OutOrStdout(), config)
	bar := output.NewBar(int64(config.Days), "writing days", progressbar.OptionShowCount())
	begun := time.Now()
	summary, err := synth.Write(command.Context(), dir, config, func(days int) { _ = bar.Set(days) })
	_ = bar.Finish() // failing to draw a bar is no reason to stop
	if err != nil {
		return err
	}
	tellMarket(command.OutOrStdout(), dir, summary, time.Since(begun))
	return nil
}

func tellMarket(out io.Writer, dir string, s synth.Summary, took time.Duration) {
	fmt.Fprintf(out, "%s: %d managers, %d funds, %d series; %d files, %d cartola rows (%d broken on purpose) in %s "+
		"(%.0f rows/s)\n",
		dir, s.Managers, s.Funds, s.Series, s.Files, s.Rows, s.Rejected, took.Round(time.Millisecond),
		float64(s.Rows)/took.Seconds())
	fmt.Fprintf(out, "Serve it:  cuota up --data DIR --market %s\n", dir)
}
