package query_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"cuota/internal/testkit/parquettest"
)

// tableRows are the rows of a table: numbers are float64, dates are texts, as in NDJSON.
type tableRows []map[string]any

var tableFormats = []string{"ndjson", "csv", "parquet", "arrow", "xlsx"}

// readFormats are those that readTable reads. TestTheRowsOfArrowAreThoseOfNDJSON reads Arrow.
var readFormats = slices.DeleteFunc(slices.Clone(tableFormats), func(format string) bool { return format == "arrow" })

var mediaOf = map[string]string{
	"csv": "text/csv; charset=utf-8", "ndjson": "application/x-ndjson",
	"parquet": "application/vnd.apache.parquet", "arrow": "application/vnd.apache.arrow.stream",
	"xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}

// readTable reads a body in a format. like has the type of each column, which CSV does not tell, and which of the
// numbers of a workbook are days.
func readTable(t testing.TB, format string, body []byte, like tableRows) tableRows {
	t.Helper()
	switch format {
	case "ndjson":
		rows := tableRows{}
		for line := range bytes.Lines(body) {
			var row map[string]any
			must(t, json.Unmarshal(line, &row))
			rows = append(rows, row)
		}
		return rows
	case "csv":
		return readCSV(t, body, like)
	case "xlsx":
		return readWorkbook(t, body, like)
	case "parquet":
		table := parquettest.Read(t, body)
		rows := make(tableRows, len(table.Rows))
		for i, values := range table.Rows {
			rows[i] = map[string]any{}
			for c, column := range table.Columns {
				rows[i][column.Name] = asInJSON(values[c])
			}
		}
		return rows
	}
	t.Fatalf("there is no reader of %s", format)
	return nil
}

// asInJSON returns a value of Parquet as it is read from NDJSON.
func asInJSON(value any) any {
	switch value := value.(type) {
	case uint32:
		return float64(value)
	case uint64:
		return float64(value)
	case int64:
		return float64(value)
	case time.Time:
		return value.Format(time.RFC3339)
	}
	return value
}

// readCSV reads a table in CSV. Go's reader does not tell an empty field from "", so a text that
// is empty is read as null; no column of a table has empty texts.
func readCSV(t testing.TB, body []byte, like tableRows) tableRows {
	t.Helper()
	records, err := csv.NewReader(bytes.NewReader(body)).ReadAll()
	must(t, err)
	kinds := map[string]any{}
	for _, row := range like {
		for name, value := range row {
			if value != nil {
				kinds[name] = value
			}
		}
	}
	rows := tableRows{}
	for _, record := range records[1:] {
		row := map[string]any{}
		for i, name := range records[0] {
			switch kinds[name].(type) {
			case float64:
				if record[i] == "" {
					row[name] = nil
					continue
				}
				row[name], err = strconv.ParseFloat(record[i], 64)
				must(t, err)
			case bool:
				row[name] = record[i] == "true"
			default:
				row[name] = any(record[i])
				if record[i] == "" {
					row[name] = nil
				}
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// readWorkbook reads the first sheet of an Excel workbook. A cell that should be a number or a day, and is typed as a
// text, is read as a text, so that it differs.
func readWorkbook(t testing.TB, body []byte, like tableRows) tableRows {
	t.Helper()
	kinds := map[string]any{}
	for _, row := range like {
		for name, value := range row {
			if value != nil {
				kinds[name] = value
			}
		}
	}
	workbook, err := excelize.OpenReader(bytes.NewReader(body))
	must(t, err)
	defer func() { must(t, workbook.Close()) }()
	lines, err := workbook.GetRows("Datos", excelize.Options{RawCellValue: true})
	must(t, err)
	rows := tableRows{}
	for i, line := range lines[1:] {
		row := map[string]any{}
		for c, name := range lines[0] {
			row[name] = nil
			if c >= len(line) || line[c] == "" {
				continue
			}
			at, err := excelize.CoordinatesToCellName(c+1, i+2)
			must(t, err)
			kind, err := workbook.GetCellType("Datos", at)
			must(t, err)
			row[name] = line[c]
			number, err := strconv.ParseFloat(line[c], 64)
			typed := err == nil && (kind == excelize.CellTypeNumber || kind == excelize.CellTypeUnset)
			switch was := kinds[name].(type) {
			case bool:
				row[name] = line[c] == "1" && kind == excelize.CellTypeBool
			case float64:
				if typed {
					row[name] = number
				}
			case string:
				if _, err := time.Parse(time.DateOnly, was); err == nil && typed {
					epoch := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
					row[name] = epoch.AddDate(0, 0, int(number)).Format(time.DateOnly)
				}
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// pick returns one value of a JSON body by its path, as in attributes.returns.1m.
func pick(from any, path string) any {
	for _, name := range strings.Split(path, ".") {
		object, is := from.(map[string]any)
		if !is {
			return nil
		}
		from = object[name]
	}
	return from
}

// scaled returns a number of JSON in the unit of a table, and anything else as it is.
func scaled(value any, by float64) any {
	if number, is := value.(float64); is {
		return number * by
	}
	return value
}

// same compares two values. A number that was divided in both places may differ in its last bits.
func same(a, b any) bool {
	x, isX := a.(float64)
	y, isY := b.(float64)
	if isX && isY {
		return x == y || math.Abs(x-y) <= 1e-12*max(math.Abs(x), math.Abs(y))
	}
	return a == b
}
