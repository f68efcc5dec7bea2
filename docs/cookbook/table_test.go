package cookbook_test

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
)

// table is the answer to a question. A value is written as ClickHouse does; null is empty.
type table struct {
	columns []string
	rows    [][]string
}

func read(t *testing.T, rows driver.Rows) table {
	t.Helper()
	defer func() { _ = rows.Close() }()
	answer := table{columns: rows.Columns()}
	for rows.Next() {
		values := make([]any, len(answer.columns))
		for i, kind := range rows.ColumnTypes() {
			values[i] = reflect.New(kind.ScanType()).Interface()
		}
		if err := rows.Scan(values...); err != nil {
			t.Fatal(err)
		}
		row := make([]string, len(values))
		for i, value := range values {
			row[i] = written(t, reflect.ValueOf(value).Elem())
		}
		answer.rows = append(answer.rows, row)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return answer
}

func written(t *testing.T, value reflect.Value) string {
	t.Helper()
	for value.Kind() == reflect.Pointer {
		if value.IsNil() {
			return ""
		}
		value = value.Elem()
	}
	switch v := value.Interface().(type) {
	case string:
		if strings.ContainsAny(v, "\t\n|") {
			t.Fatalf("%q can't stand in a table", v)
		}
		return v
	case time.Time:
		return v.Format(time.DateOnly)
	case float64:
		return strconv.FormatFloat(v+0, 'f', -1, 64) // 0 is added so that there is no -0
	default:
		return fmt.Sprint(v)
	}
}

// tsv writes the table with a line of names, as ClickHouse does in the format TSVWithNames.
func (a table) tsv() string {
	var out strings.Builder
	for _, row := range append([][]string{a.columns}, a.rows...) {
		out.WriteString(strings.Join(row, "\t") + "\n")
	}
	return out.String()
}

// markdown writes the first rows of the table.
func (a table) markdown(limit int) string {
	var out strings.Builder
	fmt.Fprintf(&out, "| %s |\n|%s\n", strings.Join(a.columns, " | "), strings.Repeat("---|", len(a.columns)))
	for _, row := range a.rows[:min(limit, len(a.rows))] {
		fmt.Fprintf(&out, "| %s |\n", strings.Join(row, " | "))
	}
	return out.String()
}

// column returns the values of a column.
func (a table) column(t *testing.T, name string) []string {
	t.Helper()
	at := slices.Index(a.columns, name)
	if at < 0 {
		t.Fatalf("no column %s in %v", name, a.columns)
	}
	values := make([]string, len(a.rows))
	for i, row := range a.rows {
		values[i] = row[at]
	}
	return values
}

// numbers returns the values of a column as numbers; NaN for null.
func (a table) numbers(t *testing.T, name string) []float64 {
	t.Helper()
	texts := a.column(t, name)
	values := make([]float64, len(texts))
	for i, text := range texts {
		values[i] = math.NaN()
		if text != "" {
			values[i] = number(t, text)
		}
	}
	return values
}

func number(t *testing.T, text string) float64 {
	t.Helper()
	value, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// gaps returns values that a chart leaves out.
func gaps(n int) []float64 {
	values := make([]float64, n)
	for i := range values {
		values[i] = math.NaN()
	}
	return values
}
