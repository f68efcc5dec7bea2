package query_test

import (
	"archive/zip"
	"bytes"
	"cmp"
	"encoding/xml"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"cuota/internal/embedded/clickhouse/clickhousetest"
	"cuota/internal/tablefile"
	"cuota/sql"
)

// cellsOfTypes are expressions of ClickHouse, and what the workbook has for each: the type of the cell (n is a number),
// its number format and its value. Format 0 is the usual one, 14 is a day, and 164 is the first that the workbook
// defines, "0". Numbers have 15 digits, as in Excel.
var cellsOfTypes = []struct{ expression, cell string }{
	{"toDate('2025-02-28')", "n 14 45716"},
	{"toDate32('1960-01-01')", "n 14 21916"},
	{"toNullable(toDate('1970-01-01'))", "n 14 25569"},
	{"0.1::Float64", "n 0 0.1"},
	{"-1.5e-7::Float64", "n 0 -0.00000015"},
	{"toFloat32(0.1)", "n 0 0.100000001490116"},
	{"nan", ""}, {"inf", ""}, {"toNullable(-inf)", ""}, {"NULL::Nullable(UInt8)", ""},
	{"toDecimal128('12345678901234567890.123456', 6)", "n 0 12345678901234500000"},
	{"toDecimal64('0.10', 4)", "n 0 0.1"},
	{"toDecimal32('-1234.5678', 4)", "n 0 -1234.5678"},
	{"18446744073709551615::UInt64", "n 164 18446744073709500000"},
	{"9007199254740993::UInt64", "n 164 9007199254740990"},
	{"-9223372036854775807::Int64", "n 164 -9223372036854775807"},
	{"toNullable(4294967295::UInt32)", "n 164 4294967295"},
	{"toInt32(-5)", "n 164 -5"}, {"toUInt16(65535)", "n 164 65535"}, {"toInt16(-5)", "n 164 -5"},
	{"toUInt8(255)", "n 164 255"},
	{"toInt8(-128)", "n 164 -128"}, {"true", "b 0 1"}, {"toNullable(false)", "b 0 0"},
	{"'=1+\"ñ\"\\\\/\\t<'", "inlineStr 0 =1+\"ñ\"\\/\t<"},
	{"toLowCardinality(toNullable('x'))", "inlineStr 0 x"}, {"NULL::LowCardinality(Nullable(String))", ""},
	{"['a', 'ñ\"']", `inlineStr 0 ["a","ñ\""]`}, {"[1, 2]::Array(UInt32)", "inlineStr 0 [1,2]"},
	{"toDateTime64('2025-02-28 12:00:00.120', 3, 'UTC')", "inlineStr 0 2025-02-28T12:00:00.12Z"},
	{"toNullable(toDateTime64('2025-02-28 12:00:00', 3, 'UTC'))", "inlineStr 0 2025-02-28T12:00:00Z"},
}

func TestEachTypeOfClickHouseHasItsCell(t *testing.T) {
	t.Parallel()
	options := clickhousetest.Database(t)
	names := make([]string, len(cellsOfTypes))
	for i, c := range cellsOfTypes {
		names[i] = fmt.Sprintf("%s AS c%d", c.expression, i)
	}
	address := "http://" + clickhousetest.Server(t).HTTP() + "/?" + url.Values{"default_format": {string(sql.Typed)},
		"user": {options.Auth.Username}, "password": {options.Auth.Password}}.Encode()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address,
		strings.NewReader("SELECT "+strings.Join(names, ", ")+" FROM numbers(2)"))
	must(t, err)
	response, err := http.DefaultClient.Do(request)
	must(t, err)
	defer func() { must(t, response.Body.Close()) }()
	var out bytes.Buffer
	w, err := tablefile.WorkbookOf(response.Body, &out, 2, 2*len(names))
	must(t, err)
	must(t, w.End())
	must(t, w.Close())
	cells := cellsIn(t, out.Bytes(), 2)
	for i, want := range cellsOfTypes {
		at, err := excelize.CoordinatesToCellName(i+1, 3)
		must(t, err)
		if cells[at] != want.cell {
			t.Errorf("%s has the cell %q, want %q", want.expression, cells[at], want.cell)
		}
	}
}

// cellsIn returns the type, the number format and the value of each cell of a row, counted from 0, by its place.
func cellsIn(t *testing.T, workbook []byte, row int) map[string]string {
	t.Helper()
	archive, err := zip.NewReader(bytes.NewReader(workbook), int64(len(workbook)))
	must(t, err)
	read := func(name string, to any) {
		part, err := archive.Open(name)
		must(t, err)
		must(t, xml.NewDecoder(part).Decode(to))
	}
	var styles struct {
		Formats []struct {
			Number int `xml:"numFmtId,attr"`
		} `xml:"cellXfs>xf"`
	}
	var sheet struct {
		Rows []struct {
			Cells []struct {
				At    string `xml:"r,attr"`
				Style int    `xml:"s,attr"`
				Type  string `xml:"t,attr"`
				Value string `xml:"v"`
				Text  string `xml:"is>t"`
			} `xml:"c"`
		} `xml:"sheetData>row"`
	}
	read("xl/styles.xml", &styles)
	read("xl/worksheets/sheet1.xml", &sheet)
	cells := map[string]string{}
	for _, c := range sheet.Rows[row].Cells {
		cells[c.At] = fmt.Sprintf("%s %d %s", cmp.Or(c.Type, "n"), styles.Formats[c.Style].Number, c.Value+c.Text)
	}
	return cells
}
