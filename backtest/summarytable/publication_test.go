package summarytable_test

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"cuota/backtest/summarytable"
	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/model"
)

// A date is read from the batch that first had it, so a correction that came later does not show in it.
func TestAtPublicationADateIsAnsweredByTheFirstBatchThatHadIt(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	const files = "../../demo/files/"
	m := demotest.New(t)
	m.Ingest(t, "returns-comparator", inOneFamily(t, files+"comparator/cmf_rentabilidades_20250930.csv"),
		date(t, "2025-10-10"))
	m.Ingest(t, "cartola", files+"cartola/cartola_9809_9810_20191014_20191231.txt", date(t, "2020-01-02"))
	m.Build(t)
	asked := request(t, "2019-12-01", "2020-01-31", summarytable.Daily)
	_, before := read(t, m, asked)

	// The equity of every row of a day is stated again, and a year follows.
	const corrected = "2019-12-20"
	m.Ingest(t, "cartola", statedAgain(t, files+"cartola/cartola_9809_9810_20191014_20191231.txt",
		strings.ReplaceAll(corrected, "-", "")), date(t, "2021-01-03"))
	m.Ingest(t, "cartola", files+"cartola/cartola_9809_9810_20200101_20201231.txt", date(t, "2021-01-04"))
	m.SetClock(demotest.Clock.Add(time.Hour))
	m.Build(t)
	_, after := read(t, m, asked)

	stretches, err := summarytable.AtPublication(t.Context(), m.Conn, asked)
	must(t, err)
	if len(stretches) != 2 {
		t.Fatalf("%d batches answer, want 2", len(stretches))
	}
	if got := stretches[0].Batch.Cutoff; got != model.DateOf(date(t, "2019-12-31")) {
		t.Errorf("the cutoff of the first batch is %s", got)
	}
	var at summarytable.Part
	must(t, summarytable.ReadAll(t.Context(), stretches, summarytable.Request{}, func(part summarytable.Part) error {
		at.Families = append(at.Families, part.Families...)
		at.Indices = append(at.Indices, part.Indices...)
		at.Movers = append(at.Movers, part.Movers...)
		return nil
	}))
	newYear := date(t, "2020-01-01")
	wantFirst(t, "families", at.Families, before.Families, after.Families, func(f summarytable.Family) bool {
		return f.Date.Before(newYear)
	})
	wantFirst(t, "indices", at.Indices, before.Indices, after.Indices, func(p summarytable.IndexPoint) bool {
		return p.Date.Before(newYear)
	})
	wantFirst(t, "movers", at.Movers, before.Movers, after.Movers, func(m summarytable.Mover) bool {
		return m.Date.Before(newYear)
	})

	equity := func(of []summarytable.Family) float64 {
		i := slices.IndexFunc(of, func(f summarytable.Family) bool { return f.Date.Format(time.DateOnly) == corrected })
		return of[i].Equity
	}
	if equity(at.Families) != equity(before.Families) || equity(at.Families) == equity(after.Families) {
		t.Errorf("equity on %s is %v, before the correction %v, after it %v", corrected, equity(at.Families),
			equity(before.Families), equity(after.Families))
	}

	// A month end that neither batch has, because the history begins later.
	if _, err := summarytable.AtPublication(t.Context(), m.Conn,
		request(t, "2018-01-01", "2018-12-31", summarytable.Monthly)); err == nil ||
		!strings.Contains(err.Error(), "which goes from 2019-10-14") {
		t.Error(err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := summarytable.AtPublication(cancelled, m.Conn, asked); err == nil {
		t.Error("a read whose context has ended gives no error")
	}
}

// wantFirst compares rows with those of the first batch, as far as that one had their dates, and with
// those of the second batch from then on.
func wantFirst[T any](t *testing.T, what string, got, before, after []T, early func(T) bool) {
	t.Helper()
	late := slices.DeleteFunc(slices.Clone(after), early)
	if len(before) == 0 || len(late) == 0 {
		t.Fatalf("%s: %d early and %d late rows, so that nothing is compared", what, len(before), len(late))
	}
	if want := slices.Concat(before, late); !reflect.DeepEqual(got, want) {
		t.Errorf("%s: %d rows differ from the %d that are wanted", what, len(got), len(want))
	}
}

// inOneFamily returns a comparator with all its series, and the series A of the first years, in one family, so that two
// funds give it an index (RULES 7, coverage).
func inOneFamily(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	must(t, err)
	changed := strings.ReplaceAll(string(text), "Balanceado conservador", "Balanceado moderado")
	for line := range strings.Lines(changed) {
		if fields := strings.Split(line, ","); fields[1] == "B" {
			fields[1] = "A"
			changed += strings.Join(fields, ",")
		}
	}
	out := filepath.Join(t.TempDir(), filepath.Base(path))
	must(t, os.WriteFile(out, []byte(changed), 0o600))
	return out
}

// statedAgain returns a file with the rows of a day, each with ten times the equity.
func statedAgain(t *testing.T, path, day string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	must(t, err)
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	head := strings.Split(strings.TrimSuffix(lines[0], "\r"), ";")
	equity, on := slices.Index(head, "PATRIMONIO_NETO"), slices.Index(head, "FECHA_INF")
	kept := []string{lines[0]}
	for _, line := range lines[1:] {
		if fields := strings.Split(line, ";"); fields[on] == day {
			fields[equity] += "0"
			kept = append(kept, strings.Join(fields, ";"))
		}
	}
	if len(kept) == 1 {
		t.Fatalf("%s has no row of %s", path, day)
	}
	out := filepath.Join(t.TempDir(), "cartola.txt")
	must(t, os.WriteFile(out, []byte(strings.Join(kept, "\n")+"\n"), 0o600))
	return out
}
