package tablefile_test

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"cuota/internal/tablefile"
)

// part reads a part of a workbook, which is a ZIP archive of XML files.
func part(t *testing.T, workbook []byte, name string) string {
	t.Helper()
	archive, err := zip.NewReader(bytes.NewReader(workbook), int64(len(workbook)))
	must(t, err)
	f, err := archive.Open(name)
	must(t, err)
	content, err := io.ReadAll(f)
	must(t, err)
	return string(content)
}

// sheet is a sheet of a workbook. A cell without a type is a number.
type sheet struct {
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

func ofEachKind(t *testing.T, format tablefile.Format) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := tablefile.NewWriter(&out, format, []tablefile.Column{
		{Name: "Fecha", Kind: tablefile.Day, Nullable: true},
		{Name: "Fondo", Kind: tablefile.Text, Nullable: true},
		{Name: "Cambio", Kind: tablefile.Number, Nullable: true, Shown: "0.00%"},
		{Name: "Valor cuota", Kind: tablefile.Number, Nullable: true},
		{Name: "Partícipes", Kind: tablefile.Whole},
	}, tablefile.Note{Name: "Lote", Text: "7"})
	must(t, err)
	must(t, w.Write(time.Date(2025, 2, 28, 0, 0, 0, 0, time.UTC), "Ñandú; \"A\"", -0.0125, 1234567.8901, 12))
	must(t, w.Write(nil, "=1+1", nil, nil, 0))
	must(t, w.End())
	return out.Bytes()
}

func TestNumbersAndDaysOfAWorkbookAreTyped(t *testing.T) {
	file := ofEachKind(t, tablefile.Workbook)
	var rows sheet
	must(t, xml.Unmarshal([]byte(part(t, file, "xl/worksheets/sheet1.xml")), &rows))
	var got [][]string
	for _, r := range rows.Rows {
		var line []string
		for _, c := range r.Cells {
			switch {
			case c.Type == "" || c.Type == "n":
				line = append(line, c.At+" number "+c.Value)
			default:
				line = append(line, c.At+" text "+c.Text+c.Value)
			}
		}
		got = append(got, line)
	}
	// Excel counts days from 1899-12-30: 2025-02-28 is the 45,716th.
	want := [][]string{
		{"A1 text Fecha", "B1 text Fondo", "C1 text Cambio", "D1 text Valor cuota", "E1 text Partícipes"},
		{"A2 number 45716", "B2 text Ñandú; \"A\"", "C2 number -0.0125", "D2 number 1234567.8901", "E2 number 12"},
		{"B3 text =1+1", "E3 number 0"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("cells (-want +got):\n%s", diff)
	}
	if styles := part(t, file, "xl/styles.xml"); !strings.Contains(styles, `formatCode="0.00%"`) ||
		!strings.Contains(styles, `numFmtId="14"`) {
		t.Errorf("the styles have no percent or no date: %s", styles)
	}
	if notes := part(t, file, "xl/worksheets/sheet2.xml"); !strings.Contains(notes, "A1") {
		t.Errorf("the notes are missing: %s", notes)
	}
}

func TestAWorkbookAlwaysHasTheSameBytes(t *testing.T) {
	if !bytes.Equal(ofEachKind(t, tablefile.Workbook), ofEachKind(t, tablefile.Workbook)) {
		t.Error("two workbooks of the same rows differ")
	}
}

func TestCSVForChileHasCommasBeforeDecimals(t *testing.T) {
	want := "\ufeffFecha;Fondo;Cambio;Valor cuota;Partícipes\r\n" +
		"2025-02-28;\"Ñandú; \"\"A\"\"\";-0,0125;1234567,8901;12\r\n" +
		";'=1+1;;;0\r\n"
	if got := string(ofEachKind(t, tablefile.ChileanCSV)); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
