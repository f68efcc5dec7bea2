package tablefile_test

import (
	"encoding/xml"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"cuota/internal/tablefile"
)

// chileanOffice is the setting of LibreOffice for a reader in Chile.
const chileanOffice = `<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry"><item oor:path="/org.openoffice.Setup/L10N">
<prop oor:name="ooSetupSystemLocale" oor:op="fuse"><value>es-CL</value></prop></item></oor:items>`

// openedInChile opens a file in LibreOffice as in Chile, and returns the cells of its first sheet: how each is typed,
// whether it has a formula, and what it shows.
func openedInChile(t *testing.T, name string, content []byte, options ...string) (rows [][]string) {
	t.Helper()
	office, err := exec.LookPath("soffice")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("there is no LibreOffice: install Debian's package libreoffice-calc-nogui")
		}
		t.Skip("there is no LibreOffice")
	}
	dir := t.TempDir()
	must(t, os.MkdirAll(filepath.Join(dir, "profile", "user"), 0o700))
	must(t, os.WriteFile(filepath.Join(dir, "profile", "user", "registrymodifications.xcu"), []byte(chileanOffice), 0o600))
	must(t, os.WriteFile(filepath.Join(dir, name), content, 0o600))
	args := append([]string{"--headless", "-env:UserInstallation=file://" + filepath.Join(dir, "profile")}, options...)
	convert := exec.CommandContext(t.Context(), office,
		append(args, "--convert-to", "fods", "--outdir", filepath.Join(dir, "out"), filepath.Join(dir, name))...)
	convert.Env = append(os.Environ(), "HOME="+dir)
	if out, err := convert.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	text, err := os.ReadFile(filepath.Join(dir, "out", strings.TrimSuffix(name, filepath.Ext(name))+".fods"))
	must(t, err)
	var opened struct {
		Tables []struct {
			Rows []struct {
				Cells []struct {
					Type    string `xml:"value-type,attr"`
					Formula string `xml:"formula,attr"`
					Shown   string `xml:"p"`
				} `xml:"table-cell"`
			} `xml:"table-row"`
		} `xml:"body>spreadsheet>table"`
	}
	must(t, xml.Unmarshal(text, &opened))
	for _, r := range opened.Tables[0].Rows {
		var row []string
		for _, c := range r.Cells {
			row = append(row, strings.TrimSpace(c.Type+" "+c.Formula+c.Shown))
		}
		for len(row) > 0 && row[len(row)-1] == "" { // the rest of the sheet
			row = row[:len(row)-1]
		}
		rows = append(rows, row)
	}
	return rows
}

func TestASpreadsheetInChileReadsNumbersAsNumbers(t *testing.T) {
	t.Parallel()
	names := []string{"string Fecha", "string Fondo", "string Cambio", "string Valor cuota", "string Partícipes"}
	workbook := openedInChile(t, "table.xlsx", ofEachKind(t, tablefile.Workbook))
	if diff := cmp.Diff([][]string{names,
		{"date 28-02-2025", `string Ñandú; "A"`, "percentage -1,25%", "float 1234567,8901", "float 12"},
		{"", "string =1+1", "", "float 0"}}, workbook[:3]); diff != "" {
		t.Error(diff)
	}
	// What Excel does with the settings of Chile: fields end with semicolons, and the text is UTF-8.
	csv := openedInChile(t, "table.csv", ofEachKind(t, tablefile.ChileanCSV),
		"--infilter=Text - txt - csv (StarCalc):59,34,76,1,,13322")
	if diff := cmp.Diff([][]string{names,
		{"date 2025-02-28", `string Ñandú; "A"`, "float -0,0125", "float 1234567,8901", "float 12"},
		{"", "string '=1+1", "", "float 0"}}, csv[:3]); diff != "" {
		t.Error(diff)
	}
}
