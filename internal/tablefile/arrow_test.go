package tablefile_test

import (
	"bytes"
	"encoding/xml"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/google/go-cmp/cmp"

	"cuota/internal/tablefile"
)

// arrowStream is a stream with two rows, the second of which is all null, in a batch of each.
func arrowStream(t *testing.T) []byte {
	t.Helper()
	quota := &arrow.Decimal128Type{Precision: 38, Scale: 6}
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "date", Type: arrow.FixedWidthTypes.Date32, Nullable: true},
		{Name: "quota", Type: quota, Nullable: true},
		{Name: "series_id", Type: arrow.PrimitiveTypes.Uint32, Nullable: true},
		{Name: "records", Type: arrow.PrimitiveTypes.Uint64, Nullable: true},
		{Name: "fund", Type: arrow.BinaryTypes.String, Nullable: true},
		{Name: "tags", Type: arrow.ListOf(arrow.BinaryTypes.String), Nullable: true},
	}, nil)
	var out bytes.Buffer
	w := ipc.NewWriter(&out, ipc.WithSchema(schema))
	for line := range 2 {
		b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
		if line == 0 {
			b.Field(0).(*array.Date32Builder).Append(20_147) // days since 1970: 2025-02-28
			b.Field(1).(*array.Decimal128Builder).Append(decimal128.FromI64(1_234_560_001))
			b.Field(2).(*array.Uint32Builder).Append(4_047_362_302)
			b.Field(3).(*array.Uint64Builder).Append(12)
			b.Field(4).(*array.StringBuilder).Append("=Ñandú")
			list := b.Field(5).(*array.ListBuilder)
			list.Append(true)
			list.ValueBuilder().(*array.StringBuilder).Append("a")
		} else {
			for i := range schema.NumFields() {
				b.Field(i).AppendNull()
			}
		}
		batch := b.NewRecordBatch()
		must(t, w.Write(batch))
		batch.Release()
		b.Release()
	}
	must(t, w.Close())
	return out.Bytes()
}

func TestRowsOfArrowAreTypedInAWorkbook(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	w, err := tablefile.WorkbookOf(bytes.NewReader(arrowStream(t)), &out, 2, 12)
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
		kind := "number "
		if c.Type != "" && c.Type != "n" {
			kind = "text "
		}
		got = append(got, c.At+" "+kind+c.Value+c.Text)
	}
	want := []string{"A2 number 45716", "B2 number 1234.560001", "C2 number 4047362302", "D2 number 12",
		"E2 text =Ñandú", `F2 text ["a"]`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if len(rows.Rows) != 3 || len(rows.Rows[2].Cells) != 0 {
		t.Errorf("the row of nulls has cells: %+v", rows.Rows)
	}
}

func TestAWorkbookThatIsTooLongOrCutOffIsAnError(t *testing.T) {
	t.Parallel()
	whole := arrowStream(t)
	for name, c := range map[string]struct {
		stream      []byte
		rows, cells int
		want        string
	}{
		"too many rows":  {whole, 1, 12, "too long"},
		"too many cells": {whole, 2, 11, "too long"},
		"cut off":        {whole[:len(whole)/2], 2, 12, "Arrow"},
		"none":           {nil, 2, 12, "Arrow"},
		"a text":         {[]byte("Code: 60. DB::Exception"), 2, 12, "Arrow"},
	} {
		var out bytes.Buffer
		_, err := tablefile.WorkbookOf(bytes.NewReader(c.stream), &out, c.rows, c.cells)
		if err == nil || !strings.Contains(err.Error(), c.want) || out.Len() > 0 {
			t.Errorf("%s: error %v after %d bytes", name, err, out.Len())
		}
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
