package tablefile_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/google/go-cmp/cmp"

	"cuota/internal/tablefile"
)

type dates struct {
	Day time.Time `ch:"date"`
}

type line struct {
	dates
	Name   string     `ch:"name"`
	Note   *string    `ch:"note"`
	Value  float64    `ch:"value"`
	Change *float64   `ch:"change"`
	Count  uint32     `ch:"series"`
	Whole  bool       `ch:"complete"`
	Before *time.Time `ch:"previous_date"`
	hidden int
}

var columns = []string{"date", "name", "note", "value", "change", "series", "complete", "previous_date"}

func lines() []line {
	day := time.Date(2025, 2, 28, 0, 0, 0, 0, time.UTC)
	return []line{
		{dates{day}, `Deuda < 90 días; "A", ñ` + "\nzwei", new("x"), 1e15 + 0.5, new(-0.0125), math.MaxUint32, true, &day, 1},
		{dates{day.AddDate(0, 0, 1)}, "B", nil, math.NaN(), nil, 0, false, nil, 2},
		{dates{day.AddDate(-30, 0, 1)}, "C", new("y"), 1e-300, new(math.Inf(1)), 7, true, nil, 3},
	}
}

// texts are the values of lines as CSV has them; "" is null.
var texts = [][]string{
	{"2025-02-28", "Deuda < 90 días; \"A\", ñ\nzwei", "x", "1000000000000000.5", "-0.0125", "4294967295", "true", "2025-02-28"},
	{"2025-03-01", "B", "", "", "", "0", "false", ""},
	{"1995-03-01", "C", "y", "1e-300", "", "7", "true", ""},
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// write writes the lines to a new file in two parts.
func write(t *testing.T, format tablefile.Format) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "out."+string(format))
	f, err := tablefile.Create[line](path, format, false, tablefile.Note{Name: "batch", Text: "7"})
	must(t, err)
	must(t, tablefile.Write(f, lines()[:2]))
	must(t, tablefile.Write(f, lines()[2:]))
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that is not finished is there: %v", err)
	}
	if f.Rows() != 3 || f.Path() != path {
		t.Errorf("%d rows in %s", f.Rows(), f.Path())
	}
	must(t, tablefile.Finish(f))
	left, err := os.ReadDir(filepath.Dir(path))
	must(t, err)
	if len(left) != 1 {
		t.Errorf("%v", left)
	}
	return path
}

func TestAllFormatsHoldTheSameRows(t *testing.T) {
	t.Parallel()
	text, err := os.Open(write(t, tablefile.CSV))
	must(t, err)
	records, err := csv.NewReader(text).ReadAll()
	must(t, errors.Join(err, text.Close()))
	if diff := cmp.Diff(append([][]string{columns}, texts...), records); diff != "" {
		t.Errorf("csv: %s", diff)
	}

	objects, err := os.ReadFile(write(t, tablefile.NDJSON))
	must(t, err)
	decoder := json.NewDecoder(bytes.NewReader(objects))
	decoder.UseNumber()
	for i, want := range texts {
		var object map[string]any
		must(t, decoder.Decode(&object))
		for c, name := range columns {
			if got := shown(object[name]); got != want[c] {
				t.Errorf("ndjson, row %d: %s is %q, want %q", i, name, got, want[c])
			}
		}
	}
	if decoder.More() || bytes.Count(objects, []byte("\n")) != 3 {
		t.Errorf("ndjson: %s", objects)
	}

	reader, err := file.OpenParquetFile(write(t, tablefile.Parquet), false)
	must(t, err)
	of, err := pqarrow.NewFileReader(reader, pqarrow.ArrowReadProperties{}, memory.DefaultAllocator)
	must(t, err)
	table, err := of.ReadTable(t.Context())
	must(t, err)
	rows := array.NewTableReader(table, -1)
	if !rows.Next() || rows.RecordBatch().NumRows() != 3 || int(rows.RecordBatch().NumCols()) != len(columns) {
		t.Fatalf("parquet: %v", table)
	}
	for c, name := range columns {
		if field := table.Schema().Field(c); field.Name != name {
			t.Errorf("parquet: column %d is %s", c, field.Name)
		}
		for i, want := range texts {
			if got := plain(rows.RecordBatch().Column(c), i); got != want[c] {
				t.Errorf("parquet, row %d: %s is %q, want %q", i, name, got, want[c])
			}
		}
	}
	if note := reader.MetaData().KeyValueMetadata().FindValue("batch"); note == nil || *note != "7" {
		t.Error("the note is missing")
	}
	rows.Release()
	table.Release()
	must(t, reader.Close())
}

func shown(value any) string {
	if value == nil {
		return ""
	}
	return fmt.Sprint(value)
}

func plain(column interface {
	IsNull(int) bool
	ValueStr(int) string
}, i int) string {
	if column.IsNull(i) {
		return ""
	}
	if day, is := column.(*array.Date32); is {
		return day.Value(i).ToTime().Format(time.DateOnly)
	}
	if number, is := column.(*array.Float64); is {
		text, _ := json.Marshal(number.Value(i))
		return string(text)
	}
	return column.ValueStr(i)
}

func TestAFileThatExistsIsReplacedOnlyWithForce(t *testing.T) {
	t.Parallel()
	path := write(t, tablefile.CSV)
	before, err := os.ReadFile(path)
	must(t, err)
	if _, err := tablefile.Create[line](path, tablefile.CSV, false); !errors.Is(err, tablefile.ErrExists) {
		t.Fatal(err)
	}
	f, err := tablefile.Create[line](path, tablefile.CSV, true)
	must(t, err)
	if now, _ := os.ReadFile(path); !bytes.Equal(now, before) {
		t.Errorf("the file changed before the end: %s", now)
	}
	must(t, tablefile.Finish(f))
	if now, _ := os.ReadFile(path); len(now) >= len(before) {
		t.Errorf("the file was not replaced: %s", now)
	}
	// Another process may make the file while it is written.
	other := filepath.Join(t.TempDir(), "out.csv")
	f, err = tablefile.Create[line](other, tablefile.CSV, false)
	must(t, err)
	whole, err := tablefile.Create[line](filepath.Join(filepath.Dir(other), "whole.csv"), tablefile.CSV, false)
	must(t, err)
	must(t, os.WriteFile(other, []byte("theirs"), 0o600))
	if err := tablefile.Finish(whole, f); !errors.Is(err, tablefile.ErrExists) {
		t.Error(err)
	}
	if now, _ := os.ReadFile(other); string(now) != "theirs" {
		t.Errorf("%s", now)
	}
	left, err := os.ReadDir(filepath.Dir(other))
	must(t, err)
	if len(left) != 1 {
		t.Errorf("of two files of which one can't be finished, these are left: %v", left)
	}
}

func TestAnAbandonedFileLeavesNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, format := range []tablefile.Format{tablefile.CSV, tablefile.NDJSON, tablefile.Parquet} {
		f, err := tablefile.Create[line](filepath.Join(dir, "out"), format, false)
		must(t, err)
		must(t, tablefile.Write(f, lines()))
		must(t, f.Abandon())
		must(t, f.Abandon())
	}
	left, err := os.ReadDir(dir)
	must(t, err)
	if len(left) != 0 {
		t.Errorf("%v", left)
	}
}

func TestTheFormatIsThatOfTheEnding(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]tablefile.Format{"a/b.parquet": tablefile.Parquet, "x.CSV": tablefile.CSV, "b.c.ndjson": tablefile.NDJSON} {
		if got, err := tablefile.FormatOf(path); err != nil || got != want {
			t.Errorf("%s: %s, %v", path, got, err)
		}
	}
	for _, path := range []string{"", "parquet", "a.json", "dir.csv/x"} {
		if got, err := tablefile.FormatOf(path); err == nil {
			t.Errorf("%s: %s", path, got)
		}
	}
	if _, err := tablefile.Create[struct {
		A int `ch:"a"`
	}](filepath.Join(t.TempDir(), "x.csv"), tablefile.CSV, false); err == nil {
		t.Error("a type that no file can hold was accepted")
	}
	if _, err := tablefile.Create[line](t.TempDir(), tablefile.CSV, true); err == nil {
		t.Error("a directory was accepted")
	}
	if _, err := tablefile.Create[line](filepath.Join(t.TempDir(), "no", "x.csv"), tablefile.CSV, true); err == nil {
		t.Error("a folder that does not exist was accepted")
	}
}
