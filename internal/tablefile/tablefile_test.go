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

	"github.com/google/go-cmp/cmp"

	"cuota/internal/tablefile"
	"cuota/internal/testkit/parquettest"
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
		{dates{day}, `Deuda < 90 días; "A", ñ` + "\nzwei", new("x"), 1e15 + 0.5, new(-0.0125), math.MaxUint32, true,
			&day, 1},
		{dates{day.AddDate(0, 0, 1)}, "B", nil, math.NaN(), nil, 0, false, nil, 2},
		{dates{day.AddDate(-30, 0, 1)}, "C", new("y"), 1e-300, new(math.Inf(1)), 7, true, nil, 3},
	}
}

// texts are the values of lines as CSV has them; "" is null.
var texts = [][]string{
	{"2025-02-28", "Deuda < 90 días; \"A\", ñ\nzwei", "x", "1000000000000000.5", "-0.0125", "4294967295", "true",
		"2025-02-28"},
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
	f, err := tablefile.CreateRows[line](path, format, false, tablefile.Note{Name: "batch", Text: "7"})
	must(t, err)
	must(t, f.Add(lines()[:2]))
	must(t, f.Add(lines()[2:]))
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that is not finished is there: %v", err)
	}
	if f.Count() != 3 || f.File.Path() != path {
		t.Errorf("%d rows in %s", f.Count(), f.File.Path())
	}
	must(t, tablefile.Finish(f.File))
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

	content, err := os.ReadFile(write(t, tablefile.Parquet))
	must(t, err)
	table := parquettest.Read(t, content)
	if len(table.Rows) != 3 || len(table.Columns) != len(columns) {
		t.Fatalf("parquet: %v", table)
	}
	for c, name := range columns {
		if table.Columns[c].Name != name {
			t.Errorf("parquet: column %d is %s", c, table.Columns[c].Name)
		}
		for i, want := range texts {
			if got := plain(table.Rows[i][c]); got != want[c] {
				t.Errorf("parquet, row %d: %s is %q, want %q", i, name, got, want[c])
			}
		}
	}
	if table.Notes["batch"] != "7" {
		t.Error("the note is missing")
	}
}

func shown(value any) string {
	if value == nil {
		return ""
	}
	return fmt.Sprint(value)
}

func plain(value any) string {
	if number, is := value.(float64); is {
		text, _ := json.Marshal(number)
		return string(text)
	}
	return shown(value)
}

func TestAFileThatExistsIsReplacedOnlyWithForce(t *testing.T) {
	t.Parallel()
	path := write(t, tablefile.CSV)
	before, err := os.ReadFile(path)
	must(t, err)
	if _, err := tablefile.CreateRows[line](path, tablefile.CSV, false); !errors.Is(err, tablefile.ErrExists) {
		t.Fatal(err)
	}
	f, err := tablefile.CreateRows[line](path, tablefile.CSV, true)
	must(t, err)
	if now, _ := os.ReadFile(path); !bytes.Equal(now, before) {
		t.Errorf("the file changed before the end: %s", now)
	}
	must(t, tablefile.Finish(f.File))
	if now, _ := os.ReadFile(path); len(now) >= len(before) {
		t.Errorf("the file was not replaced: %s", now)
	}
	// Another process may make the file while it is written.
	other := filepath.Join(t.TempDir(), "out.csv")
	f, err = tablefile.CreateRows[line](other, tablefile.CSV, false)
	must(t, err)
	whole, err := tablefile.CreateRows[line](filepath.Join(filepath.Dir(other), "whole.csv"), tablefile.CSV, false)
	must(t, err)
	must(t, os.WriteFile(other, []byte("theirs"), 0o600))
	if err := tablefile.Finish(whole.File, f.File); !errors.Is(err, tablefile.ErrExists) {
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
		f, err := tablefile.CreateRows[line](filepath.Join(dir, "out"), format, false)
		must(t, err)
		must(t, f.Add(lines()))
		must(t, f.File.Abandon())
		must(t, f.File.Abandon())
	}
	left, err := os.ReadDir(dir)
	must(t, err)
	if len(left) != 0 {
		t.Errorf("%v", left)
	}
}

func TestTheFormatIsThatOfTheEnding(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]tablefile.Format{"a/b.parquet": tablefile.Parquet, "x.CSV": tablefile.CSV,
		"b.c.ndjson": tablefile.NDJSON} {
		if got, err := tablefile.FormatOf(path); err != nil || got != want {
			t.Errorf("%s: %s, %v", path, got, err)
		}
	}
	for _, path := range []string{"", "parquet", "a.json", "dir.csv/x"} {
		if got, err := tablefile.FormatOf(path); err == nil {
			t.Errorf("%s: %s", path, got)
		}
	}
	if _, err := tablefile.CreateRows[struct {
		A int8 `ch:"a"`
	}](filepath.Join(t.TempDir(), "x.csv"), tablefile.CSV, false); err == nil {
		t.Error("a type that no file can hold was accepted")
	}
	if _, err := tablefile.CreateRows[line](t.TempDir(), tablefile.CSV, true); err == nil {
		t.Error("a directory was accepted")
	}
	if _, err := tablefile.CreateRows[line](filepath.Join(t.TempDir(), "no", "x.csv"), tablefile.CSV,
		true); err == nil {
		t.Error("a folder that does not exist was accepted")
	}
}

// described are the columns of a table of each kind of values.
var described = []tablefile.Column{
	{Name: "day", Kind: tablefile.Day, Unit: "date", Comment: "Day of the quote."},
	{Name: "quota", Kind: tablefile.Number, Unit: "currency of the series, for one quota"},
	{Name: "rank", Kind: tablefile.Whole, Nullable: true, Comment: "Place; null if there is none."},
	{Name: "series_id", Kind: tablefile.ID},
	{Name: "fund", Kind: tablefile.Text},
	{Name: "alive", Kind: tablefile.Flag},
}

func describedTable(t *testing.T, format tablefile.Format) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := tablefile.NewWriter(&out, format, described, tablefile.Note{Name: "batch", Text: "7"})
	must(t, err)
	day := time.Date(2025, 6, 30, 0, 0, 0, 0, time.UTC)
	must(t, w.Write(day, 1234567.25, -3, uint32(math.MaxUint32), "ÁGUILA, \"A\"", true))
	row := []any{day, 1e-7, nil, uint32(0), "", false}
	must(t, w.Write(row...))
	must(t, w.End())
	if w.Rows() != 2 {
		t.Errorf("%d rows", w.Rows())
	}
	return out.Bytes()
}

func TestATableIsWrittenToAnyWriterAndAlwaysTheSame(t *testing.T) {
	t.Parallel()
	for format, want := range map[tablefile.Format]string{
		tablefile.CSV: "day,quota,rank,series_id,fund,alive\n2025-06-30,1234567.25,-3,4294967295,\"ÁGUILA, " +
			"\"\"A\"\"\",true\n2025-06-30,1e-07,,0,,false\n",
		tablefile.NDJSON: `{"day":"2025-06-30","quota":1234567.25,"rank":-3,"series_id":4294967295,"fund":"ÁGUILA, \"A\"","alive":true}` + "\n" +
			`{"day":"2025-06-30","quota":1e-07,"rank":null,"series_id":0,"fund":"","alive":false}` + "\n",
	} {
		if got := string(describedTable(t, format)); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", format, got, want)
		}
	}
	whole := describedTable(t, tablefile.Parquet)
	for range 5 {
		if again := describedTable(t, tablefile.Parquet); !bytes.Equal(again, whole) {
			t.Error("the same rows give other bytes of Parquet")
		}
	}
}

func TestAValueThatDoesNotFitItsColumnIsRefused(t *testing.T) {
	t.Parallel()
	day := time.Date(2025, 6, 30, 0, 0, 0, 0, time.UTC)
	right := []any{day, 1.5, 1, uint32(1), "x", true}
	for at, wrong := range map[int][]any{
		0: {nil, "2025-06-30", 1.5}, 1: {nil, math.NaN(), math.Inf(-1), 1}, 2: {1.5, int64(1), uint32(1)},
		3: {nil, 1, -1}, 4: {nil, 'x', []byte("x")}, 5: {nil, 1, "true"},
	} {
		for _, value := range wrong {
			for _, format := range []tablefile.Format{tablefile.CSV, tablefile.NDJSON, tablefile.Parquet} {
				w, err := tablefile.NewWriter(&bytes.Buffer{}, format, described)
				must(t, err)
				row := append([]any{}, right...)
				must(t, w.Write(row...))
				row[at] = value
				if err := w.Write(row...); err == nil {
					t.Errorf("%s: %s took %v", format, described[at].Name, value)
				}
				if err := w.Write(right[:5]...); err == nil {
					t.Errorf("%s took a row without its last value", format)
				}
			}
		}
	}
	if _, err := tablefile.NewWriter(&bytes.Buffer{}, "ods", described); err == nil {
		t.Error("an unknown format was accepted")
	}
}
