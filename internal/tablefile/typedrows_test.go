package tablefile_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"cuota/internal/tablefile"
)

// typedRows is a table as ClickHouse writes it, with a row of each type and one that is all null.
const typedRows = `{
	"meta":
	[
		{ "name": "date", "type": "Nullable(Date)" },
		{ "name": "quota", "type": "Nullable(Decimal(38, 6))" },
		{ "name": "series_id", "type": "Nullable(UInt32)" },
		{ "name": "records", "type": "Nullable(UInt64)" },
		{ "name": "fund", "type": "LowCardinality(Nullable(String))" },
		{ "name": "tags", "type": "Array(String)" },
		{ "name": "complete", "type": "Bool" },
		{ "name": "seen_at", "type": "Nullable(DateTime64(3, 'UTC'))" }
	],

	"data":
	[
		["2025-02-28", 1234.560001, 4047362302, 12, "=\u00d1and\u00fa]", ["a","b"], true, "2025-03-01 12:00:00.120"],
		[null, null, null, null, null, null, null, null]
	],

	"rows": 2,

	"rows_before_limit_at_least": 7,

	"statistics": { "elapsed": 0.01, "rows_read": 2, "bytes_read": 100 }
}
`

func TestTypedRowsBecomeTypedCells(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	w, err := tablefile.WorkbookOf(strings.NewReader(typedRows), &out, 2, 16)
	must(t, err)
	if out.Len() > 0 {
		t.Error("a workbook is sent before its end")
	}
	must(t, w.End())
	must(t, w.Close())
	must(t, w.Close())
	var rows sheet
	must(t, xml.Unmarshal([]byte(part(t, out.Bytes(), "xl/worksheets/sheet1.xml")), &rows))
	var got []string
	for _, c := range rows.Rows[1].Cells {
		kind := map[string]string{"": "number", "n": "number", "b": "flag"}[c.Type]
		if kind == "" {
			kind = "text"
		}
		got = append(got, c.At+" "+kind+" "+c.Value+c.Text)
	}
	want := []string{"A2 number 45716", "B2 number 1234.560001", "C2 number 4047362302", "D2 number 12",
		"E2 text =Ñandú]", `F2 text ["a","b"]`, "G2 flag 1", "H2 text 2025-03-01T12:00:00.12Z"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if len(rows.Rows) != 3 || len(rows.Rows[2].Cells) != 0 {
		t.Errorf("the row of nulls has cells: %+v", rows.Rows)
	}
}

func TestAWorkbookThatIsTooLongOrMalformedIsAnError(t *testing.T) {
	t.Parallel()
	changed := func(from, to string) string {
		if !strings.Contains(typedRows, from) {
			t.Fatal(from)
		}
		return strings.Replace(typedRows, from, to, 1)
	}
	for name, c := range map[string]struct {
		stream      string
		rows, cells int
		want        string
	}{
		"too many rows":       {typedRows, 1, 16, "too long"},
		"too many cells":      {typedRows, 2, 15, "too long"},
		"none":                {"", 2, 16, "unexpected EOF"},
		"a text":              {"Code: 60. DB::Exception", 2, 16, "invalid"},
		"a list":              {"[]", 2, 16, "stands where"},
		"a row less":          {changed("[null, null, null, null, null, null, null, null]", ""), 2, 16, "after"},
		"a row less, counted": {changed(`"rows": 2`, `"rows": 3`), 2, 16, "number of rows"},
		"no number of rows":   {changed(`"rows": 2`, `"totals": 2`), 2, 16, "number of rows is missing"},
		"a value less":        {changed("1234.560001,", ""), 2, 16, "parsing"},
		"a short row":         {changed("[null, null,", "[null,"), 2, 16, "fewer values"},
		"a long row":          {changed("null]", `null, "]"]`), 2, 16, "stands where"},
		"no number":           {changed("1234.560001", `"many"`), 2, 16, "parsing"},
		"no day":              {changed("2025-02-28", "2025-02-30"), 2, 16, "out of range"},
		"a part of an id":     {changed("4047362302", "40473623.5"), 2, 16, "parsing"},
		"a second table":      {typedRows + typedRows, 2, 16, "behind the table"},
		"an exception behind": {typedRows + "__exception__", 2, 16, "invalid"},
		"an endless row":      {changed("2025-02-28", strings.Repeat("x", 5<<20)), 2, 16, "longer than"},
	} {
		var out bytes.Buffer
		_, err := tablefile.WorkbookOf(strings.NewReader(c.stream), &out, c.rows, c.cells)
		if err == nil || !strings.Contains(err.Error(), c.want) || out.Len() > 0 {
			t.Errorf("%s: error %v after %d bytes", name, err, out.Len())
		}
	}
}

func TestRowsThatAreCutOffAnywhereAreAnError(t *testing.T) {
	t.Parallel()
	for length := range strings.TrimSpace(typedRows) {
		var out bytes.Buffer
		_, err := tablefile.WorkbookOf(strings.NewReader(typedRows[:length]), &out, 2, 16)
		if !errors.Is(err, io.ErrUnexpectedEOF) || out.Len() > 0 {
			t.Errorf("the first %d bytes: error %v", length, err)
		}
	}
	failed := errors.New("the connection ended")
	stream := io.MultiReader(strings.NewReader(typedRows), iotest.ErrReader(failed))
	if _, err := tablefile.WorkbookOf(stream, io.Discard, 2, 16); !errors.Is(err, failed) {
		t.Errorf("an error behind the table: %v", err)
	}
}

func TestAWorkbookThatIsGivenUpLeavesNoFile(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("TMPDIR", folder)
	left := func() int {
		entries, err := os.ReadDir(folder)
		must(t, err)
		return len(entries)
	}
	w, err := tablefile.NewWriter(io.Discard, tablefile.Workbook, []tablefile.Column{{Name: "text", Kind: tablefile.Text}})
	must(t, err)
	for range 2000 { // more than is kept in memory
		must(t, w.Write(strings.Repeat("x", 30_000)))
	}
	if left() == 0 {
		t.Fatal("so long a workbook has no temporary file")
	}
	must(t, w.Close())
	if n := left(); n > 0 {
		t.Errorf("%d files are left", n)
	}
}
