package explain

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/ext"
	"golang.org/x/sync/errgroup"

	"cuota/internal/httpapi"
	"cuota/model"
	"cuota/query/operation"
	"cuota/query/receipt"
	"cuota/query/series"
	"cuota/sql"
)

// Affected answers which rows of the tables for people are computed with a line of a file.
var Affected = operation.Endpoint[affectedParams, httpapi.Item[receipt.Touched]]{
	Path: "/api/affected", Find: findAffected,
}

type affectedParams struct {
	File    string      `query:"file" required:"true" min:"1" max:"255" example:"cartola_9809_9810_20250101_20250720.txt" doc:"Hash of a file, SHA-256 in hex, or its name"`
	Line    int64       `query:"line" required:"true" min:"1" max:"4294967295" example:"796" doc:"Number of the line in the file, from 1"`
	Columns columnNames `query:"columns" doc:"Columns of the table cartola_daily that the correction changes, separated by commas; absent: all but the two factors, because files hardly ever state one"`
	Rows    int64       `query:"rows" min:"0" max:"10000" default:"100" example:"2" doc:"The most rows of each table that are listed; all are counted"`
	operation.BatchParams
}

// columnNames are columns of cartola_daily. The zero value stands for all but the factors.
type columnNames []string

// lineColumns are the columns of cartola_daily that a line of the cartola states as numbers, the factors last.
var lineColumns = []string{"quota", "equity", "shareholders", "units_outstanding", "units_contributed", "units_redeemed",
	"costs", "invested_in_funds", "distribution_factor", "adjustment_factor"}

// maxColumnsText is longer than all names of columns together.
const maxColumnsText = 200

// Read implements httpapi.Value.
func (names *columnNames) Read(text string) *httpapi.Violation {
	for name := range strings.SplitSeq(text, ",") {
		switch {
		case len(text) > maxColumnsText || !slices.Contains(lineColumns, name):
			return &httpapi.Violation{Type: "literal_error",
				Msg: "Must be names of these columns, separated by commas: " + strings.Join(lineColumns, ", ")}
		case slices.Contains(*names, name):
			return &httpapi.Violation{Type: "duplicate", Msg: "Must not name the column " + name + " twice"}
		}
		*names = append(*names, name)
	}
	return nil
}

// String implements httpapi.Value.
func (names *columnNames) String() string { return strings.Join(*names, ",") }

// Schema implements httpapi.Value.
func (columnNames) Schema() httpapi.Schema {
	name := "(" + strings.Join(lineColumns, "|") + ")"
	return httpapi.Schema{"type": "string", "minLength": 1, "maxLength": maxColumnsText,
		"pattern": "^" + name + "(," + name + ")*$"}
}

// foundLine is what a file has on a line.
type foundLine struct {
	Dataset  string    `ch:"dataset"`
	SHA256   string    `ch:"sha256"`
	File     string    `ch:"file"`
	HasRow   bool      `ch:"has_row"` // of a series and day
	Void     bool      `ch:"void"`    // the row stands for a rejected line
	Serie    string    `ch:"serie"`
	Date     time.Time `ch:"date"`
	Series   uint32    `ch:"series_id"`
	RUN      string    `ch:"run"`
	Rejected string    `ch:"rejected"`  // why the line was rejected, or ""; it may have been accepted later
	LastLine uint32    `ch:"last_line"` // with a row
}

func findAffected(ctx context.Context,
	r *operation.Request[affectedParams]) (item httpapi.Item[receipt.Touched], err error) {
	line, err := lineThatCounts(ctx, r.Pinned, r.Params.File, r.Params.Line)
	if err != nil {
		return item, err
	}
	columns := []string(r.Params.Columns)
	if len(columns) == 0 {
		columns = slices.DeleteFunc(slices.Clone(lineColumns),
			func(name string) bool { return strings.HasSuffix(name, "_factor") })
	}
	rows, err := touchedRows(ctx, r.Pinned, line, columns)
	if err != nil {
		return item, err
	}
	made := receipt.Touched{Line: line, Columns: columns, Rows: len(rows), Tables: []receipt.TouchedTable{}}
	for _, row := range rows {
		if n := len(made.Tables); n == 0 || made.Tables[n-1].Table != row.Table {
			made.Tables = append(made.Tables, receipt.TouchedTable{Table: row.Table, Listed: []receipt.TouchedRow{}})
		}
		table := &made.Tables[len(made.Tables)-1]
		table.Rows++
		table.Columns = append(table.Columns, row.Columns...)
		slices.Sort(table.Columns)
		table.Columns = slices.Compact(table.Columns)
		if int64(len(table.Listed)) < r.Params.Rows {
			table.Listed = append(table.Listed, receipt.TouchedRow{Key: json.RawMessage(row.Key),
				Columns: row.Columns})
		}
	}
	item.Data = httpapi.NewResource(fmt.Sprintf("%s_%d", line.SHA256, line.Line), "affected", made)
	return item, nil
}

// touchedRow is a row of a table for people with columns that are computed with a line.
type touchedRow struct {
	Table   string   `ch:"of_table"`
	Key     string   `ch:"key"` // as JSON
	Columns []string `ch:"moved"`
}

// movedDay is a row of affected_days.sql.
type movedDay struct {
	Date          time.Time `ch:"date"`
	Previous      time.Time `ch:"previous"`
	Family        string    `ch:"family"`
	Currency      string    `ch:"in_currency"`
	DailyMoves    bool      `ch:"daily_moves"`
	MonthlyMoves  bool      `ch:"monthly_moves"`
	DailyWeighs   bool      `ch:"daily_weighs"`
	MonthlyWeighs bool      `ch:"monthly_weighs"`
	Flows         bool      `ch:"flows"`
	Columns       []string  `ch:"moved"`
}

// standingDay is a row of affected_standing.sql.
type standingDay struct {
	Date     time.Time `ch:"date"`
	Family   string    `ch:"family"`
	Currency string    `ch:"in_currency"`
	Manager  uint32    `ch:"manager_rut"`
}

// movedPoint is a row of affected_index.sql.
type movedPoint struct {
	Family   string    `ch:"of_family"`
	Currency string    `ch:"in_currency"`
	Date     time.Time `ch:"on_date"`
	Moves    bool      `ch:"step_moves"`
	Key      string    `ch:"key"`
	Columns  []string  `ch:"moved"`
}

// touchedRows returns the rows that are computed with a line, by table and key, each once. The days of its series come
// first: the statements about families and indices read them, because each view in them takes long to plan.
func touchedRows(ctx context.Context, p operation.Pinned, line receipt.TouchedLine,
	columns []string) ([]touchedRow, error) {
	of := []any{sql.Arg("series_id", line.Series), sql.Arg("date", line.Date.String()), sql.Arg("columns", columns)}
	var days []movedDay
	var standing []standingDay
	var rows, ofMarket []touchedRow
	var points []movedPoint
	read := func(reads ...func() error) error {
		var all errgroup.Group
		for _, each := range reads {
			all.Go(each)
		}
		return all.Wait()
	}
	err := read(
		func() (err error) {
			days, err = operation.Rows[movedDay](ctx, p, "affected_days", slices.Clone(of)...)
			return err
		},
		func() (err error) {
			standing, err = operation.Rows[standingDay](ctx, p, "affected_standing", slices.Clone(of[:2])...)
			return err
		})
	if err != nil {
		return nil, err
	}
	lineDays, err := tableOfDays(days)
	if err != nil {
		return nil, err
	}
	lineStanding, err := tableOfStanding(standing)
	if err != nil {
		return nil, err
	}
	err = read(
		func() (err error) {
			rows, err = operation.Rows[touchedRow](ctx, p, "affected_series", append(slices.Clone(of), lineDays)...)
			return err
		},
		func() (err error) {
			points, err = operation.Rows[movedPoint](ctx, p, "affected_index", append(slices.Clone(of), lineDays, lineStanding)...)
			return err
		})
	if err != nil {
		return nil, err
	}
	months, err := tableOfMonths(points)
	if err != nil {
		return nil, err
	}
	ofMarket, err = operation.Rows[touchedRow](ctx, p, "affected_market", append(of, lineDays, lineStanding, months)...)
	if err != nil {
		return nil, err
	}
	rows = append(rows, ofMarket...)
	for _, point := range points {
		rows = append(rows, touchedRow{"family_index", point.Key, point.Columns})
	}
	return merged(rows), nil
}

// merged makes one row of those of the same table and key, and sorts by these.
func merged(rows []touchedRow) (list []touchedRow) {
	slices.SortFunc(rows, func(a, b touchedRow) int {
		return cmp.Or(strings.Compare(a.Table, b.Table), strings.Compare(a.Key, b.Key))
	})
	for _, row := range rows {
		if n := len(list) - 1; n >= 0 && list[n].Table == row.Table && list[n].Key == row.Key {
			list[n].Columns = append(list[n].Columns, row.Columns...)
		} else {
			list = append(list, row)
		}
	}
	for i := range list {
		slices.Sort(list[i].Columns)
		list[i].Columns = slices.Compact(list[i].Columns)
	}
	return list
}

func tableOfDays(days []movedDay) (*ext.Table, error) {
	var dates, before []time.Time
	var families, currencies []string
	var truths [5][]bool
	var moved [][]string
	for _, day := range days {
		dates, before = append(dates, day.Date), append(before, day.Previous)
		families, currencies = append(families, day.Family), append(currencies, day.Currency)
		for i, is := range []bool{day.DailyMoves, day.MonthlyMoves, day.DailyWeighs, day.MonthlyWeighs, day.Flows} {
			truths[i] = append(truths[i], is)
		}
		moved = append(moved, day.Columns)
	}
	return sql.Table("line_days", sql.Column{Type: "date Date", Values: dates}, sql.Column{Type: "previous Date", Values: before},
		sql.Column{Type: "family String", Values: families}, sql.Column{Type: "in_currency String", Values: currencies},
		sql.Column{Type: "daily_moves Bool", Values: truths[0]}, sql.Column{Type: "monthly_moves Bool", Values: truths[1]},
		sql.Column{Type: "daily_weighs Bool", Values: truths[2]}, sql.Column{Type: "monthly_weighs Bool", Values: truths[3]},
		sql.Column{Type: "flows Bool", Values: truths[4]}, sql.Column{Type: "moved Array(String)", Values: moved})
}

func tableOfStanding(days []standingDay) (*ext.Table, error) {
	var dates []time.Time
	var families, currencies []string
	var managers []uint32
	for _, day := range days {
		dates, families = append(dates, day.Date), append(families, day.Family)
		currencies, managers = append(currencies, day.Currency), append(managers, day.Manager)
	}
	return sql.Table("line_standing", sql.Column{Type: "date Date", Values: dates}, sql.Column{Type: "family String", Values: families},
		sql.Column{Type: "in_currency String", Values: currencies}, sql.Column{Type: "manager_rut UInt32", Values: managers})
}

// tableOfMonths has the families and months of the points whose steps move.
func tableOfMonths(points []movedPoint) (*ext.Table, error) {
	type familyMonth struct {
		family, currency string
		month            time.Time
	}
	seen := map[familyMonth]bool{}
	var months []time.Time
	var families, currencies []string
	for _, point := range points {
		end := time.Date(point.Date.Year(), point.Date.Month()+1, 0, 0, 0, 0, 0, time.UTC)
		if of := (familyMonth{point.Family, point.Currency, end}); point.Moves && !seen[of] {
			seen[of] = true
			months = append(months, end)
			families, currencies = append(families, point.Family), append(currencies, point.Currency)
		}
	}
	return sql.Table("moved_months", sql.Column{Type: "family String", Values: families},
		sql.Column{Type: "in_currency String", Values: currencies}, sql.Column{Type: "month Date", Values: months})
}

// lineThatCounts finds a line by its file. Its errors say why nothing can be told of a line.
func lineThatCounts(ctx context.Context, p operation.Pinned, file string,
	number int64) (line receipt.TouchedLine, err error) {
	files, err := operation.Rows[foundLine](ctx, p, "affected_line", sql.Arg("file", file), sql.Arg("line", number))
	if err != nil {
		return line, err
	}
	wrongFile := func(kind, format string, args ...any) error {
		return httpapi.Invalid(operation.WrongParameter("file", kind, fmt.Sprintf(format, args...)))
	}
	wrongLine := func(kind, format string, args ...any) error {
		return httpapi.Invalid(operation.WrongParameter("line", kind, fmt.Sprintf(format, args...)))
	}
	hashes := make([]string, len(files))
	for i := range files {
		hashes[i] = files[i].SHA256
	}
	slices.Sort(hashes)
	switch hashes = slices.Compact(hashes); len(hashes) {
	case 0:
		return line, httpapi.NotFound("No file of the batch " + p.Batch.ID + " has the hash or the name " +
			httpapi.Echo(file) + ".")
	case 1:
	default:
		return line, wrongFile("ambiguous", "Must be a hash, because several files have the name: %s",
			strings.Join(hashes, ", "))
	}
	// A file that was ingested as several datasets has one hash.
	cartola := slices.IndexFunc(files, func(f foundLine) bool { return f.Dataset == string(model.Cartola) })
	found := &files[max(0, cartola)]
	switch {
	case found.Dataset != string(model.Cartola):
		return line, wrongFile("not_followed", "Must be a file of the dataset cartola. What follows from a file of %s is "+
			"not told yet; cuota ingest --dry-run compares the rows of a correction with those that count", found.Dataset)
	case found.Rejected != "" && (!found.HasRow || found.Void):
		return line, wrongLine("rejected", "Must be a line that was not rejected; this one was: %s",
			httpapi.Echo(found.Rejected))
	case !found.HasRow && number > int64(found.LastLine):
		return line, wrongLine("no_such_line", "Must be a line of the file, whose last row is in line %d: this one does not "+
			"exist, or was rejected long ago", found.LastLine)
	case !found.HasRow:
		return line, wrongLine("no_row", "Must be a line with a row that is kept: this one is the header, or empty, or "+
			"was rejected long ago, or a later line of the file states the same day of the same series")
	case found.Series == 0:
		return line, wrongLine("unknown_series", "Must be a line of a series of the batch %s", p.Batch.ID)
	}
	day := model.DateOf(found.Date)
	stated, err := series.LinesOfDay(ctx, p, found.Series, day)
	if err != nil {
		return line, err
	}
	for _, each := range stated {
		switch is := each.SHA256 == found.SHA256 && int64(each.Line) == number; {
		case !each.Counts: // also what the line stated before its file was ingested again
		case !is:
			return line, wrongLine("does_not_count", "Must be the line that counts for the series %d on %s: line %d of the "+
				"file %s. Nothing is computed with this one", found.Series, day, each.Line, each.SHA256)
		case each.Void:
			return line, wrongLine("void", "Must be a line with a quota above 0: without one only the existence of the "+
				"line counts, and what a quota would change is not known before it is ingested")
		default:
			line.Published = each.Published
		}
	}
	line.Dataset, line.File, line.SHA256, line.Line = found.Dataset, found.File, found.SHA256, uint32(number)
	line.Series, line.RUN, line.Serie, line.Date = found.Series, found.RUN, found.Serie, day
	return line, nil
}
