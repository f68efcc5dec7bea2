package backtests

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/BurntSushi/toml"
	"github.com/rs/zerolog"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"cuota/backtest"
	"cuota/backtest/history"
	"cuota/backtest/report"
	"cuota/backtest/summarytable"
	"cuota/cmd/cuota/connect"
	"cuota/cmd/cuota/environment"
	"cuota/cmd/cuota/exit"
	"cuota/cmd/cuota/output"
	"cuota/internal/site/locale"
	"cuota/internal/tablefile"
	"cuota/model"
	"cuota/sql"
)

// strategyFlags are the fields of a strategy that have a flag. A flag replaces what the file says.
var strategyFlags = []struct {
	flag, field, kind, doc string // kind: text, whole, number or truth
}{
	{"name", "name", "text", "name of the strategy"},
	{"from", "from", "text", "first date, YYYY-MM-DD"},
	{"to", "to", "text", "last date, YYYY-MM-DD"},
	{"rebalance", "rebalance", "text", "monthly or quarterly (default monthly)"},
	{"sort", "sort", "text", "value to select by: " + strings.Join(backtest.Sorts, ", ")},
	{"order", "order", "text", "desc or asc (default desc; asc for tac, id and volatilities)"},
	{"top", "top", "whole", "number of series that are selected"},
	{"quantile", "quantile", "number", "part of the series that is selected, as in 0.1, in place of --top"},
	{"within", "within", "text", "select in each family or in each manager"},
	{"weights", "weights", "text", "equal, equity or inverse_volatility (default equal)"},
	{"currency", "currency", "text", "PESOS or DOLAR (default PESOS)"},
	{"convert", "convert", "truth", "also select series in the other currency"},
	{"min-age", "min_age_days", "whole", "least number of days since the first quote of a series"},
	{"category", "filter.category", "text", "only money_market, fixed_income, balanced, equity, structured or other"},
	{"fund-family", "filter.fund_family", "text", "only this family"},
	{"administrator", "filter.administrator", "text", "only managers whose name has this text"},
	{"investor-class", "filter.investor_class", "text", "only this investor class, as in Retail"},
	{"tac-max", "filter.tac_max", "number", "only series with a cost rate up to this fraction"},
	{"buy", "costs.buy", "number", "cost of a purchase, fraction of its amount"},
	{"sell", "costs.sell", "number", "cost of a sale, fraction of its amount"},
	{"benchmark", "benchmark", "text", "family:NAME:CURRENCY, uf, symbol:SYMBOL or rate:R"},
	{"risk-free", "risk_free", "text", "uf, symbol:SYMBOL or rate:R"},
	{"known", "known", "text", "then or revised (default then)"},
	{"classified-later", "classified_later", "truth",
		"with --known revised: before its first classification, a series has that one"},
	{"universe", "universe", "text", "then or current (default then)"},
}

// strategyOrder holds the arguments of the command.
type strategyOrder struct {
	file, data, language, path string
	force                      bool
	random                     int
	seed                       uint64
	out                        io.Writer
}

func newBacktestStrategy(s environment.Settings) *cobra.Command {
	var order strategyOrder
	command := &cobra.Command{
		Use:   "strategy",
		Short: "Replay a strategy over the history of the market",
		Long: "Replay a strategy over the history of the market, and show what it would have earned, and how much of " +
			"that comes\n" +
			"from what nobody could have known. The strategy is a file (--file), or flags, or both: a flag replaces " +
			"a field of\n" +
			"the file. docs/backtests.md says what is computed.\n\n" +
			"--out writes the result: FILE.json (all of it), FILE.html (a report), FILE.csv or FILE.parquet (tables " +
			"beside each\n" +
			"other), or a directory that exists, for the first, the second and the last of these. With --random, many\n" +
			"strategies are drawn that differ from the given one in what they select, and --out FILE.parquet, .csv " +
			"or .ndjson\n" +
			"gets one row for each.",
		Example: "  cuota backtest strategy --file momentum.toml --out momentum.html\n" +
			"  cuota backtest strategy --name cheap --from 2016-01-01 --to 2025-12-31 --sort tac --top 10 --category " +
			"equity\n" +
			"  cuota backtest strategy --file momentum.toml --random 1000 --seed 1 --out random.parquet",
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			if order.file == "" && !command.Flags().Changed("sort") && order.random == 0 {
				return exit.Lacking(command, "--file or --sort is missing")
			}
			if order.random < 0 || order.random > maxRandom {
				return fmt.Errorf("--random %d: give 1 to %d", order.random, maxRandom)
			}
			order.out = command.OutOrStdout()
			strategy, err := readStrategy(order, command.Flags())
			if err != nil {
				return err
			}
			if order.random > 0 {
				return runRandom(command.Context(), s, order, strategy)
			}
			// One strategy takes two seconds and ends. Collecting garbage half as often saves a tenth of that, and
			// costs some 100 MB.
			if percent := debug.SetGCPercent(200); percent != 100 {
				debug.SetGCPercent(percent) // GOGC is set
			}
			return runStrategy(command.Context(), s, order, strategy)
		},
	}
	flags := command.Flags()
	flags.SortFlags = false
	flags.StringVar(&order.file, "file", "", "strategy in TOML")
	for _, of := range strategyFlags {
		switch of.kind {
		case "whole":
			flags.Int(of.flag, 0, of.doc)
		case "number":
			flags.Float64(of.flag, 0, of.doc)
		case "truth":
			flags.Bool(of.flag, false, of.doc)
		default:
			flags.String(of.flag, "", of.doc)
		}
	}
	flags.StringVar(&order.path, "out", "", "where to write the result")
	flags.StringVar(&order.language, "language", "es", "language of the report: es or en")
	flags.BoolVar(&order.force, "force", false, "replace files that exist")
	flags.IntVar(&order.random, "random", 0, "number of random strategies to run in place of the given one")
	flags.Uint64Var(&order.seed, "seed", 1, "seed of the random strategies; each seed gives others")
	flags.StringVar(&order.data, "data", "",
		"data directory, even while cuota up runs on it (default $CUOTA_DATA or ./data, unless CUOTA_KAFKA is set)")
	return command
}

// readStrategy reads the file and puts the flags that were given in place of its fields.
func readStrategy(order strategyOrder, flags *pflag.FlagSet) (backtest.Strategy, error) {
	fields := map[string]any{}
	if order.file != "" {
		file, err := os.Open(order.file)
		if err != nil {
			return backtest.Strategy{}, err
		}
		text, err := io.ReadAll(io.LimitReader(file, backtest.MaxStrategyBytes+1))
		if err = errors.Join(err, file.Close()); err != nil {
			return backtest.Strategy{}, fmt.Errorf("read %s: %w", order.file, err)
		}
		if len(text) > backtest.MaxStrategyBytes || toml.Unmarshal(text, &fields) != nil {
			_, err := backtest.ParseTOML(bytes.NewReader(text)) // says what is wrong, and in which line
			return backtest.Strategy{}, inFile(order.file, err)
		}
	}
	for _, of := range strategyFlags {
		if !flags.Changed(of.flag) {
			continue
		}
		value, err := flagValue(flags.Lookup(of.flag).Value.String(), of.kind)
		if err != nil {
			return backtest.Strategy{}, fmt.Errorf("--%s: %w", of.flag, err)
		}
		if err := setField(fields, of.field, value); err != nil {
			return backtest.Strategy{}, inFile(order.file, err)
		}
	}
	switch top, quantile := flags.Changed("top"), flags.Changed("quantile"); {
	case top && !quantile:
		delete(fields, "quantile")
	case quantile && !top:
		delete(fields, "top")
	}
	name := "strategy"
	if order.file != "" {
		name = strings.TrimSuffix(filepath.Base(order.file), ".toml")
	}
	setDefault(fields, "name", name)
	if order.random > 0 { // these are drawn
		setDefault(fields, "sort", "1y")
		if fields["quantile"] == nil {
			setDefault(fields, "top", int64(10))
		}
	}
	text, err := toml.Marshal(fields)
	if err != nil {
		return backtest.Strategy{}, inFile(order.file, err)
	}
	strategy, err := backtest.ParseTOML(strings.NewReader(string(text)))
	return strategy, inFile(order.file, err)
}

// inFile names the file of a wrong strategy.
func inFile(file string, err error) error {
	if err == nil || file == "" {
		return err
	}
	return fmt.Errorf("%s: %w", file, err)
}

func flagValue(text, kind string) (any, error) {
	switch kind {
	case "whole":
		return strconv.ParseInt(text, 10, 64)
	case "number":
		return strconv.ParseFloat(text, 64)
	case "truth":
		return strconv.ParseBool(text)
	}
	return text, nil
}

// setField sets a field, as in name or filter.category.
func setField(fields map[string]any, name string, value any) error {
	table, below, nested := strings.Cut(name, ".")
	if !nested {
		fields[name] = value
		return nil
	}
	setDefault(fields, table, map[string]any{})
	in, is := fields[table].(map[string]any)
	if !is {
		return fmt.Errorf("%s is no table: write [%s]", table, table)
	}
	in[below] = value
	return nil
}

func setDefault(fields map[string]any, name string, value any) {
	if _, given := fields[name]; !given {
		fields[name] = value
	}
}

// paths returns the files that are written, by the argument of --out.
func (o strategyOrder) paths(strategy backtest.Strategy) ([]string, error) {
	if o.path == "" {
		return nil, nil
	}
	list := []string{o.path}
	if info, err := os.Stat(o.path); err == nil && info.IsDir() {
		stem := filepath.Join(o.path, fileName(strategy.Name))
		list = []string{stem + ".json", stem + ".html", stem + ".parquet"}
	}
	for _, path := range list {
		files, err := report.Files(path)
		if err != nil {
			return nil, fmt.Errorf("--out: %w", err)
		}
		for _, file := range files {
			if err := tablefile.MayReplace(file, o.force); err != nil {
				return nil, fmt.Errorf("--out: %w", err)
			}
		}
		if info, err := os.Stat(filepath.Dir(path)); err != nil {
			return nil, fmt.Errorf("--out: %w", err)
		} else if !info.IsDir() {
			return nil, fmt.Errorf("--out: %s is no directory", filepath.Dir(path))
		}
	}
	return list, nil
}

// fileName turns the name of a strategy into a file name: small letters and digits, with one dash
// for whatever is between them.
func fileName(name string) string {
	plain := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '_':
			return r
		}
		return ' '
	}, model.Fold(name))
	return cmp.Or(strings.Join(strings.Fields(plain), "-"), "strategy")
}

func runStrategy(ctx context.Context, s environment.Settings, order strategyOrder, strategy backtest.Strategy) error {
	language, err := locale.ParseLanguage(order.language)
	if err != nil {
		return fmt.Errorf("--language: %w", err)
	}
	paths, err := order.paths(strategy)
	if err != nil {
		return err
	}
	return onBatch(ctx, s, order.data, func(batch backtestedBatch) error {
		var result *backtest.Result
		took, err := batch.read(ctx, func(source backtest.Source) (err error) {
			result, err = backtest.Run(ctx, source, strategy)
			return err
		})
		if err != nil {
			return err
		}
		for _, path := range paths {
			if err := report.Save(path, result, language, order.force); err != nil {
				return err
			}
		}
		return tellResult(order.out, result, paths, took)
	})
}

// backtestedBatch is the published batch that strategies run on.
type backtestedBatch struct {
	summarytable.Batch
	reader sql.Reader
}

// onBatch opens the database and passes the published batch to do.
func onBatch(ctx context.Context, s environment.Settings, data string, do func(backtestedBatch) error) error {
	return connect.With(ctx, s, data, s.Logger().Level(zerolog.ErrorLevel), connect.ToRead,
		func(target *connect.Target) error {
			batch, reader, err := summarytable.Choose(ctx, target.Conn, nil)
			if err != nil {
				return err
			}
			return do(backtestedBatch{batch, reader})
		})
}

// read passes a source of the batch to run, and says how long that took. It fails if run does, or if
// rows of the batch may have been missing meanwhile.
func (b backtestedBatch) read(ctx context.Context, run func(backtest.Source) error) (took time.Duration, err error) {
	begun := time.Now()
	if err = run(history.NewSource(b.reader, b.Number)); err == nil {
		err = summarytable.CheckReadable(ctx, b.reader, b.Batch)
	}
	return time.Since(begun), b.Explain(err)
}

// batchNotes are the lines about a batch in a Parquet file.
func batchNotes(batch summarytable.Batch) []tablefile.Note {
	return []tablefile.Note{
		{Name: "cuota.batch_id", Text: batch.ID}, {Name: "cuota.as_of_date", Text: batch.Cutoff.String()},
		{Name: "cuota.input_fingerprint", Text: batch.Fingerprint},
	}
}

// tellResult shows the figures of a result for people.
func tellResult(out io.Writer, r *backtest.Result, paths []string, took time.Duration) error {
	f := r.Statistics
	fmt.Fprintf(out, "%s: %s to %s, %d rebalancings, batch %s, in %s\n", output.Visible(r.Strategy.Name), f.First,
		f.Last, len(r.Rebalancings), r.Batch.ID, took.Round(time.Millisecond))
	table := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	for _, figure := range []struct {
		name, value string
	}{
		{"total return", percentText(f.TotalReturn)}, {"CAGR", percentText(f.CAGR)},
		{"volatility", percentText(f.Volatility)},
		{"Sharpe", numberText(f.Sharpe)}, {"Sortino", numberText(f.Sortino)},
		{"max drawdown", drawdownText(f.MaxDrawdown)},
		{"turnover per year", percentText(f.Turnover)}, {"hit rate", percentText(f.HitRate)},
		{"benchmark, total return", percentText(f.BenchmarkTotal)},
	} {
		fmt.Fprintf(table, "%s\t%s\n", figure.name, figure.value)
	}
	fmt.Fprintln(table, "\nbias ledger\ttotal return\tdifference\trank")
	for _, line := range r.Ledger {
		fmt.Fprintf(table, "%s\t%s\t%s\t%d of %d\n", line.Run, percentText(line.TotalReturn),
			percentText(line.ReturnDifference), line.Rank, line.Of)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for _, note := range r.Notes {
		fmt.Fprintf(out, "note: %s\n", output.Visible(note.Text))
	}
	for _, path := range paths {
		fmt.Fprintf(out, "written: %s\n", path)
	}
	return nil
}

func percentText(x *float64) string {
	if x == nil {
		return "-"
	}
	return strconv.FormatFloat(100**x, 'f', 2, 64) + " %"
}

func numberText(x *float64) string {
	if x == nil {
		return "-"
	}
	return strconv.FormatFloat(*x, 'f', 2, 64)
}

func drawdownText(d *backtest.Drawdown) string {
	if d == nil {
		return "-"
	}
	return fmt.Sprintf("%s (%s to %s)", percentText(&d.Fall), d.Peak, d.Trough)
}
