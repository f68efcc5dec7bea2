package marketpages_test

import (
	"encoding/csv"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// filesOf returns the addresses of the files that a page links to.
func filesOf(t *testing.T, page string) (list []string) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	must(t, err)
	for node := range root.Descendants() {
		if to := attribute(node, "href"); node.Data == "a" && strings.Contains(to, "archivo=") {
			list = append(list, to)
		}
	}
	return list
}

func TestEachTableOfAPageIsAFileWithItsRows(t *testing.T) {
	s := synthetic(t)
	tables, charts, explained := 0, 0, 0
	for _, visit := range s.visits() {
		status, _, page := s.get(visit.path, "Accept-Language", "es")
		if status != http.StatusOK || strings.HasPrefix(visit.path, "/docs") {
			continue
		}
		linked := map[string]bool{}
		for _, address := range filesOf(t, page) {
			to, err := url.Parse(address)
			must(t, err)
			id, ending, _ := strings.Cut(to.Query().Get("archivo"), ".")
			linked[id] = true
			status, header, body := s.get(address, "Accept-Language", "es")
			if status != http.StatusOK || !strings.Contains(header.Get("Content-Disposition"), "attachment; filename="+id) {
				t.Fatalf("%s: status %d, %v", address, status, header)
			}
			if ending == "xlsx" {
				if !strings.HasPrefix(body, "PK") || !strings.Contains(header.Get("Content-Type"), "spreadsheetml") {
					t.Errorf("%s is no workbook: %v", address, header)
				}
				continue
			}
			text, marked := strings.CutPrefix(body, "\ufeff")
			if !marked {
				t.Errorf("%s does not begin with the byte order mark", address)
			}
			reader := csv.NewReader(strings.NewReader(text))
			reader.Comma = ';'
			lines, err := reader.ReadAll()
			must(t, err)
			if strings.Contains(text, ";Por qué faltan valores\r\n") {
				explained++
			}
			shown := tableOf(t, page, id)
			if len(shown.rows) == 0 { // a chart: more days than its table has rows
				charts++
				if behind := tableOf(t, page, "tabla-"+strings.TrimSuffix(id, "-grafico")); len(lines)-1 < len(behind.rows) {
					t.Errorf("%s has %d days, and its table %d", address, len(lines)-1, len(behind.rows))
				}
				continue
			}
			tables++
			if len(lines)-1 != len(shown.rows) {
				t.Errorf("%s has %d rows, the page %d", address, len(lines)-1, len(shown.rows))
			}
		}
		root, err := html.Parse(strings.NewReader(page))
		must(t, err)
		for node := range root.Descendants() {
			if id := attribute(node, "id"); node.Data == "table" && !linked[id] && len(tableOf(t, page, id).rows) > 0 {
				t.Errorf("%s: the table %q has no file", visit.path, id)
			}
		}
	}
	if tables < 30 || charts < 5 || explained == 0 {
		t.Errorf("%d tables and %d charts were compared, %d of them with reasons", tables, charts, explained)
	}
}

func TestAPageHasNoOtherFiles(t *testing.T) {
	s := synthetic(t)
	for _, file := range []string{"administradoras.pdf", "nothing.csv", "..%2Fx.xlsx", ".csv"} {
		status, header, _ := s.get("/administradoras?archivo=" + file)
		if status != http.StatusNotFound || header.Get("Content-Disposition") != "" ||
			!strings.HasPrefix(header.Get("Content-Type"), "text/html") {
			t.Errorf("%s: status %d, %v", file, status, header)
		}
	}
}
