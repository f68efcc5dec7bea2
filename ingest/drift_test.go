package ingest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"cuota/ingest/archive"
	"cuota/model"
)

// monthOfMarket writes a cartola of the whole market: 60 funds of two series on each day
// of a month. change may change the fields of a row.
func monthOfMarket(t *testing.T, first string, change func(fields []string)) string {
	t.Helper()
	from, err := time.Parse(time.DateOnly, first)
	if err != nil {
		t.Fatal(err)
	}
	to := from.AddDate(0, 1, -1)
	return daysOfMarket(t, fmt.Sprintf("ffmm_todos_%s_%s.txt", from.Format("20060102"), to.Format("20060102")), from,
		to, change)
}

func daysOfMarket(t *testing.T, name string, from, to time.Time, change func(fields []string)) string {
	t.Helper()
	var b strings.Builder
	b.WriteString(strings.SplitAfter(fixture(t, "cartola.txt"), "\n")[0])
	for fund := range 60 {
		currency, amount := "$$", "0"
		if fund%10 == 0 {
			currency = "PROM"
		}
		if fund%2 == 0 {
			amount = "1"
		}
		for day := from; !day.After(to); day = day.AddDate(0, 0, 1) {
			for serie := range 2 {
				number := fund*100 + day.Day()*3 + serie
				fields := []string{
					"91999000", "ADMINISTRADORA GENERAL DE FONDOS S.A.", fmt.Sprint(8000 + fund),
					day.Format("20060102"), "12749951000", currency, "N", amount,
					string(rune('A' + serie)), fmt.Sprintf("%d.%d", number, number%7+1), "0",
					fmt.Sprintf("%d.4321", 9000+number),
					fmt.Sprintf("1%03d.%04d", number%1000, 1000+number%8000), fmt.Sprint(12749951 + number), "12", "0",
					"N", fmt.Sprint(100 + number), "0", "5", "0", "0", "0", "", "",
				}
				if change != nil {
					change(fields)
				}
				if fields[0] != "" { // a change may leave out the row
					b.WriteString(strings.Join(fields, ";") + "\n")
				}
			}
		}
	}
	return fileOf(t, name, b.String())
}

// found shows findings as kind and column.
func found(report Report) string {
	var list []string
	for _, of := range report.Findings {
		text := string(of.Kind)
		if of.Column != "" {
			text += " " + of.Column
		}
		if of.AtStake {
			text += " at stake"
		}
		list = append(list, text)
	}
	return strings.Join(list, ", ")
}

func TestAFileWhoseShapesChangeIsReported(t *testing.T) {
	set := func(column int, value func(was string) string) func([]string) {
		return func(fields []string) { fields[column] = value(fields[column]) }
	}
	to := func(value string) func(string) string { return func(string) string { return value } }
	for _, c := range []struct {
		name   string
		change func(fields []string)
		want   string
	}{
		{"nothing", func([]string) {}, ""},
		{"few words turn into amounts", func(fields []string) {
			fields[7] = fields[13] + ".5"
		}, "many_values INVERSION_EN_FONDOS, more_decimals INVERSION_EN_FONDOS, magnitude INVERSION_EN_FONDOS"},
		{"a new word", set(7, func(was string) string {
			return strings.Replace(was, "1", "S", 1)
		}), "new_word INVERSION_EN_FONDOS, word_gone INVERSION_EN_FONDOS, unknown_value INVERSION_EN_FONDOS"},
		{"a currency has another name", set(5, func(was string) string {
			return strings.Replace(was, "$$", "EUR", 1)
		}), "new_word MONEDA, word_gone MONEDA at stake"},
		{"quotas are rounded", set(12, func(was string) string {
			return was[:len(was)-2]
		}), "fewer_decimals VALOR_CUOTA at stake"},
		{"quotas have more decimals", set(12, func(was string) string {
			return was + "7"
		}), "more_decimals VALOR_CUOTA"},
		{"quotas are a thousand times as large", set(12, func(was string) string {
			return "9" + strings.Replace(was, ".", "12.", 1)
		}), "magnitude VALOR_CUOTA at stake"},
		{"the daily fee is gone", set(17, to("0")), "emptied REM_FIJA at stake"},
		{"equity is gone", set(13, to("0")), "emptied PATRIMONIO_NETO at stake"},
		{"a factor in each row", set(23, to("1.5")), "new_word FACTOR DE AJUSTE, filled FACTOR DE AJUSTE at stake"},
		{"a reversed fee", func(fields []string) {
			if fields[2] == "8000" && fields[3][6:] == "05" {
				fields[17] = "-" + fields[17]
			}
		}, "negative REM_FIJA"},
		{"funds are missing", func(fields []string) {
			if fields[2] > "8052" {
				fields[0] = ""
			}
		}, "fewer_series, fewer_rows"},
		{"the last week is missing", func(fields []string) {
			if fields[3][6:] > "24" {
				fields[0] = ""
			}
		}, "ends_early"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHarness(t)
			if first := h.ingest(t, model.Cartola, monthOfMarket(t, "2026-01-01", nil)); first.Refused ||
				len(first.Findings) > 0 {
				t.Fatalf("the first file: %+v", first)
			}
			h.out.topics = nil
			report := h.ingest(t, model.Cartola, monthOfMarket(t, "2026-03-01", c.change))
			if got := found(report); got != c.want {
				t.Errorf("found %s\n want %s\n%v", got, c.want, report.Findings)
			}
			waits := strings.Contains(c.want, "at stake")
			if report.Quarantined != waits || report.Refused != waits ||
				len(h.out.topics[model.Cartola.Topic()]) > 0 == waits {
				t.Errorf("it was published: %v; report %+v", len(h.out.topics[model.Cartola.Topic()]) > 0, report)
			}
		})
	}
}

func TestAnotherAmountInAColumnOfFewAmountsIsNoNewWord(t *testing.T) {
	h := newHarness(t)
	for _, c := range []struct{ from, factor, want string }{
		{"2026-01-01", "", ""},
		{"2026-03-01", "1.000391569", "new_word FACTOR DE REPARTO"},
		{"2026-05-01", "1.000394858", ""},
		{"2026-07-01", "1", ""},
	} {
		report := h.ingest(t, model.Cartola, monthOfMarket(t, c.from, func(fields []string) {
			if fields[2] == "8000" && fields[3][6:] == "05" {
				fields[24] = c.factor
			}
		}))
		if got := found(report); got != c.want {
			t.Errorf("%s: found %q, want %q", c.from, got, c.want)
		}
	}
}

// August 2025 of a fund, as the regulator's file has it, is named for the month and ends
// on the 24th.
func TestAFileNamedForAMonthThatEndsEarlierIsReported(t *testing.T) {
	h := newHarness(t)
	report := h.ingest(t, model.Cartola, "../testdata/real/cartola/month_10772_202508.txt")
	want := model.Finding{Kind: model.FindingEndsEarly, Before: "2025-08-31", Now: "2025-08-24"}
	if len(report.Findings) != 1 || report.Findings[0] != want || report.Refused {
		t.Errorf("found %+v, want %+v", report.Findings, want)
	}
	var told model.Control
	for _, message := range h.out.topics[model.ControlTopic] {
		told = decoded[model.Control](t, message)
	}
	if told.Manifest == nil || told.Judgement == nil || len(told.Judgement.Findings) != 1 ||
		told.Judgement.State != model.FileTaken {
		t.Errorf("the manifest came with %+v", told.Judgement)
	}
	whole := h.ingest(t, model.Cartola, "../testdata/real/cartola/month_9019_202512.txt")
	if len(whole.Findings) > 0 {
		t.Errorf("a whole month: %+v", whole.Findings)
	}
}

func TestOfTwoOppositeDecisionsAtOnceOneFails(t *testing.T) {
	h := newHarness(t)
	h.ingest(t, model.Cartola, monthOfMarket(t, "2026-01-01", nil))
	report := h.ingest(t, model.Cartola, monthOfMarket(t, "2026-02-01", func(fields []string) {
		fields[12] = fields[12][:len(fields[12])-2]
	}))
	if !report.Quarantined {
		t.Fatalf("report %+v", report)
	}
	var opposite []error
	accepted, err := h.Accept(t.Context(), report.SHA256, func(Progress) {
		_, err := h.Decline(t.Context(), report.SHA256)
		opposite = append(opposite, err)
	})
	if err != nil || accepted.Published == 0 {
		t.Errorf("accepted %+v, %v", accepted, err)
	}
	if len(opposite) == 0 || opposite[0] == nil ||
		!strings.Contains(opposite[0].Error(), "another process is deciding") {
		t.Errorf("declined meanwhile: %v", opposite)
	}
	if h.archive.WasRefused(report.SHA256) {
		t.Error("the archive says that a published file was refused")
	}
}

// What a person decided on a file stays so when another directory takes the file over.
func TestDecisionsAndDatesAreTakenOverFromAnotherArchive(t *testing.T) {
	h := newHarness(t)
	h.ingest(t, model.Cartola, monthOfMarket(t, "2026-01-01", nil))
	rounded := func(fields []string) { fields[12] = fields[12][:len(fields[12])-2] }
	declined := h.ingest(t, model.Cartola, monthOfMarket(t, "2026-02-01", rounded))
	if _, err := h.Decline(t.Context(), declined.SHA256); err != nil {
		t.Fatal(err)
	}
	accepted := h.ingest(t, model.Cartola, monthOfMarket(t, "2026-02-01", func(fields []string) {
		rounded(fields)
		fields[13] += "1"
	}))
	if _, err := h.Accept(t.Context(), accepted.SHA256, nil); err != nil {
		t.Fatal(err)
	}
	foreign := h.ingest(t, model.UF, monthOfMarket(t, "2026-03-01", nil))
	if !declined.Quarantined || !accepted.Quarantined || !foreign.Refused {
		t.Fatalf("%+v, %+v, %+v", declined, accepted, foreign)
	}

	other := newHarness(t)
	other.clock = other.clock.AddDate(1, 0, 0)
	entries, err := h.archive.Entries(t.Context())
	if err != nil || len(entries) != 4 {
		t.Fatalf("%d entries, %v", len(entries), err)
	}
	for range 2 { // it may be run again
		for _, entry := range entries {
			report, err := other.From(t.Context(), h.archive, entry, nil)
			if err != nil || report.Refused != (entry.Refused != "") || report.Revision != entry.Revision {
				t.Errorf("%s: %+v, %v", entry.File, report, err)
			}
			got, err := other.archive.Check(t.Context(), entry.SHA256)
			if err != nil || got.Decision != entry.Decision || !got.FirstSeen.Equal(entry.FirstSeen) ||
				got.Refused != entry.Refused {
				t.Errorf("%s: the note is %+v, want %+v (%v)", entry.File, got, entry, err)
			}
		}
	}
	for _, want := range h.out.manifests(t) {
		if got := other.out.manifests(t); !slices.Contains(got, want) {
			t.Errorf("no manifest of %+v among %+v", want, got)
		}
	}
}

func TestAQuarantinedFileIsPublishedWhenAPersonAcceptsIt(t *testing.T) {
	h := newHarness(t)
	h.ingest(t, model.Cartola, monthOfMarket(t, "2026-01-01", nil))
	rounded := func(fields []string) { fields[12] = fields[12][:len(fields[12])-2] }
	february := monthOfMarket(t, "2026-02-01", rounded)
	h.out.topics = nil
	report := h.ingest(t, model.Cartola, february)
	state := func() *model.Judgement {
		messages := h.out.topics[model.ControlTopic]
		return decoded[model.Control](t, messages[len(messages)-1]).Judgement
	}
	if !report.Quarantined || len(h.out.topics[model.Cartola.RejectTopic()]) != 1 ||
		state().State != model.FileQuarantined || len(h.out.manifests(t)) != 0 {
		t.Fatalf("report %+v, state %+v", report, state())
	}
	if reason := report.FirstRejects[0].Reason; !strings.Contains(reason,
		"column VALOR_CUOTA: 2 decimals; 4 were usual") ||
		!strings.Contains(reason, "cuota rejected accept "+report.SHA256[:12]) {
		t.Errorf("the reason is %s", reason)
	}
	if !h.archive.WasRefused(report.SHA256) {
		t.Error("a repair would publish it")
	}
	if again := h.ingest(t, model.Cartola, february); !again.Quarantined {
		t.Errorf("ingested a second time: %+v", again)
	}

	if _, err := h.Decline(t.Context(), report.SHA256); err != nil || state().State != model.FileDeclined {
		t.Fatalf("declined: %+v, %v", state(), err)
	}
	h.clock = h.clock.Add(time.Minute)
	if again := h.ingest(t, model.Cartola, february); !again.Refused || again.Quarantined ||
		len(h.out.topics[model.Cartola.Topic()]) > 0 {
		t.Errorf("a file that a person refused was ingested again: %+v", again)
	}
	accepted, err := h.Accept(t.Context(), report.SHA256, nil)
	if err != nil || accepted.Refused || accepted.Published != 28*120 || accepted.Revision != report.Revision {
		t.Fatalf("accepted: %+v, %v", accepted, err)
	}
	if got := state(); got.State != model.FileAccepted || len(got.Findings) != 1 || got.Judged <= report.Revision {
		t.Errorf("accepted: %+v", got)
	}
	if again, err := h.Again(t.Context(), report.SHA256, nil); err != nil || again.Refused ||
		again.Published != accepted.Published {
		t.Errorf("published again by a repair: %+v, %v", again, err)
	}
	// A person has accepted this shape, so the next month has nothing new.
	if march := h.ingest(t, model.Cartola, monthOfMarket(t, "2026-03-01", rounded)); march.Quarantined {
		t.Errorf("the month after: %+v", march)
	}
	// An accept that was interrupted may be repeated. What is published is the same.
	if again, err := h.Accept(t.Context(), report.SHA256, nil); err != nil || again.Published != accepted.Published ||
		again.Revision != accepted.Revision {
		t.Errorf("accepted again: %+v, %v", again, err)
	}
	if _, err := h.Decline(t.Context(), report.SHA256); err == nil ||
		!strings.Contains(err.Error(), "not in quarantine") {
		t.Errorf("refused after it was published: %v", err)
	}
}

func TestAColumnWithAnotherNameIsReported(t *testing.T) {
	for _, c := range []struct {
		column, name string
		quarantined  bool
		refused      bool
	}{
		{"INVERSION_EN_FONDOS", "INV_OTROS_FONDOS", false, false},
		{"VALOR_CUOTA", "VALOR_CUOTA_NETO", true, true},
		{"FECHA_INF", "FECHA_VALOR", true, true},
		// columns that changed places
		{"CUOTAS_APORTADAS;CUOTAS_RESCATADAS", "CUOTAS_RESCATADAS;CUOTAS_APORTADAS", false, true},
	} {
		h := newHarness(t)
		text, err := os.ReadFile("../testdata/real/cartola/month_9019_202512.txt")
		if err != nil {
			t.Fatal(err)
		}
		report := h.ingest(t, model.Cartola, fileOf(t, "f.txt", strings.Replace(string(text), c.column, c.name, 1)))
		if report.Quarantined != c.quarantined || report.Refused != c.refused {
			t.Errorf("%s for %s: %+v", c.name, c.column, report)
		}
		if kind := model.FindingRenamed; (c.quarantined || !c.refused) &&
			(len(report.Findings) != 1 || report.Findings[0].Kind != kind || report.Findings[0].Now != c.name) {
			t.Errorf("%s for %s: found %+v", c.name, c.column, report.Findings)
		}
	}
}

// The same files in another order: what a file is compared with are the files of earlier
// days, so a file that comes late changes nothing about those of later days.
func TestAFileIsComparedWithFilesOfEarlierDaysOnly(t *testing.T) {
	h := newHarness(t)
	h.ingest(t, model.Cartola, monthOfMarket(t, "2026-03-01", nil))
	rounded := func(fields []string) { fields[12] = fields[12][:len(fields[12])-2] }
	if late := h.ingest(t, model.Cartola, monthOfMarket(t, "2026-01-01", rounded)); len(late.Findings) > 0 {
		t.Errorf("an earlier month that comes late: %+v", late.Findings)
	}
	// Another process sees what this one has ingested.
	other := newHarness(t)
	other.Ingester = New(archive.New(h.dir, func() time.Time { return today }), other.out, zerolog.Nop())
	h.ingest(t, model.Cartola, monthOfMarket(t, "2026-04-01", nil))
	if may := other.ingest(t, model.Cartola, monthOfMarket(t, "2026-05-01", func(fields []string) {
		fields[13] = "0"
	})); !may.Quarantined {
		t.Errorf("another process: %+v", may)
	}
	notes, err := filepath.Glob(filepath.Join(h.dir, "*", "*.json"))
	if err != nil || len(notes) != 4 {
		t.Fatalf("%v: %v", notes, err)
	}
}

// Single days differ more than months: nothing flows out on a Friday, and nothing in on a
// Sunday.
func TestFilesOfSingleDaysAreNotQuarantinedForTheirWeekday(t *testing.T) {
	h := newHarness(t)
	for day := time.Date(2026, 5, 4, 0, 0, 0, 0, time.UTC); day.Month() == time.May; day = day.AddDate(0, 0, 1) {
		name := fmt.Sprintf("ffmm_todos_%s_%[1]s.txt", day.Format("20060102"))
		report := h.ingest(t, model.Cartola, daysOfMarket(t, name, day, day, func(fields []string) {
			switch day.Weekday() {
			case time.Sunday:
				fields[9], fields[10] = "0", fields[9]
			case time.Friday: // a lump of expenses
				if fields[2][3] == '7' {
					fields[20] = "163.25"
				}
			}
		}))
		if report.Refused {
			t.Fatalf("%s: %+v", name, report)
		}
	}
}

// Such files have no column for their fund, so that only their names say which one they are about.
func TestFilesNamedForTheirFundAreComparedByFund(t *testing.T) {
	h := newHarness(t)
	rows := func(currency string, scale int) string {
		var text strings.Builder
		text.WriteString("Fecha;Serie;Moneda;Valor Libro;Valor Económico;Patrimonio Neto;Activo Total;N° de " +
			"Aportantes;N° Aportantes Institucionales;Agencia\n")
		end := time.Date(2025, 5, 30, 0, 0, 0, 0, time.UTC)
		for day := time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC); day.Before(end); day = day.AddDate(0, 0, 1) {
			fmt.Fprintf(&text, "%s;A;%s;%d,25;;%d,5;%d,5;3;0;\n", day.Format("02/01/2006"), currency,
				scale+day.YearDay(), 1000*scale, 1100*scale)
		}
		return text.String()
	}
	for _, of := range []struct{ file, text string }{
		{"fi_9278_202505.csv", rows("$$", 900)}, {"fi_10058-7_202505.csv", rows("PROM", 900_000)},
		{"fi_9278-9_202506.csv", rows("$$", 901)},
	} {
		report := h.ingest(t, model.FIValues, fileOf(t, of.file, of.text))
		if report.Quarantined || report.Refused || report.Rejected != 0 {
			t.Errorf("%s: %+v", of.file, report)
		}
	}
}
