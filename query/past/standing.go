package past

import (
	"context"
	"unsafe"

	"cuota/internal/rowbinary"
	"cuota/model"
	"cuota/query/batch"
	"cuota/query/facts"
	"cuota/query/operation"
	"cuota/sql"

	"github.com/shopspring/decimal"
)

// StandingRow is the row of the daily market that counts for a series on a day. Amounts are in the
// currency of the series.
type StandingRow struct {
	date                                model.Date // its own day
	ClassifiedLater                     bool
	currency, Family, display, Category *string // shared
	price, equity                       scaled
	previousEquity, monthEquity         scaled
	shareholders                        *uint32
	dailyChange, monthlyChange          *float64 // percent points
}

// scaled is a decimal as a whole number of its smallest units, or unknown.
type scaled struct {
	known bool
	units int64
}

// decimal returns the number; nil if it is unknown.
func (s scaled) decimal(places int32) *decimal.Decimal {
	if !s.known {
		return nil
	}
	return new(decimal.New(s.units, -places))
}

// standingRows are the rows that count on a date, by series.
var standingRows = batch.NewCached("standing_rows", func(rows map[uint32]StandingRow) int {
	return (len(rows) + 1) * 2 * int(unsafe.Sizeof(StandingRow{}))
})

// StandingOn returns the rows that count on a date, by series.
func StandingOn(ctx context.Context, p operation.Pinned, past *Past, date model.Date) (map[uint32]StandingRow, error) {
	return Dated(ctx, p, standingRows, date, func(ctx context.Context) (map[uint32]StandingRow, error) {
		type packed struct {
			Lines string `ch:"lines"`
		}
		week, builds := past.MarketBuilds(date.AddDays(-7), date)
		found, err := operation.Rows[packed](ctx, p, "market_of_builds", sql.Arg("date", date.String()),
			sql.Arg("days", week), sql.Arg("builds", builds))
		if err != nil {
			return nil, err
		}
		standing, words := map[uint32]StandingRow{}, words{}
		for _, lines := range found {
			line := rowbinary.NewReader(lines.Lines)
			for line.More() {
				series := line.Uint32()
				standing[series] = readStanding(line, words)
			}
			if line.Err() != nil {
				return nil, &sql.ReadError{Statement: "market_of_builds", Err: line.Err()}
			}
		}
		return standing, nil
	})
}

func readStanding(line *rowbinary.Reader, words words) StandingRow {
	row := StandingRow{date: line.Date(), currency: words.optional(line.Text())}
	for _, amount := range []*scaled{&row.price, &row.equity, &row.previousEquity, &row.monthEquity} {
		if amount.known = !line.Null(); amount.known {
			amount.units = line.Int64()
		}
	}
	if !line.Null() {
		row.shareholders = new(line.Uint32())
	}
	for _, change := range []**float64{&row.dailyChange, &row.monthlyChange} {
		if !line.Null() {
			*change = new(line.Float64())
		}
	}
	for _, text := range []**string{&row.Family, &row.display, &row.Category} {
		if !line.Null() {
			*text = words.shared(line.Text())
		}
	}
	row.ClassifiedLater = line.Bool()
	return row
}

// Put puts the row into the facts of a series.
func (row StandingRow) Put(into *facts.SeriesFacts) {
	into.Category, into.FamilyDisplay = row.Category, row.display
	if row.currency != nil && (*row.currency == "PESOS" || *row.currency == "DOLAR") {
		into.Currency = row.currency
	}
	into.Price, into.PriceDate, into.DailyChange, into.MonthlyChange = row.price.decimal(6), row.date.Time(),
		row.dailyChange, row.monthlyChange
	into.Equity, into.PreviousEquity, into.MonthEquity = row.equity.decimal(4), row.previousEquity.decimal(4),
		row.monthEquity.decimal(4)
	into.Shareholders = row.shareholders
}
