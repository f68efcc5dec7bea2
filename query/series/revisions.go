package series

import (
	"context"
	"encoding/json"
	"time"

	"cuota/internal/httpapi"
	"cuota/model"
	"cuota/query/facts"
	"cuota/query/operation"
	"cuota/sql"

	"github.com/shopspring/decimal"
)

// Revision is a line of a file that states a day of a series. What it does not state is nil.
type Revision struct {
	Date         model.Date   `json:"date"`
	Serie        string       `json:"serie"`  // its name in the line
	Price        *json.Number `json:"price"`  // in Currency per quota
	Equity       *json.Number `json:"equity"` // full units of Currency
	Shareholders *uint32      `json:"shareholders"`
	Currency     *string      `json:"currency"`
	Void         bool         `json:"void"`         // it has no quota that can be used (RULES 1)
	Counts       bool         `json:"counts"`       // the line of this day that counts in the batch
	Published    time.Time    `json:"published_at"` // UTC
	Seen         *time.Time   `json:"seen_at"`      // of its file, first, in UTC
	Dataset      string       `json:"dataset"`
	File         *string      `json:"file"`
	SHA256       string       `json:"sha256"`
	Line         uint32       `json:"line"` // from 1
}

// revisionArgs returns the arguments of revisions.sql and of rows_revisions.sql.
func revisionArgs(series uint32, from, to model.Date) []any {
	return []any{sql.Arg("series_id", series), sql.Arg("from_date", from.String()), sql.Arg("to_date", to.String())}
}

// readRevisions returns every line that states a day of the series from one day to another.
func readRevisions(ctx context.Context, p operation.Pinned, series uint32, from, to model.Date) ([]Revision, error) {
	return readLines(ctx, p, "revisions", revisionArgs(series, from, to)...)
}

// LinesOfDay returns every line that states a day of the series. One of them counts.
func LinesOfDay(ctx context.Context, p operation.Pinned, series uint32, day model.Date) ([]Revision, error) {
	return readLines(ctx, p, "lines_of_days", sql.Arg("series_id", series), sql.Arg("days", []string{day.String()}))
}

// readLines returns the lines that revisions.sql or lines_of_days.sql finds, with their files.
func readLines(ctx context.Context, p operation.Pinned, statement string, args ...any) ([]Revision, error) {
	lines, err := operation.Rows[struct {
		Date         time.Time        `ch:"date"`
		Dataset      string           `ch:"dataset"`
		Serie        string           `ch:"serie"`
		Quota        *decimal.Decimal `ch:"quota"`
		Equity       *decimal.Decimal `ch:"equity"`
		Shareholders *uint32          `ch:"shareholders"`
		Currency     *string          `ch:"currency"`
		Void         bool             `ch:"void"`
		Counts       bool             `ch:"counts"`
		Published    time.Time        `ch:"published_at"`
		SHA256       string           `ch:"sha256"`
		Line         uint32           `ch:"line"`
	}](ctx, p, statement, args...)
	if err != nil {
		return nil, err
	}
	files, err := sourceFilesOf(ctx, p, len(lines), func(i int) string { return lines[i].SHA256 })
	if err != nil {
		return nil, err
	}
	number := func(d decimal.Decimal) json.Number { return json.Number(d.String()) }
	revisions := make([]Revision, len(lines))
	for i, line := range lines {
		file := files[line.SHA256]
		revisions[i] = Revision{model.DateOf(line.Date), line.Serie, operation.Mapped(line.Quota, number),
			operation.Mapped(line.Equity, number), line.Shareholders, line.Currency, line.Void, line.Counts,
			line.Published.UTC(), facts.UTC(file.Seen), line.Dataset, file.Name, line.SHA256, line.Line}
	}
	return revisions, nil
}

// revisionTable is the lines of the days of a page as a table. The days of the page end before the next one begins.
func revisionTable(ctx context.Context, r *operation.Request[daysParams], series uint32) (operation.Table, error) {
	from, to := r.Params.period()
	table := operation.Table{Statement: "rows_revisions"}
	if r.Params.Limit != nil {
		days, err := readDays(ctx, r, series)
		if err != nil {
			return table, err
		}
		last, next := pageEnd(r, days)
		all := revisionArgs(series, from, to)
		table.Listing = func(ctx context.Context) (httpapi.Listing, error) {
			total, err := operation.CountPages(ctx, r.Pinned, "revisions", all)
			return httpapi.Listing{Total: total, Next: next}, err
		}
		to = last
	}
	table.Args = revisionArgs(series, from, to)
	return table, nil
}
