package ingest

import (
	"strings"
	"testing"

	"cuota/model"
)

func TestAFileThatEndsInsideARowIsReportedAsCut(t *testing.T) {
	header, rows, _ := strings.Cut(fixture(t, "uf.csv"), "\n")
	page := fixture(t, "fi_9278_page.html")
	for _, c := range []struct {
		dataset    model.Dataset
		name, text string
		cut        bool
	}{
		{model.UF, "whole.csv", header + "\n" + rows, false},
		{model.UF, "fewer.csv", header + "\n" + rows[:strings.Index(rows, "\n")+1], false},
		{model.UF, "bad.csv", header + "\n" + rows + "x\n", false},
		{model.UF, "blank.csv", header + "\n" + rows + "  ", false},
		{model.UF, "in-a-row.csv", header + "\n" + rows[:len(rows)-5], true},
		{model.UF, "no-line-end.csv", header + "\n" + rows[:len(rows)-1], true},
		{model.FIValues, "fi_9278_page.html", page, false},
		{model.FIValues, "fi_9278_cut.html", page[:strings.Index(page, "\n<tr>\n")], true},
	} {
		h := newHarness(t)
		if report := h.ingest(t, c.dataset, fileOf(t, c.name, c.text)); report.Cut != c.cut || report.Refused {
			t.Errorf("%s: %+v, want cut %t", c.name, report, c.cut)
		}
	}
}
