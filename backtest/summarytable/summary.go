// Package summarytable reads the market summary of each date of a period from one batch, as rows: the
// families, the points of their indices, and the series that rose and fell most (RULES 7). What is
// computed stands in sql/queries/backtest_summary_*.sql; docs/backtests.md, section 9, explains
// the rows.
package summarytable

import (
	"context"
	"fmt"
	"slices"
	"time"

	"cuota/model"
	"cuota/sql"

	"golang.org/x/sync/errgroup"
)

// Step says which dates of a period are summed up.
type Step string

// The steps. Of a week the Sunday is taken, of a month its last day.
const (
	Daily   Step = "day"
	Weekly  Step = "week"
	Monthly Step = "month"
)

// Tables says which tables are read.
type Tables uint8

// The tables. The zero value of a request reads all of them.
const (
	Families Tables = 1 << iota
	Indices
	Movers
)

// TableNames are the names of the tables, in the order of their bits.
var TableNames = [...]string{"families", "indices", "movers"}

// Has reports whether a table is read.
func (t Tables) Has(table Tables) bool { return t == 0 || t&table != 0 }

// Request says what is summed up.
type Request struct {
	From, To    model.Date
	Step        Step
	CurrentOnly bool // only series alive at the cutoff of the batch, else every series of then
	Tables      Tables
}

// Check returns an error if the request can't be answered from any batch.
func (r Request) Check() error {
	switch r.Step {
	case Daily, Weekly, Monthly:
	default:
		return fmt.Errorf("unknown step %q: give day, week or month", r.Step)
	}
	if r.From.Compare(r.To) > 0 {
		return fmt.Errorf("the first date %s is after the last date %s", r.From, r.To)
	}
	return nil
}

// Dates are the first columns of each table.
type Dates struct {
	Asked    time.Time `ch:"asked_date"` // the day, the Sunday or the month end that was asked for
	Date     time.Time `ch:"date"`       // the day of the market that answers for it
	Complete bool      `ch:"complete"`   // whether the market of that day is complete (RULES 1)
	BatchID  string    `ch:"batch_id"`   // of the batch that the row is read from
	KnownAt  string    `ch:"known_at"`   // when that batch was published, RFC 3339 in UTC
}

// Family is a family in one currency on a date.
type Family struct {
	Dates
	Family        string     `ch:"family"`
	Currency      string     `ch:"currency"` // PESOS or DOLAR
	FamilyDisplay *string    `ch:"family_display"`
	Equity        float64    `ch:"equity"`     // full units of the currency
	EquityCLP     *float64   `ch:"equity_clp"` // full pesos
	Series        uint32     `ch:"series"`
	Funds         uint32     `ch:"funds"`
	Previous      *time.Time `ch:"previous_date"` // from which DailyReturn counts
	// DailyReturn is a fraction, and nil if too few series give it (RULES 7, coverage). EligibleSeries of Series
	// give it, with EligibleShare of their equity, a fraction; both are stated even if it is nil.
	DailyReturn    *float64 `ch:"daily_return"`
	EligibleSeries uint32   `ch:"eligible_series"`
	EligibleShare  *float64 `ch:"eligible_share"`
	MonthReturn    *float64 `ch:"month_return"` // with its coverage, as DailyReturn
	MonthSeries    uint32   `ch:"month_series"`
	MonthShare     *float64 `ch:"month_share"`
}

// IndexPoint is the point of a family index on a date.
type IndexPoint struct {
	Dates
	Family   string   `ch:"family"`
	Currency string   `ch:"currency"`
	Level    float64  `ch:"level"`        // 100 on the first day of the index in the batch of the row
	Return   *float64 `ch:"index_return"` // since the point before, fraction

	EligibleSeries uint32   `ch:"eligible_series"` // series that give Return
	Series         uint32   `ch:"series"`          // of the family on the day
	EligibleShare  *float64 `ch:"eligible_share"`  // fraction of the equity of the family
}

// Mover is a series in a list of rises or falls of a date.
type Mover struct {
	Dates
	List        string   `ch:"list"`  // gainers_daily, losers_daily, gainers_monthly or losers_monthly
	Place       uint32   `ch:"place"` // 1 is the largest change
	Series      uint32   `ch:"series_id"`
	FundID      uint32   `ch:"fund_id"`
	RUN         string   `ch:"run"` // with check digit
	Serie       string   `ch:"serie"`
	Fund        string   `ch:"fund"`
	Manager     string   `ch:"manager"`
	Category    *string  `ch:"category"`
	Family      *string  `ch:"family"`
	Currency    string   `ch:"currency"`
	Quota       *float64 `ch:"quota"`        // in the currency
	DailyReturn *float64 `ch:"daily_return"` // fraction
	MonthReturn *float64 `ch:"month_return"` // fraction
	Equity      *float64 `ch:"equity"`       // full units of the currency
	EquityCLP   *float64 `ch:"equity_clp"`   // full pesos
}

// Part is the rows of some dates that follow each other, in the order of the dates. A table that is not read has none.
type Part struct {
	Days     int // number of dates
	Families []Family
	Indices  []IndexPoint
	Movers   []Mover
}

// Days returns the days that a request is answered with, in order. It fails if there are none.
func Days(ctx context.Context, r sql.Reader, batch Batch, asked Request) ([]Dates, error) {
	if err := asked.Check(); err != nil {
		return nil, err
	}
	days, err := listDays(ctx, r, batch, asked)
	if err != nil || len(days) > 0 {
		return days, err
	}
	return nil, explainEmpty(ctx, r, batch, asked)
}

// listDays returns the days that a batch has for a request, in order; none if it has none.
func listDays(ctx context.Context, r sql.Reader, batch Batch, asked Request) ([]Dates, error) {
	from, to := later(asked.From, firstDay), earlier(asked.To, batch.Cutoff)
	if from.Compare(to) > 0 {
		return nil, nil
	}
	days, err := sql.Rows[Dates](ctx, r, "backtest_summary_days", sql.Arg("batch", batch.Number),
		sql.Arg("from", from.String()), sql.Arg("to", to.String()), sql.Arg("step", string(asked.Step)))
	for i := range days {
		days[i].BatchID, days[i].KnownAt = batch.ID, batch.PublishedAt.Format(time.RFC3339Nano)
	}
	return days, err
}

// firstDay is earlier than every quota, and fits a Date of ClickHouse.
var firstDay = model.NewDate(1971, time.January, 1)

func later(a, b model.Date) model.Date {
	if a.Compare(b) > 0 {
		return a
	}
	return b
}

func earlier(a, b model.Date) model.Date {
	if a.Compare(b) < 0 {
		return a
	}
	return b
}

// explainEmpty says why no day answers for a request.
func explainEmpty(ctx context.Context, r sql.Reader, batch Batch, asked Request) error {
	type found struct {
		Date     time.Time `ch:"date"`
		Complete bool      `ch:"complete"`
	}
	known, err := sql.Rows[found](ctx, r, "days_with_data", sql.Arg("batch", batch.Number),
		sql.Arg("from", firstDay.String()), sql.Arg("to", batch.Cutoff.String()))
	switch {
	case err != nil:
		return err
	case len(known) == 0:
		return fmt.Errorf("batch %s has no day with data", batch.ID)
	}
	first := model.DateOf(known[0].Date)
	if asked.To.Compare(first) < 0 || asked.From.Compare(batch.Cutoff) > 0 {
		return fmt.Errorf("no date from %s to %s is in the history of batch %s, which goes from %s to %s", asked.From,
			asked.To, batch.ID, first, batch.Cutoff)
	}
	what := map[Step]string{Daily: "day with data", Weekly: "Sunday", Monthly: "month end"}[asked.Step]
	return fmt.Errorf("there is no %s from %s to %s in the history of batch %s, which goes from %s to %s: give a "+
		"longer period or a shorter step",
		what, asked.From, asked.To, batch.ID, first, batch.Cutoff)
}

// daysAtOnce is how many days one statement reads of the stored summaries. Each day has some 150 rows, so a part takes
// some 150 MB; with fewer days, a third of the time goes into the planning of statements. There are fewer in tests.
var daysAtOnce = 2000

// rowsAtOnce is about how many rows of the daily market one statement reads that has to compute summaries: 80 days of
// 3,000 series. With fewer, most of the time goes into the planning of the statements; with more, they need more
// memory than a command may have beside cuota up.
const rowsAtOnce = 250_000

// computedAtOnce returns how many days of the market a statement may read that computes their summaries.
func (b Batch) computedAtOnce() int { return min(max(rowsAtOnce/max(int(b.Series), 1), 7), 3660) }

// Read reads the summaries of some days of a request part by part, so that memory does not grow with the
// period, and passes each part to take. Of the request it uses CurrentOnly and Tables; days have the period. It fails
// with a *sql.ReadError if ClickHouse does not answer, and with the error of take.
func Read(ctx context.Context, r sql.Reader, batch Batch, asked Request, days []Dates, take func(Part) error) error {
	for len(days) > 0 {
		end, length := days[0].Date.AddDate(0, 0, daysAtOnce), 1
		for length < len(days) && days[length].Date.Before(end) {
			length++
		}
		part, err := readPart(ctx, r, batch, asked, days[:length])
		if err != nil {
			return err
		}
		if err := take(part); err != nil {
			return err
		}
		days = days[length:]
	}
	return nil
}

func readPart(ctx context.Context, r sql.Reader, batch Batch, asked Request, days []Dates) (Part, error) {
	of := make(map[int64]Dates, len(days))
	list := make([]string, len(days))
	for i, day := range days {
		of[day.Date.Unix()] = day
		list[i] = day.Date.Format(time.DateOnly)
	}
	args := func(more ...any) []any {
		return append(more, sql.Arg("batch", batch.Number), sql.Arg("days", list))
	}
	period := []any{sql.Arg("from", list[0]), sql.Arg("to", list[len(list)-1])}
	part := Part{Days: len(days)}
	reading, ctx := errgroup.WithContext(ctx)
	reading.SetLimit(2) // so that two results grow in memory at a time, not three
	if asked.Tables.Has(Families) {
		reading.Go(func() (err error) {
			if asked.CurrentOnly {
				part.Families, err = sql.ManyRows[Family](ctx, r, "backtest_summary_current_families",
					args(period...)...)
			} else {
				part.Families, err = familiesOfThen(ctx, r, batch, list)
			}
			return err
		})
	}
	if asked.Tables.Has(Indices) {
		reading.Go(func() (err error) {
			part.Indices, err = sql.ManyRows[IndexPoint](ctx, r, "backtest_summary_indices", args()...)
			return err
		})
	}
	if asked.Tables.Has(Movers) {
		reading.Go(func() (err error) {
			part.Movers, err = sql.ManyRows[Mover](ctx, r, "backtest_summary_movers",
				args(append(period, sql.Arg("current_only", asked.CurrentOnly))...)...)
			return err
		})
	}
	if err := reading.Wait(); err != nil {
		return Part{}, err
	}
	for i := range part.Families {
		part.Families[i].Dates = of[part.Families[i].Date.Unix()]
	}
	for i := range part.Indices {
		part.Indices[i].Dates = of[part.Indices[i].Date.Unix()]
	}
	for i := range part.Movers {
		part.Movers[i].Dates = of[part.Movers[i].Date.Unix()]
	}
	return part, nil
}

// familiesOfThen reads the families of some days, with every series that existed. Nearly all of their changes are
// stored; the days on which one is not are computed from the series.
func familiesOfThen(ctx context.Context, r sql.Reader, batch Batch, days []string) ([]Family, error) {
	type storedFamily struct {
		Family
		Recount bool `ch:"recount"`
	}
	args := func(days []string, more ...any) []any {
		return append(more, sql.Arg("batch", batch.Number), sql.Arg("days", days), sql.Arg("from", days[0]),
			sql.Arg("to", days[len(days)-1]))
	}
	stored, err := sql.ManyRows[storedFamily](ctx, r, "backtest_summary_stored_families", args(days)...)
	if err != nil {
		return nil, err
	}
	var counted []time.Time // days that are counted again, in order
	for _, row := range stored {
		if row.Recount && (len(counted) == 0 || !counted[len(counted)-1].Equal(row.Date)) {
			counted = append(counted, row.Date)
		}
	}
	families := make([]Family, 0, len(stored))
	for i := range stored {
		row := &stored[i]
		if _, again := slices.BinarySearchFunc(counted, row.Date, time.Time.Compare); !again {
			families = append(families, row.Family)
		}
	}
	for len(counted) > 0 {
		end, length := counted[0].AddDate(0, 0, batch.computedAtOnce()), 1
		for length < len(counted) && counted[length].Before(end) {
			length++
		}
		list := make([]string, length)
		for i, day := range counted[:length] {
			list[i] = day.Format(time.DateOnly)
		}
		again, err := sql.ManyRows[Family](ctx, r, "backtest_summary_families", args(list)...)
		if err != nil {
			return nil, err
		}
		families, counted = append(families, again...), counted[length:]
	}
	byDate := func(a, b Family) int { return a.Date.Compare(b.Date) }
	if !slices.IsSortedFunc(families, byDate) {
		slices.SortStableFunc(families, byDate)
	}
	return families, nil
}
