package figures

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"time"

	"cuota/backtest"
	"cuota/backtest/summary"
	"cuota/internal/bench/load"
	"cuota/internal/bench/reference"
	"cuota/internal/bench/report"
	"cuota/model"
	"cuota/sql"
)

// leastPlain is how many strategies pandas runs at least.
const leastPlain = 10

// leastEqual is the share of what pandas finds that must equal what the program finds, or else
// the two don't do the same and the figure fails. The rest are cases whose rules the script
// leaves out.
const leastEqual = 0.95

// besidePandas compares with pandas over the Parquet files of the same batch. Where pandas can't be
// had, it gives a line that says why.
func (b *bench) besidePandas(ctx context.Context, m *bigMarket, told backtestOutcome) ([]report.Line, error) {
	pandas, err := reference.NewPandas(ctx)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, reference.ErrNoPandas):
		b.tell("  %v", err)
		return []report.Line{{Name: "beside pandas", Against: "not measured: " + reference.ErrNoPandas.Error()}}, nil
	case err != nil:
		return nil, err
	}
	files := filepath.Join(b.dir, "parquet")
	if err := os.MkdirAll(files, 0o755); err != nil {
		return nil, fmt.Errorf("make a folder for Parquet files: %w", err)
	}
	var plain plainOutcome
	order := stoppedOrder{Dir: filepath.Join(m.dir, "clickhouse"), Times: max(leastPlain, b.config.Strategies), Files: files}
	if err := load.AskChild(ctx, plainCommand, order, &plain); err != nil {
		return nil, fmt.Errorf("backtests as pandas does them: %w", err)
	}
	// The second run counts. The first one on a machine took up to three times as long.
	var found reference.PandasOutcome
	for range 2 {
		if found, err = pandas.Run(ctx, files, plain.Order); err != nil {
			return nil, err
		}
	}
	if err := os.RemoveAll(files); err != nil {
		return nil, err
	}
	count := len(plain.Order.Strategies)
	lines := slices.Concat(
		compareWithPandas("summaries of each day", told.Summaries, told.SummariesCPU, found.ReadSummary, found.Summary),
		compareWithPandas("families of each day, nothing else,", told.Families, told.FamiliesCPU, found.ReadSummary, found.Summary),
		compareWithPandas("a strategy by month", told.One, told.OneCPU, found.Read, found.One),
		compareWithPandas(fmt.Sprintf("%s strategies by window, number and currency, two at once, those of pandas one by one,", report.Thousands(float64(count))), plain.Took, plain.CPU, found.Read, found.One.Plus(found.Further)),
		compareSelections(plain, found),
	)
	selections, err := equalSelections(plain.Selections, found.Selections)
	if err != nil {
		return nil, err
	}
	changes, err := shareOf("changes of families", found.Families.Equal, found.Families.Of)
	if err != nil {
		return nil, err
	}
	return append(lines,
		report.Line{Name: "selections of pandas that are equal", Value: report.Number(100*selections, "%"), Against: fmt.Sprintf("by strategy and date; the figure fails below %g %%", 100*leastEqual)},
		report.Line{Name: "changes of families in pandas that are equal", Value: report.Number(100*changes, "%"), Against: "to 1e-9, by day; the same"},
		report.Line{Name: "return of the strategy by month", Value: report.Number(100*plain.Return, "%"), Reference: report.Number(100*(found.Growth[0]-1), "%"),
			Against: "pandas, without lags and exits; of revised data"},
	), nil
}

// compareWithPandas compares a part with the work of pandas, with and without reading the files.
func compareWithPandas(name string, took, cpu time.Duration, read, work reference.PandasTime) []report.Line {
	seconds := func(s float64) report.Quantity { return report.Number(s, "s") }
	whole := read.Plus(work)
	return []report.Line{
		report.CompareMedians(name+" beside pandas", seconds(took.Seconds()), seconds(whole.Seconds), "pandas, which does less, with reading the Parquet files"),
		report.CompareMedians("  CPU", seconds(cpu.Seconds()), seconds(whole.CPU), "the same"),
		report.CompareMedians("  after pandas has read its files", seconds(took.Seconds()), seconds(work.Seconds), "the same, without reading"),
		report.CompareMedians("  CPU", seconds(cpu.Seconds()), seconds(work.CPU), "the same"),
	}
}

// compareSelections compares the same work of both: only the selections, one strategy after the other, with all
// that is read for them.
func compareSelections(plain plainOutcome, found reference.PandasOutcome) []report.Line {
	seconds := func(s float64) report.Quantity { return report.Number(s, "s") }
	first, all := found.Read.Plus(found.One), found.Read.Plus(found.One).Plus(found.Further)
	return []report.Line{
		report.CompareMedians("selections of the strategy by month, nothing else", seconds(plain.First.Seconds()), seconds(first.Seconds), "pandas, with reading the Parquet files; cuota reads ClickHouse"),
		report.CompareMedians("  CPU", seconds(plain.FirstCPU.Seconds()), seconds(first.CPU), "the same"),
		report.CompareMedians(fmt.Sprintf("selections of %s strategies, nothing else", report.Thousands(float64(len(plain.Order.Strategies)))),
			seconds((plain.First + plain.Further).Seconds()), seconds(all.Seconds), "the same; both one by one"),
		report.CompareMedians("  CPU", seconds((plain.FirstCPU + plain.FurtherCPU).Seconds()), seconds(all.CPU), "the same"),
	}
}

// equalSelections returns the share of equal selections, among the dates on which one of the two
// selects anything. It fails as shareOf does.
func equalSelections(ours, theirs []map[string][]uint32) (float64, error) {
	equal, all, example := 0, 0, ""
	for i := range ours {
		dates := maps.Clone(ours[i])
		maps.Copy(dates, theirs[i])
		for _, date := range slices.Sorted(maps.Keys(dates)) {
			all++
			a, b := slices.Sorted(slices.Values(ours[i][date])), slices.Sorted(slices.Values(theirs[i][date]))
			switch {
			case slices.Equal(a, b):
				equal++
			case example == "":
				example = fmt.Sprintf("; the first other one is that of strategy %d on %s, %v and in pandas %v", i, date, a, b)
			}
		}
	}
	share, err := shareOf("selections", equal, all)
	if err != nil {
		err = fmt.Errorf("%w%.500s", err, example)
	}
	return share, err
}

// shareOf fails if there is nothing to compare, or if the share that is equal is less than
// leastEqual.
func shareOf(what string, equal, of int) (float64, error) {
	if of == 0 {
		return 0, fmt.Errorf("there are no %s to compare with pandas: take more series or more years", what)
	}
	share := float64(equal) / float64(of)
	if share < leastEqual {
		return share, fmt.Errorf("%d of %d %s equal those of pandas, less than %g %%, so the two don't do the same", equal, of, what, 100*leastEqual)
	}
	return share, nil
}

// plainCommand is the argument that makes this program the child process that runs the
// strategies that pandas runs too, and writes the files for it.
const plainCommand = "run-plain-backtests"

type plainOutcome struct {
	Order               reference.PandasOrder
	First, FirstCPU     time.Duration         // of the selections of the first strategy, with reading
	Further, FurtherCPU time.Duration         // of the selections of the others, which read what the first one did not
	Took, CPU           time.Duration         // of the runs of all, with reading
	Selections          []map[string][]uint32 // of each strategy: ids of series by month end
	Return              float64               // of the first strategy over the period
}

// bulkOfPandas are the tables that pandas reads. It compares with the last one.
var bulkOfPandas = []string{"series", "discontinuities", "daily", "family_daily"}

// bulkBounds limit a Parquet file.
var bulkBounds = sql.Bounds{Rows: 200_000_000, Bytes: 64 << 30, Time: 10 * time.Minute}

// runPlainBacktests runs the strategy by month, and random ones that differ in window, order,
// number and currency. They count revised data, because the files don't say what was known when.
// Then it writes the Parquet files.
func runPlainBacktests(ctx context.Context, b *bench, o stoppedOrder) (told plainOutcome, err error) {
	batch, _, err := summary.Choose(ctx, b.conn, nil)
	if err != nil {
		return told, err
	}
	from, to, err := backtestPeriod(ctx, b)
	if err != nil {
		return told, err
	}
	strategies, err := drawPlain(from, to, o.Times)
	if err != nil {
		return told, err
	}
	told.Order = reference.PandasOrder{From: from.String(), To: to.String()}
	for _, s := range strategies {
		told.Order.Strategies = append(told.Order.Strategies, reference.PandasStrategy{Sort: s.Sort, Order: s.Order, Top: s.Top, Currency: s.Currency})
	}
	reader := sql.NewReader(b.conn, "backtest", backtestPatience, false, nil)
	for range 2 { // the second run counts, as that of pandas
		if err := told.selectOnly(ctx, backtest.NewDatabase(reader, batch.Number), strategies); err != nil {
			return told, err
		}
	}
	var results []*backtest.Result
	told.Took, told.CPU, err = timed(func() (err error) {
		results, err = runStrategies(ctx, backtest.NewDatabase(reader, batch.Number), strategies)
		return err
	})
	if err != nil {
		return told, err
	}
	if total := results[0].Statistics.TotalReturn; total != nil {
		told.Return = *total
	}
	for i, result := range results {
		if selected := selectedOn(result); !maps.EqualFunc(selected, told.Selections[i], slices.Equal[[]uint32]) {
			return told, fmt.Errorf("strategy %d selects other series when it is run", i)
		}
	}
	engine := ourEngine.Load()
	if engine == nil {
		return told, errors.New("no engine runs")
	}
	return told, writeBulk(ctx, reader.Over(sql.NewHTTP(engine.Options(), "http://"+engine.HTTP())), batch.Number, o.Files)
}

// selectOnly measures the selections of strategies, one after the other. Nothing was read before.
func (told *plainOutcome) selectOnly(ctx context.Context, source backtest.Source, strategies []backtest.Strategy) (err error) {
	told.Selections = nil
	add := func(s backtest.Strategy) error {
		choices, err := backtest.Select(ctx, source, s)
		if err != nil {
			return err
		}
		selected := map[string][]uint32{}
		for _, choice := range choices {
			if len(choice.Series) > 0 {
				selected[choice.Date.String()] = choice.Series
			}
		}
		told.Selections = append(told.Selections, selected)
		return nil
	}
	if told.First, told.FirstCPU, err = timed(func() error { return add(strategies[0]) }); err != nil {
		return err
	}
	told.Further, told.FurtherCPU, err = timed(func() error {
		for _, s := range strategies[1:] {
			if err := add(s); err != nil {
				return err
			}
		}
		return nil
	})
	return err
}

// drawPlain returns the strategy by month and random ones of its kind, count in all.
func drawPlain(from, to model.Date, count int) ([]backtest.Strategy, error) {
	random := rand.New(rand.NewPCG(1, 0))
	var strategies []backtest.Strategy
	for i := range count {
		s := bestYear(from, to)
		s.Known = "revised"
		if i > 0 {
			s.Name = fmt.Sprintf("plain %d", i)
			s.Sort = model.Windows[random.IntN(len(model.Windows))]
			s.Order = []string{"asc", "desc"}[random.IntN(2)]
			s.Top = 1 + random.IntN(30)
			s.Currency = []string{"PESOS", "PESOS", "DOLAR"}[random.IntN(3)]
		}
		complete, err := s.Complete()
		if err != nil {
			return nil, err
		}
		strategies = append(strategies, complete)
	}
	return strategies, nil
}

// selectedOn returns the ids of the series that a strategy selects on each date on which it selects any.
func selectedOn(result *backtest.Result) map[string][]uint32 {
	selected := map[string][]uint32{}
	for _, rebalancing := range result.Rebalancings {
		for _, series := range rebalancing.Selected {
			date := rebalancing.Date.String()
			selected[date] = append(selected[date], series.Series)
		}
	}
	return selected
}

// writeBulk writes the files of /api/bulk that pandas reads.
func writeBulk(ctx context.Context, reader sql.Reader, batch uint64, folder string) error {
	for _, table := range sql.BulkTables() {
		if !slices.Contains(bulkOfPandas, table.Name) {
			continue
		}
		parts, err := reader.BulkParts(ctx, table, batch)
		if err != nil {
			return err
		}
		for _, part := range parts {
			file, err := os.Create(filepath.Join(folder, part.FileName()))
			if err != nil {
				return fmt.Errorf("write a Parquet file: %w", err)
			}
			_, err = reader.WriteBulk(ctx, file, bulkBounds, part, batch)
			if err := errors.Join(err, file.Close()); err != nil {
				return fmt.Errorf("write %s: %w", part.FileName(), err)
			}
		}
	}
	return nil
}
