package backtests

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/sync/errgroup"

	"cuota/backtest"
	"cuota/cmd/cuota/environment"
	"cuota/cmd/cuota/output"
	"cuota/internal/tablefile"
)

// maxRandom limits the number of random strategies of one run.
const maxRandom = 100_000

// drawnRow is a random strategy with its figures. Returns and rates are fractions.
type drawnRow struct {
	Number        uint32     `ch:"number"`
	Sort          string     `ch:"sort"`
	Order         string     `ch:"order"`
	Top           *uint32    `ch:"top"`
	Quantile      *float64   `ch:"quantile"`
	Within        *string    `ch:"within"`
	Weights       string     `ch:"weights"`
	Category      *string    `ch:"category"`
	Rebalance     string     `ch:"rebalance"`
	First         time.Time  `ch:"first_date"` // of the curve; of the strategy, if no date is answered
	Last          time.Time  `ch:"last_date"`
	Total         *float64   `ch:"total_return"`
	CAGR          *float64   `ch:"cagr"`
	Volatility    *float64   `ch:"volatility"`
	Sharpe        *float64   `ch:"sharpe"`
	Sortino       *float64   `ch:"sortino"`
	Fall          *float64   `ch:"max_drawdown"`
	FallPeak      *time.Time `ch:"drawdown_peak"`
	FallTrough    *time.Time `ch:"drawdown_trough"`
	HitRate       *float64   `ch:"hit_rate"`
	Turnover      *float64   `ch:"turnover"`
	Benchmark     *float64   `ch:"benchmark_total_return"`
	TrackingError *float64   `ch:"tracking_error"`
	Costs         float64    `ch:"costs"`
	Rank          uint32     `ch:"rank"`
	Of            uint32     `ch:"of"`
	SurvivorsOnly *float64   `ch:"survivors_only_difference"`
	RevisedData   *float64   `ch:"revised_data_difference"`
	WithoutCosts  *float64   `ch:"without_costs_difference"`
	SurvivorsRank *float64   `ch:"survivors_only_rank_difference"`
	RevisedRank   *float64   `ch:"revised_data_rank_difference"`
	WithoutRank   *float64   `ch:"without_costs_rank_difference"`
	Fingerprint   string     `ch:"fingerprint"`
}

func rowOf(number int, r *backtest.Result) drawnRow {
	s, f := r.Strategy, r.Statistics
	row := drawnRow{
		Number: uint32(number), Sort: s.Sort, Order: s.Order, Within: textOrNil(s.Within), Weights: s.Weights,
		Category: textOrNil(s.Filter.Category), Rebalance: s.Rebalance, First: f.First.Time(), Last: f.Last.Time(),
		Total: f.TotalReturn, CAGR: f.CAGR, Volatility: f.Volatility, Sharpe: f.Sharpe, Sortino: f.Sortino,
		HitRate: f.HitRate, Turnover: f.Turnover, Benchmark: f.BenchmarkTotal, TrackingError: f.TrackingError,
		Costs:       f.Costs,
		Fingerprint: r.Fingerprint,
	}
	if s.Top > 0 {
		row.Top = new(uint32(s.Top))
	} else {
		row.Quantile = &s.Quantile
	}
	if d := f.MaxDrawdown; d != nil {
		row.Fall, row.FallPeak, row.FallTrough = &d.Fall, new(d.Peak.Time()), new(d.Trough.Time())
	}
	for _, line := range r.Ledger {
		rank := new(float64(line.RankDifference))
		switch line.Run {
		case "as_stated":
			row.Rank, row.Of = uint32(line.Rank), uint32(line.Of)
		case "survivors_only":
			row.SurvivorsOnly, row.SurvivorsRank = line.ReturnDifference, rank
		case "revised_data":
			row.RevisedData, row.RevisedRank = line.ReturnDifference, rank
		case "without_costs":
			row.WithoutCosts, row.WithoutRank = line.ReturnDifference, rank
		}
	}
	return row
}

func textOrNil(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// runRandom runs random strategies side by side over one source, which reads each date only once.
func runRandom(ctx context.Context, s environment.Settings, order strategyOrder, base backtest.Strategy) error {
	if order.path == "" {
		return errors.New("--random needs --out FILE.parquet, .csv or .ndjson")
	}
	format, err := tablefile.FormatOf(order.path)
	if err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	strategies, err := backtest.Random(base, order.seed, order.random)
	if err != nil {
		return err
	}
	return onBatch(ctx, s, order.data, func(batch backtestedBatch) error {
		file, err := tablefile.CreateRows[drawnRow](order.path, format, order.force,
			append(batchNotes(batch.Batch), tablefile.Note{Name: "cuota.seed", Text: fmt.Sprint(order.seed)})...)
		if err != nil {
			return err
		}
		var rows []drawnRow
		took, err := batch.read(ctx, func(source backtest.Source) (err error) {
			rows, err = runAll(ctx, source, strategies)
			return err
		})
		if err == nil {
			err = file.Add(rows)
		}
		if err != nil {
			return errors.Join(err, file.File.Abandon())
		}
		if err := tablefile.Finish(file.File); err != nil {
			return err
		}
		fmt.Fprintf(order.out, "%d strategies on batch %s in %s\nwritten: %s\n", len(rows), batch.ID,
			took.Round(time.Millisecond), order.path)
		return nil
	})
}

func runAll(ctx context.Context, source backtest.Source, strategies []backtest.Strategy) ([]drawnRow, error) {
	bar := output.NewBar(int64(len(strategies)), "running strategies", progressbar.OptionShowCount())
	rows := make([]drawnRow, len(strategies))
	running, ctx := errgroup.WithContext(ctx)
	running.SetLimit(max(1, runtime.NumCPU()))
	for i, strategy := range strategies {
		running.Go(func() error {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			result, err := backtest.Run(ctx, source, strategy)
			if err != nil {
				return err
			}
			rows[i] = rowOf(i+1, result)
			_ = bar.Add(1) // failing to draw a bar is no reason to stop
			return nil
		})
	}
	err := running.Wait()
	_ = bar.Finish()
	return rows, err
}
