package report

import (
	"encoding/json"
	"fmt"
	"io"
	"iter"

	"cuota/backtest"
	"cuota/internal/tablefile"
	"cuota/model"
)

// Table is a part of a result as rows.
type Table struct {
	Name    string // part of the file's name
	Comment string
	Columns []tablefile.Column
	rows    iter.Seq[[]any] // the same slice again and again, with a value for each column
}

// column is a column that has a value in each row.
func column(name string, kind tablefile.Kind, unit, comment string) tablefile.Column {
	return tablefile.Column{Name: name, Kind: kind, Unit: unit, Comment: comment}
}

// orNull is a column whose value can be null.
func orNull(name string, kind tablefile.Kind, unit, comment string) tablefile.Column {
	return tablefile.Column{Name: name, Kind: kind, Nullable: true, Unit: unit, Comment: comment}
}

// CSV writes the table as CSV.
func (t Table) CSV(w io.Writer) error { return t.write(w, tablefile.CSV) }

// Parquet writes the table as Parquet. Its metadata has the fingerprint of the result, the id of the
// batch, the method and the strategy as JSON.
func (t Table) Parquet(w io.Writer, r *backtest.Result) error {
	strategy, err := json.Marshal(r.Strategy)
	if err != nil {
		return fmt.Errorf("write the strategy as JSON: %w", err)
	}
	return t.write(w, tablefile.Parquet,
		tablefile.Note{Name: "cuota.table", Text: t.Name}, tablefile.Note{Name: "cuota.comment", Text: t.Comment},
		tablefile.Note{Name: "cuota.fingerprint", Text: r.Fingerprint},
		tablefile.Note{Name: "cuota.batch_id", Text: r.Batch.ID},
		tablefile.Note{Name: "cuota.method", Text: r.Method},
		tablefile.Note{Name: "cuota.strategy", Text: string(strategy)})
}

func (t Table) write(w io.Writer, format tablefile.Format, notes ...tablefile.Note) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("write the table %s as %s: %w", t.Name, format, err)
		}
	}()
	out, err := tablefile.NewWriter(w, format, t.Columns, notes...)
	if err != nil {
		return err
	}
	for row := range t.rows {
		if err := out.Write(row...); err != nil {
			return err
		}
	}
	return out.End()
}

// Tables returns the tables of a result. The first one is the curve.
func Tables(r *backtest.Result) []Table {
	return []Table{curve(r), months(r), rolling(r), rebalancings(r), holdings(r), trades(r), excluded(r), statistics(r),
		ledger(r)}
}

const (
	fraction = "fraction, 0.01 is 1 %"
	units    = "units of the portfolio, which begins with 100"
	count    = "count"
	date     = "date"
	text     = "text"
)

// The columns that several tables have.
var (
	signalDate = column("signal_date", tablefile.Day, date, "Signal date of the rebalancing (section 1).")
	seriesID   = column("series_id", tablefile.ID, "id", "Id of the series.")
)

func curve(r *backtest.Result) Table {
	return Table{"curve", "The portfolio at the end of each day (section 6).", []tablefile.Column{
		column("date", tablefile.Day, date, "Day."),
		column("value", tablefile.Number, units, "Value of the portfolio with its cash."),
		column("cash", tablefile.Number, units, "Cash of the portfolio with money on its way."),
		orNull("benchmark", tablefile.Number, "100 on the first signal date", "Benchmark; null without one."),
	}, func(yield func([]any) bool) {
		row := make([]any, 4)
		for _, d := range r.Curve {
			row[0], row[1], row[2], row[3] = d.Date.Time(), d.Value, d.Cash, optional(d.Benchmark)
			if !yield(row) {
				return
			}
		}
	}}
}

func months(r *backtest.Result) Table {
	return Table{"months", "Monthly returns (section 6).", []tablefile.Column{
		column("month", tablefile.Day, date, "Last day of the month, or of the run."),
		column("return", tablefile.Number, fraction, "Return of the portfolio."),
		orNull("benchmark", tablefile.Number, fraction, "Return of the benchmark; null without one."),
		column("whole", tablefile.Flag, "flag", "The month is complete and counts in statistics."),
	}, func(yield func([]any) bool) {
		row := make([]any, 4)
		for _, m := range r.Months {
			row[0], row[1], row[2], row[3] = m.Month.Time(), m.Return, optional(m.Benchmark), m.Whole
			if !yield(row) {
				return
			}
		}
	}}
}

func rolling(r *backtest.Result) Table {
	return Table{"rolling", "Compounded returns of each run of 12 and 36 complete months (section 6).",
		[]tablefile.Column{
			column("months", tablefile.Whole, count, "Length of the run of months: 12 or 36."),
			column("month", tablefile.Day, date, "Last day of the last month."),
			column("return", tablefile.Number, fraction, "Compounded return of the portfolio, not per year."),
			orNull("benchmark", tablefile.Number, fraction, "Compounded return of the benchmark; null without one."),
		}, func(yield func([]any) bool) {
			row := make([]any, 4)
			for _, runs := range []struct {
				length int
				of     []backtest.Month
			}{{12, r.Statistics.Rolling12}, {36, r.Statistics.Rolling36}} {
				for _, m := range runs.of {
					row[0], row[1], row[2], row[3] = runs.length, m.Month.Time(), m.Return, optional(m.Benchmark)
					if !yield(row) {
						return
					}
				}
			}
		}}
}

func rebalancings(r *backtest.Result) Table {
	return Table{"rebalancings", "What happened for each signal date (sections 1 to 5).", []tablefile.Column{
		signalDate,
		orNull("answering_day", tablefile.Day, date, "Day of the market that answered."),
		orNull("sale_order_day", tablefile.Day, date, "Order day of sales."),
		orNull("purchase_day", tablefile.Day, date, "Day of purchases."),
		column("universe", tablefile.Whole, count, "Candidates: series of the universe."),
		column("selected", tablefile.Whole, count, "Series that were selected."),
		column("excluded", tablefile.Whole, count, "Candidates that were not selected."),
		column("trades", tablefile.Whole, count, "Trades, exits and exchanges."),
		column("cost", tablefile.Number, units, "Sum of the costs of the trades."),
	}, func(yield func([]any) bool) {
		row := make([]any, 9)
		for _, date := range r.Rebalancings {
			row[0], row[1], row[2], row[3] = date.Date.Time(), day(date.Day), day(date.Sold), day(date.Bought)
			row[4], row[5], row[6], row[7], row[8] = date.Universe, len(date.Selected), sum(date.Excluded),
				len(date.Trades), cost(date.Trades)
			if !yield(row) {
				return
			}
		}
	}}
}

func holdings(r *backtest.Result) Table {
	return Table{"holdings", "What was selected on each signal date, in the order of the selection (section 3).",
		[]tablefile.Column{
			signalDate,
			column("place", tablefile.Whole, count, "Place in the order of the selection, from 1."),
			seriesID,
			column("run", tablefile.Text, text, "RUN of the fund with its check digit."),
			column("serie", tablefile.Text, text, "Name of the series."),
			column("fund", tablefile.Text, text, "Name of the fund."),
			column("value", tablefile.Number, "of what the strategy sorts by", "Value by which the series was sorted."),
			column("weight", tablefile.Number, fraction, "Goal: part of the portfolio."),
		}, func(yield func([]any) bool) {
			row := make([]any, 8)
			for _, date := range r.Rebalancings {
				for i, s := range date.Selected {
					row[0], row[1], row[2], row[3] = date.Date.Time(), i+1, s.Series, s.RUN
					row[4], row[5], row[6], row[7] = s.Serie, s.FundName, s.Value, s.Weight
					if !yield(row) {
						return
					}
				}
			}
		}}
}

func trades(r *backtest.Result) Table {
	return Table{"trades", "Sales, purchases, exits and exchanges (sections 4 and 5).", []tablefile.Column{
		signalDate,
		orNull("date", tablefile.Day, date, "Day of the quote."),
		seriesID,
		column("kind", tablefile.Text, text, "buy, sell, exit, exchange or no_quote."),
		column("reason", tablefile.Text, text, "Why the trade happened, or did not."),
		column("quota", tablefile.Number, "currency of the series, for one quota", "Quota value of the trade."),
		column("amount", tablefile.Number, units, "Amount before costs."),
		column("cost", tablefile.Number, units, "Cost of the trade."),
		orNull("into_series_id", tablefile.ID, "id", "Series whose quotas came in an exchange."),
	}, func(yield func([]any) bool) {
		row := make([]any, 9)
		for _, date := range r.Rebalancings {
			for _, t := range date.Trades {
				row[0], row[1], row[2], row[3], row[4] = date.Date.Time(), day(t.Date), t.Series, t.Kind, t.Reason
				row[5], row[6], row[7], row[8] = t.Quota, t.Amount, t.Cost, nil
				if t.Into != 0 {
					row[8] = t.Into
				}
				if !yield(row) {
					return
				}
			}
		}
	}}
}

func excluded(r *backtest.Result) Table {
	return Table{"excluded", "Each candidate that was not selected, with its reason (section 3).", []tablefile.Column{
		signalDate,
		seriesID,
		column("reason", tablefile.Text, text, "First reason that applies."),
	}, func(yield func([]any) bool) {
		row := make([]any, 3)
		for _, date := range r.Rebalancings {
			for _, left := range date.Left {
				row[0], row[1], row[2] = date.Date.Time(), left.Series, left.Reason
				if !yield(row) {
					return
				}
			}
		}
	}}
}

func statistics(r *backtest.Result) Table {
	return Table{"statistics", "Figures of the run (section 6).", []tablefile.Column{
		column("name", tablefile.Text, text, "Name of the figure."),
		orNull("value", tablefile.Number, "see the column unit", "Value; null if it can't be computed."),
		orNull("date", tablefile.Day, date, "Day or month of the figure; null if it has none."),
		column("unit", tablefile.Text, text, "Unit of the value."),
	}, func(yield func([]any) bool) {
		for _, row := range figures(&r.Statistics) {
			if !yield(row) {
				return
			}
		}
	}}
}

// figures returns the rows of the table statistics.
func figures(s *backtest.Statistics) [][]any {
	var fall, trough, peak, recovered any
	if d := s.MaxDrawdown; d != nil {
		fall, trough, peak = d.Fall, day(d.Trough), day(d.Peak)
		if d.Recovered != nil {
			recovered = day(*d.Recovered)
		}
	}
	month := func(m *backtest.Month) (value, of any) {
		if m == nil {
			return nil, nil
		}
		return m.Return, day(m.Month)
	}
	best, bestMonth := month(s.BestMonth)
	worst, worstMonth := month(s.WorstMonth)
	const ratio, none = "ratio", "fraction"
	return [][]any{
		{"first", nil, day(s.First), date},
		{"last", nil, day(s.Last), date},
		{"total_return", optional(s.TotalReturn), nil, none},
		{"cagr", optional(s.CAGR), nil, "fraction per year"},
		{"volatility", optional(s.Volatility), nil, "fraction per year"},
		{"sharpe", optional(s.Sharpe), nil, ratio},
		{"sortino", optional(s.Sortino), nil, ratio},
		{"max_drawdown", fall, trough, none},
		{"max_drawdown_peak", nil, peak, date},
		{"max_drawdown_recovered", nil, recovered, date},
		{"hit_rate", optional(s.HitRate), nil, none},
		{"turnover", optional(s.Turnover), nil, "fraction per year"},
		{"benchmark_total_return", optional(s.BenchmarkTotal), nil, none},
		{"benchmark_cagr", optional(s.BenchmarkCAGR), nil, "fraction per year"},
		{"tracking_error", optional(s.TrackingError), nil, "fraction per year"},
		{"up_capture", optional(s.UpCapture), nil, ratio},
		{"down_capture", optional(s.DownCapture), nil, ratio},
		{"best_month", best, bestMonth, none},
		{"worst_month", worst, worstMonth, none},
		{"costs", s.Costs, nil, units},
	}
}

func ledger(r *backtest.Result) Table {
	return Table{"ledger", "The bias ledger: the run, and the same strategy with one thing changed (section 7).",
		[]tablefile.Column{
			column("run", tablefile.Text, text, "as_stated, survivors_only, revised_data or without_costs."),
			orNull("total_return", tablefile.Number, fraction, "Return from the first signal date to the end."),
			orNull("return_difference", tablefile.Number, fraction, "Total return less that of the run as stated."),
			orNull("rank", tablefile.Whole, "place, 1 is best",
				"Place among the series of the universe on the first signal date; null if there is none."),
			orNull("rank_difference", tablefile.Whole, "places",
				"Rank less that of the run as stated; less than 0 is better."),
			column("ranked", tablefile.Whole, count, "Ranked series and the strategy."),
		}, func(yield func([]any) bool) {
			row := make([]any, 6)
			for _, line := range r.Ledger {
				row[0], row[1], row[2], row[3], row[4], row[5] = line.Run, optional(line.TotalReturn),
					optional(line.ReturnDifference), nil, nil, line.Of
				if line.Rank != 0 {
					row[3], row[4] = line.Rank, line.RankDifference
				}
				if !yield(row) {
					return
				}
			}
		}}
}

func optional(value *float64) any {
	if value == nil {
		return nil
	}
	return *value
}

// day returns nil for the zero date.
func day(d model.Date) any {
	if d.IsZero() {
		return nil
	}
	return d.Time()
}

func sum(counts map[string]int) (total int) {
	for _, n := range counts {
		total += n
	}
	return total
}

func cost(trades []backtest.Trade) (total float64) {
	for _, t := range trades {
		total += t.Cost
	}
	return total
}
