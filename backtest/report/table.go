package report

import (
	"iter"

	"cuota/backtest"
	"cuota/model"
)

// Table is a part of a result as rows.
type Table struct {
	Name    string // part of the file's name
	Comment string
	Columns []Column
	rows    iter.Seq[[]any] // the same slice again and again, with a cell for each column
}

// Column describes the values of a column.
type Column struct {
	Name     string
	Kind     Kind
	Nullable bool
	Unit     string
	Comment  string
}

// Kind is the type of the values of a column.
type Kind int

// The kinds, with the Go types of their cells. A cell without a value is nil.
const (
	Day    Kind = iota // model.Date
	Number             // float64
	Whole              // int
	Series             // uint32
	Text               // string
	Flag               // bool
)

// Tables gives the tables of a result. The first one is the curve.
func Tables(r *backtest.Result) []Table {
	return []Table{curve(r), months(r), rolling(r), rebalancings(r), holdings(r), trades(r), excluded(r), statistics(r), ledger(r)}
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
	signalDate = Column{"signal_date", Day, false, date, "Signal date of the rebalancing (section 1)."}
	seriesID   = Column{"series_id", Series, false, "id", "Id of the series."}
)

func curve(r *backtest.Result) Table {
	return Table{"curve", "The portfolio at the end of each day (section 6).", []Column{
		{"date", Day, false, date, "Day."},
		{"value", Number, false, units, "Value of the portfolio with its cash."},
		{"cash", Number, false, units, "Cash of the portfolio with money on its way."},
		{"benchmark", Number, true, "100 on the first signal date", "Benchmark; null without one."},
	}, func(yield func([]any) bool) {
		row := make([]any, 4)
		for _, d := range r.Curve {
			row[0], row[1], row[2], row[3] = d.Date, d.Value, d.Cash, optional(d.Benchmark)
			if !yield(row) {
				return
			}
		}
	}}
}

func months(r *backtest.Result) Table {
	return Table{"months", "Monthly returns (section 6).", []Column{
		{"month", Day, false, date, "Last day of the month, or of the run."},
		{"return", Number, false, fraction, "Return of the portfolio."},
		{"benchmark", Number, true, fraction, "Return of the benchmark; null without one."},
		{"whole", Flag, false, "flag", "The month is complete and counts in statistics."},
	}, func(yield func([]any) bool) {
		row := make([]any, 4)
		for _, m := range r.Months {
			row[0], row[1], row[2], row[3] = m.Month, m.Return, optional(m.Benchmark), m.Whole
			if !yield(row) {
				return
			}
		}
	}}
}

func rolling(r *backtest.Result) Table {
	return Table{"rolling", "Compounded returns of each run of 12 and 36 complete months (section 6).", []Column{
		{"months", Whole, false, count, "Length of the run of months: 12 or 36."},
		{"month", Day, false, date, "Last day of the last month."},
		{"return", Number, false, fraction, "Compounded return of the portfolio, not per year."},
		{"benchmark", Number, true, fraction, "Compounded return of the benchmark; null without one."},
	}, func(yield func([]any) bool) {
		row := make([]any, 4)
		for _, runs := range []struct {
			length int
			of     []backtest.Month
		}{{12, r.Statistics.Rolling12}, {36, r.Statistics.Rolling36}} {
			for _, m := range runs.of {
				row[0], row[1], row[2], row[3] = runs.length, m.Month, m.Return, optional(m.Benchmark)
				if !yield(row) {
					return
				}
			}
		}
	}}
}

func rebalancings(r *backtest.Result) Table {
	return Table{"rebalancings", "What happened for each signal date (sections 1 to 5).", []Column{
		signalDate,
		{"answering_day", Day, true, date, "Day of the market that answered."},
		{"sale_order_day", Day, true, date, "Order day of sales."},
		{"purchase_day", Day, true, date, "Day of purchases."},
		{"universe", Whole, false, count, "Candidates: series of the universe."},
		{"selected", Whole, false, count, "Series that were selected."},
		{"excluded", Whole, false, count, "Candidates that were not selected."},
		{"trades", Whole, false, count, "Trades, exits and exchanges."},
		{"cost", Number, false, units, "Sum of the costs of the trades."},
	}, func(yield func([]any) bool) {
		row := make([]any, 9)
		for _, date := range r.Rebalancings {
			row[0], row[1], row[2], row[3] = date.Date, day(date.Day), day(date.Sold), day(date.Bought)
			row[4], row[5], row[6], row[7], row[8] = date.Universe, len(date.Selected), sum(date.Excluded), len(date.Trades), cost(date.Trades)
			if !yield(row) {
				return
			}
		}
	}}
}

func holdings(r *backtest.Result) Table {
	return Table{"holdings", "What was selected on each signal date, in the order of the selection (section 3).", []Column{
		signalDate,
		{"place", Whole, false, count, "Place in the order of the selection, from 1."},
		seriesID,
		{"run", Text, false, text, "RUN of the fund with its check digit."},
		{"serie", Text, false, text, "Name of the series."},
		{"fund", Text, false, text, "Name of the fund."},
		{"value", Number, false, "of what the strategy sorts by", "Value by which the series was sorted."},
		{"weight", Number, false, fraction, "Goal: part of the portfolio."},
	}, func(yield func([]any) bool) {
		row := make([]any, 8)
		for _, date := range r.Rebalancings {
			for i, s := range date.Selected {
				row[0], row[1], row[2], row[3] = date.Date, i+1, s.Series, s.RUN
				row[4], row[5], row[6], row[7] = s.Serie, s.FundName, s.Value, s.Weight
				if !yield(row) {
					return
				}
			}
		}
	}}
}

func trades(r *backtest.Result) Table {
	return Table{"trades", "Sales, purchases, exits and exchanges (sections 4 and 5).", []Column{
		signalDate,
		{"date", Day, true, date, "Day of the quote."},
		seriesID,
		{"kind", Text, false, text, "buy, sell, exit, exchange or no_quote."},
		{"reason", Text, false, text, "Why the trade happened, or did not."},
		{"quota", Number, false, "currency of the series, for one quota", "Quota value of the trade."},
		{"amount", Number, false, units, "Amount before costs."},
		{"cost", Number, false, units, "Cost of the trade."},
		{"into_series_id", Series, true, "id", "Series whose quotas came in an exchange."},
	}, func(yield func([]any) bool) {
		row := make([]any, 9)
		for _, date := range r.Rebalancings {
			for _, t := range date.Trades {
				row[0], row[1], row[2], row[3], row[4] = date.Date, day(t.Date), t.Series, t.Kind, t.Reason
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
	return Table{"excluded", "Each candidate that was not selected, with its reason (section 3).", []Column{
		signalDate,
		seriesID,
		{"reason", Text, false, text, "First reason that applies."},
	}, func(yield func([]any) bool) {
		row := make([]any, 3)
		for _, date := range r.Rebalancings {
			for _, left := range date.Left {
				row[0], row[1], row[2] = date.Date, left.Series, left.Reason
				if !yield(row) {
					return
				}
			}
		}
	}}
}

func statistics(r *backtest.Result) Table {
	return Table{"statistics", "Figures of the run (section 6).", []Column{
		{"name", Text, false, text, "Name of the figure."},
		{"value", Number, true, "see the column unit", "Value; null if it can't be computed."},
		{"date", Day, true, date, "Day or month of the figure; null if it has none."},
		{"unit", Text, false, text, "Unit of the value."},
	}, func(yield func([]any) bool) {
		for _, row := range figures(&r.Statistics) {
			if !yield(row) {
				return
			}
		}
	}}
}

// figures gives the rows of the table statistics.
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
	return Table{"ledger", "The bias ledger: the run, and the same strategy with one thing changed (section 7).", []Column{
		{"run", Text, false, text, "as_stated, survivors_only, revised_data or without_costs."},
		{"total_return", Number, true, fraction, "Return from the first signal date to the end."},
		{"return_difference", Number, true, fraction, "Total return less that of the run as stated."},
		{"rank", Whole, true, "place, 1 is best", "Place among the series of the universe on the first signal date; null if there is none."},
		{"rank_difference", Whole, true, "places", "Rank less that of the run as stated; less than 0 is better."},
		{"ranked", Whole, false, count, "Ranked series and the strategy."},
	}, func(yield func([]any) bool) {
		row := make([]any, 6)
		for _, line := range r.Ledger {
			row[0], row[1], row[2], row[3], row[4], row[5] = line.Run, optional(line.TotalReturn), optional(line.ReturnDifference), nil, nil, line.Of
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

// day gives nil for the zero date.
func day(d model.Date) any {
	if d.IsZero() {
		return nil
	}
	return d
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
